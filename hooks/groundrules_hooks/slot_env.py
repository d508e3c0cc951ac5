"""`.slot.env`: the rendered, ignored view of a slot at the worktree's root. Never the truth, so always replaceable."""

from __future__ import annotations

import os

from groundrules_hooks import temporary
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.lock import held, make_folder, replace
from groundrules_hooks.worktree import STATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from groundrules_hooks.worktree import Worktree

VIEW = ".slot.env"
PLAIN = "_./:@?=,+%-"
MARK = "# groundrules: slot of worktree "


def render(worktree: Worktree, rows: dict[str, str]) -> str | None:
    """Write `.slot.env` unless it says the same; return a line about a view that belonged to another worktree.

    `rows` are those of `values`. A link is replaced, never written through.
    """
    path = os.path.join(worktree.root, VIEW)
    owner = f"{MARK}{_comment(worktree.name)}; rendered, not for editing\n"
    _require_plain(rows)
    content = os.fsencode(owner + "".join(f"{name}={value}\n" for name, value in rows.items()))
    before = _regular(path)
    make_folder(os.path.join(worktree.common_dir, STATE, "data"))
    temporary.make(
        rows["TASK_TMPDIR"], worktree.common_dir
    )  # gone after a restart of the machine, when the view still says the same
    if before == content:
        return None
    _ignore(worktree.common_dir)
    replace(path, content)
    first = before.partition(b"\n")[0]
    copied = first.startswith(MARK.encode()) and first + b"\n" != os.fsencode(owner)
    return f"{VIEW} was a copy of another worktree's and is written anew" if copied else None


def _require_plain(rows: dict[str, str]) -> None:
    """Raise GroundrulesError for a value that make, sh, node, compose and dotenv do not all read alike."""
    for name, value in rows.items():
        if not all(char.isascii() and (char.isalnum() or char in PLAIN) for char in value):
            what = f"{name} is {value!r}: {VIEW} takes letters, digits and {PLAIN} only"
            raise GroundrulesError(what, fix="tools/groundrules slot --json")


def remove(worktree: Worktree) -> None:
    """Remove the view of a slot that was given back: the slot may be another worktree's from now on."""
    path = os.path.join(worktree.root, VIEW)
    if _regular(path).startswith(MARK.encode()):
        os.unlink(path)


def _regular(path: str) -> bytes:
    return b"" if os.path.islink(path) else held(path)


def _comment(name: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in name)


def _ignore(common_dir: str) -> None:
    """Name the view in `info/exclude`, so that git ignores it on branches whose .gitignore does not know it."""
    path = os.path.join(common_dir, "info", "exclude")
    line = f"/{VIEW}*".encode()  # and the temporary file that a killed writer leaves
    before = _regular(path)
    unreadable = os.path.exists(path) and not os.access(path, os.R_OK)
    if line not in before.splitlines() and not os.path.islink(path) and not unreadable:
        make_folder(os.path.dirname(path))
        replace(path, before + (b"" if before.endswith(b"\n") or not before else b"\n") + line + b"\n")
