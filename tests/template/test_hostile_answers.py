"""Hostile text for every question: refused with the reason before anything is written, or itself in every file."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

from conftest import ROOT
from groundrules import template as door
from groundrules.clones import Source
from groundrules_hooks.failure import GroundrulesError
from template.answers import FREE, VALUES
from template.conftest import COPIER, Template, copy_checkout, from_yaml
from template.validity import judge

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("quick_copier")
# What each question says when it refuses; a list of choices names the choices.
ALLOWED = {
    "project_name": "Letters, digits, blank, dot, underscore, hyphen; first a letter or digit",
    "summary": "One line of at most 200 characters, without { } $ ` < > \\ and characters that control",
    "default_branch": "A branch name of letters, digits, dot, underscore, slash, hyphen",
    "ports": "name=number pairs with one blank between",
    "tools": "Each of claude, gemini, copilot at most once",
    "skeleton": "'sqlite', 'postgres', 'none'",
    "forge": "'github', 'gitlab', 'none'",
    "commit_style": "'plain', 'conventional'",
}
# Refused by every question, but for what is said.
REFUSED = (
    *("`", "a`id`", "$HOME", "$(id)", "$$", "$(MAKE)", "${{ secrets.X }}", "{{ x }}", "{% raw %}", "{# x #}", "{a}"),
    *("\\", "a\\", "a\\nb", "a\nb", "a\n", "\n", "a\r", "a\rb", "a\tb", "\t", "a\0b", "\x07", "a\x1b[1mb", "a\x85b"),
    *("-x", "--help", "- a", "---", "<!-- a", "-->", "<b>", "a>b", " ", "   ", "a ", " a", "\u3000", "x" * 201),
    *("a\u200bb", "a\u200db", "a\u202eb", "\u061cx", "a\xadb", "a\u2028b", "a\ufeffb", "a\U000e0041b", "\ud800"),
)
# A text is itself in all pages, whatever Markdown, YAML or a shell would make of it.
SUMMARIES = (
    *("'", '"', "it's", 'a "b"', "#", "#x", "a # b", "a: b", "yes", "null", "1e3", "~", "0x10", "!!str a", "&a", "*a"),
    *("? a", "[a]", "a | b", "|", "| a |", "@a", "a @b", "_a_", "a _b_ c", "*a*", "a*b*c", "__a__", "~~a~~", "a_b_c"),
    *("a &amp; b", "&#65;", "R&D", "[a](b)", "[a]: b", "![a](b)", "a](b)", "1. a", "1) a", "+ a", "===", "***", "___"),
    *("%2e", "a%", "!a", "a;b", "a&&b", "../a", "a=b", "http://x.y", "a@b.c", ":::", "שלום", "e\u0301clair", "🛒️"),
    *("大きさ", "x" * 200, "'" * 200, "*" * 200),
)
NAMES = ("a_b_c", "yes", "null", "1e3", "true", "0x10", "1. a", "a _b_ c", "a __b__", "1.0", "x" * 64)
BRANCHES = ("a_b_c", "yes", "null", "1e3", "true", "0x10", "release/1.0", "a.b_c-d", "x" * 100)


def refusal(source: str, question: str, given: str, folder: Path) -> str:
    """Return why `given` is refused, having asserted that nothing is left behind."""
    with pytest.raises(GroundrulesError, match="nothing was rendered") as refused:
        door.copy(Source(source, None, None), None, str(folder / "shop"), {question: given}, ask=False)
    assert os.listdir(folder) == []
    return refused.value.why


@pytest.fixture(scope="module")
def unversioned(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The template as a plain folder: answers are judged before it is found to have no version to record."""
    folder = tmp_path_factory.mktemp("unversioned") / "template"
    copy_checkout(folder, "copier.yml", "template")
    return str(folder)


@pytest.mark.parametrize("given", REFUSED, ids=ascii)
def test_refused_by_every_question_with_what_is_allowed(unversioned: str, tmp_path: Path, given: str) -> None:
    # ANS-01, ANS-02
    for question, allowed in ALLOWED.items():
        why = refusal(unversioned, question, given, tmp_path)
        assert allowed in why, question
        assert question in why


@pytest.mark.parametrize("given", [*SUMMARIES, ""], ids=ascii)
def test_text_that_only_a_summary_may_have_is_refused_elsewhere(unversioned: str, tmp_path: Path, given: str) -> None:
    may = {"": {"ports", "tools"}}
    for question in sorted({"project_name", "default_branch", "ports", "tools"} - may.get(given, set())):
        if given not in {"project_name": NAMES, "default_branch": BRANCHES}.get(question, ()):
            assert ALLOWED[question] in refusal(unversioned, question, given, tmp_path), question


@pytest.mark.parametrize("index", range(len(SUMMARIES)), ids=[ascii(text) for text in SUMMARIES])
def test_text_that_is_taken_is_itself_in_every_file(template: Template, tmp_path: Path, index: int) -> None:
    # ANS-09
    answers = {
        "summary": SUMMARIES[index],
        "project_name": NAMES[index % len(NAMES)],
        "default_branch": BRANCHES[index % len(BRANCHES)],
        "forge": VALUES["forge"][index % 3],
        "skeleton": VALUES["skeleton"][index % 2],
    }
    folder = tmp_path / "shop"
    door.copy(Source(str(template.path), None, None), None, str(folder), answers, ask=False)
    judge(folder)
    recorded = from_yaml(folder / ".copier-answers.yml")
    assert {name: recorded[name] for name in answers} == answers
    assert tomllib.loads((folder / "groundrules.toml").read_text())["tasks"]["target"] == answers["default_branch"]
    for page in ("README.md", "AGENTS.md"):
        assert _shown((folder / page).read_text())[:2] == [
            ("h1", answers["project_name"]),
            ("p", answers["summary"]),
        ]
        source = (folder / page).read_text().splitlines()[2]
        assert not source.startswith("@"), "an import, for some tools"
        assert "](" not in source, "a link, for a plain reader"


def _shown(page: str) -> list[tuple[str, str]]:
    """Return the blocks of a page with the text that a reader sees; no other markup may be in them."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(page)
    found: list[tuple[str, str]] = []
    for opening, inline in pairwise(tokens):
        if inline.type == "inline" and len(found) < 2:
            children = inline.children or []
            assert {child.type for child in children} <= {"text", "text_special"}, inline.content
            found.append((opening.tag, "".join(child.content for child in children)))
    return found


@pytest.mark.parametrize(("question", "given"), [(question, "-{{ x }} ${IFS}") for question in sorted(ALLOWED)])
def test_both_commands_refuse_and_leave_nothing(template: Template, tmp_path: Path, question: str, given: str) -> None:
    data = f"{question}={given}"
    new = [sys.executable, "-m", "groundrules", "new", "shop", "--defaults", "--source", str(template.path)]
    for argv in ([COPIER, "copy", "--defaults", "--data", data, str(template.path), "shop"], [*new, "--data", data]):
        done = subprocess.run(argv, cwd=tmp_path, env=template.env, capture_output=True, text=True, check=False)
        assert done.returncode != 0
        assert question in done.stderr
        assert ALLOWED[question] in done.stderr
        assert argv[0] == COPIER or "Traceback" not in done.stderr
        assert os.listdir(tmp_path) == []


def test_every_question_is_in_the_table() -> None:
    asked = {name for name in from_yaml(f"{ROOT}/copier.yml") if not name.startswith("_")}
    assert asked == set(ALLOWED) == FREE | set(VALUES)
