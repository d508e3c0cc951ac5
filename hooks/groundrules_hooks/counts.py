"""Counts: how many lines each changed file gains and loses. git counts them, and only when a rule asks."""

from __future__ import annotations

import os

from groundrules_hooks.git import git, here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Future, ThreadPoolExecutor

    Lines = dict[str, tuple[int, int]]

# Trees alone are compared: git would read the index first, which grows with the repository.
NO_INDEX = "/nonexistent/index"
CHUNK = 100  # commits that are counted at once
BINARY = 8000  # bytes in which git looks for a NUL


class Counts:
    """The lines of all that `git diff-tree` with `args` compares: of two trees, or of each of `commits`."""

    def __init__(self, *args: str, commits: Sequence[str] = ("",)) -> None:
        self._args = args
        self._chunks = [commits[start : start + CHUNK] for start in range(0, len(commits), CHUNK)]
        self._chunk = {commit: number for number, chunk in enumerate(self._chunks) for commit in chunk}
        self._lines: dict[int, dict[str, Lines]] = {}
        self._pool: ThreadPoolExecutor | None = None
        self._counting: list[Future[dict[str, Lines]]] = []

    def __enter__(self) -> None:
        """Let git count beside what else is done: of many commits, somebody will ask about some."""
        if len(self._chunks) > 1:
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(1)
            self._counting = [self._pool.submit(self._count, chunk) for chunk in self._chunks]

    def __exit__(self, *exception: object) -> None:
        if self._pool:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._counting, self._pool = [], None

    def knows(self, commit: str) -> bool:
        """Whether the lines of `commit` are counted and at hand."""
        return self._chunk.get(commit) in self._lines

    def of(self, commit: str) -> Lines:
        """Return the lines that each file of `commit` gains and loses, by its path; none in what git takes for binary.

        `commit` is empty where two trees are compared.
        """
        number = self._chunk[commit]
        if number not in self._lines:
            counting = self._counting
            self._lines[number] = counting[number].result() if counting else self._count(self._chunks[number])
        return self._lines[number].get(commit, {})

    def _count(self, commits: Sequence[str]) -> dict[str, Lines]:
        env = {**here(), "GIT_INDEX_FILE": NO_INDEX}
        stdin = "".join(f"{commit}\n" for commit in commits if commit).encode()
        return _parsed(iter(git("diff-tree", "--numstat", *self._args, stdin=stdin, env=env).split(b"\0")))


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
