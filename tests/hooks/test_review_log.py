"""The review log: one event a line, read back as it was written, and named by line where it is wrong."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.leftover import log_of
from groundrules_hooks.review import Answer, Disposition, Evidence, Finding, Round
from groundrules_hooks.review_log import events, line_of

if TYPE_CHECKING:
    from pathlib import Path

    from groundrules_hooks.review import Event

PATH = log_of("T1")
SAID = st.text(min_size=1)
ROUNDS = st.builds(
    Round,
    number=st.integers(0, 99),
    id=SAID,
    series=st.integers(1, 9),
    kind=st.sampled_from(["general", "focused"]),
    status=st.sampled_from(["running", "completed", "failed", "cancelled"]),
    reviewers=st.lists(SAID).map(tuple),
    start=SAID,
    end=SAID,
    head=st.text(),
    target=st.text(),
    findings=st.lists(
        st.builds(
            Finding,
            id=SAID,
            severity=st.none() | st.text(),
            title=st.text(),
            path=st.text(),
            line=st.integers(0, 9999),
            high_risk=st.booleans(),
            evidence=st.lists(
                st.builds(Evidence, kind=st.text(), reference=st.text(), effect=st.text(), resolved=st.booleans())
            ).map(tuple),
        )
    ).map(tuple),
    at=st.text(),
)
OTHERS = st.one_of(
    st.builds(Disposition, finding=SAID, what=st.just("fixed"), after=st.integers(0, 99), by=SAID, commit=SAID),
    st.builds(Disposition, finding=SAID, what=st.just("wontfix"), after=st.integers(0, 99), by=SAID, reason=SAID),
    st.builds(
        Disposition,
        finding=SAID,
        what=st.just("sorted"),
        after=st.integers(0, 99),
        by=SAID,
        severity=st.sampled_from(["P0", "P3"]),
    ),
    st.builds(Answer, what=st.sampled_from(["end", "continue"]), series=st.integers(1, 9), by=SAID, reason=SAID),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.one_of(ROUNDS, OTHERS), unique=True, max_size=4))
def test_what_was_written_is_read_back(written: list[Event]) -> None:
    lines = [line_of(event) for event in written]
    assert all(line.count(b"\n") == 1 and line.endswith(b"\n") for line in lines)
    assert events(b"".join(lines), PATH) == written
    assert events(b"".join(lines * 2), PATH) == written  # a merge may keep a line of both sides


ROUND = {
    "round": 1,
    "id": "a",
    "series": 1,
    "kind": "general",
    "status": "completed",
    "reviewers": ["ada"],
    "start": "t",
    "end": "t",
}
FINDING = {"id": "f", "severity": "P2", "title": "wrong"}
FIXED = {"disposition": "fixed", "finding": "f", "after": 1, "by": "ada", "commit": "abc"}
WRONG: list[tuple[object, str]] = [
    ([], "not an object"),
    ({}, "neither a round nor a disposition nor an answer"),
    ({**ROUND, "rond": 1}, "round: 'rond' is unknown"),
    ({**ROUND, "status": "done"}, "round: status is not running or completed or failed or cancelled"),
    ({**ROUND, "round": True}, "round: round is not a whole number"),
    ({**ROUND, "round": -1}, "round: round is not a whole number"),
    ({**ROUND, "reviewers": "ada"}, "round: reviewers is not a list of names"),
    ({**ROUND, "end": ""}, "a completed round needs start and end, the trees it looked at"),
    ({key: value for key, value in ROUND.items() if key != "series"}, "round: series is missing"),
    ({**ROUND, "findings": [{"id": "f"}]}, "finding: severity is missing"),
    ({**ROUND, "findings": [{**FINDING, "severity": 1}]}, "finding: severity is not a text or null"),
    ({**ROUND, "findings": ["f"]}, "finding: no object"),
    ({**ROUND, "findings": [{**FINDING, "evidence": [{"kind": "trace"}]}]}, "evidence: reference is missing"),
    ({**FIXED, "commit": ""}, "a finding that is fixed needs its commit, its reason or its severity"),
    ({**FIXED, "disposition": "wontfix"}, "a finding that is wontfix needs its commit, its reason or its severity"),
    ({**FIXED, "disposition": "sorted", "severity": "P9"}, "a finding that is sorted needs"),
    ({**FIXED, "disposition": "ignored"}, "disposition: disposition is not fixed or wontfix or sorted"),
    ({"answer": "end", "series": 1, "by": "ada", "reason": ""}, "answer: reason is not a text that says something"),
]


@pytest.mark.parametrize(("document", "words"), WRONG)
def test_wrong_line_is_named_with_its_number(document: object, words: str) -> None:
    content = line_of(Round(1, "a", 1, "general", "running", (), "t", "")) + json.dumps(document).encode() + b"\n"
    with pytest.raises(GroundrulesError) as refused:
        events(content, PATH)
    assert refused.value.what.startswith(f"{PATH}:2: {words}")
    assert refused.value.fix == f"${{EDITOR:-vi}} +2 {PATH}"


def test_conflict_marker_is_named_as_a_line() -> None:
    with pytest.raises(GroundrulesError, match=r"review.jsonl:1: "):
        events(b"<<<<<<< HEAD\n", PATH)


def test_last_line_without_its_newline_is_whole() -> None:
    whole = line_of(Round(1, "a", 1, "general", "completed", ("ada",), "t", "t"))
    assert len(events(whole.rstrip(b"\n"), PATH)) == 1


@pytest.mark.parametrize("cut", range(1, 120, 7))
def test_torn_last_line_is_told_and_the_fix_takes_it_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: int
) -> None:
    whole = line_of(Round(1, "a", 1, "general", "completed", ("ada",), "t", "t"))
    torn = whole + line_of(Round(2, "b", 1, "general", "completed", ("ada",), "t", "t"))[:cut]
    file = tmp_path / PATH
    file.parent.mkdir(parents=True)
    file.write_bytes(torn)
    with pytest.raises(GroundrulesError, match="the last line is torn") as refused:
        events(torn, PATH)
    monkeypatch.chdir(tmp_path)
    subprocess.run(["sh", "-ec", refused.value.fix], check=True)
    assert file.read_bytes() == whole
