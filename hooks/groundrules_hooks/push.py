"""Push: the pushed branch of a task, judged as the gate will judge it."""

from __future__ import annotations

from groundrules_hooks import pin as pins
from groundrules_hooks.ancestry import is_ancestor, targets
from groundrules_hooks.finding import quote
from groundrules_hooks.history import commits
from groundrules_hooks.range import Range, judged, prepare
from groundrules_hooks.rules import BRANCH, load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from groundrules_hooks.change import Change
    from groundrules_hooks.finding import Finding
    from groundrules_hooks.pin import Pin
    from groundrules_hooks.stage import Place


def judge(commit: str, branch: str, task: str, here: Place) -> list[Finding]:
    """Return what is wrong with `commit` as the new tip of `branch`, which is that of `task`."""
    target = tuple(targets(here.config.tasks.target, lambda: load(BRANCH)))
    # A base on the target takes nothing from this list, which also tells whether it is there.
    listed = commits(commit, target, prepare) if target else None
    base, folder = _recorded(task, here)
    based = listed is not None and base is not None and _is_excluded(base, commit, listed)
    asked = Range(commit, target if based or not base else (*target, base), target, task, branch, base, based)
    found = judged(asked, here.config, found=listed if asked.without == target else None).findings
    # What the handoff lacks is written where the task is at home.
    there = f"cd {quote(folder)}\n" if folder else ""
    return [finding._replace(fix=there + finding.fix) if finding.rule == "handoff" else finding for finding in found]


def _is_excluded(base: str, commit: str, listed: list[Change]) -> bool:
    """Whether the target has `base`: `commit` contains it, and what is `listed` is all that only `commit` has."""
    return is_ancestor(base, commit) and all(change.commit != base for change in listed)


def _recorded(task: str, here: Place) -> tuple[str | None, str]:
    """Return the base that the worktree of `task` recorded, and its folder if it is not this one."""
    worktree = here.worktree
    if worktree.linked:
        pin = pins.read(worktree.git_dir)
        if pin and pin.task == task:
            return _base(pin, here) or None, ""
    for name, pin in pins.siblings(worktree.common_dir, worktree.git_dir):
        if pin.task == task:
            return pin.base or None, pins.folder(worktree.common_dir, name)
    return None, ""


def _base(pin: Pin, here: Place) -> str:
    """Return the base of the worktree's own task, as it is after a rebase or a rename."""
    worktree = here.worktree
    if worktree.branch == pin.branch and pin.base and worktree.head and is_ancestor(pin.base, worktree.head):
        return pin.base
    from groundrules_hooks.slot import reconcile

    return reconcile(worktree, here.config, pin).base
