"""`groundrules next`: the next free number of a series, reserved for this worktree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules import allocation, console
from groundrules.place import require_config, require_outermost
from groundrules_hooks import task as tasks
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import say

if TYPE_CHECKING:
    import argparse

    from groundrules_hooks.config import Config, Series
    from groundrules_hooks.worktree import Worktree


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("series", nargs="?", metavar="SERIES", help="whose number to reserve; default: show all")
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(asked: argparse.Namespace) -> int:
    """Print the number that is reserved now, or the next number of every series, reserving none."""
    worktree = require_outermost()
    config = require_config(worktree)
    if asked.series is None:
        return _show(worktree, config, as_json=asked.json)
    series = _named(config, asked.series)
    number = allocation.reserve(worktree, config, series)
    task = tasks.of_branch(worktree.branch, config.tasks.branches)
    if asked.json:
        row = {**_row(series, number), "task": task, "worktree": worktree.root}
        console.answer({"schema_version": 1, **row})
    else:
        say(f"{number}\n")
        owner = f"task {task}" if task else "this worktree"
        console.narrate(console.DONE, f"{number} of {series.name} is reserved for {owner}")
    return 0


def _named(config: Config, name: str) -> Series:
    for series in config.series:
        if series.name == name:
            return series
    known = ", ".join(series.name for series in config.series)
    raise GroundrulesError(
        f"no series is named {name}", why=f"[[series]] in groundrules.toml: {known}", fix="groundrules next"
    )


def _show(worktree: Worktree, config: Config, *, as_json: bool) -> int:
    rows = [(series, allocation.peek(worktree, config, series)) for series in config.series]
    if as_json:
        console.answer({"schema_version": 1, "series": [_row(series, number) for series, number in rows]})
        return 0
    say(console.columns([(series.name, number, ", ".join(series.paths)) for series, number in rows]))
    return 0


def _row(series: Series, number: str) -> dict[str, object]:
    return {"series": series.name, "number": int(number), "text": number, "paths": list(series.paths)}
