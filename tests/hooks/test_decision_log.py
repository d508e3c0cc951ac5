"""Decision log: a status is found in each usual form, and two decisions that disagree are found whatever the order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundrules_hooks.decision_log import STATUSES, Decision, contradictions, listed, parse


@pytest.mark.parametrize(
    ("text", "status", "line", "by"),
    [
        ("# 1. A\n\nStatus: accepted\n", "accepted", 3, ()),
        ("# A\n\n**Status:** Accepted, 2024\n", "accepted", 3, ()),
        ("* Status: rejected.\n", "rejected", 1, ()),
        ("# A\n\n## Status\n\nAccepted\n", "accepted", 5, ()),
        ('---\nstatus: "superseded by ADR-0012"\n---\n# A\n', "superseded", 2, (12,)),
        ("Status: superseded by 0007\n", "superseded", 1, (7,)),
        ("Status: superseded by [0007. Use 2 of 3](0007-use-2.md) and 8\n", "superseded", 1, (7, 8)),
        ("## Status\n\nAccepted\n\nSuperseded by [9. B](<0009-b c.md>)\n", "superseded", 3, (9,)),
        ("Status: done\n", "done", 1, ()),
        ("Status:\n", "", 1, ()),
        ("# A\n\nNo word.\n", "", 0, ()),
        ("# A\n\n## Context\n\nStatus: accepted\n", "", 0, ()),
        ("", "", 0, ()),
    ],
)
def test_status_is_found_in_each_usual_form(text: str, status: str, line: int, by: tuple[int, ...]) -> None:
    found = parse("a", "0001", text.encode())
    assert (found.status, found.line, found.by) == (status, line, by)


def test_links_to_older_ones_are_of_the_head_alone() -> None:
    text = (
        "# 7. A\n\nStatus: accepted\n\nSupersedes: 0003, [0004](0004-x.md)\n\n## Context\n\nSupersedes 2019's habits.\n"
    )
    found = parse("a", "0007", text.encode())
    assert (found.replaces, found.title) == ((3, 4), "7. A")
    assert found.body == ("# 7. A", "## Context", "Supersedes 2019's habits.")


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("# A\n\nStatus: superseded by 2\n\n## Why\n\nIt [works](b.md).\n", True),
        ("# A\n\nStatus: accepted\n\nSupersedes: 9\n\n## Why\n\nIt [works](../c/b.md).   \n\n\n", True),
        ("# A\n\nStatus: accepted\n\n## Why\n\nIt [works](b.md), mostly.\n", False),
        ("# B\n\nStatus: accepted\n\n## Why\n\nIt [works](b.md).\n", False),
    ],
)
def test_body_is_what_may_not_change(other: str, same: bool) -> None:  # noqa: FBT001 (a column of the table)
    text = "# A\n\nStatus: accepted\n\n## Why\n\nIt [works](b.md).\n"
    assert (parse("a", "1", text.encode()).body == parse("a", "1", other.encode()).body) is same


def log(*heads: str) -> dict[int, Decision]:
    found = [parse(f"{n}.md", f"{n:04}", f"Status: {head}\n".encode()) for n, head in enumerate(heads, 1)]
    return {decision.number: decision for decision in found}


@pytest.mark.parametrize(
    ("heads", "expected"),
    [
        (["accepted", "proposed", "rejected", "deprecated"], []),
        (["superseded by 2", "accepted\nSupersedes: 1"], []),
        (["superseded by 2", "superseded by 3\nSupersedes: 1", "accepted\nSupersedes: 2"], []),
        (["superseded by 2 and 3", "accepted\nSupersedes: 1", "accepted\nSupersedes: 1"], []),
        (["accepted", "proposed\nSupersedes: 1"], []),
        (["accepted", "rejected\nSupersedes: 1"], []),
        (
            ["done"],
            ["1.md:1: status done is not known; it is one of proposed, accepted, rejected, deprecated, superseded"],
        ),
        (["superseded"], ["1.md:1: superseded, and not by which: `Status: superseded by NNNN`"]),
        (["superseded by 9"], ["1.md:1: superseded by 0009, which is no decision here"]),
        (["superseded by 1"], ["1.md:1: superseded by 0001, which is no other decision here"]),
        (["accepted\nSupersedes: 9"], ["1.md:1: supersedes 0009, which is no decision here"]),
        (["accepted\nSupersedes: 1"], ["1.md:1: supersedes 0001, which is no other decision here"]),
        (
            ["superseded by 2", "accepted"],
            ["2.md:1: 0001 says it is superseded by this, and no line here says `Supersedes:`"],
        ),
        (["superseded by 2", "proposed\nSupersedes: 1"], ["1.md:1: superseded by 0002, which is proposed"]),
        (["accepted", "accepted\nSupersedes: 1"], ["1.md:1: 0002 supersedes it, and its status is accepted"]),
        (["superseded", "accepted\nSupersedes: 1"], ["1.md:1: 0002 supersedes it, and its status is superseded"]),
        (
            ["superseded by 3", "accepted\nSupersedes: 1", "accepted\nSupersedes: 1"],
            ["1.md:1: 0002 supersedes it, and its status is superseded 0003"],
        ),
    ],
)
def test_decisions_that_disagree_are_found(heads: list[str], expected: list[str]) -> None:
    assert [f"{each.path}:{each.line}: {each.message}" for each in contradictions(log(*heads))] == expected


def test_no_status_is_told_with_those_there_are() -> None:
    (found,) = contradictions({1: parse("1.md", "1", b"# A\n")})
    assert (found.line, found.message) == (1, f"no line `Status:`; it is one of {', '.join(STATUSES)}")


@given(st.binary())
def test_any_bytes_are_a_decision_of_some_kind(content: bytes) -> None:
    found = parse("a.md", "0001", content)
    assert 0 <= found.line <= len(content.decode("utf-8", "replace").splitlines())
    list(contradictions({1: found}))


def test_index_lists_what_lies_beside_it() -> None:
    text = "[a](0001-a.md)\n\n- [b](<0002 b.md>)\n[c](../c.md) [d](sub/d.md) [e](https://example.org/0003.md)\n"
    assert listed("docs/adr/README.md", text.encode()) == [(1, "docs/adr/0001-a.md"), (3, "docs/adr/0002 b.md")]
