"""What a person reads: stdout is the answer, stderr the narration; five signs, colour only on a terminal."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

from groundrules_hooks.finding import say, utf8

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DONE, ALREADY, WARNING, REFUSED, NEXT = "✓", "○", "▲", "✗", "→"
COLOURS = {DONE: "32", ALREADY: "2", WARNING: "33", REFUSED: "31", NEXT: "36"}


def narrate(sign: str, text: str) -> None:
    """Write one line of narration to stderr."""
    coloured = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    shown = f"\x1b[{COLOURS[sign]}m{sign}\x1b[0m" if coloured else sign
    say(f"{shown} {text}\n", 2)


def step(sign: str, name: str, text: str) -> None:
    """Write one line of narration about the step `name`."""
    narrate(sign, f"{name:<13} {text}")


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Return a line for each of `rows`, with cells as wide as the widest of their column, two blanks apart."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join("  ".join(map(str.ljust, row, widths)).rstrip() + "\n" for row in rows)


def answer(document: Mapping[str, object]) -> None:
    """Print one JSON document to stdout, in which undecodable bytes read as `utf8` writes them."""
    text = json.dumps(document, indent=2, ensure_ascii=False)
    say("".join(utf8(char).replace("\\", "\\\\") if "\udc80" <= char <= "\udcff" else char for char in text) + "\n")
