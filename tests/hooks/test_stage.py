"""stage: what the four stages share, from their arguments to the exit code of every way to end."""

from __future__ import annotations

import runpy
import tempfile
from typing import TYPE_CHECKING

import pytest

from conftest import Repository
from groundrules_hooks import commit_msg, post_checkout, pre_commit, pre_push, slot
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.rules import commit_message, guards, one_task
from groundrules_hooks.stage import arguments, guarded, place

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    Enter = Callable[[Repository], None]
    Stage = Callable[[Sequence[str]], int]

STAGES = [post_checkout.main, pre_commit.main, commit_msg.main, pre_push.main]


def boom(*_: object) -> None:
    message = "a defect"
    raise RuntimeError(message)


@pytest.fixture
def inside(shop: Repository, enter: Enter) -> Repository:
    enter(shop)
    return shop


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where logs of defects go."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        ([], ([], "text")),
        (["a", "--format", "json", "b"], (["a", "b"], "json")),
        (["--format", "github"], ([], "github")),
    ],
)
def test_the_format_is_taken_out_of_what_git_passes(argv: list[str], expected: tuple[list[str], str]) -> None:
    assert arguments(argv) == expected


@pytest.mark.parametrize("argv", [["--format"], ["--format", "xml"]])
def test_an_unknown_format_names_the_known_ones(argv: list[str]) -> None:
    with pytest.raises(GroundrulesError, match="not one of text, json, github"):
        arguments(argv)


@pytest.mark.parametrize("main", STAGES)
@pytest.mark.parametrize("where", ["outside", "other", "bare", "inside .git"])
def test_where_our_rules_do_not_apply_every_stage_is_silent(
    shop: Repository,
    enter: Enter,
    capfd: pytest.CaptureFixture[str],
    main: Stage,
    where: str,
) -> None:
    folder = shop.path.parent / where
    folder.mkdir()
    if where == "outside":
        enter(Repository(folder))
    elif where == "bare":
        shop.git("clone", "-q", "--bare", ".", str(folder))
        enter(Repository(folder))
    elif where == "inside .git":
        enter(Repository(shop.path / ".git"))
    else:
        shop.git("rm", "-q", "groundrules.toml")
        shop.git("commit", "-qm", "wip")
        enter(shop.worktree("stray", "other/stray"))
    assert main([]) == 0
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("[ports]\nweb = 0\n", "groundrules.toml:2: [ports] web is 0"),
        ("[task]\n", "groundrules.toml:1: [task] is unknown"),
        ("[commits]\n\nstyle = \n", "groundrules.toml:3: not TOML"),
        ("\udcff", "groundrules.toml:1: not UTF-8"),
    ],
)
@pytest.mark.parametrize("main", STAGES[1:])
def test_a_wrong_configuration_refuses_and_changes_nothing(
    shop: Repository,
    enter: Enter,
    capfd: pytest.CaptureFixture[str],
    main: Stage,
    content: str,
    line: str,
) -> None:
    work = shop.worktree("task/T1-x", "work")
    enter(work)
    work.write("groundrules.toml", content)
    work.git("add", "-A")
    message = work.write("message", "Subject\n")
    before = work.git("status", "--porcelain", "-uall")
    assert guarded(main, [str(message)]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith(f"groundrules: {line}")
    assert err.splitlines()[-1].startswith("    ${EDITOR:-vi} +")
    assert message.read_text() == "Subject\n"
    assert work.git("status", "--porcelain", "-uall") == before
    assert not (shop.path / ".git/worktrees/work/groundrules/pin").exists()


@pytest.mark.parametrize(
    ("rule", "main"), [(guards, pre_commit.main), (one_task, pre_commit.main), (commit_message, commit_msg.main)]
)
def test_a_defect_of_ours_is_70_with_its_traceback_in_a_log(
    inside: Repository,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    log: Path,
    rule: object,
    main: Stage,
) -> None:
    message = inside.write("message", "Subject\n")
    monkeypatch.setattr(rule, "check", boom)
    assert guarded(main, [str(message)]) == 70
    out, err = capfd.readouterr()
    (file,) = log.glob("groundrules-*.log")
    assert (out, err) == ("", f"groundrules: a defect of this tool; the traceback is in {file}\n")
    assert "RuntimeError: a defect" in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    assert message.read_text() == "Subject\n"
    guarded(main, [str(message)])
    assert file.read_text().count("RuntimeError: a defect") == 2


@pytest.mark.parametrize("obstacle", ["link", "folder"])
def test_a_log_that_cannot_be_written_changes_no_exit_code(
    inside: Repository,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    log: Path,
    obstacle: str,
) -> None:
    # ENV-07
    monkeypatch.setattr(guards, "check", boom)
    guarded(pre_commit.main, [])
    (file,) = log.glob("groundrules-*.log")
    file.unlink()
    victim = inside.write("victim", "precious\n")
    if obstacle == "link":
        file.symlink_to(victim)
    else:
        file.mkdir()
    capfd.readouterr()
    assert guarded(pre_commit.main, []) == 70
    err = capfd.readouterr().err
    assert "RuntimeError: a defect" in err
    assert err.endswith("the traceback is in the lines above\n")
    assert victim.read_text() == "precious\n"


def test_a_defect_at_post_checkout_never_fails(
    shop: Repository, enter: Enter, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, log: Path
) -> None:
    # PCO-03 CMT-07
    work = shop.worktree("task/T1-x", "work")
    enter(work)
    head = work.git("rev-parse", "HEAD")
    monkeypatch.setattr(slot, "claim", boom)
    monkeypatch.setattr("sys.argv", ["post_checkout", "0" * 40, head, "1"])
    runpy.run_path(post_checkout.__file__, run_name="__main__")  # returns, so the process ends with 0
    assert "a defect of this tool" in capfd.readouterr().err
    assert list(log.glob("groundrules-*.log"))


def test_an_interruption_is_no_finding() -> None:
    def stop(_: object) -> int:
        raise KeyboardInterrupt

    assert guarded(stop, []) == 130


def test_the_task_is_that_of_the_branch_and_of_the_pin_while_head_is_detached(shop: Repository, enter: Enter) -> None:
    work = shop.worktree("task/T1-x", "work")
    enter(work)
    found = place()
    assert found is not None
    assert (found.task, found.worktree.root) == ("T1", str(work.path))
    work.git("switch", "-q", "--detach")
    found = place()
    assert found is not None
    assert (found.task, found.worktree.branch) == ("T1", None)
    enter(shop)
    found = place()
    assert found is not None
    assert found.task is None
