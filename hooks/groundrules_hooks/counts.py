"""Counts: how many lines each changed file gains and loses. git counts them, and only when a rule asks."""

from __future__ import annotations

import os

from groundrules_hooks import alike
from groundrules_hooks.coprocess import Coprocess
from groundrules_hooks.git import git, here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Lines = dict[str, tuple[int, int]]

# Trees alone are compared: git would read the index first, which grows with the repository.
NO_INDEX = "/nonexistent/index"
BINARY = 8000  # bytes in which git looks for a NUL
FEW = 40  # lines; among fewer it is not worth to look for some that stayed
TRIES = 8  # lines that are looked for; one that is there twice could be either


class Counts:
    """The lines of all that `git diff-tree` with `args` compares: of two trees, or of each commit that is asked for."""

    def __init__(self, *args: str) -> None:
        self._args = ("--numstat", *args)
        self._env = {**here(), "GIT_INDEX_FILE": NO_INDEX}
        self._git = Coprocess("diff-tree", "--stdin", *self._args, env=self._env)
        self._lines: dict[str, Lines] = {}

    def of(self, commit: str) -> Lines:
        """Return the lines that each file of `commit` gains and loses, by its path; none in what git takes for binary.

        `commit` is empty where two trees are compared.
        """
        if commit not in self._lines:
            shown = self._shown(commit) if commit else git("diff-tree", *self._args, env=self._env)
            self._lines[commit] = _parsed(iter(shown.split(b"\0")))
        return self._lines[commit]

    def _shown(self, commit: str) -> bytes:
        """Return what git shows of `commit`: its id, and what `_parsed` reads.

        git repeats what is no id, and flushes then. No path of a commit can hold the commit's own id.
        """
        end = f"end of {commit}\n".encode()
        self._git.ask(f"{commit}\n".encode() + end)
        shown = self._git.line()
        while not shown.endswith(end):
            shown += self._git.line()
        return shown.removesuffix(end)


def most(old: bytes | None, new: bytes | None, enough: int = FEW) -> int:
    """Return how many lines change at most from `old` to `new`; of some long changes git counts a few more.

    None in what git takes for binary by its contents. A bound of up to `enough` is looked at no closer.
    """
    if old is None and new is None:
        return 2  # a submodule has one line on each side
    if b"\0" in (old or b"")[:BINARY] or b"\0" in (new or b"")[:BINARY]:
        return 0
    return _changed(_lines(old or b""), _lines(new or b""), enough)


def _lines(content: bytes) -> bytes:
    """Return `content` with a newline before and behind each line; a last line without one is another line."""
    return b"\n%s%s" % (content, b"\0\n" if content and not content.endswith(b"\n") else b"")


def _changed(old: bytes, new: bytes, enough: int = FEW) -> int:
    """Count the lines outside of what both sides have in order: what they begin and end with, and lines between.

    Bytes are compared and searched, which takes a hundredth of the time that lists of lines do.
    """
    _, old, new = alike.lines(old, new)
    count = old.count(b"\n") + new.count(b"\n") - 2
    if count <= enough or len(old) == 1 or len(new) == 1:
        return count
    here = len(old) // 2
    for _ in range(TRIES):
        here = old.find(b"\n", here)
        line = old[here : old.find(b"\n", here + 1) + 1]
        there = new.find(line) if line else -1
        if there >= 0 and new.find(line, there + 1) < 0:
            size = len(line) - 1
            return _changed(old[: here + 1], new[: there + 1]) + _changed(old[here + size :], new[there + size :])
        here += 1
    return count


def _parsed(words: Iterator[bytes]) -> Lines:
    """Return what `--numstat -z` tells: `added removed path`, of a move an empty path with the old and the new one."""
    lines: Lines = {}
    for word in words:
        if b"\t" not in word:  # the id of the commit
            continue
        added, removed, path = word.split(b"\t", 2)
        if not path:
            next(words)
            path = next(words)
        lines[os.fsdecode(path)] = (0, 0) if added == b"-" else (int(added), int(removed))
    return lines
