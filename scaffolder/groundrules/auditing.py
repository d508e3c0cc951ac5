"""What `merge audit` says: each landing with how its tree stands, and what to type about one that nobody tested."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules import console, ends, landing
from groundrules.counterpart import target
from groundrules_hooks import evidence
from groundrules_hooks.failure import FINDINGS, GroundrulesError
from groundrules_hooks.finding import say, shown, utf8
from groundrules_hooks.git import is_oid

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from groundrules.landing import Landing
    from groundrules_hooks.config import Config
    from groundrules_hooks.worktree import Worktree

SCHEMA_VERSION = 1
STEPS = 20  # of the target that an audit without a base looks at


def audit(asked: argparse.Namespace, worktree: Worktree, config: Config) -> int:
    """Look at what landed after `--base`."""
    against = target(config, asked.head)
    if against.reason:
        raise GroundrulesError(against.reason, fix="groundrules merge audit --head REF")
    base = ends.commit(asked.base) if asked.base.strip("0") else None
    if asked.base and base is None:
        if not is_oid(asked.base):
            ends.require_commit(asked.base)
        console.narrate(console.WARNING, f"{asked.base[:12]} is not known here; the last {STEPS} steps are looked at")
    found = landing.landings(worktree, against.commit, base or "", STEPS)
    if asked.json:
        rows = [_row(each) for each in found]
        console.answer({"schema_version": SCHEMA_VERSION, "target": against.ref, "landings": rows})
    else:
        say(_table(found))
    return _conclude(against.name, found)


def _row(each: Landing) -> dict[str, object]:
    return {
        "commit": each.step.commit,
        "subject": utf8(each.step.subject),
        "task": each.task or None,
        "how": each.how,
        "commits": each.steps,
        "subject_tree": each.step.tree,
        "result": each.outcome,
        "checks": [{"name": row.check.name, "result": row.outcome, "why": row.why} for row in each.results],
    }


def _table(found: Sequence[Landing]) -> str:
    rows = [
        ("COMMIT", "RESULT", "HOW", "TASK", "SUBJECT"),
        *((each.step.commit[:7], each.outcome, each.how, each.task or "—", shown(each.step.subject)) for each in found),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "".join("  ".join(map(str.ljust, row, widths)).rstrip() + "\n" for row in rows)


def _conclude(name: str, found: Sequence[Landing]) -> int:
    untested = [each for each in found if each.outcome != evidence.PASSED]
    squashed = sum(1 for each in found if each.how == landing.SQUASH)
    if squashed:
        console.narrate(console.ALREADY, f"{squashed} squashed: known by their trees, since their commits are gone")
    if not untested:
        console.step(console.DONE, "audit", f"{len(found)} landings on {name}, each with a proof of its tree")
        return 0
    for each in untested:
        first = next((row for row in each.results if row.outcome != evidence.PASSED), None)
        why = f"{first.check.name} {first.outcome}: {first.why}" if first else "it has no check to run"
        console.step(console.REFUSED, each.step.commit[:7], why)
    there = f"git switch --detach {untested[0].step.commit[:12]}"
    console.narrate(console.NEXT, f"{there} && tools/groundrules merge prove --target HEAD")
    return FINDINGS
