"""Worktrees as git lists them, with what is recorded of them; asked again while a sibling is half-made."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, NamedTuple

from groundrules_hooks import pin as pins
from groundrules_hooks import task as tasks
from groundrules_hooks.git import GitError, git
from groundrules_hooks.worktree import HEADS

if TYPE_CHECKING:
    from groundrules_hooks.config import Config
    from groundrules_hooks.pin import Pin

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
    found = _records(steadily("worktree", "list", "--porcelain", "-z"))
    entries = _entries(common_dir)
    return [_listed(record, entries, common_dir) for record in found if "bare" not in record]


def steadily(*args: str) -> bytes:
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


def task_of(each: Listed, config: Config) -> str:
    """Return the task of a worktree: the recorded one, or before any claim that of its branch; empty for none."""
    if each.pin or not each.linked:
        return each.pin.task if each.pin else ""
    return tasks.of_branch(each.branch, config.tasks.branches) or ""
