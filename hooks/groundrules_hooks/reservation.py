"""Reservations: numbers that `next` gave to a worktree, in its own git dir, where they move and end with it.

One `series number` a line.
"""

from __future__ import annotations

import os

from groundrules_hooks.lock import held, make_folder, replace
from groundrules_hooks.worktree import STATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FILE = f"{STATE}/numbers"


def of(git_dir: str) -> list[tuple[str, int]]:
    """Return series and number of what the worktree with `git_dir` has reserved, in the order of asking."""
    rows = (line.partition(" ") for line in held(os.path.join(git_dir, FILE)).decode("utf-8", "replace").split("\n"))
    return [(name, int(number)) for name, _, number in rows if number.isascii() and number.isdigit()]


def write(git_dir: str, rows: Iterable[tuple[str, int]]) -> None:
    """Replace what the worktree with `git_dir` has reserved, whole or not at all."""
    make_folder(os.path.join(git_dir, STATE))
    content = "".join(f"{name} {number}\n" for name, number in rows)
    replace(os.path.join(git_dir, FILE), content.encode())
