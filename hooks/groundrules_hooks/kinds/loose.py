"""Loosely alike: files that are not the same to a reader of tokens, and yet may be to one who knows more."""

from __future__ import annotations

from groundrules_hooks.alike import ends
from groundrules_hooks.kinds import imports
from groundrules_hooks.kinds.languages import SCRIPT
from groundrules_hooks.kinds.verdict import FUNCTIONAL, UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable
    from typing import TypeVar

    from groundrules_hooks.kinds.languages import Language

    Part = TypeVar("Part", bytes, int)

# What formatters put and take: brackets, separators, quotes and their escapes, blanks.
PLACED = b"(){}[],;'\"`\\ \t\r\n\f\0"
QUOTES = b"\"'`"
# Templates, regular expressions and texts of elements hold quotes too.
UNQUOTED = frozenset((b"`", b"}", b"/", b"?", b"\0"))
UNSIGNED = frozenset((b'"', b"'", b"`", b"\0"))
# What formatters put or take, and never turn into something else.
ONE_SIDED = frozenset(b"|+&")


def compare_loosely(old: list[bytes], new: list[bytes], language: Language) -> str:
    """Judge two lists of tokens that differ: functional when no formatter can have made one of the other."""
    before, after = imports.without(old, language), imports.without(new, language)
    if "folds" in language.traits:
        before, after = [token.lower() for token in before], [token.lower() for token in after]
    begun, ended = ends(before, after)  # what both have in the same place changes no count
    before, after = before[begun : len(before) - ended], after[begun : len(after) - ended]
    if _counted(_words(before)) != _counted(_words(after)) or not _is_same_text(before, after, language):
        return FUNCTIONAL
    signs_before, signs_after = _counted(_signs(before)), _counted(_signs(after))
    gone, come = signs_before - signs_after, signs_after - signs_before
    placed = ONE_SIDED | frozenset(b"." if "template" in language.traits else b"")  # PHP joins strings with it
    if (gone and come) or not set(gone) | set(come) <= placed:
        return FUNCTIONAL
    return UNKNOWN


def _counted(parts: Iterable[Part]) -> Counter[Part]:
    from collections import Counter

    return Counter(parts)


def _words(tokens: list[bytes]) -> list[bytes]:
    import re

    # Styles in templates are laid out like others: colours in small letters, a zero before the point.
    plain = (token.lower().replace(b"0", b"") if _is_layered(token) else token for token in tokens)
    return re.findall(rb"[\w\x80-\xff]+", re.sub(rb"\\[a-zA-Z]", b" ", b"\n".join(plain)))


def _signs(tokens: list[bytes]) -> bytes:
    """Return the characters of operators: not of words, nor of what formatters place."""
    import re

    code = b"".join(token for token in tokens if token[:1] not in UNSIGNED and not _is_layered(token))
    return re.sub(rb"[\w\x80-\xff]+", b"", code).translate(None, PLACED)


def _is_same_text(old: list[bytes], new: list[bytes], language: Language) -> bool:
    """Whether the strings may be the same: joined, since formatters split them, or in another order.

    Strings over several lines are laid out anew by some, so that their white space says nothing.
    """
    placed = b"\\{}" if "braced" in language.traits else b"\\"
    before, after = _strings(old, placed), _strings(new, placed)
    counted, recounted = _counted(before), _counted(after)
    changed = [*(counted - recounted), *(recounted - counted)]
    whole = [b"".join(before), b"".join(after)]
    if any(b"\n" in string for string in changed):
        whole = [b"".join(text.split()) for text in whole]
    return not changed or whole[0] == whole[1] or (language.reader == SCRIPT and _is_sorted(before, after))


def _is_sorted(old: list[bytes], new: list[bytes]) -> bool:
    """Whether the words of strings are the same in another order: some formatters sort the classes of elements."""
    before, after = b" ".join(old).split(), b" ".join(new).split()
    return before != after and sorted(before) == sorted(after)


def _strings(tokens: list[bytes], placed: bytes) -> list[bytes]:
    return [
        token.strip(QUOTES).translate(None, placed)
        for token in tokens
        if _is_plain(token) or ((b'"' in token or b"'" in token) and token[:1] not in UNQUOTED)
    ]


def _is_layered(token: bytes) -> bool:
    """Whether `token` is a part of a template, in which another language may stand."""
    return (token[:1] == b"`" and not _is_plain(token)) or (token[:1] == b"}" != token)


def _is_plain(token: bytes) -> bool:
    """Whether `token` is a template that says what a string would: some formatters lay out languages in templates."""
    return token[:1] == b"`" == token[-1:] and not any(sign in token for sign in (b"\n", b"{", b"<", b";"))
