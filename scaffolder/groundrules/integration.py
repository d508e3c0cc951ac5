"""Integration: the record that a task's merge with the target was tested, keyed by the subject tree that it gives.

It is committed with the branch, so it is on the target after the merge, whatever the method: the tree is the same.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from groundrules_hooks import handoff
from groundrules_hooks.evidence import INTEGRATION, QUICK
from groundrules_hooks.lock import held, make_folder, replace
from groundrules_hooks.task import is_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundrules_hooks.config import Check, Config

SCHEMA = "integration/1"

Record = dict[str, Any]


class Merged(NamedTuple):
    """What was merged: the task's commit `head` and the commit `target`, which give the subject tree `tree`."""

    task: str
    head: str
    target: str
    tree: str


def path_of(task: str) -> str:
    """Return the path of the record of `task`, from the root."""
    return f"evidence/{task}/integration.json"


def wanted(config: Config) -> list[Check]:
    """Return the checks that a merged tree has to pass: those of tier integration; where there are none, the quick."""
    return [check for check in config.checks if check.tier == INTEGRATION] or [
        check for check in config.checks if check.tier == QUICK
    ]


def write(root: str, merged: Merged, records: Sequence[Record]) -> str:
    """Write the record of a merge whose checks all passed, and return its path from the root.

    One about the same tree stays as it is: only evidence was committed since.
    """
    path = path_of(merged.task)
    before = read(held(os.path.join(root, path)))
    if before and (before[0].task, before[0].tree) == (merged.task, merged.tree):
        return path
    make_folder(os.path.dirname(os.path.join(root, path)))
    document = {
        "schema": SCHEMA,
        "task": merged.task,
        "head": merged.head,
        "target": merged.target,
        "subject_tree": merged.tree,
        "checks": list(records),
    }
    replace(os.path.join(root, path), f"{json.dumps(document, indent=2, ensure_ascii=False)}\n".encode())
    return path


def read(content: bytes) -> tuple[Merged, list[Record]] | None:
    """Return what `content` records; None when it is no record of this version, which then proves nothing."""
    try:
        found = json.loads(content)
        texts = [found[name] for name in ("task", "head", "target", "subject_tree")]
        records = found["checks"]
        fits, _ = handoff.FIELDS["checks"]
        right = found["schema"] == SCHEMA and all(isinstance(text, str) for text in texts) and is_id(texts[0])
    except (ValueError, RecursionError, KeyError, TypeError):
        return None
    return (Merged(*texts), records) if right and fits(records) else None
