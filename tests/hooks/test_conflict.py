"""Conflict: a handoff waits for a resolution, for a person where the path is high-risk, and for another tree."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundrules_hooks import conflict

BEFORE, AFTER = "a" * 40, "b" * 40


def page(resolution: str = "", sign_off: str = "", risky: tuple[str, ...] = (), name: str = "main") -> str:
    facts = {"with": name, "subject_tree": BEFORE, "high_risk": [{"path": path, "owners": []} for path in risky]}
    signs = f"## Sign-off\n\n<!-- Who? -->\n\n{sign_off}\n" if risky else ""
    return (
        f"{conflict.HEAD}{json.dumps(facts)}{conflict.END}\n# T1 conflicts with {name}\n\n## Intents\n\n### T2\n\n"
        f"## Resolution\n\n<!-- What each side meant.\nAnd more. -->\n\n{resolution}\n\n{signs}"
    )


def problems(text: str, tree: str = AFTER) -> list[str]:
    return list(conflict.problems(text.encode(), tree))


UNSIGNED = "the conflict with main is about {}, which is high-risk, and nobody has signed it off"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (page("Both arguments stay."), []),
        (page("Both stay.\n\n### Tests\n\ntest_cart"), []),
        (page("Both stay. <!-- really -->"), []),
        (page(), ["the conflict with main has no resolution"]),
        (page("\n \n"), ["the conflict with main has no resolution"]),
        (page("<!-- todo -->\n<!-- more"), ["the conflict with main has no resolution"]),
        (page("x", "- groundrules.toml: Ada", ("groundrules.toml",)), []),
        (page("x", "- `a: b`: Ada Lovelace", ("a: b",)), []),
        (page("x", "", ("groundrules.toml",)), [UNSIGNED.format("groundrules.toml")]),
        (page("x", "- groundrules.toml:", ("groundrules.toml",)), [UNSIGNED.format("groundrules.toml")]),
        (page("x", "groundrules.toml: Ada", ("groundrules.toml",)), [UNSIGNED.format("groundrules.toml")]),
        (page("x", "<!-- - a: Ada -->", ("a",)), [UNSIGNED.format("a")]),
        (page("x", "- a: Ada", ("a", "b")), [UNSIGNED.format("b")]),
        (page("x") + page("", name="trunk"), ["the conflict with trunk has no resolution"]),
        ("", []),
    ],
)
def test_what_an_analysis_lacks(text: str, expected: list[str]) -> None:
    assert problems(text) == expected


def test_results_of_before_are_no_new_results() -> None:
    same = "nothing has changed since the conflict with main, so there are no new results"
    assert problems(page("Both stay."), BEFORE) == [same]


@pytest.mark.parametrize(
    "text",
    [
        "# T1 conflicts with main\n\n## Resolution\n\nBoth stay.\n",
        f"{conflict.HEAD}not JSON{conflict.END}## Resolution\n\nx\n",
        f"{conflict.HEAD}{{}}{conflict.END}## Resolution\n\nx\n",
        f"{conflict.HEAD}[1]{conflict.END}## Resolution\n\nx\n",
        page("x").replace(f'"{BEFORE}"', "1"),
        "a note\n" + page("x"),
    ],
)
def test_head_that_cannot_be_read_is_a_problem(text: str) -> None:
    (said,) = problems(text)
    assert said.startswith("a page without a head that can be read")


@given(st.text() | st.text().map(lambda text: f"{conflict.HEAD}{text}{conflict.END}"))
def test_no_content_is_a_crash(text: str) -> None:
    assert list(conflict.problems(text.encode("utf-8", "replace"), AFTER)) or not text.strip()
