"""Checkouts: the files of one commit on disk, here if they are checked out unchanged, else where nobody works."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING

from groundrules_hooks.git import GitError, elsewhere, git

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules_hooks.worktree import Worktree

RETRIES = 20


@contextmanager
def at(here: Worktree, commit: str) -> Iterator[Worktree]:
    """Yield a worktree whose files are those of `commit`. A throw-away one runs no hook and is gone afterwards."""
    if here.root and here.head == commit and not git("status", "--porcelain", "--untracked-files=normal"):
        yield here
        return
    with tempfile.TemporaryDirectory(prefix="groundrules-gate-") as folder:
        root = os.path.join(os.path.realpath(folder), "tree")
        _worktree("add", "--detach", "--no-checkout", root, commit)
        try:
            git("-C", root, "reset", "--quiet", "--hard", env=elsewhere())
            git_dir = git("-C", root, "rev-parse", "--absolute-git-dir", env=elsewhere())
            place = os.path.realpath(os.fsdecode(git_dir.removesuffix(b"\n")))
            yield here._replace(root=root, git_dir=place, branch=None, head=commit)
        finally:
            _worktree("remove", "--force", root)


def _worktree(*args: str) -> None:
    """Run `git worktree ARGS`, which runs no hook; git stumbles over the entry that another process is just making."""
    for attempt in range(1, RETRIES + 1):
        try:
            git("worktree", *args)
        except GitError as error:
            if "commondir" not in error.why or attempt == RETRIES:
                raise
        else:
            return
