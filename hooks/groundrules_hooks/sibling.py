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
    """Another worktree: its git dir, and what its HEAD names, a full ref or an id."""

    git_dir: str
    head: str

    def words(self, patterns: Sequence[str]) -> str:
        """Return what a person calls it: its task, by the `patterns` of branches, else its branch or folder."""
        branch = self.head.removeprefix(HEADS)
        task = tasks.of_branch(branch, patterns) if branch != self.head else None
        if task:
            return f"task {task} ({branch})"
        return f"branch {branch}" if branch != self.head else f"worktree {os.path.basename(self.git_dir)}"


def siblings(worktree: Worktree) -> Iterator[Sibling]:
    """Yield every other worktree, the main one first."""
    entries = os.path.join(worktree.common_dir, "worktrees")
    names = sorted(os.listdir(entries)) if os.path.isdir(entries) else []
    for git_dir in [worktree.common_dir, *(os.path.join(entries, name) for name in names)]:
        head = os.fsdecode(held(os.path.join(git_dir, "HEAD")).rstrip(b"\n")).removeprefix("ref: ")
        if head and git_dir != worktree.git_dir:
            yield Sibling(git_dir, head)
