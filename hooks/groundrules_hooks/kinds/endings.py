"""Endings: where the end of a line ends a statement."""

from __future__ import annotations

from itertools import islice

from groundrules_hooks.record import NamedTuple

LONGEST = 200  # tokens of a type
END = b"\n"
# The end of a line that is neither an end of a statement nor a blank before all that may follow.
DOUBTFUL = b"\0\n"
# Kotlin's words that stand right before the parentheses before a block; those that name something stand further away.
BEFORE_PARENTHESES = frozenset((b"if", b"when", b"for", b"while", b"catch", b"get", b"set", b"constructor"))
NAMING = frozenset((b"fun", b"class", b"interface", b"object", b"constructor"))


class Lines(NamedTuple):
    """Where the end of a line ends a statement: after words and strings, and after the operators `ends`.

    Not after the words `joining`, nor before the tokens `continued`, nor before a brace after one of `heads`; nor in
    brackets when those hide it. After the words `doubtful` it depends on what follows. A comment of several lines may
    be an end of a line.
    """

    ends: frozenset[bytes]
    joining: frozenset[bytes] = frozenset()
    continued: frozenset[bytes] = frozenset()
    is_hidden_in_brackets: bool = True
    heads: frozenset[bytes] = frozenset()
    doubtful: frozenset[bytes] = frozenset()
    is_seen_in_comments: bool = False


def _words(words: str) -> frozenset[bytes]:
    return frozenset(words.encode().split())


GO_JOINING = _words(
    "case chan const default defer else for func go goto if import interface map package range select struct switch"
    " type var"
)
KOTLIN = Lines(
    _words("++ -- !! ) ] } > ? *"),
    _words("else throw"),
    _words(". ?. ?: && || , -> = as else : ) ]"),
    heads=_words(
        "fun class interface object constructor init companion get set if else when for while do try catch finally"
    ),
)
SWIFT = Lines(
    _words("++ -- ! ? ) ] } >"),
    _words("else throw try await"),
    _words(". ?. && || ?? , : = -> else { ) ]"),
    doubtful=_words("return"),
    is_seen_in_comments=True,
)
TERRAFORM = Lines(_words(") ] } * = + - / % == != < > <= >= && || ! ? : => . ..."))
GO = Lines(_words("++ -- ) ] }"), GO_JOINING, is_hidden_in_brackets=False, is_seen_in_comments=True)


def end_of_line(out: list[bytes], stack: list[tuple[bytes, int, bool | None]], lines: Lines | None) -> bytes:
    """Return the token that a line end after `out` is; none when it says nothing."""
    if not _ends(out, stack, lines):
        return b""
    return DOUBTFUL if lines and out[-1] in lines.doubtful else END


def continues(out: list[bytes], token: bytes, lines: Lines, *, is_said: bool) -> bool:
    """Whether `token` goes on with the statement before it; after a semicolon, which `is_said`, hardly any does."""
    if is_said:
        return token == b"else" and bool(lines.heads)
    return token in lines.continued or (token == b"{" and bool(lines.heads) and _is_headed(out, lines.heads))


def _is_headed(out: list[bytes], heads: frozenset[bytes]) -> bool:
    """Whether a brace on the line after `out` opens the block of a declaration or a condition, not a lambda."""
    if out[-1] in heads:
        return out[-2:-1] not in ([b"."], [b"?."])
    is_after_parentheses = out[-1] == b")"
    depth = 0
    for token in reversed(out):
        if token in (b")", b"]", b"}"):
            depth += 1
        elif token in (b"(", b"[", b"{"):
            depth -= 1
        elif depth == 0 and is_after_parentheses:
            if token in BEFORE_PARENTHESES:
                return True
            is_after_parentheses = False
        if depth < 0 or (depth == 0 and token in (b"=", END)):
            return False
        if depth == 0 and token in NAMING:
            return True
    return False


def _ends(out: list[bytes], stack: list[tuple[bytes, int, bool | None]], lines: Lines | None) -> bool:
    """Whether a line end after `out` ends a statement."""
    if lines is None or not out or out[-1] == END:
        return False
    if lines.is_hidden_in_brackets and stack and stack[-1][0] in (b"(", b"["):
        return False
    last = out[-1]
    if last[:1] == b"@":  # an annotation, and what it annotates
        return False
    if last[0] >= 128 or last[:1].isalnum() or last[0] in b"_$@\"'`" or last[1:2].isdigit():
        return last not in lines.joining
    if last in (b">", b">>", b">>>"):
        return b">" in lines.ends and ends_type(out)
    # The star of `import a.*` ends a line, the one of `a * b` does not.
    # White space behind an operator only, which the nulls mark, ends an operand too, as in `a! + b`.
    return last.endswith(b"\0\0") or (last in lines.ends and (last != b"*" or out[-2:-1] == [b"."]))


def ends_type(out: list[bytes]) -> bool:
    """Whether the > at the end of `out` closes a < of the same statement, so that it is no comparison.

    Raise UnreadableError where that is too far away to be looked for after each >.
    """
    depth = 0
    for token in islice(reversed(out), LONGEST):
        depth += token.count(b">") - token.count(b"<") if token.strip(b"<>\0") == b"" else 0
        if depth == 0 or token in (END, b";", b"{", b"}"):
            return depth == 0
    if len(out) <= LONGEST:
        return False
    from groundrules_hooks.kinds.tokens import UnreadableError

    raise UnreadableError(out[-1])
