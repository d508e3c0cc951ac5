"""Objects: contents from git's store, all through one `git cat-file --batch` that ends with its reader.

A sweep stages thousands of loose objects, each of which git opens three times to print it. Where the caller names their
folder they are read here instead, in a fifth of the time; what is not there, or not as git writes it, is git's to tell.
"""

from __future__ import annotations

import os

from groundrules_hooks.coprocess import Coprocess

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# What is asked at once. A pipe holds two, so asking never waits for a git that waits for us to read.
WINDOW = 2048
HELD = 32 << 20  # bytes that are kept for the next rule that asks
BLOCK = 1 << 16  # bytes that are read at once


class Objects:
    """A reader of blobs or trees by name: an id, or `TREE:path`.

    `loose` is the folder of git's loose objects, if they are to be read without git.
    """

    def __init__(self, loose: str = "") -> None:
        self._git = Coprocess("cat-file", "--batch", "-z")
        self._loose = os.fsencode(loose)
        self._held: dict[bytes, dict[bytes, bytes | None]] = {}  # by kind and name
        self._room = HELD
        # What was asked and is not answered yet, in order: name, kind, and the list that is to hold the answer.
        self._due: list[tuple[bytes, bytes, list[bytes | None]]] = []

    def start(self) -> None:
        """Start git now, so that the first answer comes at once."""
        self._git.start()

    def read(self, names: Sequence[bytes], kind: bytes = b"blob") -> list[bytes | None]:
        """Return the content of each of `names`; None for what is missing or of another `kind`."""
        return list(self.each(names, kind))

    def each(self, names: Sequence[bytes], kind: bytes = b"blob") -> Iterator[bytes | None]:
        """Yield what `read` returns while git reads on; who asks may stop early, or ask something else meanwhile."""
        held = self._held.get(kind, {})
        known = {name: held[name] for name in names if name in held}
        unknown = [name for name in names if name not in known]
        loose = {name for name in unknown if self._is_loose(name)}
        answers = self._answers([name for name in unknown if name not in loose], kind)
        for name in names:
            if name in known:
                yield known[name]
            else:
                content = self._from_disk(name, kind) if name in loose else next(answers)
                self._hold(name, kind, content)
                yield content

    def _hold(self, name: bytes, kind: bytes, content: bytes | None) -> None:
        size = len(content or b"")
        if size > HELD or name in self._held.get(kind, ()):
            return
        if size > self._room:  # what was read long ago is asked for by nobody
            self._held.clear()
            self._room = HELD
        self._room -= size
        self._held.setdefault(kind, {})[name] = content

    def _is_loose(self, name: bytes) -> bool:
        return self._loose != b"" and b":" not in name and os.access(self._path(name), os.F_OK)

    def _path(self, name: bytes) -> bytes:
        return b"%s/%s/%s" % (self._loose, name[:2], name[2:])

    def _from_disk(self, name: bytes, wanted: bytes) -> bytes | None:
        """Read a loose object: `type size`, NUL and content, compressed with a checksum."""
        import zlib

        try:
            head, _, content = zlib.decompress(_whole(self._path(name))).partition(b"\0")
        except (OSError, zlib.error):
            return next(self._answers([name], wanted))
        return content if head.startswith(wanted) else None

    def _answers(self, names: Sequence[bytes], wanted: bytes) -> Iterator[bytes | None]:
        """Ask for one window more than is read, so that git never waits for a question."""
        asked: Sequence[bytes] = ()
        answers: list[bytes | None] = []
        for window in [*_windows(names), ()]:
            if window:
                self._put(window, wanted, answers)
            for _ in asked:
                while not answers:
                    self._take_in()
                yield answers.pop(0)
            asked = window

    def _take_in(self) -> None:
        """Read the oldest answer that is due, for whoever asked."""
        name, wanted, answers = self._due[0]
        answers.append(self._answer(name, wanted))
        del self._due[0]

    def _put(self, names: Sequence[bytes], wanted: bytes, answers: list[bytes | None]) -> None:
        """Ask for `names`; what others asked is taken in first, so that the pipes hold no more than two windows."""
        while self._due and self._due[0][2] is not answers:
            self._take_in()
        self._due += [(name, wanted, answers) for name in names]
        self._git.ask(b"\0".join([*names, b""]))

    def _answer(self, name: bytes, wanted: bytes) -> bytes | None:
        """Read `id type size`, newline, content, newline; or what was asked and ` missing`.

        A path may hold newlines. What is asked is no id, or is an id and a colon, so no header can be taken for it.
        """
        missing = name + b" missing\n"
        line = self._git.line()
        if missing.startswith(line):
            for _ in range(missing.count(b"\n") - 1):
                self._git.line()
            return None
        _, kind, *size = line.split()
        if not size:  # newer git says no more of a submodule than its id
            return None
        content = self._git.take(int(size[0]))
        self._git.take(1)  # the newline by itself: without it the content would be copied
        return content if kind == wanted else None


def _whole(path: bytes) -> bytes:
    """Return what the file at `path` holds; `open` would ask for its size and kind first, which takes as long again."""
    file = os.open(path, os.O_RDONLY)
    try:
        parts = [os.read(file, BLOCK)]
        while len(parts[-1]) == BLOCK:
            parts.append(os.read(file, BLOCK))
        return b"".join(parts)
    finally:
        os.close(file)


def _windows(names: Sequence[bytes]) -> Iterator[list[bytes]]:
    window: list[bytes] = []
    size = 0
    for name in names:
        if window and size + len(name) + 1 > WINDOW:
            yield window
            window, size = [], 0
        window.append(name)
        size += len(name) + 1
    if window:
        yield window
