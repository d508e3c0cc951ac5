"""commit-msg: the rule about the message, then the trailers that record task and exceptions."""

from __future__ import annotations

import os
import sys

from groundrules_hooks import allow, message
from groundrules_hooks.change import Change, Tree
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.rules import MESSAGE, judge
from groundrules_hooks.stage import arguments, conclude, guarded, place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str]) -> int:
    """Judge the message file that git passed, and add the trailers that it lacks."""
    rest, form = arguments(argv)
    here = place()
    if here is None:
        return 0
    path = (rest[0] if rest else "") or message.default_file()
    text = message.cleaned(_read(path))
    allowed = allow.from_environment(here.config.rules.strict)
    merging = os.path.exists(os.path.join(here.worktree.git_dir, "MERGE_HEAD"))
    change = Change((), Tree(""), parents=2 if merging else 1, message=text, task=here.task, worktree=here.worktree)
    findings = allow.not_allowed(judge(change, here.config, MESSAGE), allowed)
    if not findings:
        recorded = message.trailers(text, allow.TRAILER)
        wanted = [(allow.TRAILER, allow.trailer(each)) for each in allowed if allow.trailer(each) not in recorded]
        if here.task and message.trailers(text, message.TASK) != [here.task]:
            wanted.insert(0, (message.TASK, here.task))
        if wanted:
            message.add_trailers(path, wanted)
    return conclude(findings, form, here.worktree)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise GroundrulesError(f"cannot read the message file {path}: {error.strerror}", fix="git commit") from None


if __name__ == "__main__":
    sys.exit(guarded(main, sys.argv[1:]))
