"""Evals: rows in a short form, run against a policy, and named by line where they are wrong."""

from __future__ import annotations

import pytest

from groundrules_hooks.evals import expected, results, rows
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.review import Policy

PATH = "review/evals/own.toml"
POLICY = Policy(2, 6, (), ("ada",), {"high": "P1"})
ROW = '[[eval]]\nname = "own"\nexpect = "END"\n'


@pytest.mark.parametrize(
    ("events", "found"),
    [
        ("[]", "REVIEW"),
        ("[{ round = 1 }]", "END"),
        ('[{ round = 1, tree = "a" }, { round = 2, tree = "a", findings = [{ severity = "high" }] }]', "FIX"),
        (
            '[{ round = 1, findings = [{ id = "a" }] }, { finding = "a", disposition = "wontfix", by = "ada" }]',
            "REVIEW",
        ),
        ('[{ round = 1, findings = [{ id = "a" }] }, { finding = "a", disposition = "wontfix" }]', "FIX"),
        ('[{ round = 1, status = "running" }]', "WAIT"),
        ('[{ round = 1 }, { answer = "continue", by = "ada" }]', "REVIEW"),
    ],
)
def test_row_says_only_what_is_unusual(events: str, found: str) -> None:
    (result,) = results(POLICY, {PATH: f"{ROW}events = {events}\n".encode()})
    assert (result.found, result.is_met) == (found, found == "END")


def test_severity_of_the_answer_can_be_expected_too() -> None:
    text = (
        '[[eval]]\nname = "own"\nexpect = "FIX"\nseverity = "P0"\nevents = [{ round = 1, findings = [{ id = "a" }] }]\n'
    )
    (result,) = results(POLICY, {PATH: text.encode()})
    assert (result.found, expected(result.row), result.is_met) == ("FIX P1", "FIX P0", False)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[[eval]\n", 1, ""),
        ("x = 1\n", 1, "holds something else than [[eval]] rows"),
        (f"{ROW}\n[[eval]]\nexpect = 'END'\n", 5, "an eval needs a name"),
        (f"{ROW}\n[[eval]]\nname = 'a'\nexpect = 'DONE'\n", 5, "expect of an eval is not one of WAIT, FIX"),
        (f"{ROW}\nseverity = 'high'\n", 1, "severity of an eval is not one of P0"),
        (f"{ROW}\nevent = []\n", 1, "event is unknown in an eval"),
        (f"{ROW}\nevents = [1]\n", 1, "events and commits of an eval are lists of tables"),
        (f"{ROW}\nevents = [{{ round = 1, kid = 'x' }}]\n", 1, "round: 'kid' is unknown"),
        (f"{ROW}\nevents = [{{ finding = 'a' }}]\n", 1, "neither a round nor a disposition nor an answer"),
    ],
)
def test_wrong_row_is_named_with_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(GroundrulesError) as refused:
        rows(PATH, text.encode())
    assert refused.value.what.startswith(f"{PATH}:{line}: {words}")
