"""`groundrules handoff draft`: facts are git's own, prose is the author's and survives, nothing else is committed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from groundrules import schema
from groundrules_hooks import handoff
from groundrules_hooks.subject import subject_tree

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository
    from scaffolder.conftest import Answer

PATH = "evidence/T1/handoff.json"
PROSE = ("--unresolved", "none", "--deviations", "none")


@pytest.fixture
def work(hooked: Repository) -> Repository:
    """The worktree of T1 with two commits."""
    work = hooked.worktree("task/T1-cart")
    work.write("cart.py", "cart = 1\n")
    work.write("two words ä.py", "words = 2\n")
    work.git("add", "-A")
    work.git("commit", "-q", "-m", "Add the cart")
    work.commit("cart.py", "cart = 2\n", "Change the cart\n\nGround-rules-allow: commit-message (a reason)\nTask: T1")
    return work


def document(repository: Repository, path: str = PATH) -> dict[str, Any]:
    """Return the handoff on disk, which fits the schema and the rule's own check of shape."""
    content = (repository.path / path).read_bytes()
    assert list(handoff.problems(content)) == []
    found: dict[str, Any] = json.loads(content)
    assert list(schema.problems(found)) == []
    return found


def test_facts_are_those_of_git(run: Callable[..., Answer], work: Repository) -> None:
    code, out, err = run(work, "handoff", "draft", *PROSE)
    assert code == 0
    assert f"✓ handoff       {PATH}   2 commits, 2 files, in-progress\n" in err
    found = document(work)
    first, second = work.git("rev-list", "--reverse", "main..HEAD").split()
    patches = [line.split() for line in git_patches(work)]
    assert found["base"] == work.git("rev-parse", "main")
    assert found["head"] == second
    assert found["subject_tree"] == work.git("rev-parse", "HEAD^{tree}"), "there is no evidence in it yet"
    assert [[row["patch"], row["oid"]] for row in found["commits"]] == patches
    assert [row["subject"] for row in found["commits"]] == ["Add the cart", "Change the cart"]
    assert found["files"] == [{"path": "cart.py", "status": "A"}, {"path": "two words ä.py", "status": "A"}]
    assert found["allowed"] == [{"rule": "commit-message", "reason": "a reason", "commit": second}]
    assert found["environment"]["slot"] == "1"
    assert found["environment"]["git"] in work.git("version")
    assert (found["state"], found["checks"]) == ("in-progress", [])
    assert found["detected"] == ["allowed commit-message: a reason"]
    assert out == f"→ git add {PATH} && git commit -m 'Hand over T1' -- {PATH}\n"
    assert first == patches[0][1]


def git_patches(repository: Repository) -> list[str]:
    """Return `patch commit` for each commit since main, by git's own way through the log."""
    command = "!git log --reverse -p main..HEAD | git patch-id --verbatim"
    return repository.git("-c", f"alias.patches={command}", "patches").splitlines()


def test_printed_command_commits_the_handoff_and_the_gate_agrees(run: Callable[..., Answer], work: Repository) -> None:
    out = run(work, "handoff", "draft", *PROSE).out
    command = out.removeprefix("→ ").strip()
    work.git("-c", f"alias.paste=!{command}", "paste")
    assert work.git("show", "--format=%s", "--name-only", "HEAD") == f"Hand over T1\n\n{PATH}"
    assert run(work, "gate").code == 0


def test_commits_and_files_of_evidence_are_no_work(run: Callable[..., Answer], work: Repository) -> None:
    run(work, "handoff", "draft", *PROSE, "--commit")
    before = document(work)
    run(work, "handoff", "draft")
    after = document(work)
    assert after == before, "writing it again after it was committed changes nothing"
    assert subject_tree_of(run, work) == before["subject_tree"]


def subject_tree_of(run: Callable[..., Answer], work: Repository) -> str:
    run(work, "rules")  # to stand in the worktree
    return subject_tree("HEAD")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((), None),
        (("--unresolved", "none"), "none"),
        (("--unresolved", " slow above 10,000 rows "), ["slow above 10,000 rows"]),
        (("--unresolved", "one", "--unresolved", "größe"), ["one", "größe"]),
        (("--unresolved", ""), None),
    ],
)
def test_prose_is_what_the_author_gave(
    run: Callable[..., Answer], work: Repository, given: tuple[str, ...], expected: object
) -> None:
    # BAS-03: missing prose stays visibly missing
    code, _, err = run(work, "handoff", "draft", *given)
    assert code == 0
    assert document(work)["unresolved"] == expected
    assert ("▲ unresolved is not given yet: --unresolved TEXT, or --unresolved none" in err) == (expected is None)
    assert "▲ deviations is not given yet" in err


def test_second_draft_keeps_the_prose_and_renews_the_facts(run: Callable[..., Answer], work: Repository) -> None:
    run(work, "handoff", "draft", "--unresolved", "slow", "--deviations", "none")
    head = work.commit("more.py", message="Add more")
    run(work, "handoff", "draft", "--deviations", "no cache")
    found = document(work)
    assert (found["unresolved"], found["deviations"], found["head"]) == (["slow"], ["no cache"], head)


def test_none_and_something_is_refused_and_nothing_is_written(run: Callable[..., Answer], work: Repository) -> None:
    code, out, err = run(work, "handoff", "draft", "--unresolved", "none", "--unresolved", "slow")
    assert (code, out) == (2, "")
    assert "--unresolved is both none and something" in err
    assert not (work.path / PATH).exists()


