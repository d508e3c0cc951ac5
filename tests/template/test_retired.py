"""A path that the template gives up is in `_exclude` for ever: without that, an update deletes a project's file."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
import yaml

from conftest import ROOT, Repository
from template.conftest import GITLAB, POSTGRES, Template, contents, make_template, start
from template.retired import lost, read, releases, rendered

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DEFAULTS = {
    "skeleton": "sqlite",
    "ports": "web=3000 api=8000 db=5432",
    "tools": "claude",
    "forge": "github",
    "commit_style": "plain",
}
SHALLOW = subprocess.run(
    ["git", "-C", ROOT, "rev-parse", "--is-shallow-repository"], capture_output=True, text=True, check=False
).stdout.startswith("true")
GITHUB = "template/{% if forge == 'github' %}"
OWNERS = f"{GITHUB}OWNERS{{% endif %}}"
FIRST = {"template/README.md": "", "template/docs/old.md": "", OWNERS: "", "template/services/api.py": ""}


@pytest.mark.skipif(SHALLOW, reason="a shallow clone does not have the releases")
def test_no_path_of_any_release_is_lost_by_an_update(template: Template) -> None:
    # UPD-19 UPD-26
    new = read(template.path, "HEAD")
    assert [(tag, *row) for tag in releases(ROOT) for row in lost(read(ROOT, tag), new).items()] == []


@pytest.mark.parametrize(
    "answers", [{}, POSTGRES, GITLAB, {"tools": "gemini copilot", "forge": "none"}, {"skeleton": "none", "tools": ""}]
)
def test_paths_are_those_that_copier_renders(
    render: Callable[..., Path], template: Template, answers: dict[str, str]
) -> None:
    found = rendered(read(template.path, "HEAD"), {**DEFAULTS, **answers})
    assert found == set(contents(render(**answers)))


@pytest.fixture
def made(tmp_path: Path) -> Repository:
    """A small template with one release."""
    repository = Repository(tmp_path / "made")
    repository.path.mkdir()
    repository.git("init", "-q", "-b", "main", "--template=")
    release(repository, "v0.1.0", FIRST)
    return repository


def release(repository: Repository, version: str, files: dict[str, str], *exclude: str) -> None:
    """Make `files` all that the template has, and tag it."""
    repository.git("rm", "-q", "-r", "--ignore-unmatch", "template")
    settings = {"_subdirectory": "template", "_templates_suffix": ".jinja", "_exclude": ["/services", *exclude]}
    repository.write("copier.yml", yaml.safe_dump(settings))
    for name, content in files.items():
        repository.write(name, content)
    repository.commit("NEWS", version)
    if version:
        repository.git("tag", "-a", "-m", version, version)


def without(*names: str, **more: str) -> dict[str, str]:
    return {**{name: content for name, content in FIRST.items() if name not in names}, **more}


def lost_since(repository: Repository, tag: str = "v0.1.0") -> set[str]:
    return set(lost(read(repository.path, tag), read(repository.path, "HEAD")))


NEXT: dict[str, tuple[set[str], dict[str, str], tuple[str, ...]]] = {
    "nothing changes": (set(), FIRST, ()),
    "a page goes": ({"docs/old.md"}, without("template/docs/old.md"), ()),
    "a page goes and is excluded": (set(), without("template/docs/old.md"), ("/docs/old.md",)),
    "its folder is excluded": (set(), without("template/docs/old.md"), ("/docs/",)),
    "another is excluded": ({"docs/old.md"}, without("template/docs/old.md"), ("/docs/older.md", "/old.md")),
    "it is excluded from copies alone": (
        {"docs/old.md"},
        without("template/docs/old.md"),
        ("{% if _copier_operation == 'copy' %}/docs/old.md{% endif %}",),
    ),
    "it is excluded for some": (
        {"docs/old.md"},
        without("template/docs/old.md"),
        ("{% if forge == 'gitlab' %}/docs/old.md{% endif %}",),
    ),
    "a page moves": ({"docs/old.md"}, {**without("template/docs/old.md"), "template/docs/new.md": ""}, ()),
    "a page is rendered from now on": (
        set(),
        {**without("template/docs/old.md"), "template/docs/old.md.jinja": ""},
        (),
    ),
    "a page becomes that of one forge": (
        {"README.md"},
        {**without("template/README.md"), f"{GITHUB}README.md{{% endif %}}": ""},
        (),
    ),
    "a file of one forge becomes everybody's": (set(), {**without(OWNERS), "template/OWNERS": ""}, ()),
    "a file of one forge goes": ({"OWNERS"}, without(OWNERS), ()),
    "a page comes": (set(), {**FIRST, "template/docs/new.md": ""}, ()),
    "the skeleton, which was never copied, goes": (set(), without("template/services/api.py"), ()),
}


@pytest.mark.parametrize("name", NEXT)
def test_what_an_update_deletes_is_named(made: Repository, name: str) -> None:
    expected, files, exclude = NEXT[name]
    release(made, "", files, *exclude)
    assert lost_since(made) == expected


def test_an_entry_that_is_dropped_later_is_missed_by_older_releases(made: Repository) -> None:
    gone = without("template/docs/old.md")
    release(made, "v0.2.0", gone, "/docs/old.md")
    release(made, "v0.10.0", gone, "/docs/old.md")
    release(made, "", gone)
    made.git("tag", "nightly")
    assert releases(made.path) == ["v0.1.0", "v0.2.0", "v0.10.0"]
    assert [lost_since(made, tag) for tag in releases(made.path)] == [{"docs/old.md"}, set(), set()]


def test_releases_of_another_line_are_not_asked(made: Repository) -> None:
    made.git("checkout", "-q", "-b", "line")
    release(made, "v0.2.0", {**FIRST, "template/docs/line.md": ""})
    made.git("checkout", "-q", "main")
    assert releases(made.path) == ["v0.1.0"]


@pytest.mark.parametrize("is_excluded", [False, True])
def test_copier_deletes_what_is_named_and_keeps_what_is_excluded(tmp_path: Path, *, is_excluded: bool) -> None:
    page = "docs/agents/ports.md"
    made = make_template(tmp_path / "template")
    made.copier("copy", "--quiet", "--defaults", str(made.path), "shop", cwd=tmp_path)
    shop = Repository(start(tmp_path / "shop", tmp_path / "kiosk"))
    settings = (made.path / "copier.yml").read_text()
    entry = f"_exclude:\n  - /{page} # retired by 0.2.0\n" if is_excluded else "_exclude:\n"
    made.git("rm", "-q", f"template/{page}")
    made.change({"copier.yml": settings.replace("_exclude:\n", entry)}, "v0.2.0")
    assert set(lost(read(made.path, "v0.1.0"), read(made.path, "HEAD"))) == (set() if is_excluded else {page})
    made.copier("update", "--quiet", "--defaults", cwd=shop.path)
    assert (shop.path / page).exists() == is_excluded
