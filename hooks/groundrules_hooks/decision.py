"""Decision: the first rule that applies to a review log says what to do next."""

from __future__ import annotations

from groundrules_hooks.review import (
    BLOCKING,
    COMPLETED,
    END,
    ENDED,
    FIX,
    FOCUSED,
    GENERAL,
    HUMAN,
    ON_ONE,
    REVIEW,
    RUNNING,
    WAIT,
    Decision,
    Open,
    blocks,
    is_counted,
    qualifies,
    read,
    still_open,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groundrules_hooks.review import Answer, Commit, Event, Log, Policy, Round


def decide(policy: Policy, events: Iterable[Event], since: Sequence[Commit] = ()) -> Decision:
    """Return what to do next. `since` are the commits after the `last_look`."""
    log = read(policy, events)
    for rule in (_waits, _blocks, _is_ended, _is_stuck, _is_unreviewed, _is_concluded):
        found = rule(log)
        if found:
            return _reopened(log, found, since) if found.kind in (END, FOCUSED) else found
    return _decision(log, REVIEW, _progress(log))


def last_look(log: Log) -> Round | Answer | None:
    """Return what later commits are told by: the newest general round that counts, or the answer that ended it."""
    ends = [each for each in log.answers if each.what == ENDED and each.series == log.series]
    looks = [each for each in log.now if is_counted(each) and each.kind == GENERAL]
    return max(ends, key=repr) if ends else looks[-1] if looks else None


def trailing_quiet(log: Log) -> int:
    """Return how many quiet general rounds the newest series ends with."""
    return _quiet(_distinct(log, log.now))


def general_count(rounds: Iterable[Round]) -> int:
    """Return how many of `rounds` the cap counts: general ones, on whatever tree."""
    return sum(is_counted(each) and each.kind == GENERAL for each in rounds)


def _waits(log: Log) -> Decision | None:
    for each in log.rounds:
        if each.status == RUNNING:
            since = f" since {each.at}" if each.at else ""
            return _decision(log, WAIT, f"round {each.number} is running{since}")
    return None


def _blocks(log: Log) -> Decision | None:
    """FIX while a P0 or P1 of any round has no disposition; at the cap a person decides."""
    about = tuple(each for each in still_open(log) if each.finding.severity in BLOCKING)
    if not about:
        return None
    first = about[0]
    what = f"{first.finding.severity} {first.finding.id} of round {first.round} is open"
    more = f", and {len(about) - 1} more" if len(about) > 1 else ""
    if general_count(log.now) >= log.policy.cap:
        return _decision(log, HUMAN, f"{what}{more} after {general_count(log.now)} rounds", about)
    return _decision(log, FIX, what + more, about)


def _is_ended(log: Log) -> Decision | None:
    """END where an owner said so; a finding that blocks was looked at before."""
    for each in log.answers:
        if each.what == ENDED and each.series == log.series:
            return _decision(log, END, f"{each.by} ended it: {each.reason}")
    return None


def _is_stuck(log: Log) -> Decision | None:
    """HUMAN once the cap was reached without an end, or with a P0 or P1 open then: nothing later takes that back."""
    for position, each in enumerate(log.now, 1):
        seen = log.now[:position]
        if general_count(seen) < log.policy.cap:
            continue
        earlier = log.rounds[: log.rounds.index(each) + 1]
        if _was_blocked(log, earlier, each.number) or (is_counted(each) and not _outcome(log, seen, each.number)):
            return _decision(log, HUMAN, f"{general_count(log.now)} rounds did not end it, at most {log.policy.cap}")
    return None


def _was_blocked(log: Log, rounds: Iterable[Round], before: int) -> bool:
    """Whether a P0 or P1 of `rounds` was open when the round `before` ended."""
    return any(
        finding.severity in BLOCKING and not log.is_settled(finding, each.number, before)
        for each in rounds
        for finding in each.findings
    )


def _is_unreviewed(log: Log) -> Decision | None:
    """REVIEW while no round counts, or none has looked at the fix of a P0 or P1."""
    looks = [each for each in log.now if is_counted(each) and each.kind == GENERAL]
    if not looks:
        return _decision(log, REVIEW, _why_none(log))
    for each in log.rounds[log.rounds.index(looks[-1]) :]:
        if blocks(each):
            return _decision(log, REVIEW, f"nobody has looked since the P0 or P1 of round {each.number} was settled")
    return None


def _is_concluded(log: Log) -> Decision | None:
    outcome = _outcome(log, log.now)
    return _decision(log, *outcome) if outcome else None


def _outcome(log: Log, rounds: Sequence[Round], before: int | None = None) -> tuple[str, str, tuple[Open, ...]] | None:
    """Return END or FOCUSED with its reason where `rounds` lead to one, by the dispositions made before a round."""
    counted = _distinct(log, rounds, before)
    quiet = _quiet(counted)
    if not quiet:
        return None
    newest = next(each for each in reversed(counted) if each.kind == GENERAL)
    if not newest.findings:
        return END, f"round {newest.number} found nothing", ()
    if quiet < log.policy.quiet_needed:
        return None
    if counted[-1].kind == ON_ONE:
        return END, f"the focused round {counted[-1].number} found no P0 or P1", ()
    about = tuple(Open(newest.number, each) for each in newest.findings if qualifies(log.policy, each))
    if about and not any(each.kind == ON_ONE and each.status == COMPLETED for each in rounds):
        return FOCUSED, f"P2 {about[0].finding.id} is high-risk and comes with evidence", about
    return END, f"P2 and P3 only in the last {quiet} round{'s' * (quiet != 1)}", ()


def _distinct(log: Log, rounds: Iterable[Round], before: int | None = None) -> list[Round]:
    """Return the rounds that count, those on one tree joined: a second look counts once the first one's are settled."""
    groups: list[list[Round]] = []
    for each in rounds:
        if not is_counted(each):
            continue
        group = [each]
        for other in list(groups) if each.kind == GENERAL else []:
            first = other[-1]
            if first.kind == GENERAL and first.end == each.end and not _all_settled(log, other, before):
                groups.remove(other)
                group = [*other, *group]
        groups.append(group)
    return [
        group[-1]._replace(findings=tuple(finding for each in group for finding in each.findings)) for group in groups
    ]


def _all_settled(log: Log, rounds: Iterable[Round], before: int | None) -> bool:
    return all(log.is_settled(finding, each.number, before) for each in rounds for finding in each.findings)


def _quiet(counted: Sequence[Round]) -> int:
    """Return the number of general rounds at the end without a P0 or P1 among them."""
    quiet = 0
    for each in reversed(counted):
        if blocks(each):
            break
        quiet += each.kind == GENERAL
    return quiet


def _reopened(log: Log, found: Decision, since: Sequence[Commit]) -> Decision:
    """Return `found`, or REVIEW in a new series when a commit since then is more than the fix of a finding."""
    known = {finding.id: finding.paths for each in log.rounds for finding in each.findings}
    for commit in since:
        allowed = {path for each in commit.fixes for path in known.get(each, ())}
        if not commit.fixes or not set(commit.paths) <= allowed:
            why = f"{commit.id[:12]} came after the last round and is no fix of its findings alone: a new series"
            return _decision(log._replace(series=log.series + 1), REVIEW, why)
    return found


def _progress(log: Log) -> str:
    counted = [each for each in log.now if is_counted(each)]
    quiet, needed = trailing_quiet(log), log.policy.quiet_needed
    same = [each.number for each in counted[:-1] if each.end == counted[-1].end and each.kind == GENERAL]
    if same and len(_distinct(log, log.now)) < len(counted):
        again = (
            f"round {counted[-1].number} looked again at the tree of round {same[0]}, whose findings are not settled"
        )
        return f"{quiet} of {needed}, since {again}"
    return f"{quiet} of {needed} rounds in a row with P2 and P3 only"


def _why_none(log: Log) -> str:
    if not log.now:
        return "no round yet" if log.series == 1 else f"no round yet in series {log.series}"
    each = log.now[-1]
    if each.status != COMPLETED:
        return f"no round counts: round {each.number} {each.status if each.status == 'failed' else 'was cancelled'}"
    why = "was overtaken by a commit" if each.reviewers else "had no reviewer"
    return f"no round counts: round {each.number} {why}"


def _decision(log: Log, kind: str, reason: str, about: tuple[Open, ...] = ()) -> Decision:
    return Decision(kind, reason, log.series, about)
