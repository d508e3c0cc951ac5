"""Forecast: predictions as a table, as a document, and as what to say about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules import console
from groundrules.counterpart import TARGET, way_to_look
from groundrules_hooks.failure import BAD_USE, FINDINGS
from groundrules_hooks.finding import shown
from groundrules_hooks.prediction import BEHIND_OVERLAP, CONFLICT, UNKNOWN

if TYPE_CHECKING:
    from groundrules.counterpart import Meeting, Outlook
    from groundrules_hooks.worktree import Worktree

SCHEMA_VERSION = 1
SHOWN = 3  # paths in one row of the table; the document has all


def is_conflict(meeting: Meeting) -> bool:
    """Whether git cannot merge the two."""
    return meeting.prediction.state == CONFLICT


def document(task: str, head: str, found: Outlook) -> dict[str, object]:
    """Return the document of `merge predict --json`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "task": task,
        "head": head,
        "uncommitted": found.files,
        "predictions": [
            {
                "with": each.counterpart.name,
                "kind": each.counterpart.kind,
                "ref": each.counterpart.ref,
                "commit": each.counterpart.commit or None,
                "uncommitted": each.files,
                "state": each.prediction.state,
                "paths": [path._asdict() for path in each.prediction.paths],
                "reason": each.prediction.reason or None,
            }
            for each in found.meetings
        ],
    }


def table(meetings: list[Meeting]) -> str:
    """Return a row for each meeting."""
    rows = [("WITH", "STATE", "UNCOMMITTED", "PATHS")]
    for each in meetings:
        uncommitted = f"{each.files} file{'s' * (each.files != 1)}" if each.files else "—"
        rows.append((each.counterpart.name, each.prediction.state, uncommitted, _paths(each)))
    return console.columns(rows)


def _paths(meeting: Meeting) -> str:
    """Return the paths in question with git's words for each conflict, or the reason why nobody knows."""
    found = meeting.prediction
    if found.state == UNKNOWN:
        return found.reason
    named = [shown(path.path) + (f" ({path.kind})" if is_conflict(meeting) else "") for path in found.paths]
    more = f" and {len(named) - SHOWN} more" if len(named) > SHOWN else ""
    return ", ".join(named[:SHOWN]) + more


def conclude(here: Worktree, task: str, found: Outlook) -> int:
    """Say what does not go together and what to type; return the exit code that it means.

    A conflict that is known outweighs a verdict that is not; nothing unknown passes for clean.
    """
    states = [each.prediction.state for each in found.meetings]
    for each in found.meetings:
        name, first = each.counterpart.name, next(iter(each.prediction.paths), None)
        if each.prediction.state == CONFLICT and first:
            console.narrate(console.REFUSED, f"{task} and {name} would conflict in {_paths(each)}")
            console.narrate(console.NEXT, way_to_look(here, each.counterpart, first.path))
            if each.counterpart.kind == TARGET:
                console.narrate(console.NEXT, "tools/groundrules merge prove")
        elif each.prediction.state == UNKNOWN:
            console.narrate(console.WARNING, f"{name}: nobody can tell: {each.prediction.reason}")
    if not states:
        console.narrate(console.ALREADY, "nothing to merge with")
    elif BEHIND_OVERLAP in states and not {CONFLICT, UNKNOWN} & set(states):
        console.narrate(
            console.WARNING, "an overlap merges as text; only tests of the merged tree tell whether it works"
        )
    if found.files:
        count = f"{found.files} file{'s' * (found.files != 1)}"
        console.narrate(console.ALREADY, f"as {task} is now, with {count} that no commit holds")
    return FINDINGS if CONFLICT in states else BAD_USE if UNKNOWN in states else 0
