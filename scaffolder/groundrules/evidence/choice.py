"""Which checks to run: those that are named, those of a tier, or those that the handoff of this task needs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from groundrules_hooks import capability, capability_file, change, contract, evidence
from groundrules_hooks import task as tasks
from groundrules_hooks.config import FILE
from groundrules_hooks.config_wrong import nearest
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.lock import held
from groundrules_hooks.snapshot import snapshot
from groundrules_hooks.subject import subject_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundrules_hooks.config import Check, Config
    from groundrules_hooks.worktree import Worktree


def named(config: Config, names: Sequence[str]) -> list[Check]:
    """Return the checks of those names. Raise GroundrulesError naming the nearest of one that there is not."""
    known = {check.name: check for check in config.checks}
    if names and not known:
        raise GroundrulesError(
            f"there is no check {names[0]}, nor any other",
            why='example  [[check]] with name = "unit", run = ["make", "test"]',
            fix=f"${{EDITOR:-vi}} {FILE}",
        )
    for name in names:
        if name not in known:
            raise GroundrulesError(
                f"there is no check {name}",
                why=f"checks are {', '.join(known)}; the nearest is {nearest(name, known)}",
                fix=f"groundrules check run {nearest(name, known)}",
            )
    return [known[name] for name in dict.fromkeys(names)]


def of_tier(config: Config, tier: str) -> list[Check]:
    """Return the checks of `tier`."""
    return [check for check in config.checks if check.tier == tier]


def needed(worktree: Worktree, config: Config, start: str | None) -> list[Check]:
    """Return the checks that a handoff of what is on disk now would need; without a task, every quick one.

    `start` is the commit that the work is compared with.
    """
    task = tasks.of_branch(worktree.branch, config.tasks.branches)
    if task is None or start is None:
        return of_tier(config, evidence.QUICK)
    files = change.between(subject_tree(start), subject_tree(snapshot(worktree)))
    path = contract.path_of(task)
    content = held(os.path.join(worktree.root, path))
    agreed = contract.parse(content, path) if content else contract.Contract()
    paths = {file.path for file in files} | {file.old for file in files}
    claims = held(os.path.join(worktree.root, capability.FILE))
    proofs = capability_file.needed(claims, config, paths)
    return evidence.required(config, paths, (*agreed.checks, *proofs))
