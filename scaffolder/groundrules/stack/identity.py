"""Who a process is: its number and the moment the kernel started it. A number alone may be somebody else by now."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

PROC = "/proc"
MARK = "GROUNDRULES_SERVICE"  # in the environment of every process of a service: the run folder and the name
DEAD = "ZXx"  # states of a process that does nothing any more: a zombie is dead
LONGEST = 100  # of a command line, as much as a message shows


class Identity(NamedTuple):
    """A process: `start` is the kernel's time of its start, in the kernel's own form."""

    pid: int
    start: str


class Look(NamedTuple):
    """What the kernel says about a process at one moment."""

    state: str
    parent: int
    group: int
    session: int
    start: str


def look(pid: int) -> Look | None:
    """Return what the kernel says about process `pid`; None when there is none."""
    if not os.path.isdir(f"{PROC}/self"):
        return _look_with_ps(pid)
    try:
        with open(f"{PROC}/{pid}/stat", "rb") as file:
            stat = file.read()
    except OSError:
        return None
    # The name of the program stands in parentheses and may hold any byte: fields count after the last one.
    fields = stat[stat.rindex(b")") + 2 :].decode().split()
    return Look(fields[0], int(fields[1]), int(fields[2]), int(fields[3]), fields[19])


def _look_with_ps(pid: int) -> Look | None:
    return next((seen for _, seen in _listed_by_ps("-p", str(pid))), None)


def _listed_by_ps(*which: str) -> Iterator[tuple[int, Look]]:
    """Ask ps, where there is no /proc; its sessions are groups: a service leads both."""
    argv = ["ps", "-o", "pid=,stat=,ppid=,pgid=,lstart=", *which]
    said = subprocess.run(argv, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"}).stdout
    for line in said.splitlines():
        pid, state, parent, group, *start = line.split()
        yield int(pid), Look(state[0], int(parent), int(group), int(group), " ".join(start))


def of(pid: int) -> Identity | None:
    """Return the identity of the living process `pid`, or None."""
    seen = look(pid)
    return Identity(pid, seen.start) if seen and seen.state not in DEAD else None


def is_alive(identity: Identity) -> bool:
    """Whether this very process lives: not a zombie, not another one with its number."""
    return of(identity.pid) == identity


def command(pid: int) -> str:
    """Return the command line of `pid` on one line, shortened; empty when it cannot be read."""
    try:
        with open(f"{PROC}/{pid}/cmdline", "rb") as file:
            words = file.read().decode("utf-8", "replace").replace("\0", " ").strip()
    except OSError:
        return ""
    line = "".join(char if char.isprintable() else "?" for char in words)
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}..."


def mark_of(pid: int) -> str:
    """Return the service that process `pid` was started for, by the mark in its environment; empty when none."""
    try:
        with open(f"{PROC}/{pid}/environ", "rb") as file:
            found = [pair for pair in file.read().split(b"\0") if pair.startswith(f"{MARK}=".encode())]
    except OSError:
        return ""
    return os.fsdecode(found[-1].partition(b"=")[2]) if found else ""


def members(leader: Identity, mark: str) -> Iterator[int]:
    """Yield the living processes of a service: those of its leader's session, and those that carry its mark.

    Without its leader, a session of that number may be somebody else's: then only the mark counts.
    """
    led = is_alive(leader)
    for pid, seen in _living():
        in_session = led and leader.pid in (seen.session, seen.group)
        if pid != os.getpid() and (in_session or (mark and mark_of(pid) == mark)):
            yield pid


def of_session(number: int) -> Iterator[int]:
    """Yield the living processes of the session or group `number`."""
    yield from (pid for pid, seen in _living() if number in (seen.session, seen.group))


def _living() -> Iterator[tuple[int, Look]]:
    """Yield every living process with what the kernel says about it."""
    is_here = os.path.isdir(f"{PROC}/self")
    for pid, seen in _listed_by_kernel() if is_here else _listed_by_ps("-ax"):
        if seen.state not in DEAD:
            yield pid, seen


def _listed_by_kernel() -> Iterator[tuple[int, Look]]:
    for name in filter(str.isdigit, os.listdir(PROC)):
        seen = look(int(name))
        if seen:
            yield int(name), seen
