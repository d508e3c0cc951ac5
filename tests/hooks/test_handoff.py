"""handoff: the check without a schema library and the JSON Schema accept and refuse the same documents."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundrules import schema
from groundrules_hooks import handoff

OID = "0123456789abcdef" * 2 + "01234567"
RECORD: dict[str, Any] = {
    "name": "unit",
    "command": ["make", ""],
    "definition": OID,
    "env": ["CI"],
    "result": "PASSED",
    "exit": 0,
    "tree": "a" * 64,
    "content": "clean",
    "started": "2026-01-01T00:00:00Z",
    "seconds": 1.5,
    "counts": {"passed": 2},
    "log": "groundrules/checks/a/unit.log",
    "log_digest": "b" * 64,
}
UNFINISHED: dict[str, Any] = {
    "definition": None,
    "result": "MISSING",
    "exit": None,
    "content": "dirty",
    "counts": {},
    "log_digest": None,
}
VALID: dict[str, Any] = {
    "schema": "handoff/1",
    "state": "ready",
    "task": "T1",
    "base": OID,
    "target": OID,
    "head": OID * 1,
    "contract": {"path": "tasks/T1.toml", "blob": OID},
    "subject_tree": "a" * 64,
    "commits": [{"oid": OID, "patch": OID, "subject": ""}, {"oid": OID, "patch": None, "subject": "Merge"}],
    "files": [{"path": "a", "status": status} for status in "AMDRCT"],
    "environment": {"git": "2.39.5", "os": ""},
    "checks": [RECORD, {**RECORD, **UNFINISHED}],
    "allowed": [{"rule": "guards", "reason": "why", "commit": OID}],
    "detected": ["something"],
    "unresolved": "none",
    "deviations": ["one", "two"],
}
VALUES: list[Any] = [
    None, True, False, 0, 1, 1.5, 2.0, -1, -1.5, float("inf"), float("nan"),
    "PASSED", "clean", "moved", "", "none", "None", "ready", "in-progress", "handoff/1", "handoff/2",
    [], {}, [None], [""], ["x"], [[]], [{}], {"": "x"}, {"x": 1}, {"x": None},
    OID, f"{OID}\n", OID.upper(), OID[1:], f"{OID}0", "0" * 64, "0" * 63, "g" * 40, "\u0661" * 40,
    "T1", "T1\n", " T1", ".T1", "T" * 64, "T" * 65, "T\u00b2", "\u00e9", "T/1", "a b", "-1", "A", "AM", "a\u2028",
]  # fmt: skip


def both(document: object) -> tuple[list[str], list[str]]:
    return list(handoff.problems(json.dumps(document).encode())), list(schema.problems(document))


def _places(value: object, place: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [place]
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        found += _places(inner, (*place, key))
    return found


PLACES = [place for place in _places(VALID) if place]


def _mutated(place: tuple[str | int, ...], how: str, value: object, key: str) -> dict[str, Any]:
    document = copy.deepcopy(VALID)
    holder: Any = document
    for step in place[:-1]:
        holder = holder[step]
    if how == "drop":
        del holder[place[-1]]
    elif how == "set":
        holder[place[-1]] = value
    elif isinstance(holder, dict):
        holder[key] = value
    else:
        holder.append(value)
    return document


def test_a_valid_document_has_no_problems() -> None:
    assert both(VALID) == ([], [])
    assert both({**VALID, "state": "in-progress", "unresolved": None, "deviations": None}) == ([], [])
    assert handoff.load(json.dumps(VALID).encode()) == VALID


@settings(max_examples=400, deadline=None, database=None)
@given(
    place=st.sampled_from(PLACES),
    how=st.sampled_from(["drop", "set", "add"]),
    value=st.sampled_from(VALUES) | st.text(max_size=4) | st.integers(),
    key=st.sampled_from(["extra", "", "schema", "oid", "Task"]),
)
def test_both_ways_agree_on_every_mutation(place: tuple[str | int, ...], how: str, value: object, key: str) -> None:
    ours, theirs = both(_mutated(place, how, value, key))
    assert bool(ours) == bool(theirs), (ours, theirs)


LATER = ("target", "contract")


def test_what_an_earlier_version_did_not_write_may_be_absent() -> None:
    assert both({name: value for name, value in VALID.items() if name not in LATER}) == ([], [])


@pytest.mark.parametrize("field", [name for name in VALID if name not in LATER])
def test_every_field_is_required_and_its_loss_is_named(field: str) -> None:
    # HAND-16
    ours, theirs = both({name: value for name, value in VALID.items() if name != field})
    assert f"{field} is missing" in ours
    assert theirs


@pytest.mark.parametrize("field", VALID)
def test_every_field_refuses_each_odd_value_in_both_ways(field: str) -> None:
    for value in VALUES:
        for state in handoff.STATES:
            ours, theirs = both({**VALID, "state": state, field: value})
            assert bool(ours) == bool(theirs), (value, ours, theirs)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"schema": "handoff/2"}, 'schema is not "handoff/1"'),  # HAND-17
        ({"checks": [{**RECORD, "tree": ""}]}, "checks is not a list of records of checks"),  # HAND-19
        ({"unresolved": None}, "unresolved is not given; say what, or the word none"),
        ({"deviations": []}, "deviations is not a list of texts, or none"),
        ({"extra": 1}, '"extra" is unknown'),
        ({"od\nd \ud800": 1}, '"od\\nd \\ud800" is unknown'),
        ({"task": "T1\n"}, "task is not a task id"),
        ({"head": ""}, "head is not a full commit id"),  # HAND-19
    ],
)
def test_a_problem_names_field_and_expectation_on_one_line(change: dict[str, Any], problem: str) -> None:
    ours, theirs = both({**VALID, **change})
    assert ours == [problem]
    assert theirs


@pytest.mark.parametrize(
    "content", [b"", b"{", b"nul", b"\xff\xfe", b"[" * 100_000, b"[]", b'"text"', b"1", b"null", b"\x00"]
)
def test_what_is_no_document_is_one_problem_and_no_error(content: bytes) -> None:
    (problem,) = handoff.problems(content)
    assert problem.startswith("not ")


def test_no_task_reaches_out_of_the_evidence_folder() -> None:
    assert handoff.path_of("T1") == "evidence/T1/handoff.json"
