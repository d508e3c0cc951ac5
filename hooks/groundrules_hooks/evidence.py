"""Evidence: which checks a change needs, and what the record of a run proves about one tree; never "probably"."""

from __future__ import annotations

from groundrules_hooks.globs import matches
from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from groundrules_hooks.config import Check, Config

PASSED, FAILED, STALE, MISSING, DIRTY = "PASSED", "FAILED", "STALE", "MISSING", "DIRTY"
# What the files were: those of a commit, edits that no commit held yet, or other ones at the end than at the start.
CLEAN, EDITED, MOVED = "clean", "dirty", "moved"
QUICK, DEEP, INTEGRATION = "quick", "deep", "integration"


class Result(NamedTuple):
    """What is known about one check for one tree: `outcome`, and why in a few words where it is not PASSED."""

    check: Check
    outcome: str
    why: str = ""


def covers(check: Check, paths: Iterable[str]) -> bool:
    """Whether one of `paths` is among those that `check` is about."""
    return any(matches(path, check.paths) for path in paths)


def required(config: Config, paths: Iterable[str], named: Iterable[str] = ()) -> list[Check]:
    """Return the checks that a handoff needs: quick ones that cover one of `paths`, or all, and the `named` ones.

    Integration checks are about the merge, deep ones are run on demand: neither is asked for unless it is named.
    """
    changed = list(paths)
    wanted = set(named)
    everything = config.tasks.checks == "all"
    return [
        check
        for check in config.checks
        if check.name in wanted or (check.tier == QUICK and (everything or covers(check, changed)))
    ]


def result(check: Check, record: Mapping[str, Any] | None, tree: str, definition: str | None) -> Result:
    """Return what `record`, the newest there is, says about `check` for the subject tree `tree`.

    `definition` is the id of the blob that defines the check in that tree.
    """
    if record is None:
        return Result(check, MISSING, "never ran")
    if record["content"] == MOVED or record["tree"] != tree:
        return Result(check, *_elsewhere(record["content"]))
    if (tuple(record["command"]), tuple(record["env"]), record["definition"]) != (check.run, check.env, definition):
        return Result(check, STALE, "ran as something else than groundrules.toml says now")
    if record["exit"] is None:
        return Result(check, MISSING, "its run did not end")
    if (record["exit"], record["result"]) == (0, PASSED):
        return Result(check, PASSED)
    return Result(check, FAILED, f"exit code {record['exit']}")


def _elsewhere(content: str) -> tuple[str, str]:
    """Return the outcome of a run on other files than those in question, and why."""
    return {
        MOVED: (DIRTY, "files changed while it ran"),
        EDITED: (DIRTY, "ran on edits that were not committed as they were"),
        CLEAN: (STALE, "ran before the last change"),
    }[content]
