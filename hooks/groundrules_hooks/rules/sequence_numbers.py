"""sequence-numbers: a number of a series belongs to one thing, here and on every branch that will meet this one."""

from __future__ import annotations

from groundrules_hooks.config import DECISIONS
from groundrules_hooks.globs import matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules_hooks.change import Change, File
    from groundrules_hooks.config import Config, Series
    from groundrules_hooks.finding import Finding

NAME = "sequence-numbers"


def check(change: Change, config: Config) -> Iterator[Finding]:
    """Yield a finding for each number that `change` takes and something else has.

    While committing, that is something in the same tree, on the target, or on a live sibling's branch, or what was
    reserved for a sibling; for a branch as a whole, something in the same tree or on the target. The numbers of
    decisions are judged by the rule decision-log.
    """
    others = [series for series in config.series if series.name != DECISIONS.name]
    touched = [series for series in others if any(may_take(file, series) for file in change.files)]
    if touched:
        from groundrules_hooks.numbering import clashes, sides_of

        sides = sides_of(change, config)
        yield from clashes(change, config, touched, sides) if sides else ()


def may_take(file: File, series: Series) -> bool:
    """Whether `file` can hold a number that was not there: one in its name comes with a new name only."""
    return file.status != "D" and (file.status != "M" or series.line != "") and matches(file.path, series.paths)
