"""`groundrules logs`: what the newest run of each service wrote."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from groundrules.place import require_config, require_outermost
from groundrules.stack import instance, journal
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import say

if TYPE_CHECKING:
    import argparse

STEP = 0.2  # seconds between two looks at a log


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "service", nargs="?", help="one service, database or migrations; default: all, one after another"
    )
    parser.add_argument("-f", "--follow", action="store_true", help="go on with what is written from now on")


def run(asked: argparse.Namespace) -> int:
    """Print the newest run of a log, or of all logs with the name before each line."""
    worktree = require_outermost()
    of = instance.standing(worktree, require_config(worktree))
    names = journal.names(of.run) if of else []
    if asked.service is not None and asked.service not in names:
        known = f"there are logs of {', '.join(names)}" if names else "nothing was started here yet"
        fix = f"tools/groundrules logs {names[0]}" if names else "tools/groundrules up"
        raise GroundrulesError(f"{asked.service} has no log", why=known, fix=fix)
    chosen = [asked.service] if asked.service else names
    prefix = max(map(len, chosen), default=0) if asked.service is None else 0
    places = {name: journal.newest(of.run, name) for name in chosen} if of else {}
    while of is not None:
        for name in chosen:
            places[name] = _print(journal.path_of(of.run, name), places[name], f"{name:<{prefix}} | " if prefix else "")
        if not asked.follow:
            break
        time.sleep(STEP)
    return 0


def _print(path: str, place: int, prefix: str) -> int:
    """Print the whole lines that the file holds from `place` on, and return where the next one begins."""
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size < place:
                place = 0  # it was written anew
            file.seek(place)
            content = file.read()
    except FileNotFoundError:
        return 0
    whole = content[: content.rfind(b"\n") + 1]
    lines = whole.decode("utf-8", "surrogateescape").splitlines(keepends=True)
    say("".join(f"{prefix}{line}" for line in lines))
    sys.stdout.flush()
    return place + len(whole)
