"""The merged tree: clean merges as a commit on no branch, in a worktree that leaves nothing, whatever ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT, Repository
from groundrules.merged import checked_out, commit, merge
from groundrules_hooks import config, slot
from groundrules_hooks.prediction import BEHIND_CLEAN
from groundrules_hooks.worktree import Worktree, locate

if TYPE_CHECKING:
    from collections.abc import Callable

ZEROS, ONES = "0" * 40, "1" * 40


@pytest.fixture
def here(shop: Repository, enter: Callable[[Repository], None]) -> Worktree:
    """The worktree of T1, one commit away from a target that has one more."""
    shop.install_hooks()
    linked = shop.worktree("task/T1-cart", "T1")
    linked.commit("cart.py")
    shop.commit("other.py")
    enter(linked)
    found = locate()
    assert found
    return found


def values(here: Worktree) -> tuple[int, dict[str, str]]:
    settings = config.of_worktree(here)
    assert settings
    number = slot.claim(here, settings).slot
    return number, slot.values(here, settings, number)


def merged(here: Worktree, shop: Repository) -> str:
    target = shop.git("rev-parse", "main")
    found = merge(here, here.head or "", target)
    assert found.state == BEHIND_CLEAN
    return commit(found.tree, here.head or "", target)


def test_commit_holds_both_sides_and_no_branch_has_it(here: Worktree, shop: Repository) -> None:
    refs = shop.git("for-each-ref")
    oid = merged(here, shop)
    assert oid == merged(here, shop)
    assert shop.git("show", "-s", "--format=%P", oid).split() == [shop.git("rev-parse", "main"), here.head]
    assert set(shop.git("ls-tree", "--name-only", oid).split()) >= {"cart.py", "other.py"}
    assert shop.git("for-each-ref") == refs


def test_worktree_has_the_slot_of_the_task_and_is_gone_afterwards(here: Worktree, shop: Repository) -> None:
    number, table = values(here)
    before = shop.git("worktree", "list")
    with checked_out(here, number, table, merged(here, shop)) as place:
        inside = Repository(shop.path.parent / place.root)
        assert (inside.path / "cart.py").exists()
        assert (inside.path / "other.py").exists()
        assert not (inside.path / ".slot.env").exists()  # no hook ran
        assert inside.git("status", "--porcelain") == ""
        assert f'"slot": {number},' in inside.stdout("slot", "--json")
        assert len(shop.git("worktree", "list").splitlines()) == 3
    assert shop.git("worktree", "list") == before
    assert not os.path.exists(place.root)


def test_what_checks_leave_in_it_goes_with_it(here: Worktree, shop: Repository) -> None:
    number, table = values(here)
    left = []

    def interrupted() -> None:
        with checked_out(here, number, table, merged(here, shop)) as place:
            left.append(Repository(shop.path.parent / place.root).write("left/over", "x\n"))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not left[0].parent.parent.exists()
    assert len(shop.git("worktree", "list").splitlines()) == 2


@pytest.mark.parametrize("gone", [False, True])
def test_next_one_heals_what_a_killed_process_left(here: Worktree, shop: Repository, *, gone: bool) -> None:
    number, table = values(here)
    oid = merged(here, shop)
    code = (
        "import os, signal\nfrom groundrules.merged import checked_out\n"
        "from groundrules_hooks.worktree import locate\n"
        f"with checked_out(locate(), {number}, {table!r}, {oid!r}):\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    env = {**os.environ, "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder"}
    done = subprocess.run([sys.executable, "-c", code], env=env, check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(shop.git("worktree", "list").splitlines()) == 3
    if gone:  # a restart of the machine emptied the temporary folder
        os.rename(table["TASK_TMPDIR"], f"{table['TASK_TMPDIR']}x")
        subprocess.run(["rm", "-r", f"{table['TASK_TMPDIR']}x"], check=True)
    with checked_out(here, number, table, oid) as place:
        assert os.path.exists(os.path.join(place.root, "cart.py"))
    assert len(shop.git("worktree", "list").splitlines()) == 2
