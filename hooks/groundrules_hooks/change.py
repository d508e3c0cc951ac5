"""Change: what one commit does, or a whole branch, read from git once into plain values for the rules."""

from __future__ import annotations

import os

from groundrules_hooks.git import answer, git, here, is_oid
from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from groundrules_hooks.worktree import Worktree

# Of git's raw records (gitformat-diff): the kinds whose record holds two paths.
TWO_PATHS = "RC"
NO_INDEX = "/nonexistent/index"


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
    """A snapshot to read from: the tree that `source`, a commit or a tree, names."""

    source: str

    def read(self, *paths: str) -> dict[str, bytes]:
        """Return the contents of those of `paths` that are files here; links give the path they point to."""
        asked = {path: os.fsencode(f"{self.source}:{path}") for path in paths}
        reply = git("cat-file", "--batch", "-z", stdin=b"\0".join([*asked.values(), b""])) if paths else b""
        return dict(_contents(reply, asked))

    def has(self, *paths: str) -> set[str]:
        """Return those of `paths` that are files or folders here."""
        bare = {path: path.rstrip("/") for path in paths if _is_inside(path)}
        # A folder is an entry of its own; -t keeps it when a file in it is asked for too.
        found = set(self._entries("-t", *bare.values())) if bare else set()
        return {path for path, name in bare.items() if name in found}

    def files(self, *folders: str) -> list[str]:
        """Return the paths of all files at or below `folders`, or all there are."""
        return self._entries("-r", *folders)

    def _entries(self, how: str, *paths: str) -> list[str]:
        options = ("-z", how, "--full-tree", "--name-only")
        reply = git("--literal-pathspecs", "ls-tree", *options, self.source, "--", *paths)
        return [os.fsdecode(path) for path in reply.split(b"\0") if path]


class Change(NamedTuple):
    """What a rule judges.

    While committing, `commit` is None, `tree` what git will commit, `base` HEAD, and `worktree` where it happens. In a
    range each commit is a change of its own (`parents` counts them), and the whole branch is one more, whose `base` is
    where it started and `target` the refs of the branch it will merge into. `message` is what git stores. `task` and
    `branch` are None where nobody knows them.
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
    """Return the change that the commit in progress makes: from HEAD to the tree that git will commit.

    Of a merge, what a person changed: from the tree that git merged by itself, conflicts included. What the other side
    brings was judged there.
    """
    against = _merged(worktree) or worktree.head or os.fsdecode(git("hash-object", "-t", "tree", os.devnull).strip())
    tree = staged_tree(worktree)
    # A command of git's plumbing: no setting of the user's changes what it prints.
    raw = _diff("-r", "-z", "-M", "--ignore-submodules=none", against, tree, "--")
    files = tuple(parse_raw(iter(raw.split(b"\0"))))
    return Change(files, Tree(tree), task=task, branch=worktree.branch, base=against, worktree=worktree)


def _merged(worktree: Worktree) -> str | None:
    """Return the tree that git made of the merge in progress by itself; None when there is no merge of two."""
    try:
        with open(os.path.join(worktree.git_dir, "MERGE_HEAD"), encoding="ascii") as file:
            theirs = file.read().split()
    except FileNotFoundError:
        return None
    if len(theirs) != 1 or worktree.head is None:
        return None
    code, out = answer("merge-tree", "--write-tree", worktree.head, theirs[0], ok=(0, 1, 128))
    tree = out.partition(b"\n")[0].decode("ascii", "replace")
    return tree if code != 128 and is_oid(tree) else None


def staged_tree(worktree: Worktree) -> str:
    """Return the id of the tree in the index that git named for this commit.

    git has written it by the time a hook runs. `git write-tree` would lock the index to tell; told of a second name of
    the same file, it locks that one.
    """
    index = os.environ.get("GIT_INDEX_FILE") or os.path.join(worktree.git_dir, "index")
    second = os.path.join(worktree.git_dir, f"groundrules-index-{os.getpid()}")
    try:
        os.link(index, second)
    except OSError:  # nothing was ever staged, or a disk without hard links
        return os.fsdecode(git("write-tree").strip())
    try:
        return os.fsdecode(git("write-tree", env={**here(), "GIT_INDEX_FILE": second}).strip())
    finally:
        os.unlink(second)


def commits(head: str, without: Iterable[str]) -> list[Change]:
    """Return one change for each commit that `head` contains and none of `without` does, oldest first.

    Two git processes in all, however many commits.
    """
    limits = [head, *(f"^{ref}" for ref in without)]
    form = "--format=%H%n%P%n%B"
    log = git("log", "-z", "--reverse", "--topo-order", "--encoding=UTF-8", "--no-show-signature", form, *limits, "--")
    messages = [os.fsdecode(record).split("\n", 2) for record in log.split(b"\0") if record]
    oids = "".join(f"{oid}\n" for oid, _, _ in messages)
    # A merge shows what it brought to its first parent.
    options = ("-r", "-z", "-M", "--root", "--diff-merges=first-parent", "--ignore-submodules=none")
    raw = _diff("--stdin", *options, stdin=oids.encode()) if oids else b""
    files = _by_commit(raw)
    return [
        Change(files.get(oid, ()), Tree(oid), commit=oid, parents=len(parents.split()), message=message)
        for oid, parents, message in messages
    ]


def _diff(*args: str, stdin: bytes = b"") -> bytes:
    """Run `git diff-tree` on trees alone: it would read the index first, which grows with the repository."""
    return git("diff-tree", *args, stdin=stdin, env={**here(), "GIT_INDEX_FILE": NO_INDEX})


def _by_commit(raw: bytes) -> dict[str, tuple[File, ...]]:
    """Split what `diff-tree --stdin -z` prints: a commit id, then its records; nothing for a commit without any."""
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


def _contents(reply: bytes, asked: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Split what `cat-file --batch` prints: `id type size`, newline, content, newline; or what was asked and `missing`.

    What is asked holds a colon, so no header of an object can be taken for it, whatever the path.
    """
    position = 0
    for path, words in asked.items():
        missing = words + b" missing\n"
        if reply.startswith(missing, position):
            position += len(missing)
            continue
        end = reply.index(b"\n", position)
        _, kind, *size = reply[position:end].split(b" ")
        position = end + 1
        if size:  # newer git says no more of a submodule than its id
            if kind == b"blob":
                yield path, reply[position : position + int(size[0])]
            position += int(size[0]) + 1


def _is_inside(path: str) -> bool:
    """Whether git can be asked for `path`: it names something below the root."""
    return path.rstrip("/") not in ("", ".") and not path.startswith("/") and ".." not in path.split("/")
