"""`groundrules ps`: what runs in this worktree's slot, or in every slot; what is missing has a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules import console
from groundrules.place import require_config, require_outermost
from groundrules.stack import instance, record, shutdown, table, tenancy
from groundrules_hooks import temporary
from groundrules_hooks.failure import FINDINGS, GroundrulesError
from groundrules_hooks.finding import quote, say, shown

if TYPE_CHECKING:
    import argparse

    from groundrules.stack.instance import Instance
    from groundrules.stack.table import Stack
    from groundrules_hooks.worktree import Worktree

SCHEMA_VERSION = 1


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--all", action="store_true", help="every slot of the repository, removed worktrees included")
    parser.add_argument("--stop", action="store_true", help="with --all: stop what removed worktrees left running")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of a table")
    parser.set_defaults(parser=parser)


def run(asked: argparse.Namespace) -> int:
    """Answer what runs; 1 when something that should run does not, or a removed worktree left something."""
    if asked.stop and not asked.all:
        asked.parser.error("--stop needs --all")
    worktree = require_outermost()
    of = instance.standing(worktree, require_config(worktree))
    stacks = _stacks(worktree, of, everywhere=asked.all)
    if asked.stop:
        gone = [stack for stack in stacks if stack.gone]
        for stack in gone:
            _stop(worktree.common_dir, stack)
        temporary.sweep(worktree.common_dir)
        stacks = _stacks(worktree, of, everywhere=True) if gone else stacks
    if asked.json:
        console.answer(_document(stacks))
    else:
        say(_text(stacks))
    return _conclude(stacks, here=of.slot if of else None)


def _stacks(worktree: Worktree, of: Instance | None, *, everywhere: bool) -> list[Stack]:
    """Return the stack of this worktree, whether it runs or not, or what runs in every slot."""
    stacks = [table.of(of)] if of else []
    if not everywhere:
        return stacks
    own = [stack for stack in stacks if stack.is_up]
    return sorted([*own, *table.everything(worktree.common_dir, but=of.slot if of else None)])


def _stop(common_dir: str, stack: Stack) -> None:
    """Stop what a removed worktree left; what stays is told here, and shown by what follows."""
    run = record.folder(common_dir, stack.slot)
    try:
        with tenancy.in_turn(run):
            names = ", ".join(shutdown.stop(run)) or "nothing"
    except GroundrulesError as error:
        console.narrate(console.WARNING, error.what)
        return
    console.step(console.DONE, f"slot {stack.slot}", f"stopped {names} of {shown(stack.worktree)}")


def _document(stacks: list[Stack]) -> dict[str, object]:
    rows = [
        {
            "slot": stack.slot,
            "worktree": stack.worktree.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"),
            "gone": stack.gone,
            "services": [row._asdict() for row in stack.services],
        }
        for stack in stacks
    ]
    return {"schema_version": SCHEMA_VERSION, "stacks": rows}


def _text(stacks: list[Stack]) -> str:
    rows = [("SLOT", "SERVICE", "STATE", "PID", "PORT", "SINCE", "WORKTREE")]
    for stack in stacks:
        place = f"{shown(stack.worktree)}{' (removed)' if stack.gone else ''}"
        rows += [
            (
                str(stack.slot),
                row.name,
                row.state,
                str(row.pid or ""),
                str(row.port or ""),
                table.age(row.seconds),
                place,
            )
            for row in stack.services
        ]
    return console.columns(rows) if len(rows) > 1 else ""


def _conclude(stacks: list[Stack], here: int | None) -> int:
    """Say what is missing or left over, then what to type; return the exit code that it means."""
    if not any(stack.services for stack in stacks):
        console.narrate(console.ALREADY, "nothing runs")
    advice = []
    for stack in stacks:
        where = "" if stack.slot == here else f"slot {stack.slot}: "
        if stack.gone:
            console.narrate(console.WARNING, f"{where}the worktree {shown(stack.worktree)} was removed")
            advice.append("tools/groundrules ps --all --stop")
        elif stack.missing:
            verb = "is" if len(stack.missing) == 1 else "are"
            console.narrate(console.REFUSED, f"{where}{', '.join(stack.missing)} {verb} not running")
            advice.append(
                "tools/groundrules up" if not where else f"cd {quote(stack.worktree)} && tools/groundrules up"
            )
        elif stack.services and not stack.is_up:
            console.narrate(console.ALREADY, f"{where}stopped; `tools/groundrules up` starts it")
    for command in dict.fromkeys(advice):
        console.narrate(console.NEXT, command)
    return FINDINGS if advice else 0
