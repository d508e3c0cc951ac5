"""Writing a handoff: the draft, the seal or its refusal, and after a rebase what became of the commits."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from groundrules import console
from groundrules.evidence import drafting, report, sealing, store
from groundrules.place import require_config, require_outermost
from groundrules.rounds.situation import leftovers
from groundrules_hooks import conflict
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import say
from groundrules_hooks.git import git

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groundrules_hooks.config import Config
    from groundrules_hooks.worktree import Worktree


def hand_over(action: str, given: Mapping[str, Sequence[str] | None], *, commit: bool) -> int:
    """Draft, seal or reseal the handoff of this worktree's task, with the prose that is `given`.

    Raise GroundrulesError with what is missing when a seal is refused, or a draft that forgets what the review found.
    """
    worktree = require_outermost()
    config = require_config(worktree)
    task, told = drafting.account_of(worktree, config)
    before = drafting.earlier(worktree, task)
    found = drafting.document(worktree, config, task, told) | drafting.prose(given, before)
    for results, otherwise in ((told.required, console.REFUSED), (told.others, console.WARNING)):
        for result in results:
            report.line(result, store.newest(worktree, result.check.name, found["subject_tree"]), otherwise)
    left = leftovers(worktree.root, task)
    if action == "draft":
        sealing.require_told(found, left, commit=commit)
        # A seal that still stands is not taken back.
        found = before if before == sealing.sealed(found) else found
        return _finish(worktree, config, found, commit=commit)
    if action == "reseal":
        _tell_fates(before, found, task)
    lacks, unfinished = sealing.missing(found, told, left), sealing.unfinished(worktree, found, commit=commit)
    if not lacks and not unfinished.lacks:
        _tell_uncommitted(worktree)
        return _finish(worktree, config, sealing.sealed(found), commit=commit)
    if action == "reseal":
        path = drafting.write(worktree, found)
        console.step(console.ALREADY, "handoff", f"{path}   in-progress, until nothing is missing")
    needed = list(sealing.commands(found, told, left, commit=commit or bool(unfinished.lacks)))
    raise sealing.refusal(found, lacks, needed, unfinished)


def _finish(worktree: Worktree, config: Config, found: dict[str, Any], *, commit: bool) -> int:
    path = drafting.write(worktree, found)
    counted = ((len(found[rows]), rows) for rows in ("commits", "files"))
    facts = ", ".join(f"{number} {rows[:-1] if number == 1 else rows}" for number, rows in counted)
    console.step(console.DONE, "handoff", f"{path}   {facts}, {found['state']}")
    for name in drafting.PROSE:
        if found[name] is None:
            console.narrate(console.WARNING, f"{name} is not given yet: --{name} TEXT, or --{name} none")
    message = drafting.subject_of(found["task"], config)
    if commit:
        analysis = conflict.path_of(found["task"])
        also = [analysis] if os.path.exists(os.path.join(worktree.root, analysis)) else []
        drafting.commit(worktree.root, message, path, *also)
    else:
        say(f"→ git add {path} && git commit -m '{message}' -- {path}\n")
    return 0


def _tell_uncommitted(worktree: Worktree) -> None:
    """Say what is on disk and not in the commit that the handoff is about."""
    listed = git(
        "-C", worktree.root, "status", "--porcelain", "-z", "--untracked-files=all", "--", ":(top,exclude)evidence"
    )
    count = sum(1 for entry in listed.split(b"\0") if entry)
    if count:
        console.narrate(console.WARNING, f"not committed, and no part of it: {count} files → git status --short")


def _tell_fates(before: dict[str, Any], found: dict[str, Any], task: str) -> None:
    if not before:
        raise GroundrulesError(f"task {task} has no handoff to seal again", fix="groundrules handoff seal")
    for fate in sealing.fates(before, found):
        if not fate.after:
            console.step(console.WARNING, fate.before[:7], f"is gone: {fate.subject}")
        elif not fate.before:
            console.step(console.WARNING, fate.after[:7], f"is new: {fate.subject}")
        elif fate.before != fate.after or fate.changed:
            sign, what = (console.WARNING, "changed") if fate.changed else (console.DONE, "same patch")
            console.step(sign, fate.before[:7], f"→ {fate.after[:7]} {what}: {fate.subject}")
