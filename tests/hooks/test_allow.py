"""allow: an exception names one rule and a reason, and a commit records it for ever."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundrules_hooks.allow import Allowed, from_environment, from_message, not_allowed, trailer
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import Finding
from groundrules_hooks.rules import NAMES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\n \n", []),
        ("guards: a reason", [("guards", "a reason")]),
        ("  guards :  with: colons (and brackets)  ", [("guards", "with: colons (and brackets)")]),
        ("guards: one\nlockstep: two\n", [("guards", "one"), ("lockstep", "two")]),
    ],
)
def test_each_line_is_a_rule_and_a_reason(text: str, expected: list[tuple[str, str]]) -> None:
    assert from_environment((), {"ALLOW": text}) == tuple(Allowed(*each) for each in expected)


def test_no_variable_allows_nothing() -> None:
    assert from_environment((), {}) == ()


@pytest.mark.parametrize(
    ("text", "strict", "what"),
    [
        ("guards", (), "gives no reason for guards"),
        ("guards:  ", (), "gives no reason for guards"),
        ("guard: a typing error", (), "names no rule: 'guard: a typing error'"),
        ("GUARDS: loud", (), "names no rule"),
        ("all: please", (), "names no rule"),
        (": no rule", (), "names no rule"),
        ("guards lockstep: two in one", (), "names no rule"),
        ("guards: fine\nnonsense", (), "names no rule: 'nonsense'"),
        ("handoff: later", ("handoff",), "handoff takes no exception here"),
    ],
)
def test_what_cannot_be_granted_is_refused_with_the_way_out(text: str, strict: tuple[str, ...], what: str) -> None:
    with pytest.raises(GroundrulesError) as caught:
        from_environment(strict, {"ALLOW": text})
    assert what in caught.value.what
    assert (caught.value.code, caught.value.fix) == (2, "unset ALLOW")


REASON = st.text(st.characters(blacklist_categories=("C", "Zl", "Zp")), min_size=1).map(str.strip).filter(bool)


@settings(deadline=None, database=None)
@given(rule=st.sampled_from(NAMES), reason=REASON)
def test_a_reason_survives_environment_trailer_and_message(rule: str, reason: str) -> None:
    (given_one,) = from_environment((), {"ALLOW": f"{rule}: {reason}"})
    message = f"Subject\n\nGround-rules-allow: {trailer(given_one)}\nTask: T1\n"
    assert from_message(message) == (Allowed(rule, reason),)


@pytest.mark.parametrize(
    "value", ["guards", "guards ()", "guards (  )", "guards (", "guard (a reason)", "(a reason)", "", "guards(a)"]
)
def test_a_trailer_without_rule_or_reason_allows_nothing(value: str) -> None:
    assert from_message(f"Subject\n\nGround-rules-allow: {value}\n") == ()


def test_several_trailers_count_and_those_outside_the_last_paragraph_do_not() -> None:
    early = "Subject\n\nGround-rules-allow: handoff (early)\n\n"
    message = f"{early}Ground-rules-allow: guards (a)\nground-rules-allow: lockstep (b)"
    assert from_message(message) == (Allowed("guards", "a"), Allowed("lockstep", "b"))


def test_an_exception_covers_its_rule_alone_and_no_strict_one() -> None:
    findings = [Finding(rule, ".", "wrong", "true") for rule in ("guards", "lockstep", "handoff")]
    allowed = [Allowed("guards", "a"), Allowed("handoff", "b")]
    assert [each.rule for each in not_allowed(findings, allowed)] == ["lockstep"]
    assert [each.rule for each in not_allowed(findings, allowed, ["handoff"])] == ["lockstep", "handoff"]
