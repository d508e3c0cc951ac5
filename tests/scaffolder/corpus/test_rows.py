"""Rows: what CSV, Markdown and HTML hold, and that both written forms read back the same."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundrules.corpus import rows
from groundrules.corpus.blocks import CODE, HTML, PIPES, blocks

CELL = st.text(st.sampled_from("ab|\\\n\r\t <br>&#124;,\"'-\u2028\x0b\0表"), max_size=8)
CELLS = st.lists(st.lists(CELL, max_size=4), min_size=1, max_size=5)


@given(CELLS)
def test_written_tables_read_back_whatever_their_cells_hold(cells: list[list[str]]) -> None:
    # MIRR-04 MIRR-05
    table = rows.square(cells)
    if not any(map(any, table)):
        return
    lines = rows.to_markdown(table)
    assert rows.of_markdown(lines) == table
    assert not [line for line in lines if not line.strip() or len(line.splitlines()) > 1]
    assert rows.of_csv(rows.to_csv(table)) == table
    assert [tuple(row) for row in csv.reader(io.StringIO(rows.to_csv(table).decode(), newline=""))] == [*table]
    (block,) = blocks("\n".join(lines))
    assert (block.kind, block.lines) == (PIPES, lines)


def test_pipe_behind_a_backslash_is_written_as_every_reader_takes_it() -> None:
    assert rows.to_markdown((("a\\|b", "c|d"),))[0] == r"| a\&#124;b | c\|d |"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a,b\n1\n", (("a", "b"), ("1", ""))),  # MIRR-05
        (b"a\n1,2,3\n", (("a", "", ""), ("1", "2", "3"))),
        (b'a,b\n"x\n\ny","z|w"\n', (("a", "b"), ("x\n\ny", "z|w"))),  # MIRR-04
        (b"\xef\xbb\xbfa,b\r\n1,2\r\n\r\n", (("a", "b"), ("1", "2"))),
        (b"a,b\n\n1,2\n", (("a", "b"), ("", ""), ("1", "2"))),
        (b" a , b \n1,  2\n", (("a", "b"), ("1", "2"))),
        (b"", ()),
        (b",\n,\n", ()),
    ],
)
def test_csv(content: bytes, expected: rows.Rows) -> None:
    assert rows.of_csv(content) == expected


@pytest.mark.parametrize("content", [b"\xff\xfe", b'a,"b\n'])
def test_what_is_no_csv_is_told(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        rows.of_csv(content)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["| a | b |", "|---|---|", "| 1 | 2 |"], (("a", "b"), ("1", "2"))),
        (["a | b", "---|---", "1 | 2"], (("a", "b"), ("1", "2"))),
        (["| a |", "|---|", "| x \\| y |"], (("a",), ("x | y",))),
        (["| a | b |", "|---|---|", "| x<br>y |"], (("a", "b"), ("x\ny", ""))),
        (["| a |", "|---|", "| 1 | 2 |"], (("a", ""), ("1", "2"))),
        (["| a | b |", "|---|---|", "| | 2 |", "| 3 | |"], (("a", "b"), ("", "2"), ("3", ""))),
    ],
)
def test_markdown(lines: list[str], expected: rows.Rows) -> None:
    assert rows.of_markdown(lines) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", (("a", "b"), ("1", "2"))),
        ("<table><tr><td rowspan=2>a</td><td>b</td></tr><tr><td>c</td></tr></table>", (("a", "b"), ("a", "c"))),
        ("<table><tr><td colspan='2'>a</td></tr><tr><td>b</td><td>c</td></tr></table>", (("a", "a"), ("b", "c"))),
        ("<table><tr><td>a<br/>b</td><td><p>c</p><p>d</p></td></tr></table>", (("a\nb", "c\nd"),)),
        ("<table><tr><td><ul><li>a</li><li>b</li></ul></td></tr></table>", (("- a\n- b",),)),
        ("<table><tr><td>a &amp; <b>b</b>\n c</td></tr></table>", (("a & b c",),)),
        (
            "<table><tr><td><a href='u'>a</a></td><td><img src='x.png' alt='y'></td></tr></table>",
            (("[a](u)", "![y](x.png)"),),
        ),
        ("<table><tr><td>a</td><td><table><tr><td>b</td><td>c</td></tr></table></td></tr></table>", (("a", "bc"),)),
        ("<table><td>a</td></table>", (("a",),)),
        ("<table></table>", ()),
        ("<table><tr><td colspan='99999999'>a</td></tr></table>", (("a",) * 1000,)),
    ],
)
def test_html(text: str, expected: rows.Rows) -> None:
    assert rows.of_html(text) == expected


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("| a | b |\n|---|---|\n| 1 | 2 |\ntext\n| x |", [(PIPES, 3), ("text", 1), ("text", 1)]),
        ("a | b\n--- | ---\n1 | 2\n\nx | y", [(PIPES, 3), ("text", 1), ("text", 1)]),
        ("| a | b |\n|---|---|\n| 1 | two\n\nlines |\n| 3 | 4 |", [(PIPES, 4)]),  # MIRR-04
        ("| a | b |\n|---|---|\n| 1 | 2\n| 3 | 4 |", [(PIPES, 4)]),
        ("| a | b |\n|---|---|\n| 1 | 2\n\n# Next |", [(PIPES, 3), ("text", 1), ("text", 1)]),
        ("```\n| a |\n|---|\n```", [(CODE, 1)] * 4),
        ("a | b\n---", [("text", 1), ("text", 1)]),
        ("x <table>\n<tr>\n</tr></table> y\nz", [(HTML, 3), ("text", 1)]),
        ("<table>\n<tr>", [(HTML, 2)]),
        ("<table><tr><td><table></table>\n</td></tr></table>\nz", [(HTML, 2), ("text", 1)]),
    ],
)
def test_blocks(text: str, kinds: list[tuple[str, int]]) -> None:
    assert [(block.kind, len(block.lines)) for block in blocks(text)] == kinds
