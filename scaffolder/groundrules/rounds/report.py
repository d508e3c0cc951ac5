"""Report: what reviewers said in one round, before it is recorded."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from groundrules_hooks.review import Evidence


class Reported(NamedTuple):
    """A finding as it was reported: `severity` in the reviewer's word, `rule` and `symbol` where there are any."""

    severity: str | None
    title: str
    path: str = ""
    line: int = 0
    rule: str = ""
    symbol: str = ""
    high_risk: bool = False
    evidence: tuple[Evidence, ...] = ()


class Report(NamedTuple):
    """What was reported, by whom; `commit` is what it is about, if it says so; `failed` when a reviewer broke off."""

    findings: tuple[Reported, ...]
    reviewers: tuple[str, ...] = ()
    commit: str = ""
    failed: bool = False


def inside(path: str, root: str) -> str:
    """Return `path` from the root; where it was made in another checkout, by the longest end of it that is here.

    What leads out of the root names nothing here, so it is empty.
    """
    bare = path.replace("\0", "").removeprefix("file://").removeprefix("./")
    if ".." in bare.split("/"):
        return ""
    if os.path.isabs(bare):
        parts = bare.strip("/").split("/")
        ends = ("/".join(parts[start:]) for start in range(len(parts)))
        under = bare.removeprefix(f"{root}/") if bare.startswith(f"{root}/") else ""
        return under or next((end for end in ends if os.path.exists(os.path.join(root, end))), bare.strip("/"))
    return bare


def shortened(text: str) -> str:
    """Return the first line of `text` that says something, in at most 120 characters."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= 120 else f"{line[:117].rstrip()}..."
