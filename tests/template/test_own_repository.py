"""This repository is rendered from its own template: what both have is equal, but for a short list with reasons."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT, Repository
from template.conftest import copy_checkout, execute

if TYPE_CHECKING:
    from pathlib import Path

LOCAL = "docs/agents/local.md"


def read(name: str) -> str:
    with open(f"{ROOT}/{name}", encoding="utf-8") as file:
        return file.read()


@pytest.fixture
def checkout(tmp_path: Path) -> Repository:
    """A copy of this checkout with all its files committed."""
    copy_checkout(tmp_path / "own")
    repository = Repository(tmp_path / "own")
    repository.git("init", "-q", "-b", "main", "--template=")
    repository.commit("pyproject.toml", read("pyproject.toml"))
    (repository.path / ".git/info").mkdir()
    repository.write(".git/info/exclude", "/.venv\n")
    (repository.path / ".venv").symlink_to(os.path.dirname(os.path.dirname(sys.executable)))
    return repository


def test_template_rendered_onto_this_repository_changes_nothing(checkout: Repository) -> None:
    execute(["make", "-s", "update"], checkout.path, os.environ)
    assert checkout.git("status", "--short", "--untracked-files=all") == "", "→ make update"
    # It does write, and leaves alone what is ours.
    (checkout.path / "docs/agents/gate.md").unlink()
    checkout.write("AGENTS.md", "# Nothing\n")
    checkout.write("template/docs/agents/ports.md", "# Ports\n")
    checkout.commit(LOCAL, "# Ours\n")
    execute(["make", "-s", "update"], checkout.path, os.environ)
    changed = checkout.git("status", "--short", "--untracked-files=all").splitlines()
    assert [line.split()[-1] for line in changed] == ["AGENTS.md", "docs/agents/ports.md", "docs/agents/gate.md"]


def test_list_of_what_differs_has_a_reason_for_each() -> None:
    rows = re.findall(r"^\| `([^`]+)` \| (.+) \|$", read(LOCAL).partition("and yet its own")[2], re.MULTILINE)
    left_out = re.findall(r"--exclude /(\S+)", read("tools/own"))
    assert left_out[-1] == "docs/adr/0001-adopt-ground-rules.md", "seeded, and the number is taken here"
    assert sorted(path for path, _ in rows) == sorted(left_out[:-1])
    assert all(len(reason) > 20 for _, reason in rows)


def test_own_patterns_stand_below_those_of_the_template() -> None:
    shipped = read("template/.gitignore")
    assert read(".gitignore").startswith(shipped)
    assert read(".gitignore") != shipped


def test_every_target_that_the_pages_name_is_made_here(checkout: Repository) -> None:
    for target in ("setup", "check", "gate", "handoff", "slot", "task", "up", "down", "ps", "logs", "update"):
        said = execute(["make", "-n", target], checkout.path, os.environ)
        assert "sh tools/groundrules" in said
    for target in ("new", "test", "lint", "clean"):
        assert f"make {target} " in execute(["make"], checkout.path, os.environ)


def test_review_policy_of_this_repository_follows_its_evals(checkout: Repository) -> None:
    assert "✓" in checkout.command("review", "eval")
