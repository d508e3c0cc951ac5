"""Exceptions: one named rule may pass for a stated reason, and the commit records it for ever."""

from __future__ import annotations

import os

from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.record import NamedTuple
from groundrules_hooks.rules import NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from groundrules_hooks.finding import Finding

VARIABLE = "ALLOW"
TRAILER = "Ground-rules-allow"
EXAMPLE = 'ALLOW="commit-message: imported history keeps its subjects" git commit'


class Allowed(NamedTuple):
    """An exception: the rule that may pass, and why."""

    rule: str
    reason: str


def from_environment(strict: Iterable[str], environ: Mapping[str, str] = os.environ) -> tuple[Allowed, ...]:
    """Return the exceptions asked for by `ALLOW`, one a line. Raise GroundrulesError when one cannot be granted."""
    found = []
    for line in filter(str.strip, environ.get(VARIABLE, "").splitlines()):
        rule, _, reason = (part.strip() for part in line.partition(":"))
        if rule not in NAMES:
            raise GroundrulesError(
                f"{VARIABLE} names no rule: {line!r}",
                why=f"rules are {', '.join(NAMES)}\nexample  {EXAMPLE}",
                fix="unset ALLOW",
            )
        if not reason:
            raise GroundrulesError(
                f"{VARIABLE} gives no reason for {rule}", why=f"example  {EXAMPLE}", fix="unset ALLOW"
            )
        if rule in strict:
            raise GroundrulesError(
                f"{rule} takes no exception here", why="[rules] strict in groundrules.toml", fix="unset ALLOW"
            )
        found.append(Allowed(rule, reason))
    return tuple(found)


def from_message(message: str) -> tuple[Allowed, ...]:
    """Return the exceptions that a commit records in its trailers; a trailer without a reason is none."""
    from groundrules_hooks.message import trailers

    values = (value.removesuffix(")").partition(" (") for value in trailers(message, TRAILER))
    return tuple(Allowed(rule, reason) for rule, _, reason in values if rule in NAMES and reason.strip())


def trailer(allowed: Allowed) -> str:
    """Return the trailer's value that records `allowed`."""
    return f"{allowed.rule} ({allowed.reason})"


def not_allowed(findings: Iterable[Finding], allowed: Iterable[Allowed], strict: Iterable[str] = ()) -> list[Finding]:
    """Return the findings that no exception covers."""
    passed = {each.rule for each in allowed} - set(strict)
    return [finding for finding in findings if finding.rule not in passed]
