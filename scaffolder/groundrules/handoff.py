"""`groundrules handoff`: the account of a task, drafted, sealed, verified, shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules import console
from groundrules.evidence import attestation, page, verifying
from groundrules_hooks.failure import FINDINGS
from groundrules_hooks.finding import FORMATS, render, say

if TYPE_CHECKING:
    import argparse


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
    from groundrules.evidence.handover import hand_over

    return hand_over(asked.action, {name: getattr(asked, name) for name in TEXTS}, commit=asked.commit)


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
