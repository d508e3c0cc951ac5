"""Proof: that a change is functional, or cannot be formatting, told without reading a language."""

from __future__ import annotations

from groundrules_hooks.alike import differing, lines
from groundrules_hooks.kinds.languages import LINES, SCRIPT, SYNTAX, TOKENS, VALUES, WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from groundrules_hooks.kinds.languages import Language

# The mark of UTF-8.
BOM = b"\xef\xbb\xbf"
# What formatters put, take or exchange: white space, brackets, separators, marks of comments, prefixes of strings,
# zeros of numbers.
PLACED = b" \t\n\r\f\v\"'`()[]{},;|&\\/*#!-_.+$uUfFrRbB0"
# All but what they keep in code: the signs of names, and capitals that no number or prefix has. Of scripts they keep no
# `&`, which may lead a union in TypeScript.
FREE_IN_SCRIPTS = bytes(range(256)).translate(None, b"$_GHIKMNPQSTVWYZ")
FREE_IN_CODE = FREE_IN_SCRIPTS.replace(b"&", b"")
CODE = (SCRIPT, SYNTAX, TOKENS)
FREE = frozenset(("folds", "style", "no-commas"))
LETTERS = b"123456789etaoinslhdcmpgywvkxjqz"  # those first that tell most changes
DOCUMENTATION = {b'"""': b"'''", b"'''": b'"""'}


def is_candidate(old: bytes, new: bytes, language: Language | None = None) -> bool:
    """Whether the change may be formatting: the same letters, in any order. Costs next to nothing.

    With a `language` whose code is read as tokens, all but imports has to keep its order as well: a comment that moves
    in front of code is overseen then.
    """
    ours, theirs = differing(old.removeprefix(BOM), new.removeprefix(BOM))
    before, after = ours.translate(None, PLACED), theirs.translate(None, PLACED)
    if len(before) != len(after):
        return False
    before, after = before.lower(), after.lower()
    if language and language.reader in CODE and FREE.isdisjoint(language.traits):
        free = FREE_IN_SCRIPTS if language.reader == SCRIPT else FREE_IN_CODE
        kept, other = ours.translate(None, free), theirs.translate(None, free)  # each stays, in comments too
        if kept != other and sorted(kept) != sorted(other):
            return False
    if before == after:
        return True
    if not _is_as_often(before, after):
        return False
    if language is None or language.reader == VALUES or "markup" in language.traits:
        return True
    # A formatter may move a comment; what looks like one may stand in a string.
    sides = [_ordered(text, language) for text in (old, new)]
    return _is_same(*sides) or _is_same(*(_uncommented(lines, language) for lines in sides))


def _is_same(old: list[bytes], new: list[bytes]) -> bool:
    return _said(b"".join(old)) == _said(b"".join(new))


def _uncommented(lines: list[bytes], language: Language) -> list[bytes]:
    for mark in language.marks:
        lines = [line.partition(mark)[0] for line in lines]
    return lines


def _ordered(text: bytes, language: Language) -> list[bytes]:
    """Return the lines of `text` that no formatter moves: without what may be an import, or an attribute of one."""
    words = tuple(word + b" " for word in language.imports)
    kept, depth = [], 0
    for line in text.split(b"\n"):
        if depth > 0 or any(word in line for word in words):
            depth = max(0, depth + sum(map(line.count, (b"(", b"{"))) - sum(map(line.count, (b")", b"}"))))
        elif not line.lstrip().startswith(b"#["):
            kept.append(line)
    return kept


def _said(text: bytes) -> bytes:
    return text.translate(None, PLACED).lower()


def is_functional(old: bytes, new: bytes, language: Language) -> bool:
    """Whether the letters outside comments and imports certainly differ. False says nothing."""
    if language.reader == VALUES or "markup" in language.traits or b"--[" in old or b"--[" in new:
        return False
    start, before, after = _middle(old, new)
    if language.reader == SYNTAX:
        shown = [_without_texts(start, text) for text in (before, after)]
    elif language.reader in (LINES, WORDS):
        shown = [before, after]
    else:
        shown = [_without_blocks(start, text) for text in (before, after)]
    first, second = shown
    if first is None or second is None or _is_in_import(start, language):
        return False
    return not _is_as_often(_bare(first, language), _bare(second, language))


def _middle(old: bytes, new: bytes) -> tuple[bytes, bytes, bytes]:
    """Return the text before the first changed line, and the lines from there to the last changed one."""
    begun, before, after = lines(b"\n%s\n" % old, b"\n%s\n" % new)
    return old[: max(begun - 1, 0)], before[1:-1], after[1:-1]


def _is_in_import(start: bytes, language: Language) -> bool:
    """Whether an import begins in `start` and goes on after it."""
    begun = max((start.rfind(b"\n" + word) for word in language.imports), default=-1)
    if begun < 0 and not start.startswith(language.imports or (b"\0",)):
        return False
    rest = start[max(begun, 0) :]
    line = rest.lstrip().partition(b"\n")[0]
    if "arms" in language.traits:
        return b";" not in rest
    return any(opener in line and closer not in rest for opener, closer in ((b"(", b")"), (b"{", b"}")))


def _without_texts(start: bytes, text: bytes) -> bytes | None:
    """Return `text` of Python without strings in three quotes; None when one may be open where it begins or ends."""
    for quotes in DOCUMENTATION:
        if start.count(quotes) % 2 or text.count(quotes) % 2:
            return None
        text = b" ".join(text.split(quotes)[::2])
    return text


def _without_blocks(start: bytes, text: bytes) -> bytes | None:
    """Return `text` without comments between /* and */; None when that is not certain."""
    if start.rfind(b"/*") > start.rfind(b"*/"):
        return None
    first, *others = text.split(b"/*")
    shown = [first]
    for other in others:
        line = shown[-1].rpartition(b"\n")[2]
        _, closing, rest = other.partition(b"*/")
        if not closing or b'"' in line or b"'" in line or b"`" in line:
            return None
        shown.append(rest)
    return None if b"*/" in b"".join(shown) else b"".join(shown)


def _bare(text: bytes, language: Language) -> bytes:
    """Return `text` in small letters, without comments, imports and bare strings."""
    return b"\n".join(_without_imports(text.split(b"\n"), language)).lower()


def _is_as_often(old: bytes, new: bytes) -> bool:
    """Whether each letter stands in both as often."""
    return all(map(int.__eq__, map(old.count, LETTERS), map(new.count, LETTERS)))


def _without_imports(lines: Iterable[bytes], language: Language) -> list[bytes]:
    shown: list[bytes] = []
    words = tuple(word + b" " for word in language.imports)
    depth = 0
    for line in lines:
        code = line.strip()
        for mark in language.marks:
            code = code.partition(mark)[0]
        is_import = depth > 0 or (bool(words) and code.startswith(words))
        if is_import:
            depth += sum(map(code.count, (b"(", b"{"))) - sum(map(code.count, (b")", b"}")))
        elif not (language.reader == SYNTAX and (code[:1] in (b'"', b"'") or code.rstrip() == b"pass")):
            shown.append(code)
    return shown
