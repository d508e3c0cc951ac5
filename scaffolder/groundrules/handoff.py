"""`groundrules handoff`: the account of a task, drafted, sealed, verified, shown."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from groundrules import console
from groundrules.evidence import attestation, drafting, page, report, sealing, store, verifying
from groundrules.place import require_config, require_outermost
from groundrules_hooks import conflict
from groundrules_hooks.failure import FINDINGS, GroundrulesError
from groundrules_hooks.finding import FORMATS, render, say
from groundrules_hooks.git import git

if TYPE_CHECKING:
    import argparse

    from groundrules_hooks.config import Config
    from groundrules_hooks.worktree import Worktree

WRITING = {
    "draft": "write the facts as they are now, state in-progress",
    "seal": "the same in state ready, refused while something is missing",
    "reseal": "after a rebase: keep the prose, map the commits, ask for new results",
}
TEXTS = {"unresolved": "a concern that remains", "deviations": "a departure from what was asked"}


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION", help="what to do")
    for name, what in WRITING.items():
        action = actions.add_parser(name, help=what, description=f"{what}.")
        for option, text in TEXTS.items():
            words = f"{text}; repeatable; the word none if there is none"
            action.add_argument(f"--{option}", action="append", metavar="TEXT", help=words)
        action.add_argument("--commit", action="store_true", help="commit the handoff too")
    verify = actions.add_parser("verify", help="compare a committed handoff with the commits it is about")
    verify.add_argument("ref", nargs="?", default="HEAD", metavar="REF", help="the commit to verify; default: HEAD")
    verify.add_argument("--branch", default="", metavar="NAME", help="its branch, where the ref does not tell")
    verify.add_argument("--format", choices=FORMATS, default="text", help="how findings are printed")
    show = actions.add_parser("show", help="render it as Markdown, for a pull request")
    show.add_argument("ref", nargs="?", default="", metavar="REF", help="the commit to read it from; default: the disk")
    show.add_argument("--task", default="", metavar="ID", help="the task; default: that of the branch")
    show.add_argument("--in-toto", action="store_true", help="its results as in-toto statements, one a line")


def run(asked: argparse.Namespace) -> int:
    """Do what the action says."""
    if asked.action == "verify":
        return _verify(asked)
    if asked.action == "show":
        return _show(asked)
    worktree = require_outermost()
    config = require_config(worktree)
    task, told = drafting.account_of(worktree, config)
    before = drafting.earlier(worktree, task)
    found = drafting.document(worktree, config, task, told) | drafting.prose(vars(asked), before)
    for results, otherwise in ((told.required, console.REFUSED), (told.others, console.WARNING)):
        for result in results:
            report.line(result, store.newest(worktree, result.check.name, found["subject_tree"]), otherwise)
    if asked.action == "draft":
        return _finish(worktree, config, found, commit=asked.commit)
    if asked.action == "reseal":
        _tell_fates(before, found, task)
    lacks, unfinished = sealing.missing(found, told), sealing.unfinished(worktree, found, commit=asked.commit)
    if not lacks and not unfinished.lacks:
        _tell_uncommitted(worktree)
        return _finish(worktree, config, sealing.sealed(found), commit=asked.commit)
    if asked.action == "reseal":
        path = drafting.write(worktree, found)
        console.step(console.ALREADY, "handoff", f"{path}   in-progress, until nothing is missing")
    raise sealing.refusal(found, told, lacks, unfinished, commit=asked.commit)


def _finish(worktree: Worktree, config: Config, found: dict[str, Any], *, commit: bool) -> int:
    path = drafting.write(worktree, found)
    counted = ((len(found[rows]), rows) for rows in ("commits", "files"))
    facts = ", ".join(f"{number} {rows[:-1] if number == 1 else rows}" for number, rows in counted)
    console.step(console.DONE, "handoff", f"{path}   {facts}, {found['state']}")
    for name in drafting.PROSE:
        if found[name] is None:
            console.narrate(console.WARNING, f"{name} is not given yet: --{name} TEXT, or --{name} none")
    message = drafting.subject_of(found["task"], config)
    if commit:
        analysis = conflict.path_of(found["task"])
        also = [analysis] if os.path.exists(os.path.join(worktree.root, analysis)) else []
        drafting.commit(worktree.root, message, path, *also)
    else:
        say(f"→ git add {path} && git commit -m '{message}' -- {path}\n")
    return 0


def _tell_uncommitted(worktree: Worktree) -> None:
    """Say what is on disk and not in the commit that the handoff is about."""
    listed = git(
        "-C", worktree.root, "status", "--porcelain", "-z", "--untracked-files=all", "--", ":(top,exclude)evidence"
    )
    count = sum(1 for entry in listed.split(b"\0") if entry)
    if count:
        console.narrate(console.WARNING, f"not committed, and no part of it: {count} files → git status --short")


def _tell_fates(before: dict[str, Any], found: dict[str, Any], task: str) -> None:
    if not before:
        raise GroundrulesError(f"task {task} has no handoff to seal again", fix="groundrules handoff seal")
    for fate in sealing.fates(before, found):
        if not fate.after:
            console.step(console.WARNING, fate.before[:7], f"is gone: {fate.subject}")
        elif not fate.before:
            console.step(console.WARNING, fate.after[:7], f"is new: {fate.subject}")
        elif fate.before != fate.after or fate.changed:
            sign, what = (console.WARNING, "changed") if fate.changed else (console.DONE, "same patch")
            console.step(sign, fate.before[:7], f"→ {fate.after[:7]} {what}: {fate.subject}")


def _verify(asked: argparse.Namespace) -> int:
    here, told = verifying.verify(asked.ref, asked.branch)
    say(render(told.findings, asked.format, here.root))
    for line in told.lines:
        console.step(console.REFUSED if told.findings else console.DONE, "handoff", line)
    return FINDINGS if told.findings else 0


def _show(asked: argparse.Namespace) -> int:
    found = verifying.read(asked.ref, asked.task)
    if asked.in_toto:
        say("".join(f"{line}\n" for line in attestation.statements(found)))
    else:
        say(page.render(found))
    return 0