@pytest.mark.parametrize("content", ["", "not JSON", "[]", '{"unresolved": 7}'])
def test_broken_earlier_draft_is_no_obstacle(run: Callable[..., Answer], work: Repository, content: str) -> None:
    work.write(PATH, content)
    code, _, err = run(work, "handoff", "draft", "--deviations", "none")
    if content.endswith("7}"):
        assert (code, "does not fit its schema" in err) == (2, True)
        assert run(work, "handoff", "draft", *PROSE).code == 0
    else:
        assert code == 0
    document(work)


def test_commit_takes_the_handoff_alone(run: Callable[..., Answer], work: Repository) -> None:
    work.write("staged.py")
    work.git("add", "staged.py")
    work.write("cart.py", "cart = 3\n")
    assert run(work, "handoff", "draft", *PROSE, "--commit").code == 0
    assert work.git("show", "--format=%s%n%(trailers:key=Task)", "--name-only", "HEAD").split("\n") == [
        "Hand over T1",
        "Task: T1",
        "",
        "",
        PATH,
    ]
    assert work.git("status", "--short").splitlines() == [" M cart.py", "A  staged.py"]


def test_commit_that_a_hook_refuses_leaves_the_handoff_written(run: Callable[..., Answer], work: Repository) -> None:
    work.write("CLAUDE.md", "nothing\n")
    work.write("guards/no", "#!/bin/sh\nexit 1\n").chmod(0o755)
    code, _, err = run(work, "handoff", "draft", *PROSE, "--commit")
    assert code == 2
    assert "`git commit` refused; the handoff is written, not committed" in err
    document(work)


def test_subject_keeps_the_configured_style(run: Callable[..., Answer], work: Repository) -> None:
    with (work.path / "groundrules.toml").open("a") as file:
        file.write('\n[commits]\nstyle = "conventional"\n')
    work.git("commit", "-q", "-a", "-m", "feat: take a style")
    assert run(work, "handoff", "draft", *PROSE, "--commit").code == 0
    assert work.git("log", "-1", "--format=%s") == "chore: hand over T1"


def test_merged_target_is_no_work_of_the_task(run: Callable[..., Answer], work: Repository, hooked: Repository) -> None:
    hooked.commit("others.py", message="Add what others made")
    work.git("merge", "-q", "--no-ff", "-m", "Merge main", "main")
    work.git("mv", "cart.py", "basket.py")
    work.git("commit", "-q", "-m", "Rename the cart")
    run(work, "handoff", "draft", *PROSE)
    found = document(work)
    assert [row["subject"] for row in found["commits"]] == [
        "Add the cart",
        "Change the cart",
        "Merge main",
        "Rename the cart",
    ]
    assert [row["patch"] is None for row in found["commits"]] == [False, False, True, False]
    assert [row["path"] for row in found["files"]] == ["basket.py", "two words ä.py"]
    assert found["base"] == work.git("rev-parse", "main~1"), "the task still started there"


def test_task_without_work_has_an_empty_account(run: Callable[..., Answer], hooked: Repository) -> None:
    work = hooked.worktree("task/T1-cart")
    assert run(work, "handoff", "draft", *PROSE).code == 0
    found = document(work)
    assert (found["commits"], found["files"]) == ([], [])
    assert found["head"] == found["base"] == work.git("rev-parse", "HEAD")


def test_somebody_else_can_draft_it_later_in_another_worktree(
    run: Callable[..., Answer], work: Repository, hooked: Repository
) -> None:
    # BAS-03
    expected = work.git("rev-parse", "HEAD")
    hooked.git("worktree", "remove", str(work.path))
    hooked.git("switch", "-q", "task/T1-cart")
    assert run(hooked, "handoff", "draft").code == 0
    found = document(hooked)
    assert (found["head"], found["base"]) == (expected, hooked.git("rev-parse", "main"))
    assert found["environment"] == {"slot": "0"}, "what the worktree recorded went with it"


@pytest.mark.parametrize("where", ["main", "detached", "no task"])
def test_without_a_task_it_is_refused(run: Callable[..., Answer], hooked: Repository, where: str) -> None:
    if where == "detached":
        hooked.git("switch", "-q", "--detach")
    elif where == "no task":
        hooked.git("switch", "-q", "-c", "cart")
    code, out, err = run(hooked, "handoff", "draft", *PROSE)
    assert (code, out) == (2, "")
    assert (
        f"{'a detached HEAD' if where == 'detached' else 'cart' if where == 'no task' else 'main'} names no task" in err
    )
    assert "patterns are task/{id}-{slug}, " in err
    assert err.endswith("To fix:\n    groundrules task list\n")
    assert not (hooked.path / "evidence").exists()


def test_committing_it_twice_changes_nothing(run: Callable[..., Answer], work: Repository) -> None:
    run(work, "handoff", "draft", *PROSE, "--commit")
    head = work.git("rev-parse", "HEAD")
    code, _, err = run(work, "handoff", "draft", *PROSE, "--commit")
    assert (code, "○ handoff       committed as it is" in err) == (0, True)
    assert work.git("rev-parse", "HEAD") == head


def test_prose_that_is_no_utf8_is_kept_readable(run: Callable[..., Answer], work: Repository) -> None:
    assert run(work, "handoff", "draft", "--unresolved", "caf\udce9", "--deviations", "none").code == 0
    assert document(work)["unresolved"] == ["caf\\xe9"]
