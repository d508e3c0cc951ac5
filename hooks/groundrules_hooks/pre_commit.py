"""pre-commit: the rules about the staged change."""

from __future__ import annotations

import sys

from groundrules_hooks import allow
from groundrules_hooks.change import staged
from groundrules_hooks.rules import STAGED, judge, load
from groundrules_hooks.stage import arguments, conclude, guarded, place, resume

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str]) -> int:
    """Judge the commit in progress. The framework's file names are ignored: git is asked for the change itself."""
    _, form = arguments(argv)
    here = place()
    if here is None:
        return 0
    allowed = allow.from_environment(here.config.rules.strict)
    change = staged(here.worktree, here.task, lambda: load(STAGED))
    findings = judge(change, here.config, STAGED)
    return conclude(allow.not_allowed(findings, allowed), form, here.worktree, resume(here.worktree))


if __name__ == "__main__":
    sys.exit(guarded(main, sys.argv[1:]))
