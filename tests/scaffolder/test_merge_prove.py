"""`merge prove`: the checks of a merge on the merged tree, once for each tree, and never a record of what failed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from conftest import CONFIG, ROOT
from groundrules_hooks import conflict
from groundrules_hooks.subject import subject_tree

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Repository
    from scaffolder.conftest import Answer

RECORD = "evidence/T1/integration.json"
PAGE = "evidence/T1/conflict.md"
# Every run leaves a line outside of the worktree; each file check_* is a test.
SCRIPT = 'echo ran >>"$RUNS"; for each in check_*; do sh "./$each" || exit 1; done'
CHECKS = f"""
[[check]]
name = "whole"
tier = "integration"
run = ["sh", "-c", '''{SCRIPT}''']
env = ["RUNS"]
"""


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Return how often the check ran."""
    path = tmp_path / "runs"
    path.touch()
    monkeypatch.setenv("RUNS", str(path))
    return lambda: len(path.read_text().splitlines())


@pytest.fixture
def cart(shop: Repository, runs: Callable[[], int]) -> Repository:
    """The worktree of T1, whose caller of `total` has two arguments, as the target's has."""
    assert runs() == 0
    shop.write("groundrules.toml", CONFIG + CHECKS)
    shop.write("total", "test $# = 2 && echo $(($1 + $2))\n")
    shop.commit("check_total", 'test "$(sh ./total 1 2)" = 3\n')
    linked = shop.worktree("task/T1-cart", "T1")
    linked.commit("check_cart", 'test "$(sh ./total 4 5)" = 9\n')
    return linked


def break_target(shop: Repository) -> None:
    """Give `total` a third argument on the target, with its own test: green there, and red with the caller of T1."""
    shop.write("total", "test $# = 3 && echo $(($1 + $2 + $3))\n")
    shop.commit("check_total", 'test "$(sh ./total 1 2 3)" = 6\n')


