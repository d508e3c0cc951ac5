"""`merge prove A B C`: each on the target with those ahead that passed; behind one that fails all is made again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from conftest import CONFIG
from groundrules_hooks.subject import subject_tree

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Repository
    from scaffolder.conftest import Answer

    Run = Callable[..., Answer]

# Every run leaves a line outside of the worktree; each file check_* is a test.
CHECKS = """
[[check]]
name = "whole"
tier = "integration"
run = ["sh", "-c", 'echo ran >>"$RUNS"; for each in check_*; do sh "./$each" || exit 1; done']
env = ["RUNS"]
"""
TWO, THREE = "test $# = 2 && echo $(($1 + $2))\n", "test $# = 3 && echo $(($1 + $2 + $3))\n"


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Return how often the check ran since the last question."""
    path = tmp_path / "runs"
    path.touch()
    monkeypatch.setenv("RUNS", str(path))

    def ran() -> int:
        count = len(path.read_text().splitlines())
        path.write_text("")
        return count

    return ran


@pytest.fixture
def train(shop: Repository, ran: Callable[[], int]) -> dict[str, Repository]:
    """Three tasks, each green by itself: T1 gives `total` a third argument, T2 adds a caller with two, T3 a doc.

    T2 and T3 both add the file `notes`, and so do not merge.
    """
    assert ran() == 0
    shop.write("groundrules.toml", CONFIG + CHECKS)
    shop.write("total", TWO)
    shop.commit("check_total", 'test "$(sh ./total 1 2)" = 3\n')
    found = {task: shop.worktree(f"task/{task}-x", task) for task in ("T1", "T2", "T3")}
    found["T1"].write("total", THREE)
    found["T1"].commit("check_total", 'test "$(sh ./total 1 2 3)" = 6\n')
    found["T2"].write("notes", "of T2\n")
    found["T2"].commit("check_cart", 'test "$(sh ./total 4 5)" = 9\n')
    found["T3"].commit("notes", "of T3\n")
    return found


def prove(run: Run, where: Repository, *names: str) -> tuple[int, list[tuple[str, str, str]]]:
    """Return the exit code and of each entry its name, result and what it was proved on."""
    said = run(where, "merge", "prove", *names, "--json")
    rows = json.loads(said.out)["entries"]
    return said.code, [(row["name"], row["result"], "+".join(row["onto"])) for row in rows]


# MERGE-11, MERGE-14
def test_what_stands_behind_a_failed_entry_is_predicted_and_proved_without_it(
    run: Run, shop: Repository, train: dict[str, Repository], ran: Callable[[], int]
) -> None:
    without = [("T1", "PASSED", "main"), ("T2", "FAILED", "main+T1"), ("T3", "PASSED", "main+T1")]
    assert prove(run, shop, "T1", "T2", "T3") == (1, without)
    assert ran() == 3
    assert prove(run, shop, "T1", "T2", "T3") == (1, without)
    assert ran() == 1, "what passed on a tree is not run on it again"
    # an entry ahead changes: nothing that was said behind it stands
    train["T2"].commit("check_cart", 'test "$(sh ./total 4 5 0)" = 9\n')
    mended = [("T1", "PASSED", "main"), ("T2", "PASSED", "main+T1"), ("T3", "CONFLICT", "main+T1+T2")]
    assert prove(run, shop, "T1", "T2", "T3") == (1, mended)
    assert ran() == 1
    # it leaves: what was proved without it is known
    assert prove(run, shop, "T1", "T3") == (0, [("T1", "PASSED", "main"), ("T3", "PASSED", "main+T1")])
    assert ran() == 0
    # another order is another tree on the way, and the same at its end
    assert prove(run, shop, "T3", "T1") == (0, [("T3", "PASSED", "main"), ("T1", "PASSED", "main+T3")])
    assert ran() == 1


def test_target_that_moves_ends_what_was_proved_on_it(
    run: Run, shop: Repository, train: dict[str, Repository], ran: Callable[[], int]
) -> None:
    assert prove(run, shop, "T3", "T1")[0] == 0
    assert ran() == 2
    shop.commit("notes", "of nobody\n")
    assert prove(run, shop, "T3", "T1") == (1, [("T3", "CONFLICT", "main"), ("T1", "PASSED", "main")])
    assert ran() == 1
    assert "notes" in run(train["T3"], "merge", "predict", "--with", "main").out


