"""pre-push: the branch of a task is judged as the gate will judge it; other pushes are left alone."""

from __future__ import annotations

import os
import sys

from groundrules_hooks import task as tasks
from groundrules_hooks.finding import say
from groundrules_hooks.git import is_oid, text
from groundrules_hooks.record import NamedTuple
from groundrules_hooks.stage import arguments, be, conclude, place
from groundrules_hooks.worktree import HEADS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundrules_hooks.finding import Finding
    from groundrules_hooks.stage import Place


class Push(NamedTuple):
    """One ref on its way: the commit, and the full name it gets on the remote."""

    commit: str
    remote_ref: str


def main(argv: Sequence[str]) -> int:
    """Judge every pushed branch that names a task: the pushed commits, never the working directory."""
    rest, form = arguments(argv)
    here = place(_prepare)
    if here is None:
        return 0
    from groundrules_hooks.collision import warnings
    from groundrules_hooks.push import judge

    findings: list[Finding] = []
    for push in _pushes(rest, here):
        branch = push.remote_ref.removeprefix(HEADS)
        task = tasks.of_branch(branch, here.config.tasks.branches) if branch != push.remote_ref else None
        if task and push.commit.strip("0"):  # a deletion has an id of zeros
            findings += judge(push.commit, branch, task, here)
            say("".join(f"{line}\n" for line in warnings(here.worktree, branch, push.commit)), 2)
    return conclude(findings, form, here.worktree)


def _pushes(rest: Sequence[str], here: Place) -> Iterator[Push]:
    """Yield what is pushed: from git's lines on stdin, or from the one ref that a framework passes on."""
    if "PRE_COMMIT" not in os.environ and len(rest) > 1:
        for line in sys.stdin.buffer:
            # A ref may hold any character above ASCII, among them what Python takes for white space.
            words = os.fsdecode(line.rstrip(b"\n")).split(" ")
            if len(words) == 4:
                yield Push(text("rev-parse", f"{words[1]}^{{}}") if words[1].strip("0") else words[1], words[2])
        return
    remote = os.environ.get("PRE_COMMIT_REMOTE_BRANCH") or f"{HEADS}{here.worktree.branch}"
    named = os.environ.get("PRE_COMMIT_TO_REF") or os.environ.get("PRE_COMMIT_LOCAL_BRANCH")
    commit = named or here.worktree.head or "HEAD"
    found = commit if is_oid(commit) else text("rev-parse", "-q", "--verify", f"{commit}^{{commit}}", ok=(0, 1, 128))
    if found:
        yield Push(found, remote)


def _prepare() -> None:
    """Import what comes next, which takes some milliseconds, while git tells where this is."""
    import groundrules_hooks.push  # noqa: F401


if __name__ == "__main__":
    be(main)
