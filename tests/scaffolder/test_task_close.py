"""`task close`: refuses while anything would be lost, and leaves nothing behind when it does not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT, Repository

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def linked(shop: Repository) -> Repository:
    shop.command("task", "start", "T1-cart")
    return Repository(shop.path.parent / "shop.T1")


def left(shop: Repository) -> tuple[bool, bool, bool]:
    """Return whether the worktree, its entry and its branch are still there."""
    return (
        (shop.path.parent / "shop.T1").exists(),
        (shop.path / ".git" / "worktrees" / "shop.T1").exists(),
        "task/T1-cart" in shop.git("branch"),
    )


def test_close_removes_worktree_slot_and_merged_branch(shop: Repository, linked: Repository) -> None:
    view = (linked.path / ".slot.env").read_text()
    private = view.partition("TASK_TMPDIR=")[2].partition("\n")[0]
    assert os.path.isdir(private)
    linked.commit("work")
    shop.git("merge", "-q", "--ff-only", "task/T1-cart")
    said = shop.command("task", "close", "T1")
    assert "task T1, slot 1 is free; branch task/T1-cart removed, since it is merged" in said
    assert left(shop) == (False, False, False)
    assert not os.path.exists(private)
    assert "slot 1 " in shop.command("task", "start", "T2")  # SLT-01


def test_pushed_branch_is_kept(shop: Repository, linked: Repository, tmp_path: Path) -> None:
    shop.git("init", "-q", "--bare", str(tmp_path / "remote.git"))
    shop.git("remote", "add", "origin", str(tmp_path / "remote.git"))
    linked.commit("work")
    linked.git("push", "-q", "origin", "task/T1-cart")
    assert "kept, since it is not merged" in shop.command("task", "close", "T1")
    assert left(shop) == (False, False, True)


@pytest.mark.parametrize("how", ["edited", "staged", "untracked", "committed"])
def test_work_that_would_be_lost_is_named(shop: Repository, linked: Repository, how: str) -> None:
    # BAS-02 TRD-12
    if how == "committed":
        linked.commit("new name", message="Add a name")
    else:
        linked.write("AGENTS.md" if how == "edited" else "new name", "# other\n")
        if how == "staged":
            linked.git("add", "-A")
    expected = {"edited": "not committed: AGENTS.md", "committed": "neither merged nor pushed: "}
    said = shop.command("task", "close", "T1", code=2)
    assert expected.get(how, "not committed: new name") in said
    assert left(shop) == (True, True, True)
    shop.git(*said.rstrip().splitlines()[-1].split()[1:])


@pytest.fixture
def sleeper(linked: Repository) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(["cat"], cwd=linked.path, stdin=subprocess.PIPE)
    yield process
    process.communicate()


def test_folder_in_use_is_named_with_the_process(shop: Repository, sleeper: subprocess.Popen[bytes]) -> None:
    said = shop.command("task", "close", "T1", code=2)
    assert f"process {sleeper.pid}: cat" in said
    assert left(shop) == (True, True, True)


def test_close_from_inside_says_where_to_go(shop: Repository, linked: Repository) -> None:
    # TRD-06: the shell that gave the command stands in the folder, which is no other process's use
    env = {**os.environ, "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder"}
    command = f"{sys.executable} -m groundrules task close; echo $?"
    done = subprocess.run(["sh", "-c", command], cwd=linked.path, env=env, capture_output=True, text=True, check=True)
    assert done.stdout == f"→ cd {shop.path}\n0\n"
    assert left(shop)[:2] == (False, False)


def test_folder_that_was_deleted_by_hand(shop: Repository, linked: Repository) -> None:
    # TOP-07
    shutil.rmtree(linked.path)
    assert "folder missing" in shop.command("task", "list")
    shop.command("task", "close", "T1")
    assert left(shop) == (False, False, False)


def test_deleted_folder_with_commits_of_its_own_is_refused(shop: Repository, linked: Repository) -> None:
    linked.commit("work")
    shutil.rmtree(linked.path)
    assert "neither merged nor pushed" in shop.command("task", "close", "T1", code=2)
    assert left(shop) == (False, True, True)


def test_locked_worktree_is_refused_with_the_command(shop: Repository, linked: Repository) -> None:
    # TOP-03
    shop.git("worktree", "lock", str(linked.path))
    said = shop.command("task", "close", "T1", code=2)
    shop.git(*said.rstrip().splitlines()[-1].split()[1:])
    shop.command("task", "close", "T1")


def test_main_worktree_and_strangers_are_refused(shop: Repository) -> None:
    # TRD-04 TOP-01
    assert "is no task's worktree" in shop.command("task", "close", code=2)
    assert "no worktree has the task T9" in shop.command("task", "close", "T9", code=2)


def test_siblings_are_left_alone(shop: Repository, linked: Repository) -> None:
    shop.command("task", "start", "T2")
    shop.command("task", "close", "T1")
    assert [line.split()[0] for line in shop.stdout("task", "list").splitlines()] == ["TASK", "—", "T2"]
    assert not linked.path.exists()


def test_moved_worktree_is_closed_where_it_is(shop: Repository, linked: Repository) -> None:
    # TOP-04
    shop.git("worktree", "move", str(linked.path), "../moved")
    shop.command("task", "close", "T1")
    assert not (shop.path.parent / "moved").exists()


def test_worktree_with_a_submodule(shop: Repository, tmp_path: Path) -> None:
    inner = Repository(tmp_path / "inner")
    inner.path.mkdir()
    inner.git("init", "-q")
    inner.commit()
    shop.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.path), "sub")
    shop.commit()
    shop.command("task", "start", "T1-cart")
    linked = Repository(shop.path.parent / "shop.T1")
    linked.git("-c", "protocol.file.allow=always", "submodule", "update", "-q", "--init")
    shop.command("task", "close", "T1")
    assert left(shop) == (False, False, False)


def test_copy_of_a_worktree_is_told_from_the_original(shop: Repository, linked: Repository) -> None:
    copy = Repository(shop.path.parent / "copy")
    shutil.copytree(linked.path, copy.path, symlinks=True)
    for refused in (copy.command("slot", code=2), copy.hook("pre_commit", code=2)):
        assert f"{copy.path} is a copy of the worktree {linked.path}" in refused
        assert refused.endswith(f"    cd {linked.path}\n")
    assert "SLOT=1\n" in linked.command("slot")


def test_worktree_of_another_tool_without_a_claim_is_closed_by_its_branch(shop: Repository) -> None:
    linked = shop.worktree("task/T5-x", "elsewhere")
    assert [line.split()[:3] for line in shop.stdout("task", "list").splitlines()][2] == ["T5", "—", "task/T5-x"]
    linked.commit("work")
    assert "neither merged nor pushed" in shop.command("task", "close", "T5", code=2)
    shop.git("merge", "-q", "--ff-only", "task/T5-x")
    said = shop.command("task", "close", "T5")
    assert said == "✓ closed        task T5; branch task/T5-x removed, since it is merged\n"
    assert not linked.path.exists()


def test_detached_worktree_is_closed_without_a_word_about_a_branch(shop: Repository, linked: Repository) -> None:
    linked.git("checkout", "-q", "--detach")
    assert shop.command("task", "close", "T1") == "✓ closed        task T1, slot 1 is free\n"


def _lose_git_file(linked: Path, entry: Path) -> None:
    assert entry.exists()
    (linked / ".git").unlink()


def _lose_head(linked: Path, entry: Path) -> None:
    assert linked.exists()
    (entry / "HEAD").write_text("")


def _lose_gitdir(linked: Path, entry: Path) -> None:
    assert linked.exists()
    (entry / "gitdir").unlink()


def _lose_commondir(linked: Path, entry: Path) -> None:
    assert linked.exists()
    (entry / "commondir").unlink()


def _become_a_file(linked: Path, entry: Path) -> None:
    assert entry.exists()
    shutil.rmtree(linked)
    linked.write_text("")


# TOP-06
@pytest.mark.parametrize("damage", [_lose_git_file, _lose_head, _lose_gitdir, _lose_commondir, _become_a_file])
def test_broken_worktree_is_shown_and_stops_no_other(
    shop: Repository, linked: Repository, damage: Callable[[Path, Path], None]
) -> None:
    shop.command("task", "start", "T2")
    damage(linked.path, shop.path / ".git" / "worktrees" / "shop.T1")
    rows = [line.split() for line in shop.stdout("task", "list").splitlines()[1:]]
    assert [(row[0], row[1], row[-1]) for row in rows if row[0] != "T1"] == [
        ("—", "0", str(shop.path)),
        ("T2", "2", f"{shop.path}.T2"),
    ]
    assert [row[-1] for row in rows if row[0] == "T1"] == ["broken"]
    refused = shop.command("task", "close", "T1", code=2)
    assert " is broken\n" in refused
    subprocess.run(refused.rstrip().splitlines()[-1].split(), cwd=shop.path, check=True, capture_output=True)
    assert "slot 3 " in shop.command("task", "start", "T3")
    assert '"task": "T1"' in shop.command("task", "show", "T1", "--json")
    shop.command("task", "close", "T2")
    if damage is _lose_git_file:  # the fix was enough
        shop.command("task", "close", "T1")


# TOP-09 TOP-10
def test_worktree_inside_another_one_is_told_from_it(shop: Repository, linked: Repository) -> None:
    inner = Repository(linked.path / "trees" / "inner")
    linked.git("worktree", "add", "-q", "-b", "task/T2-x", str(inner.path))
    assert "SLOT=2\n" in inner.command("slot")
    assert "SLOT=1\n" in linked.command("slot")
    assert '"task": "T2"' in inner.command("task", "show", "--json")
    words = [line.split()[0] for line in inner.command("task", "show").splitlines()]
    assert words == ["worktree", "branch", "head", "slot", "task", "base", "created"]
    assert "not committed: trees/inner/" in shop.command("task", "close", "T1", code=2)
    shop.command("task", "close", "T2")
    shop.command("task", "close", "T1")
