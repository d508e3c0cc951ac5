"""What `down` does: stop exactly what `up` started, newest first, and delete data only when asked."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from groundrules import console
from groundrules.stack import databases, listener, owner, program, record
from groundrules.stack.databases import compose

if TYPE_CHECKING:
    from groundrules.stack.instance import Instance

CLOSING = 2.0  # seconds that a port may take to become free


def stop(run: str) -> list[str]:
    """Stop everything that is recorded in the folder `run`, containers included; return the names of what was alive."""
    made = record.read_all(run)
    stopped = [each.name for each in reversed(made) if program.stop(run, each)]
    for each in made:
        if each.port and each.name in stopped:
            _report_port(each)
    return [*stopped, "compose"] if compose.take_down(run) else stopped


def _report_port(made: record.Record) -> None:
    """Return when nobody listens on the port of what was stopped; name who does in the end (PRT-11)."""
    deadline = time.monotonic() + CLOSING
    while holders := listener.holders(made.port) if listener.is_known() else []:
        if time.monotonic() > deadline:
            said = listener.describe(holders[0])
            console.narrate(console.WARNING, f"port {made.port} of {made.name} is still taken by {said}")
            return
        time.sleep(program.STEP)


def drop(of: Instance) -> list[str]:
    """Delete the data of a stack that is down; return what that was, one line each."""
    database = databases.of(of.config)
    dropped = database.drop(of) if database else []
    known = owner.read(of.run)
    if known:
        owner.write(of.run, known._replace(cluster=""))
    return dropped
