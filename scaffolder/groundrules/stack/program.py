"""One program of the stack: started behind a gate, stopped with all that belongs to it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import time
from typing import TYPE_CHECKING, NamedTuple

from groundrules.stack import identity, journal, record
from groundrules.stack.record import Record
from groundrules_hooks.failure import FINDINGS, GroundrulesError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from groundrules.stack.readiness import Answer

# The program begins only when its record is written: it waits for a line, and ends when we died before giving one.
GATE = 'cd "$1" && shift && read -r go && exec "$@" </dev/null'
HANDLED = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGXFSZ)
PATIENCE = 10.0  # seconds between TERM and KILL
STEP = 0.02  # seconds between two looks


def nothing() -> None:
    """Do what most programs need before they start."""


class Program(NamedTuple):
    """What to start and when it is ready. `own` is the part of `env` that a restart depends on; port 0 is none.

    `before` is called right before a start.
    """

    name: str
    kind: str
    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    own: Mapping[str, str]
    ready: Callable[[], Answer]
    port: int = 0
    asks_port: bool = False
    needs: tuple[str, ...] = ()
    timeout: float = 30
    signal: str = "TERM"
    before: Callable[[], None] = nothing

    @property
    def command(self) -> str:
        """The command line as a message shows it."""
        return "".join(char if char.isprintable() else "?" for char in " ".join(self.argv))

    @property
    def digest(self) -> str:
        """A short text that changes with the settings."""
        settings = json.dumps([self.argv, self.cwd, sorted(self.own.items()), self.port])
        return hashlib.sha256(settings.encode()).hexdigest()[:16]


def start(run: str, program: Program) -> Record:
    """Start `program` in a session of its own, with its record written first."""
    _require(program)
    offset = journal.begin(run, program.name, program.command)
    read, write = os.pipe()
    try:
        pid = _spawn(run, program, read)
        found = identity.of(pid)
        made = Record(
            name=program.name,
            kind=program.kind,
            pid=pid,
            start=found.start if found else "",
            digest=program.digest,
            command=program.command,
            port=program.port,
            offset=offset,
            started=time.time(),
            mark=record.mark(run, program.name),
            signal=program.signal,
        )
        record.write(run, made)
        os.write(write, b"go\n")
    finally:
        os.close(read)
        os.close(write)
    return made


def _spawn(run: str, program: Program, gate: int) -> int:
    log = journal.path_of(run, program.name)
    actions = [
        (os.POSIX_SPAWN_DUP2, gate, 0),
        (os.POSIX_SPAWN_OPEN, 1, log, os.O_WRONLY | os.O_APPEND, 0o644),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    argv = ["/bin/sh", "-c", GATE, "sh", program.cwd, *program.argv]
    env = {**program.env, identity.MARK: record.mark(run, program.name)}
    return os.posix_spawn(argv[0], argv, env, file_actions=actions, setsid=True, setsigdef=HANDLED)


def _require(program: Program) -> None:
    word = program.argv[0]
    path = os.path.join(program.cwd, word) if os.sep in word else word
    if shutil.which(path, path=program.env.get("PATH", os.defpath)) is None:
        raise GroundrulesError(
            f"{program.name} cannot start: there is no program {word}",
            why=f"it runs `{program.command}` in {program.cwd}",
            fix=f"command -v {word}",
            code=FINDINGS,
        )


def exit_code(pid: int) -> int | None:
    """Return the exit code of our child `pid`, negative for a signal; None while it runs or when it is no child."""
    try:
        found, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return None
    return os.waitstatus_to_exitcode(status) if found else None


def in_words(code: int | None) -> str:
    """Return what an exit code says."""
    if code is None:
        return "ended"
    return f"exited with {code}" if code >= 0 else f"was killed by {signal.Signals(-code).name}"


def stop(run: str, made: Record, patience: float = PATIENCE) -> bool:
    """Stop all that belongs to `made` and forget it; whether anything of it was alive.

    TERM (or its own signal) to the leader's group and to strays that carry its mark, KILL after `patience` seconds.
    """
    living = list(made.members())
    if living:
        _signal(made, living, signal.Signals[f"SIG{made.signal}"])
        if not _gone(made, patience):
            _signal(made, made.members(), signal.SIGKILL)
            if not _gone(made, patience):
                raise GroundrulesError(
                    f"{made.name} does not end, not even by KILL", fix=f"ps -fp {made.pid}", code=FINDINGS
                )
    exit_code(made.pid)  # nobody else waits for a child of ours
    record.remove(run, made.name)
    return bool(living)


def _signal(made: Record, pids: Iterable[int], number: signal.Signals) -> None:
    # A database is told once, by its leader; of anything else each process, so that none is left behind.
    chosen = [made.pid] if made.kind == "database" and made.is_alive and number != signal.SIGKILL else list(pids)
    for pid in chosen:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def _gone(made: Record, patience: float) -> bool:
    deadline = time.monotonic() + patience
    while any(made.members()):
        if time.monotonic() > deadline:
            return False
        time.sleep(STEP)
    return True
