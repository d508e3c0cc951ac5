"""`groundrules gate`: every rule again, over real commits, since hooks can be bypassed."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

from groundrules import console
from groundrules_hooks import allow, config, task
from groundrules_hooks.ancestry import is_ancestor, targets
from groundrules_hooks.change import Change, Tree
from groundrules_hooks.failure import FINDINGS, GroundrulesError
from groundrules_hooks.finding import FORMATS, render, say, shown
from groundrules_hooks.git import GitError, answer, elsewhere, git, is_oid, text
from groundrules_hooks.range import Range, judged
from groundrules_hooks.rules import NAMES, TREE, judge
from groundrules_hooks.worktree import HEADS, Worktree, locate

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
    head = _commit(asked.head) or _unknown(asked.head)
    content = Tree(head).read(config.FILE).get(config.FILE)
    if content is None:
        raise GroundrulesError(
            f"{asked.head} has no {config.FILE}, so no rules to judge by", fix=f"git log --oneline -- {config.FILE}"
        )
    settings = config.of_text(content)
    known = targets(settings.tasks.target)
    base = _base(asked.base, head, known)
    branch = asked.branch or _branch_of(asked.head)
    named = task.of_branch(branch, settings.tasks.branches)
    # What the branch merged from a target newer than `base` is merged already; a pushed target is what to judge.
    merged = (ref for ref in known if not is_ancestor(head, ref))
    verdict = judged(Range(head, (base, *merged), (base, *known), named, branch or None), settings)
    findings = [*verdict.findings, *_guards(here, head, base, settings, verdict)]
    say(render(findings, asked.format, here.root))
    _account(verdict, findings)
    return FINDINGS if findings else 0


def _commit(ref: str) -> str | None:
    return text("rev-parse", "-q", "--verify", "--end-of-options", f"{ref}^{{commit}}", ok=(0, 1, 128)) or None


def _unknown(ref: str) -> str:
    raise GroundrulesError(
        f"{ref} is no commit here", fix="git fetch --unshallow" if _is_shallow() else "git fetch --all"
    )


def _is_shallow() -> bool:
    return text("rev-parse", "--is-shallow-repository") == "true"


def _base(asked: str, head: str, known: list[str]) -> str:
    """Return the commit that the range starts from: the merge base of `head` and what was asked for, or the target.

    A new branch has zeros before its first push, and a force push leaves an id that exists no more. Never falls back
    to a part of the range, nor to all history. Raise GroundrulesError when there is no common commit.
    """
    given = _commit(asked) if asked.strip("0") else None
    if given is None and asked and not is_oid(asked):  # a name, so mistyped rather than vanished
        _unknown(asked)
    if asked and given is None:
        console.narrate(console.WARNING, f"base {asked[:12]} is not known here; judged from the target branch")
    against = [given] if given else known
    if not against:
        raise GroundrulesError("there is no target branch to compare with", fix="groundrules gate --base REF")
    code, out = answer("merge-base", head, *against, ok=(0, 1))
    if code:
        fix = "git fetch --unshallow" if _is_shallow() else "git merge-base --all HEAD " + against[0]
        raise GroundrulesError(f"{head[:12]} and {against[0]} have no common commit here", fix=fix)
    return out.decode().strip()


def _branch_of(ref: str) -> str:
    """Return the short name of the branch that `ref` names, here or on a remote; empty when it names none."""
    full = text("rev-parse", "--symbolic-full-name", "--end-of-options", ref, ok=(0, 128)).splitlines()
    name = full[-1] if full else ""
    if name.startswith("refs/remotes/"):
        return name.removeprefix("refs/remotes/").partition("/")[2]
    return name.removeprefix(HEADS) if name.startswith(HEADS) else ""


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
