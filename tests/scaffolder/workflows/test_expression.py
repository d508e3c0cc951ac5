"""Expressions of workflows: known where the event decides, unknown where the run does, and never an exception."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundrules.workflows import event
from groundrules.workflows.cache import begins, is_constant, may_begin
from groundrules.workflows.expression import parts, truth, value

ATOMS = [
    "'a'",
    "''",
    "github.ref",
    "always()",
    "(",
    ")",
    "&&",
    "||",
    "!",
    "==",
    "!=",
    "[",
    "]",
    ".",
    "*",
    ",",
    "1",
    " ",
]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("", "pull_request", True),
        ("github.event_name == 'pull_request'", "pull_request", True),
        ("github.event_name == 'PULL_REQUEST'", "pull_request", True),
        ("${{ github.event_name != 'pull_request' }}", "pull_request", False),
        ("github.ref == 'refs/heads/main'", "pull_request", False),
        ("github.ref == 'refs/heads/main'", "push", None),
        ("github.ref == 'refs/tags/v1'", "push", False),
        ("startsWith(github.ref, 'refs/heads/')", "merge_group", True),
        ("startsWith(github.ref, 'refs/heads/main')", "merge_group", False),
        ("startsWith(github.ref, 'refs/heads/gh-readonly-queue/main')", "merge_group", None),
        ("github.head_ref", "push", False),
        ("github.head_ref != ''", "pull_request", True),
        ("github.event.pull_request.head.sha", "push", False),
        ("github.event.pull_request", "pull_request", True),
        ("github.event['pull_request']", "push", False),
        ("github.event.pull_request.draft == false", "push", True),
        ("github.event.pull_request.draft != true", "push", True),
        ("github.event.pull_request.draft == false", "pull_request", None),
        ("false == 'false'", "push", False),
        ("true == '1'", "push", True),
        ("true == true", "push", True),
        ("inputs.deep", "workflow_dispatch", None),
        ("inputs.deep || github.event_name == 'push'", "push", True),
        ("inputs.deep && github.event_name == 'push'", "schedule", False),
        ("!(inputs.deep && github.event_name == 'push')", "schedule", True),
        ("!cancelled()", "push", None),
        ("always() && github.event_name == 'push'", "push", True),
        ("contains(github.event.pull_request.labels.*.name, 'it''s')", "pull_request", None),
        ("github.event.number > 3", "pull_request", None),
        ("${{ github.event_name }} == 'push'", "schedule", None),
        ("github.event_name ==", "push", None),
        ("1 2", "push", None),
        ("§", "push", None),
    ],
)
def test_condition_is_judged_by_what_the_event_decides(text: str, name: str, expected: bool | None) -> None:  # noqa: FBT001 (a column)
    assert truth(text, event.facts(name)) is expected


def test_pushed_branch_decides() -> None:
    known = event.facts("push", "main")
    assert truth("github.ref == format('refs/heads/{0}', github.event.repository.default_branch)", known) is None
    assert truth("github.ref_name == github.event.repository.default_branch", known) is True
    assert value("github.head_ref || github.ref", known) == "refs/heads/main"


@given(st.lists(st.sampled_from(ATOMS)).map("".join) | st.text())
def test_no_text_is_too_strange(text: str) -> None:
    assert truth(text, event.facts("push")) in (True, False, None)
    assert "".join(inside for is_expression, inside in parts(text) if not is_expression) in ("", text)


@pytest.mark.parametrize(
    ("pattern", "key", "certain", "possible"),
    [
        ("deps-", "deps-x", True, True),
        ("deps-${{ runner.os }}-", "deps-${{runner.os}}-${{ github.sha }}", True, True),
        ("deps-${{ runner.os }}-", "deps-Linux-1", False, True),
        ("deps-", "tools-", False, False),
        ("deps-long", "deps-", False, False),
        ("deps-long", "deps-${{ x }}", False, True),
        ("", "deps", False, True),
    ],
)
def test_restore_key_begins_a_key(pattern: str, key: str, certain: bool, possible: bool) -> None:  # noqa: FBT001 (columns)
    assert (begins(pattern, key), may_begin(pattern, key)) == (certain, possible)


@given(st.text(alphabet="ab-"), st.text(alphabet="ab-"))
def test_what_certainly_begins_a_key_may_begin_it(pattern: str, rest: str) -> None:
    assert may_begin(pattern, pattern + rest)
    assert begins(pattern, pattern + rest) is bool(pattern)
    assert is_constant(pattern)
