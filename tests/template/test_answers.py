"""Answers: one that could break a file is refused before anything is written; odd but allowed ones stay themselves."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT
from groundrules import template as door
from groundrules.clones import Source
from groundrules_hooks import config
from groundrules_hooks.failure import GroundrulesError
from template.conftest import COPIER, Template, copy_checkout, from_yaml

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TEXT = "without { } $ ` < >"
NAME = "Letters, digits, blank, dot, underscore, hyphen"
BRANCH = "as git allows it"
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
        ("project_name", "${{ secrets.X }}", NAME),  # ANS-01
        ("project_name", "{{ 7*7 }}", NAME),  # ANS-02
        ("project_name", "", NAME),
        ("project_name", " shop", NAME),
        ("project_name", "shop ", NAME),
        ("project_name", "-shop", NAME),
        ("project_name", "shop\n", NAME),
        ("project_name", "a: b # c", NAME),
        ("project_name", "s" * 65, NAME),
        ("project_name", "../shop", NAME),
        ("project_name", "läden", NAME),
        ("summary", "{{ 7*7 }}", TEXT),  # ANS-02
        ("summary", "${{ secrets.X }}", TEXT),  # ANS-01
        ("summary", "{% raw %}", TEXT),
        ("summary", "Sells $HOME", TEXT),
        ("summary", "Sells `id`", TEXT),
        ("summary", "two\nlines", TEXT),
        ("summary", "two\u2028lines", TEXT),
        ("summary", "a \u202ekcab", TEXT),
        ("summary", "<script>", TEXT),
        ("summary", "- a list", TEXT),
        ("summary", "ends blank ", TEXT),
        ("summary", "", TEXT),
        ("summary", "x" * 201, TEXT),
        ("default_branch", "-f", BRANCH),
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
        ("commit_style", "loose", "'plain', 'conventional'"),
        ("forge", "gitea", "'github', 'gitlab', 'none'"),
        ("skeleton", "mysql", "'sqlite', 'postgres', 'none'"),
        ("tools", "cursor", TOOLS),
        ("tools", "claude,gemini", TOOLS),
        ("tools", "claude  gemini", TOOLS),
        ("tools", "claude claude", TOOLS),
        ("tools", "gemini claude gemini", TOOLS),
        ("tools", "claude\n", TOOLS),
        ("tools", "${{ claude }}", TOOLS),
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


def test_copier_itself_refuses_a_bad_answer_and_leaves_nothing(template: Template, tmp_path: Path) -> None:
    # ANS-01, ANS-02
    words = ["copy", "--defaults", "--data", "project_name=${{ secrets.X }}", str(template.path), "shop"]
    done = subprocess.run([COPIER, *words], cwd=tmp_path, env=template.env, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert NAME in done.stderr
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "answers",
    [
        {"summary": 'It\'s "quoted": yes # no', "project_name": "1.0", "default_branch": "release/1.0"},
        {"summary": "Größe, 大きさ, und 🛒 — alles", "project_name": "on", "default_branch": "yes"},
        {"summary": "@here [a](b) [c]: d, % and %20; don't", "project_name": "A b_c.d-e", "default_branch": "null"},
        {"summary": "#1 of shops, 5'' and '''", "project_name": "0x10", "default_branch": "1e3", "ports": ""},
        {"summary": "1. First, then & again | * _x_ ~ !", "ports": "a=1024 z9_=65235", "project_name": "null"},
    ],
)
def test_odd_answers_stay_themselves_in_every_file(template: Template, tmp_path: Path, answers: dict[str, str]) -> None:
    # ANS-09
    rendered = tmp_path / "shop"
    door.copy(Source(str(template.path), None, None), None, str(rendered), answers, ask=False)
    recorded = from_yaml(rendered / ".copier-answers.yml")
    assert {name: recorded[name] for name in answers} == answers
    hooks = from_yaml(rendered / ".pre-commit-config.yaml")
    assert hooks["repos"][0]["rev"] == recorded["_commit"] == "v0.1.0"
    settings = config.of_text((rendered / "groundrules.toml").read_bytes())
    assert settings.tasks.target == recorded["default_branch"]
    assert settings.ports == {name: int(port) for name, port in (pair.split("=") for pair in recorded["ports"].split())}
    for page in ("README.md", "AGENTS.md"):
        title, _, summary = (rendered / page).read_text().splitlines()[:3]
        assert title == f"# {recorded['project_name']}"
        assert re.sub(r"\\(.)", r"\1", summary) == recorded["summary"]
        assert not summary.startswith(("#", "@", "1. ", "*"))
        assert "](" not in summary


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
