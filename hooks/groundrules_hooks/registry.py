"""Registry: the other repositories of this user on this machine, so that their ports are respected too.

It lists repositories and their port tables. Which slots they hold is read from their own pins: nothing is told twice.
"""

from __future__ import annotations

import os
from zlib import crc32

from groundrules_hooks import pin as pins
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.lock import Lock, held, make_folder, replace
from groundrules_hooks.worktree import STATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def home() -> str:
    """Return the folder for state of this user that outlives a restart (XDG base directories)."""
    return os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")


class Turn:
    """The lock of this machine's claims. Where the folder cannot be written, as in a sandbox, every turn is free.

    Ports are probed all the same, and siblings are respected through the lock of their own repository.
    """

    def __init__(self) -> None:
        self.lock: Lock | None = None

    def __enter__(self) -> None:
        try:
            make_folder(_folder())
            self.lock = Lock(home())
            self.lock.__enter__()
        except GroundrulesError:
            if os.access(_folder(), os.W_OK):  # writable, so it was waited for in vain
                raise
            self.lock = None

    def __exit__(self, *exception: object) -> None:
        if self.lock:
            self.lock.__exit__()


def register(common_dir: str, ports: Iterable[int]) -> None:
    """Record that the repository with `common_dir` holds `ports` in its main worktree."""
    content = b"\0".join([os.fsencode(common_dir), ",".join(map(str, ports)).encode()])
    path = os.path.join(_folder(), key(common_dir))
    try:
        if held(path) != content:
            make_folder(_folder())
            replace(path, content)
    except GroundrulesError:
        return  # a sandbox: the next claim outside of it records it


def foreign_ports(common_dir: str) -> set[int]:
    """Return every port that another repository holds, in its main worktree or by a pin of a linked one.

    A record of a repository that is gone is removed; one that cannot be seen from here is kept.
    """
    taken: set[int] = set()
    for path, other, ports in _records():
        if other == common_dir:
            continue
        if not os.path.exists(os.path.join(other, "HEAD")) and os.path.isdir(os.path.dirname(os.path.dirname(other))):
            _forget(path)
            continue
        taken |= ports
        for _, pin in pins.siblings(other, ""):
            taken |= set(map(int, filter(str.isdigit, pin.ports.split(","))))
    return taken


def key(common_dir: str) -> str:
    """Return the short name that tells apart two repositories of one name on this machine."""
    return f"{crc32(os.fsencode(common_dir)):08x}"


def _records() -> Iterator[tuple[str, str, set[int]]]:
    try:
        names = sorted(os.listdir(_folder()))
    except OSError:
        return
    for name in names:
        path = os.path.join(_folder(), name)
        common_dir, _, ports = held(path).partition(b"\0")
        if common_dir:
            yield path, os.fsdecode(common_dir), {int(port) for port in ports.split(b",") if port.isdigit()}


def _folder() -> str:
    return os.path.join(home(), STATE, "repositories")


def _forget(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
