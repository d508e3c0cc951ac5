"""`groundrules mirror`: the read-only copy of requirement documents, brought to what their source holds now."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from groundrules import console
from groundrules.corpus import folder
from groundrules.corpus.sync import REMOVED, SAME, sync
from groundrules.place import require_config, require_outermost
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import say
from groundrules_hooks.lock import make_folder, replace
from groundrules_hooks.mirror import FOLDER, TRAILER
from groundrules_hooks.rules.commit_message import styled
from groundrules_hooks.worktree import STATE

if TYPE_CHECKING:
    import argparse

    from groundrules.corpus.sync import Outcome, Step
    from groundrules_hooks.config import Config
    from groundrules_hooks.worktree import Worktree

MESSAGE = f"{STATE}/mirror-sync"
COMMIT = f'git add {FOLDER} && git commit --file="$(git rev-parse --git-path {MESSAGE})"'


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION", help="what to do")
    made = actions.add_parser("sync", help="write all documents of the source, or none")
    made.add_argument("--from", dest="folder", default="", metavar="FOLDER", help="the exported Markdown")
    made.add_argument("--remove", action="append", default=[], metavar="DOCUMENT", help="may go; repeatable")
    made.add_argument("--json", action="store_true", help="one JSON document")


def run(asked: argparse.Namespace) -> int:
    """Sync, and say what came and how to commit it."""
    given = os.path.abspath(asked.folder) if asked.folder else ""
    worktree = require_outermost()
    config = require_config(worktree)
    place = given or _configured(worktree, config)
    outcome = sync(worktree, folder.read(place), config.mirror.accept, asked.remove)
    if outcome.trailers:
        _keep_message(worktree, config, outcome)
    if asked.json:
        console.answer(_document(outcome))
    else:
        say("".join(map(_line, outcome.steps)))
    _tell(outcome, config)
    return 0


def _configured(worktree: Worktree, config: Config) -> str:
    if not config.mirror.folder:
        raise GroundrulesError(
            "no folder to sync from",
            why='--from FOLDER, or in groundrules.toml\n  [mirror]\n  folder = "../export"',
            fix="groundrules mirror sync --help",
        )
    return os.path.normpath(os.path.join(worktree.root, config.mirror.folder))


def _keep_message(worktree: Worktree, config: Config, outcome: Outcome) -> None:
    """Keep the message of the commit that is to hold the sync in the git dir of `worktree`."""
    subject = styled("Sync the requirements mirror", config.commits.style)
    trailers = "".join(f"{TRAILER}: {value}\n" for value in outcome.trailers)
    path = os.path.join(worktree.git_dir, MESSAGE)
    make_folder(os.path.dirname(path))
    replace(path, f"{subject}\n\n{trailers}".encode("utf-8", "surrogateescape"))


def _line(step: Step) -> str:
    head = step.head
    parts = f"  {len(head.tables)} table{'s' * (len(head.tables) != 1)}" if head.tables else ""
    lost = f"  {len(step.lost)} lost" if step.lost else ""
    return f"{step.state:<9}  {FOLDER}{head.path}  revision {head.revision}{parts}{lost}\n"


def _document(outcome: Outcome) -> dict[str, object]:
    rows = [
        {
            "token": step.head.token,
            "path": f"{FOLDER}{step.head.path}",
            "state": step.state,
            "revision": step.head.revision,
            "tables": [f"{FOLDER}{part.path}" for part in step.head.tables],
            "losses": step.lost,
        }
        for step in outcome.steps
    ]
    return {"schema_version": 1, "documents": rows, "trailers": [f"{TRAILER}: {value}" for value in outcome.trailers]}


def _tell(outcome: Outcome, config: Config) -> None:
    """Say on stderr what is lost with leave, what leave is not needed, and what to type."""
    live = [step for step in outcome.steps if step.state != REMOVED]
    lost = {name for step in live for name in step.lost}
    for name in sorted(lost):
        console.narrate(console.WARNING, f"{name} is lost in export, as [mirror] accept allows")
    for name in config.mirror.accept:
        if name not in lost:
            console.narrate(console.WARNING, f"{name} is not lost any more: [mirror] accept need not name it")
    changed = sum(step.state != SAME for step in outcome.steps)
    sign = console.DONE if changed else console.ALREADY
    console.step(sign, "mirror", f"{len(live)} document{'s' * (len(live) != 1)}, {changed or 'nothing'} changed")
    if outcome.trailers:
        console.narrate(console.NEXT, COMMIT)
