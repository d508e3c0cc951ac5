"""commit-msg: the rule about the message, then the trailers that record task and exceptions."""

from __future__ import annotations

import os

from groundrules_hooks import allow, message
from groundrules_hooks.change import Change, Tree, reverting, staged
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import quote
from groundrules_hooks.rules import MESSAGE, judge
from groundrules_hooks.stage import arguments, be, conclude, place, resume

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundrules_hooks.worktree import Worktree

# Without a terminal the others take the message as it is, and would be refused for ever.
OPEN_AN_EDITOR = ("git merge --continue", "git rebase --continue")


def main(argv: Sequence[str]) -> int:
    """Judge the message file that git passed, and add the trailers that it lacks."""
    rest, form = arguments(argv)
    here = place()
    if here is None:
        return 0
    path = (rest[0] if rest else "") or message.default_file()
    content = _read(path)
    how = message.cleanup(content)
    text = message.cleaned(content, how)
    allowed = allow.from_environment(here.config.rules.strict)
    merging = os.path.exists(os.path.join(here.worktree.git_dir, "MERGE_HEAD"))
    change = Change((), Tree(""), parents=2 if merging else 1, message=text, task=here.task, worktree=here.worktree)
    findings = allow.not_allowed(judge(change, here.config, MESSAGE), allowed)
    if text and not findings:  # an empty message is how a person calls a merge off: a trailer would make it one
        recorded = message.trailers(text, allow.TRAILER)
        wanted = [(allow.TRAILER, allow.trailer(each)) for each in allowed if allow.trailer(each) not in recorded]
        if here.task and message.tasks(text) != [here.task]:
            wanted.insert(0, (message.TASK, here.task))
        wanted = [*_reverted(text, here.worktree), *wanted]
        if wanted:
            message.add_trailers(path, wanted, how)
    again = _again(here.worktree) if findings else ""
    return conclude([finding._replace(fix=again or finding.fix) for finding in findings], form, here.worktree)


def _reverted(text: str, worktree: Worktree) -> list[tuple[str, str]]:
    """Return the trailer that says what is taken back, where `text` does not: the gate has the message alone.

    `git revert --no-commit` leaves the message to the author.
    """
    reverted = reverting(worktree.git_dir)
    if not reverted:
        return []
    from groundrules_hooks.revert import named

    return [] if named(text) else [(message.REVERTS, reverted)]


def _again(worktree: Worktree) -> str:
    """Return the command that makes the same commit with another message; empty for that of the rule.

    git names another index to the hook when only a part, or more than the index, is committed.
    """
    go_on = resume(worktree)
    if go_on:  # a commit beside it would end what is to go on
        return go_on if go_on in OPEN_AN_EDITOR else f"{go_on} --edit"
    index = os.path.basename(os.environ.get("GIT_INDEX_FILE", ""))
    if index == "index.lock":
        return message.again("--all")
    if index.startswith("next-index-"):
        paths = [quote(path) for path in sorted(staged(worktree, None).paths)]
        return message.again("--only", *paths)
    return ""


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise GroundrulesError(f"cannot read the message file {path}: {error.strerror}", fix="git commit") from None


if __name__ == "__main__":
    be(main)
