"""Loosely alike: files that are not the same to a reader of tokens, and yet may be to one who knows more."""

from __future__ import annotations

from groundrules_hooks.kinds.verdict import FUNCTIONAL, UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import Counter

    from groundrules_hooks.kinds.languages import Language

# What formatters put and take: brackets, separators, quotes and their escapes, blanks.
PLACED = b"(){}[],;'\"`\\ \t\r\n\f\0"
# What formatters put or take, and never turn into something else.
ONE_SIDED = frozenset(b"|+&")


def compare_loosely(old: list[bytes], new: list[bytes], language: Language) -> str:
    """Judge two lists of tokens that differ: functional when no formatter can have made one of the other."""
    before, after = _without_imports(old, language), _without_imports(new, language)
    if "folds" in language.traits:
        before, after = [token.lower() for token in before], [token.lower() for token in after]
    if _counted(_words(before)) != _counted(_words(after)) or _strings(before) != _strings(after):
        return FUNCTIONAL
    signs_before, signs_after = _counted(_signs(before)), _counted(_signs(after))
    gone, come = signs_before - signs_after, signs_after - signs_before
    if (gone and come) or not set(gone) | set(come) <= ONE_SIDED:
        return FUNCTIONAL
    return UNKNOWN


def _counted(parts: list[bytes] | bytes) -> Counter[bytes | int]:
    from collections import Counter

    return Counter(parts)


def _words(tokens: list[bytes]) -> list[bytes]:
    import re

    return re.findall(rb"[\w\x80-\xff]+", b"\n".join(tokens))


def _signs(tokens: list[bytes]) -> bytes:
    """Return the characters of operators: not of words, nor of what formatters place."""
    import re

    code = b"".join(token for token in tokens if token[:1] not in (b'"', b"'", b"`", b"\0"))
    return re.sub(rb"[\w\x80-\xff]+", b"", code).translate(None, PLACED)


def _strings(tokens: list[bytes]) -> bytes:
    """Return the text of all strings on one line, joined, since formatters split them."""
    strings = (token[1:-1] for token in tokens if token[:1] in (b'"', b"'") and b"\n" not in token)
    return b"".join(strings).replace(b"\\", b"")


def _without_imports(tokens: list[bytes], language: Language) -> list[bytes]:
    """Return `tokens` without the statements whose order means nothing to most readers."""
    if not language.imports:
        return tokens
    out: list[bytes] = []
    is_start, is_import, depth = True, False, 0
    for token in tokens:
        is_import = is_import or (is_start and token in language.imports)
        depth += is_import * ((token in (b"(", b"{", b"[")) - (token in (b")", b"}", b"]")))
        is_end = token in (b";", b"\n") and depth <= 0
        if not is_import:
            out.append(token)
        is_start = is_end or token in (b"{", b"}", b";", b"\n", b"pub")
        if is_end:
            is_import, depth = False, 0
    return out
