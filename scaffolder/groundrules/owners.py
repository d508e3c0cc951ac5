"""Owners: who answers for a path by CODEOWNERS, and which paths a person must look at after a conflict."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groundrules_hooks.change import Tree
from groundrules_hooks.globs import matches, problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from groundrules_hooks.config import Config

PLACES = (".github/CODEOWNERS", ".gitlab/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
EVERYTHING = ("*", "**", "/**")


class Owned(NamedTuple):
    """One line of CODEOWNERS: its pattern as globs, and whom it names."""

    globs: tuple[str, ...]
    owners: tuple[str, ...]


class Risk(NamedTuple):
    """A path that is high-risk, and who owns it, as far as CODEOWNERS says."""

    path: str
    owners: tuple[str, ...]


def high_risk(config: Config, commit: str, paths: Iterable[str]) -> list[Risk]:
    """Return those of `paths` that `[merge] high_risk` or a line of CODEOWNERS in `commit` is about.

    A line for all files names their owners and makes none of them high-risk.
    """
    contents = Tree(commit).read(*PLACES)
    rows = list(_rows(next((contents[place] for place in PLACES if place in contents), b"").decode("utf-8", "replace")))
    found = []
    for path in paths:
        row = next((row for row in reversed(rows) if matches(path, row.globs)), Owned((), ()))
        particular = row.owners and row.globs[0] not in EVERYTHING
        if particular or matches(path, config.merge.high_risk):
            found.append(Risk(path, row.owners))
    return found


def _rows(text: str) -> Iterator[Owned]:
    """Yield the lines of CODEOWNERS; a pattern that our globs do not know, and a section's header, is left out."""
    for line in text.splitlines():
        pattern, *owners = line.partition("#")[0].split() or ["!"]
        globs = tuple(_globs(pattern))
        if not pattern.startswith(("[", "^[", "!")) and not any(map(problem, globs)):
            yield Owned(globs, tuple(owners))


def _globs(pattern: str) -> Iterator[str]:
    """Yield the globs of a pattern of CODEOWNERS: anywhere unless it has a slash inside, and all that is below it."""
    if pattern in EVERYTHING:
        yield pattern
        yield "**"
        return
    anchored = "/" in pattern.rstrip("/")
    whole = pattern.strip("/") if anchored else f"**/{pattern.strip('/')}"
    if not pattern.endswith("/"):
        yield whole
    if not whole.endswith("*"):
        yield f"{whole}/**"
