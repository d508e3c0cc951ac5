"""Pin: the record of a claim in the worktree's own git dir, where it moves and ends with the worktree.

One `key=value` a line: readable by a person, and by a hook without a parser.
"""

from __future__ import annotations

import os

from groundrules_hooks.record import NamedTuple
from groundrules_hooks.worktree import STATE, recorded_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FILE = f"{STATE}/pin"


class Pin(NamedTuple):
    """A worktree's slot, the task and branch it was made for, and the commit and environment it started from.

    What is unknown is empty. `ports` are the slot's, separated by commas; `created` is UTC.
    `rival` is the entry name of another worktree that claimed for the same task first.
    """

    slot: int
    task: str = ""
    branch: str = ""
    base: str = ""
    git: str = ""
    python: str = ""
    system: str = ""
    created: str = ""
    ports: str = ""
    rival: str = ""


def read(git_dir: str) -> Pin | None:
    """Return the pin of the worktree with `git_dir`, or None.

    What another version wrote holds its slot too, whatever else it records.
    """
    try:
        with open(os.path.join(git_dir, FILE), "rb") as file:
            content = os.fsdecode(file.read())
    except (FileNotFoundError, NotADirectoryError):
        return None
    pairs = dict(line.partition("=")[::2] for line in content.split("\n") if "=" in line)
    slot = pairs.pop("slot", "")
    if not (slot.isascii() and slot.isdigit() and len(slot) < 6):
        return None
    return Pin(slot=int(slot), **{key: value for key, value in pairs.items() if key in Pin._fields})


def write(git_dir: str, pin: Pin) -> None:
    """Replace the pin of the worktree with `git_dir` by `pin`, whole or not at all."""
    from groundrules_hooks.lock import make_folder, replace

    make_folder(os.path.join(git_dir, STATE))
    lines = [f"{key}={value}\n" for key, value in pin._asdict().items()]
    replace(os.path.join(git_dir, FILE), os.fsencode("".join(lines)))


def siblings(common_dir: str, git_dir: str) -> Iterator[tuple[str, Pin]]:
    """Yield entry name and pin of every other linked worktree.

    Read from git's own entries: an entry whose folder is missing, moved or invisible from here still holds its slot.
    """
    entries = os.path.join(common_dir, "worktrees")
    try:
        names = sorted(os.listdir(entries))
    except FileNotFoundError:
        return
    for name in names:
        entry = os.path.join(entries, name)
        found = None if entry == git_dir else read(entry)
        if found:
            yield name, found


def folder(common_dir: str, name: str) -> str:
    """Return the folder that git has recorded for the linked worktree whose entry is `name`; empty when unknown."""
    return recorded_folder(os.path.join(common_dir, "worktrees", name))
