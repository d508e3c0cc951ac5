"""Worktrees as git lists them; made and removed under one lock, so that git's own races cannot strike."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, NamedTuple

from groundrules_hooks import pin as pins
from groundrules_hooks.ancestry import exists
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import quote
from groundrules_hooks.git import GitError, answer, git, text
from groundrules_hooks.lock import Lock
from groundrules_hooks.worktree import HEADS

if TYPE_CHECKING:
    from groundrules_hooks.pin import Pin

CREATION = "creation"  # the lock around `git worktree add`; the hook that runs inside takes the lock of claims
PATIENCE = 120.0  # seconds: as many checkouts as agents start at once
RETRIES = 20
LOCKED = "locked"
MISSING = "folder missing"


class Listed(NamedTuple):
    """One worktree of the repository; `entry` is the name of its folder in `worktrees/`, empty for the main one.

    `held` says why git keeps the entry although it could not be used: locked, or its folder is not there.
    """

    path: str
    head: str | None
    branch: str | None
    entry: str
    held: str
    pin: Pin | None

    @property
    def linked(self) -> bool:
        """Whether this is a linked worktree."""
        return self.entry != ""


def listing(common_dir: str) -> list[Listed]:
    """Return every worktree that git knows, the main one first; one that is broken is listed as held."""
    found = _records(_steadily("worktree", "list", "--porcelain", "-z"))
    entries = _entries(common_dir)
    return [_listed(record, entries, common_dir) for record in found if "bare" not in record]


def _steadily(*args: str) -> bytes:
    """Ask git, again when a sibling is half-made: its entry is there before it can be read."""
    for attempt in range(RETRIES):
        try:
            return git(*args)
        except GitError as error:
            if "commondir" not in error.why or attempt == RETRIES - 1:
                raise
            time.sleep(0.05)
    raise AssertionError  # the last attempt returned or raised


def _records(porcelain: bytes) -> list[dict[str, str]]:
    records: list[dict[str, str]] = [{}]
    for line in porcelain.split(b"\0"):
        if line:
            key, _, value = os.fsdecode(line).partition(" ")
            records[-1][key] = value
        elif records[-1]:
            records.append({})
    return [record for record in records if record]


def _entries(common_dir: str) -> dict[str, str]:
    """Return the entry's name for each recorded folder."""
    try:
        names = os.listdir(os.path.join(common_dir, "worktrees"))
    except FileNotFoundError:
        return {}
    return {os.path.realpath(pins.folder(common_dir, name)): name for name in names}


def _listed(record: dict[str, str], entries: dict[str, str], common_dir: str) -> Listed:
    path = record["worktree"]
    entry = entries.get(os.path.realpath(path), "")
    held = LOCKED if "locked" in record else MISSING if "prunable" in record else ""
    branch = record.get("branch", "").removeprefix(HEADS) or None
    pin = pins.read(os.path.join(common_dir, "worktrees", entry)) if entry else None
    return Listed(path, record.get("HEAD"), branch, entry, held, pin)


def of_task(common_dir: str, task: str) -> Listed | None:
    """Return the worktree of `task`, or None."""
    return next((each for each in listing(common_dir) if each.pin and each.pin.task == task), None)


def create(common_dir: str, branch: str, path: str, base: str) -> None:
    """Make the worktree `path` on the new `branch` at `base`. Raise GroundrulesError, with nothing left behind."""
    with Lock(common_dir, CREATION, patience=PATIENCE):
        _require_free(branch, path)
        try:
            # --no-track: setting up tracking takes a lock of git's own that its waiters do not wait for.
            _steadily("worktree", "add", "--quiet", "--no-track", "-b", branch, path, base)
        except GitError as error:
            if not os.path.exists(os.path.join(path, ".git")):
                _undo(branch, base)
                raise GroundrulesError(f"{path} was not made", why=error.why, fix="git worktree list") from None
            # The worktree is there: a hook that failed cannot prevent it, and its words were shown.


def _undo(branch: str, base: str) -> None:
    """Delete the branch that a failed creation left, if it is still where it was made."""
    answer("update-ref", "-d", f"{HEADS}{branch}", base, ok=(0, 1, 128))


def _require_free(branch: str, path: str) -> None:
    if exists(branch):
        raise GroundrulesError(f"the branch {branch} exists", fix=f"git worktree add {quote(path)} {quote(branch)}")
    parts = branch.split("/")
    above = next((name for name in map("/".join, (parts[:end] for end in range(1, len(parts)))) if exists(name)), None)
    below = text("for-each-ref", "--count=1", "--format=%(refname:short)", f"{HEADS}{branch}/")
    if above or below:
        raise GroundrulesError(f"git cannot make {branch} beside {above or below}", fix=f"git log {above or below}")
    if os.path.lexists(path) and (not os.path.isdir(path) or os.listdir(path)):
        raise GroundrulesError(f"{path} exists and is not an empty folder", fix=f"ls -A {quote(path)}")
