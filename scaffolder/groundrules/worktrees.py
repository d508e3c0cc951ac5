"""Worktrees as git lists them, with what is recorded of them; asked again while a sibling is half-made."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, NamedTuple

from groundrules_hooks import pin as pins
from groundrules_hooks import task as tasks
from groundrules_hooks.git import GitError, git
from groundrules_hooks.worktree import HEADS, recorded_folder

if TYPE_CHECKING:
    from groundrules_hooks.config import Config
    from groundrules_hooks.pin import Pin

RETRIES = 20
LOCKED = "locked"
MISSING = "folder missing"
BROKEN = "broken"


class Listed(NamedTuple):
    """One worktree of the repository; `entry` is the name of its folder in `worktrees/`, empty for the main one.

    `held` says why git keeps the entry although it could not be used: locked, its folder not there, or broken. `path`
    is the entry itself where git has no folder for it any more.
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
    records = _records(steadily("worktree", "list", "--porcelain", "-z"))
    entries = _entries(common_dir)
    found = [
        _listed(record, entries.pop(os.path.realpath(record["worktree"]), ""))
        for record in records
        if "bare" not in record
    ]
    return found + [_lost(entry) for place, entry in entries.items() if place == entry and not _is_half_made(entry)]


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
    """Return the entry of each recorded folder; one that records none stands for itself."""
    try:
        names = sorted(os.listdir(os.path.join(common_dir, "worktrees")))
    except FileNotFoundError:
        return {}
    entries = [os.path.join(common_dir, "worktrees", name) for name in names]
    return {os.path.realpath(recorded_folder(entry) or entry): entry for entry in entries}


def _lost(entry: str) -> Listed:
    return Listed(entry, None, None, os.path.basename(entry), BROKEN, pins.read(entry))


def _is_half_made(entry: str) -> bool:
    return os.path.exists(os.path.join(entry, "locked"))  # the first thing that git writes there


def _listed(record: dict[str, str], entry: str) -> Listed:
    path = record["worktree"]
    held = _held(record, path, entry) if entry else ""
    branch = record.get("branch", "").removeprefix(HEADS) or None
    return Listed(path, record.get("HEAD"), branch, os.path.basename(entry), held, pins.read(entry) if entry else None)


def _held(record: dict[str, str], path: str, entry: str) -> str:
    if "locked" in record:
        return LOCKED
    if "prunable" in record:
        return BROKEN if os.path.lexists(path) else MISSING
    headless = "branch" not in record and not record.get("HEAD", "").strip("0")
    return BROKEN if headless or not os.path.exists(os.path.join(entry, "commondir")) else ""


def task_of(each: Listed, config: Config) -> str:
    """Return the task of a worktree: the recorded one, or before any claim that of its branch; empty for none."""
    if each.pin or not each.linked:
        return each.pin.task if each.pin else ""
    return tasks.of_branch(each.branch, config.tasks.branches) or ""
