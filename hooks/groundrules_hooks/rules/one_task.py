"""one-task: a worktree belongs to one task; commits there go to its branch, and nowhere else."""

from __future__ import annotations

import os

from groundrules_hooks import pin as pins
from groundrules_hooks import task as tasks
from groundrules_hooks.ancestry import exists, is_on
from groundrules_hooks.finding import Finding, quote
from groundrules_hooks.pin import Pin
from groundrules_hooks.worktree import in_progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules_hooks.change import Change
    from groundrules_hooks.config import Config
    from groundrules_hooks.worktree import Worktree

NAME = "one-task"


def check(change: Change, config: Config) -> Iterator[Finding]:
    """Yield a finding when a commit in progress is in the wrong place, or a branch started off the target."""
    if change.worktree is None:
        yield from _base(change)
    elif change.worktree.linked:
        yield from _linked(change, change.worktree, config)
    else:
        yield from _main(change.worktree, config)


def way_back(branch: str) -> str:
    """Return the command that goes back to the task's `branch`, or gives its name back after a rename."""
    return f"git {'switch' if exists(branch) else 'branch -m'} {quote(branch)}"


def _main(worktree: Worktree, config: Config) -> Iterator[Finding]:
    merging = os.path.exists(os.path.join(worktree.git_dir, "MERGE_HEAD"))
    if not config.tasks.protect_target or worktree.head is None or merging:
        return
    if worktree.branch == config.tasks.target:
        yield _finding(f"{worktree.branch} takes no commits of its own", _new_branch(worktree, config))
    elif worktree.branch is None and in_progress(worktree) is None:
        yield _finding("HEAD is detached", _new_branch(worktree, config))


def _new_branch(worktree: Worktree, config: Config) -> str:
    """Return the command that makes a branch which names a task, after the worktree for want of an id."""
    name = worktree.name if worktree.linked else "change"
    return f"git switch -c {quote(tasks.branch_for(name, config.tasks.branches[0]))}"


def _linked(change: Change, worktree: Worktree, config: Config) -> Iterator[Finding]:
    pin = pins.read(worktree.git_dir) or Pin(0)  # where none can be written, the branch alone is judged
    if worktree.branch is None:
        yield from _detached(worktree, pin, config)
    elif pin.task and worktree.branch != pin.branch:
        there = f"this worktree belongs to {_owner(pin)}, and {worktree.branch} is checked out"
        yield _finding(there, way_back(pin.branch))
    elif worktree.branch == config.tasks.target:
        yield _finding(f"{worktree.branch} takes no commits of a worktree", _new_branch(worktree, config))
    elif not change.task:
        name = f"{worktree.branch} names no task ({', '.join(config.tasks.branches)})"
        yield _finding(name, f"git branch -m {quote(tasks.branch_for(worktree.branch, config.tasks.branches[0]))}")
    elif pin.rival:
        yield from _second(worktree, pin)


def _detached(worktree: Worktree, pin: Pin, config: Config) -> Iterator[Finding]:
    replayed = in_progress(worktree)
    if replayed is None:
        back = f"git switch {quote(pin.branch)}" if pin.branch else _new_branch(worktree, config)
        yield _finding(f"HEAD is detached, and this worktree belongs to {_owner(pin)}", back)
    elif pin.branch and replayed != pin.branch:
        bisecting = os.path.exists(os.path.join(worktree.git_dir, "BISECT_START"))
        end = "git bisect reset" if bisecting else "git rebase --abort"
        yield _finding(f"this worktree belongs to {_owner(pin)}, and {replayed} is being replayed", end)


def _second(worktree: Worktree, pin: Pin) -> Iterator[Finding]:
    """Yield a finding while the older worktree of the task is there; of all siblings only its pin is read."""
    rival = pins.read(os.path.join(worktree.common_dir, "worktrees", pin.rival))
    if rival and rival.task == pin.task:
        place = pins.folder(worktree.common_dir, pin.rival)
        yield _finding(f"task {pin.task} already has the worktree {place}", f"cd {quote(place)}")


def _base(change: Change) -> Iterator[Finding]:
    """Yield a finding when the branch's base is not on the target, as after a force push of the target."""
    if change.base and change.target and not (change.based or is_on(change.base, change.target)):
        target = change.target[-1].removeprefix("refs/heads/").removeprefix("refs/remotes/")
        command = f"git rebase --onto {quote(target)} {change.base[:12]} {quote(change.branch or '')}".rstrip()
        yield _finding(f"its base {change.base[:7]} is not on {target}", command)


def _owner(pin: Pin) -> str:
    return f"task {pin.task} ({pin.branch})" if pin.task else pin.branch or "no task"


def _finding(message: str, fix: str) -> Finding:
    return Finding(NAME, ".", message, fix)
