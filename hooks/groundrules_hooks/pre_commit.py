"""pre-commit: the rules about the staged change."""

from __future__ import annotations

import os

from groundrules_hooks import allow
from groundrules_hooks.rules import STAGED, judge, load
from groundrules_hooks.stage import arguments, be, conclude, place, resume

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundrules_hooks.finding import Finding
    from groundrules_hooks.worktree import Worktree

ENDED_BY_A_COMMIT = ("git cherry-pick", "git revert")


def main(argv: Sequence[str]) -> int:
    """Judge the commit in progress. The framework's file names are ignored: git is asked for the change itself."""
    _, form = arguments(argv)
    here = place(_prepare)
    if here is None:
        return 0
    from groundrules_hooks.change import staged

    allowed = allow.from_environment(here.config.rules.strict)
    change = staged(here.worktree, here.task, lambda: load(STAGED))
    findings = judge(change, here.config, STAGED)
    refused = allow.not_allowed(findings, allowed)
    return conclude(_split_once(refused), form, here.worktree, _go_on(here.worktree, refused))


def _prepare() -> None:
    """Import what comes next, which takes a millisecond, while git tells where this is."""
    import groundrules_hooks.change  # noqa: F401


def _split_once(findings: Sequence[Finding]) -> list[Finding]:
    """Return `findings` with one way to split the change: the first, which minds what the others ask for."""
    way = next((finding.split() for finding in findings if finding.split), "")
    return [finding._replace(fix=way) if finding.split else finding for finding in findings]


def _go_on(worktree: Worktree, findings: Sequence[Finding]) -> str:
    """Return the command that resumes what git was interrupted in, unless the fix ends it with commits of its own.

    Of a pick or revert of one commit nothing is left to continue then.
    """
    is_split = any(finding.split for finding in findings)
    is_last = not os.path.isdir(os.path.join(worktree.git_dir, "sequencer"))
    command = resume(worktree)
    return "" if is_split and is_last and command.startswith(ENDED_BY_A_COMMIT) else command


if __name__ == "__main__":
    be(main)
