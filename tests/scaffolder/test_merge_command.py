"""`merge predict`: against the target and every live sibling, uncommitted work included, and never clean by mistake."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Repository
    from scaffolder.conftest import Answer

LINES = "a\nb\nc\nd\ne\nf\ng\n"
OURS = LINES.replace("a", "ours")
THEIRS = LINES.replace("a", "theirs")
BELOW = LINES.replace("g", "theirs")


@pytest.fixture
def cart(shop: Repository) -> Repository:
    """The worktree of task T1, with one commit of its own, beside a main worktree that holds the same file."""
    shop.commit("cart.py", LINES)
    linked = shop.worktree("task/T1-cart", "T1")
    linked.commit("cart.py", OURS)
    return linked


def predicted(answer: Answer) -> dict[str, tuple[str, list[str]]]:
    """Return state and paths of each prediction of a JSON answer."""
    document = json.loads(answer.out)
    assert document["schema_version"] == 1
    return {row["with"]: (row["state"], [path["path"] for path in row["paths"]]) for row in document["predictions"]}


def test_table_answers_and_stderr_says_what_to_type(
    run: Callable[..., Answer], shop: Repository, cart: Repository
) -> None:
    shop.worktree("task/T2-search", "T2").write("cart.py", THEIRS)
    shop.worktree("task/T3-api", "T3").commit("cart.py", BELOW)
    shop.worktree("task/T4-docs", "T4").commit("docs.md")
    shop.commit("other.py")
    cart.write("new.py")
    said = run(cart, "merge", "predict")
    assert said.out.splitlines() == [
        "WITH  STATE           UNCOMMITTED  PATHS",
        "main  BEHIND_CLEAN    —",
        "T2    CONFLICT        1 file       cart.py (contents)",
        "T3    BEHIND_OVERLAP  —            cart.py",
        "T4    BEHIND_CLEAN    —",
    ]
    assert said.err.splitlines() == [
        "✗ T1 and T2 would conflict in cart.py (contents)",
        "→ git -C ../T2 diff --merge-base task/T1-cart -- cart.py",
        "○ as T1 is now, with 1 file that no commit holds",
    ]
    assert said.code == 1
    shown = cart.git(*said.err.splitlines()[1].split()[2:])
    assert "+theirs" in shown
    assert "ours" not in shown


@pytest.mark.parametrize(
    ("target", "state", "code"),
    [
        (None, "FRESH", 0),
        ({"other.py": "x\n"}, "BEHIND_CLEAN", 0),
        ({"cart.py": BELOW}, "BEHIND_OVERLAP", 0),
        ({"cart.py": THEIRS}, "CONFLICT", 1),
    ],
)
def test_state_against_the_target(
    run: Callable[..., Answer],
    shop: Repository,
    cart: Repository,
    target: dict[str, str] | None,
    state: str,
    code: int,
) -> None:
    for name, text in (target or {}).items():
        shop.commit(name, text)
    said = run(cart, "merge", "predict", "--json")
    assert (predicted(said)["main"][0], said.code) == (state, code)


def test_what_the_contract_declares_overlaps_before_it_is_written(
    run: Callable[..., Answer], shop: Repository, cart: Repository
) -> None:
    shop.commit("docs/cart.md")
    shop.commit("docs/other.md")
    assert predicted(run(cart, "merge", "predict", "--json"))["main"] == ("BEHIND_CLEAN", [])
    cart.write("tasks/T1.toml", '[paths]\nwrites = ["cart.py", "docs/cart*"]\n')
    assert predicted(run(cart, "merge", "predict", "--json"))["main"] == ("BEHIND_OVERLAP", ["docs/cart.md"])
    cart.write("tasks/T1.toml", "[paths]\nwrites = 1\n")
    assert run(cart, "merge", "predict").err.startswith("groundrules: tasks/T1.toml: paths.writes is not")


# BAS-04, BAS-07
def test_uncommitted_work_counts_on_both_sides_and_stays_untouched(
    run: Callable[..., Answer], shop: Repository, cart: Repository
) -> None:
    sibling = shop.worktree("task/T2-search", "T2")
    sibling.commit("search.py")
    cart.git("reset", "-q", "--hard", "HEAD~1")
    before = [(each.git("status", "--porcelain=v2"), each.git("stash", "list")) for each in (cart, sibling)]
    assert predicted(run(cart, "merge", "predict", "--json"))["T2"][0] == "BEHIND_CLEAN"
    assert [(each.git("status", "--porcelain=v2"), each.git("stash", "list")) for each in (cart, sibling)] == before
    cart.write("cart.py", OURS)
    sibling.write("cart.py", THEIRS)
    sibling.git("add", "-A")
    said = run(cart, "merge", "predict", "--json")
    assert predicted(said)["T2"] == ("CONFLICT", ["cart.py"])
    rows = {row["with"]: row for row in json.loads(said.out)["predictions"]}
    assert (json.loads(said.out)["uncommitted"], rows["T2"]["uncommitted"]) == (1, 1)
    assert rows["T2"]["paths"] == [{"path": "cart.py", "kind": "contents"}]
    assert sibling.git("diff", "--cached", "--name-only") == "cart.py"
    cart.write("new.py", "ours\n")
    sibling.write("cart.py", LINES)
    sibling.write("new.py", "theirs\n")
    assert predicted(run(cart, "merge", "predict", "--json"))["T2"] == ("CONFLICT", ["new.py"])


# BAS-08
@pytest.mark.parametrize("what", ["folder", "git file", "unmerged", "rebase"])
def test_sibling_that_cannot_be_read_is_unknown_with_the_reason(
    run: Callable[..., Answer], shop: Repository, cart: Repository, what: str
) -> None:
    sibling = shop.worktree("task/T2-search", "T2")
    sibling.hook("post_checkout", "0" * 40, "1" * 40, "1")  # a rebase detaches HEAD, the claim keeps the task
    sibling.commit("cart.py", BELOW)
    if what == "folder":
        shutil.rmtree(sibling.path)
    elif what == "git file":
        sibling.write(".git", "gitdir: /nonexistent\n")
    else:
        shop.commit("cart.py", LINES.replace("g", "main"))
        sibling.git("merge" if what == "unmerged" else "rebase", "main", code=1)
    said = run(cart, "merge", "predict", "--with", "T2")
    assert said.out.splitlines()[1].startswith("T2    UNKNOWN  —            ")
    assert said.err.startswith("▲ T2: nobody can tell: ")
    assert said.code == 2


def test_conflict_outweighs_what_is_unknown(run: Callable[..., Answer], shop: Repository, cart: Repository) -> None:
    shutil.rmtree(shop.worktree("task/T2-search", "T2").path)
    shop.commit("cart.py", THEIRS)
    assert run(cart, "merge", "predict").code == 1


def test_own_worktree_in_the_middle_of_a_merge_knows_nothing(
    run: Callable[..., Answer], shop: Repository, cart: Repository
) -> None:
    shop.commit("cart.py", THEIRS)
    cart.git("merge", "main", code=1)
    said = run(cart, "merge", "predict")
    assert said.out.splitlines()[1] == "main  UNKNOWN  —            here: files are unmerged"
    assert said.code == 2


def test_one_counterpart_by_its_task_or_branch(run: Callable[..., Answer], shop: Repository, cart: Repository) -> None:
    shop.worktree("task/T2-search", "T2").commit("cart.py", THEIRS)
    shop.worktree("task/T3-api", "T3")
    for name in ("T2", "task/T2-search"):
        assert list(predicted(run(cart, "merge", "predict", "--json", "--with", name))) == ["T2"]
    assert list(predicted(run(cart, "merge", "predict", "--json", "--with", "main"))) == ["main"]
    said = run(cart, "merge", "predict", "--with", "T9")
    assert (said.code, said.out) == (2, "")
    assert "there are main, T2, T3" in said.err


def test_another_target(run: Callable[..., Answer], shop: Repository, cart: Repository) -> None:
    shop.git("branch", "release")
    shop.commit("cart.py", THEIRS)
    assert predicted(run(cart, "merge", "predict", "--json", "--target", "release")) == {"release": ("FRESH", [])}
    assert run(cart, "merge", "predict", "--target", "no-such").code == 2


@pytest.mark.parametrize("ahead", ["remote", "local", "both"])
def test_target_is_the_branch_that_is_ahead(
    run: Callable[..., Answer], shop: Repository, cart: Repository, ahead: str
) -> None:
    remote = shop.path.parent / "remote.git"
    shop.git("clone", "-q", "--bare", ".", str(remote))
    shop.git("remote", "add", "origin", str(remote))
    tip = shop.git("rev-parse", "HEAD")
    moved = shop.commit("remote.py")
    shop.git("push", "-q", "origin", "main")
    shop.git("fetch", "-q", "origin")
    if ahead != "local":
        shop.git("reset", "-q", "--hard", tip)
    if ahead != "remote":
        moved = shop.commit("local.py") if ahead == "local" else shop.commit("local.py") and moved
    (row,) = json.loads(run(cart, "merge", "predict", "--json", "--target", "").out)["predictions"]
    assert (row["commit"], row["ref"]) == (moved, "main" if ahead == "local" else "origin/main")


def test_repository_without_the_target_branch_is_unknown(run: Callable[..., Answer], cart: Repository) -> None:
    cart.git("branch", "-m", "main", "trunk")
    said = run(cart, "merge", "predict", "--with", "main")
    assert said.out.splitlines()[1].endswith("there is no branch main here")
    assert said.code == 2


def test_main_worktree_sees_every_task_against_the_target(
    run: Callable[..., Answer], shop: Repository, cart: Repository
) -> None:
    shop.commit("cart.py", THEIRS)
    assert predicted(run(shop, "merge", "predict", "--json")) == {
        "main": ("FRESH", []),
        "T1": ("CONFLICT", ["cart.py"]),
    }
    assert cart.git("status", "--porcelain") == ""


def test_throw_away_worktree_and_one_on_the_target_are_no_siblings(
    run: Callable[..., Answer], shop: Repository, cart: Repository
) -> None:
    shop.git("worktree", "add", "-q", "--detach", str(shop.path.parent / "thrown"))
    assert list(predicted(run(cart, "merge", "predict", "--json"))) == ["main"]
    shop.git("switch", "-q", "-c", "develop")
    assert list(predicted(run(cart, "merge", "predict", "--json"))) == ["main", "develop"]


# MERGE-05
def test_merge_drivers_are_told_of_and_change_nothing(
    run: Callable[..., Answer], shop: Repository, cart: Repository
) -> None:
    shop.commit("cart.py", THEIRS)
    shop.write(".git/info/attributes", "# merge=no\ncart.py merge=union\n")
    said = run(cart, "merge", "predict")
    assert said.code == 1
    first, second = said.err.splitlines()[:2]
    assert (
        first
        == f"▲ {shop.path}/.git/info/attributes sets how files merge, on this machine only; predictions leave it out"
    )
    assert second == "▲ cart.py has the merge driver union; a merge in a worktree may end otherwise"
    shop.write(".git/info/attributes", "*.md diff=x\n")
    assert "driver" not in run(cart, "merge", "predict").err


# MERGE-12
def test_thirty_siblings(run: Callable[..., Answer], shop: Repository, cart: Repository) -> None:
    expected: dict[str, tuple[str, list[str]]] = {"main": ("FRESH", [])}
    for number in range(30):
        sibling = shop.worktree(f"task/S{number}-x", f"S{number}")
        (sibling.commit if number % 2 else sibling.write)("cart.py", THEIRS)
        expected[f"S{number}"] = ("CONFLICT", ["cart.py"])
    assert predicted(run(cart, "merge", "predict", "--json")) == expected


def test_document_names_odd_paths_and_what_is_not_known(
    run: Callable[..., Answer], shop: Repository, cart: Repository
) -> None:
    odd = 'a "b"\n\udce9'
    cart.write(odd, "ours\n")
    shop.commit(odd, "theirs\n")
    shutil.rmtree(shop.worktree("task/T2-x", "T2").path)
    document: dict[str, Any] = json.loads(run(cart, "merge", "predict", "--json").out)
    known, unknown = document["predictions"]
    assert known["paths"] == [{"path": 'a "b"\n\\xe9', "kind": "contents"}]
    assert unknown["reason"].startswith("its folder is not there")
    assert '"a \\042b\\042\\012' in run(cart, "merge", "predict").out


def test_before_the_first_commit_and_outside_of_a_repository(
    run: Callable[..., Answer], shop: Repository, tmp_path: Path
) -> None:
    shop.git("switch", "-q", "--orphan", "empty")
    shop.write("groundrules.toml", "")
    assert run(shop, "merge", "predict") == (
        2,
        "",
        "groundrules: there is no commit here yet\n\nTo fix:\n    git status\n",
    )
    assert run(tmp_path, "merge", "predict").code == 2
