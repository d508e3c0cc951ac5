"""One run of a check: in a scrubbed environment, on files that must not move, with a record whatever happens."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from groundrules import console, interruption
from groundrules.evidence import counts, store
from groundrules.stack import databases, identity, instance
from groundrules.stack.progress import Progress
from groundrules_hooks import change, slot, temporary
from groundrules_hooks.config import FILE
from groundrules_hooks.evidence import CLEAN, EDITED, FAILED, MISSING, MOVED, PASSED
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import quote
from groundrules_hooks.git import FIXED, elsewhere, git, text
from groundrules_hooks.snapshot import snapshot
from groundrules_hooks.subject import subject_tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundrules.evidence.store import Record
    from groundrules_hooks.config import Check, Config
    from groundrules_hooks.worktree import Worktree

EXACT = ("PATH", "HOME", "LANG", "LANGUAGE")
LOCALE = "LC_"
LONG = 10.0  # seconds after which a reader without a terminal is told where the log is
STEP = 0.05  # seconds between two looks
PATIENCE = 5.0  # seconds between TERM and KILL
READ = 8 << 20  # bytes of a log that are searched for counts
NO_PROGRAM = 127  # as a shell ends when there is no such program


def run_check(check: Check, worktree: Worktree, values: Mapping[str, str]) -> Record:
    """Run `check` at the root of `worktree` with the slot's `values`, and return its record, which is stored.

    The record is stored as unfinished before the program starts, so a run that is killed proves nothing. Raise
    GroundrulesError where nobody could say what the check would run on, KeyboardInterrupt after an interrupt.
    """
    tree = subject_tree(snapshot(worktree))
    if not git("ls-tree", "--full-tree", tree):
        raise GroundrulesError("there is nothing to test: no file but evidence", fix="git status")
    store.prune(worktree.common_dir)
    record = _unfinished(check, worktree, tree)
    store.write(worktree, record)
    began = time.monotonic()
    exit_code = None
    try:
        exit_code = _execute(check, worktree, values, _log(worktree, record))
    finally:
        record |= {"seconds": round(time.monotonic() - began, 1), "log_digest": _digest(_log(worktree, record))}
        if exit_code is not None:
            record |= _finished(worktree, record, exit_code)
        store.write(worktree, record)
    return record


def environment(check: Check, values: Mapping[str, str], environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return what a check may see: PATH, HOME, the locale, the slot's values, and what it lists."""
    seen = {name: value for name, value in environ.items() if name in (*EXACT, *check.env) or name.startswith(LOCALE)}
    return {"PATH": os.defpath, **seen, **values}


def values_for(check: Check, worktree: Worktree, config: Config, number: int) -> dict[str, str]:
    """Return the values of slot `number` for `check`: with a server's database only if it may see the server's URL.

    A server that stands in for the slot's own cluster is seen as that would be.
    """
    given = databases.settled(config, os.environ)
    server = given.stack.server
    standing_in = config.stack.database == "postgres" and given is not config
    if server and server in os.environ and (standing_in or {server, config.stack.server} & set(check.env)):
        return instance.of(worktree, config, number).values
    return slot.values(worktree, config, number)


def tail(log: str, lines: int) -> list[str]:
    """Return the last `lines` of a log, without what a terminal would obey."""
    return ["".join(filter(str.isprintable, line)) for line in _end(log).splitlines()[-lines:]]


def moved(worktree: Worktree, record: Record) -> list[str]:
    """Return the paths that differ between what the run began on and what is there now."""
    try:
        now = subject_tree(snapshot(worktree))
    except GroundrulesError as error:
        return [error.what]
    return [file.path for file in change.between(record["tree"], now)]


def _unfinished(check: Check, worktree: Worktree, tree: str) -> Record:
    started = time.gmtime()
    definition = text("rev-parse", "-q", "--verify", f"{tree}:{FILE}", ok=(0, 1, 128))
    folder = store.folder_of(worktree.common_dir, tree)
    name = f"{check.name}-{time.strftime('%Y%m%dT%H%M%SZ', started)}-{os.getpid()}.log"
    return {
        "name": check.name,
        "command": list(check.run),
        "definition": definition or None,
        "env": list(check.env),
        "result": MISSING,
        "exit": None,
        "tree": tree,
        "content": CLEAN if tree == _head(worktree) else EDITED,
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", started),
        "seconds": 0,
        "counts": {},
        "log": os.path.relpath(os.path.join(folder, name), worktree.common_dir),
        "log_digest": None,
    }


