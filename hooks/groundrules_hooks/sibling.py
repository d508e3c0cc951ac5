"""Siblings: the other live worktrees of a repository, read from git's own entries without a process."""

from __future__ import annotations

import os

from groundrules_hooks import task as tasks
from groundrules_hooks.lock import held
from groundrules_hooks.record import NamedTuple
from groundrules_hooks.worktree import HEADS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundrules_hooks.worktree import Worktree


class Sibling(NamedTuple):
    """Another worktree: its git dir, what its HEAD names (a full ref or an id), and words for it."""

    git_dir: str
    head: str
    words: str


def siblings(worktree: Worktree, patterns: Sequence[str]) -> Iterator[Sibling]:
    """Yield every other worktree, the main one first; `patterns` say which branches name tasks."""
    entries = os.path.join(worktree.common_dir, "worktrees")
    names = sorted(os.listdir(entries)) if os.path.isdir(entries) else []
    for git_dir in [worktree.common_dir, *(os.path.join(entries, name) for name in names)]:
        head = os.fsdecode(held(os.path.join(git_dir, "HEAD")).rstrip(b"\n")).removeprefix("ref: ")
        if head and git_dir != worktree.git_dir:
            yield Sibling(git_dir, head, _words(head, os.path.basename(git_dir), patterns))


def _words(head: str, name: str, patterns: Sequence[str]) -> str:
    branch = head.removeprefix(HEADS)
    task = tasks.of_branch(branch, patterns) if branch != head else None
    if task:
        return f"task {task} ({branch})"
    return f"branch {branch}" if branch != head else f"worktree {name}"
