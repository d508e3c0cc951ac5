"""Counts: how many lines each changed file gains and loses. git counts them, and only when a rule asks."""

from __future__ import annotations

import os

from groundrules_hooks.git import git, here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Lines = dict[str, tuple[int, int]]

# Trees alone are compared: git would read the index first, which grows with the repository.
NO_INDEX = "/nonexistent/index"
BINARY = 8000  # bytes in which git looks for a NUL


class Counts:
    """The lines of all that one `git diff-tree` with `args` and `stdin` compares."""

    def __init__(self, *args: str, stdin: bytes = b"") -> None:
        self._args = args
        self._stdin = stdin
        self._lines: dict[str, Lines] = {}

    @property
    def known(self) -> bool:
        """Whether git has counted already."""
        return bool(self._lines)

    def of(self, commit: str) -> Lines:
        """Return the lines that each file of `commit` gains and loses, by its path; none in what git takes for binary.

        `commit` is empty where two trees are compared.
        """
        if not self.known:
            env = {**here(), "GIT_INDEX_FILE": NO_INDEX}
            counted = git("diff-tree", "--numstat", *self._args, stdin=self._stdin, env=env)
            self._lines = _parsed(iter(counted.split(b"\0")))
        return self._lines.get(commit, {})


def most(old: bytes | None, new: bytes | None) -> int:
    """Return how many lines git counts at most from `old` to `new`: all from the first that differs to the last.

    None in what git takes for binary by its contents.
    """
    if old is None and new is None:
        return 2  # a submodule has one line on each side
    if b"\0" in (old or b"")[:BINARY] or b"\0" in (new or b"")[:BINARY]:
        return 0
    before, after = (old or b"").split(b"\n"), (new or b"").split(b"\n")
    ends = 2 if before[-1] != after[-1] else 0  # the last line is another one without its newline
    while before and after and before[-1] == after[-1]:
        del before[-1], after[-1]
    same = next((at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other), None)
    start = min(len(before), len(after)) if same is None else same
    return len(before) + len(after) - 2 * start + ends


def _parsed(words: Iterator[bytes]) -> dict[str, Lines]:
    """Return what `--numstat -z` tells of each commit, or of none.

    A word is `added removed path`, or an empty path with the old and the new one behind it, or the id of a commit.
    """
    lines: Lines = {}
    found = {"": lines}
    for word in words:
        if b"\t" in word:
            added, removed, path = word.split(b"\t", 2)
            if not path:
                next(words)
                path = next(words)
            lines[os.fsdecode(path)] = (0, 0) if added == b"-" else (int(added), int(removed))
        elif word:
            lines = found.setdefault(word.decode(), {})
    return found
