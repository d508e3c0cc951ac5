"""Neighbours: marks among tokens where a blank between two of them, or none, says something."""

from __future__ import annotations

from groundrules_hooks.kinds.endings import END
from groundrules_hooks.kinds.tokens import NEWLINE, PLAIN, STRING, WRONG, UnreadableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules_hooks.kinds.tokens import Token

# Between a word and a string. After the words that are parted from a string anyway a blank says nothing.
JOINED = b"\0"
PARTED = frozenset(b"return case else throw extern include".split())
OPERATING = b"-+*/%<>=!&|^~?."
BEFORE = frozenset((b"(", b"[", b"{", b",", b":", END))
AFTER = frozenset((b")", b"]", b"}", b",", b":", END))


def with_sides(scanned: list[Token]) -> Iterator[Token]:
    """Mark operators that have white space on one side only, where that tells a prefix from an infix."""
    for index, (kind, text, gap) in enumerate(scanned):
        if text in (b"(", b"[") and gap:
            is_cut = index > 1 and scanned[index - 1][0] == NEWLINE and _is_operand(scanned[index - 2][1])
            yield PLAIN, b" \n" if is_cut else b" ", False
        if text[0] in OPERATING and text != b".":
            following = scanned[index + 1] if index + 1 < len(scanned) else (kind, END, False)
            before = gap or (index > 0 and scanned[index - 1][1] in BEFORE)
            after = following[2] or following[1] in AFTER
            if text == b"/" and before and not after:
                raise UnreadableError(b"a regular expression, or a division of nothing")
            yield kind, text + b"\0" * (before - after) + b"\0\0" * (after - before), gap
        else:
            yield kind, text, gap


def _is_operand(text: bytes) -> bool:
    return text[0] not in OPERATING and text not in BEFORE


def with_prefixes(scanned: list[Token]) -> Iterator[Token]:
    """Mark where no blank parts a word from a string: the word may say what the string is, before or after it."""
    last, before = WRONG, b""
    for kind, text, gap in scanned:
        if gap or kind == last:
            pass
        elif kind == STRING:
            if last == PLAIN and before[-1:].isalnum() and before not in PARTED:
                yield PLAIN, JOINED, False
        elif last == STRING and (text[:1].isalpha() or text[:1] == b"_"):
            yield PLAIN, JOINED, False
        yield kind, text, gap
        last, before = kind, text
