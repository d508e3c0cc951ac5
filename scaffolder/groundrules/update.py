"""`groundrules update`: Copier's update made safe, with an account of what it did."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from groundrules import console, template
from groundrules_hooks import config as configs
from groundrules_hooks.failure import FINDINGS, GroundrulesError
from groundrules_hooks.finding import say, shown
from groundrules_hooks.git import git, text
from groundrules_hooks.rules.commit_message import styled
from groundrules_hooks.worktree import require

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

MARKER = "<<<<<<< before updating"
STATUS = ("status", "--porcelain", "-z", "--untracked-files=all")


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--ref", help="a version of the template; default: its newest release")
    parser.add_argument(
        "--data", action="append", default=[], metavar="KEY=VALUE", help="another answer to a question; repeatable"
    )


def run(asked: argparse.Namespace) -> int:
    """Update the clean worktree of the current directory, and list what a person has to look at."""
    worktree = require()
    root = worktree.root
    before = template.version(root)
    if git("-C", root, *STATUS):
        raise GroundrulesError("the worktree has uncommitted changes; nothing was updated", fix="git status --short")
    os.chdir(root)
    if text("rev-parse", "--show-object-format") != "sha1":
        what = "Copier cannot merge into a repository with sha256 ids; nothing was updated"
        raise GroundrulesError(what, fix="copier recopy --defaults --overwrite && git diff")
    template.update(root, asked.ref, template.given(asked.data))
    after = template.version(root)
    changed = [os.fsdecode(entry) for entry in git(*STATUS).split(b"\0") if entry]
    if not changed:
        console.step(console.ALREADY, "template", f"{after}, nothing to do")
        return 0
    console.step(console.DONE, "template", f"{before} → {after}, {len(changed)} files")
    config = configs.of_worktree(worktree)
    return _report(changed, styled("Update the ground rules", config.commits.style if config else "plain"))


def _report(changed: list[str], subject: str) -> int:
    """Say what was deleted or left in conflict; 1 when there is something that only a person can resolve."""
    for entry in changed:
        if entry.startswith(" D") and not os.path.lexists(entry[3:]):
            console.narrate(console.WARNING, f"{entry[3:]} is not in the template any more; its text is in HEAD")
    conflicts = [*_markers(), *(entry[3:] for entry in changed if entry.endswith(".rej"))]
    for place in conflicts:
        console.narrate(console.REFUSED, f"{place} is a conflict to resolve")
    say(f"→ git diff\n→ git add -A && git commit -m '{subject}'\n")
    return FINDINGS if conflicts else 0


def _markers() -> Iterator[str]:
    """Yield path and line of every conflict that the update left. `git grep -n -z`: path, NUL, line, NUL, text."""
    options = ("-n", "-z", "-I", "--untracked", "--no-color", "--no-column")
    rest = os.fsdecode(git("grep", *options, "-e", f"^{MARKER}", ok=(0, 1)))
    while rest:
        path, _, rest = rest.partition("\0")
        line, _, rest = rest.partition("\0")
        rest = rest.partition("\n")[2]
        yield f"{shown(path)}:{line}"
