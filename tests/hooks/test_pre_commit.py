"""pre-commit: the change is read from the index, whatever is passed, and nothing of the author's is touched."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from groundrules_hooks import pre_commit
from groundrules_hooks.failure import GroundrulesError

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository

    Enter = Callable[[Repository], None]


@pytest.fixture
def stray(shop: Repository, enter: Enter) -> Repository:
    """A worktree whose branch names no task, so that every commit is a finding."""
    work = shop.worktree("stray", "work")
    work.write("new")
    work.git("add", "new")
    enter(work)
    return work


@pytest.mark.usefixtures("stray")
def test_a_finding_is_1_and_its_block_ends_with_a_command(capfd: pytest.CaptureFixture[str]) -> None:
    assert pre_commit.main([]) == 1
    out, err = capfd.readouterr()
    assert out.startswith(".: one-task: stray names no task")
    assert out.endswith("\n\nTo fix:\n    git branch -m task/stray\n")
    assert err == ""


def test_names_that_a_framework_passes_are_ignored(stray: Repository, capfd: pytest.CaptureFixture[str]) -> None:
    # CMT-13
    stray.git("branch", "-m", "task/T1-x")
    assert pre_commit.main(["no/such/file", "new"]) == 0
    stray.git("rm", "-qf", "AGENTS.md")
    assert pre_commit.main(["new"]) == 1
    assert "agents-index: the index is missing" in capfd.readouterr().out


@pytest.mark.usefixtures("stray")
@pytest.mark.parametrize("form", ["json", "github"])
def test_the_other_formats_say_the_same(capfd: pytest.CaptureFixture[str], form: str) -> None:
    assert pre_commit.main(["--format", form]) == 1
    out = capfd.readouterr().out
    if form == "json":
        (row,) = json.loads(out)["findings"]
        assert (row["rule"], row["path"], row["commit"]) == ("one-task", ".", None)
    else:
        assert out.startswith("::error file=.,line=1,title=one-task::stray names no task")


def test_an_exception_covers_one_rule_and_a_wrong_one_is_refused(
    stray: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALLOW", "one-task: a hurry")
    assert pre_commit.main([]) == 0
    monkeypatch.setenv("ALLOW", "guards: a hurry")
    assert pre_commit.main([]) == 1
    monkeypatch.setenv("ALLOW", "one-task")
    with pytest.raises(GroundrulesError, match="gives no reason"):
        pre_commit.main([])
    stray.write("groundrules.toml", '[rules]\nstrict = ["one-task"]\n')
    monkeypatch.setenv("ALLOW", "one-task: a hurry")
    with pytest.raises(GroundrulesError, match="takes no exception here"):
        pre_commit.main([])


def test_a_commit_that_only_deletes_is_judged(hooked: Repository) -> None:
    # CMT-08
    hooked.write("AGENTS.md", "[page](docs/page.md)\n")
    hooked.commit("docs/page.md")
    hooked.git("rm", "-q", "docs/page.md")
    said = hooked.git("commit", "-m", "Remove a page", code=1)
    assert said.startswith("AGENTS.md:1: agents-index: the link to docs/page.md leads nowhere\n")


def test_a_refusal_in_a_merge_ends_with_the_command_that_goes_on(shop: Repository, enter: Enter) -> None:
    # CMT-14 CMT-16
    shop.install_hooks()
    work = shop.worktree("task/T1-x", "work")
    for each, text in ((shop, "main\n"), (work, "task\n")):
        each.commit("same", text)
    work.git("merge", "main", code=1)
    work.write("same", "both\n")
    work.git("rm", "-q", "--cached", "CLAUDE.md")
    work.git("add", "same")
    said = work.git("commit", "-m", "Merge main", code=1)
    fixes = said.partition("To fix:\n")[2].split("\n")
    mend = "echo @AGENTS.md >> CLAUDE.md && git add CLAUDE.md"
    assert [fix.strip() for fix in fixes] == [mend, "git merge --continue"]
    enter(work)
    subprocess.run(["sh", "-c", "\n".join(fixes)], check=True, capture_output=True)
    assert work.git("log", "-1", "--format=%p").count(" ") == 1


def test_two_commits_at_once_in_sibling_worktrees_keep_both_trees(shop: Repository) -> None:
    # CMT-03
    shop.install_hooks()
    works = [shop.worktree(f"task/T{number}-x", f"work{number}") for number in range(4)]
    for work in works:
        work.write("AGENTS.md", f"unstaged in {work.path.name}\n")
        work.write("committed", work.path.name)
        work.git("add", "committed")
    command = ["git", "commit", "-q", "-m", "Change a file"]
    running = [subprocess.Popen(command, cwd=work.path, stderr=subprocess.PIPE) for work in works]
    assert [(process.communicate()[1], process.returncode) for process in running] == [(b"", 0)] * 4
    for work in works:
        assert work.git("show", "HEAD:committed") == work.path.name
        assert work.git("status", "--porcelain") == "M AGENTS.md".rjust(12)
    assert shop.git("stash", "list") == ""


def test_a_repository_without_our_configuration_commits_in_silence(hooked: Repository) -> None:
    hooked.git("rm", "-q", "groundrules.toml", "AGENTS.md")
    hooked.git("commit", "-q", "--no-verify", "-m", "Drop the rules")
    assert hooked.git("commit", "-q", "--allow-empty", "-m", "wip") == ""
    assert hooked.git("log", "-1", "--format=%B") == "wip"


def test_rules_end_with_a_commit_under_them(hooked: Repository) -> None:
    linked = hooked.worktree("task/T1-x", "wt")
    linked.git("switch", "-q", "-c", "elsewhere")
    linked.git("rm", "-q", "groundrules.toml")
    assert "one-task" in linked.git("commit", "-q", "-m", "Drop the rules", code=1)
    linked.git("switch", "-q", "task/T1-x")
    linked.git("commit", "-q", "-m", "Drop the rules")


def test_an_override_of_the_slot_switches_no_rule_off(hooked: Repository) -> None:
    linked = hooked.worktree("task/T2-x", "wt", GROUNDRULES_SLOT="5")
    linked.git("switch", "-q", "-c", "elsewhere")
    assert "one-task" in linked.git("commit", "--allow-empty", "-m", "Add it", code=1, GROUNDRULES_SLOT="5")
    assert not (linked.path / ".slot.env").exists()


def test_a_worktree_that_is_named_late_belongs_to_its_task(hooked: Repository) -> None:
    first = hooked.worktree("scratch", "first")
    first.git("switch", "-q", "-c", "task/T1-a")
    first.git("commit", "-q", "--allow-empty", "-m", "Start")
    first.git("switch", "-q", "scratch")
    assert "belongs to task T1 (task/T1-a)" in first.git("commit", "--allow-empty", "-m", "Add it", code=1)
    second = hooked.worktree("task/T1-b", "second")
    assert "task T1 already has the worktree" in second.git("commit", "--allow-empty", "-m", "Add it", code=1)


def test_a_fix_makes_a_branch_that_names_a_task_here(hooked: Repository) -> None:
    hooked.commit("groundrules.toml", '[tasks]\nbranches = ["feat/{id}"]\n')
    hooked.git("worktree", "add", "-q", "--detach", "../wt")
    linked = type(hooked)(hooked.path.parent / "wt")
    said = linked.git("commit", "--allow-empty", "-m", "Add it", code=1)
    linked.git(*said.rstrip().splitlines()[-1].split()[1:])
    linked.git("commit", "-q", "--allow-empty", "-m", "Add it")
