"""Change: what one commit does, or a whole branch, read from git once into plain values for the rules."""

from __future__ import annotations

import os

from groundrules_hooks.counts import NO_INDEX, Counts
from groundrules_hooks.git import answer, git, here, is_oid
from groundrules_hooks.objects import NOTHING, Objects
from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from groundrules_hooks.counts import Lines
    from groundrules_hooks.worktree import Worktree

# Of git's raw records (gitformat-diff): the kinds whose record holds two paths.
TWO_PATHS = "RC"
BLOBS = ("100644", "100755", "120000")
ANSWERS = ".copier-answers.yml"
# Plumbing, and the limit of rename detection is git's own default: no setting of the user's changes what it prints.
PLAIN = ("-r", "-z", "-M", "-l1000", "--ignore-submodules=none")
ATTRIBUTES = ".gitattributes"


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
    """A snapshot to read from: the tree that `source`, a commit or a tree, names.

    Its .gitattributes are those of `declaring`, where an earlier commit with the same ones is known.
    """

    source: str
    objects: Objects | None = None
    declaring: str = ""

    def read(self, *paths: str) -> dict[str, bytes]:
        """Return the contents of those of `paths` that are files here; links give the path they point to."""
        contents = (self.objects or Objects()).read([os.fsencode(f"{self.source}:{path}") for path in paths])
        return {path: content for path, content in zip(paths, contents, strict=True) if content is not None}

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
    where it started and `target` the refs of the branch it will merge into, which are known to contain the base if
    `based`. `message` is what git stores. `task` and `branch` are None where nobody knows them. `reverts` are the paths
    that the commits changed which it says it takes back. `counts` are for `lines`.
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
    based: bool = False
    worktree: Worktree | None = None
    reverts: frozenset[str] | set[str] = frozenset()
    counts: Counts | None = None

    @property
    def is_one(self) -> bool:
        """Whether the change is one by where it comes from: a merge, a first commit, a revert, a template's update."""
        is_revert = bool(self.reverts) and self.paths <= self.reverts
        return self.parents != 1 or is_revert or any(file.path == ANSWERS for file in self.files)

    @property
    def paths(self) -> set[str]:
        """Every path the change touches, the old names of moved files included."""
        return paths_of(self.files)

    @property
    def lines(self) -> Lines:
        """How many lines each file of a commit gains and loses, by its path: git counts when this is asked first."""
        return self.counts.of(self.commit or "") if self.counts else {}

    def contents(self, files: Sequence[File]) -> Iterator[tuple[bytes | None, bytes | None]]:
        """Yield what each of `files` held before and holds now; None for a side that is no blob."""
        sides = [side for file in files for side in ((file.old_mode, file.old_id), (file.new_mode, file.new_id))]
        both = self._read(sides)
        return zip(both, both, strict=True)

    def results(self, files: Sequence[File]) -> Iterator[bytes | None]:
        """Yield what each of `files` holds now, without reading what it held before; None for what is no blob."""
        return self._read([(file.new_mode, file.new_id) for file in files])

    def _read(self, sides: Sequence[tuple[str, str]]) -> Iterator[bytes | None]:
        names = [oid.encode() if mode in BLOBS else NOTHING for mode, oid in sides]
        return (self.tree.objects or Objects()).each(names)


def staged(worktree: Worktree, task: str | None, meanwhile: Callable[[], object] = bool) -> Change:
    """Return the change that the commit in progress makes: from HEAD to the tree that git will commit.

    Of a merge, what a person changed: from the tree that git merged by itself, conflicts included. What the other side
    brings was judged there. What is to be done `meanwhile` is done while git reads the index.
    """
    against = _merged(worktree) or worktree.head or os.fsdecode(git("hash-object", "-t", "tree", os.devnull).strip())
    tree = staged_tree(worktree, meanwhile)
    objects = Objects(os.path.join(worktree.common_dir, "objects"))
    files = parse_raw(iter(_diff(*PLAIN, against, tree, "--", meanwhile=objects.start).split(b"\0")))
    parents = 0 if worktree.head is None else 2 if os.path.exists(os.path.join(worktree.git_dir, "MERGE_HEAD")) else 1
    return Change(
        files,
        Tree(tree, objects),
        parents=parents,
        task=task,
        branch=worktree.branch,
        base=against,
        worktree=worktree,
        reverts=_taken_back(worktree.git_dir),
        counts=Counts(*PLAIN, against, tree, "--"),
    )


def reverting(git_dir: str) -> str:
    """Return the id of the commit that git is taking back in the worktree of `git_dir`; empty when it does not."""
    try:
        with open(os.path.join(git_dir, "REVERT_HEAD"), encoding="ascii") as file:
            return file.read().strip()
    except FileNotFoundError:
        return ""


def _taken_back(git_dir: str) -> set[str]:
    """Return what the commit changed that git is taking back; nothing when it does not."""
    name = reverting(git_dir)
    if not name:
        return set()
    from groundrules_hooks.revert import touched

    return touched([name]).get(name, set())


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


def staged_tree(worktree: Worktree, meanwhile: Callable[[], object] = bool) -> str:
    """Return the id of the tree in the index that git named for this commit.

    git has written it by the time a hook runs. `git write-tree` would lock the index to tell; told of a second name of
    the same file, it locks that one. What is to be done `meanwhile` is done while git reads.
    """
    index = os.environ.get("GIT_INDEX_FILE") or os.path.join(worktree.git_dir, "index")
    second = os.path.join(worktree.git_dir, f"groundrules-index-{os.getpid()}")
    try:
        os.link(index, second)
    except OSError:  # nothing was ever staged, or a disk without hard links
        return os.fsdecode(git("write-tree", meanwhile=meanwhile).strip())
    try:
        env = {**here(), "GIT_INDEX_FILE": second}
        return os.fsdecode(git("write-tree", env=env, meanwhile=meanwhile).strip())
    finally:
        os.unlink(second)


def paths_of(files: Sequence[File]) -> set[str]:
    """Return every path that `files` touch, the old names of moved ones included."""
    return {file.path for file in files} | {file.old for file in files}


def between(old: str, new: str, *paths: str) -> tuple[File, ...]:
    """Return the files that differ between two trees or commits, of `paths` alone if given."""
    return parse_raw(iter(_diff(*PLAIN, old, new, "--", *paths).split(b"\0")))


def _diff(*args: str, meanwhile: Callable[[], object] = bool) -> bytes:
    """Run `git diff-tree` on trees alone: it would read the index first, which grows with the repository."""
    return git("diff-tree", *args, env={**here(), "GIT_INDEX_FILE": NO_INDEX}, meanwhile=meanwhile)


def parse_raw(words: Iterator[bytes]) -> tuple[File, ...]:
    """Return the files of raw records (`-z`): `:modes ids status`, NUL, path, NUL, and a second path for a move."""
    return tuple(file_of(word, words) for word in words if word)


def file_of(record: bytes, words: Iterator[bytes]) -> File:
    """Return the file of one raw record; its paths are the next of `words`."""
    old_mode, new_mode, old_id, new_id, status = record[1:].decode().split(" ")
    first = os.fsdecode(next(words))
    path = os.fsdecode(next(words)) if status[0] in TWO_PATHS else first
    return File(status[0], path, first, old_mode, new_mode, old_id, new_id)


def _is_inside(path: str) -> bool:
    """Whether git can be asked for `path`: it names something below the root."""
    return path.rstrip("/") not in ("", ".") and not path.startswith("/") and ".." not in path.split("/")
