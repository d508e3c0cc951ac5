"""Review: what to do next, a pure function of a task's review log, its policy and the commits made since.

The order of events in the log means nothing, so two branches may append to one log and merge it either way: rounds are
ordered by series, number and, where two share a number, so that the worse one is the newer.
"""

from __future__ import annotations

from groundrules_hooks import globs
from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

WAIT, FIX, REVIEW, FOCUSED, END, HUMAN = KINDS = ("WAIT", "FIX", "REVIEW", "FOCUSED", "END", "HUMAN")
LEVELS = ("P0", "P1", "P2", "P3")
BLOCKING = ("P0", "P1")
UNSORTED = "P1"  # what no severity of the policy is, counts as this until somebody sorts it
GENERAL, ON_ONE = ROUND_KINDS = ("general", "focused")
# Of two events about one round the later status counts, whichever line stands first.
RUNNING, COMPLETED, FAILED, CANCELLED = STATUSES = ("running", "completed", "failed", "cancelled")
FIXED, WONTFIX, SORTED = DISPOSITIONS = ("fixed", "wontfix", "sorted")
ENDED, CONTINUED = ANSWERS = ("end", "continue")
EVIDENCE_KINDS = ("reproduction", "failing test", "trace", "incident")


class Policy(NamedTuple):
    """`review/policy.toml`: quiet rounds that end a review, rounds after which people decide, and who they are."""

    quiet_needed: int
    cap: int
    high_risk: tuple[str, ...]
    owners: tuple[str, ...]
    severity: dict[str, str]


class Evidence(NamedTuple):
    """What shows a finding: `resolved` says that the reference led somewhere when the round was recorded."""

    kind: str
    reference: str
    effect: str
    resolved: bool


class Finding(NamedTuple):
    """What a reviewer found; `severity` is the reviewer's own word, None if there was none."""

    id: str
    severity: str | None
    title: str
    path: str = ""
    line: int = 0
    high_risk: bool = False
    evidence: tuple[Evidence, ...] = ()

    @property
    def paths(self) -> set[str]:
        """The files that a fix of the finding may touch: its own and those that its evidence names."""
        return {self.path, *(each.reference.partition(":")[0] for each in self.evidence)} - {""}


class Round(NamedTuple):
    """One round: `start` and `end` are the subject trees before and after, `head` the commit looked at."""

    number: int
    id: str
    series: int
    kind: str
    status: str
    reviewers: tuple[str, ...]
    start: str
    end: str
    head: str = ""
    target: str = ""
    findings: tuple[Finding, ...] = ()
    at: str = ""


class Disposition(NamedTuple):
    """What became of a finding of the rounds up to `after`: fixed by `commit`, or not for `reason`, or sorted."""

    finding: str
    what: str
    after: int
    by: str
    commit: str = ""
    reason: str = ""
    severity: str = ""
    at: str = ""


class Answer(NamedTuple):
    """What a person decided about a series: it ends as it stands at `head`, or goes on in a new one."""

    what: str
    series: int
    by: str
    reason: str
    end: str = ""
    head: str = ""
    at: str = ""


class Commit(NamedTuple):
    """A commit made after the last look: the findings it says it fixes, and the paths it touches."""

    id: str
    fixes: tuple[str, ...]
    paths: tuple[str, ...]


class Open(NamedTuple):
    """A finding without a disposition, its severity one of LEVELS, and the newest round that has it."""

    round: int
    finding: Finding


class Decision(NamedTuple):
    """What to do, and why; the findings it is about, the worst first; the series that a new round belongs to."""

    kind: str
    reason: str
    series: int
    about: tuple[Open, ...] = ()


class Log(NamedTuple):
    """The events in the form in which they are judged: rounds in order, with the severities of the policy."""

    policy: Policy
    rounds: tuple[Round, ...]
    dispositions: tuple[Disposition, ...]
    answers: tuple[Answer, ...]
    series: int

    @property
    def now(self) -> tuple[Round, ...]:
        """The rounds of the newest series."""
        return tuple(each for each in self.rounds if each.series == self.series)

    def is_settled(self, finding: Finding, number: int, before: int | None = None) -> bool:
        """Whether a disposition (made before the round `before`) ends what the round `number` found."""
        free = finding.severity not in BLOCKING
        return any(
            each.finding == finding.id
            and each.after >= number
            and (before is None or each.after < before)
            and (each.what == FIXED or (each.what == WONTFIX and (free or each.by in self.policy.owners)))
            for each in self.dispositions
        )


