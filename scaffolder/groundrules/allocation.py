"""Allocation: the next free number of a series over all that may ever meet, and its reservation under a lock."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from groundrules_hooks import reservation, series_tree
from groundrules_hooks import task as tasks
from groundrules_hooks.ancestry import targets
from groundrules_hooks.git import GitError, elsewhere, git, text
from groundrules_hooks.globs import folder, matches
from groundrules_hooks.lock import Lock, held
from groundrules_hooks.objects import Objects
from groundrules_hooks.series import entries, next_after
from groundrules_hooks.sibling import siblings
from groundrules_hooks.worktree import recorded_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from groundrules_hooks.config import Config, Series
    from groundrules_hooks.series import Entry
    from groundrules_hooks.worktree import Worktree

LOCK = "numbering"  # a file of its own: the reservations of the main worktree lie beside it
PATIENCE = 60.0  # seconds: as many as ask at once, each reading every worktree


def reserve(worktree: Worktree, config: Config, series: Series) -> str:
    """Return the next number of `series`, from now on that of `worktree`: nobody else gets it while it lives.

    What this worktree reserved before ends where the target has it.
    """
    with Lock(worktree.common_dir, LOCK, patience=PATIENCE):
        merged = targets(config.tasks.target)
        found = _in_commits(worktree, config, series, merged)
        number = _next(worktree, series, found)
        had = {(series.name, entry.number) for ref in merged for entry in found[ref]}
        kept = [row for row in reservation.of(worktree.git_dir) if row not in had]
        reservation.write(worktree.git_dir, [*kept, (series.name, int(number))])
    return number


def peek(worktree: Worktree, config: Config, series: Series) -> str:
    """Return the next number of `series`, which somebody else may take."""
    return _next(worktree, series, _in_commits(worktree, config, series, targets(config.tasks.target)))


def _in_commits(worktree: Worktree, config: Config, series: Series, merged: Iterable[str]) -> dict[str, list[Entry]]:
    """Return what the target, every branch of a task and every worktree's HEAD hold."""
    heads = [sibling.head for sibling in siblings(worktree)]
    sources = [worktree.head or "HEAD", *merged, *_task_branches(config), *heads]
    return series_tree.read(Objects(), sources, series, _width())


def _next(worktree: Worktree, series: Series, found: Mapping[str, Iterable[Entry]]) -> str:
    seen = [entry for each in found.values() for entry in each]
    git_dirs = [sibling.git_dir for sibling in siblings(worktree)]
    for root in [worktree.root, *map(_root, git_dirs)]:
        seen += _on_disk(root, series)
    rows = [row for git_dir in [worktree.git_dir, *git_dirs] for row in reservation.of(git_dir)]
    return next_after(seen, [number for name, number in rows if name == series.name], series)


def _width() -> int:
    """Return the length of an object id here, in hexadecimal digits."""
    return 64 if text("rev-parse", "--show-object-format") == "sha256" else 40


def _task_branches(config: Config) -> list[str]:
    """Return every branch that names a task, here and on the remotes: with or without a worktree it may be merged."""
    refs = os.fsdecode(git("for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes")).split("\n")
    return [ref for ref in refs if tasks.of_branch(_short(ref), config.tasks.branches)]


def _short(ref: str) -> str:
    branch = ref.removeprefix("refs/heads/")
    return branch if branch != ref else ref.removeprefix("refs/remotes/").partition("/")[2]


def _root(git_dir: str) -> str:
    """Return the folder of the worktree with `git_dir`; empty for a bare repository."""
    if os.path.basename(os.path.dirname(git_dir)) == "worktrees":
        return recorded_folder(git_dir)
    return os.path.dirname(git_dir) if os.path.basename(git_dir) == ".git" else ""


def _on_disk(root: str, series: Series) -> Iterator[Entry]:
    """Yield what the files of a worktree hold, committed or not, unless git ignores them."""
    if not root or not os.path.isdir(root):
        return
    folders = sorted({folder(pattern) for pattern in series.paths})
    command = ("-C", root, "--literal-pathspecs", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--")
    try:
        listed = git(*command, *(folders if all(folders) else ()), env=elsewhere())
    except GitError:  # an entry that is only half made, or a folder that is no worktree any more
        return
    for path in dict.fromkeys(os.fsdecode(name) for name in listed.split(b"\0") if name):
        if matches(path, series.paths):
            yield from entries(series, path, held(os.path.join(root, path)) if series.line else None)
