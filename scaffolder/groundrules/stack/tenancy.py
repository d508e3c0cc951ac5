"""The moment a worktree takes over a slot's folder: what an earlier owner left is stopped, and its data set aside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules import console
from groundrules.stack import databases, owner, shutdown
from groundrules_hooks.failure import FINDINGS, GroundrulesError
from groundrules_hooks.finding import quote

if TYPE_CHECKING:
    from groundrules.stack.instance import Instance


def take(of: Instance) -> None:
    """Make the worktree the owner of its slot's folder.

    Raise GroundrulesError when another worktree that exists has its stack there: `GROUNDRULES_SLOT` can ask for that.
    """
    mine = owner.of(of.worktree)
    known = owner.read(of.run)
    if known and not owner.is_same(known, mine):
        if not owner.is_gone(of.worktree.common_dir, known):
            raise GroundrulesError(
                f"slot {of.slot} has the stack of another worktree: {known.root}",
                why="two worktrees never share a stack or its data",
                fix=f"cd {quote(known.root)} && tools/groundrules down",
                code=FINDINGS,
            )
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
