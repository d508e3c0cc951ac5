"""Creation: a branch and a worktree, made whole under one lock or taken back."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from groundrules.worktrees import steadily
from groundrules_hooks.ancestry import exists
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import quote
from groundrules_hooks.git import GitError, answer, text
from groundrules_hooks.lock import Lock
from groundrules_hooks.worktree import HEADS

if TYPE_CHECKING:
    from groundrules.worktrees import Listed

PATIENCE = 120.0  # seconds: as many checkouts as agents start at once


class Creation(NamedTuple):
    """A worktree to be made at `path`, on the new `branch` at the commit `base`."""

    common_dir: str
    branch: str
    path: str
    base: str


def turn(common_dir: str) -> Lock:
    """Return the lock around `git worktree add` and `remove`; the hook that runs inside takes the lock of claims."""
    return Lock(common_dir, "creation", patience=PATIENCE)


def require_free(wanted: Creation, listed: list[Listed]) -> None:
    """Raise GroundrulesError when a branch, a folder or one of the worktrees `listed` is in the way."""
    branch, path = wanted.branch, wanted.path
    if os.path.realpath(path) in (os.path.realpath(each.path) for each in listed):
        raise GroundrulesError(f"git has a worktree {path} already", fix=f"git worktree remove {quote(path)}")
    if exists(branch):
        raise GroundrulesError(f"the branch {branch} exists", fix=f"git worktree add {quote(path)} {quote(branch)}")
    parts = branch.split("/")
    above = next((name for name in map("/".join, (parts[:end] for end in range(1, len(parts)))) if exists(name)), None)
    below = text("for-each-ref", "--count=1", "--format=%(refname:short)", f"{HEADS}{branch}/")
    if above or below:
        raise GroundrulesError(f"git cannot make {branch} beside {above or below}", fix=f"git log {above or below}")
    if os.path.lexists(path) and (not os.path.isdir(path) or os.listdir(path)):
        raise GroundrulesError(f"{path} exists and is not an empty folder", fix=f"ls -A {quote(path)}")


def make(wanted: Creation) -> None:
    """Make the worktree. Raise GroundrulesError when git does not."""
    # --no-track: setting up tracking takes a lock of git's own that its waiters do not wait for.
    # The reflog keeps the base where git writes none by itself, as in a bare layout.
    add = ("-c", "core.logAllRefUpdates=true", "worktree", "add", "--quiet", "--no-track")
    try:
        steadily(*add, "-b", wanted.branch, wanted.path, wanted.base)
    except GitError as error:
        if not os.path.exists(os.path.join(wanted.path, ".git")):
            raise GroundrulesError(f"{wanted.path} was not made", why=error.why, fix="git worktree list") from None
        # The worktree is there: a hook that failed cannot prevent it, and its words were shown.


def take_back(made: Creation, above: str) -> None:
    """Remove what a failed start has made, the branch only where it was made; `above` is what `missing` was before."""
    os.chdir(made.common_dir)
    answer("worktree", "remove", "--force", "--force", made.path, ok=(0, 128))
    answer("update-ref", "-d", f"{HEADS}{made.branch}", made.base, ok=(0, 1, 128))
    folder = made.path
    while above and folder.startswith(above):
        try:
            os.rmdir(folder)
        except FileNotFoundError:
            pass
        except OSError:
            break  # somebody else uses it by now
        folder = os.path.dirname(folder)


def missing(path: str) -> str:
    """Return the outermost folder on the way to `path` that is not there yet; empty when `path` is there."""
    found = ""
    while not os.path.lexists(path):
        found, path = path, os.path.dirname(path)
    return found
