"""State that outlives a process: one lock in the common git dir, and files replaced whole or not at all."""

from __future__ import annotations

import fcntl
import os
import time

from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import quote
from groundrules_hooks.worktree import STATE

PATIENCE = 10.0  # seconds; a creation that waits longer runs into the timeouts of its callers


class Lock:
    """A lock in a folder, such as a common git dir, for what `name` says; the kernel frees it when its holder dies."""

    def __init__(self, folder: str, name: str = "lock", *, patience: float = PATIENCE) -> None:
        self.path = os.path.join(folder, STATE, name)
        self.patience = patience
        self.descriptor = -1

    def __enter__(self) -> None:
        make_folder(os.path.dirname(self.path))
        self.descriptor = _writable(self.path, os.O_RDWR | os.O_CREAT)
        deadline = time.monotonic() + self.patience
        while True:
            try:
                fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    holder = os.pread(self.descriptor, 100, 0).decode("utf-8", "replace").strip()
                    os.close(self.descriptor)
                    raise GroundrulesError(
                        f"waited {self.patience:.0f} s for the lock {self.path}",
                        why=f"held by process {holder or 'unknown'}; nothing was changed",
                        fix=f"ps -fp {holder}" if holder else "",
                    ) from None
                time.sleep(0.005)
        os.pwrite(self.descriptor, f"{os.getpid():<20}\n".encode(), 0)  # a note for those who wait; never read as state

    def __exit__(self, *exception: object) -> None:
        os.close(self.descriptor)


def make_folder(path: str) -> None:
    """Create the folder `path` and its parents unless they are there."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise _cannot_write(path, error) from None


def held(path: str) -> bytes:
    """Return what the file at `path` holds; nothing when it cannot be read, as when it is not there."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def replace(path: str, content: bytes) -> None:
    """Put `content` at `path` by a flushed temporary file and a rename; a link at `path` is replaced, not followed."""
    temporary = f"{path}.{os.getpid()}.{os.urandom(4).hex()}"  # two containers may share a pid
    descriptor = _writable(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.rename(temporary, path)
    except OSError as error:
        os.unlink(temporary)
        raise _cannot_write(path, error) from None


def _writable(path: str, flags: int) -> int:
    try:
        return os.open(path, flags | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise _cannot_write(path, error) from None


def _cannot_write(path: str, error: OSError) -> GroundrulesError:
    return GroundrulesError(
        f"cannot write {path}",
        why=f"{error.strerror}; this directory must be writable",
        fix=f"ls -ld {quote(os.path.dirname(path))}",
    )
