"""Rendering: what a review led to, for people and for programs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from groundrules.rounds.situation import leftovers
from groundrules_hooks import decision as decisions
from groundrules_hooks import evals, review_log
from groundrules_hooks.finding import quote, shown
from groundrules_hooks.review import (
    CONTINUED,
    END,
    ENDED,
    FIX,
    FOCUSED,
    HUMAN,
    REVIEW,
    RUNNING,
    WAIT,
    Answer,
    Disposition,
    Round,
    is_counted,
    level,
    still_open,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundrules.rounds.situation import Situation
    from groundrules_hooks.evals import Result
    from groundrules_hooks.review import Decision, Event, Open


def decision(here: Situation, found: Decision) -> str:
    """Return the decision with its reason, and below it the findings that are open."""
    rows = [f"    {_row(each)}\n" for each in still_open(here.log)]
    return "".join([f"{found.kind}: {found.reason}\n", *rows])


def decided(here: Situation, found: Decision) -> dict[str, object]:
    """Return the document about a decision."""
    log = here.log
    return {
        "schema_version": 1,
        "task": here.task,
        "decision": found.kind,
        "reason": found.reason,
        "series": found.series,
        "quiet": decisions.trailing_quiet(log) if found.series == log.series else 0,
        "quiet_needed": here.policy.quiet_needed,
        "rounds": decisions.general_count(log.now) if found.series == log.series else 0,
        "cap": here.policy.cap,
        "about": [each.finding.id for each in found.about],
        "open": list(map(_document, still_open(log))),
    }


def next_step(here: Situation, found: Decision) -> str:
    """Return one line that says what to do now, and the command to type."""
    first = found.about[0].finding if found.about else None
    name = f"{first.severity} {first.id}" if first else ""
    place = f" in {shown(first.path)}" if first and first.path else ""
    if found.kind == END:
        return f"{END}: hand over, and name what stays open: {found.reason}\n→ {_handoff(here)}\n"
    again = _unsettled_here(here) if found.kind == REVIEW else []
    if again:
        said = f"fix or settle {', '.join(again)} before the next round: it would see the same tree again"
        return f"{REVIEW}: {said}\n→ {called()} review settle {' '.join(again)} --wontfix 'the reason'\n"
    said, command = {
        WAIT: (f"wait for the report: {found.reason}", "record --status cancelled"),
        FIX: (f"fix {name}{place}, commit, settle it", f"settle {first.id if first else ''} --fixed"),
        FOCUSED: (f"ask for one round about {name}{place} alone", f"record --start --focused {first and first.id}"),
        HUMAN: (f"a person decides ({', '.join(here.policy.owners) or 'no owner is named'}): {found.reason}", "decide"),
    }.get(found.kind, (f"ask for a general round: {found.reason}", "record --start"))
    return f"{found.kind}: {said}\n→ {called()} review {command}\n"


def _unsettled_here(here: Situation) -> list[str]:
    """Return the open findings of the rounds that looked at the present tree: until they are settled it is one look."""
    log = here.log
    numbers = {each.number for each in log.now if is_counted(each) and each.end == here.tree}
    return [
        each.id
        for made in log.now
        for each in made.findings
        if made.number in numbers and not log.is_settled(each, made.number)
    ]


def _handoff(here: Situation) -> str:
    texts = map(quote, leftovers(here.worktree.root, here.task))
    return " ".join([called(), "handoff draft", *(f"--unresolved {words}" for words in texts)])


def called() -> str:
    """Return how the command was called: a repository's wrapper says so."""
    return os.environ.get("GROUNDRULES_CALLED", "groundrules")


def recorded(here: Situation, made: Sequence[Event]) -> dict[str, object]:
    """Return the document about what was appended."""
    rows = [review_log.document_of(each) for each in made]
    return {"schema_version": 1, "task": here.task, "path": here.path, "events": rows}


def lines_of(here: Situation, made: Sequence[Event]) -> Iterator[str]:
    """Yield a line for each finding that was recorded, with the id by which it is settled."""
    for each in made:
        for finding in each.findings if isinstance(each, Round) else ():
            place = f"{shown(finding.path)}:{finding.line}  " if finding.path else ""
            yield f"{finding.id}  {level(here.policy, finding)}  {place}{shown(finding.title)}\n"


def summary(made: Sequence[Event]) -> str:
    """Return in words what was appended."""
    first = made[0]
    if isinstance(first, Disposition):
        return f"{', '.join(each.finding for each in made if isinstance(each, Disposition))} {first.what}"
    if isinstance(first, Answer):
        return {ENDED: "the review ends", CONTINUED: "a new series"}[first.what]
    if first.status == RUNNING:
        return f"round {first.number} has begun ({first.kind}, series {first.series})"
    count = len(first.findings)
    counts = " and does not count: the tree moved" if first.end != first.start else ""
    return f"round {first.number} {first.status}, {count} finding{'s' * (count != 1)}{counts}"


def result(each: Result) -> dict[str, object]:
    """Return the document about an eval."""
    row = each.row
    facts = {"name": row.name, "path": row.path, "line": row.line, "expected": evals.expected(row)}
    return {**facts, "found": each.found, "reason": each.reason, "met": each.is_met}


def failure(each: Result) -> str:
    """Return the line about an eval that is not met."""
    row = each.row
    return f"{row.path}:{row.line}: {row.name}: {each.found} ({each.reason}), expected {evals.expected(row)}\n"


def _row(each: Open) -> str:
    found = each.finding
    place = f"{shown(found.path)}:{found.line}  " if found.path else ""
    return f"{found.severity} {found.id}  {place}{shown(found.title)} (round {each.round})"


def _document(each: Open) -> dict[str, object]:
    facts = each.finding._asdict()
    return {**facts, "round": each.round, "evidence": [shown._asdict() for shown in each.finding.evidence]}
