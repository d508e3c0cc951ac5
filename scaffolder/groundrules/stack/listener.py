"""Who listens on a port of this machine: asked of the kernel's tables and by binding, never of a container engine."""

from __future__ import annotations

import os
import socket
import sys
from errno import EADDRINUSE
from typing import TYPE_CHECKING, NamedTuple

from groundrules.stack import identity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

TABLES = (("net/tcp", socket.AF_INET), ("net/tcp6", socket.AF_INET6))
LISTEN = "0A"  # the state of a listening socket in these tables


class Listener(NamedTuple):
    """A listening socket: the address it is bound to, and the kernel's number of the socket."""

    address: str
    inode: str


class Holder(NamedTuple):
    """A process that listens on a port; `pid` is 0 when its files cannot be seen: another user's, or ending."""

    pid: int
    address: str


def is_known() -> bool:
    """Whether this system tells which process has which socket."""
    return os.path.exists(f"{identity.PROC}/{TABLES[0][0]}")


def is_taken(port: int) -> bool:
    """Whether `port` cannot be listened on, on a loopback or wildcard address of either family.

    Unlike at a claim, connections that just ended do not count: a server may listen again at once (PRT-13).
    """
    for family, address in (
        (socket.AF_INET, "127.0.0.1"),
        (socket.AF_INET, "0.0.0.0"),  # noqa: S104 (a probe)
        (socket.AF_INET6, "::1"),
        (socket.AF_INET6, "::"),
    ):
        try:
            with socket.socket(family, socket.SOCK_STREAM) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                probe.bind((address, port))
        except OSError as error:
            if error.errno == EADDRINUSE:
                return True
    return bool(listeners(port))


def listeners(port: int) -> list[Listener]:
    """Return the sockets that listen on `port`, on any address."""
    found = []
    for table, family in TABLES:
        try:
            with open(f"{identity.PROC}/{table}", encoding="ascii") as file:
                rows = [line.split() for line in file.readlines()[1:]]
        except OSError:
            continue
        for row in rows:
            address, _, number = row[1].partition(":")
            if row[3] == LISTEN and int(number, 16) == port:
                found.append(Listener(_address(address, family), row[9]))
    return found


def _address(written: str, family: socket.AddressFamily) -> str:
    """Return the address that the kernel wrote as words of 32 bits, each in the byte order of the machine."""
    words = [int(written[start : start + 8], 16).to_bytes(4, sys.byteorder) for start in range(0, len(written), 8)]
    return socket.inet_ntop(family, b"".join(words))


def holders(port: int, among: Iterable[int] = ()) -> list[Holder]:
    """Return who listens on `port`. Processes `among` are looked at first, the rest only for what they do not hold."""
    wanted = {listener.inode: listener.address for listener in listeners(port)}
    found: list[Holder] = []
    for pids in (among, _everybody()):
        for pid in pids if wanted else ():
            found += [Holder(pid, wanted.pop(inode)) for inode in _sockets(pid) & set(wanted)]
    return found + [Holder(0, address) for address in wanted.values()]


def describe(holder: Holder) -> str:
    """Return who `holder` is, in words."""
    if not holder.pid:
        return f"a process that cannot be seen (of another user, or ending), on {holder.address}"
    return f"process {holder.pid}, on {holder.address}: {identity.command(holder.pid) or 'unknown'}"


def _everybody() -> Iterator[int]:
    yield from (int(name) for name in os.listdir(identity.PROC) if name.isdigit())


def _sockets(pid: int) -> set[str]:
    """Return the numbers of the sockets that process `pid` has open."""
    folder = f"{identity.PROC}/{pid}/fd"
    found = set()
    try:
        for name in os.listdir(folder):
            target = os.readlink(f"{folder}/{name}")
            if target.startswith("socket:["):
                found.add(target[8:-1])
    except OSError:
        pass  # it ended, or is another user's
    return found
