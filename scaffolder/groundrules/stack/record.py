"""Records of what runs: one file a process below the common git dir, written before the process does anything."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from groundrules.stack.identity import Identity, is_alive, members
from groundrules_hooks.lock import Lock, replace
from groundrules_hooks.worktree import STATE

if TYPE_CHECKING:
    from collections.abc import Iterator

RUN = f"{STATE}/run"
ENDING = ".json"
PATIENCE = 3600.0  # seconds to wait for another `up` of this worktree, which has its own timeouts


class Record(NamedTuple):
    """What was started: who it is, by which settings (`digest`), where its log of this run begins, how it is stopped.

    `kind` is database, migration, infrastructure or service. `port` is 0 without one. `started` is in seconds since
    1970 and gives the order. `mark` is what the environment of its processes holds: the file of this record, without
    its ending, where it was first.
    """

    name: str
    kind: str
    pid: int
    start: str
    digest: str
    command: str
    port: int
    offset: int
    started: float
    mark: str
    signal: str = "TERM"

    @property
    def identity(self) -> Identity:
        """The process that leads the service."""
        return Identity(self.pid, self.start)

    @property
    def is_alive(self) -> bool:
        """Whether that very process lives."""
        return is_alive(self.identity)

    def members(self) -> Iterator[int]:
        """Yield every living process of the service."""
        return members(self.identity, self.mark)


class Turn(Lock):
    """The lock of one worktree's stack: one `up` or `down` at a time."""

    def __init__(self, folder: str, *, patience: float = PATIENCE) -> None:
        super().__init__(folder, patience=patience)
        self.path = os.path.join(folder, "lock")


def folder(common_dir: str, slot: int) -> str:
    """Return the folder of what runs in `slot`. Below the common git dir nothing of it is lost with a worktree."""
    return os.path.join(common_dir, RUN, str(slot))


def slots(common_dir: str) -> list[int]:
    """Return the slots in which something was ever started."""
    try:
        return sorted(int(name) for name in os.listdir(os.path.join(common_dir, RUN)) if name.isdigit())
    except (FileNotFoundError, NotADirectoryError):
        return []


def mark(run: str, name: str) -> str:
    """Return what the environment of the processes of `name` holds under `MARK`."""
    return f"{run}/{name}"


def read(run: str, name: str) -> Record | None:
    """Return the record of `name`, or None. In a copy of a repository a record is that of the original, and ignored."""
    held = load(os.path.join(run, f"{name}{ENDING}"))
    try:
        found = Record(**held) if held else None
    except TypeError:
        return None  # of another version: its process is found by its mark
    if found and found.mark != mark(run, name) and os.path.exists(f"{found.mark}{ENDING}"):
        return None
    return found


def read_all(run: str) -> list[Record]:
    """Return every record, in the order of their start."""
    try:
        names = [name.removesuffix(ENDING) for name in os.listdir(run) if name.endswith(ENDING)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    found = [record for record in (read(run, name) for name in names) if record]
    return sorted(found, key=lambda record: record.started)


def write(run: str, record: Record) -> None:
    """Put `record` in the place of an older one."""
    save(os.path.join(run, f"{record.name}{ENDING}"), record._asdict())


def remove(run: str, name: str) -> None:
    """Forget `name`."""
    with suppress(FileNotFoundError):
        os.unlink(os.path.join(run, f"{name}{ENDING}"))


def load(path: str) -> dict[str, Any] | None:
    """Return the JSON object in `path`; None when there is none."""
    try:
        with open(path, "rb") as file:
            held = json.load(file)
    except (OSError, ValueError):
        return None
    return held if isinstance(held, dict) else None


def save(path: str, held: dict[str, Any]) -> None:
    """Put a JSON object at `path`, whole or not at all."""
    replace(path, f"{json.dumps(held, indent=2)}\n".encode())