def _finished(worktree: Worktree, record: Record, exit_code: int) -> Record:
    """Return what is known at the end: whether the files stayed, and are those of HEAD as it is now."""
    try:
        stayed = subject_tree(snapshot(worktree)) == record["tree"]
    except GroundrulesError:  # the run itself made a state that has no tree
        stayed = False
    content = MOVED if not stayed else CLEAN if record["tree"] == _head(worktree) else EDITED
    return {
        "result": FAILED if exit_code else PASSED,
        "exit": exit_code,
        "content": content,
        "counts": counts.read(_end(_log(worktree, record))),
    }


def _head(worktree: Worktree) -> str | None:
    """Return the subject tree of what is checked out at the root of `worktree` now; None before the first commit."""
    asked = ("-C", worktree.root, "rev-parse", "-q", "--verify", "HEAD^{commit}")
    commit = git(*asked, ok=(0, 1), env={**elsewhere(), **FIXED}).decode().strip()
    return subject_tree(commit) if commit else None


def _execute(check: Check, worktree: Worktree, values: Mapping[str, str], log: str) -> int:
    """Run the program in a session of its own and return its exit code; nothing of it is left behind."""
    temporary.make(values["TASK_TMPDIR"], worktree.common_dir)
    process = None
    try:
        # An interrupt while the program is being started would leave it running with nobody to end it.
        with open(log, "wb") as file, interruption.noted() as interrupts:
            try:
                process = subprocess.Popen(
                    check.run,
                    cwd=worktree.root,
                    env=environment(check, values),
                    stdin=subprocess.DEVNULL,
                    stdout=file,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            except OSError as error:
                file.write(f"cannot start {check.run[0]}: {error.strerror}\n".encode("utf-8", "backslashreplace"))
                return NO_PROGRAM
        interruption.obey(interrupts)
        return _await(process, check, log)
    finally:
        if process:
            _end_session(process.pid)
            process.poll()


def _await(process: subprocess.Popen[bytes], check: Check, log: str) -> int:
    progress = Progress(check.name, "")
    told = False
    try:
        while True:
            try:
                return process.wait(STEP)
            except subprocess.TimeoutExpired:
                progress.text = _line(check, log)
                progress.tick()
            if progress.seconds > LONG and not told and not sys.stderr.isatty():
                told = True
                console.narrate(console.NEXT, f"tail -f {quote(log)}")
    finally:
        progress.clear()


def _line(check: Check, log: str) -> str:
    """Return what a terminal shows of a run: its name and the newest line of its log."""
    width = shutil.get_terminal_size().columns - len(", 1234.5 s ")
    lines = counts.COLOUR.sub("", _end(log, 400)).split("\n")
    newest = next((line for line in reversed(lines) if line.strip()), " ".join(check.run))
    return f"  {check.name:<13} {''.join(char for char in newest if char.isprintable())}"[:width]


def _end_session(number: int) -> None:
    """End what is left of a session: all of it after an interrupt, else what the program left running."""
    deadline = time.monotonic() + PATIENCE
    try:
        _signal(number, signal.SIGTERM)
        while any(identity.of_session(number)):
            if time.monotonic() > deadline:
                _signal(number, signal.SIGKILL)
            time.sleep(STEP)
    except KeyboardInterrupt:  # the second one: no patience
        _signal(number, signal.SIGKILL)
        raise


def _signal(session: int, number: signal.Signals) -> None:
    for pid in identity.of_session(session):
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def _log(worktree: Worktree, record: Record) -> str:
    return os.path.join(worktree.common_dir, record["log"])


def _end(path: str, size: int = READ) -> str:
    """Return the last `size` bytes of a log as text."""
    with open(path, "rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - size))
        return file.read().decode("utf-8", "replace")


def _digest(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return None
