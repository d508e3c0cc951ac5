"""commit-message: a subject that can be read in one line of the log, and a body set apart from it."""

from __future__ import annotations

from groundrules_hooks.finding import Finding, quote, reword
from groundrules_hooks.message import again

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules_hooks.change import Change
    from groundrules_hooks.config import Config

NAME = "commit-message"
LONGEST = 72
UNFINISHED = ("fixup! ", "squash! ", "amend! ")
# git writes these subjects itself, however long the reverted one was.
BY_GIT = ('Revert "', 'Reapply "')
TYPES = ("build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test")


def check(change: Change, config: Config) -> Iterator[Finding]:
    """Yield one finding for each thing wrong with the message of `change`; merges have no message of their own."""
    if change.message is None or change.parents > 1:
        return
    lines = change.message.lstrip("\n").split("\n")
    fix = _reword(change)
    for message in _problems(lines, config.commits.style, final=change.commit is not None):
        yield Finding(NAME, ".", message, fix, commit=change.commit)


def styled(subject: str, style: str) -> str:
    """Return the plain `subject` of a commit that a command makes, in the configured style."""
    return f"chore: {subject[0].lower()}{subject[1:]}" if style == "conventional" else subject


def _problems(lines: list[str], style: str, *, final: bool) -> Iterator[str]:
    subject = lines[0].rstrip()
    if not subject:
        yield "the message is empty"
        return
    if subject.startswith(UNFINISHED):
        if final:
            yield f"{subject.split(' ')[0]} commit is not squashed yet: {subject!r}"
        return
    if subject.startswith(BY_GIT):
        return
    if subject.lower().strip(" :.!-[]()") == "wip" or subject.lower().startswith(("wip ", "wip:")):
        yield f"the subject says only that work is in progress: {subject!r}"
    if len(subject) > LONGEST:
        yield f"the subject has {len(subject)} characters, at most {LONGEST}"
    if len(lines) > 1 and lines[1].strip():
        yield "the second line is not blank"
    if style == "conventional" and not _is_conventional(subject):
        yield f"the subject is not conventional, such as `fix(cart): round totals`; types are {', '.join(TYPES)}"


def _is_conventional(subject: str) -> bool:
    """Whether `subject` is `type(scope)!: description`, scope and `!` optional (conventionalcommits.org 1.0.0)."""
    head, colon, description = subject.partition(": ")
    head = head.removesuffix("!")
    kind, bracket, scope = head.partition("(")
    scoped = not bracket or (scope.endswith(")") and len(scope) > 1)
    return bool(colon and description.strip() and kind.lower() in TYPES and scoped)


def _reword(change: Change) -> str:
    if change.commit is None:
        return again()
    if (change.message or "").startswith(UNFINISHED):
        # What it belongs to lies further back, so the whole branch is gone through; no editor is needed.
        start = f"$(git merge-base {quote(change.target[0])} HEAD)" if change.target else "--root"
        return f"GIT_SEQUENCE_EDITOR=: git rebase --interactive --autosquash --rebase-merges {start}"
    return reword(change.commit) if change.parents else "git rebase --interactive --rebase-merges --root"
