"""The base of a task: the exact commit its branch started from, and how its record follows a rename or a rebase."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conftest import Repository
from groundrules_hooks import pin as pins
from groundrules_hooks import slot as slots
from groundrules_hooks.ancestry import base_of, is_ancestor, is_on, meeting, targets
from groundrules_hooks.config import Config
from groundrules_hooks.worktree import locate

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundrules_hooks.worktree import Worktree

    Base = Callable[..., str | None]
    Reconciled = Callable[[Repository], pins.Pin]


@pytest.fixture
def base(enter: Callable[[Repository], None]) -> Base:
    """Return the base of the branch that a repository stands on."""

    def base(repository: Repository, target: str = "main") -> str | None:
        enter(repository)
        found: Worktree | None = locate()
        assert found is not None
        return base_of(found, target)

    return base


@pytest.fixture
def clone(shop: Repository) -> Repository:
    """A clone, whose remote has moved on by one commit on main and has two branches of tasks."""
    shop.git("switch", "-q", "-c", "task/T1-x")
    shop.commit("one", message="Add one")
    shop.git("branch", "task/T2-x")
    shop.git("switch", "-q", "main")
    shop.git("clone", "-q", str(shop.path), str(shop.path.parent / "clone"))
    return Repository(shop.path.parent / "clone")


def test_branch_made_here_has_the_commit_it_was_made_at(shop: Repository, base: Base) -> None:
    start = shop.git("rev-parse", "HEAD")
    linked = shop.worktree("task/T1-x")
    linked.commit("one")
    shop.commit("two")
    assert base(linked) == start


@pytest.mark.parametrize(
    ("refs", "expected"),
    [(["main"], {"merged"}), (["main", "start"], {"merged"}), (["main", "one"], {"merged", "one"}), (["two"], set())],
)
def test_branch_meets_refs_that_do_not_contain_it(
    shop: Repository, enter: Callable[[Repository], None], refs: list[str], expected: set[str]
) -> None:
    shop.git("tag", "start")
    shop.git("switch", "-q", "-c", "task/T1")
    shop.commit("one")
    shop.git("tag", "one")
    shop.git("switch", "-q", "main")
    shop.commit("merged")
    shop.git("tag", "merged")
    shop.git("switch", "-q", "task/T1")
    shop.git("merge", "-q", "--no-edit", "main")
    shop.git("tag", "two")
    shop.git("switch", "-q", "main")
    shop.commit("later")
    enter(shop)
    assert set(meeting("two", refs)) == {shop.git("rev-parse", name) for name in expected}
    assert meeting("two", []) == []


def test_stacked_branch_has_its_exact_start(shop: Repository, base: Base) -> None:
    first = shop.worktree("task/T1-x")
    start = first.commit("one")
    second = first.worktree("task/T2-x")
    first.commit("more")
    second.commit("two")
    assert base(second) == start


@pytest.mark.parametrize(
    "how",
    [
        ["worktree", "add", "-q", "../wt", "task/T1-x"],
        ["worktree", "add", "-q", "-b", "task/T1-x", "../wt", "origin/task/T1-x"],
        ["worktree", "add", "-q", "--no-track", "-b", "task/T1-x", "../wt", "refs/remotes/origin/task/T1-x"],
    ],
    ids=["guessed", "short", "full"],
)
def test_copy_of_a_remote_branch_has_the_merge_base_with_the_target(
    clone: Repository, base: Base, how: list[str]
) -> None:
    start = clone.git("rev-parse", "origin/main")
    clone.git(*how)
    linked = Repository(clone.path.parent / "wt")
    assert linked.git("rev-parse", "HEAD") == clone.git("rev-parse", "origin/task/T1-x") != start
    assert base(linked) == start


def test_branch_fetched_by_name_has_the_merge_base_with_the_target(clone: Repository, base: Base) -> None:
    start = clone.git("rev-parse", "origin/main")
    clone.git("fetch", "-q", "origin", "task/T2-x:task/T2-x")
    clone.git("switch", "-q", "task/T2-x")
    assert base(clone) == start


@pytest.mark.parametrize("ref", ["origin/main", "refs/remotes/origin/main", "origin/task/T1-x"])
def test_new_branch_from_another_remote_branch_has_its_exact_start(clone: Repository, base: Base, ref: str) -> None:
    clone.git("worktree", "add", "-q", "--no-track", "-b", "task/T9-new", "../wt", ref)
    linked = Repository(clone.path.parent / "wt")
    linked.commit("nine")
    assert base(linked) == clone.git("rev-parse", ref)


def test_renamed_branch_keeps_its_start(shop: Repository, base: Base) -> None:
    start = shop.git("rev-parse", "HEAD")
    linked = shop.worktree("task/T1-x")
    linked.commit("one")
    linked.git("branch", "-m", "task/T1-better")
    assert base(linked) == start


@pytest.mark.parametrize("lost", ["expired", "never-kept"])
def test_without_a_reflog_the_merge_base_stands_in(shop: Repository, base: Base, lost: str) -> None:
    start = shop.git("rev-parse", "HEAD")
    if lost == "never-kept":
        shop.git("config", "core.logAllRefUpdates", "false")
    linked = shop.worktree("task/T1-x")
    linked.commit("one")
    if lost == "expired":
        linked.git("reflog", "expire", "--expire=now", "--all")
    assert base(linked) == start


def test_rebased_off_its_start_the_branch_starts_where_it_left_the_target(shop: Repository, base: Base) -> None:
    first = shop.worktree("task/T1-x")
    start = first.commit("one")
    second = first.worktree("task/T2-x")
    second.commit("two")
    moved = shop.commit("three")
    second.git("rebase", "-q", "--onto", "main", start)
    assert base(second) == moved


@pytest.mark.parametrize("known", ["detached", "unrelated", "no-target"])
def test_without_any_trace_the_head_is_the_base(shop: Repository, base: Base, known: str) -> None:
    head = shop.git("rev-parse", "HEAD")
    if known == "unrelated":
        shop.git("switch", "-q", "--orphan", "task/T1-x")
        head = shop.commit("one")
    else:
        shop.git("switch", "-q", "--detach")
    assert base(shop, "none" if known == "no-target" else "main") == head


def test_unborn_branch_has_no_base(shop: Repository, base: Base) -> None:
    shop.git("switch", "-q", "--orphan", "task/T1-x")
    assert base(shop) is None


def test_targets_are_the_branch_here_and_on_every_remote(
    clone: Repository, enter: Callable[[Repository], None]
) -> None:
    clone.git("remote", "rename", "origin", "upstream")
    clone.git("update-ref", "refs/remotes/fork/main", "HEAD")
    clone.git("branch", "not-main")
    clone.git("branch", "release/main/1")
    enter(clone)
    assert targets("main") == ["refs/heads/main", "refs/remotes/fork/main", "refs/remotes/upstream/main"]
    assert targets("release") == []


def test_ancestors(shop: Repository, enter: Callable[[Repository], None]) -> None:
    old = shop.git("rev-parse", "HEAD")
    new = shop.commit("one")
    enter(shop)
    assert (is_ancestor(old, new), is_ancestor(new, old), is_ancestor("1" * 40, new)) == (True, False, False)
    shop.git("branch", "behind", old)
    assert (is_on(new, ["refs/heads/behind"]), is_on(new, ["refs/heads/behind", "refs/heads/main"])) == (False, True)
    assert not is_on(old, [])


def test_answer_about_a_ref_is_never_an_old_one(shop: Repository, enter: Callable[[Repository], None]) -> None:
    enter(shop)
    old = shop.git("rev-parse", "HEAD")
    new = shop.commit("new")
    assert is_ancestor(new, "refs/heads/main")
    shop.git("reset", "-q", "--hard", old)
    assert not is_ancestor(new, "refs/heads/main")


CONFIG = Config({})


@pytest.fixture
def reconciled(enter: Callable[[Repository], None]) -> Callable[[Repository], pins.Pin]:
    """Return the pin of a worktree, claimed if need be, after it was made to follow its branch; as recorded, too."""

    def reconciled(repository: Repository) -> pins.Pin:
        enter(repository)
        found = locate()
        assert found is not None
        pin = slots.claim(found, CONFIG).pin
        assert pin is not None
        answered = slots.reconcile(found, CONFIG, pin)
        assert pins.read(found.git_dir) == answered
        return answered

    return reconciled


@pytest.mark.parametrize(
    ("old", "new", "task", "follows"),
    [
        ("task/T1-x", "task/T1-better", "T1", True),
        ("task/T1-x", "codex/T1", "T1", True),
        ("task/T1-x", "task/T2-x", "T1", False),
        ("task/T1-x", "unnamed", "T1", False),
        ("unnamed", "task/T1-x", "T1", True),
        ("unnamed", "still-unnamed/x", "", True),
    ],
)
def test_record_follows_a_renamed_branch_of_its_task(
    shop: Repository, reconciled: Reconciled, old: str, new: str, task: str, *, follows: bool
) -> None:
    linked = shop.worktree(old, "wt")
    before = reconciled(linked)
    linked.git("branch", "-m", new)
    assert reconciled(linked) == before._replace(branch=new if follows else old, task=task)


def test_switch_to_another_branch_changes_no_record(shop: Repository, reconciled: Reconciled) -> None:
    linked = shop.worktree("task/T1-x", "wt")
    before = reconciled(linked)
    linked.git("switch", "-q", "-c", "task/T1-other")
    assert reconciled(linked) == before
    linked.git("switch", "-q", "--detach")
    assert reconciled(linked) == before


def test_detached_worktree_is_named_by_its_first_branch(shop: Repository, reconciled: Reconciled) -> None:
    shop.git("worktree", "add", "-q", "--detach", "../wt")
    linked = Repository(shop.path.parent / "wt")
    assert reconciled(linked)[1:3] == ("", "")
    linked.git("switch", "-q", "-c", "task/T1-x")
    assert reconciled(linked)[1:3] == ("T1", "task/T1-x")


def test_worktree_named_late_learns_that_its_task_lives_elsewhere(shop: Repository, reconciled: Reconciled) -> None:
    reconciled(shop.worktree("task/T1-x", "first"))
    late = shop.worktree("unnamed", "late")
    assert reconciled(late).rival == ""
    late.git("branch", "-m", "task/T1-y")
    assert reconciled(late).rival == "first"


def test_base_follows_a_rebase_and_nothing_else(shop: Repository, reconciled: Reconciled) -> None:
    first = shop.worktree("task/T1-x", "one")
    start = first.commit("one")
    second = first.worktree("task/T2-x", "two")
    second.commit("two")
    assert reconciled(second).base == start
    onward = first.commit("more")
    second.git("rebase", "-q", "task/T1-x")
    assert (second.git("merge-base", "HEAD", onward), reconciled(second).base) == (onward, start)
    moved = shop.commit("three")
    second.git("rebase", "-q", "--onto", "main", onward)
    assert reconciled(second).base == moved


def test_record_that_was_given_back_meanwhile_stays_gone(
    shop: Repository, reconciled: Reconciled, enter: Callable[[Repository], None]
) -> None:
    linked = shop.worktree("task/T1-x", "wt")
    before = reconciled(linked)
    linked.git("branch", "-m", "task/T1-y")
    enter(linked)
    found = locate()
    assert found is not None
    slots.release(found)
    assert slots.reconcile(found, CONFIG, before).branch == "task/T1-y"
    assert pins.read(found.git_dir) is None
