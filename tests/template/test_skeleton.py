"""The skeleton: written by the first copy, for any port table, and never touched or brought back by an update."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from conftest import Repository
from groundrules import template as door
from groundrules.clones import Source
from groundrules_hooks import config
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.globs import matches
from template.conftest import POSTGRES, Template, contents, execute, from_yaml, make_template, start

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FILES = {
    "capabilities.toml",
    "migrations/0001_starts.sql",
    "services/api/__main__.py",
    "services/api/database.py",
    "services/api/migrate.py",
    "tests/scratch.py",
    "tests/test_api.py",
}
TABLE = "web=3000 api=8000 db=5432"


@pytest.fixture
def new(template: Template, tmp_path: Path) -> Callable[..., Path]:
    """Render in this process, which is quicker than `render` where answers are not shared between tests."""

    def new(release: Template = template, version: str = "v0.1.0", **answers: str) -> Path:
        folder = tmp_path / f"new {len(list(tmp_path.iterdir()))}"
        door.copy(Source(str(release.path), None, None), version, str(folder), answers, ask=False)
        return folder

    return new


@pytest.mark.parametrize(
    ("skeleton", "ports", "name"),
    [
        ("sqlite", TABLE, "api"),
        ("postgres", "db=5432 dbx=4000 web=3000", "dbx"),
        ("sqlite", "web=3000 db=5432", "web"),
        ("sqlite", "z9_=1024", "z9_"),
    ],
)
def test_service_listens_on_a_port_of_the_table_that_is_not_the_databases(
    new: Callable[..., Path], skeleton: str, ports: str, name: str
) -> None:
    rendered = new(skeleton=skeleton, ports=ports)
    settings = config.of_text((rendered / "groundrules.toml").read_bytes())
    (service,) = settings.stack.services
    assert (settings.stack.database, service.name, service.port, service.ready) == (
        skeleton,
        "api",
        name,
        "http:/healthz",
    )
    variable = f"${{{name.upper()}_PORT}}"
    assert dict(service.env) == {"PORT": variable}
    assert f'curl "http://127.0.0.1:{variable}/healthz"' in (rendered / "README.md").read_text()
    for word in (*service.run, *settings.stack.migrate):
        assert word == "python3" or (rendered / word).exists()


@pytest.mark.parametrize(("skeleton", "expected"), [("none", ["decisions"]), ("sqlite", ["decisions", "migrations"])])
def test_migrations_are_a_series_where_there_are_any(
    new: Callable[..., Path], skeleton: str, expected: list[str]
) -> None:
    rendered = new(skeleton=skeleton, ports=TABLE)
    found = config.of_text((rendered / "groundrules.toml").read_bytes()).series
    assert [series.name for series in found] == expected
    held = [path for path in contents(rendered) if any(matches(path, series.paths) for series in found)]
    assert [path for path in held if "/0001" in path] == sorted(
        ["docs/adr/0001-adopt-ground-rules.md", "migrations/0001_starts.sql"][: len(expected)]
    )


@pytest.mark.parametrize(
    ("ports", "skeleton"), [("", "none"), ("db=5432", "none"), ("a=1024", "sqlite"), (TABLE, "sqlite")]
)
def test_silence_means_sqlite_wherever_a_service_has_a_port(
    new: Callable[..., Path], ports: str, skeleton: str
) -> None:
    assert from_yaml(new(ports=ports) / ".copier-answers.yml")["skeleton"] == skeleton


@pytest.mark.parametrize(
    ("skeleton", "ports", "allowed"),
    [
        ("sqlite", "", "needs a port that is not db"),
        ("sqlite", "db=5432", "needs a port that is not db"),
        ("postgres", "", "needs a port named db, and another for the service"),
        ("postgres", "db=5432", "needs a port named db, and another for the service"),
        ("postgres", "web=3000 mydb=5432", "needs a port named db, and another for the service"),
    ],
)
def test_skeleton_that_the_ports_cannot_serve_is_refused(
    new: Callable[..., Path], tmp_path: Path, skeleton: str, ports: str, allowed: str
) -> None:
    with pytest.raises(GroundrulesError, match="nothing was rendered") as refused:
        new(skeleton=skeleton, ports=ports)
    assert allowed in refused.value.why
    assert list(tmp_path.iterdir()) == []


def test_answer_decides_the_files_and_nothing_else_of_the_layout(render: Callable[..., Path]) -> None:
    rendered = render(skeleton="none")
    without = set(contents(rendered))
    for answers in ({}, POSTGRES):
        assert set(contents(render(**answers))) - without == FILES - {"capabilities.toml"}
    assert FILES & without == {"capabilities.toml"}  # what is claimed, where nothing is
    assert [path for path in rendered.rglob("*") if path.is_dir() and not any(path.iterdir())] == []


@pytest.mark.parametrize("skeleton", ["sqlite", "postgres"])
def test_a_number_of_the_port_table_stands_in_the_table_alone(new: Callable[..., Path], skeleton: str) -> None:
    for path, (content, _) in contents(new(skeleton=skeleton, ports="web=23000 api=28000 db=25432")).items():
        if path not in ("groundrules.toml", ".copier-answers.yml"):
            assert not [port for port in (b"23000", b"28000", b"25432") if port in content], path


@pytest.fixture(scope="session")
def releases(tmp_path_factory: pytest.TempPathFactory, render: Callable[..., Path]) -> Template:
    """A template with the releases v0.0.9, from before the question, v0.1.0, as in this checkout, and v0.2.0."""
    made = make_template(tmp_path_factory.mktemp("skeletons"))
    made.git("tag", "-d", "v0.1.0")
    kept = {path.name for path in (made.path / "template").iterdir()}
    current = made.path.parent / "current"
    shutil.copytree(made.path / "template", current)
    settings = (made.path / "copier.yml").read_text()

    # As it was: what is rendered for nobody's answer, as plain files, and six questions.
    shutil.rmtree(made.path / "template")
    shutil.copytree(render(skeleton="none"), made.path / "template")
    for name in kept:
        if name.endswith(("answers_file }}.jinja", "config.yaml.jinja")):
            shutil.copy(current / name, made.path / "template" / name)
    (made.path / "template/.copier-answers.yml").unlink()
    (made.path / "template/.pre-commit-config.yaml").unlink()
    before, _, rest = settings.partition("\nskeleton:")
    head, _, questions = before.partition("_exclude:")
    old = f"{head}_exclude: []\n{questions[questions.index('project_name:') :]}\n{rest[rest.index('commit_style:') :]}"
    made.change({"copier.yml": old.replace("skeleton != 'none'", "false")}, "v0.0.9")

    shutil.rmtree(made.path / "template")
    shutil.copytree(current, made.path / "template")
    made.change({"copier.yml": settings}, "v0.1.0")
    made.change(
        {
            "template/services/api/migrate.py": "print('later')\n",
            "template/services/api/later.py": "later = True\n",
            "template/Makefile": (current / "Makefile").read_text() + "# A new line at the end.\n",
        },
        "v0.2.0",
    )
    return made


def update(repository: Repository, releases: Template, *words: str) -> None:
    argv = [sys.executable, "-m", "groundrules", "update", *words]
    execute(argv, repository.path, releases.env)


def test_project_from_before_the_question_gets_nothing_unasked(
    releases: Template, new: Callable[..., Path], tmp_path: Path
) -> None:
    # ANS-03, in a folder whose name reads as a pattern
    shop = Repository(start(new(releases, "v0.0.9"), tmp_path / "[shop]*"))
    assert "skeleton" not in from_yaml(shop.path / ".copier-answers.yml")
    update(shop, releases, "--ref", "v0.1.0")
    assert from_yaml(shop.path / ".copier-answers.yml")["skeleton"] == "none"
    changed = {line[3:].strip('"') for line in shop.git("status", "--short", "-uall").splitlines()}
    assert changed == {".copier-answers.yml", ".pre-commit-config.yaml"}


def test_update_leaves_what_became_of_the_skeleton(
    releases: Template, new: Callable[..., Path], tmp_path: Path
) -> None:
    # UPD-01
    shop = Repository(start(new(releases), tmp_path / "shop"))
    shop.git("rm", "-q", "services/api/database.py", "tests/test_api.py")
    shop.write("services/api/__main__.py", "# ours\n")
    shop.commit("services/api/later.py", "# ours too\n")
    update(shop, releases)
    changed = {line[3:] for line in shop.git("status", "--short", "-uall").splitlines()}
    assert changed == {".copier-answers.yml", ".pre-commit-config.yaml", "AGENTS.md", "Makefile"}
    assert from_yaml(shop.path / ".copier-answers.yml")["skeleton"] == "sqlite"


def test_another_answer_takes_no_file_away(releases: Template, new: Callable[..., Path], tmp_path: Path) -> None:
    # Copier deletes a file that an answer switches off, edits included.
    shop = Repository(start(new(releases), tmp_path / "shop"))
    before = {path: content for path, content in contents(shop.path).items() if path in FILES}
    words = ("update", "--quiet", "--defaults", "-r", "v0.2.0", "--data", "skeleton=none")
    releases.copier(*words, cwd=shop.path)
    assert {path: content for path, content in contents(shop.path).items() if path in FILES} == before
    assert from_yaml(shop.path / ".copier-answers.yml")["skeleton"] == "none"


def test_seeded_files_are_left_alone_by_a_copy_over_them(
    template: Template, new: Callable[..., Path], tmp_path: Path
) -> None:
    shop = Repository(new())
    for path in FILES:
        shop.write(path, "# ours\n")
    words = ("copy", "--quiet", "--defaults", "--overwrite", str(template.path), str(shop.path))
    template.copier(*words, "--data", "skeleton=sqlite", cwd=tmp_path)
    assert {path: (shop.path / path).read_text() for path in FILES} == dict.fromkeys(FILES, "# ours\n")
