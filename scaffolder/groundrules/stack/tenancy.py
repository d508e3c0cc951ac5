"""Whose turn it is in a slot's folder: one command at a time, one worktree, nothing of an earlier owner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules import console
from groundrules.stack import databases, owner, shutdown
from groundrules.stack.record import Turn
from groundrules_hooks.failure import FINDINGS, GroundrulesError
from groundrules_hooks.finding import quote
from groundrules_hooks.lock import make_folder

if TYPE_CHECKING:
    from groundrules.stack.instance import Instance


def in_turn(run: str) -> Turn:
    """Return the lock of the stack in the folder `run`, and say so when somebody else has it now."""
    make_folder(run)
    try:
        with Turn(run, patience=0.0):
            pass
    except GroundrulesError:
        console.narrate(console.ALREADY, "another command works on this stack; waiting for it")
    return Turn(run)


def require_own(of: Instance) -> owner.Owner | None:
    """Return the owner of the slot's folder, this worktree or a removed one; None when nobody had it yet.

    Raise GroundrulesError when another worktree that exists has its stack there: `GROUNDRULES_SLOT` can ask for that.
    """
    known = owner.read(of.run)
    mine = owner.of(of.worktree)
    if known and not owner.is_same(known, mine) and not owner.is_gone(of.worktree.common_dir, known):
        raise GroundrulesError(
            f"slot {of.slot} has the stack of another worktree: {known.root}",
            why="two worktrees never share a stack or its data",
            fix=f"cd {quote(known.root)} && tools/groundrules down",
            code=FINDINGS,
        )
    return known


def take(of: Instance) -> None:
    """Make the worktree the owner of its slot's folder, cleared of what a removed one left."""
    known = require_own(of)
    mine = owner.of(of.worktree)
    if known and not owner.is_same(known, mine):
        _clear(of, known)
        known = owner.read(of.run)
    owner.write(of.run, mine._replace(cluster=known.cluster if known else ""))


def _clear(of: Instance, known: owner.Owner) -> None:
    stopped = shutdown.stop(of.run)
    if stopped:
        console.narrate(
            console.WARNING, f"{', '.join(stopped)} of the removed worktree {known.root} still ran: stopped"
        )
    database = databases.of(of.config)
    aside = database.set_aside(of) if database else ""
    if aside:
        console.narrate(console.WARNING, f"slot {of.slot} had data of the removed worktree {known.root}: now {aside}")
