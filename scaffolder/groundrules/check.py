"""`groundrules check run`: the repository's own checks, each with a record bound to what it ran on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules import console, interruption
from groundrules.evidence import choice, drafting, report
from groundrules.evidence.run import run_check, values_for
from groundrules.place import require_config, require_outermost
from groundrules_hooks import evidence, slot
from groundrules_hooks.failure import FINDINGS, GroundrulesError
from groundrules_hooks.slot_env import render

if TYPE_CHECKING:
    import argparse

    from groundrules_hooks.config import Check, Config
    from groundrules_hooks.worktree import Worktree


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION", help="what to do")
    action = actions.add_parser("run", help="run checks and keep their records")
    action.add_argument("name", nargs="*", metavar="NAME", help="default: what the handoff of this task needs")
    tiers = (evidence.QUICK, evidence.DEEP, evidence.INTEGRATION)
    action.add_argument("--tier", choices=tiers, help="every check of this tier instead")
    action.add_argument("--json", action="store_true", help="one JSON document with the records")


def run(asked: argparse.Namespace) -> int:
    """Run the checks one after another in the slot of this worktree; 1 when one of them did not pass."""
    worktree = require_outermost()
    config = require_config(worktree)
    claimed = slot.claim(worktree, config)
    if not claimed.overridden:
        render(worktree, slot.values(worktree, config, claimed.slot))
    chosen = _chosen(asked, worktree, config)
    if not config.checks:
        console.step(console.WARNING, "checks", "groundrules.toml has no [[check]], so nothing is tested")
    elif not chosen:
        console.step(console.ALREADY, "checks", "none is about what changed here")
    rows = []
    with interruption.obeyed():
        for check in chosen:
            record = run_check(check, worktree, values_for(check, worktree, config, claimed.slot))
            result = evidence.result(check, record, record["tree"], record["definition"])
            report.ended(worktree, result, record)
            rows.append({"outcome": result.outcome, **record})
    if asked.json:
        console.answer({"schema_version": 1, "checks": rows})
    return 0 if all(row["outcome"] == evidence.PASSED for row in rows) else FINDINGS


def _chosen(asked: argparse.Namespace, worktree: Worktree, config: Config) -> list[Check]:
    if asked.name and asked.tier:
        raise GroundrulesError("names and --tier are both given", fix=f"groundrules check run --tier {asked.tier}")
    if asked.name:
        return choice.named(config, asked.name)
    if asked.tier:
        return choice.of_tier(config, asked.tier)
    return choice.needed(worktree, config, drafting.start_of(worktree, config))
