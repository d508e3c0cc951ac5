"""Formatting: whether a changed file says the same as before, told from its two contents."""

from __future__ import annotations

from groundrules_hooks.kinds import proof
from groundrules_hooks.kinds.languages import LINES, SCRIPT, SYNTAX, VALUES, WORDS, language
from groundrules_hooks.kinds.proof import BOM
from groundrules_hooks.kinds.verdict import FORMATTING, FUNCTIONAL, OTHER_LETTERS, SAME_LETTERS, UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from groundrules_hooks.kinds.languages import Language

LARGEST = 1024 * 1024
# Traits of languages in which a file may end with a text to which empty lines belong.
ENDED_BY_TEXT = frozenset(("blocks", "template", "ruby"))
OPEN = (SAME_LETTERS, OTHER_LETTERS)


def compare(path: str, old: bytes, new: bytes) -> str:
    """Return FORMATTING, COMMENTS, FUNCTIONAL or UNKNOWN: what is certain of the change from `old` to `new`.

    Line ends, the mark of UTF-8 and the empty lines at the end are formatting in every text, but for empty lines that
    a language takes for a part of one. FORMATTING is never said of a change of meaning, FUNCTIONAL never of what a
    formatter does; all that is between is UNKNOWN.
    """
    told = glance(path, old, new)
    known = language(path)
    if told not in OPEN or known is None:
        return told
    if is_functional(path, old, new):
        return FUNCTIONAL
    before, after = _plain(old, new, known)
    verdict = _judged(before, after, known)
    if verdict != FORMATTING:
        return verdict
    from groundrules_hooks.kinds import doubts

    is_told = proof.is_candidate(before, after) and not doubts.is_doubtful(path, before, after, known)
    return FORMATTING if is_told else UNKNOWN


def glance(path: str, old: bytes, new: bytes) -> str:
    """Return what `compare` returns where that costs next to nothing; else SAME_LETTERS or OTHER_LETTERS."""
    if old == new:
        return FORMATTING
    if b"\0" in old or b"\0" in new:
        return UNKNOWN
    known = language(path)
    before, after = _plain(old, new, known)
    if before == after:
        return FORMATTING
    if known is None:
        return UNKNOWN
    return SAME_LETTERS if proof.is_candidate(before, after, known) else OTHER_LETTERS


def is_functional(path: str, old: bytes, new: bytes) -> bool:
    """Whether two texts certainly differ in meaning: a fast look, without reading the language."""
    known = language(path)
    before, after = _plain(old, new, known)
    return known is not None and not proof.is_candidate(before, after) and proof.is_functional(before, after, known)


def _plain(old: bytes, new: bytes, known: Language | None) -> tuple[bytes, bytes]:
    """Return both texts with the line ends of Unix, no empty lines at the end, and no mark in front."""
    before, after = _unix(old), _unix(new)
    bare = before.rstrip(b"\n"), after.rstrip(b"\n")
    if known is None or ENDED_BY_TEXT.isdisjoint(known.traits) or before[len(bare[0]) :] == after[len(bare[1]) :]:
        return bare
    from groundrules_hooks.kinds import tails

    return tails.without(before, known), tails.without(after, known)


def _unix(data: bytes) -> bytes:
    plain = data.removeprefix(BOM)
    return plain.replace(b"\r\n", b"\n") if b"\r" in plain else plain  # one byte is found much faster than two


def _judged(old: bytes, new: bytes, known: Language) -> str:
    if known.reader == SYNTAX:
        from groundrules_hooks.kinds import python_syntax

        return python_syntax.compare(old, new)
    if known.reader == VALUES:
        return _by_value(old, new, known)
    if max(len(old), len(new)) > LARGEST:
        return UNKNOWN
    if known.reader in (LINES, WORDS):
        from groundrules_hooks.kinds import lines

        return (lines.compare if known.reader == LINES else lines.compare_words)(old, new, known)
    return _by_tokens(old, new, known)


def _by_value(old: bytes, new: bytes, known: Language) -> str:
    from groundrules_hooks.kinds import values

    if known.marks:
        return values.compare_toml(old, new)
    verdict = values.compare_json(old, new)
    # JSON with comments goes by the same names.
    commented = language("a.jsonc")
    return _by_tokens(old, new, commented) if verdict is None and commented else verdict or UNKNOWN


def _by_tokens(old: bytes, new: bytes, known: Language) -> str:
    from groundrules_hooks.kinds import loose, script, tokens
    from groundrules_hooks.kinds.remarks import compare_remarks

    if "placed" in known.traits and b'"C"' in new:  # an import of it: Go reads the comment before it as C
        return UNKNOWN
    if "template" in known.traits and b"__halt_compiler" in new.lower():  # data follows
        return UNKNOWN
    read = script.read if known.reader == SCRIPT else tokens.read
    try:
        before, after = read(old, known), read(new, known)
    except tokens.UnreadableError:
        return UNKNOWN
    if before.tokens == after.tokens:
        return compare_remarks(before.remarks, after.remarks, is_attribute="documented" in known.traits)
    return loose.compare_loosely(before.tokens, after.tokens, known)
