"""What `merge audit` says: each landing with how its tree stands, and what to type about one that nobody tested."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules import console, ends, forge, issue, landing
from groundrules.counterpart import target
from groundrules.place import require_config
from groundrules_hooks import evidence
from groundrules_hooks.change import Tree
from groundrules_hooks.config import FILE, of_text
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


def audit(asked: argparse.Namespace, worktree: Worktree) -> int:
    """Look at what landed after `--base`."""
    base = _base(asked.base)
    before = _config(base) if base else None if asked.base else require_config(worktree)
    config = before or require_config(worktree)
    against = target(config, asked.head)
    if against.reason:
        raise GroundrulesError(against.reason, fix="groundrules merge audit --head REF")
    if asked.base and base == "":
        # As many steps, and what they came onto says what they are judged by.
        base = ends.commit(f"{against.commit}~{STEPS}") or ""
        before = _config(base) if base else None
    found = [] if base is None else landing.landings(worktree, against.commit, base, STEPS)
    if asked.issue:
        found = [_asked(each, before.ci.required if before else ()) for each in found]
    if asked.json:
        rows = [_row(each) for each in found]
        console.answer({"schema_version": SCHEMA_VERSION, "target": against.ref, "landings": rows})
    else:
        say(_table(found))
    untested = [each for each in found if each.outcome != evidence.PASSED]
    # With no check now and before, nothing could be tested.
    wrong = [each for each in untested if each.results or before is None or before.checks]
    _conclude(against.name, found, untested, wrong)
    if wrong and asked.issue:
        issue.tell(config.tasks.target, wrong)
    return FINDINGS if wrong else 0


def _base(asked: str) -> str | None:
    """Return the commit after which to look, empty where it is not known; None where zeros say: a new branch."""
    if is_oid(asked) and not asked.strip("0"):
        console.narrate(console.ALREADY, "a new branch: nothing landed on it")
        return None
    base = ends.commit(asked) if asked else None
    if asked and base is None:
        if not is_oid(asked):
            ends.require_commit(asked)
        console.narrate(console.WARNING, f"{asked[:12]} is not known here; the last {STEPS} steps are looked at")
    return base or ""


def _config(base: str) -> Config | None:
    """Return the configuration of `base`, if it can be read: what was pushed cannot say what it is judged by."""
    try:
        return of_text(Tree(base).read(FILE).get(FILE, b""))
    except GroundrulesError:
        return None


def _asked(each: Landing, required: tuple[str, ...]) -> Landing:
    """Return a landing with the `required` checks, if the forge saw all of them pass on exactly its commit.

    So a queue proves what it lands: it tests the very commit, and no branch could hold a record of it.
    """
    if each.outcome == evidence.PASSED or not all(forge.passed(each.step.commit, check) for check in required):
        return each
    return each._replace(passed=required)


def _row(each: Landing) -> dict[str, object]:
    return {
        "commit": each.step.commit,
        "subject": utf8(each.step.subject),
        "task": each.task or None,
        "how": each.how,
        "commits": each.steps,
        "subject_tree": each.step.tree,
        "result": each.outcome,
        "passed": list(each.passed),
        "checks": [{"name": row.check.name, "result": row.outcome, "why": row.why} for row in each.results],
    }


def _table(found: Sequence[Landing]) -> str:
    rows = [
        ("COMMIT", "RESULT", "HOW", "TASK", "SUBJECT"),
        *((each.step.commit[:7], each.outcome, each.how, each.task or "—", shown(each.step.subject)) for each in found),
    ]
    return console.columns(rows)


def _conclude(name: str, found: list[Landing], untested: list[Landing], wrong: list[Landing]) -> None:
    """Say how the landings stand, and what to type about those of the `untested` ones that are `wrong`."""
    squashed = sum(1 for each in found if each.how == landing.SQUASH)
    if squashed:
        console.narrate(console.ALREADY, f"{squashed} squashed: known by their trees, since their commits are gone")
    for each in found:
        if each.passed:
            console.step(console.DONE, each.step.commit[:7], f"{', '.join(each.passed)} passed on this commit")
    for each in untested:
        console.step(console.REFUSED if each in wrong else console.WARNING, each.step.commit[:7], each.why)
    if not untested:
        console.step(console.DONE, "audit", f"{len(found)} landings on {name}, each with a proof of its tree")
    if wrong:
        there = f"git switch --detach {wrong[0].step.commit[:12]}"
        console.narrate(console.NEXT, f"{there} && tools/groundrules merge prove --target HEAD")
