"""Run one program and take all it says: `subprocess` would cost a hook 14 ms to import, this costs nothing."""

from __future__ import annotations

import os
import select

from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CHUNK = 1 << 16


class Outcome(NamedTuple):
    """How a program ended: exit `code` (negative signal number when killed) and the bytes it wrote."""

    code: int
    out: bytes
    err: bytes


class Running(NamedTuple):
    """A program that was started: its process, and our ends of its pipes."""

    pid: int
    in_write: int
    out_read: int
    err_read: int


def run(argv: Sequence[str], env: Mapping[str, str], stdin: bytes = b"") -> Outcome:
    """Run `argv` in the current directory with exactly `env`. Raise FileNotFoundError when there is no such program."""
    return finish(start(argv, env), stdin)


def start(argv: Sequence[str], env: Mapping[str, str]) -> Running:
    """Start `argv` in the current directory with exactly `env`; it is to be finished.

    Raise FileNotFoundError when there is no such program.
    """
    in_read, in_write = os.pipe()
    out_read, out_write = os.pipe()
    err_read, err_write = os.pipe()
    try:
        actions = [
            (os.POSIX_SPAWN_DUP2, in_read, 0),
            (os.POSIX_SPAWN_DUP2, out_write, 1),
            (os.POSIX_SPAWN_DUP2, err_write, 2),
        ]
        pid = os.posix_spawnp(argv[0], list(argv), env, file_actions=actions)
    except OSError:
        for descriptor in (in_write, out_read, err_read):
            os.close(descriptor)
        raise
    finally:
        for descriptor in (in_read, out_write, err_write):
            os.close(descriptor)
    return Running(pid, in_write, out_read, err_read)


def finish(running: Running, stdin: bytes = b"") -> Outcome:
    """Feed what was started, take all it says, and return how it ended."""
    out, err = _exchange(running.in_write, stdin, running.out_read, running.err_read)
    _, status = os.waitpid(running.pid, 0)
    return Outcome(os.waitstatus_to_exitcode(status), out, err)


def _exchange(in_write: int, stdin: bytes, out_read: int, err_read: int) -> tuple[bytes, bytes]:
    """Feed and drain all three pipes at once: a full stderr must never block the program, nor us."""
    chunks: dict[int, list[bytes]] = {out_read: [], err_read: []}
    poll = select.poll()
    poll.register(out_read, select.POLLIN)
    poll.register(err_read, select.POLLIN)
    pending = memoryview(stdin)
    if pending:
        os.set_blocking(in_write, False)
        poll.register(in_write, select.POLLOUT)
    else:
        os.close(in_write)
    open_ends = 2 + bool(pending)
    while open_ends:
        for descriptor, _ in poll.poll():
            if descriptor == in_write:
                try:
                    pending = pending[os.write(in_write, pending[:CHUNK]) :]
                except BrokenPipeError:  # the program does not read the rest: its answer decides
                    pending = pending[:0]
                if pending:
                    continue
            else:
                chunk = os.read(descriptor, CHUNK)
                if chunk:
                    chunks[descriptor].append(chunk)
                    continue
            poll.unregister(descriptor)
            os.close(descriptor)
            open_ends -= 1
    return b"".join(chunks[out_read]), b"".join(chunks[err_read])
