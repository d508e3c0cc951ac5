"""An update moves template and hooks together, keeps local edits, and the next commit already runs the new hooks."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT, Repository
from end_to_end.conftest import RUNNERS, make_person, make_release, release_again

if TYPE_CHECKING:
    from pathlib import Path

    from end_to_end.conftest import Person

COPIER = f"{os.path.dirname(sys.executable)}/copier"
SHORTER = "hooks/groundrules_hooks/rules/commit_message.py"


def stricter() -> dict[str, str]:
    """Return the files of a next release: a rule that its predecessor did not have, and a page that tells so."""
    changed = {}
    for name, old, new in (
        (SHORTER, "LONGEST = 72", "LONGEST = 50"),
        ("template/docs/agents/commits.md", "at most 72 characters", "at most 50 characters"),
    ):
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            content = file.read()
        assert old in content
        changed[name] = content.replace(old, new)
    return changed


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two versions, the newer one stricter: one release for all tests, so that a runner installs each once."""
    folder = make_release(tmp_path_factory.mktemp("release"))
    release_again(folder, "v0.2.0", stricter())
    return folder


@pytest.fixture(params=[pytest.param(runner, marks=pytest.mark.xdist_group(runner)) for runner in RUNNERS])
def person(request: pytest.FixtureRequest, tmp_path: Path, caches: Path) -> Person:
    return make_person(tmp_path, caches, request.param)


def start(person: Person, release: Path, folder: Path) -> Path:
    """Copy v0.1.0 with plain copier as its message says, and edit a managed, a seeded and an own file."""
    shop = folder / "shop"
    said = person.does(f"{COPIER} copy --defaults --vcs-ref v0.1.0 {release} shop", folder)
    steps = [line.removeprefix("→ ") for line in said.splitlines() if line.startswith("→ ")]
    assert [step.split(" ")[0] for step in steps] == ["cd", "git", "make", "git", "make", "less", "make", "cd"]
    person.does(
        " && ".join(step for step in steps if not step.startswith(("less", "make up"))).replace(
            "git commit -m", "git commit -q -m"
        ),
        folder,
    )
    for name, line in (("AGENTS.md", "Ours."), ("README.md", "Ours."), (".gitignore", "ours/")):
        with (shop / name).open("a") as file:
            file.write(f"{line}\n")
    with (shop / ".pre-commit-config.yaml").open("a") as file:
        file.write("  - repo: local\n    hooks:\n      - {id: own, name: own, language: system, entry: 'true'}\n")
    person.does("git commit -q -a -m 'Make it ours'", shop)
    return shop


def test_update_moves_template_and_hooks_together(person: Person, release: Path, tmp_path: Path) -> None:
    """LOCK-03, LOCK-09."""
    shop = start(person, release, tmp_path)
    long = "A subject of more than fifty characters, yet below seventy-two"
    person.does(f"git commit -q --allow-empty -m '{long}'", shop)

    said = person.does(f"{COPIER} update --defaults", shop)
    assert "git add -A" in said
    config = (shop / ".pre-commit-config.yaml").read_text()
    assert 'rev: "v0.2.0"' in config
    assert "id: own" in config
    assert "_commit: v0.2.0\n" in (shop / ".copier-answers.yml").read_text()
    assert "at most 50 characters" in (shop / "docs/agents/commits.md").read_text()
    for name, line in (("AGENTS.md", "Ours."), ("README.md", "Ours."), (".gitignore", "ours/")):
        assert (shop / name).read_text().endswith(f"{line}\n")

    assert "has 62 characters, at most 50" in person.does(f"git add -A && git commit -m '{long}'", shop, code=1)
    person.does("git commit -q -m 'Update the ground rules'", shop)
    assert person.does("git status --short", shop) == ""


def test_revision_moved_without_the_template_is_refused(person: Person, release: Path, tmp_path: Path) -> None:
    """LOCK-01, LOCK-02: what `pre-commit autoupdate` and update bots do."""
    shop = start(person, release, tmp_path)
    config = shop / ".pre-commit-config.yaml"
    config.write_text(config.read_text().replace("v0.1.0", "v0.2.0"))
    said = person.does("git commit -a -m 'Move the hooks'", shop, code=1)
    assert "lockstep: hooks are at v0.2.0, the template's files at v0.1.0" in said
    fix = [line.strip() for line in said.partition("To fix:\n")[2].splitlines() if line.startswith("    ")]
    person.does(" && ".join(fix), shop)
    assert 'rev: "v0.2.0"' in config.read_text()
    person.does("git add -A && git commit -q -m 'Update the ground rules'", shop)


@pytest.mark.xdist_group("prek")
def test_update_from_an_untagged_checkout(tmp_path: Path, caches: Path) -> None:
    person = make_person(tmp_path, caches, "prek")
    (tmp_path / "release").mkdir()
    release = Repository(make_release(tmp_path / "release"))
    release.git("tag", "-d", "v0.1.0")
    person.does(f"{sys.executable} -m groundrules new shop --defaults --source {release.path}", tmp_path)
    shop = tmp_path / "shop"
    first = release.git("rev-parse", "--short", "HEAD")
    assert f'rev: "{first}"' in (shop / ".pre-commit-config.yaml").read_text()
    for name, content in stricter().items():
        release.write(name, content)
    release.git("commit", "-q", "-a", "-m", "Make subjects shorter")
    person.does("make -s update && git add -A && git commit -q -m 'Update the ground rules'", shop)
    second = release.git("rev-parse", "--short", "HEAD")
    assert f'rev: "{second}"' in (shop / ".pre-commit-config.yaml").read_text()
    assert "at most 50" in person.does(f"git commit --allow-empty -m '{'x' * 60}'", shop, code=1)
