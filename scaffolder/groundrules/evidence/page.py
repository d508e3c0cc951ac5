"""A handoff as Markdown, for a pull request. Names and subjects are shown as code: none can link, close or mention."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from groundrules_hooks import handoff
from groundrules_hooks.finding import quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FILES = 30  # as many as a page lists by name
PUNCTUATION = re.compile(r"([\\`*_{}\[\]()<>#+.!|~&@-])")
STATUS = {"A": "added", "M": "changed", "D": "removed", "R": "moved", "C": "copied", "T": "another type"}


def render(found: Mapping[str, Any]) -> str:
    """Return the page of a handoff without problems."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    yield f"## Handoff of {_escaped(found['task'])}: {found['state']}"
    yield ""
    count = len(found["commits"])
    ends = f"from {_code(found['base'][:12])} to {_code(found['head'][:12])}"
    yield f"{count} commit{'s' * (count != 1)} {ends}, subject tree {_code(found['subject_tree'][:12])}."
    for name in ("unresolved", "deviations"):
        yield from _prose(name, found[name])
    yield from _checks(found)
    if found["detected"]:
        yield from ("", "### Detected", "", *(f"- {_escaped(each)}" for each in found["detected"]))
    if found["commits"]:
        yield from ("", "### Commits", "")
        yield from (f"- {_code(row['oid'][:12])} {_code(row['subject'])}" for row in found["commits"])
    yield from _files(found["files"])


def _prose(name: str, texts: object) -> Iterator[str]:
    yield from ("", f"### {name.capitalize()}", "")
    if isinstance(texts, list):
        yield from (f"- {_escaped(text)}" for text in texts)
    else:
        yield "None." if texts == handoff.NONE else "**Not given.**"


def _checks(found: Mapping[str, Any]) -> Iterator[str]:
    yield from ("", "### Checks", "")
    if not found["checks"]:
        yield "None were run."
        return
    yield from ("| check | result | tests | seconds | command | this tree |", "|---|---|---|---|---|---|")
    for row in found["checks"]:
        counts = ", ".join(f"{number} {_escaped(word)}" for word, number in row["counts"].items())
        same = "yes" if row["tree"] == found["subject_tree"] and row["content"] != "moved" else "**no**"
        result = row["result"] if row["result"] == "PASSED" else f"**{row['result']}**"
        command = _code(" ".join(map(quote, row["command"]))).replace("|", "\\|")
        yield f"| {_code(row['name'])} | {result} | {counts} | {row['seconds']} | {command} | {same} |"


def _files(rows: list[dict[str, str]]) -> Iterator[str]:
    if rows:
        yield from ("", f"### Files ({len(rows)})", "")
        yield from (f"- {STATUS[row['status']]} {_code(row['path'])}" for row in rows[:FILES])
    if len(rows) > FILES:
        yield f"- and {len(rows) - FILES} more"


def _escaped(text: str) -> str:
    """Return `text` as Markdown that shows as it is, on one line."""
    return PUNCTUATION.sub(r"\\\1", " ".join(text.split()))


def _code(text: str) -> str:
    """Return `text` as a code span, whatever backticks are in it; on one line."""
    plain = " ".join(text.split()) or " "
    longest = max(map(len, re.findall("`+", plain)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{plain}{pad}{fence}"
