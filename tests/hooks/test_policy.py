"""The policy: every key is stated, and what is wrong is named with line and example."""

from __future__ import annotations

import pytest

from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.policy import KEYS, parse

LINES = {
    "quiet_needed": "quiet_needed = 2",
    "cap": "cap = 6",
    "high_risk": 'high_risk = ["migrations/**"]',
    "owners": 'owners = ["Ada Lovelace"]',
    "severity": '[severity]\nCritical = "P0"',
}


def written(**changes: str) -> bytes:
    return "\n".join(filter(None, {**LINES, **changes}.values())).encode()


def test_policy_is_read_and_words_are_those_of_any_case() -> None:
    found = parse(written())
    assert found == (2, 6, ("migrations/**",), ("Ada Lovelace",), {"critical": "P0"})


@pytest.mark.parametrize("key", KEYS)
def test_missing_key_is_named_with_an_example_that_fits(key: str) -> None:
    with pytest.raises(GroundrulesError) as refused:
        parse(written(**{key: ""}))
    assert refused.value.what.startswith("review/policy.toml:1: ")
    assert refused.value.what.endswith(f"{key} is missing")
    example = refused.value.why.partition("\nexample  ")[2]
    assert parse(written(**{key: example}))


@pytest.mark.parametrize(
    ("line", "changes", "words"),
    [
        (1, {"quiet_needed": "quiet_needed = 0"}, "quiet_needed is wrong"),
        (1, {"quiet_needed": "quiet_needed = true"}, "quiet_needed is wrong"),
        (2, {"cap": "cap = '6'"}, "cap is wrong"),
        (3, {"high_risk": "high_risk = [1]"}, "high_risk is wrong"),
        (3, {"high_risk": 'high_risk = ["a/../b"]'}, "high_risk: a/../b: a path from the root"),
        (4, {"owners": "owners = 'ada'"}, "owners is wrong"),
        (5, {"severity": "[severity]\nhigh = 'P9'"}, "severity is wrong"),
        (5, {"severity": "[severity]\nhigh = [1]"}, "severity is wrong"),
        (4, {"owners": "owner = []"}, "owner is unknown; known are quiet_needed, cap, high_risk, owners, severity"),
        (1, {"cap": "cap ="}, "Invalid value"),
    ],
)
def test_wrong_line_is_named(line: int, changes: dict[str, str], words: str) -> None:
    with pytest.raises(GroundrulesError) as refused:
        parse(written(**changes))
    assert refused.value.what.startswith(f"review/policy.toml:{line}: {words}")
    assert refused.value.fix == f"${{EDITOR:-vi}} +{line} review/policy.toml"
