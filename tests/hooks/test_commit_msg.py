"""commit-msg: the message is judged as git stores it, and carries the task and every exception."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from groundrules_hooks import commit_msg
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.history import commits

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository

    Enter = Callable[[Repository], None]

LONG = "x" * 73


@pytest.fixture
def work(hooked: Repository, enter: Enter) -> Repository:
    """A worktree of task T1 with all hooks, and a staged change."""
    work = hooked.worktree("task/T1-x", "it's work")
    work.write("new")
    work.git("add", "new")
    enter(work)
    return work


def body(repository: Repository) -> str:
    return repository.git("log", "-1", "--format=%B")


def paste(said: str, editor: str) -> None:
    """Run the last line of the fix that `said` ends with, in a shell with an editor that writes a good subject."""
    environment = {"GIT_EDITOR": f"sed -i '1s/.*/{editor}/'"}
    script = f'export GIT_EDITOR="{environment["GIT_EDITOR"]}"\n{said.splitlines()[-1]}'
    subprocess.run(["sh", "-c", script], check=True, capture_output=True)


def test_the_task_is_written_once_and_kept(work: Repository) -> None:
    work.git("commit", "-q", "-m", "Say it", "-m", "Body", "-s")
    whole = "Say it\n\nBody\n\nSigned-off-by: Ada <ada@example.org>\nTask: T1"
    assert body(work) == whole
    work.git("commit", "-q", "--amend", "--no-edit", "--allow-empty")
    assert body(work) == whole
    work.git("commit", "-q", "--amend", "-m", "Another\n\nTask: T9")
    assert body(work) == "Another\n\nTask: T1"
    work.git("commit", "-q", "--fixup", "HEAD", "--allow-empty")
    assert body(work) == "fixup! Another\n\nTask: T1"


def test_a_revert_in_other_words_than_gits_says_what_it_takes_back(work: Repository) -> None:
    reverted = work.commit("new", "new\n", "Say it")
    for words, said in (
        (
            ("-m", "Say no more", "-s"),
            f"Say no more\n\nSigned-off-by: Ada <ada@example.org>\nReverts: {reverted}\nTask: T1",
        ),
        (("--no-edit",), f'Revert "Say it"\n\nThis reverts commit {reverted}.\n\nTask: T1'),
    ):
        work.git("revert", "--no-commit", reverted)
        work.git("commit", "-q", *words)
        assert body(work) == said
        (change,) = commits("HEAD", ["HEAD^"])
        assert change.reverts
        work.git("reset", "-q", "--hard", reverted)


def test_main_and_a_branch_without_a_task_get_no_trailer(hooked: Repository) -> None:
    hooked.write("new")
    hooked.git("add", "new")
    hooked.git("commit", "-q", "-m", "Say it")
    assert body(hooked) == "Say it"


def test_an_exception_is_recorded_once_beside_the_task(work: Repository) -> None:
    allow = "commit-message: the (only) way\nguards: none here"
    recorded = "Task: T1\nGround-rules-allow: commit-message (the (only) way)\nGround-rules-allow: guards (none here)"
    for option in ((), ("--amend",)):
        work.git("commit", "-q", "-m", LONG, *option, ALLOW=allow)
        assert body(work) == f"{LONG}\n\n{recorded}"
    said = work.git("commit", "--amend", "--no-edit", code=1)
    assert "73 characters" in said


@pytest.mark.parametrize("argument", ["absolute", "relative", "below", ""])
def test_the_file_that_git_passes_is_the_one_that_is_read(
    work: Repository, monkeypatch: pytest.MonkeyPatch, argument: str
) -> None:
    # MSG-06 MSG-07 MSG-14
    (work.path / "sub").mkdir()
    path = f"{work.git('rev-parse', '--git-dir')}/COMMIT_EDITMSG"
    work.write(path, "Subject\n")
    if argument == "below":
        monkeypatch.chdir(work.path / "sub")
    passed = {"absolute": path, "relative": f"../shop/.git/worktrees/{path.split('/')[-2]}/COMMIT_EDITMSG"}
    assert commit_msg.main([passed.get(argument, "")]) == 0
    with open(path) as file:
        assert file.read() == "Subject\n\nTask: T1\n"


@pytest.mark.usefixtures("work")
@pytest.mark.parametrize("argv", [[], [""], ["no/such/file"]])
def test_a_missing_file_is_2_with_one_message(argv: list[str]) -> None:
    # MSG-07
    with pytest.raises(GroundrulesError, match=r"cannot read the message file .*: No such file") as caught:
        commit_msg.main(argv)
    assert caught.value.code == 2


def test_bytes_that_are_no_utf8_are_judged_and_kept(work: Repository) -> None:
    # MSG-08
    path = work.write("message", b"Gr\xfc\xdfe\n\n\xff\n")
    assert commit_msg.main([str(path)]) == 0
    assert path.read_bytes() == b"Gr\xfc\xdfe\n\n\xff\n\nTask: T1\n"
    path.write_bytes(b"\xfc" * 73)
    assert commit_msg.main([str(path)]) == 1
    assert path.read_bytes() == b"\xfc" * 73


def test_a_refused_message_is_left_as_it_is(work: Repository) -> None:
    path = work.write("message", "wip\n")
    assert commit_msg.main([str(path)]) == 1
    assert path.read_text() == "wip\n"


@pytest.mark.parametrize(
    ("arguments", "committed"),
    [
        ((), ["new"]),
        (("-a",), ["other", "new"]),
        (("AGENTS.md",), ["AGENTS.md"]),
        (("-o", "a 'b'", "AGENTS.md"), ["AGENTS.md", "a 'b'"]),
    ],
)
def test_the_fix_makes_the_same_commit_with_another_message(
    work: Repository, arguments: tuple[str, ...], committed: list[str]
) -> None:
    work.write("a 'b'")
    work.write("other")
    work.git("add", "a 'b'", "other")
    work.git("commit", "-qnm", "First", "--", "a 'b'", "other")
    for name in ("a 'b'", "other", "AGENTS.md"):
        work.write(name, "changed\n")
    if arguments == ("-a",):
        work.git("checkout", "-q", "--", "a 'b'", "AGENTS.md")
    said = work.git("commit", "-m", LONG, *arguments, code=1)
    paste(said, "Say what it does")
    assert body(work) == "Say what it does\n\nTask: T1"
    assert sorted(work.git("show", "--format=", "--name-only", "-z").strip("\0").split("\0")) == sorted(committed)


def test_a_merge_is_exempt_and_keeps_its_message(hooked: Repository, work: Repository) -> None:
    # MSG-03
    work.git("commit", "-q", "-m", "Say it")
    hooked.commit("on-main")
    work.git("merge", "-q", "-m", LONG, "main")
    assert body(work) == f"{LONG}\n\nTask: T1"


def test_an_emptied_merge_message_still_calls_the_merge_off(hooked: Repository, work: Repository) -> None:
    work.git("commit", "-q", "-m", "Say it")
    head = work.git("rev-parse", "HEAD")
    hooked.commit("on-main")
    work.git("merge", "--edit", "main", code=1, GIT_EDITOR="truncate -s 0")
    assert work.git("rev-parse", "HEAD") == head


@pytest.mark.parametrize(
    ("command", "go_on"),
    [
        (("cherry-pick", "main"), "git cherry-pick --continue --edit"),
        (("rebase", "-q", "main"), "git rebase --continue"),
        (("revert", "--no-edit", "HEAD~1"), "git revert --continue --edit"),
    ],
)
def test_a_refusal_in_a_conflict_ends_with_the_command_that_goes_on(
    hooked: Repository, work: Repository, command: tuple[str, ...], go_on: str
) -> None:
    # CMT-14 CMT-16
    hooked.commit("same", "main\n", "On main")
    for text in ("one\n", "two\n") if command[0] != "rebase" else ("one\n",):
        work.commit("same", text, f"Say {text.strip()}")
    work.git(*command, code=1)
    work.write("same", "both\n")
    work.git("add", "same")
    said = work.git("commit", "-m", LONG, code=1)
    assert said.endswith(f"\n\nTo fix:\n    {go_on}")
    paste(said, "Say both")
    assert body(work).partition("\n")[0] == "Say both"
    assert body(work).endswith("\n\nTask: T1") or command[0] == "rebase"  # a replay runs no commit-msg


@pytest.mark.parametrize(("style", "code"), [("plain", 0), ("conventional", 1)])
def test_the_style_is_that_of_the_configuration(work: Repository, style: str, code: int) -> None:
    work.write("groundrules.toml", f'[commits]\nstyle = "{style}"\n')
    path = work.write("message", "Say it\n")
    assert commit_msg.main([str(path)]) == code


def test_a_sentence_that_looks_like_the_trailer_is_kept(work: Repository) -> None:
    work.git("commit", "-q", "--allow-empty", "-m", "Add 3", "-m", "Task: build the cart as agreed with Ada")
    stored = body(work)
    assert "Task: build the cart as agreed with Ada\n" in stored
    assert stored.rstrip().endswith("Task: T1")


def test_settings_of_trailers_do_not_change_what_is_written(work: Repository) -> None:
    work.git("config", "trailer.separators", "=")
    work.git("config", "trailer.task.key", "Task-Id")
    work.git("commit", "-q", "--allow-empty", "-m", "Add 3")
    assert body(work).rstrip().endswith("\nTask: T1")
