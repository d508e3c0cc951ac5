"""What a series holds in many commits at once, read through one git process however many there are."""

from __future__ import annotations

import os

from groundrules_hooks import globs
from groundrules_hooks.series import entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from groundrules_hooks.config import Series
    from groundrules_hooks.objects import Objects
    from groundrules_hooks.series import Entry

TREE = b"tree"
FOLDER_MODE = b"40000"
FILE_MODES = (b"100644", b"100755", b"100664", b"120000")


def read(objects: Objects, sources: Iterable[str], series: Series, width: int) -> dict[str, list[Entry]]:
    """Return the entries of `series` in each of `sources`, which name commits or trees; none for one that is unknown.

    `width` is the length of an object id in hexadecimal digits.
    """
    files = _files(objects, list(dict.fromkeys(sources)), series.paths, width // 2)
    contents: dict[str, bytes | None] = {}
    if series.line:
        asked = list(dict.fromkeys(oid for found in files.values() for oid in found.values()))
        contents = dict(zip(asked, objects.read([oid.encode() for oid in asked]), strict=True))
    # Siblings hold mostly the same.
    known: dict[tuple[tuple[str, str], ...], list[Entry]] = {}
    for held in files.values():
        key = tuple(held.items())
        if key not in known:
            known[key] = [entry for path in sorted(held) for entry in entries(series, path, contents.get(held[path]))]
    return {source: known[tuple(held.items())] for source, held in files.items()}


def _files(objects: Objects, sources: Sequence[str], patterns: Sequence[str], size: int) -> dict[str, dict[str, str]]:
    """Return path and blob id of what `patterns` describe in each source: one level of folders at a time, of all."""
    found: dict[str, dict[str, str]] = {source: {} for source in sources}
    folders = sorted({globs.folder(pattern) for pattern in patterns})
    deepest = max(map(globs.depth, patterns))
    waiting = [(source, folder, f"{source}:{folder}") for source in sources for folder in folders]
    parsed: dict[bytes, list[tuple[bytes, str, str]]] = {}
    fits: dict[str, bool] = {}
    while waiting:
        asked = list(dict.fromkeys(name for _, _, name in waiting))
        trees = dict(zip(asked, objects.read([os.fsencode(name) for name in asked], TREE), strict=True))
        following = []
        for source, folder, name in waiting:
            content = trees[name] or b""
            if content not in parsed:
                parsed[content] = list(_parsed(content, size))
            for mode, entry, oid in parsed[content]:
                path = f"{folder}/{entry}" if folder else entry
                if mode == FOLDER_MODE and path.count("/") + 1 < deepest:
                    following.append((source, path, oid))
                elif mode in FILE_MODES:
                    if path not in fits:
                        fits[path] = globs.matches(path, patterns)
                    if fits[path]:
                        found[source][path] = oid
        waiting = following
    return found


def _parsed(tree: bytes, size: int) -> Iterator[tuple[bytes, str, str]]:
    """Yield mode, name and id of each entry of a tree object: mode, blank, name, NUL, and an id of `size` bytes."""
    at = 0
    while at < len(tree):
        blank = tree.index(b" ", at)
        end = tree.index(b"\0", blank)
        yield tree[at:blank], os.fsdecode(tree[blank + 1 : end]), tree[end + 1 : end + 1 + size].hex()
        at = end + 1 + size
