"""`groundrules slot`: this worktree's slot and the values that follow from it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from groundrules import console
from groundrules.place import require_config, require_outermost
from groundrules.port_table import ephemeral_range, lint
from groundrules.stack import record
from groundrules_hooks import config as configs
from groundrules_hooks import pin as pins
from groundrules_hooks import slot as slots
from groundrules_hooks.failure import FINDINGS, GroundrulesError
from groundrules_hooks.finding import render as render_findings
from groundrules_hooks.finding import say
from groundrules_hooks.slot_env import remove, render

if TYPE_CHECKING:
    import argparse

    from groundrules_hooks.config import Config
    from groundrules_hooks.slot import Claim
    from groundrules_hooks.worktree import Worktree


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "action",
        nargs="?",
        choices=["claim", "release", "lint"],
        help="say what was claimed; give it back; check the port table",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document instead of NAME=value lines")


def run(asked: argparse.Namespace) -> int:
    """Answer with the slot's values; a linked worktree without a slot gets one."""
    worktree = require_outermost()
    config = require_config(worktree)
    if asked.action == "lint":
        return _lint(worktree, config)
    if asked.action == "release":
        return _release(worktree)
    claimed = slots.claim(worktree, config)
    if claimed.pin and not claimed.overridden:
        claimed = claimed._replace(pin=slots.reconcile(worktree, config, claimed.pin))
    if claimed.overridden:
        console.narrate(console.WARNING, f"{slots.OVERRIDE} decides: slot {claimed.slot}")
    values = slots.values(worktree, config, claimed.slot)
    note = None if claimed.overridden else render(worktree, values)
    if note:
        console.narrate(console.WARNING, note)
    if asked.action == "claim":
        console.narrate(
            console.DONE if claimed.new else console.ALREADY, slots.summary(claimed, config).partition(": ")[2]
        )
    if asked.json:
        console.answer(document(worktree, config, claimed))
    elif asked.action is None:
        say("".join(f"{name}={value}\n" for name, value in values.items()))
    return 0


def document(worktree: Worktree, config: Config, claimed: Claim) -> dict[str, object]:
    """Return the document of spec §11 about a claim."""
    pin = claimed.pin
    return {
        "schema_version": 1,
        "slot": claimed.slot,
        "ports": slots.ports(config, claimed.slot),
        "values": slots.values(worktree, config, claimed.slot),
        "worktree": worktree.root,
        "task": (pin.task or None) if pin else None,
        "base": (pin.base or None) if pin else None,
        "overridden": claimed.overridden,
    }


def _lint(worktree: Worktree, config: Config) -> int:
    """Print what is wrong with the port table; 1 when something is."""
    with open(os.path.join(worktree.root, configs.FILE), "rb") as file:
        findings = list(lint(config, file.read(), ephemeral_range()))
    say(render_findings(findings, root=worktree.root))
    return FINDINGS if findings else 0


def _release(worktree: Worktree) -> int:
    if not worktree.linked:
        raise GroundrulesError("the main worktree is slot 0 for good", fix="git worktree list")
    pin = pins.read(worktree.git_dir)
    made = record.read_all(record.folder(worktree.common_dir, pin.slot)) if pin else []
    running = [each.name for each in made if each.is_alive]
    if pin and running:
        what = f"slot {pin.slot} has a stack that runs: {', '.join(running)}"
        raise GroundrulesError(what, fix="tools/groundrules down && tools/groundrules slot release")
    released = slots.release(worktree)
    remove(worktree)
    console.narrate(console.DONE if released else console.ALREADY, "slot released" if released else "no slot was held")
    return 0
