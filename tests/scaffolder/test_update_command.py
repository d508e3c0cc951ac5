"""`groundrules update`: what it says about an update. That no edit is lost is shown in tests/template."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from conftest import Repository
from template.conftest import Template, start

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from scaffolder.conftest import Answer


@pytest.fixture(scope="session")
def fresh(template: Template, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What v0.1.0 renders in the conventional style."""
    folder = tmp_path_factory.mktemp("fresh")
    template.copier(
        "copy", "--quiet", "--defaults", "-d", "commit_style=conventional", str(template.path), "a", cwd=folder
    )
    return folder / "a"


@pytest.fixture
def project(fresh: Path, tmp_path: Path) -> Repository:
    return Repository(start(fresh, tmp_path / "shop"))


@pytest.fixture
def source(template: Template, tmp_path: Path) -> Template:
    """A copy of the template that a test may change."""
    shutil.copytree(template.path, tmp_path / "release")
    return Template(tmp_path / "release", template.env)


def follow(project: Repository, source: Template, old: Template) -> None:
    """Let the project come from `source`."""
    for name in (".copier-answers.yml", ".pre-commit-config.yaml"):
        path = project.path / name
        path.write_text(path.read_text().replace(str(old.path), str(source.path)))
    project.commit()


def test_newest_version_is_told_and_nothing_changes(run: Callable[..., Answer], project: Repository) -> None:
    assert run(project, "update") == (0, "", "○ template      v0.1.0, nothing to do\n")
    assert project.git("status", "--short") == ""


def test_update_tells_what_a_person_has_to_look_at_and_to_do(
    run: Callable[..., Answer], project: Repository, source: Template, template: Template
) -> None:
    # UPD-12, as if a rejected hunk had stayed beside its file; the text of a deleted file is in HEAD only
    follow(project, source, template)
    (source.path / "template/docs/agents/ports.md").unlink()
    source.change({"template/docs/new/page.md": "# New\n", "template/docs/new/page.md.rej": "@@\n"}, "v0.2.0")
    source.change({"template/CLAUDE.md": "@AGENTS.md\n\n"}, "v0.3.0")
    code, out, err = run(project.path / "docs/agents", "update", "--ref", "v0.2.0")
    assert (code, out) == (1, "→ git diff\n→ git add -A && git commit -m 'chore: update the ground rules'\n")
    assert err.splitlines() == [
        "✓ template      v0.1.0 → v0.2.0, 6 files",
        "▲ docs/agents/ports.md is not in the template any more; its text is in HEAD",
        "✗ docs/new/page.md.rej is a conflict to resolve",
    ]


def test_another_answer_is_given_without_another_version(run: Callable[..., Answer], project: Repository) -> None:
    code, _, err = run(project, "update", "--data", "forge=gitlab", "--data", "summary=Sells: carts")
    assert (code, err.startswith("✓ template      v0.1.0 → v0.1.0, ")) == (0, True)
    answers = (project.path / ".copier-answers.yml").read_text()
    assert ("forge: gitlab\n" in answers, "Sells: carts" in answers) == (True, True)
    assert (project.path / ".gitlab-ci.yml").exists()
    assert not (project.path / ".github/workflows/ci.yml").exists()
    assert "Sells: carts" in (project.path / "AGENTS.md").read_text()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("colour=red", "no question is colour"),
        ("_commit=v9", "no question is _commit"),
        ("forge=attic", "\n    cat .copier-answers.yml\n"),
        ("forge", "--data 'forge' is not KEY=VALUE"),
    ],
)
def test_answer_that_there_is_not_changes_nothing(
    run: Callable[..., Answer], project: Repository, answer: str, words: str
) -> None:
    code, out, err = run(project, "update", "--data", answer)
    assert (code, out, words in err) == (2, "", True)
    assert project.git("status", "--short") == ""


@pytest.mark.parametrize("setting", ["normal", "no"])
def test_untracked_file_is_uncommitted_whatever_git_shows(
    run: Callable[..., Answer], project: Repository, setting: str
) -> None:
    # UPD-03
    project.git("config", "status.showUntrackedFiles", setting)
    project.write("new/file")
    code, out, err = run(project, "update")
    assert (code, out) == (2, "")
    assert err.startswith("groundrules: the worktree has uncommitted changes; nothing was updated")
    assert "_commit: v0.1.0" in (project.path / ".copier-answers.yml").read_text()


def test_template_that_is_gone_is_named(
    run: Callable[..., Answer], project: Repository, source: Template, template: Template
) -> None:
    # UPD-22
    follow(project, source, template)
    shutil.rmtree(source.path)
    code, out, err = run(project, "update")
    assert (code, out) == (2, "")
    assert err.startswith("groundrules: nothing was updated\n")
    assert project.git("status", "--short") == ""


def test_version_that_is_gone_is_named(
    run: Callable[..., Answer], project: Repository, source: Template, template: Template
) -> None:
    follow(project, source, template)
    code, _, err = run(project, "update", "--ref", "v9.9.9")
    assert code == 2
    assert "v9.9.9" in err
    assert err.endswith(f"To fix:\n    git ls-remote --tags {source.path}\n")
    source.git("tag", "-d", "v0.1.0")
    source.change({"template/CLAUDE.md": "@AGENTS.md\n\n"}, "v0.2.0")
    code, _, err = run(project, "update")
    assert code == 2
    assert err.startswith("groundrules: nothing was updated\n")
    assert "v0.1.0" in err


def test_repository_that_no_template_made_is_named(run: Callable[..., Answer], shop: Repository) -> None:
    code, out, err = run(shop, "update")
    assert (code, out) == (2, "")
    assert err.startswith(
        f"groundrules: {os.path.realpath(shop.path)} has no .copier-answers.yml: it was not made from a template"
    )


def test_older_version_is_refused(
    run: Callable[..., Answer], project: Repository, source: Template, template: Template
) -> None:
    follow(project, source, template)
    source.change({"template/CLAUDE.md": "@AGENTS.md\n\n"}, "v0.0.1")
    code, _, err = run(project, "update", "--ref", "v0.0.1")
    assert code == 2
    assert err.startswith("groundrules: nothing was updated\n")
    assert "downgrading" in err
    assert project.git("status", "--short") == ""
