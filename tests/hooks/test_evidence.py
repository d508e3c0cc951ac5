"""evidence: which checks a change needs, and what a record proves about one tree: PASSED for exactly it, or not."""

from __future__ import annotations

from typing import Any

import pytest

from groundrules_hooks.config import Check, Config, Tasks
from groundrules_hooks.evidence import DIRTY, FAILED, MISSING, PASSED, STALE, required, result

TREE, OTHER, BLOB = "a" * 40, "b" * 40, "c" * 40
UNIT = Check("unit", ("make", "test"), env=("CI",))
RECORD: dict[str, Any] = {
    "name": "unit",
    "command": ["make", "test"],
    "definition": BLOB,
    "env": ["CI"],
    "result": PASSED,
    "exit": 0,
    "tree": TREE,
    "content": "clean",
}
CHECKS = (
    Check("unit", ("u",), paths=("src/**",)),
    Check("docs", ("d",), paths=("**/*.md",)),
    Check("never", ("n",), paths=()),
    Check("e2e", ("e",), tier="deep"),
    Check("whole", ("w",), tier="integration"),
)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, PASSED),
        ({"content": "dirty"}, PASSED),  # HAND-06: committed unchanged since
        ({"exit": 1, "result": FAILED}, FAILED),
        ({"exit": -15, "result": FAILED}, FAILED),
        ({"exit": 1}, FAILED),  # HAND-19: the word alone proves nothing
        ({"result": FAILED}, FAILED),
        ({"exit": None, "result": MISSING}, MISSING),
        ({"exit": None}, MISSING),
        ({"tree": OTHER}, STALE),
        ({"tree": OTHER, "content": "dirty"}, DIRTY),
        ({"tree": OTHER, "exit": 1, "result": FAILED}, STALE),
        ({"content": "moved"}, DIRTY),
        ({"content": "moved", "tree": OTHER}, DIRTY),
        ({"command": ["true"]}, STALE),
        ({"env": []}, STALE),
        ({"definition": OTHER}, STALE),
        ({"definition": None}, STALE),
    ],
)
def test_a_record_proves_one_tree_and_one_definition(changes: dict[str, Any], expected: str) -> None:
    found = result(UNIT, {**RECORD, **changes}, TREE, BLOB)
    assert found.outcome == expected
    assert bool(found.why) == (expected != PASSED)


def test_no_record_is_missing() -> None:
    assert result(UNIT, None, TREE, BLOB).outcome == MISSING


@pytest.mark.parametrize(
    ("paths", "named", "expected"),
    [
        (["src/a.py"], [], ["unit"]),
        (["src/a.md"], [], ["unit", "docs"]),
        (["other"], [], []),
        (["other"], ["whole", "e2e"], ["e2e", "whole"]),
        (["src/a.py"], ["unit", "nowhere"], ["unit"]),
        ([], [], []),
    ],
)
def test_checks_about_the_change_and_named_ones_are_required(
    paths: list[str], named: list[str], expected: list[str]
) -> None:
    assert [check.name for check in required(Config({}, checks=CHECKS), paths, named)] == expected


def test_the_target_can_demand_every_quick_check() -> None:
    config = Config({}, checks=CHECKS, tasks=Tasks(checks="all"))
    assert [check.name for check in required(config, ["other"])] == ["unit", "docs", "never"]
