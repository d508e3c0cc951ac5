"""`groundrules gate`: every rule again, over real commits, since hooks can be bypassed."""

from __future__ import annotations

import gc
import os
from typing import TYPE_CHECKING

from groundrules import console, ends
from groundrules_hooks import allow, handoff, task
from groundrules_hooks.ancestry import is_ancestor, targets
from groundrules_hooks.change import Change, Tree
from groundrules_hooks.failure import FINDINGS, GroundrulesError
from groundrules_hooks.finding import FORMATS, render, say, shown
from groundrules_hooks.git import text
from groundrules_hooks.range import Range, judged, wholes
from groundrules_hooks.rules import BRANCH, GATE, NAMES, TREE, judge
from groundrules_hooks.rules import handoff as handoff_rule
from groundrules_hooks.worktree import Worktree, locate

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from groundrules_hooks.config import Check, Config
    from groundrules_hooks.finding import Finding
    from groundrules_hooks.range import Verdict


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--base", default="", metavar="REF", help="what is merged already; default: the target branch")
    parser.add_argument("--head", default="HEAD", metavar="REF", help="what is to be merged; default: HEAD")
    parser.add_argument(
        "--branch", default="", metavar="NAME", help="the branch of the head, where the ref does not tell"
    )
    parser.add_argument("--rerun", action="store_true", help="run the checks that the range needs again, on the head")
    parser.add_argument(
        "--later",
        metavar="FILE",
        help="with --rerun, run quick checks only, and write the names of the others to FILE, one a line",
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="how findings are printed")


def run(asked: argparse.Namespace) -> int:
    """Judge `base..head` commit by commit and as a branch, then run guards, and checks if asked, on the head."""
    if asked.later is not None and not (asked.rerun and asked.later):
        what = "--later is given without --rerun" if asked.later else "--later names no file"
        why = "it names the checks that --rerun leaves to another job"
        raise GroundrulesError(what, why=why, fix="groundrules gate --rerun --later FILE")
    here = locate()
    if here is None:
        raise GroundrulesError(f"{os.getcwd()} is in no git repository")
    gc.disable()  # nothing here refers to itself, and looking for what does takes a twentieth of the time
    head = ends.require_commit(asked.head)
    settings = ends.settings_of(head, asked.head)
    known = targets(settings.tasks.target)
    base = ends.base(asked.base, head, known)
    branch = asked.branch or ends.branch_of(asked.head)
    named = task.of_branch(branch, settings.tasks.branches)
    # What the branch merged from a target newer than `base` is merged already; a pushed target is what to judge.
    merged = (ref for ref in known if not is_ancestor(head, ref))
    judging = Range(head, (base, *merged), (base, *known), named, branch or None)
    verdict = judged(judging, settings, (BRANCH, GATE))
    names = [whole.task for whole in wholes(judging, verdict.commits) if whole.task]
    since = ends.of_files(asked.base, base, head)
    again, later = _checks(asked, settings, since, head, names) if asked.rerun else ([], [])
    found = list(_on_files(here, judging, since, settings, again))
    allowed = [each for _, each in verdict.allowed]
    findings = [*verdict.findings, *allow.not_allowed(found, allowed, settings.rules.strict)]
    if not any(each.rule == handoff_rule.NAME for each in allowed):
        _tell_handoffs(names, head, findings)
    if asked.later:
        from groundrules.evidence import rerun

        rerun.leave(later, asked.later)
    say(render(findings, asked.format, here.root))
    _account(verdict, findings, len(later))
    return FINDINGS if findings else 0


def _checks(
    asked: argparse.Namespace, settings: Config, since: str, head: str, names: list[str]
) -> tuple[list[Check], list[Check]]:
    """Return the checks that the range needs: those to run again here, and those that are left to another job."""
    from groundrules.evidence import rerun

    needed = rerun.required(settings, since, head, names)
    return rerun.split(needed) if asked.later else (needed, [])


def _on_files(here: Worktree, asked: Range, since: str, settings: Config, again: list[Check]) -> Iterator[Finding]:
    """Yield what the guards find on the files of the head, and which of the checks to run `again` fail there."""
    guarded = bool(Tree(asked.head).files("guards"))
    if not guarded and not again:
        return
    from groundrules import checkout, interruption
    from groundrules.evidence import rerun

    with checkout.at(here, asked.head) as there, interruption.obeyed():
        if guarded:
            yield from judge(_whole(there, asked.head, since), settings, TREE)
        yield from rerun.findings(again, there, here, settings)


def _whole(here: Worktree, head: str, base: str) -> Change:
    return Change((), Tree(text("rev-parse", f"{head}^{{tree}}")), commit=head, base=base, worktree=here)


def _tell_handoffs(tasks: list[str], head: str, findings: list[Finding]) -> None:
    """Say how the handoff of each of `tasks` stands, if it has one."""
    from groundrules.evidence import verifying

    for name in tasks:
        path = handoff.path_of(name)
        if Tree(head).read(path):
            wrong = any(finding.path == path for finding in findings)
            console.step(console.REFUSED if wrong else console.DONE, "handoff", verifying.line(name, head, findings))


def _account(verdict: Verdict, findings: list[Finding], later: int) -> None:
    """Say on stderr what was judged, every exception that was honoured, and how many needed checks did not run."""
    for commit, each in verdict.allowed:
        console.narrate(console.WARNING, f"{commit[:10]} was allowed {each.rule}: {shown(each.reason)}")
    counts = ((len(verdict.commits), "commit"), (len(NAMES), "rule"), (len(findings), "finding"))
    text = ", ".join(f"{count} {word}{'s' * (count != 1)}" for count, word in counts)
    left = f", {later} needed check{'s' * (later != 1)} not run" if later else ""
    console.step(console.REFUSED if findings else console.DONE, "gate", text + left)
