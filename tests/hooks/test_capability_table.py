"""The table in README.md: written between its markers and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundrules_hooks.capability import LEVELS, Capability
from groundrules_hooks.capability_table import MARKERS, MEANINGS, is_current, place, problem, render, table

ROWS = (Capability("orders", "Orders can be placed", "wired"), Capability("pay", "Pay | <b>", "proven"))
BEGIN, END = MARKERS.splitlines()


def test_table_has_a_row_for_each_capability_and_only_what_is_proven_is_available() -> None:
    assert table(ROWS) == (
        "| capability | id | level | that is |\n"
        "|---|---|---|---|\n"
        "| Orders can be placed | `orders` | wired | used by what runs, not proven |\n"
        "| Pay \\| \\<b> | `pay` | proven | available: its checks pass for each acceptance item |\n"
    )
    assert table(()) == "No capability is claimed.\n"
    assert [level for level in LEVELS if "available" in MEANINGS[level]] == ["proven"]


lines = st.text(alphabet=st.sampled_from("ab |-<!>\n\x0c\x0b\x85\u2028"), max_size=60)


@given(lines, lines, lines, st.sampled_from(["\n", "\r\n"]))
def test_rendering_changes_what_stands_between_the_markers_and_is_done_once(
    before: str, inside: str, after: str, end: str
) -> None:
    text = f"{before}\n{BEGIN}\n{inside}\n{END}\n{after}".replace("\n", end)
    once = render(text, ROWS)
    assert once.startswith(f"{before}\n{BEGIN}\n".replace("\n", end))
    assert once.endswith(f"\n{END}\n{after}".replace("\n", end))
    assert table(ROWS).replace("\n", end) in once
    assert render(once, ROWS) == once
    assert is_current(once, ROWS)
    assert is_current(text, ROWS) == (text == once)


@pytest.mark.parametrize(
    ("text", "is_wrong"),
    [
        ("", False),
        ("# shop\n", False),
        (MARKERS, False),
        (BEGIN, True),
        (END, True),
        (f"{END}\n{BEGIN}\n", True),
        (MARKERS * 2, True),
        (f"{BEGIN}\n{MARKERS}", True),
        (f"- {BEGIN}\n{END}\n", True),
    ],
)
def test_markers_stand_once_and_in_order(text: str, is_wrong: bool) -> None:  # noqa: FBT001
    assert bool(problem(text)) == is_wrong
    assert (place(text) is None) == (text != MARKERS)
    assert text == MARKERS or render(text, ROWS) == text


def test_line_ends_where_git_ends_it() -> None:
    text = f"# shop\x0c\n\u2028{BEGIN}\n\n{MARKERS}"
    assert place(text) == (4, 4)
    assert render(text, ROWS) == text.replace(f"\n{MARKERS}", f"\n{BEGIN}\n{table(ROWS)}{END}\n")
