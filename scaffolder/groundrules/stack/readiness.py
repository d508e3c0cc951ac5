"""When a service is ready: what answers on both loopbacks, what a command says, and whose socket it was."""

from __future__ import annotations

import os
import socket
import subprocess
from typing import TYPE_CHECKING, NamedTuple

from groundrules.stack import listener

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from groundrules.stack.record import Record

LOOPBACKS = ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))
PATIENCE = 1.0  # seconds for one answer
COMMAND_PATIENCE = 10.0
LONGEST_STATUS = 200


class Answer(NamedTuple):
    """What a probe heard, in words, and whether it means ready."""

    ready: bool
    said: str


def alive() -> Answer:
    """Answer for a service that nothing can be asked of."""
    return Answer(ready=True, said="runs")


def of_tcp(port: int) -> Callable[[], Answer]:
    """Return the probe of a port that accepts connections."""

    def probe() -> Answer:
        for family, address in LOOPBACKS:
            try:
                with socket.socket(family, socket.SOCK_STREAM) as client:
                    client.settimeout(PATIENCE)
                    client.connect((address, port))
            except OSError:
                continue
            return Answer(ready=True, said=_place(family, address, port))
        return Answer(ready=False, said=f"nothing accepts on port {port}")

    return probe


def of_http(port: int, path: str) -> Callable[[], Answer]:
    """Return the probe of an HTTP server, ready when it answers `path` with a status from 200 to 399."""

    def probe() -> Answer:
        said = f"nothing answers on port {port}"
        for family, address in LOOPBACKS:
            try:
                status = _status(family, address, port, path)
            except OSError:
                continue
            place = f"http://{_place(family, address, port)}{path}"
            words = status.split(maxsplit=2)
            if len(words) > 1 and words[1][:1] in ("2", "3") and words[1].isdigit():
                return Answer(ready=True, said=place)
            said = f"{place} answers {' '.join(words[1:]) or 'nothing'}"
        return Answer(ready=False, said=said)

    return probe


def _status(family: socket.AddressFamily, address: str, port: int, path: str) -> str:
    """Return the first line of the answer. Raise OSError when there is no answer in time."""
    with socket.socket(family, socket.SOCK_STREAM) as client:
        client.settimeout(PATIENCE)
        client.connect((address, port))
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n".encode())
        said = b""
        while b"\n" not in said and len(said) < LONGEST_STATUS:
            chunk = client.recv(LONGEST_STATUS)
            if not chunk:
                break
            said += chunk
    return "".join(char if char.isprintable() else "?" for char in said.partition(b"\r")[0].decode("latin-1"))


def _place(family: socket.AddressFamily, address: str, port: int) -> str:
    return f"[{address}]:{port}" if family == socket.AF_INET6 else f"{address}:{port}"


def of_command(argv: tuple[str, ...], cwd: str, env: Mapping[str, str]) -> Callable[[], Answer]:
    """Return the probe that runs a command, ready when it ends with 0."""

    def probe() -> Answer:
        try:
            done = subprocess.run(
                argv,
                cwd=cwd,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=COMMAND_PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Answer(ready=False, said=f"`{' '.join(argv)}` takes longer than {COMMAND_PATIENCE:.0f} s")
        except OSError as error:
            return Answer(ready=False, said=f"`{' '.join(argv)}` cannot run: {os.strerror(error.errno or 0)}")
        return Answer(ready=done.returncode == 0, said=f"`{' '.join(argv)}` ended with {done.returncode}")

    return probe


def strangers(made: Record) -> list[listener.Holder] | None:
    """Return who listens on the port of `made` and does not belong to it; None while nothing of it listens itself.

    Where the system does not tell, nobody is a stranger: the port was free before the start.
    """
    if not listener.is_known():
        return []
    ours = set(made.members())
    holders = listener.holders(made.port, ours)
    foreign = [holder for holder in holders if holder.pid not in ours]
    return foreign if foreign or holders else None
