"""`groundrules down`: stop what `up` started; with --data also delete the data of this slot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules import console
from groundrules.place import require_config, require_outermost
from groundrules.stack import instance, shutdown, tenancy
from groundrules_hooks.failure import GroundrulesError

if TYPE_CHECKING:
    import argparse


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--data", action="store_true", help="also delete the database of this slot")
    parser.add_argument("--yes", action="store_true", help="with --data: in slot 0 too, the main worktree's own data")


def run(asked: argparse.Namespace) -> int:
    """Stop the stack of this worktree; 0 also when nothing ran."""
    worktree = require_outermost()
    of = instance.standing(worktree, require_config(worktree))
    if of is None:
        console.step(console.ALREADY, "down", "nothing was running: this worktree has no slot")
        return 0
    if asked.data and of.slot == 0 and not asked.yes:
        raise GroundrulesError(
            "slot 0 has the main worktree's own data; nothing was stopped or deleted",
            fix="tools/groundrules down --data --yes",
        )
    tenancy.require_own(of)
    with tenancy.in_turn(of.run):
        stopped = shutdown.stop(of.run)
        if stopped:
            console.step(console.DONE, "down", f"stopped {', '.join(stopped)}")
        else:
            console.step(console.ALREADY, "down", "nothing was running")
        for each in shutdown.drop(of) if asked.data else []:
            console.step(console.DONE, "data", f"deleted {each}")
    return 0
