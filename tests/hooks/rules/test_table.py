"""The table of rules: every rule is a module, a page and a test; each runs at the moments the table says."""

from __future__ import annotations

import importlib
import os

import pytest

from conftest import ROOT
from groundrules_hooks.change import Change, Tree
from groundrules_hooks.config import Config
from groundrules_hooks.finding import Finding
from groundrules_hooks.rules import BRANCH, COMMIT, GATE, MESSAGE, NAMES, RULES, STAGED, TREE, judge

MOMENTS = {
    STAGED: [
        "one-task",
        "commit-concerns",
        "commit-size",
        "agents-index",
        "lockstep",
        "decision-log",
        "sequence-numbers",
        "fixed-ports",
        "mirror",
        "capability-claims",
        "review",
        "guards",
    ],
    MESSAGE: ["commit-message"],
    COMMIT: [
        "commit-concerns",
        "commit-size",
        "commit-message",
        "agents-index",
        "lockstep",
        "decision-log",
        "fixed-ports",
        "mirror",
        "review",
    ],
    BRANCH: ["one-task", "decision-log", "sequence-numbers", "handoff"],
    GATE: ["capability-claims"],
    TREE: ["guards"],
}


@pytest.mark.parametrize("name", NAMES)
def test_a_rule_is_one_module_one_page_and_one_test(name: str) -> None:
    module = importlib.import_module(f"groundrules_hooks.rules.{name.replace('-', '_')}")
    assert (module.NAME, (module.__doc__ or "").partition(":")[0]) == (name, name)
    assert callable(module.check)
    assert os.path.getsize(f"{ROOT}/docs/rules/{name}.md") > 0
    tests = {f"test_{name.replace('-', '_')}{suffix}.py" for suffix in ("", "_rule")}
    assert tests & set(os.listdir(os.path.dirname(__file__)))


def test_no_module_or_page_is_left_out() -> None:
    modules = os.listdir(f"{ROOT}/hooks/groundrules_hooks/rules")
    assert sorted(file[:-3].replace("_", "-") for file in modules if file.endswith(".py") and file[0] != "_") == sorted(
        NAMES
    )
    assert sorted(page[:-3] for page in os.listdir(f"{ROOT}/docs/rules") if page.endswith(".md")) == sorted(NAMES)
    assert all(rule.refuses and "\n" not in rule.refuses for rule in RULES)


@pytest.mark.parametrize(("moment", "expected"), MOMENTS.items())
def test_each_moment_runs_its_rules_in_the_order_of_the_table(
    monkeypatch: pytest.MonkeyPatch, moment: str, expected: list[str]
) -> None:
    for name in NAMES:
        module = importlib.import_module(f"groundrules_hooks.rules.{name.replace('-', '_')}")
        found = Finding(name, ".", "ran", "true")
        monkeypatch.setattr(module, "check", lambda *_, found=found: [found])
    change = Change((), Tree(""))
    assert [finding.rule for finding in judge(change, Config({}), moment)] == expected
