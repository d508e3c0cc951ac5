"""Claims of a seeded repository: true for every answer, shown in its README, the same for its service and its hook."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import TYPE_CHECKING

import pytest

from conftest import Repository
from groundrules_hooks.capability import LEVELS
from groundrules_hooks.capability_file import parse
from groundrules_hooks.capability_table import MEANINGS, is_current, place
from template.conftest import GITLAB, OTHER, POSTGRES, start

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ANSWERS = [{}, OTHER, POSTGRES, GITLAB, {"skeleton": "none", "ports": ""}]


@pytest.mark.parametrize("answers", ANSWERS, ids=str)
def test_claims_are_true_and_the_readme_shows_them(
    render: Callable[..., Path], tmp_path: Path, answers: dict[str, str]
) -> None:
    project = Repository(start(render(**answers), tmp_path / "shop"))
    claims = parse((project.path / "capabilities.toml").read_bytes())
    page = (project.path / "README.md").read_text()
    assert place(page)
    assert is_current(page, claims)
    assert [(each.id, each.level) for each in claims if each.id != "health"] == [("product", "absent")]
    assert ("health" in {each.id for each in claims}) == (project.path / "services").is_dir()
    said = project.command("capability", "check")
    assert f"✓ capabilities  {len(claims)} claimed, 0 proven, 0 findings" in said


@pytest.mark.parametrize("answers", ANSWERS, ids=str)
def test_first_commit_passes_the_rule(render: Callable[..., Path], tmp_path: Path, answers: dict[str, str]) -> None:
    project = Repository(start(render(**answers), tmp_path / "shop"))
    project.git("update-ref", "-d", "HEAD")  # everything is staged again, and nothing was ever committed
    assert "capability-claims" not in project.hook("pre_commit", code=None)


def test_service_knows_the_levels_that_the_rule_knows(
    render: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = render() / "services" / "api"
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # what is rendered is for all tests to read
    monkeypatch.syspath_prepend(str(folder))
    spec = importlib.util.spec_from_file_location("seeded_api", folder / "__main__.py")
    assert spec
    assert spec.loader
    service = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(service)
    monkeypatch.delitem(sys.modules, "database")
    assert service.LEVELS == LEVELS
    status, body = service.capabilities()
    assert (status, [row["available"] for row in body["capabilities"]]) == (200, [False, False])


def test_page_tells_every_level(render: Callable[..., Path]) -> None:
    page = (render() / "docs/agents/capabilities.md").read_text()
    rows = [line.split("|")[1].strip() for line in page.splitlines() if line.startswith("| ")]
    assert tuple(row for row in rows if row in LEVELS) == LEVELS == tuple(MEANINGS)


def test_skeleton_that_is_renamed_is_refused_until_its_claim_follows(project: Path) -> None:
    shop = Repository(project)
    shop.git("mv", "services/api", "services/shop")
    said = shop.hook("pre_commit", code=1)
    assert "health is claimed wired, at most absent can be shown: services/api/*.py matches no file" in said
    for name in ("capabilities.toml", "groundrules.toml"):
        path = project / name
        path.write_text(path.read_text().replace("services/api", "services/shop"))
    shop.git("add", "-A")
    assert "capability-claims" not in shop.hook("pre_commit", code=None)


def test_health_of_the_skeleton_can_be_proven(project: Path) -> None:
    shop = Repository(project)
    claims = project / "capabilities.toml"
    text = claims.read_text().replace('"wired"', '"proven"').replace("acceptance = []", 'acceptance = ["OPS-1"]', 1)
    claims.write_text(text)
    test = project / "tests" / "test_api.py"
    method = "    def test_health_follows"
    test.write_text(test.read_text().replace(method, f"    # acceptance: OPS-1\n{method}"))
    shop.command("capability", "render")
    assert "its proof api is MISSING for these files: never ran" in shop.command("capability", "check", code=1)
    shop.command("check", "run", "api", PYTHONDONTWRITEBYTECODE="1", PATH=os.environ["PATH"])
    assert "2 claimed, 1 proven, 0 findings" in shop.command("capability", "check")
    assert "| proven | available: its checks pass" in (project / "README.md").read_text()
