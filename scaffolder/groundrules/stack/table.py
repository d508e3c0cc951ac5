"""What runs, as rows: of one stack, or of every slot of the repository."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from groundrules.stack import owner, record
from groundrules.stack.databases import compose

if TYPE_CHECKING:
    from groundrules.stack.instance import Instance
    from groundrules.stack.record import Record

RUNNING, STOPPED, ENDED, UNKNOWN = "running", "stopped", "ended", "unknown"


class Row(NamedTuple):
    """One program: `state` is running, stopped (by us, or never started), ended (by itself) or unknown (no engine)."""

    name: str
    kind: str
    state: str
    pid: int | None
    port: int | None
    seconds: int | None


class Stack(NamedTuple):
    """What runs in one slot, and whose it is; `gone` when that worktree was removed."""

    slot: int
    worktree: str
    gone: bool
    services: list[Row]

    @property
    def missing(self) -> list[str]:
        """The names of what should run and does not: nothing should where nothing was started since the last `down`."""
        return [row.name for row in self.services if row.state != RUNNING] if self.is_up else []

    @property
    def is_up(self) -> bool:
        """Whether something of it was started and not stopped since, alive or not."""
        return any(row.state != STOPPED for row in self.services)


def of(instance: Instance) -> Stack:
    """Return what should run in the slot of a worktree, whether it does or not."""
    stack = instance.config.stack
    made = {each.name: each for each in record.read_all(instance.run)}
    expected = [("database", "database")] if stack.database == "postgres" else []
    expected += [(each.name, "infrastructure") for each in stack.infrastructure]
    expected += [(each.name, "service") for each in stack.services]
    rows = _containers(instance.run)
    if stack.database == "compose" and not rows:
        rows = [_stopped("database", "database")]
    rows += [_row(made.pop(name)) if name in made else _stopped(name, kind) for name, kind in expected]
    return Stack(instance.slot, instance.worktree.root, gone=False, services=[*rows, *map(_row, made.values())])


def everything(common_dir: str, *, but: int | None = None) -> list[Stack]:
    """Return what was started in every slot but one and not stopped, removed worktrees included."""
    found = []
    for slot in record.slots(common_dir):
        run = record.folder(common_dir, slot)
        rows = [*_containers(run), *map(_row, record.read_all(run))] if slot != but else []
        known = owner.read(run)
        if rows:
            gone = owner.is_gone(common_dir, known) if known else False
            found.append(Stack(slot, known.root if known else "", gone, rows))
    return found


def _containers(run: str) -> list[Row]:
    """Return what compose started, a row a container."""
    project = compose.started(run)
    if project is None:
        return []
    states = compose.states(project)
    if not states:
        return [Row("database", "database", UNKNOWN if states is None else ENDED, None, None, None)]
    return [
        Row(name, "database", RUNNING if state == RUNNING else ENDED, None, None, None)
        for name, state in sorted(states.items())
    ]


def _row(made: Record) -> Row:
    if not made.is_alive:
        return Row(made.name, made.kind, ENDED, None, made.port or None, None)
    seconds = max(0, int(time.time() - made.started))
    return Row(made.name, made.kind, RUNNING, made.pid, made.port or None, seconds)


def _stopped(name: str, kind: str) -> Row:
    return Row(name, kind, STOPPED, None, None, None)


def age(seconds: int | None) -> str:
    """Return how long something runs, in words."""
    if seconds is None:
        return ""
    for size, unit in ((86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"
