"""The decision: what the shipped rows say, what no log of any shape may lead to, and that every log comes to an end."""

from __future__ import annotations

import glob
import itertools
import os
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import ROOT
from groundrules_hooks import evals, policy
from groundrules_hooks.decision import decide
from groundrules_hooks.review import Answer, Commit, Disposition, Evidence, Finding, Round, open_findings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundrules_hooks.review import Event, Policy

TEMPLATE = f"{ROOT}/template"


def content(path: str) -> bytes:
    with open(f"{TEMPLATE}/{path}", "rb") as file:
        return file.read()


FILES = {
    path: content(path)
    for path in (os.path.relpath(file, TEMPLATE) for file in glob.glob(f"{TEMPLATE}/review/evals/*.toml"))
}
SHIPPED = policy.parse(content("review/policy.toml"))
RESULTS = list(evals.results(SHIPPED, FILES))
SHORT = SHIPPED._replace(cap=3, owners=("ada",))
TRACE = (Evidence("trace", "log.txt", "orders are lost", resolved=True),)
MOVES = ("none", "P2", "hot", "P1", "moved", "focused", "fix", "again", "cancelled")

pytestmark = pytest.mark.xdist_group("decision")  # all logs are judged once


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: result.row.name)
def test_shipped_policy_leads_to_what_each_row_expects(result: evals.Result) -> None:
    # REV-01 REV-02 REV-04 REV-05 REV-06 REV-07 REV-08 REV-10 REV-11 REV-12
    assert result.found == evals.expected(result.row), result.reason


def test_the_eight_decisions_are_shipped() -> None:
    assert len([result for result in RESULTS if result.row.path == "review/evals/decisions.toml"]) == 8


def mutations() -> Iterator[tuple[str, Policy]]:
    for by in (-1, 1):
        yield f"quiet_needed {by:+}", SHIPPED._replace(quiet_needed=SHIPPED.quiet_needed + by)
        yield f"cap {by:+}", SHIPPED._replace(cap=SHIPPED.cap + by)
    for pattern in SHIPPED.high_risk:
        kept = tuple(each for each in SHIPPED.high_risk if each != pattern)
        yield f"high_risk without {pattern}", SHIPPED._replace(high_risk=kept)
    yield "high_risk everywhere", SHIPPED._replace(high_risk=("**",))
    yield "owners with anybody", SHIPPED._replace(owners=("somebody",))
    for word, level in SHIPPED.severity.items():
        for other in sorted({"P0", "P1", "P2", "P3"} - {level}):
            yield f"{word} = {other}", SHIPPED._replace(severity={**SHIPPED.severity, word: other})


