"""The store of records: one a check and subject tree, shared by all worktrees, and one for the last run in each.

All of it is below the git dir, so that neither `git clean` nor a removed folder loses what was proved.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from groundrules_hooks import handoff
from groundrules_hooks.lock import held, make_folder, replace
from groundrules_hooks.worktree import STATE

if TYPE_CHECKING:
    from groundrules_hooks.account import Records
    from groundrules_hooks.worktree import Worktree

FOLDER = f"{STATE}/checks"
KEPT = 30 * 24 * 3600  # seconds that a tree's records stay without a new one

Record = dict[str, Any]


def write(worktree: Worktree, record: Record) -> None:
    """Put `record` in the place of an older one of the same check and tree, and as the last run in `worktree`."""
    content = f"{json.dumps(record, indent=2)}\n".encode()
    for folder in (folder_of(worktree.common_dir, record["tree"]), os.path.join(worktree.git_dir, FOLDER)):
        make_folder(folder)
        replace(os.path.join(folder, f"{record['name']}.json"), content)


def newest(worktree: Worktree, name: str, tree: str) -> Record | None:
    """Return the record of the check `name` for `tree`; else that of its last run in `worktree`, whatever it ran on."""
    return _read(folder_of(worktree.common_dir, tree), name) or _read(os.path.join(worktree.git_dir, FOLDER), name)


def records(worktree: Worktree) -> Records:
    """Return the records that `worktree` knows, as a function of check and tree."""
    return lambda name, tree: newest(worktree, name, tree)


def folder_of(common_dir: str, tree: str) -> str:
    """Return the folder of the records and logs for one subject tree."""
    return os.path.join(common_dir, FOLDER, tree)


def prune(common_dir: str) -> None:
    """Remove the records and logs of trees that nothing ran on for a long time."""
    with suppress(OSError):
        for entry in os.scandir(os.path.join(common_dir, FOLDER)):
            if entry.is_dir(follow_symlinks=False) and entry.stat().st_mtime < time.time() - KEPT:
                shutil.rmtree(entry.path, ignore_errors=True)


def _read(folder: str, name: str) -> Record | None:
    """Return the record of `name` in `folder`; None for one that is not there or has another shape or name."""
    try:
        record = json.loads(held(os.path.join(folder, f"{name}.json")))
    except ValueError:
        return None
    fits, _ = handoff.FIELDS["checks"]
    return record if fits([record]) and record["name"] == name else None
