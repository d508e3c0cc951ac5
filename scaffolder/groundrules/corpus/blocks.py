"""Blocks: the lines of an exported document, with the tables among them told apart from text and code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from groundrules_hooks.markdown import prose

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TEXT, CODE, PIPES, HTML = "text", "code", "pipes", "html"
DRAWN = re.compile(r"^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
OPENS = re.compile(r"<table\b", re.IGNORECASE)
CLOSES = re.compile(r"</table\s*>", re.IGNORECASE)


class Block(NamedTuple):
    """Lines of one kind; `first` counts from 1. A line of text or code is a block of its own."""

    kind: str
    lines: list[str]
    first: int


def blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of `text` in order."""
    lines, plain = text.split("\n"), prose(text)
    at = 0
    while at < len(lines):
        if lines[at].strip() and not plain[at]:
            kind, end, found = CODE, at + 1, [lines[at]]
        elif OPENS.search(plain[at]):
            kind, end = HTML, _end_of_html(lines, at)
            found = lines[at:end]
        elif _is_head(plain, at):
            kind, (end, found) = PIPES, _rows(plain, at)
        else:
            kind, end, found = TEXT, at + 1, [lines[at]]
        yield Block(kind, found, at + 1)
        at = end


def _is_head(lines: Sequence[str], at: int) -> bool:
    below = lines[at + 1] if at + 1 < len(lines) else ""
    return "|" in lines[at] and "|" in below and DRAWN.match(below) is not None


def _rows(lines: Sequence[str], at: int) -> tuple[int, list[str]]:
    """Return where the table that begins at `at` ends, and its rows, one a line.

    A cell with breaks tears its row into lines, blank ones too. Where each row ends with a pipe, the pieces are found.
    """
    framed = lines[at].strip().startswith("|") and lines[at].rstrip().endswith("|")
    found = [lines[at], lines[at + 1]]
    at += 2
    while at < len(lines) and "|" in lines[at]:
        end = _end_of_row(lines, at) if framed and lines[at].lstrip().startswith("|") else at + 1
        found.append("<br>".join(line.strip() for line in lines[at:end]))
        at = end
    return at, found


def _end_of_row(lines: Sequence[str], at: int) -> int:
    """Return the line behind the row that begins at `at`; the next one when no end can be told."""
    for end in range(at, len(lines)):
        if end > at and lines[end].lstrip().startswith(("|", "#")):
            break
        if lines[end].rstrip().endswith("|") and not lines[end].rstrip().endswith("\\|"):
            return end + 1
    return at + 1


def _end_of_html(lines: Sequence[str], at: int) -> int:
    depth = 0
    for end in range(at, len(lines)):
        depth += len(OPENS.findall(lines[end])) - len(CLOSES.findall(lines[end]))
        if depth <= 0:
            return end + 1
    return len(lines)
