"""Whose a slot's run folder and data are: a slot that changed hands must not carry over what the last one left."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from groundrules.stack import record
from groundrules_hooks import pin as pins

if TYPE_CHECKING:
    from groundrules_hooks.worktree import Worktree

FILE = "owner"  # without the ending of records
MAIN = "main"


class Owner(NamedTuple):
    """A worktree by the name of git's entry, when git made the entry, its folder and its task.

    `cluster` is where the slot's cluster is when it is outside of the git dir; `run` is the folder of this record.
    """

    name: str
    made: int
    root: str
    task: str = ""
    cluster: str = ""
    run: str = ""


def of(worktree: Worktree) -> Owner:
    """Return `worktree` as an owner."""
    pin = pins.read(worktree.git_dir) if worktree.linked else None
    name = worktree.name if worktree.linked else ""
    return Owner(name, _made(worktree.git_dir), worktree.root, pin.task if pin else "")


def read(run: str) -> Owner | None:
    """Return the owner that is recorded in the folder `run`. A copy of a repository has no part in the cluster."""
    held: dict[str, Any] | None = record.load(os.path.join(run, FILE))
    try:
        found = Owner(**held) if held else None
    except TypeError:
        return None
    if found and found.run != run and os.path.exists(os.path.join(found.run, FILE)):
        return found._replace(cluster="")
    return found


def write(run: str, owner: Owner) -> None:
    """Record `owner`, unless that is recorded already."""
    wanted = owner._replace(run=run)
    if read(run) != wanted:
        record.save(os.path.join(run, FILE), wanted._asdict())


def forget(run: str) -> None:
    """Forget the owner of the folder `run`, whose stack is down and whose data is deleted."""
    with suppress(FileNotFoundError):
        os.unlink(os.path.join(run, FILE))


def is_same(one: Owner, other: Owner) -> bool:
    """Whether both are one worktree, wherever it was moved. A name can be given again, with another time."""
    return (one.name, one.made) == (other.name, other.made)


def is_gone(common_dir: str, owner: Owner) -> bool:
    """Whether the worktree was removed: git has no such entry any more, or its folder is not there."""
    if not owner.name:
        return False  # the main worktree
    git_dir = os.path.join(common_dir, "worktrees", owner.name)
    if _made(git_dir) != owner.made:
        return True
    if os.path.exists(os.path.join(git_dir, "locked")):
        return False  # git's word for a folder that may be away for a while
    return not os.path.exists(pins.folder(common_dir, owner.name))


def _made(git_dir: str) -> int:
    """Return when git made the entry of a linked worktree, in nanoseconds: it writes this file once. 0 for others."""
    try:
        return os.stat(os.path.join(git_dir, "commondir")).st_mtime_ns
    except OSError:
        return 0
