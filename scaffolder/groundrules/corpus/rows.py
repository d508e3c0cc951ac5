"""Rows of cells: read from CSV, Markdown and HTML, written as CSV and as Markdown that reads back the same."""

from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from groundrules.corpus.losses import is_embed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Rows = tuple[tuple[str, ...], ...]

PIPE = re.compile(r"(?<!\\)\|")
BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
ENTITY = "&#124;"  # for a pipe behind a backslash, where readers disagree about `\|`
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x85\u2028\u2029]")
LINES_OF_THEIR_OWN = {"p", "div", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6"}
WIDEST = 1000  # columns or rows that one cell may be merged over
csv.field_size_limit(1 << 24)  # a cell of a spreadsheet may hold more than the module expects


def square(rows: Iterable[Iterable[str]]) -> Rows:
    """Return `rows` with cells cleaned and as many in each row: a row too short is filled up, rows of nothing go."""
    cleaned = [tuple(map(clean, row)) for row in rows]
    while cleaned and not any(cleaned[-1]):
        cleaned.pop()
    width = max(map(len, cleaned), default=0)
    return tuple((*row, *[""] * (width - len(row))) for row in cleaned)


def clean(cell: str) -> str:
    """Return the text of a cell as both forms can hold it: newlines for breaks, no blanks around it."""
    text = BREAK.sub("\n", cell.replace("\r\n", "\n").replace("\r", "\n").replace(ENTITY, "|"))
    return CONTROL.sub(" ", text).strip()


def of_csv(content: bytes) -> Rows:
    """Return the rows of a CSV file. Raise ValueError when it is not one in UTF-8."""
    try:
        return square(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True))
    except csv.Error as error:
        raise ValueError(str(error)) from None


def to_csv(rows: Rows) -> bytes:
    """Return `rows` as CSV, each line ended by a newline alone."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8", "surrogateescape")


def of_markdown(lines: Sequence[str]) -> Rows:
    """Return the rows of a pipe table; its second line, which only draws, is left out."""
    return square([_cells(line) for number, line in enumerate(lines) if number != 1])


def to_markdown(rows: Rows) -> list[str]:
    """Return the lines of a pipe table that holds `rows`, the first of which is its head."""
    written = [f"| {' | '.join(map(_written, row))} |" for row in rows]
    return [written[0], f"|{' --- |' * len(rows[0])}", *written[1:]]


def _written(cell: str) -> str:
    return cell.replace("\\|", f"\\{ENTITY}").replace("|", "\\|").replace("\n", "<br>")


def _cells(line: str) -> list[str]:
    text = line.strip().removeprefix("|")
    cells = PIPE.split(text)
    if len(cells) > 1 and not cells[-1].strip():
        cells.pop()
    return [cell.replace("\\|", "|") for cell in cells]


def of_html(text: str) -> Rows:
    """Return the rows of an HTML table. A merged cell stands in each place that it covers, so a row reads by itself."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    grid: dict[tuple[int, int], str] = {}
    for number, row in enumerate(reader.rows):
        column = 0
        for cell, across, down in row:
            while (number, column) in grid:
                column += 1
            grid |= {(number + y, column + x): cell for y in range(down) for x in range(across)}
            column += across
    width = max((column for _, column in grid), default=-1) + 1
    rows = [[grid.get((number, column), "") for column in range(width)] for number in range(len(reader.rows))]
    return square(rows)


class _Reader(HTMLParser):
    """Rows of (text, columns, rows) cells; of a table within a cell only the words remain."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[tuple[str, int, int]]] = []
        self.depth = 0
        self.inside = False
        self.link = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.depth += tag == "table"
        if tag == "tr" and self.depth <= 1:
            self.rows.append([])
            self.inside = False
        elif tag in ("td", "th") and self.depth <= 1:
            if not self.rows:
                self.rows.append([])
            self.rows[-1].append(("", _span(found.get("colspan")), _span(found.get("rowspan"))))
            self.inside = True
        elif tag == "br" or (tag in LINES_OF_THEIR_OWN and self._text()):
            self._add("\n- " if tag == "li" else "\n")
        elif tag == "li":
            self._add("- ")
        elif tag == "img":
            self._add(f"![{found.get('alt', '')}]({found.get('src', '')})")
        elif tag == "a" and found.get("href"):
            self.link = found["href"]
            self._add("[")
        elif tag not in ("a", "p", "div"):
            self._add(_embed(self.get_starttag_text() or ""))

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag == "table"
        if tag in ("td", "th", "tr") and self.depth <= 1:
            self.inside = False
        elif tag == "a" and self.link:
            self._add(f"]({self.link})")
            self.link = ""

    def handle_data(self, data: str) -> None:
        self._add(re.sub(r"\s+", " ", data))

    def _text(self) -> str:
        return self.rows[-1][-1][0] if self.inside else ""

    def _add(self, text: str) -> None:
        if self.inside:
            before, across, down = self.rows[-1][-1]
            self.rows[-1][-1] = (f"{before.rstrip(' ')}{text}" if text[:1] == "\n" else before + text, across, down)


def _span(text: str | None) -> int:
    return max(1, min(WIDEST, int(text))) if text and text.isascii() and text.isdigit() else 1


def _embed(tag: str) -> str:
    """Return a tag that stands for something lost; one that only formats is dropped."""
    return tag if is_embed(tag) else ""
