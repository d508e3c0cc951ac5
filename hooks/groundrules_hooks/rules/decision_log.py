"""decision-log: a decision has a number and a status of its own, agrees with the others, and is not rewritten."""

from __future__ import annotations

from groundrules_hooks.config import DECISIONS
from groundrules_hooks.globs import matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules_hooks.change import Change
    from groundrules_hooks.config import Config
    from groundrules_hooks.finding import Finding

NAME = "decision-log"


def check(change: Change, config: Config) -> Iterator[Finding]:
    """Yield a finding for each way in which `change` breaks the decision log; nothing where it touches none of it.

    Numbers, and what was accepted, are judged while committing and for a branch as a whole; statuses, links and the
    index while committing and in every commit.
    """
    for series in config.series:
        touched = series.name == DECISIONS.name and {path for path in change.paths if matches(path, series.paths)}
        if touched:
            from groundrules_hooks.decision_findings import against_others, among_themselves

            if change.message is None:  # no finished commit
                yield from against_others(change, config, series, touched)
            if change.commit is None or change.message is not None:
                yield from among_themselves(change, series, touched)
