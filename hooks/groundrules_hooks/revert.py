"""Reverts: the commits that a message says it takes back, and what they changed."""

from __future__ import annotations

import os

from groundrules_hooks.git import git
from groundrules_hooks.message import REVERTS, trailers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Touched = Mapping[str, set[str]]

SAID = "This reverts commit "  # as git revert begins a line
REQUEST = "\nReverts "  # as GitHub writes it, with the name of the pull request behind it
SHORTEST = 7  # letters of a commit's id


def named(message: str) -> list[str]:
    """Return the ids, whole or short, of the commits that `message` takes back: in git's words or by the trailer."""
    said = [line.removeprefix(SAID).split()[:1] for line in message.split("\n") if line.startswith(SAID)]
    words = [word.rstrip(".,") for each in said for word in each] + trailers(message, REVERTS)
    return [word for word in words if len(word) >= SHORTEST and not set(word) - set("0123456789abcdef")]


def touched(names: Iterable[str]) -> Touched:
    """Return the paths that each of the commits `names` changed; one that is not here is left out."""
    asked = list(dict.fromkeys(names))
    if not asked:
        return {}
    told = git("cat-file", "--batch-check=%(objecttype) %(objectname)", stdin="\n".join([*asked, ""]).encode())
    kinds = [line.split(" ") for line in told.decode().splitlines()]
    known = {name: kind[1] for name, kind in zip(asked, kinds, strict=False) if kind[0] == "commit"}
    command = (
        "diff-tree",
        "--stdin",
        "-r",
        "-z",
        "--root",
        "--no-renames",
        "--name-only",
        "--diff-merges=first-parent",
    )
    shown = git(*command, stdin="".join(f"{oid}\n" for oid in known.values()).encode())
    paths: dict[str, set[str]] = {oid: set() for oid in known.values()}
    oid = ""
    for word in os.fsdecode(shown).split("\0"):
        if word in paths:  # the id of a commit stands before its paths, and ends as they do
            oid = word
        elif word:
            paths[oid].add(word)
    return {name: paths[oid] for name, oid in known.items()}


def taken_back(message: str, paths: set[str], known: Touched) -> set[str]:
    """Return what the commits that `message` takes back changed; none if it takes back none.

    GitHub's message of a pull request that takes another back names no commit: then it is all of `paths`.
    """
    request = message.partition(REQUEST)[2].partition("\n")[0]
    names = named(message)
    if not names and message.startswith('Revert "') and "#" in request and " " not in request.strip():
        return paths
    return {path for name in names for path in known.get(name, ())}
