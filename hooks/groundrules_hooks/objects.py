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
MANY = 500  # contents that are worth a process of their own
BLOCK = 1 << 16  # bytes that are read at once
NOTHING = b""  # the name of what is not there


class Objects:
    """A reader of blobs or trees by name: an id, `TREE:path`, or `NOTHING`, of which there is no content.

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
        if all(name in held for name in names if name):
            return map(held.get, names)
        known = {name: held[name] for name in names if name in held} | {NOTHING: None}
        contents = self._contents([name for name in names if name not in known], kind)
        return (known[name] if name in known else next(contents) for name in names)

    def _contents(self, names: Sequence[bytes], wanted: bytes) -> Iterator[bytes | None]:
        """Return the content of each of `names`, and keep it; many loose ones are read ahead, beginning now."""
        contents = self.unkept(names, wanted)
        if self._loose and len(names) >= MANY:
            from groundrules_hooks.workers import ahead, cores

            if cores() > 1:
                contents = ahead(names, lambda rest: Objects(os.fsdecode(self._loose)).unkept(rest, wanted))
        return (self._hold(name, wanted, content) for name, content in zip(names, contents, strict=True))

    def unkept(self, names: Sequence[bytes], wanted: bytes) -> Iterator[bytes | None]:
        """Yield what `each` does, and keep nothing. One window more is asked for than is yielded: git never waits."""
        answers: list[bytes | None] = []
        ahead: list[tuple[bytes, bytes | None]] = []
        for window in [*_windows(names), ()]:
            read = [(name, _from_disk(self._loose, name)) for name in window]
            unread = [name for name, packed in read if packed is None]
            if unread:
                self._put(unread, wanted, answers)
            for name, packed in ahead:
                yield self._next(answers) if packed is None else self._unpacked(packed, name, wanted)
            ahead = read

    def _hold(self, name: bytes, kind: bytes, content: bytes | None) -> bytes | None:
        """Keep `content` for the next that asks, and return it."""
        size = len(content or b"")
        if size > HELD or name in self._held.get(kind, ()):
            return content
        if size > self._room:  # what was read long ago is asked for by nobody
            self._held.clear()
            self._room = HELD
        self._room -= size
        self._held.setdefault(kind, {})[name] = content
        return content

    def _unpacked(self, packed: bytes, name: bytes, wanted: bytes) -> bytes | None:
        """Return the content of a loose object: `type size`, NUL and content, compressed with a checksum."""
        import zlib

        try:
            head, _, content = zlib.decompress(packed).partition(b"\0")
        except zlib.error:
            answers: list[bytes | None] = []
            self._put([name], wanted, answers)
            return self._next(answers)
        return content if head.startswith(wanted) else None

    def _next(self, answers: list[bytes | None]) -> bytes | None:
        while not answers:
            self._take_in()
        return answers.pop(0)

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


def _from_disk(folder: bytes, name: bytes) -> bytes | None:
    """Return the file of a loose object in `folder` as it is; None where git has to be asked.

    `open` would ask for its size and kind first, which takes as long again.
    """
    if not folder or b":" in name:
        return None
    try:
        file = os.open(b"%s/%s/%s" % (folder, name[:2], name[2:]), os.O_RDONLY)
    except OSError:
        return None
    try:
        blocks = [os.read(file, BLOCK)]
        while len(blocks[-1]) == BLOCK:
            blocks.append(os.read(file, BLOCK))
    except OSError:
        return None
    finally:
        os.close(file)
    return b"".join(blocks)


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
