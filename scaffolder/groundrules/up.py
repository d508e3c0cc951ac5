"""`groundrules up`: the stack of this worktree, ready on return."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from groundrules import console, interruption
from groundrules.place import require_config, require_outermost
from groundrules.stack import environment, instance, tenancy
from groundrules.stack.startup import Startup
from groundrules_hooks import slot as slots
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.slot_env import VIEW, render

if TYPE_CHECKING:
    import argparse

    from groundrules.stack.instance import Instance


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.set_defaults(parser=parser)


def run(asked: argparse.Namespace) -> int:
    """Bring up what `[stack]` describes, in the slot of this worktree."""
    del asked
    worktree = require_outermost()
    config = require_config(worktree)
    if config.stack == type(config.stack)():
        raise GroundrulesError(
            "groundrules.toml describes no stack",
            why='expected a table [stack]\nexample  [[stack.service]] with name = "web", run = ["python3", "app.py"]',
            fix="${EDITOR:-vi} groundrules.toml",
        )
    claimed = slots.claim(worktree, config)
    of = instance.of(worktree, config, claimed.slot)
    _tell_slot(of, claimed.new)
    with interruption.obeyed(), tenancy.in_turn(of.run):
        tenancy.take(of)
        startup = Startup(of)
        startup.bring_up()
    name = f"slot {claimed.slot}"
    console.step(console.DONE if startup.changed else console.ALREADY, name, "up" if startup.changed else "already up")
    return 0


def _tell_slot(of: Instance, new: bool) -> None:  # noqa: FBT001 (a fact about the slot, not a switch)
    ports = " · ".join(f"{name} {port}" for name, port in slots.ports(of.config, of.slot).items())
    console.step(console.DONE if new else console.ALREADY, f"slot {of.slot}", ports or "no ports")
    if os.environ.get(slots.OVERRIDE):
        console.narrate(console.WARNING, f"{slots.OVERRIDE} decides: slot {of.slot}")
    else:
        note = render(of.worktree, of.rendered)
        if note:
            console.narrate(console.WARNING, note)
        console.step(console.ALREADY, "render", VIEW)
    differing = environment.differing(os.environ, of.values, of.rendered)
    if differing:
        names = ", ".join(differing)
        console.narrate(
            console.WARNING, f"the shell has another {names}; the slot's is used → unset {' '.join(differing)}"
        )
