"""Handoffs as commits hold them: read for show, judged for verify by the rule that hooks and gate run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from groundrules import ends
from groundrules.place import require_config, require_outermost
from groundrules_hooks import handoff
from groundrules_hooks import task as tasks
from groundrules_hooks.ancestry import targets
from groundrules_hooks.change import Tree
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import quote
from groundrules_hooks.history import commits
from groundrules_hooks.lock import held
from groundrules_hooks.range import Range, wholes
from groundrules_hooks.rules.handoff import check
from groundrules_hooks.subject import EVIDENCE
from groundrules_hooks.worktree import Worktree, locate

if TYPE_CHECKING:
    from groundrules_hooks.finding import Finding


class Verdict(NamedTuple):
    """What is wrong with the handoffs of a branch, and a line about each of them."""

    findings: list[Finding]
    lines: list[str]


def verify(ref: str, branch: str) -> tuple[Worktree, Verdict]:
    """Judge the handoff of every task that the commit `ref` adds to the target."""
    here = locate()
    if here is None:
        raise GroundrulesError(f"{os.getcwd()} is in no git repository")
    head = ends.require_commit(ref)
    config = ends.settings_of(head, ref)
    known = targets(config.tasks.target)
    base = ends.base("", head, known)
    name = branch or ends.branch_of(ref)
    task = tasks.of_branch(name, config.tasks.branches)
    asked = Range(head, (base, *known), (base, *known), task, name or None)
    found = [whole for whole in wholes(asked, commits(head, [base])) if whole.task]
    findings = [finding for whole in found for finding in check(whole, config)]
    lines = [line(whole.task or "", head, findings) for whole in found]
    return here, Verdict(findings, lines or ["no task is named between the target and this commit"])


def line(task: str, head: str, findings: list[Finding]) -> str:
    """Return how the handoff of `task` in the commit `head` stands, in a few words."""
    path = handoff.path_of(task)
    wrong = [finding for finding in findings if finding.path == path]
    content = Tree(head).read(path).get(path)
    if content is None or list(handoff.problems(content)):
        return f"{path}   {'no handoff' if content is None else 'not a handoff'}"
    found = handoff.load(content)
    checks = len(found["checks"])
    verdict = f"{len(wrong)} finding{'s' * (len(wrong) != 1)}" if wrong else "true of this commit"
    if found["state"] == handoff.IN_PROGRESS and not wrong:
        verdict = "task and base are right, the rest is not compared yet"
    return f"{path}   {found['state']}, {checks} check{'s' * (checks != 1)}; {verdict}"


def read(ref: str, task: str) -> dict[str, Any]:
    """Return the handoff of `task` in the commit `ref`, or on disk; without a task, that of the branch."""
    worktree = require_outermost()
    config = require_config(worktree)
    branch = ends.branch_of(ref) if ref else worktree.branch
    wanted = task or tasks.of_branch(branch, config.tasks.branches)
    if wanted is None or not tasks.is_id(wanted):
        raise _nameless(task or branch or ref or "a detached HEAD", ref, worktree.head)
    path = handoff.path_of(wanted)
    content = Tree(ends.require_commit(ref)).read(path).get(path) if ref else held(os.path.join(worktree.root, path))
    if not content:
        raise GroundrulesError(f"there is no {path}{f' in {ref}' if ref else ''}", fix="groundrules handoff draft")
    wrong = list(handoff.problems(content))
    if wrong:
        raise GroundrulesError(f"{path} is not a handoff", why="\n".join(wrong), fix="groundrules handoff draft")
    return handoff.load(content)


def _nameless(name: str, ref: str, head: str | None) -> GroundrulesError:
    """Return the error about a `name` that is no task's, and how to read a handoff that `ref`, or else HEAD, holds."""
    commit = ends.require_commit(ref) if ref else head
    split = [path.split("/") for path in (Tree(commit).files(EVIDENCE) if commit else [])]
    known = sorted(path[1] for path in split if path[2:] == ["handoff.json"] and tasks.is_id(path[1]))
    if not known:
        return GroundrulesError(f"{name} names no task", fix="groundrules task list")
    fix = f"groundrules handoff show {f'{quote(ref)} ' if ref else ''}--task {known[-1]}"
    return GroundrulesError(f"{name} names no task", why=f"there are handoffs of {', '.join(known)}", fix=fix)