Event = Round | Disposition | Answer


def read(policy: Policy, events: Iterable[Event]) -> Log:
    """Return the log that `events` make, whatever their order."""
    events = list(events)
    dispositions = tuple(each for each in events if isinstance(each, Disposition))
    answers = tuple(each for each in events if isinstance(each, Answer) and each.by in policy.owners)
    folded: dict[tuple[int, str], Round] = {}
    for each in events:
        if isinstance(each, Round):
            key = (each.number, each.id)
            folded[key] = _folded(folded[key], each) if key in folded else each
    rounds = [_levelled(policy, each, dispositions) for each in folded.values()]
    rounds.sort(key=lambda each: (each.series, each.number, -_worst(each), each.id))
    continued = [each.series + 1 for each in answers if each.what == CONTINUED]
    series = max([1, *(each.series for each in rounds), *continued])
    return Log(policy, tuple(rounds), dispositions, answers, series)


def open_findings(policy: Policy, events: Iterable[Event]) -> list[Open]:
    """Return the findings that stand without a disposition, the worst first: what a handoff has to tell.

    A P0 or P1 stands whatever became of its round; a P2 or P3 of a cancelled or failed one is ignored.
    """
    return still_open(read(policy, events))


def still_open(log: Log) -> list[Open]:
    """Return the findings of `log` without a disposition, the worst first."""
    found: dict[str, Open] = {}
    for each in log.rounds:
        for finding in each.findings:
            stands = finding.severity in BLOCKING or each.status == COMPLETED
            if stands and not log.is_settled(finding, each.number):
                before = found.get(finding.id)
                found[finding.id] = Open(each.number, _joined(before.finding, finding) if before else finding)
    return sorted(found.values(), key=lambda each: (each.finding.severity or "", each.round, each.finding.id))


def is_counted(each: Round) -> bool:
    """Whether a round counts: completed, by somebody, on a tree that was still the branch's when it ended."""
    return each.status == COMPLETED and bool(each.reviewers) and each.start == each.end != ""


def blocks(each: Round) -> bool:
    """Whether a round found a P0 or P1."""
    return any(finding.severity in BLOCKING for finding in each.findings)


def qualifies(policy: Policy, finding: Finding) -> bool:
    """Whether a finding deserves a round of its own: a high-risk P2, with an effect and evidence that leads to it."""
    is_risky = finding.severity == "P2" and (finding.high_risk or globs.matches(finding.path, policy.high_risk))
    return is_risky and any(
        each.kind in EVIDENCE_KINDS and each.reference and each.resolved and each.effect.strip()
        for each in finding.evidence
    )


def level(policy: Policy, finding: Finding, dispositions: Sequence[Disposition] = ()) -> str:
    """Return the severity of `finding` as one of LEVELS."""
    word = (finding.severity or "").strip().lower()
    known = word.upper() if word.upper() in LEVELS else policy.severity.get(word)
    sorts = [each.severity for each in dispositions if each.what == SORTED and each.finding == finding.id]
    return known or min(sorts, default=UNSORTED)


def _folded(one: Round, other: Round) -> Round:
    last = max(one, other, key=lambda each: (STATUSES.index(each.status), repr(each)))
    return last._replace(findings=(*one.findings, *other.findings))


def _levelled(policy: Policy, each: Round, dispositions: Sequence[Disposition]) -> Round:
    """Return the round with one finding an id, at its highest severity."""
    found: dict[str, Finding] = {}
    for finding in sorted(each.findings, key=repr):
        before = found.get(finding.id)
        rank = level(policy, finding, dispositions)
        ranked = finding if finding.severity == rank else finding._replace(severity=rank)
        found[finding.id] = _joined(before, ranked) if before else ranked
    return each._replace(findings=tuple(found.values())) if found else each


def _joined(one: Finding, other: Finding) -> Finding:
    return other._replace(
        severity=min(one.severity or "", other.severity or ""),
        high_risk=one.high_risk or other.high_risk,
        evidence=tuple(dict.fromkeys((*one.evidence, *other.evidence))),
    )


def _worst(each: Round) -> int:
    return min((LEVELS.index(finding.severity or UNSORTED) for finding in each.findings), default=len(LEVELS))
