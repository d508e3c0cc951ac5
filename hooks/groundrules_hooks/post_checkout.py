"""post-checkout: a new worktree gets its slot, a switch to another branch is told. Never a failure."""

from __future__ import annotations

import os
import sys

from groundrules_hooks import config as configs
from groundrules_hooks import pin as pins
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import quote, say
from groundrules_hooks.slot import claim, reconcile, summary, values
from groundrules_hooks.slot_env import render
from groundrules_hooks.stage import arguments, guarded
from groundrules_hooks.worktree import in_progress, locate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundrules_hooks.config import Config
    from groundrules_hooks.pin import Pin
    from groundrules_hooks.worktree import Worktree

BRANCHES = "1"  # git's flag for a checkout of a branch, not of files


def main(argv: Sequence[str]) -> int:
    """Claim for a new linked worktree, or report that its branch is not the task's."""
    rest, _ = arguments(argv)
    old, _, flag = rest[:3] if len(rest) > 2 else _from_framework()
    if flag != BRANCHES:
        return 0
    worktree = locate()
    config = configs.of_worktree(worktree) if worktree and worktree.root else None
    if worktree is None or config is None or not worktree.linked or in_progress(worktree):
        return 0
    if not old.strip("0"):  # git gives no old commit to a new worktree
        _welcome(worktree, config)
    else:
        _report(worktree, config)
    return 0


def _from_framework() -> tuple[str, str, str]:
    """Return git's three arguments from the variables in which both frameworks hide them."""
    old = os.environ.get("PRE_COMMIT_FROM_REF", "")
    new = os.environ.get("PRE_COMMIT_TO_REF", "")
    return old, new, os.environ.get("PRE_COMMIT_CHECKOUT_TYPE", "")


def _welcome(worktree: Worktree, config: Config) -> None:
    try:
        claimed = claim(worktree, config)
    except GroundrulesError as error:
        error.what = f"slot not claimed: {error.what}"
        error.fix = f"{error.fix}\ntools/groundrules slot".lstrip()
        raise
    note = None if claimed.overridden else render(worktree, values(worktree, config, claimed.slot))
    lines = [summary(claimed, config)]
    if claimed.pin and claimed.pin.rival:
        other = pins.folder(worktree.common_dir, claimed.pin.rival)
        lines += [f"▲ task {claimed.pin.task} already has a worktree; commits here are refused", f"→ cd {quote(other)}"]
    if claimed.pin and not _is_on_target(claimed.pin.base, config.tasks.target):
        lines.append(
            f"▲ base {claimed.pin.base[:7]} is not on {config.tasks.target}: the branch holds another's commits"
        )
    lines += [f"▲ {note}"] if note else []
    say("\n".join([*lines, *_meets(worktree, claimed.pin)]) + "\n")


def _is_on_target(base: str, target: str) -> bool:
    from groundrules_hooks.ancestry import is_on, targets

    known = targets(target)
    return not base or not known or is_on(base, known)


def _meets(worktree: Worktree, pin: Pin | None) -> list[str]:
    """Return the warnings about siblings; none are looked for until the branch has work of its own."""
    if pin is None or not pin.task or worktree.branch != pin.branch or worktree.head in (None, pin.base):
        return []
    from groundrules_hooks.collision import warnings

    return warnings(worktree, pin.branch, worktree.head or "")


def _report(worktree: Worktree, config: Config) -> None:
    pin = pins.read(worktree.git_dir)
    if pin is None or not pin.branch:
        return
    if worktree.branch == pin.branch:
        say("".join(f"{line}\n" for line in _meets(worktree, pin)))
        return
    from groundrules_hooks.rules.one_task import way_back

    pin = reconcile(worktree, config, pin)
    if pin.task and worktree.branch != pin.branch:
        line = f"groundrules: this worktree belongs to task {pin.task}; commits here go to {pin.branch}"
        say(f"{line}\n→ {way_back(pin.branch)}\n")


if __name__ == "__main__":
    # git and the tools that call it read a failure here as a failed creation, although the worktree exists.
    guarded(main, sys.argv[1:])
