"""Answers: what each question takes and refuses. Hostile text is in test_hostile_answers.py."""

from __future__ import annotations

import os
import tomllib
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT
from groundrules import template as door
from groundrules.clones import Source
from groundrules_hooks.boast import boasts
from groundrules_hooks.capability_file import parse
from groundrules_hooks.config import Tasks
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.task import of_branch
from template.conftest import copy_checkout, from_yaml

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from template.conftest import Template

TEXT = "without { } $ ` < >"
NAME = "Letters, digits, blank, dot, underscore, hyphen"
BRANCH = "as git allows it"
TASK = "Not the name of a task's branch"
CLAIM = 'Not the title or id of a capability in capabilities.toml with "available"'
PAIRS = "name=number pairs"
NUMBERS = "numbers from 1024 to 65235"
TOOLS = "Each of claude, gemini, copilot at most once"
QUESTIONS = {"project_name", "summary", "default_branch", "ports", "skeleton", "commit_style", "forge", "tools"}


@pytest.fixture(scope="session")
def unversioned(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The template as a plain folder: answers are judged before it is found to have no version to record."""
    folder = tmp_path_factory.mktemp("unversioned") / "template"
    copy_checkout(folder, "copier.yml", "template")
    return str(folder)


@pytest.mark.parametrize(
    ("question", "given", "allowed"),
    [
        ("project_name", "", NAME),
        ("project_name", "s" * 65, NAME),
        ("project_name", "../shop", NAME),
        ("project_name", "läden", NAME),
        ("summary", "", TEXT),
        ("summary", "What this repository is for is available", CLAIM),
        ("summary", "Shop. Available: what this repository is for.", CLAIM),
        ("summary", "Tells whether the service and its database work, available now.", CLAIM),
        ("summary", "The product is already available.", CLAIM),
        ("summary", "Available now: carts and product", CLAIM),
        ("project_name", "Health is available", CLAIM),
        ("default_branch", "HEAD", BRANCH),
        ("default_branch", "a..b", BRANCH),
        ("default_branch", "a.lock", BRANCH),
        ("default_branch", "main/", BRANCH),
        ("default_branch", "a//b", BRANCH),
        ("default_branch", "a/.b", BRANCH),
        ("default_branch", "two words", BRANCH),
        ("default_branch", "", BRANCH),
        ("ports", "3000", PAIRS),
        ("ports", "Web=3000", PAIRS),
        ("ports", "web=3000,api=8000", PAIRS),
        ("ports", "web=03000", PAIRS),
        ("ports", "web=3000  api=8000", PAIRS),
        ("ports", "web=80", NUMBERS),
        ("ports", "web=65236", NUMBERS),
        ("ports", "web=3000 web=3001", NUMBERS),
        ("ports", "web=3000 api=3000", NUMBERS),
        ("skeleton", "mysql", "'sqlite', 'postgres', 'none'"),
        ("tools", "cursor", TOOLS),
        ("tools", "claude,gemini", TOOLS),
        ("tools", "claude  gemini", TOOLS),
        ("tools", "claude claude", TOOLS),
        ("tools", "gemini claude gemini", TOOLS),
    ],
)
def test_bad_answer_is_refused_with_what_is_allowed_and_nothing_is_left(
    unversioned: str, tmp_path: Path, question: str, given: str, allowed: str
) -> None:
    with pytest.raises(GroundrulesError, match="nothing was rendered") as refused:
        door.copy(Source(unversioned, None, None), None, str(tmp_path / "shop"), {question: given}, ask=False)
    assert allowed in refused.value.why
    assert question in refused.value.why
    assert os.listdir(tmp_path) == []


def test_branch_of_a_task_and_a_capability_called_available_are_refused_as_the_rules_read_them(
    template: Template, unversioned: str, tmp_path: Path
) -> None:
    def given(**answers: str) -> str:
        with pytest.raises(GroundrulesError, match="nothing was rendered") as refused:
            door.copy(Source(unversioned, None, None), None, str(tmp_path / "shop"), answers, ask=False)
        return refused.value.why

    for pattern in Tasks().branches:
        for name in ("T1", "main", "1.0"):
            branch = pattern.format(id=name, slug="cart")
            assert of_branch(branch, Tasks().branches), branch
            assert TASK in given(default_branch=branch), branch
    folder = tmp_path / "taken"
    taken = {"default_branch": "claude/release/1.0", "summary": "It is available, and task/T1 is not its branch."}
    assert of_branch(taken["default_branch"], Tasks().branches) is None
    door.copy(Source(str(template.path), None, None), None, str(folder), taken, ask=False)
    claims = parse((folder / "capabilities.toml").read_bytes())
    assert len(claims) == 2
    for each in claims:
        for summary in (
            f"{each.title} is available",
            f"Carts, {each.id} and more are now available",
            f"Available: {each.id}",
        ):
            assert list(boasts(summary, claims)), summary
            assert CLAIM in given(summary=summary), summary


def test_every_question_can_be_answered_by_silence() -> None:
    # ANS-07, ANS-08
    asked = {name: entry for name, entry in from_yaml(f"{ROOT}/copier.yml").items() if not name.startswith("_")}
    assert set(asked) >= QUESTIONS, "a question is never removed or renamed"
    assert len(asked) <= 8
    for name, entry in asked.items():
        assert entry["type"] == "str", name
        assert entry["help"].strip(), name
        assert "\n" not in entry["help"].strip(), name
        assert "default" in entry, name
        assert not {"secret", "when", "multiselect"} & set(entry), name
        assert ("validator" in entry) != ("choices" in entry), name


def test_answers_reach_the_files_they_are_about(render: Callable[..., Path]) -> None:
    rendered = render(forge="none", commit_style="conventional", ports="", default_branch="trunk")
    settings = tomllib.loads((rendered / "groundrules.toml").read_text())
    assert settings == {"ports": {}, "tasks": {"target": "trunk"}, "commits": {"style": "conventional"}}
    updates = (rendered / "docs/agents/updates.md").read_text()
    assert "ci.yml" not in updates
    assert ".github/workflows" not in "".join(path.read_text() for path in (rendered / "docs").rglob("*.md"))
