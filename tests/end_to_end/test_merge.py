"""Merging by proof, from a task's worktree over a bare remote to an audit in a second clone that has no records."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from conftest import CONFIG, Repository

if TYPE_CHECKING:
    from pathlib import Path

CHECKS = """
[[check]]
name = "whole"
run = ["sh", "-c", "for each in check_*; do sh ./$each || exit 1; done"]
"""
PROSE = ("--unresolved", "none", "--deviations", "none", "--commit")
BRANCH = "task/T1-cart"


@pytest.fixture
def origin(hooked: Repository) -> Repository:
    """A bare remote of a repository whose hooks are installed, and which has one check."""
    hooked.write("groundrules.toml", CONFIG + CHECKS)
    hooked.write("total", "test $# = 2 && echo $(($1 + $2))\n")
    hooked.commit("check_total", 'test "$(sh ./total 1 2)" = 3\n')
    path = hooked.path.parent / "origin.git"
    hooked.git("clone", "-q", "--bare", ".", str(path))
    hooked.git("remote", "add", "origin", str(path))
    hooked.git("fetch", "-q", "origin")
    return Repository(path)


def work(shop: Repository, task: str, name: str, text: str) -> Repository:
    """Do the work of a task in two commits, with its handoff sealed and its merge proved, and push it."""
    linked = shop.worktree(f"task/{task}-cart", task)
    linked.commit(f"doc_{task}", message=f"Describe {task}")
    linked.commit(name, text, message=f"Do {task}")
    linked.command("check", "run")
    linked.command("handoff", "seal", *PROSE)
    return linked


def land(origin: Repository, path: Path, method: str, *, message: str = "Cart (#1)") -> str:
    """Bring the branch of T1 onto main as a forge does, in a clone of its own; return the new tip."""
    origin.git("clone", "-q", str(origin.path), str(path))
    forge = Repository(path)
    if method == "merge":
        forge.git("merge", "-q", "--no-ff", "-m", message, f"origin/{BRANCH}")
    elif method == "squash":
        forge.git("merge", "-q", "--squash", f"origin/{BRANCH}")
        forge.git("commit", "-q", "-m", message)
    elif method == "rebase":
        forge.git("switch", "-q", "-c", "rebased", f"origin/{BRANCH}")
        forge.git("rebase", "-q", "main")
        forge.git("switch", "-q", "main")
        forge.git("merge", "-q", "--ff-only", "rebased")
    else:
        forge.git("merge", "-q", "--ff-only", f"origin/{BRANCH}")
    forge.git("push", "-q", "origin", "main")
    return forge.git("rev-parse", "HEAD")


def audit(origin: Repository, path: Path, base: str) -> tuple[list[tuple[str, str, str | None]], str]:
    """Audit main in a fresh clone; return result, method and task of each landing after `base`, and the exit code."""
    origin.git("clone", "-q", str(origin.path), str(path))
    reader = Repository(path)
    rows = json.loads(reader.stdout("merge", "audit", "--base", base, "--json"))["landings"]
    code = "1" if any(row["result"] != "PASSED" for row in rows) else "0"
    said = reader.command("merge", "audit", "--base", base, code=int(code))
    return [(row["result"], row["how"], row["task"]) for row in rows], said


# HAND-14
@pytest.mark.parametrize("method", ["merge", "squash", "rebase", "fast-forward"])
def test_proof_is_found_on_the_target_whatever_the_method(
    hooked: Repository, origin: Repository, tmp_path: Path, method: str
) -> None:
    cart = work(hooked, "T1", "check_cart", 'test "$(sh ./total 4 5)" = 9\n')
    if method != "fast-forward":
        hooked.commit("elsewhere")
        hooked.git("push", "-q", "origin", "main")
    base = hooked.git("rev-parse", "main")
    assert "✓ merge" in cart.command("merge", "prove", "--commit") or method == "fast-forward"
    cart.git("push", "-q", "origin", BRANCH)
    tip = land(origin, tmp_path / "forge", method)
    rows, said = audit(origin, tmp_path / "reader", base)
    assert rows == [("PASSED", method, "T1")]
    assert ("1 squashed" in said) == (method == "squash")
    assert "1 landings on main, each with a proof of its tree" in said
    assert tip[:7] in said


def test_tree_that_nobody_tested_is_named(hooked: Repository, origin: Repository, tmp_path: Path) -> None:
    # MERGE-10: a direct push, and a proof that the target has overtaken
    cart = work(hooked, "T1", "check_cart", 'test "$(sh ./total 4 5)" = 9\n')
    cart.command("merge", "prove", "--commit")
    cart.git("push", "-q", "origin", BRANCH)
    base = hooked.git("rev-parse", "main")
    hooked.write("total", "test $# = 3 && echo $(($1 + $2 + $3))\n")
    direct = hooked.commit("check_total", 'test "$(sh ./total 1 2 3)" = 6\n', message="Add a third")
    hooked.git("push", "-q", "origin", "main")
    landed = land(origin, tmp_path / "forge", "squash")
    rows, said = audit(origin, tmp_path / "reader", base)
    assert rows == [("MISSING", "squash", "T1"), ("MISSING", "direct", None)]
    assert f"✗ {landed[:7]}       whole MISSING: never ran" in said
    assert direct[:7] in said
    reader = Repository(tmp_path / "reader")
    command = said.splitlines()[-1].removeprefix("→ ").split(" && ")
    reader.git(*command[0].split()[1:])
    assert "whole         FAILED" in reader.command(*command[1].split()[1:], code=1)
    reader.git("switch", "-q", "--detach", direct)
    reader.command("merge", "prove", "--target", "HEAD")
    rows = json.loads(reader.stdout("merge", "audit", "--base", base, "--head", "origin/main", "--json"))["landings"]
    assert [row["result"] for row in rows] == ["FAILED", "PASSED"]


def test_two_green_tasks_whose_merge_is_red_never_both_get_a_proof(
    hooked: Repository, origin: Repository, tmp_path: Path
) -> None:
    # MERGE-07, over a remote
    cart = work(hooked, "T1", "check_cart", 'test "$(sh ./total 4 5)" = 9\n')
    third = hooked.worktree("task/T2-third", "T2")
    third.write("total", "test $# = 3 && echo $(($1 + $2 + $3))\n")
    third.commit("check_total", 'test "$(sh ./total 1 2 3)" = 6\n')
    third.command("check", "run")
    third.command("handoff", "seal", *PROSE)
    assert "is proved" in third.command("merge", "prove", "--commit")
    assert "is proved" in cart.command("merge", "prove", "--commit")
    assert "BEHIND_CLEAN" in cart.command("merge", "predict", "--with", "T2")
    cart.git("push", "-q", "origin", BRANCH)
    land(origin, tmp_path / "forge", "merge")
    third.git("fetch", "-q", "origin")
    said = third.command("merge", "prove", code=1)
    assert "✗ whole         FAILED" in said


def test_push_tells_of_a_sibling_that_now_conflicts(hooked: Repository, origin: Repository) -> None:
    cart = work(hooked, "T1", "total", "test $# -ge 2 && echo $(($1 + $2))\n")
    cart.git("push", "-q", "origin", BRANCH)
    hooked.worktree("task/T2-third", "T2").commit("total", "test $# = 3 && echo $(($1 + $2 + $3))\n")
    cart.commit("evidence/T1/note", message="Note it")
    said = cart.git("push", "origin", BRANCH)
    assert "▲ T2 now conflicts with this branch in total\n→ tools/groundrules merge predict --with T2\n" in said
    assert origin.git("log", "-1", "--format=%s", BRANCH) == "Note it"
    cart.commit("evidence/T1/note", "more\n", message="Note more")
    assert "conflicts" not in cart.git("push", "origin", BRANCH)
