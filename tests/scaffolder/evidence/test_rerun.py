"""`groundrules gate --rerun`: what a range needs is run again on the files of its head, whatever a handoff says."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from conftest import Repository

if TYPE_CHECKING:
    from collections.abc import Callable

    from scaffolder.conftest import Answer

    Run = Callable[..., Answer]

NONE = ("--unresolved", "none", "--deviations", "none")
PATH = "evidence/T1/handoff.json"


@pytest.fixture
def forged(run: Run, work: Repository) -> Repository:
    """The worktree of T1 with a check that fails and a committed handoff that says it passed."""
    work.commit("behave", "test -e ../passes; echo 1 failed in 0.1s; test -e ../passes\n")
    (work.path.parent / "passes").touch()
    run(work, "check", "run", "unit")
    run(work, "handoff", "seal", *NONE, "--commit")
    (work.path.parent / "passes").unlink()
    return work


def test_a_check_that_passes_again_is_told(run: Run, work: Repository) -> None:
    run(work, "check", "run", "unit")
    run(work, "handoff", "seal", *NONE, "--commit")
    code, out, err = run(work, "gate", "--rerun")
    assert (code, out) == (0, "")
    unit, handoff, gate = err.splitlines()
    assert unit.startswith("✓ unit          PASSED   2 passed, ")
    assert handoff.endswith("ready, 1 check; true of this commit")
    assert gate.endswith("0 findings")
    assert work.git("status", "--porcelain") == ""


def test_a_forged_result_passes_the_gate_and_not_its_rerun(run: Run, forged: Repository) -> None:
    assert run(forged, "gate").code == 0
    head = forged.git("rev-parse", "HEAD")
    said = run(forged, "gate", "--rerun")
    assert said.code == 1
    assert said.out.startswith(
        f"groundrules.toml:5: check: {head[:10]}: required check unit is FAILED: exit code 1\n    1 failed in 0.1s\n"
    )
    assert said.out.rstrip().endswith("tools/groundrules check run unit")
    (row,) = json.loads(run(forged, "gate", "--rerun", "--format", "json").out)["findings"]
    assert (row["rule"], row["path"], row["line"]) == ("check", "groundrules.toml", 5)


@pytest.mark.parametrize("before", ["0" * 40, "1" * 40])
def test_first_and_forced_pushes_of_the_target_are_judged_by_all_files(run: Run, work: Repository, before: str) -> None:
    guard = work.path / "guards/any"
    guard.parent.mkdir()
    guard.write_text('#!/bin/sh\ngit diff-tree -r --name-only "$GROUNDRULES_BASE" "$GROUNDRULES_TREE"; exit 1\n')
    guard.chmod(0o755)
    work.git("add", "-A")
    head = work.commit("behave", "echo 1 failed; exit 1\n")
    work.git("branch", "-f", "main", head)
    code, out, err = run(work, "gate", "--rerun", "--base", before, "--branch", "main")
    assert code == 1
    assert f"guards/any:1: guards: {head[:10]}: ended with 1\n    AGENTS.md\n" in out
    assert "required check unit is FAILED" in out
    assert "▲ the head is the target: its files are judged, and no commit\n" in err
    assert "is the target" not in run(work, "gate", "--rerun", "--base", "HEAD", "--branch", "main").err


def test_checks_cannot_be_left_to_nobody(run: Run, work: Repository) -> None:
    for words in (["--later", "left"], ["--rerun", "--later", ""]):
        code, _, err = run(work, "gate", *words)
        assert (code, err.splitlines()[-1].strip()) == (2, "groundrules gate --rerun --later FILE")


@pytest.mark.parametrize("where", ["dirty", "untracked", "another branch", "bare"])
def test_it_runs_on_the_files_of_the_head_and_leaves_nothing(
    run: Run, work: Repository, target: Repository, where: str, records: Callable[..., list[dict[str, str]]]
) -> None:
    work.commit("behave", "test ! -e extra && grep -q 'cart = 1' cart.py && pwd -P && echo $SLOT\n")
    here = work
    if where == "dirty":
        work.write("cart.py", "cart = 2\n")
    elif where == "untracked":
        work.write("extra")
    elif where == "another branch":
        here = target
    else:
        here = Repository(work.path.parent / "bare.git")
        work.git("clone", "-q", "--bare", str(work.path), str(here.path))
    before = here.git("worktree", "list")
    said = run(here, "gate", "--rerun", "--head", "task/T1-cart")
    assert "✓ unit          PASSED" in said.err, said.err
    assert "check: " not in said.out
    assert here.git("worktree", "list") == before
    (record,) = records(here, "unit")
    common = here.path / here.git("rev-parse", "--git-common-dir")
    root, number = (common / record["log"]).read_text().split()
    assert (os.path.exists(root), number) == (False, "1" if here is target else "0")


def test_the_exception_of_a_handoff_is_none_of_a_check(run: Run, work: Repository) -> None:
    work.commit("behave", "exit 1\n", "Try something\n\nGround-rules-allow: handoff (a spike)")
    said = run(work, "gate", "--rerun")
    assert (said.code, said.out.count(": check: ")) == (1, 1)
    assert "✓ handoff" not in said.err


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        ("docs/cart.md", "", ["unit", "docs"]),
        ("tasks/T1.toml", 'checks = ["whole"]\n', ["unit", "whole"]),
    ],
)
def test_what_the_range_needs_is_run(run: Run, work: Repository, path: str, content: str, expected: list[str]) -> None:
    work.commit(path, content)
    said = run(work, "gate", "--rerun")
    assert [line.split()[1] for line in said.err.splitlines() if " PASSED " in line] == expected


def test_evidence_alone_needs_nothing(run: Run, checked: Repository) -> None:
    checked.commit("evidence/T1/note.md")
    said = run(checked, "gate", "--rerun", "--base", "HEAD~1")
    assert (said.code, "PASSED" in said.err) == (0, False)


def test_what_is_no_quick_check_is_left_by_name_and_never_called_passed(run: Run, work: Repository) -> None:
    later = work.path.parent / "later"
    work.commit("tasks/T1.toml", 'checks = ["whole", "e2e"]\n')
    said = run(work, "gate", "--rerun", "--later", str(later))
    assert [line.split()[1] for line in said.err.splitlines() if " PASSED " in line] == ["unit"]
    assert later.read_text() == "e2e\nwhole\n"
    assert "→ e2e           LATER    deep, needed, and not run here\n" in said.err
    assert "→ whole         LATER    integration, needed, and not run here\n" in said.err
    assert said.err.rstrip().endswith(", 2 needed checks not run")
    everything = run(work, "gate", "--rerun")
    assert [line.split()[1] for line in everything.err.splitlines() if " PASSED " in line] == ["unit", "e2e", "whole"]
    assert "not run" not in everything.err


def test_nothing_left_leaves_an_empty_file(run: Run, work: Repository) -> None:
    later = work.path.parent / "later"
    later.write_text("e2e\n")
    said = run(work, "gate", "--rerun", "--later", str(later))
    assert (later.read_text(), "not run" in said.err) == ("", False)


def test_checks_cannot_be_left_without_a_word(run: Run, work: Repository) -> None:
    said = run(work, "gate", "--later", "later")
    assert said.code == 2
    assert "--later is given without --rerun" in said.err
    said = run(work, "gate", "--rerun", "--later", "/nowhere/later")
    assert said.code != 0
    assert "/nowhere/later" in said.err
