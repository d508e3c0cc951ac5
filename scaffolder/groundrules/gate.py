"""`groundrules gate`: every rule again, over real commits, since hooks can be bypassed."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

from groundrules import console, ends
from groundrules_hooks import allow, task
from groundrules_hooks.ancestry import is_ancestor, targets
from groundrules_hooks.change import Change, Tree
from groundrules_hooks.failure import FINDINGS, GroundrulesError
from groundrules_hooks.finding import FORMATS, render, say, shown
from groundrules_hooks.git import GitError, elsewhere, git, text
from groundrules_hooks.range import Range, judged
from groundrules_hooks.rules import NAMES, TREE, judge
from groundrules_hooks.worktree import Worktree, locate

if TYPE_CHECKING:
    import argparse

    from groundrules_hooks.config import Config
    from groundrules_hooks.finding import Finding
    from groundrules_hooks.range import Verdict


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--base", default="", metavar="REF", help="what is merged already; default: the target branch")
    parser.add_argument("--head", default="HEAD", metavar="REF", help="what is to be merged; default: HEAD")
    parser.add_argument(
        "--branch", default="", metavar="NAME", help="the branch of the head, where the ref does not tell"
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="how findings are printed")


def run(asked: argparse.Namespace) -> int:
    """Judge `base..head` commit by commit and as a branch, then run the guards on the head."""
    here = locate()
    if here is None:
        raise GroundrulesError(f"{os.getcwd()} is in no git repository")
    head = ends.require_commit(asked.head)
    settings = ends.settings_of(head, asked.head)
    known = targets(settings.tasks.target)
    base = ends.base(asked.base, head, known)
    branch = asked.branch or ends.branch_of(asked.head)
    named = task.of_branch(branch, settings.tasks.branches)
    # What the branch merged from a target newer than `base` is merged already; a pushed target is what to judge.
    merged = (ref for ref in known if not is_ancestor(head, ref))
    verdict = judged(Range(head, (base, *merged), (base, *known), named, branch or None), settings)
    findings = [*verdict.findings, *_guards(here, head, base, settings, verdict)]
    say(render(findings, asked.format, here.root))
    _account(verdict, findings)
    return FINDINGS if findings else 0


def _guards(here: Worktree, head: str, base: str, settings: Config, verdict: Verdict) -> list[Finding]:
    """Run the guards on the files of `head`: here if they are checked out unchanged, else in a throw-away worktree."""
    if not Tree(head).files("guards"):
        return []
    allowed = [each for _, each in verdict.allowed]
    if here.root and here.head == head and not git("status", "--porcelain", "--untracked-files=no"):
        found = list(judge(_whole(here, head, base), settings, TREE))
    else:
        with tempfile.TemporaryDirectory(prefix="groundrules-gate-") as folder:
            root = os.path.join(folder, "tree")
            _worktree("add", "--detach", "--no-checkout", root, head)
            try:
                git("-C", root, "reset", "--quiet", "--hard", env=elsewhere())
                found = list(judge(_whole(here._replace(root=root), head, base), settings, TREE))
            finally:
                _worktree("remove", "--force", root)
    return allow.not_allowed(found, allowed, settings.rules.strict)


def _worktree(*args: str) -> None:
    """Run `git worktree ARGS`, which runs no hook; git stumbles over the entry that another process is just making."""
    for attempt in range(1, 21):
        try:
            git("worktree", *args)
        except GitError as error:
            if "commondir" not in error.why or attempt == 20:
                raise
        else:
            return


def _whole(here: Worktree, head: str, base: str) -> Change:
    return Change((), Tree(text("rev-parse", f"{head}^{{tree}}")), commit=head, base=base, worktree=here)


def _account(verdict: Verdict, findings: list[Finding]) -> None:
    """Say on stderr what was judged, and every exception that was honoured."""
    for commit, each in verdict.allowed:
        console.narrate(console.WARNING, f"{commit[:10]} was allowed {each.rule}: {shown(each.reason)}")
    count = len(verdict.commits)
    text = (
        f"{count} commit{'s' * (count != 1)}, {len(NAMES)} rules, {len(findings)} finding{'s' * (len(findings) != 1)}"
    )
    console.step(console.REFUSED if findings else console.DONE, "gate", text)
