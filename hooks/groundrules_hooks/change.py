"""Change: what one commit does, or a whole branch, read from git once into plain values for the rules."""

from __future__ import annotations

import os

from groundrules_hooks.git import git
from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from groundrules_hooks.worktree import Worktree

# Of git's raw records (gitformat-diff): the kinds whose record holds two paths.
TWO_PATHS = "RC"


class File(NamedTuple):
    """One changed path: `status` is git's letter (A M D R C T), `old` the path before a rename or copy."""

    status: str
    path: str
    old: str
    old_mode: str
    new_mode: str
    old_id: str
    new_id: str


class Tree(NamedTuple):
    """A snapshot to read from: the index (`source` empty) or the tree of the commit `source`."""

    source: str

    def read(self, *paths: str) -> dict[str, bytes]:
        """Return the contents of those of `paths` that are files here; links give the path they point to."""
        asked = b"".join(os.fsencode(f"{self.source or ':0'}:{path}") + b"\0" for path in paths)
        reply = git("cat-file", "--batch", "-z", stdin=asked) if paths else b""
        return dict(_contents(reply, paths))

    def has(self, *paths: str) -> set[str]:
        """Return those of `paths` that are files or folders here."""
        if not paths:
            return set()
        bare = {path: path.rstrip("/") for path in paths}
        if self.source:  # a folder is an entry of its own
            reply = git("ls-tree", "-z", "--full-tree", "--name-only", self.source, "--", *bare.values())
            found = {os.fsdecode(path) for path in reply.split(b"\0")}
        else:  # the index knows folders by their files only
            found = {
                file[: len(path)] for file in self.list(*bare.values()) for path in bare.values() if _below(file, path)
            }
        return {path for path in paths if bare[path] in found}

    def list(self, *folders: str) -> list[str]:
        """Return the paths of all files at or below `folders`, or all there are."""
        if self.source:
            reply = git(
                "--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", "--name-only", self.source, "--", *folders
            )
        else:
            reply = git("--literal-pathspecs", "ls-files", "-z", "--cached", "--full-name", "--", *folders)
        return [os.fsdecode(path) for path in reply.split(b"\0") if path]


class Change(NamedTuple):
    """What a rule judges.

    While committing, `commit` is None, `tree` the index, and `worktree` where it happens. In a range each commit is a
    change of its own (`parents` counts them), and the whole branch is one more, whose `base` is where it started and
    `target` the refs of the branch it will merge into. `message` is what git stores. `task` and `branch` are None where
    nobody knows them.
    """

    files: tuple[File, ...]
    tree: Tree
    commit: str | None = None
    parents: int = 1
    message: str | None = None
    task: str | None = None
    branch: str | None = None
    base: str | None = None
    target: tuple[str, ...] = ()
    worktree: Worktree | None = None

    @property
    def paths(self) -> set[str]:
        """Every path the change touches, the old names of moved files included."""
        return {file.path for file in self.files} | {file.old for file in self.files}


def staged(worktree: Worktree, task: str | None) -> Change:
    """Return the change that the commit in progress makes, read from the index that git named for it."""
    against = worktree.head or os.fsdecode(git("hash-object", "-t", "tree", os.devnull).strip())
    # A command of git's plumbing: no setting of the user's changes what it prints.
    raw = git("diff-index", "--cached", "-r", "-z", "-M", "--ignore-submodules=none", against, "--")
    files = tuple(parse_raw(iter(raw.split(b"\0"))))
    return Change(files, Tree(""), task=task, branch=worktree.branch, worktree=worktree)


def commits(head: str, without: Iterable[str]) -> list[Change]:
    """Return one change for each commit that `head` contains and none of `without` does, oldest first.

    Two git processes in all, however many commits.
    """
    limits = [head, *(f"^{ref}" for ref in without)]
    form = "--format=%H%n%P%n%B"
    log = git("log", "-z", "--reverse", "--topo-order", "--encoding=UTF-8", "--no-show-signature", form, *limits, "--")
    messages = [os.fsdecode(record).split("\n", 2) for record in log.split(b"\0") if record]
    oids = "".join(f"{oid}\n" for oid, _, _ in messages)
    raw = git("diff-tree", "--stdin", "-r", "-z", "-M", "--root", stdin=oids.encode()) if oids else b""
    files = _by_commit(raw)
    return [
        Change(files.get(oid, ()), Tree(oid), commit=oid, parents=len(parents.split()), message=message)
        for oid, parents, message in messages
    ]


def _by_commit(raw: bytes) -> dict[str, tuple[File, ...]]:
    """Split what `diff-tree --stdin -z` prints: a commit id, then its records. A merge prints nothing."""
    found: dict[str, list[File]] = {}
    words = iter(raw.split(b"\0"))
    oid = ""
    for word in words:
        if word.startswith(b":"):
            found[oid].append(_file(word, words))
        elif word:
            oid = word.decode()
            found[oid] = []
    return {oid: tuple(files) for oid, files in found.items()}


def parse_raw(words: Iterator[bytes]) -> Iterator[File]:
    """Yield the files of raw diff records (`-z`): `:modes ids status`, NUL, path, NUL, and a second path for a move."""
    for word in words:
        if word.startswith(b":"):
            yield _file(word, words)


def _file(record: bytes, words: Iterator[bytes]) -> File:
    old_mode, new_mode, old_id, new_id, status = record[1:].decode().split(" ")
    first = os.fsdecode(next(words))
    path = os.fsdecode(next(words)) if status[0] in TWO_PATHS else first
    return File(status[0], path, first, old_mode, new_mode, old_id, new_id)


def _contents(reply: bytes, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Split what `cat-file --batch` prints: `id type size`, newline, content, newline; or the path and `missing`."""
    position = 0
    for path in paths:
        end = reply.index(b"\n", position)
        # A path with a newline is echoed when missing; whole headers have three words and a known type.
        words = reply[position:end].split(b" ")
        if len(words) == 3 and words[1] in (b"blob", b"tree", b"commit", b"tag"):
            size = int(words[2])
            if words[1] == b"blob":
                yield path, reply[end + 1 : end + 1 + size]
            position = end + size + 2
        else:
            echoed = os.fsencode(path).count(b"\n")
            for _ in range(echoed):
                end = reply.index(b"\n", end + 1)
            position = end + 1


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")
