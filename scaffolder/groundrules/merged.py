"""The merged tree of a task and the target, as a commit that no branch has, checked out where nobody works."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from groundrules.creation import turn
from groundrules.worktrees import steadily
from groundrules_hooks import pin as pins
from groundrules_hooks import temporary
from groundrules_hooks.git import GitError, elsewhere, git, here
from groundrules_hooks.lock import Lock
from groundrules_hooks.pin import Pin
from groundrules_hooks.prediction import Prediction, predict
from groundrules_hooks.trial import Trial
from groundrules_hooks.worktree import Worktree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FOLDER = "merged"  # in the temporary folder of the slot
TURN = "merged"  # the lock around it, of one worktree
NAMES = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "groundrules"), ("EMAIL", "groundrules@localhost"), ("DATE", "@0 +0000"))
}


def merge(worktree: Worktree, ours: str, theirs: str) -> Prediction:
    """Return what a merge of two commits gives; the tree of a clean one is kept among the repository's objects."""
    with Trial(worktree.common_dir, ours, keep=True) as trial:
        return predict(trial, ours, [theirs])[0]


def commit(tree: str, ours: str, theirs: str) -> str:
    """Return a commit of `tree` with both parents; always the same one for the same merge, and on no branch."""
    message = f"Merge {ours[:12]} into {theirs[:12]}, to be tested"
    oid = git("commit-tree", tree, "-p", theirs, "-p", ours, "-m", message, env={**here(), **NAMES})
    return oid.decode().strip()


@contextmanager
def checked_out(worktree: Worktree, slot: int, values: Mapping[str, str], oid: str) -> Iterator[Worktree]:
    """Check `oid` out in a throw-away worktree that has the slot of `worktree`; no hook runs, no slot is claimed.

    It lies in the temporary folder of the slot. What a killed process left there is removed first.
    """
    temporary.make(values["TASK_TMPDIR"], worktree.common_dir)
    root = os.path.join(os.path.realpath(values["TASK_TMPDIR"]), FOLDER)
    with Lock(worktree.git_dir, TURN):
        _remove(worktree.common_dir, root)
        try:
            yield _add(worktree, slot, root, oid)
        finally:
            _remove(worktree.common_dir, root)


def _add(worktree: Worktree, slot: int, root: str, oid: str) -> Worktree:
    with turn(worktree.common_dir):
        steadily("worktree", "add", "--quiet", "--detach", "--no-checkout", root, oid)
    git_dir = os.path.realpath(git("-C", root, "rev-parse", "--absolute-git-dir", env=elsewhere()).decode().strip())
    # Whatever asks for a slot in there gets the task's.
    pins.write(git_dir, Pin(slot))
    git("-C", root, "-c", f"core.hooksPath={os.devnull}", "reset", "--quiet", "--hard", env=elsewhere())
    return Worktree(root, git_dir, worktree.common_dir, None, oid)


def _remove(common_dir: str, root: str) -> None:
    with turn(common_dir):
        try:
            steadily("worktree", "remove", "--force", "--force", root)
        except GitError:  # git does not know it, or not any more
            shutil.rmtree(root, ignore_errors=True)
