"""Marks: the severities that the usual reviewers put into Markdown, and the findings they begin."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from groundrules.rounds.report import Reported, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LEVEL = r"P[0-3]"
WORD = r"critical|blocker|high|major|important|medium|minor|low|trivial|info|nit(?:pick)?"
BEGIN = r"^[\s#*_\-+\d.)]*"  # bullets, numbers, headings, emphasis

# A mark is a badge, a label or the beginning of a line. A severity in the middle of a sentence is none.
FORMS = {
    "badge": rf"!\[(?P<word>{LEVEL}|{WORD})(?: Badge)?\]\([^)]*\)",
    "picture": rf"<img\b[^>]*\balt=[\"'](?P<word>{LEVEL}|{WORD})[\"'][^>]*>",
    "dot": rf"[🔴🟠🟡🔵🟢🟣⚪]\ufe0f?\s*[*_]*(?P<word>{LEVEL}|{WORD})(?![a-z0-9])[*_]*",
    "emphasis": rf"\*\*(?P<word>{WORD}) severity\*\*",
    "label": rf"{BEGIN}severity[*_]*\s*:[\s*_`]*(?P<word>{LEVEL}|{WORD})(?![a-z0-9])[*_`]*",
    "bracket": rf"{BEGIN}\[(?P<word>{LEVEL}|{WORD})\](?!\()[*_]*",
    "beginning": rf"{BEGIN}(?P<word>{LEVEL})[*_]*\s*(?:[:—\u2013]|-\s)",
}
PATTERNS = [re.compile(form, re.IGNORECASE) for form in FORMS.values()]
FENCE = re.compile(r"^\s*(```|~~~)")
TAGS = re.compile(r"<!--.*?-->|<[^>]+>")
TAGGED = re.compile(r"\s*_[^_]+_(\s*\|\s*_[^_]+_)*\s*")  # a line of tags in italics, beside which stands no title
NAME = r"(?P<path>[\w@.+~/-]*[\w+-]\.\w+|[\w@.+~/-]*(?:Makefile|Dockerfile))"
PLACE = re.compile(rf"{NAME}(?::(?P<line>\d+)(?:-\d+)?|#L(?P<anchor>\d+)(?:-L?\d+)?|[`*]* \((?P<range>\d+)(?:-\d+)?\))")
ALONE = re.compile(rf"[\s#*_`>-]*{PLACE.pattern}[\s*_`]*")


class Mark(NamedTuple):
    """A severity in a line: its place among the lines, the word, and the line without it."""

    row: int
    word: str
    rest: str


def findings(text: str) -> list[Reported]:
    """Return the finding that each mark in `text` begins, in order."""
    lines = text.splitlines()
    found = list(_marks(lines))
    ends = [-1, *(mark.row for mark in found), len(lines)]
    return [
        _finding(mark, lines[before + 1 : mark.row], lines[mark.row + 1 : after])
        for mark, before, after in zip(found, ends, ends[2:], strict=False)
    ]


def _marks(lines: Sequence[str]) -> Iterator[Mark]:
    """Yield the marks outside of code and quotations. A line with several severities is a legend."""
    fenced = False
    for row, line in enumerate(lines):
        if FENCE.match(line):
            fenced = not fenced
        if fenced or line.lstrip().startswith(">"):
            continue
        matches = [match for pattern in PATTERNS for match in pattern.finditer(line)]
        words = {_word(match["word"]) for match in matches}
        if len(words) == 1:
            rest = "" if TAGGED.fullmatch(line) else line
            for match in matches:
                rest = rest.replace(match[0], " ")
            yield Mark(row, words.pop(), rest)


def _word(written: str) -> str:
    word = written.lower()
    return (
        word.upper() if re.fullmatch(LEVEL, word.upper()) else {"nitpick": "nit", "blocker": "critical"}.get(word, word)
    )


def _finding(mark: Mark, above: Sequence[str], below: Sequence[str]) -> Reported:
    path, line = _place(mark.rest, above, below)
    return Reported(mark.word, _title(mark.rest, above, below), path, line)


def _title(rest: str, above: Sequence[str], below: Sequence[str]) -> str:
    """Return what the finding is called: the rest of the marked line, else a heading above it, else the line below."""
    heading = next((line for line in reversed(above) if line.strip()), "")
    headings = [heading] if heading.startswith("#") and not ALONE.fullmatch(heading) else []
    for line in (rest, *headings, *below):
        words = PLACE.sub(" ", TAGS.sub(" ", line))
        words = " ".join(words.replace("`", "").replace("**", " ").strip(" #*_|:—\u2013-").split())
        if re.search(r"\w{2}", words):
            return shortened(words)
    return ""


def _place(rest: str, above: Sequence[str], below: Sequence[str]) -> tuple[str, int]:
    """Return path and line that the finding names: in its line, on a line of its own above, or below."""
    before = [line for line in list(above)[-4:] if ALONE.fullmatch(line)]
    for line in (rest, *reversed(before), *below):
        match = PLACE.search(line)
        if match:
            return match["path"], int(match["line"] or match["anchor"] or match["range"])
    return "", 0
