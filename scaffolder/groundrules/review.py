"""`groundrules review`: rounds of a task's review, what they lead to, and what to do now."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from groundrules import console
from groundrules.place import require_outermost
from groundrules.rounds import reader, recording, rendering
from groundrules.rounds.report import Report
from groundrules.rounds.situation import append, situation
from groundrules_hooks import evals, policy
from groundrules_hooks.failure import FINDINGS, GroundrulesError
from groundrules_hooks.finding import quote, say
from groundrules_hooks.git import answer, text
from groundrules_hooks.lock import held
from groundrules_hooks.review import ANSWERS, COMPLETED, END, FIXED, LEVELS, WONTFIX, Round

if TYPE_CHECKING:
    import argparse

    from groundrules.rounds.situation import Situation
    from groundrules_hooks.review import Event


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION", help="what to do")
    record = actions.add_parser("record", help="append a round: its start, its report, or how it broke off")
    given = record.add_mutually_exclusive_group()
    given.add_argument("file", nargs="?", metavar="FILE", help="the report: JSON, SARIF or Markdown; - is stdin")
    given.add_argument("--none", action="store_true", help="the reviewers found nothing")
    given.add_argument("--start", action="store_true", help="the round begins now; its report follows")
    record.add_argument("--status", choices=["cancelled", "failed"], help="the round broke off")
    record.add_argument("--head", default="", metavar="COMMIT", help="what was looked at; default: HEAD")
    record.add_argument("--focused", default="", metavar="FINDING", help="the round is about this finding alone")
    record.add_argument("--by", action="append", default=[], metavar="NAME", help="a reviewer; repeatable")
    settle = actions.add_parser("settle", help="say what became of findings")
    settle.add_argument("finding", nargs="+", metavar="FINDING", help="the id of a finding")
    how = settle.add_mutually_exclusive_group(required=True)
    how.add_argument("--fixed", nargs="?", const="HEAD", metavar="COMMIT", help="fixed by it; default: HEAD")
    how.add_argument("--wontfix", metavar="REASON", help="left as it is; a P0 or P1 by an owner only")
    how.add_argument("--severity", choices=LEVELS, help="sorts a finding whose reviewer gave no severity")
    settle.add_argument("--by", default="", metavar="NAME", help="who says so; default: git's user.email")
    person = actions.add_parser("answer", help="an owner's answer where a person is asked")
    person.add_argument("answer", choices=ANSWERS, help="end the review as it is, or go on in a new series")
    person.add_argument("--by", required=True, metavar="NAME", help="one of the owners in review/policy.toml")
    person.add_argument("--reason", required=True, metavar="TEXT", help="why")
    actions.add_parser("decide", help="WAIT, FIX, REVIEW, FOCUSED, END or HUMAN, with the reason")
    actions.add_parser("next", help="what to do now, and the command for it")
    actions.add_parser("eval", help="run the evals of the policy as they are in the worktree")
    for action in actions.choices.values():
        action.add_argument("--json", action="store_true", help="one JSON document")


def run(asked: argparse.Namespace) -> int:
    """Do what the action says."""
    if asked.action == "eval":
        return _eval(as_json=asked.json)
    here = situation()
    if asked.action in ("decide", "next"):
        return _decide(here, asked)
    made = append(here, lambda fresh: _events(fresh, asked))
    if asked.json:
        console.answer(rendering.recorded(here, made))
    else:
        say("".join(rendering.lines_of(here, made)))
    after = situation()
    found = after.decision()
    console.step(console.DONE, "recorded", f"{here.path}   {rendering.summary(made)}")
    console.step(console.NEXT, found.kind, found.reason)
    return 0


def _events(here: Situation, asked: argparse.Namespace) -> list[Event]:
    if asked.action == "answer":
        return [recording.answer_of(here, asked.answer, asked.by, _said(asked.reason))]
    if asked.action == "record":
        return [_round(here, asked)]
    by = asked.by or text("config", "user.email", ok=(0, 1)) or "somebody"
    if asked.severity:
        return [recording.sorting(here, each, asked.severity, by) for each in asked.finding]
    what = WONTFIX if asked.fixed is None else FIXED
    detail = recording.commit(asked.fixed) if asked.fixed is not None else _said(asked.wontfix)
    return [recording.disposition(here, each, what, by, detail=detail) for each in asked.finding]


def _said(reason: str) -> str:
    if not reason.strip():
        raise GroundrulesError("the reason says nothing", fix="groundrules review decide")
    return reason.strip()


def _round(here: Situation, asked: argparse.Namespace) -> Round:
    report = Report(()) if asked.none else reader.read(_content(asked.file), asked.head) if asked.file else None
    if report is None and not asked.start and not asked.status:
        raise GroundrulesError(
            "no report is named", why="a file, - for stdin, --none or --start", fix="groundrules review record --start"
        )
    if answer("diff", "--quiet", "HEAD", "--", ".", ":(exclude)evidence", ok=(0, 1))[0]:
        console.narrate(console.WARNING, "the round is about the commit; changes that are not committed are not in it")
    wanted = recording.Wanted(
        report, asked.status or COMPLETED, tuple(filter(None, asked.by)), asked.head, asked.focused
    )
    return recording.round_of(here, wanted)


def _content(file: str) -> bytes:
    if file == "-":
        return sys.stdin.buffer.read()
    try:
        with open(file, "rb") as report:
            return report.read()
    except OSError as error:
        raise GroundrulesError(f"cannot read {file}", why=error.strerror or "", fix=f"ls -l {quote(file)}") from None


def _decide(here: Situation, asked: argparse.Namespace) -> int:
    found = here.decision()
    if asked.json:
        console.answer(rendering.decided(here, found))
    elif asked.action == "next":
        say(rendering.next_step(here, found))
    else:
        say(rendering.decision(here, found))
    return FINDINGS if asked.action == "decide" and found.kind != END else 0


def _eval(*, as_json: bool) -> int:
    root = require_outermost().root
    folder = os.path.join(root, evals.FOLDER)
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    paths = [f"{evals.FOLDER}/{name}" for name in names if name.endswith(".toml")]
    content = held(os.path.join(root, policy.FILE))
    if not content or not paths:
        missing = evals.FOLDER if content else policy.FILE
        raise GroundrulesError(f"{missing} is missing", fix=f"git log --oneline -- {missing}")
    files = {path: held(os.path.join(root, path)) for path in paths}
    results = list(evals.results(policy.parse(content), files))
    failed = [each for each in results if not each.is_met]
    if as_json:
        console.answer({"schema_version": 1, "evals": list(map(rendering.result, results))})
    else:
        say("".join(map(rendering.failure, failed)))
    count = f"{len(results)} evals, {len(failed)} not met"
    console.step(console.REFUSED if failed else console.DONE, "eval", count)
    return FINDINGS if failed else 0
