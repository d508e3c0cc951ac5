"""Snapshot: the tree that the files of a worktree are right now, ignored ones apart; what a check really runs on."""

from __future__ import annotations

import os

from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import quote, shown
from groundrules_hooks.git import FIXED, GitError, elsewhere, git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from groundrules_hooks.worktree import Worktree

# Settings that would hide an edit, leave a file out, or write beside the index that git was told to use.
PINNED = (
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.splitIndex=false",
    "core.safecrlf=false",
    "add.ignoreErrors=false",
    "status.showUntrackedFiles=normal",
)
GITLINK = b"160000"


def snapshot(worktree: Worktree) -> str:
    """Return the tree of everything in `worktree` that is not ignored; index, HEAD and files stay as they are.

    Raise GroundrulesError where a tree cannot say what is on disk: unmerged or skipped files, a repository inside this
    one, a submodule with changes of its own.
    """
    import tempfile

    with tempfile.TemporaryDirectory(prefix="groundrules-") as folder:
        index = _copy(worktree, os.path.join(folder, "index"))
        _require_whole(worktree, index)
        try:
            _ask(worktree, index, "add", "--all")
        except GitError as error:
            raise GroundrulesError("git cannot take up every file here", why=error.why, fix="git add -An") from None
        tree = os.fsdecode(_ask(worktree, index, "write-tree").strip())
        _require_flat(worktree, index)
    return tree


def _ask(worktree: Worktree, index: str, *args: str, stdin: bytes = b"") -> bytes:
    """Run git at the root of `worktree` with another index; what a hook was told of a repository does not count."""
    pinned = [word for setting in PINNED for word in ("-c", setting)]
    env = {**elsewhere(), **FIXED, "GIT_INDEX_FILE": index, "GIT_LITERAL_PATHSPECS": "1"}
    return git("-C", worktree.root, *pinned, *args, stdin=stdin, env=env)


def _copy(worktree: Worktree, path: str) -> str:
    """Copy the index, which spares git reading every file again, and return `path`.

    The copy keeps its time: by that git tells which entries are too young to be trusted.
    """
    from shutil import copy2

    index = os.path.join(worktree.git_dir, "index")
    if os.path.exists(index):  # else nothing was ever staged
        copy2(index, path)
    return path


def _require_whole(worktree: Worktree, index: str) -> None:
    """Refuse unmerged and skipped files, and have git look at those that it was told to assume unchanged."""
    assumed = []
    for record in _ask(worktree, index, "ls-files", "-v", "-z").split(b"\0"):
        tag, path = record[:1], record[2:]
        if tag in (b"H", b""):
            continue
        if tag == b"M":
            raise GroundrulesError(f"{shown(os.fsdecode(path))} is not merged yet", fix="git status --short")
        if tag in b"Ss":
            raise _skipped(os.fsdecode(path))
        assumed.append(path)
    if assumed:
        # The option comes first: it says what becomes of the paths that follow.
        stdin = b"".join(path + b"\0" for path in assumed)
        _ask(worktree, index, "update-index", "--no-assume-unchanged", "-z", "--stdin", stdin=stdin)


def _skipped(path: str) -> GroundrulesError:
    return GroundrulesError(
        f"git was told to skip {shown(path)}, so nobody can say what is on disk",
        why="a sparse checkout, or `git update-index --skip-worktree`",
        fix=f"git sparse-checkout disable; git update-index --no-skip-worktree -- {quote(path)}",
    )


def _require_flat(worktree: Worktree, index: str) -> None:
    """Refuse a repository inside this one that is no submodule, and a submodule that has changes of its own."""
    after = _gitlinks(worktree, index)
    strangers = after - _gitlinks(worktree, os.path.join(worktree.git_dir, "index")) if after else after
    for path in sorted(strangers):
        ignore = f'mkdir -p "$info" && echo {quote(f"/{path}/")} >>"$info/exclude"'
        raise GroundrulesError(
            f"{shown(path)} is a repository of its own, which moves by itself",
            why="a worktree or a clone inside the checkout: git must ignore it",
            fix=f"info=$(git rev-parse --git-path info) && {ignore}",
        )
    if after:
        _require_committed(worktree, index)


def _gitlinks(worktree: Worktree, index: str) -> set[str]:
    """Return the paths at which an index has another repository."""
    entries = _ask(worktree, index, "ls-files", "--stage", "-z").split(b"\0")
    return {os.fsdecode(entry.partition(b"\t")[2]) for entry in entries if entry.startswith(GITLINK)}


def _require_committed(worktree: Worktree, index: str) -> None:
    status = _ask(worktree, index, "status", "--porcelain=v2", "-z", "--ignore-submodules=none")
    for record in status.split(b"\0"):
        words = os.fsdecode(record).split(" ", 8)
        if words[0] == "1" and words[2][0] == "S" and ("M" in words[2] or "U" in words[2]):
            path = shown(words[8])
            raise GroundrulesError(
                f"the submodule {path} has changes that no commit holds", fix=f"git -C {quote(words[8])} status"
            )
