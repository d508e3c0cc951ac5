"""Recording: the events that a report, a disposition or a person's answer makes."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, NamedTuple

from groundrules.rounds.identity import identified
from groundrules_hooks.ancestry import is_ancestor
from groundrules_hooks.change import Tree
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.git import text
from groundrules_hooks.review import (
    BLOCKING,
    COMPLETED,
    CONTINUED,
    FAILED,
    FIXED,
    FOCUSED,
    GENERAL,
    HUMAN,
    ON_ONE,
    RUNNING,
    SORTED,
    WONTFIX,
    Answer,
    Disposition,
    Round,
    still_open,
)
from groundrules_hooks.subject import subject_tree

if TYPE_CHECKING:
    from groundrules.rounds.report import Report
    from groundrules.rounds.situation import Situation


class Wanted(NamedTuple):
    """What is to be recorded as a round: a report, or None for its start; `head` is the commit that was looked at."""

    report: Report | None
    status: str = COMPLETED
    reviewers: tuple[str, ...] = ()
    head: str = ""
    target: str = ""


def round_of(here: Situation, wanted: Wanted) -> Round:
    """Return the round that `wanted` starts, or ends if one is running."""
    log = here.log
    running = next((each for each in log.rounds if each.status == RUNNING), None)
    if running and wanted.report is None and wanted.status == COMPLETED:
        what = f"round {running.number} is running already"
        raise GroundrulesError(what, fix="groundrules review record --status cancelled")
    found = here.decision()
    if wanted.target and not (found.kind == FOCUSED and wanted.target in {each.finding.id for each in found.about}):
        what = f"no focused round on {wanted.target} is asked for: {found.kind}, {found.reason}"
        raise GroundrulesError(what, fix="groundrules review next")
    reported = wanted.report
    head = commit(wanted.head or (reported.commit if reported else "") or (running.head if running else here.head))
    tree = subject_tree(head)
    begun = running or Round(
        number=max((each.number for each in log.rounds), default=0) + 1,
        id=os.urandom(4).hex(),
        series=found.series,
        kind=ON_ONE if wanted.target else GENERAL,
        status=RUNNING,
        reviewers=wanted.reviewers,
        start=tree,
        end="",
        head=head,
        target=wanted.target,
        at=now(),
    )
    if reported is None and wanted.status == COMPLETED:
        return begun
    findings = identified(reported.findings, Tree(head), here.worktree.root) if reported else ()
    names = wanted.reviewers or (reported.reviewers if reported else ()) or begun.reviewers
    return begun._replace(
        status=FAILED if reported and reported.failed else wanted.status,
        reviewers=names or (("somebody",) if reported else ()),
        start=tree if wanted.head or (reported and reported.commit) else begun.start,
        end=here.tree,
        head=head,
        findings=findings,
        at=now(),
    )


def disposition(here: Situation, finding: str, what: str, by: str, *, detail: str) -> Disposition:
    """Return the event that settles `finding`: `detail` is the commit that fixed it, the reason, or its severity."""
    rounds = here.log.rounds
    known = [each for made in rounds for each in made.findings if each.id == finding]
    if not known:
        raise _no_finding(here, finding)
    worst = min(each.severity or "" for each in known)
    if what == WONTFIX and worst in BLOCKING and by not in here.policy.owners:
        raise GroundrulesError(
            f"{finding} is {worst}, which only an owner may leave as it is",
            why=f"owners in review/policy.toml: {', '.join(here.policy.owners) or 'nobody yet'}",
            fix="groundrules review decide",
        )
    if what == FIXED:
        _require_later(here, finding, detail)
    return Disposition(
        finding,
        what,
        max(each.number for each in rounds),
        by,
        commit=detail if what == FIXED else "",
        reason=detail if what == WONTFIX else "",
        severity=detail if what == SORTED else "",
        at=now(),
    )


def _require_later(here: Situation, finding: str, fix: str) -> None:
    """Raise GroundrulesError unless the commit `fix` is on this branch and was not there when the finding was made."""
    if not is_ancestor(fix, here.head):
        raise GroundrulesError(f"{fix[:12]} is not on this branch", fix="git log --oneline")
    newest = [made for made in here.log.rounds for each in made.findings if each.id == finding][-1]
    if newest.head and is_ancestor(fix, newest.head):
        raise GroundrulesError(
            f"{fix[:12]} was there when round {newest.number} found {finding}, so it is not the fix",
            fix=f"git commit --trailer 'Review-Fix: {finding}' && groundrules review settle {finding} --fixed",
        )


def sorting(here: Situation, finding: str, severity: str, by: str) -> Disposition:
    """Return the event that gives a finding its severity. Raise GroundrulesError where the reviewer gave one."""
    words = {
        each.severity
        for made in here.events
        if isinstance(made, Round)
        for each in made.findings
        if each.id == finding and (each.severity or "").lower() in _known(here)
    }
    if words:
        what = f"{finding} has a severity: its reviewer said {', '.join(map(str, sorted(words, key=str)))}"
        raise GroundrulesError(what, fix="groundrules review decide")
    return disposition(here, finding, SORTED, by, detail=severity)


def answer_of(here: Situation, what: str, by: str, reason: str) -> Answer:
    """Return the event by which an owner ends a review that waits for a person, or opens a new series."""
    found = here.decision()
    if found.kind != HUMAN:
        raise GroundrulesError(f"no person is asked: {found.kind}, {found.reason}", fix="groundrules review next")
    if by not in here.policy.owners:
        who = ", ".join(here.policy.owners) or "nobody yet"
        fix = "${EDITOR:-vi} review/policy.toml"
        raise GroundrulesError(f"{by} is no owner", why=f"owners in review/policy.toml: {who}", fix=fix)
    blocking = [each.finding.id for each in still_open(here.log) if each.finding.severity in BLOCKING]
    if blocking and what != CONTINUED:
        fix = f"groundrules review settle {blocking[0]} --wontfix 'the reason' --by {by}"
        raise GroundrulesError(f"{', '.join(blocking)} is open and blocks", why="settle it first", fix=fix)
    return Answer(what, found.series, by, reason, here.tree, here.head, now())


def commit(name: str) -> str:
    """Return the id of the commit that `name` names. Raise GroundrulesError where there is none here."""
    found = text("rev-parse", "-q", "--verify", "--end-of-options", f"{name}^{{commit}}", ok=(0, 1, 128))
    if not found:
        raise GroundrulesError(f"{name} is no commit here", fix="git fetch --all")
    return found


def now() -> str:
    """Return the time, for a reader of the log; no decision looks at it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _known(here: Situation) -> set[str]:
    return {*here.policy.severity, "p0", "p1", "p2", "p3"}


def _no_finding(here: Situation, finding: str) -> GroundrulesError:
    known = [each.finding.id for each in still_open(here.log)]
    why = f"open are {', '.join(known)}" if known else "no finding is open"
    return GroundrulesError(f"the log has no finding {finding}", why=why, fix="groundrules review decide")