def test_proof_of_a_train_is_the_proof_of_a_task_once_those_ahead_have_landed(
    run: Run, shop: Repository, train: dict[str, Repository], ran: Callable[[], int]
) -> None:
    assert prove(run, train["T2"], "T1", "T3")[0] == 0
    assert ran() == 2
    shop.git("merge", "-q", "--no-ff", "--no-edit", "task/T1-x")
    said = run(train["T3"], "merge", "prove", "--commit")
    assert (said.code, ran()) == (0, 0)
    base = shop.git("rev-parse", "HEAD")
    shop.git("merge", "-q", "--no-ff", "--no-edit", "task/T3-x")
    assert run(shop, "merge", "audit", "--base", base).code == 0


def test_train_says_of_each_entry_on_what_and_touches_no_task(
    run: Run, shop: Repository, train: dict[str, Repository]
) -> None:
    refs = shop.git("for-each-ref")
    said = run(shop, "merge", "prove", "task/T3-x", "T3", "T2", "T2")
    tree = subject_tree(train["T3"].git("rev-parse", "HEAD"))[:7]
    assert said.code == 1
    assert said.out.splitlines() == [
        "ENTRY      RESULT    TREE     ON",
        f"task/T3-x  PASSED    {tree}  main",
        f"T3         PASSED    {tree}  main, task/T3-x",
        "T2         CONFLICT  —        main, task/T3-x, T3",
    ]
    lines = said.err.splitlines()
    assert lines[-2] == "✗ T2            left out, on main, task/T3-x, T3: conflicts in notes"
    assert "CONFLICT (add/add)" in shop.git(*lines[-1].split()[2:], code=1)
    assert shop.git("for-each-ref") == refs
    assert [each.git("status", "--porcelain") for each in (shop, *train.values())] == [""] * 4
    assert len(shop.git("worktree", "list").splitlines()) == 4


@pytest.mark.parametrize("text", [CONFIG, "[ports\n"])
def test_entry_whose_tree_cannot_be_judged_is_left_out_too(
    run: Run, shop: Repository, train: dict[str, Repository], text: str
) -> None:
    train["T2"].commit("groundrules.toml", text)
    rows = [("T2", "UNKNOWN", "main"), ("T1", "PASSED", "main"), ("T3", "PASSED", "main+T1")]
    assert prove(run, shop, "T2", "T1", "T3") == (2, rows)


def test_number_that_an_entry_ahead_took_is_found(run: Run, shop: Repository, train: dict[str, Repository]) -> None:
    # BAS-06
    train["T1"].commit("docs/adr/0032-search.md", "# 0032. Search\n\nStatus: accepted\n")
    train["T3"].commit("docs/adr/0032-cart.md", "# 0032. Cart\n\nStatus: accepted\n")
    assert prove(run, shop, "T1", "T3") == (1, [("T1", "PASSED", "main"), ("T3", "FAILED", "main+T1")])
    said = run(shop, "merge", "prove", "T1", "T3")
    assert "docs/adr/0032-cart.md:1: decision-log: 0032 of decisions is taken by docs/adr/0032-search.md" in said.out


@pytest.mark.parametrize("what", ["rebase", "name", "commit", "unrelated"])
def test_what_cannot_be_told_is_no_proof(run: Run, shop: Repository, train: dict[str, Repository], what: str) -> None:
    names = ["T3"]
    if what == "rebase":
        run(train["T3"], "slot")
        shop.commit("notes", "of nobody\n")
        train["T3"].git("rebase", "-q", "main", code=1)
    if what == "unrelated":
        train["T3"].git("switch", "-q", "--orphan", "task/T3-y")
        train["T3"].commit("groundrules.toml", CONFIG + CHECKS)
    names += {"name": ["T9"], "commit": ["--commit"]}.get(what, [])
    said = run(shop, "merge", "prove", *names)
    assert said.code == 2
    expected = {
        "rebase": "T3 is on no branch now",
        "name": "T9 is no task at work here and no branch\n\nTo fix:\n    groundrules task list",
        "commit": "--commit and names do not go together",
        "unrelated": "✗ T3            left out, on main: nobody can tell: ",
    }
    assert expected[what] in said.err
