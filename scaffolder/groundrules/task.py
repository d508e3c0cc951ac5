"""`groundrules task`: start, list, show and close tasks, each in a worktree of its own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from groundrules import console, ending, starting, worktrees
from groundrules.place import enter, require_config
from groundrules.slot import document
from groundrules_hooks import slot
from groundrules_hooks.config import Config, of_worktree
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import quote, say, shown
from groundrules_hooks.worktree import locate

if TYPE_CHECKING:
    import argparse

    from groundrules.worktrees import Listed
    from groundrules_hooks.worktree import Worktree


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION", help="what to do")
    start = actions.add_parser("start", help="make a branch, a worktree and a slot for a task")
    start.add_argument("id", metavar="ID", help="the task's id, or ID-SLUG")
    start.add_argument("--title", default="", metavar="TEXT", help="what it is about; names branch and contract")
    start.add_argument("--from", dest="start", default="", metavar="REF", help="where it starts; default: the target")
    for name, what in (("list", "every worktree and its task"), ("show", "one task"), ("close", "end a task")):
        action = actions.add_parser(name, help=what)
        if name != "list":
            action.add_argument("id", nargs="?", metavar="ID", help="default: the task of this worktree")
        if name != "close":
            action.add_argument("--json", action="store_true", help="one JSON document")


def run(asked: argparse.Namespace) -> int:
    """Do what the action says."""
    here = locate()
    if here is None:
        raise GroundrulesError(f"{os.getcwd()} is in no git repository")
    stood = os.getcwd()
    home = _home(here)
    if asked.action == "start":
        config = require_config(home)
        os.chdir(stood)
        return _start(here, config, asked)
    config = of_worktree(home) or Config({})
    os.chdir(stood)
    if asked.action == "list":
        return _list(here, config, as_json=asked.json)
    found = _wanted(here, config, asked.id)
    if found is None:
        if asked.action == "close" and asked.id and ending.close_vanished(here, config, asked.id):
            return 0
        what = f"no worktree has the task {asked.id}" if asked.id else "this is no task's worktree"
        raise GroundrulesError(what, fix="tools/groundrules task list")
    if asked.action == "close":
        return ending.close(here, config, found)
    return _show(found, config, as_json=asked.json)


def _start(here: Worktree, config: Config, asked: argparse.Namespace) -> int:
    stood = os.getcwd()
    begun = starting.start(here, config, asked.id, asked.title, asked.start)
    place = os.path.relpath(begun.path, stood)
    console.step(
        console.DONE, "worktree", f"{shown(place)}   branch {begun.branch} from {begun.origin} ({begun.base[:7]})"
    )
    table = " · ".join(f"{name} {port}" for name, port in slot.ports(config, begun.slot).items())
    console.step(console.DONE, f"slot {begun.slot}", table or "no ports")
    for note in begun.notes:
        console.narrate(console.WARNING, note)
    say(f"→ cd {quote(place)}\n")
    return 0


def _home(here: Worktree) -> Worktree:
    """Return this worktree, or in a bare layout the first one that has a folder."""
    if here.root:
        return here
    folders = [each.path for each in worktrees.listing(here.common_dir) if os.path.isdir(each.path)]
    if not folders:
        raise GroundrulesError("this bare repository has no worktree yet", fix="git worktree add main main")
    return enter(folders[0])


def _wanted(here: Worktree, config: Config, task: str | None) -> Listed | None:
    """Return the worktree of `task`, or the one the command was given in; None when there is none."""
    for each in worktrees.listing(here.common_dir):
        if task and worktrees.task_of(each, config) == task:
            return each
        if not task and here.root and os.path.realpath(each.path) == here.root:
            return each
    return None


def _list(here: Worktree, config: Config, *, as_json: bool) -> int:
    rows = worktrees.listing(here.common_dir)
    if as_json:
        console.answer({"schema_version": 1, "worktrees": [_row(each, config) for each in rows]})
        return 0
    table = [("TASK", "SLOT", "BRANCH", "BASE", "SINCE", "WORKTREE", "")]
    for each in rows:
        pin = each.pin
        facts = (str(pin.slot), pin.base[:7], pin.created[:16].replace("T", " ")) if pin else None
        task = worktrees.task_of(each, config) or "—"
        number, base, since = facts or ("—" if each.linked else "0", "—", "—")
        table.append((task, number, each.branch or "detached", base, since, shown(each.path), each.held))
    say(console.columns(table))
    return 0


def _row(each: Listed, config: Config) -> dict[str, object]:
    pin = each.pin
    return {
        "worktree": each.path,
        "branch": each.branch,
        "head": each.head,
        "slot": pin.slot if pin else None if each.linked else 0,
        "task": worktrees.task_of(each, config) or None,
        "base": (pin.base or None) if pin else None,
        "created": pin.created if pin else None,
        "held": each.held or None,
    }


def _show(found: Listed, config: Config, *, as_json: bool) -> int:
    facts = _row(found, config)
    if found.held not in (worktrees.MISSING, worktrees.BROKEN):
        worktree = enter(found.path)
        config = require_config(worktree)
        facts |= document(worktree, config, slot.claim(worktree, config))
    if as_json:
        console.answer({"schema_version": 1, **facts})
    else:
        told = {name: value for name, value in facts.items() if isinstance(value, str | int) and value is not False}
        say("".join(f"{name:<12} {value}\n" for name, value in told.items() if name != "schema_version"))
    return 0
