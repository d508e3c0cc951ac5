"""Merge drivers: attributes that a merge in a worktree obeys, and a prediction leaves out to be the same everywhere."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from groundrules_hooks.finding import shown
from groundrules_hooks.git import git
from groundrules_hooks.lock import held

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from groundrules_hooks.worktree import Worktree

PRIVATE = "info/attributes"


def left_out(worktree: Worktree, conflicting: Iterable[str]) -> Iterator[str]:
    """Yield a line about each driver that may make a merge here end otherwise than predicted."""
    private = os.path.join(worktree.common_dir, PRIVATE)
    if any(_is_merge(word) for line in held(private).splitlines() for word in line.split()[1:]):
        yield f"{shown(private)} sets how files merge, on this machine only; predictions leave it out"
    asked = b"".join(os.fsencode(path) + b"\0" for path in conflicting)
    words = git("-C", worktree.root, "check-attr", "-z", "--stdin", "merge", stdin=asked).split(b"\0") if asked else []
    for path, _, value in zip(words[0::3], words[1::3], words[2::3], strict=False):
        if value not in (b"unspecified", b"set"):
            how = value.decode("utf-8", "replace")
            yield f"{shown(os.fsdecode(path))} has the merge driver {how}; a merge in a worktree may end otherwise"


def _is_merge(word: bytes) -> bool:
    return word.lstrip(b"-!") == b"merge" or word.startswith(b"merge=")
