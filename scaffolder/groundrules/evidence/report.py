"""What a person reads of results: one line a check, and of a failed run the end of its log."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from groundrules import console
from groundrules.evidence import run
from groundrules_hooks import evidence
from groundrules_hooks.finding import quote, say, shown

if TYPE_CHECKING:
    from groundrules.evidence.store import Record
    from groundrules_hooks.evidence import Result
    from groundrules_hooks.worktree import Worktree

LINES = 20  # of a failed run's log
PATHS = 5  # of those that moved


def line(result: Result, record: Record | None, otherwise: str = console.REFUSED) -> None:
    """Say how one check stands, with the sign `otherwise` when it has not passed."""
    passed = result.outcome == evidence.PASSED
    known = record is not None and result.outcome in (evidence.PASSED, evidence.FAILED)
    words = [result.why, *(_figures(record) if record and known else ())]
    text = f"{result.outcome:<8} {', '.join(filter(None, words))}"
    console.step(console.DONE if passed else otherwise, result.check.name, text.rstrip())


def _figures(record: Record) -> list[str]:
    counted = [f"{number} {word}" for word, number in record["counts"].items()]
    return [*counted, f"{record['seconds']} s"]


def ended(worktree: Worktree, result: Result, record: Record) -> None:
    """Say how a run ended, and what to look at when it did not pass."""
    line(result, record)
    log = os.path.join(worktree.common_dir, record["log"])
    if result.outcome == evidence.FAILED:
        say("".join(f"    {text}\n" for text in run.tail(log, LINES)), 2)
        console.narrate(console.NEXT, f"less {quote(os.path.relpath(log))}")
    elif record["content"] == evidence.MOVED:
        paths = run.moved(worktree, record)
        more = [f"and {len(paths) - PATHS} more"] if len(paths) > PATHS else []
        say("".join(f"    {text}\n" for text in [*map(shown, paths[:PATHS]), *more]), 2)
        console.narrate(console.NEXT, "what a check writes belongs in .gitignore; then run it again")
    elif record["content"] == evidence.EDITED:
        console.narrate(console.WARNING, "on edits that are not committed: it counts for a commit of exactly these")