def test_merged_tree_is_proved_and_recorded_by_its_key(
    run: Callable[..., Answer],
    shop: Repository,
    cart: Repository,
    runs: Callable[[], int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    target = shop.commit("other")
    head = cart.git("rev-parse", "HEAD")
    said = run(cart, "merge", "prove")
    document = json.loads((cart.path / RECORD).read_text())
    tree = document["subject_tree"]
    assert (said.code, said.out) == (
        0,
        f"→ git add {RECORD} && git commit -m 'Prove the merge of T1' -- {RECORD}\n",
    )
    assert said.err.splitlines()[-1] == f"✓ merge         tree {tree[:7]} is proved"
    assert (document["task"], document["head"], document["target"]) == ("T1", head, target)
    assert [(row["name"], row["result"], row["tree"]) for row in document["checks"]] == [("whole", "PASSED", tree)]
    assert runs() == 1
    assert cart.git("status", "--porcelain", "-uall") == f"?? {RECORD}"
    assert len(shop.git("worktree", "list").splitlines()) == 2
    monkeypatch.chdir(shop.path)
    shop.git("merge", "-q", "--no-edit", "--no-ff", head)
    assert subject_tree(shop.git("rev-parse", "HEAD")) == tree


# MERGE-07
def test_two_green_branches_with_a_red_merge(
    run: Callable[..., Answer], shop: Repository, cart: Repository, runs: Callable[[], int]
) -> None:
    break_target(shop)
    for each in (shop, cart):
        assert run(each, "check", "run", "whole").code == 0
    assert "BEHIND_CLEAN" in run(cart, "merge", "predict", "--with", "main").out
    said = run(cart, "merge", "prove")
    assert said.code == 1
    assert said.err.splitlines()[-1].startswith("✗ merge         tree ")
    assert "✗ whole         FAILED" in said.err
    assert not (cart.path / RECORD).exists()
    assert runs() == 3
    assert json.loads(run(cart, "merge", "prove", "--json").out)["result"] == "FAILED"


# BAS-06
def test_clean_merge_of_two_files_that_took_one_number_is_no_proof(
    run: Callable[..., Answer], shop: Repository, cart: Repository, runs: Callable[[], int]
) -> None:
    shop.commit("docs/adr/0032-search.md", "# 0032. Search\n\nStatus: accepted\n")
    cart.commit("docs/adr/0032-cart.md", "# 0032. Cart\n\nStatus: accepted\n")
    assert "BEHIND_CLEAN" in run(cart, "merge", "predict", "--with", "main").out
    said = run(cart, "merge", "prove")
    assert (said.code, runs(), (cart.path / RECORD).exists()) == (1, 0, False)
    assert said.out.startswith(
        "docs/adr/0032-cart.md:1: decision-log: 0032 of decisions is taken by docs/adr/0032-search.md\n"
    )
    document = json.loads(run(cart, "merge", "prove", "--json").out)
    assert (document["result"], [row["rule"] for row in document["findings"]]) == ("FAILED", ["decision-log"])
    fix = said.out.rstrip().splitlines()[-1].strip()
    subprocess.run(["sh", "-ec", fix], cwd=cart.path, check=True, capture_output=True)
    assert (run(cart, "merge", "prove").code, runs()) == (0, 1)


def test_number_that_was_allowed_twice_is_proved(
    run: Callable[..., Answer], shop: Repository, cart: Repository
) -> None:
    shop.commit("docs/adr/0032-search.md", "# 0032. Search\n\nStatus: accepted\n")
    allowed = "Take it too\n\nGround-rules-allow: decision-log (both were published)"
    cart.commit("docs/adr/0032-cart.md", "# 0032. Cart\n\nStatus: accepted\n", message=allowed)
    assert run(cart, "merge", "prove").code == 0


# MERGE-14
def test_same_tree_is_tested_once(run: Callable[..., Answer], cart: Repository, runs: Callable[[], int]) -> None:
    assert run(cart, "merge", "prove", "--commit").code == 0
    said = run(cart, "merge", "prove", "--commit")
    assert (said.code, runs()) == (0, 1)
    assert [line[0] for line in said.err.splitlines()] == ["✓", "○", "○"]
    assert cart.git("log", "-1", "--format=%s") == "Prove the merge of T1"
    document = json.loads(run(cart, "merge", "prove", "--json").out)
    assert (document["result"], document["ran"], document["schema_version"]) == ("PASSED", [], 1)


# MERGE-08
def test_proof_ends_when_the_target_moves(
    run: Callable[..., Answer], shop: Repository, cart: Repository, runs: Callable[[], int]
) -> None:
    assert run(cart, "merge", "prove", "--commit").code == 0
    before = (cart.path / RECORD).read_bytes()
    break_target(shop)
    assert run(cart, "merge", "prove", "--commit").code == 1
    assert (runs(), (cart.path / RECORD).read_bytes()) == (2, before)


def test_uncommitted_work_is_told_of_and_left_out(run: Callable[..., Answer], cart: Repository) -> None:
    cart.write("check_cart", "exit 1\n")
    said = run(cart, "merge", "prove")
    assert said.code == 0
    assert said.err.startswith("▲ not committed, and no part of the proof: 1 file →")
    assert (cart.path / "check_cart").read_text() == "exit 1\n"


def test_check_sees_the_slot_of_the_task_and_claims_none(shop: Repository, cart: Repository) -> None:
    slot = json.loads(cart.stdout("slot", "--json"))["slot"]
    command = f"{sys.executable} -m groundrules slot --json | grep '\"slot\": {slot},' && test $SLOT = {slot}"
    text = CONFIG + CHECKS.replace(f"'''{SCRIPT}'''", f"'''{command}'''").replace('"RUNS"', '"PYTHONPATH"')
    shop.commit("groundrules.toml", text)
    assert "PASSED" in cart.command("merge", "prove")  # what is on the target counts
    assert [entry.name for entry in (shop.path / ".git/worktrees").iterdir()] == ["T1"]


def test_quick_checks_stand_in_where_none_is_about_integration(run: Callable[..., Answer], cart: Repository) -> None:
    cart.commit("groundrules.toml", CONFIG + CHECKS.replace('tier = "integration"\n', ""))
    assert "✓ whole" in run(cart, "merge", "prove").err
    cart.commit("groundrules.toml", CONFIG)
    said = run(cart, "merge", "prove")
    assert (said.code, said.out) == (2, "")
    assert "the merged tree has no check" in said.err


def test_main_worktree_proves_the_target_and_records_it_here_only(
    run: Callable[..., Answer], shop: Repository, cart: Repository, runs: Callable[[], int]
) -> None:
    assert (
        run(shop, "merge", "prove")
        == run(shop, "merge", "prove")._replace(err=run(shop, "merge", "prove").err.replace("○", "✓"))
        or runs() == 1
    )
    assert shop.git("status", "--porcelain") == ""
    assert run(shop, "merge", "audit", "--base", "HEAD~1").code == 0
    assert cart.git("status", "--porcelain") == ""


def test_killed_run_proves_nothing_and_the_next_one_cleans_up(
    run: Callable[..., Answer], shop: Repository, cart: Repository, tmp_path: Path
) -> None:
    started = tmp_path / "started"
    script = f"echo $$ >{started}; while test -e {started}; do sleep 0.05; done"
    cart.commit("groundrules.toml", CONFIG + CHECKS.replace(SCRIPT, script))
    env = {**os.environ, "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder"}
    process = subprocess.Popen([sys.executable, "-m", "groundrules", "merge", "prove"], cwd=cart.path, env=env)
    while not (started.exists() and started.read_text()):
        assert process.poll() is None
    process.kill()
    process.wait()
    started.unlink()  # which ends the check too
    assert len(shop.git("worktree", "list").splitlines()) == 3
    cart.commit("groundrules.toml", CONFIG + CHECKS)
    assert run(cart, "merge", "prove").code == 0
    assert len(shop.git("worktree", "list").splitlines()) == 2


def test_interrupt_leaves_nothing(shop: Repository, cart: Repository, tmp_path: Path) -> None:
    started = tmp_path / "started"
    script = f"echo $$ >{started}; while :; do sleep 0.05; done"
    cart.commit("groundrules.toml", CONFIG + CHECKS.replace(SCRIPT, script))
    env = {**os.environ, "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder"}
    process = subprocess.Popen([sys.executable, "-m", "groundrules", "merge", "prove"], cwd=cart.path, env=env)
    while not (started.exists() and started.read_text()):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    assert len(shop.git("worktree", "list").splitlines()) == 2
    assert not (cart.path / RECORD).exists()
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)


@pytest.fixture
def clashing(shop: Repository, cart: Repository) -> Repository:
    """The worktree of T1, whose `total` and groundrules.toml conflict with the target's."""
    cart.commit("total", "test $# -ge 2 && echo $(($1 + $2))\n")
    shop.commit("total", 'test "$3" = "" && echo $(($1 + $2))\n', message="Refuse a third\n\nTask: T2")
    return cart


def test_conflict_writes_its_analysis_and_proves_nothing(
    run: Callable[..., Answer], clashing: Repository, runs: Callable[[], int]
) -> None:
    said = run(clashing, "merge", "prove")
    assert (said.code, said.out) == (1, "")
    assert said.err.splitlines() == [
        "✗ T1 and main conflict in total",
        f"✓ analysis      {PAGE}   no seal until it is finished",
        "→ git merge main",
        f"→ ${{EDITOR:-vi}} {PAGE}",
    ]
    assert "### T2" in (clashing.path / PAGE).read_text()
    assert run(clashing, "merge", "prove").err.splitlines()[1][0] == "○"
    document = json.loads(run(clashing, "merge", "prove", "--json").out)
    assert (document["result"], document["paths"]) == ("CONFLICT", [{"path": "total", "kind": "contents"}])
    assert runs() == 0


def test_handoff_is_sealed_after_resolution_and_new_results_only(
    run: Callable[..., Answer], shop: Repository, clashing: Repository
) -> None:
    quick = CONFIG + CHECKS.replace("integration", "quick")
    clashing.commit("groundrules.toml", quick + "# ours\n")
    shop.commit("groundrules.toml", quick + "# theirs\n")
    seal = ("handoff", "seal", "--unresolved", "none", "--deviations", "none", "--commit")
    run(clashing, "check", "run")
    assert run(clashing, "merge", "prove").code == 1
    said = run(clashing, *seal)
    assert said.code == 1
    assert "the conflict with main has no resolution" in said.err
    assert "about groundrules.toml, which is high-risk, and nobody has signed it off" in said.err
    assert "nothing has changed since the conflict with main, so there are no new results" in said.err
    assert f"    git merge main\n    ${{EDITOR:-vi}} {PAGE}\n" in said.err
    clashing.git("merge", "-q", "main", code=1)
    clashing.git("checkout", "-q", "--theirs", "groundrules.toml", "total")
    clashing.git("add", "total", "groundrules.toml")
    clashing.git("commit", "-q", "-m", "Merge main")
    page = (clashing.path / PAGE).read_text()
    filled = page.replace("both still hold. -->\n", "both still hold. -->\n\nThe third stays refused.\n")
    (clashing.path / PAGE).write_text(filled)
    said = run(clashing, *seal)
    assert "which is high-risk" in said.err
    assert "resolution" not in said.err
    assert "required check whole is STALE for this tree" in said.err
    (clashing.path / PAGE).write_text(filled + "- groundrules.toml: Ada Lovelace\n")
    assert run(clashing, "check", "run").code == 0
    assert "is not committed" in run(clashing, *seal[:-1]).err
    assert run(clashing, *seal).code == 0
    assert clashing.git("status", "--porcelain") == ""
    assert list(conflict.problems((clashing.path / PAGE).read_bytes(), "")) == []
    assert run(clashing, "handoff", "verify").code == 0


def test_push_of_a_sealed_handoff_with_an_open_conflict_is_refused(
    run: Callable[..., Answer], clashing: Repository
) -> None:
    assert run(clashing, "merge", "prove").code == 1
    page = (clashing.path / PAGE).read_bytes()
    (clashing.path / PAGE).unlink()
    assert run(clashing, "handoff", "seal", "--unresolved", "none", "--deviations", "none", "--commit").code == 0
    clashing.commit(PAGE, page)
    said = run(clashing, "handoff", "verify")
    assert said.code == 1
    assert "handoff: conflict: the conflict with main has no resolution" in said.out


@pytest.mark.parametrize("what", ["unrelated", "no target", "no such ref"])
def test_what_cannot_be_told_is_no_proof(run: Callable[..., Answer], cart: Repository, what: str) -> None:
    if what == "unrelated":
        cart.git("switch", "-q", "--orphan", "task/T9-other")
        cart.commit("groundrules.toml", CONFIG + CHECKS)
    if what == "no target":
        cart.git("branch", "-m", "main", "trunk")
    said = run(cart, "merge", "prove", *(["--target", "no-such"] if what == "no such ref" else []))
    assert (said.code, said.out) == (2, "")
    expected = {"unrelated": "refusing to merge unrelated", "no target": "no branch main", "no such ref": "no commit"}
    assert expected[what] in said.err
