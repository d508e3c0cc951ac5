"""What an update would delete: paths that a release rendered, this version does not, and `_exclude` does not name.

Copier copies the old release with the `_exclude` of the new one before it compares the two, so a path that is named
there is left alone. Names of files and patterns are rendered here for all answers, without copying anything.
"""

from __future__ import annotations

import subprocess
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import jinja2
import pathspec
import yaml

from template.answers import every_combination

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

ENVIRONMENT = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)  # noqa: S701 (names, not pages)
# What no combination of answers varies.
SAME: dict[str, Any] = {
    "project_name": "kiosk",
    "summary": "A kiosk.",
    "default_branch": "main",
    "_copier_conf": {"answers_file": ".copier-answers.yml"},
}


class Version(NamedTuple):
    """A version of the template: its settings, and the files below the folder that is rendered."""

    settings: dict[str, Any]
    files: tuple[str, ...]


def releases(repository: Path | str) -> list[str]:
    """Return the tags of the releases that HEAD follows, the oldest first."""
    listed = _git(repository, "tag", "--merged", "HEAD", "--list", "v[0-9]*", "--sort=version:refname")
    return listed.split()


def read(repository: Path | str, rev: str) -> Version:
    """Return the template as it is in the commit `rev` of `repository`."""
    settings = yaml.safe_load(_git(repository, "show", f"{rev}:copier.yml"))
    folder = settings["_subdirectory"]
    listed = _git(repository, "ls-tree", "-r", "-z", "--name-only", rev, "--", f"{folder}/").split("\0")
    return Version(settings, tuple(name.removeprefix(f"{folder}/") for name in listed if name))


def rendered(version: Version, answers: Mapping[str, str]) -> set[str]:
    """Return the paths that a first copy of `version` with these answers has."""
    matches = _excluded(version, answers, "copy")
    paths = (_path(name.removesuffix(version.settings["_templates_suffix"]), answers) for name in version.files)
    return {path for path in paths if path and not matches.match_file(path)}


def lost(old: Version, new: Version) -> dict[str, dict[str, str]]:
    """Return the paths that an update from `old` to `new` deletes, each with the first answers by which it does."""
    found: dict[str, dict[str, str]] = {}
    for answers in every_combination():
        matches = _excluded(new, answers, "update")
        for path in rendered(old, answers) - rendered(new, answers):
            if not matches.match_file(path):
                found.setdefault(path, answers)
    return found


def _path(name: str, answers: Mapping[str, str]) -> str:
    """Return `name` as rendered; empty where a part of it is, which renders nothing."""
    parts = [_text(part, answers) for part in name.split("/")]
    return "/".join(parts) if all(parts) else ""


def _excluded(version: Version, answers: Mapping[str, str], operation: str) -> pathspec.GitIgnoreSpec:
    given = {**answers, "_copier_operation": operation}
    return pathspec.GitIgnoreSpec.from_lines(_lines(version.settings.get("_exclude", ()), given))


def _lines(patterns: list[str], given: Mapping[str, str]) -> Iterator[str]:
    for pattern in patterns:
        yield from _text(pattern, given).splitlines()


def _text(source: str, given: Mapping[str, str]) -> str:
    return _compiled(source).render(**SAME, **given) if "{" in source else source


@cache
def _compiled(source: str) -> jinja2.Template:
    return ENVIRONMENT.from_string(source)


def _git(repository: Path | str, *args: str) -> str:
    return subprocess.run(["git", "-C", str(repository), *args], stdout=subprocess.PIPE, text=True, check=True).stdout
