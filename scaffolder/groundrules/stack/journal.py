"""Logs: one a service, one header a start, so that the newest run can be told from those before."""

from __future__ import annotations

import os
import time

LINES = 20  # of a failed run, as much as an error shows
CHUNK = 1 << 16
HEADER = "=== groundrules: "


def path_of(run: str, name: str) -> str:
    """Return the log of `name`."""
    return os.path.join(run, f"{name}.log")


def begin(run: str, name: str, command: str) -> int:
    """Write the header of a new run and return the offset at which the run begins."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    header = f"{HEADER}{name} {moment} {command}\n".encode("utf-8", "surrogateescape")
    descriptor = os.open(path_of(run, name), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    try:
        offset = os.fstat(descriptor).st_size
        os.write(descriptor, header)
    finally:
        os.close(descriptor)
    return offset


def tail(run: str, name: str, offset: int, lines: int = LINES) -> str:
    """Return the last `lines` of the run that begins at `offset`, without its header."""
    try:
        with open(path_of(run, name), "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(offset, size - CHUNK))
            content = file.read()
    except FileNotFoundError:
        return ""
    said = content.decode("utf-8", "replace").splitlines()
    if said and said[0].startswith(HEADER):
        del said[0]
    return "\n".join(said[-lines:])


def newest(run: str, name: str) -> int:
    """Return the offset at which the newest run in the log begins: of its last header; 0 when it has none."""
    try:
        with open(path_of(run, name), "rb") as file:
            content = file.read()
    except FileNotFoundError:
        return 0
    found = content.rfind(f"\n{HEADER}{name} ".encode())
    return found + 1


def names(run: str) -> list[str]:
    """Return what has a log."""
    try:
        return sorted(name.removesuffix(".log") for name in os.listdir(run) if name.endswith(".log"))
    except FileNotFoundError:
        return []
