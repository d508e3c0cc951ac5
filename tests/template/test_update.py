"""An update moves template and hooks together and loses no local edit, whatever git is configured to do."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT, Repository
from template.conftest import Template, contents, execute, make_template, start

if TYPE_CHECKING:
    from pathlib import Path

CONFLICT = "docs/agents/ports.md"
LOCAL_HOOK = "  - repo: local\n    hooks:\n      - {id: own, name: own, language: system, entry: 'true'}\n"


def next_version() -> dict[str, str]:
    """Return the files of a next release: managed lines and a managed page more, and a seeded file begun otherwise."""
    return {
        "template/Makefile": read("Makefile") + "# A new line at the end.\n",
        "template/docs/agents/review.md": "# Review\n\nA new page.\n",
        "template/docs/agents/local.md.jinja": read("docs/agents/local.md.jinja").replace("Nothing yet", "Not yet"),
        f"template/{CONFLICT}": read(CONFLICT).replace("# Ports and slots", "# Ports, and slots"),
        "template/AGENTS.md.jinja": read("AGENTS.md.jinja").replace(
            "(docs/agents/ports.md) |", "(docs/agents/ports.md), [review](docs/agents/review.md) |"
        ),
    }


def read(name: str) -> str:
    with open(f"{ROOT}/template/{name}", encoding="utf-8") as file:
        return file.read()


@pytest.fixture(scope="session")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Template:
    """A template with the releases v0.1.0, as in this checkout, and v0.2.0."""
    made = make_template(tmp_path_factory.mktemp("releases"))
    made.change(next_version(), "v0.2.0")
    return made


@pytest.fixture(scope="session")
def rendered(releases: Template, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """What each release renders."""
    folder = tmp_path_factory.mktemp("rendered")
    for version in ("v0.1.0", "v0.2.0"):
        releases.copier("copy", "--quiet", "--defaults", "-r", version, str(releases.path), version, cwd=folder)
    return {version: folder / version for version in ("v0.1.0", "v0.2.0")}


@pytest.fixture
def old(rendered: dict[str, Path], tmp_path: Path) -> Repository:
    """A repository made from v0.1.0."""
    return Repository(start(rendered["v0.1.0"], tmp_path / "shop"))


def edit(repository: Repository, name: str, old: str, new: str) -> None:
    text = (repository.path / name).read_text()
    assert old in text
    (repository.path / name).write_text(text.replace(old, new, 1))


def update(repository: Repository, releases: Template, code: int = 0, *args: str, **env: str) -> str:
    """Run `groundrules update` as a process, since Copier takes its environment when it is imported."""
    argv = [sys.executable, "-m", "groundrules", "update", *args]
    return execute(argv, repository.path, {**releases.env, **env}, code)


def test_copier_update_moves_both_versions_and_keeps_every_edit(old: Repository, releases: Template) -> None:
    # LOCK-09, UPD-16
    edit(old, "Makefile", "# Managed:", "# Ours, and managed:")
    edit(old, "README.md", "## Status", "## State")
    edit(old, "docs/agents/local.md", "Nothing yet: who", "Ada, and who")
    for name, more in (
        (".pre-commit-config.yaml", LOCAL_HOOK),
        ("docs/agents/commits.md", "\n"),
        (".gitignore", "/own/\n"),
    ):
        with (old.path / name).open("a") as file:
            file.write(more)
    old.commit("src/own.py", "own = 1\n")
    releases.copier("update", "--quiet", "--defaults", cwd=old.path)

    assert "_commit: v0.2.0\n" in (old.path / ".copier-answers.yml").read_text()
    hooks = (old.path / ".pre-commit-config.yaml").read_text()
    assert 'rev: "v0.2.0"' in hooks
    assert hooks.endswith(LOCAL_HOOK)
    makefile = (old.path / "Makefile").read_text()
    assert makefile.startswith("# Ours, and managed:")
    assert makefile.endswith("# A new line at the end.\n")
    assert (old.path / "docs/agents/review.md").exists()
    local = (old.path / "docs/agents/local.md").read_text()
    assert "Ada, and who" in local
    assert "Not yet" not in local, "a seeded file is the repository's own"
    assert "## State" in (old.path / "README.md").read_text()
    assert (old.path / ".gitignore").read_text().endswith("/own/\n")
    assert (old.path / "docs/agents/commits.md").read_text().endswith("\n\n")
    assert (old.path / "src/own.py").read_text() == "own = 1\n"
    assert old.git("grep", "-c", "<<<<<<<", "--", ":!guards", ":!docs", code=1) == ""


def test_unedited_project_equals_a_fresh_copy(old: Repository, releases: Template, rendered: dict[str, Path]) -> None:
    # UPD-20
    said = update(old, releases)
    fresh = contents(rendered["v0.2.0"])
    seeded = "docs/agents/local.md"  # kept as it was
    fresh[seeded] = contents(rendered["v0.1.0"])[seeded]
    assert contents(old.path) == fresh
    assert "v0.1.0 → v0.2.0, 6 files" in said
    steps = [line.removeprefix("→ ") for line in said.splitlines() if line.startswith("→ ")]
    old.git("config", "core.pager", "cat")
    execute(["sh", "-e", "-c", "\n".join(steps)], old.path, releases.env)
    assert old.git("status", "--short") == ""


def test_update_from_an_untagged_checkout(releases: Template, tmp_path: Path) -> None:
    source = Template(tmp_path / "release", releases.env)
    shutil.copytree(releases.path, source.path)
    source.git("reset", "-q", "--hard", "v0.1.0")
    source.git("tag", "-d", "v0.1.0", "v0.2.0")
    source.copier("copy", "--quiet", "--defaults", str(source.path), "fresh", cwd=tmp_path)
    project = Repository(start(tmp_path / "fresh", tmp_path / "shop"))
    source.change({"template/Makefile": read("Makefile") + "# A new line at the end.\n"})
    update(project, source)
    revision = source.git("rev-parse", "--short", "HEAD")
    assert f"_commit: {revision}" in (project.path / ".copier-answers.yml").read_text().replace("'", "")
    assert f'rev: "{revision}"' in (project.path / ".pre-commit-config.yaml").read_text()
    assert (project.path / "Makefile").read_text().endswith("# A new line at the end.\n")


def test_conflict_is_visible_named_and_not_committed_whatever_git_is_configured_to_do(
    old: Repository, releases: Template, tmp_path: Path
) -> None:
    # UPD-02, UPD-03, UPD-04, UPD-05
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("prepare-commit-msg", "pre-commit", "post-checkout"):
        (hooks / name).write_text("#!/bin/sh\nexit 1\n")
        (hooks / name).chmod(0o755)
    settings = tmp_path / "gitconfig"
    settings.write_text(
        "[apply]\nwhitespace = error\n[status]\nshowUntrackedFiles = no\n[merge]\nconflictStyle = zdiff3\n"
        f"[core]\nhooksPath = {hooks}\n[color]\nui = always\n[grep]\ncolumn = true\n"
    )
    edit(old, CONFLICT, "# Ports and slots", "# Slots and ports")
    edit(old, "README.md", "## Start", "## Begin   ")
    edit(old, "Makefile", "# Managed:", "# Ours   \n# Managed:")
    old.commit()
    base = old.git("rev-parse", "HEAD")

    said = update(old, releases, 1, GIT_CONFIG_GLOBAL=str(settings))
    text = (old.path / CONFLICT).read_text()
    assert text.startswith(
        "<<<<<<< before updating\n# Slots and ports\n=======\n# Ports, and slots\n>>>>>>> after updating\n"
    )
    assert "|||||||" not in text
    assert f"✗ {CONFLICT}:1 is a conflict to resolve" in said
    assert [line.split()[2] for line in old.git("ls-files", "-u").splitlines()] == ["1", "2", "3"]  # UPD-11
    assert not list(old.path.rglob("*.rej"))
    assert "# Ours   \n" in (old.path / "Makefile").read_text()
    assert "## Begin   \n" in (old.path / "README.md").read_text()

    old.git("add", "-A")
    assert f"{CONFLICT}:1: conflict marker" in old.hook("pre_commit", code=1)  # UPD-12
    old.git("commit", "-q", "--no-verify", "-m", "Update the ground rules")
    assert f"guards/no-merge-debris:1: guards: {old.git('rev-parse', 'HEAD')[:10]}" in old.command(
        "gate", "--base", base, code=1
    )
    assert f"{CONFLICT}:1: conflict marker" in old.command("gate", "--base", base, code=1)  # UPD-18


def test_linked_worktree_alone_is_updated_whatever_a_hook_or_the_user_has_set(
    old: Repository, releases: Template, tmp_path: Path
) -> None:
    # UPD-06, UPD-07, UPD-09, WTC-07
    hooks = tmp_path / "skeleton" / "hooks"
    hooks.mkdir(parents=True)
    for name in ("pre-commit", "prepare-commit-msg", "post-checkout", "reference-transaction"):
        (hooks / name).write_text(f"#!/bin/sh\necho $0 >>{tmp_path}/ran\n")
        (hooks / name).chmod(0o755)
    settings = tmp_path / "gitconfig"
    settings.write_text(f"[init]\ntemplateDir = {tmp_path}/skeleton\n")
    work = old.worktree("task/T1-update", where="wörk tree")
    for name in (".slot.env", ".worktrees/a/file", "src/__pycache__/a.pyc"):
        work.write(name, "ignored\n")
    index = tmp_path / "index"
    shutil.copy(work.git("rev-parse", "--path-format=absolute", "--git-path", "index"), index)
    before = index.read_bytes()
    said = update(work, releases, GIT_INDEX_FILE=str(index), GIT_CONFIG_GLOBAL=str(settings))
    assert "v0.1.0 → v0.2.0" in said
    assert "nothing to do" not in said
    assert index.read_bytes() == before
    assert not (tmp_path / "ran").exists(), "no hook runs in Copier's own repositories"
    assert "docs/agents/review.md" in work.git("status", "--short", "--untracked-files=all")
    assert old.git("status", "--short") == ""
    assert (work.path / ".slot.env").read_text() == "ignored\n"


def test_uncommitted_change_and_sha256_are_refused_in_one_line_and_untouched(
    old: Repository, releases: Template, rendered: dict[str, Path], tmp_path: Path
) -> None:
    # UPD-15
    old.write("new file")
    first, *rest = update(old, releases, 2).splitlines()
    assert first == "groundrules: the worktree has uncommitted changes; nothing was updated"
    assert rest[-1] == "    git status --short"
    longer = Repository(tmp_path / "longer")
    shutil.copytree(rendered["v0.1.0"], longer.path)
    longer.git("init", "-q", "-b", "main", "--object-format=sha256", "--template=")
    longer.commit()
    first, *rest = update(longer, releases, 2).splitlines()
    assert first == "groundrules: Copier cannot merge into a repository with sha256 ids; nothing was updated"
    assert "Traceback" not in "".join(rest)
    assert longer.git("status", "--short") == ""


def test_variable_that_names_another_repository_updates_neither(
    old: Repository, releases: Template, tmp_path: Path
) -> None:
    # UPD-08
    other = Repository(tmp_path / "other")
    other.path.mkdir()
    other.git("init", "-q", "-b", "main", "--template=")
    head = other.commit()
    before = contents(old.path)
    update(old, releases, 2, GIT_DIR=str(other.path / ".git"))
    assert (other.git("rev-parse", "HEAD"), other.git("status", "--short")) == (head, "")
    assert contents(old.path) == before