@pytest.mark.parametrize(
    ("name", "mutated"), list(mutations()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_any_change_of_the_policy_breaks_a_row(name: str, mutated: Policy) -> None:
    # REV-13
    assert not all(result.is_met for result in evals.results(mutated, FILES)), name


def test_every_field_of_the_policy_is_mutated() -> None:
    assert {name.split()[0] for name, _ in mutations()} - set(SHIPPED.severity) == set(policy.KEYS) - {"severity"}
    assert {name.split()[0] for name, _ in mutations()} >= set(SHIPPED.severity)


class Made(NamedTuple):
    """A log that is being made: how many moves it took, its events, the newest tree and the newest round's number."""

    moves: int = 0
    events: tuple[Event, ...] = ()
    tree: str = ""
    number: int = 0


def after(log: Made, move: str) -> Made:
    """Return `log` and one move more; a round has its place as number and finding."""
    place = log.moves + 1
    if move == "fix":
        found = [each.id for event in log.events if isinstance(event, Round) for each in event.findings]
        fixes = [Disposition(each, "fixed", log.number, "ada", commit="abc") for each in found if each[0] == "b"]
        return log._replace(moves=place, events=(*log.events, *fixes))
    tree = log.tree if move == "again" and log.tree else f"tree {place}"
    severity = {"none": "", "again": "P3", "P1": "P1", "moved": "P1", "cancelled": "P1"}.get(move, "P2")
    oid = f"{'b' if severity == 'P1' else 'q'}{place}"
    hot = move == "hot"
    finding = Finding(oid, severity, "", high_risk=hot, evidence=TRACE if hot else ())
    found_in = Round(
        place,
        str(place),
        1,
        "focused" if move == "focused" else "general",
        "cancelled" if move == "cancelled" else "completed",
        ("somebody",),
        "before" if move == "moved" else tree,
        tree,
        findings=(finding,) if severity else (),
    )
    return Made(place, (*log.events, found_in), tree, place)


def made(moves: Sequence[str]) -> list[Event]:
    """Return the log that `moves` make, one after another."""
    return list(reduce(after, moves, Made()).events)


def every_log(longest: int) -> Iterator[tuple[tuple[str, ...], Made]]:
    """Yield all logs of at most `longest` moves, each made of the one that it continues."""
    begun: list[tuple[tuple[str, ...], Made]] = [((), Made())]
    yield from begun
    for length in range(1, longest + 1):
        grown = (((*moves, move), after(log, move)) for moves, log in begun for move in MOVES)
        begun = list(grown) if length < longest else []
        yield from begun or grown


def blocked(moves: Sequence[str]) -> bool:
    """Whether a P1 was found that nobody fixed afterwards."""
    return any(
        move in ("P1", "moved", "cancelled") for move in moves[len(moves) - [*reversed(moves), "fix"].index("fix") :]
    )


def looked(moves: Sequence[str]) -> bool:
    """Whether somebody looked, to the end, since the last P1 was found: a general round that counts."""
    last = max((place for place, move in enumerate(moves) if move in ("P1", "moved", "cancelled")), default=-1)
    return any(move in ("none", "P2", "hot", "again") for move in moves[last + 1 :])


def quiet_end(moves: Sequence[str]) -> bool:
    """Whether the general rounds that count end with one that found nothing, or with two without a P1."""
    counted = [move for move in moves if move in ("none", "P2", "hot", "P1", "again")]
    return bool(counted) and (counted[-1] == "none" or (len(counted) > 1 and "P1" not in counted[-2:]))


@pytest.fixture(scope="module")
def decided() -> dict[tuple[str, ...], str]:
    """The decision about every log of up to five moves, each move any of the nine."""
    return {moves: decide(SHORT, log.events).kind for moves, log in every_log(5)}


def test_no_p1_is_forgotten_in_any_log(decided: dict[tuple[str, ...], str]) -> None:
    assert len(decided) == sum(9**length for length in range(6))
    for moves, kind in decided.items():
        if blocked(moves):
            assert kind in ("FIX", "HUMAN"), moves
        else:
            assert kind != "FIX", moves


def test_no_log_ends_but_after_a_look_that_found_nothing_or_two_quiet_ones(decided: dict[tuple[str, ...], str]) -> None:
    for moves, kind in decided.items():
        if kind in ("END", "FOCUSED"):
            assert looked(moves), moves
            assert quiet_end(moves), moves
        if kind == "FOCUSED":
            assert "focused" not in moves, moves
        if kind == "HUMAN":
            assert sum(move in ("none", "P2", "hot", "P1", "again") for move in moves) >= SHORT.cap, moves


def test_a_person_who_is_asked_stays_asked_whatever_follows(decided: dict[tuple[str, ...], str]) -> None:
    for moves, kind in decided.items():
        if moves and decided[moves[:-1]] == "HUMAN":
            assert kind == "HUMAN", moves


def test_an_end_is_taken_back_by_a_p1_or_by_evidence_alone(decided: dict[tuple[str, ...], str]) -> None:
    for moves, kind in decided.items():
        if moves and decided[moves[:-1]] == "END" and kind != "END":
            assert moves[-1] in ("P1", "moved", "cancelled", "hot"), moves


@pytest.mark.parametrize("length", range(4))
def test_a_cancelled_round_with_minor_findings_changes_nothing(
    length: int, decided: dict[tuple[str, ...], str]
) -> None:
    minor = Round(9, "9", 1, "general", "cancelled", ("somebody",), "x", "x", findings=(Finding("z", "P2", ""),))
    for moves in itertools.product(MOVES, repeat=length):
        events = made(moves)
        for place in range(len(events) + 1):
            inserted = minor._replace(number=place)
            assert decide(SHORT, [*events[:place], inserted, *events[place:]]).kind == decided[moves], moves


@pytest.mark.parametrize("found", ["none", "P2", "hot", "P1", "again"])
def test_whatever_reviewers_find_the_review_comes_to_an_end(found: str) -> None:
    # REV-01 REV-02 REV-03 REV-04: one that does what is asked is done after few rounds, whatever went before
    for length in range(4):
        for begun in itertools.product(MOVES, repeat=length):
            moves = list(begun)
            for _ in range(2 * SHORT.cap + 2):
                kind = decide(SHORT, made(moves)).kind
                if kind in ("END", "HUMAN"):
                    break
                moves.append({"FIX": "fix", "REVIEW": found, "FOCUSED": "focused"}[kind])
            assert kind in ("END", "HUMAN"), moves


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_order_of_lines_means_nothing(data: st.DataObject) -> None:
    # REV-14: two branches append to one log, and the merge may put either side first
    moves = data.draw(st.lists(st.sampled_from(MOVES), max_size=7))
    running = Round(99, "99", 1, "general", "running", (), "x", "")
    twins = [
        each._replace(id=f"{each.id}'") for each in made(moves) if isinstance(each, Round) and data.draw(st.booleans())
    ]
    ended = running._replace(status="completed", end="x", reviewers=("somebody",))
    events: list[Event] = [*made(moves), *twins, running, ended, ended]
    shuffled = data.draw(st.permutations(events))
    assert decide(SHORT, shuffled) == decide(SHORT, events)


def test_of_two_rounds_with_one_number_the_worse_is_the_newer() -> None:
    clean, found = made(["none"])[0], made(["P2"])[0]
    assert isinstance(found, Round)
    for name in ("0", "z"):
        assert decide(SHORT, [clean, found._replace(id=name)]).kind == "END"  # both are quiet
        blocking = found._replace(id=name, findings=(Finding("b", "P1", ""),))
        fixed = Disposition("b", "fixed", 1, "ada", commit="abc")
        assert decide(SHORT, [clean, blocking, fixed]).kind == "REVIEW"


@pytest.mark.parametrize(
    ("evidence", "kind"),
    [
        (("trace", "log.txt", "orders are lost", True), "FOCUSED"),
        (("failing test", "tests/a.py", "orders are lost", True), "FOCUSED"),
        (("trace", "log.txt", "orders are lost", False), "END"),
        (("trace", "log.txt", " ", True), "END"),
        (("trace", "", "orders are lost", True), "END"),
        (("opinion", "log.txt", "orders are lost", True), "END"),
    ],
)
def test_evidence_has_a_kind_an_effect_and_leads_somewhere(evidence: tuple[str, str, str, bool], kind: str) -> None:
    # REV-05 REV-06
    first, second = made(["P2", "P2"])
    assert isinstance(second, Round)
    finding = Finding("q2", "P2", "", high_risk=True, evidence=(Evidence(*evidence),))
    assert decide(SHORT, [first, second._replace(findings=(finding,))]).kind == kind


@pytest.mark.parametrize(
    ("statuses", "kind"),
    [
        (("running", "completed"), "END"),
        (("running", "failed"), "REVIEW"),
        (("running", "completed", "cancelled"), "REVIEW"),
        (("completed", "failed"), "REVIEW"),
    ],
)
def test_of_events_about_one_round_the_later_status_counts_in_any_order(statuses: tuple[str, ...], kind: str) -> None:
    (clean,) = made(["none"])
    assert isinstance(clean, Round)
    for order in itertools.permutations(statuses):
        events = [clean._replace(status=status, end="tree 1" if status != "running" else "") for status in order]
        assert decide(SHORT, events).kind == kind
    found = clean._replace(status="cancelled", findings=(Finding("b", "P1", ""),))
    assert decide(SHORT, [clean, found]).kind == decide(SHORT, [found, clean]).kind == "FIX"


STUCK = made(["P1", "P1", "P1", "fix"])


@pytest.mark.parametrize(
    ("answer", "kind", "series"),
    [
        (Answer("end", 1, "ada", "good enough"), "END", 1),
        (Answer("continue", 1, "ada", "once more"), "REVIEW", 2),
        (Answer("end", 1, "eve", "good enough"), "HUMAN", 1),
        (Answer("continue", 1, "eve", "once more"), "HUMAN", 1),
        (Answer("end", 2, "ada", "another series"), "HUMAN", 1),
    ],
)
def test_an_owner_alone_takes_a_review_out_of_the_hands_of_people(answer: Answer, kind: str, series: int) -> None:
    found = decide(SHORT, [*STUCK, answer])
    assert (found.kind, found.series) == (kind, series)


def test_an_owner_does_not_end_what_is_blocked() -> None:
    answer = Answer("end", 1, "ada", "good enough")
    assert decide(SHORT, [*made(["P1", "P1", "P1"]), answer]).kind == "HUMAN"
    assert decide(SHORT, [*made(["P1"]), answer]).kind == "FIX"


@pytest.mark.parametrize(("by", "kind"), [("ada", "REVIEW"), ("eve", "FIX")])
def test_an_owner_alone_leaves_a_p1_as_it_is(by: str, kind: str) -> None:
    assert decide(SHORT, [*made(["P1"]), Disposition("b1", "wontfix", 1, by, reason="rare")]).kind == kind


def test_a_disposition_is_about_rounds_before_it() -> None:
    # the finding is back in a later round
    again = made(["P1", "fix", "none"])
    back = again[-1]
    assert isinstance(back, Round)
    events = [*again[:-1], back._replace(findings=(Finding("b1", "P1", ""),))]
    assert decide(SHORT, events).kind == "FIX"


COMMITS = [
    ([Commit("c", ("q2",), ("cart.py",))], "END", 1),
    ([Commit("c", ("q2",), ("tests/test_cart.py", "cart.py"))], "END", 1),  # the test that showed it
    ([Commit("c", ("q2", "q9"), ("cart.py",))], "END", 1),
    ([Commit("c", ("q9",), ("cart.py",))], "REVIEW", 2),
    ([Commit("c", (), ("cart.py",))], "REVIEW", 2),
    ([Commit("c", ("q2",), ("cart.py",)), Commit("d", (), ("cart.py",))], "REVIEW", 2),
    ([Commit("c", ("q2",), ("orders.py",))], "REVIEW", 2),
]


@pytest.mark.parametrize(("since", "kind", "series"), COMMITS)
def test_a_commit_after_the_end_is_a_fix_or_opens_a_series(since: list[Commit], kind: str, series: int) -> None:
    # REV-03
    evidence = (Evidence("failing test", "tests/test_cart.py::test_total", "wrong total", resolved=True),)
    first, second = made(["P2", "P2"])
    assert isinstance(second, Round)
    second = second._replace(findings=(Finding("q2", "P2", "", "cart.py", evidence=evidence),))
    found = decide(SHORT, [first, second], since)
    assert (found.kind, found.series) == (kind, series)


def test_a_new_series_counts_from_nothing_and_keeps_what_blocks() -> None:
    old = made(["P2", "P2", "none"])
    fresh = [
        each._replace(series=2, number=each.number + 3, id=f"n{each.id}")
        for each in made(["P2"])
        if isinstance(each, Round)
    ]
    assert decide(SHORT, [*old, *fresh]).kind == "REVIEW"
    assert decide(SHORT, [*made(["P1"]), *fresh]).kind == "FIX"


def test_what_stays_open_is_told_worst_first() -> None:
    events = made(["P2", "again", "cancelled", "P1", "fix", "moved"])
    left = [(each.round, each.finding.id, each.finding.severity) for each in open_findings(SHORT, events)]
    assert left == [(6, "b6", "P1"), (1, "q1", "P2"), (2, "q2", "P3")]
    cancelled = [event._replace(status="cancelled") for event in made(["P2", "P2"]) if isinstance(event, Round)]
    assert open_findings(SHORT, cancelled) == []


def test_reason_names_what_it_is_about() -> None:
    reasons = {
        ("P2",): "1 of 2 rounds in a row with P2 and P3 only",
        ("P2", "again"): "1 of 2, since round 2 looked again at the tree of round 1, whose findings are not settled",
        ("P1",): "P1 b1 of round 1 is open",
        ("P1", "fix"): "nobody has looked since the P0 or P1 of round 1 was settled",
        ("P1", "P1", "P1"): "P1 b1 of round 1 is open, and 2 more after 3 rounds",
        ("P1", "P1", "P1", "fix"): "3 rounds did not end it, at most 3",
        ("none",): "round 1 found nothing",
        ("P2", "P2"): "P2 and P3 only in the last 2 rounds",
        ("P2", "hot"): "P2 q2 is high-risk and comes with evidence",
        ("P2", "hot", "focused"): "the focused round 3 found no P0 or P1",
        (): "no round yet",
        ("moved", "fix"): "no round counts: round 1 was overtaken by a commit",
    }
    for moves, reason in reasons.items():
        assert decide(SHORT, made(moves)).reason == reason
