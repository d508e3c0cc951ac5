"""Every combination of answers that changes what is rendered, rendered once each and judged as files.

What a person does with them is dear, and done in end_to_end/test_matrix.py with rows in which every pair meets.
"""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest
import yaml

from groundrules import template as door
from groundrules.clones import Source
from groundrules_hooks.failure import GroundrulesError
from template.answers import FREE, VALUES, every_combination, named, pairs, pairwise, questions
from template.conftest import contents, from_yaml
from template.validity import judge

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from template.conftest import Template


pytestmark = pytest.mark.usefixtures("quick_copier")


@pytest.mark.parametrize("answers", every_combination(), ids=named)
def test_combination_renders_valid_files(template: Template, tmp_path: Path, answers: dict[str, str]) -> None:
    folder = tmp_path / "shop"
    door.copy(Source(str(template.path), None, None), None, str(folder), answers, ask=False)
    recorded = from_yaml(folder / ".copier-answers.yml")
    assert {name: recorded[name] for name in answers} == answers
    judge(folder)
    paths = set(contents(folder))
    forge, tools = answers["forge"], answers["tools"].split()
    assert (".github/workflows/ci.yml" in paths, ".gitlab-ci.yml" in paths) == (forge == "github", forge == "gitlab")
    assert ("services/api/__main__.py" in paths) == (answers["skeleton"] != "none")
    assert (".claude/settings.json" in paths) == ("claude" in tools)
    assert ("GEMINI.md" in paths) == ("gemini" in tools)
    _commit(template, folder, "chore: adopt the rules" if answers["commit_style"] == "conventional" else "Adopt them")


def _commit(template: Template, folder: Path, subject: str) -> None:
    """Make the first commit through the rendered repository's rules, which are called as both runners call them."""
    template.git("init", "-q", "--template=", cwd=folder)
    hooks = folder / ".git/hooks"
    hooks.mkdir()
    for stage in ("pre-commit", "commit-msg"):
        module = f"groundrules_hooks.{stage.replace('-', '_')}"
        (hooks / stage).write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -m {module} "$@"\n')
        (hooks / stage).chmod(0o755)
    template.git("add", "-A", cwd=folder)
    template.git("-c", "core.hooksPath=.git/hooks", "commit", "-q", "-m", subject, cwd=folder)
    assert "adopt" in template.git("log", "--format=%s", cwd=folder).lower()


def test_the_values_are_all_that_the_questions_have() -> None:
    asked = questions()
    assert set(asked) == set(VALUES) | FREE
    for name in ("skeleton", "forge", "commit_style"):
        values = [choice["value"] if isinstance(choice, dict) else choice for choice in asked[name]["choices"].values()]
        assert set(values) == set(VALUES[name])
    assert str(asked["tools"]["placeholder"]) == VALUES["tools"][-1]
    assert {"", *VALUES["tools"][-1].split()} < set(VALUES["tools"])


def test_rows_of_the_dear_half_meet_every_value_and_every_pair() -> None:
    values = {**VALUES, "runner": ("prek", "pre-commit")}
    rows = pairwise(values)
    assert len(rows) < 20
    met = {pair for row in rows for pair in pairs(row)}
    assert met == {pair for row in every_combination(values) for pair in pairs(row)}
    for name, texts in values.items():
        assert {row[name] for row in rows} == set(texts)


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("README.md", "# One\n\n| a | b |\n|---|---|\n| a | b | c |\n"),
        ("README.md", "# One\n\n# Two\n"),
        ("README.md", "# One\n\n[two](two.md)\n"),
        ("README.md", "# One"),
        ("README.md", "# One \n"),
        (".pre-commit-config.yaml", "repos: [\n"),
        ("renovate.json", "[]\n"),
        ("groundrules.toml", "[port]\n"),
        ("guards/no-merge-debris", "#!/bin/sh\nlocal a=$1\n"),
        (".github/workflows/ci.yml", "on: push\njobs: {a: {runs-on: x, steps: [{run: 'echo $1'}]}}\n"),
        ("local.mk", "# Managed: no.\n"),
        ("surplus", "nobody's\n"),
        ("docs/agents/local.md", "# Local\n\n`make nothing`\n"),
        ("docs/agents/local.md", "# Local\n\n`tools/groundrules nothing`\n"),
        ("CODEOWNERS", None),
    ],
)
def test_file_that_is_not_as_it_should_be_is_found(
    render: Callable[..., Path], tmp_path: Path, path: str, content: str | None
) -> None:
    shutil.copytree(render(), tmp_path / "shop")
    place = tmp_path / "shop" / path
    if content is None:
        place.unlink()
    else:
        place.write_text(content)
    with pytest.raises((AssertionError, ValueError, yaml.YAMLError, GroundrulesError)):
        judge(tmp_path / "shop")
