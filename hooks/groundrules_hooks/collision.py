"""Collisions: one line, once, about each sibling whose task now conflicts with this branch.

A hook looks at commits alone, and at a pair of commits once; `merge predict` looks at uncommitted work too.
"""

from __future__ import annotations

import os

from groundrules_hooks import pin as pins
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import shown
from groundrules_hooks.git import git, is_oid
from groundrules_hooks.lock import held
from groundrules_hooks.worktree import HEADS, STATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundrules_hooks.pin import Pin
    from groundrules_hooks.worktree import Worktree

    Memory = dict[str, tuple[str, ...]]

MEMORY = f"{STATE}/met"
MOST = 3  # paths in the line


def warnings(worktree: Worktree, branch: str, ours: str) -> list[str]:
    """Return two lines about each sibling that conflicts with the commit `ours` of `branch` and did not before.

    What was found is remembered beside the worktree's claim, so the same pair of commits is merged once and the same
    conflict told once; one that went away is told again when it comes back. No failure here is one of the hook.
    """
    # By branch: a folder's name may be that of another task by now.
    siblings = pins.siblings(worktree.common_dir, worktree.git_dir)
    others = {pin.branch: pin for _, pin in siblings if _is_other(pin, branch)}
    try:
        return _new(worktree, branch, ours, others) if others else []
    except (GroundrulesError, OSError):  # a disk that is full, or that cannot be written
        return []


def _new(worktree: Worktree, branch: str, ours: str, others: dict[str, Pin]) -> list[str]:
    tips = _tips(worktree.common_dir, set(others))
    path = os.path.join(worktree.git_dir, MEMORY)
    memory = _recalled(held(path))
    pairs = {f"{branch} {theirs}": (ours, tips[theirs]) for theirs in others if theirs in tips}
    moved = {key: pair for key, pair in pairs.items() if memory.get(key, ())[:2] != pair}
    if not moved:
        return []
    lines = []
    for (key, pair), paths in zip(moved.items(), _conflicts(worktree.common_dir, list(moved.values())), strict=True):
        if paths is None:  # nobody can tell, so it is asked again
            continue
        if set(paths) - set(memory.get(key, ())[2:]):
            lines += _line(others[key.removeprefix(f"{branch} ")], paths)
        memory[key] = (*pair, *paths)
    _remember(path, {key: words for key, words in memory.items() if key.rpartition(" ")[2] in others})
    return lines


def _is_other(pin: Pin, branch: str) -> bool:
    return pin.task != "" and pin.branch not in ("", branch)


def _line(pin: Pin, paths: Sequence[str]) -> list[str]:
    more = f" and {len(paths) - MOST} more" if len(paths) > MOST else ""
    named = ", ".join(map(shown, paths[:MOST])) + more
    return [
        f"▲ {pin.task} now conflicts with this branch in {named}",
        f"→ tools/groundrules merge predict --with {pin.task}",
    ]


def _tips(common_dir: str, branches: set[str]) -> dict[str, str]:
    """Return the commit of each of `branches` that exists: from git's loose refs, the rest by one process."""
    found = {branch: os.fsdecode(held(os.path.join(common_dir, HEADS, branch)).strip()) for branch in branches}
    packed = [f"{HEADS}{branch}" for branch, oid in found.items() if not is_oid(oid)]
    if packed:
        listed = git("for-each-ref", "--format=%(objectname) %(refname)", *packed)
        rows = (line.partition(" ") for line in os.fsdecode(listed).split("\n") if line)
        found |= {ref.removeprefix(HEADS): oid for oid, _, ref in rows}
    return {branch: found[branch] for branch in branches if is_oid(found[branch])}


def _conflicts(common_dir: str, pairs: Sequence[tuple[str, str]]) -> list[list[str] | None]:
    """Return the conflicting paths of each pair of commits, None where git cannot tell."""
    from groundrules_hooks.prediction import merges
    from groundrules_hooks.trial import Trial

    with Trial(common_dir, pairs[0][0]) as trial:
        found = merges(trial, pairs)
    return [None if merge.reason else [conflict.path for conflict in merge.conflicts] for merge in found]


def _recalled(content: bytes) -> Memory:
    """Return what is remembered of each pair of a branch and a sibling: both commits, then the conflicting paths."""
    records = (os.fsdecode(record).split("\0") for record in content.split(b"\0\0"))
    return {key: tuple(words) for key, *words in records if len(words) > 1}


def _remember(path: str, memory: Memory) -> None:
    from groundrules_hooks.lock import make_folder, replace

    content = "\0\0".join("\0".join((key, *words)) for key, words in memory.items())
    try:
        make_folder(os.path.dirname(path))
        replace(path, os.fsencode(content))
    except GroundrulesError:
        pass  # where nothing can be written, the line is told again
