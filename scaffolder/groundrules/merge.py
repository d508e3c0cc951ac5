"""`groundrules merge`: what a merge would give, the proof that it works, and what landed without one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules import console, drivers, forecast
from groundrules.counterpart import outlook
from groundrules.place import require_config, require_outermost
from groundrules_hooks import task as tasks
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import say

if TYPE_CHECKING:
    import argparse

    from groundrules_hooks.config import Config
    from groundrules_hooks.worktree import Worktree


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION", help="what to do")
    predict = actions.add_parser("predict", help="this worktree's work against the target and every live sibling")
    prove = actions.add_parser("prove", help="run the checks of a merge on what this branch and the target merge to")
    audit = actions.add_parser("audit", help="name what is on the target and was not tested")
    predict.add_argument("--with", dest="only", default="", metavar="NAME", help="one task, or the target, not all")
    prove.add_argument("names", nargs="*", metavar="NAME", help="tasks or branches to prove one on the other, in order")
    prove.add_argument("--commit", action="store_true", help="commit the record too")
    audit.add_argument("--base", default="", metavar="REF", help="look at what landed after it; default: 20 steps")
    audit.add_argument("--head", default="", metavar="REF", help="up to where; default: the target")
    audit.add_argument("--issue", action="store_true", help="have one issue on the forge name what nobody tested")
    for action in (predict, prove):
        action.add_argument("--target", default="", metavar="REF", help="stands in for the target branch")
    for action in (predict, prove, audit):
        action.add_argument("--json", action="store_true", help="one JSON document")


def run(asked: argparse.Namespace) -> int:
    """Do what the action says."""
    worktree = require_outermost()
    if worktree.head is None:
        raise GroundrulesError("there is no commit here yet", fix="git status")
    # What a prediction does not need takes longer to import than a prediction takes.
    if asked.action == "audit":
        from groundrules.auditing import audit

        return audit(asked, worktree)
    config = require_config(worktree)
    task = tasks.of_branch(worktree.branch, config.tasks.branches)
    if asked.action == "prove" and asked.names:
        from groundrules.train import prove as prove_train

        return prove_train(asked, worktree, config)
    if asked.action == "prove":
        from groundrules.proving import prove

        return prove(asked, worktree, config, task)
    return _predict(asked, worktree, config, task)


def _predict(asked: argparse.Namespace, worktree: Worktree, config: Config, task: str | None) -> int:
    name = task or worktree.branch or "this worktree"
    found = outlook(worktree, config, asked.target, asked.only)
    if asked.json:
        console.answer(forecast.document(name, worktree.head or "", found))
    else:
        say(forecast.table(found.meetings))
    conflicting = {path.path for each in found.meetings if forecast.is_conflict(each) for path in each.prediction.paths}
    for line in drivers.left_out(worktree, sorted(conflicting)):
        console.narrate(console.WARNING, line)
    return forecast.conclude(worktree, name, found)
