"""Collisions: a line at a push and at a checkout about one that now conflicts, once, and nothing else."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT, Repository, run_module
from groundrules_hooks import pin as pins
from groundrules_hooks.collision import warnings
from groundrules_hooks.pin import Pin
from groundrules_hooks.worktree import locate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ZEROS, ONES = "0" * 40, "1" * 40
LINES = "a\nb\nc\nd\ne\nf\ng\n"
OURS, THEIRS = LINES.replace("a", "ours"), LINES.replace("a", "theirs")
TOLD = ["▲ T2 now conflicts with this branch in cart.py", "→ tools/groundrules merge predict --with T2"]


@pytest.fixture
def cart(shop: Repository) -> Repository:
    """The worktree of task T1 with a commit of its own, beside that of T2 with none."""
    shop.commit("cart.py", LINES)
    base = shop.git("rev-parse", "HEAD")
    for number, task in enumerate(("T1", "T2"), 1):
        shop.worktree(f"task/{task}-x", task)
        pins.write(str(shop.path / ".git" / "worktrees" / task), Pin(number, task, f"task/{task}-x", base))
    linked = Repository(shop.path.parent / "T1")
    linked.commit("cart.py", OURS)
    return linked


@pytest.fixture
def search(cart: Repository) -> Repository:
    return Repository(cart.path.parent / "T2")


@pytest.fixture
def told(enter: Callable[[Repository], None]) -> Callable[[Repository], list[str]]:
    """Return what is told in a worktree now."""

    def told(repository: Repository) -> list[str]:
        enter(repository)
        here = locate()
        assert here
        assert here.branch
        assert here.head
        return warnings(here, here.branch, here.head)

    return told


def test_conflict_is_told_once(told: Callable[[Repository], list[str]], cart: Repository, search: Repository) -> None:
    assert told(cart) == []
    search.commit("cart.py", THEIRS)
    assert told(cart) == TOLD
    assert told(cart) == []
    cart.commit("other.py")
    search.commit("another.py")
    assert told(cart) == []  # the same conflict between other commits
    assert told(search) == [line.replace("T2", "T1") for line in TOLD]


def test_another_path_is_told_and_one_that_came_back_too(
    told: Callable[[Repository], list[str]], cart: Repository, search: Repository
) -> None:
    search.commit("cart.py", THEIRS)
    assert told(cart) == TOLD
    cart.commit("new.py", "ours\n")
    search.commit("new.py", "theirs\n")
    assert told(cart) == [TOLD[0].replace("cart.py", "cart.py, new.py"), TOLD[1]]
    search.git("reset", "-q", "--hard", "main")
    assert told(cart) == []
    search.commit("cart.py", THEIRS)
    assert told(cart) == TOLD


def test_a_pair_that_did_not_move_costs_no_process(
    told: Callable[[Repository], list[str]], cart: Repository, search: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    search.commit("cart.py", THEIRS)
    assert told(cart) == TOLD
    here = locate()
    assert here
    monkeypatch.setenv("PATH", "/nonexistent")
    assert warnings(here, here.branch or "", here.head or "") == []


def test_packed_refs_and_odd_paths(
    told: Callable[[Repository], list[str]], cart: Repository, search: Repository
) -> None:
    names = ["1 a", "2\nb", "3\udce9", "4 d"]
    for name in names:
        cart.commit(name, "ours\n")
        search.commit(name, "theirs\n")
    cart.git("pack-refs", "--all")
    assert not os.path.exists(os.path.join(cart.git("rev-parse", "--git-common-dir"), "refs/heads/task"))
    assert told(cart)[0] == '▲ T2 now conflicts with this branch in 1 a, "2\\012b", 3\udce9 and 1 more'
    assert told(cart) == []


def test_nobody_is_told_where_git_cannot_tell_and_later_it_is_asked_again(
    told: Callable[[Repository], list[str]], cart: Repository, search: Repository
) -> None:
    search.commit("cart.py", THEIRS)
    blob = search.git("rev-parse", "HEAD:cart.py")
    path = f"{cart.git('rev-parse', '--git-common-dir')}/objects/{blob[:2]}/{blob[2:]}"
    os.rename(path, f"{path}x")
    assert told(cart) == []
    os.rename(f"{path}x", path)
    assert told(cart) == TOLD


def test_trial_that_cannot_be_made_is_no_failure(
    told: Callable[[Repository], list[str]], shop: Repository, cart: Repository, search: Repository
) -> None:
    assert told(cart) == []
    search.commit("cart.py", THEIRS)
    state = shop.path / ".git" / "groundrules"
    state.rename(state.with_name("aside"))
    state.write_text("")
    assert told(cart) == []
    assert "now conflicts" not in pushed(cart, code=1)
    state.unlink()
    state.with_name("aside").rename(state)
    assert told(cart) == TOLD


def test_worktrees_without_a_task_and_those_that_are_gone_are_no_siblings(
    told: Callable[[Repository], list[str]], shop: Repository, cart: Repository, search: Repository
) -> None:
    search.commit("cart.py", THEIRS)
    shop.worktree("elsewhere", "none").commit("cart.py", THEIRS)
    shop.git("worktree", "remove", "-f", str(search.path))
    assert told(cart) == []


def test_what_was_told_of_one_task_is_not_remembered_of_the_next_in_its_place(
    told: Callable[[Repository], list[str]], shop: Repository, cart: Repository, search: Repository
) -> None:
    # MERGE-11: what was ahead has left
    search.commit("cart.py", THEIRS)
    assert told(cart) == TOLD
    shop.git("worktree", "remove", "-f", str(search.path))
    shop.worktree("task/T9-y", "T2").commit("cart.py", THEIRS)
    pins.write(str(shop.path / ".git/worktrees/T2"), Pin(2, "T9", "task/T9-y", shop.git("rev-parse", "main")))
    assert told(cart) == [line.replace("T2", "T9") for line in TOLD]
    assert told(cart) == []


def pushed(cart: Repository, code: int | None = None) -> str:
    """Push by the raw hook, as git calls it; the exit code is about the handoff, which is not there."""
    commit = cart.git("rev-parse", "HEAD")
    line = f"refs/heads/task/T1-x {commit} refs/heads/task/T1-x {ZEROS}\n"
    return cart.hook("pre_push", "origin", "url", code=code, stdin=line.encode())


def test_push_tells_on_stderr_and_its_verdict_stays(cart: Repository, search: Repository) -> None:
    before = pushed(cart, code=1)
    search.commit("cart.py", THEIRS)
    assert pushed(cart, code=1) == before + "\n".join(TOLD) + "\n"
    assert pushed(cart, code=1) == before


def test_push_from_elsewhere_does_not_take_the_task_for_its_own_sibling(
    shop: Repository, cart: Repository, search: Repository
) -> None:
    search.commit("cart.py", THEIRS)
    commit = cart.git("rev-parse", "HEAD")
    line = f"refs/heads/task/T1-x {commit} refs/heads/task/T1-x {ZEROS}\n"
    said = shop.hook("pre_push", "origin", "url", code=1, stdin=line.encode())
    assert [each for each in said.splitlines() if "now conflicts" in each] == TOLD[:1]


def checked_out(repository: Repository, old: str = ONES) -> list[str]:
    return repository.hook("post_checkout", old, ONES, "1").splitlines()


def test_checkout_tells_when_the_branch_has_work_of_its_own(
    shop: Repository, cart: Repository, search: Repository
) -> None:
    assert checked_out(search) == []
    search.commit("cart.py", THEIRS)
    assert checked_out(cart) == TOLD
    assert checked_out(cart) == []
    assert len(checked_out(shop.worktree("task/T3-new", "T3"), ZEROS)) == 1
    old = shop.worktree("task/T4-old", "T4")
    old.commit("cart.py", OURS)
    shop.git("worktree", "remove", str(old.path))
    shop.git("worktree", "add", "-q", str(old.path), "task/T4-old")
    first, *rest = checked_out(old, ZEROS)
    assert first.startswith("groundrules: task T4, slot ")
    assert rest == TOLD


def test_runners_show_what_a_passing_push_says() -> None:
    with open(os.path.join(ROOT, ".pre-commit-hooks.yaml"), encoding="utf-8") as file:
        entries = file.read().split("- id: ")[1:]
    assert "groundrules-pre-push" in [entry.split()[0] for entry in entries if "verbose: true" in entry]


def test_state_that_cannot_be_written_costs_a_second_line_only(
    shop: Repository, cart: Repository, search: Repository, tmp_path: Path
) -> None:
    search.commit("cart.py", THEIRS)
    memory = f"{cart.git('rev-parse', '--absolute-git-dir')}/groundrules/met"
    os.mkdir(memory)
    assert checked_out(cart) == TOLD
    assert checked_out(cart) == TOLD
    assert shop.git("fsck") == ""
    assert run_module("groundrules_hooks.post_checkout", cwd=tmp_path) == ""
    assert subprocess.run(["ls", memory], capture_output=True, check=True).stdout == b""
