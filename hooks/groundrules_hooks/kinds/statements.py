"""Statements: the tokens of a script with every statement ended the same way, as the language ends them by itself."""

from __future__ import annotations

OPENERS = {b"(": b")", b"[": b"]", b"{": b"}"}
CLOSERS = frozenset((b")", b"]", b"}", b")!"))
SEMICOLON = b";"
# After these words a line end does not end a statement.
UNFINISHED = frozenset(
    b"typeof new in of instanceof case delete else do await export default import const let var class extends"
    b" implements function if for while with switch try finally".split()
)
RESTRICTED = frozenset((b"return", b"break", b"continue", b"throw", b"yield"))
ENDING = frozenset((b")", b"]", b"++", b"--", b"!", b">", b"*"))
# What begins a statement after a line end, of operators; all others go on.
BEGINNING = frozenset((b"++", b"--", b"!", b"~", b"..."))
CONTINUING_WORDS = frozenset((b"in", b"instanceof", b"extends", b"implements"))
# A type may have a bar or an ampersand in front.
BEFORE_BAR = frozenset((b"=", b":", b"(", b"<", b",", b"[", b"=>", b"?"))
BEFORE_PARENTHESES = frozenset((b"return", b"throw", b"=", b"=>", b"?", b":", b"(", b",", b"[", b"{"))
BEFORE_ELEMENT = frozenset((b"&&", b"||", b"??"))
AFTER_PARENTHESES = frozenset((b";", b")", b")!", b"]", b"}", b",", b""))


def normal(tokens: list[bytes]) -> list[bytes]:
    """Return `tokens` with one semicolon a statement, and without commas, quotes and parentheses that say nothing."""
    out: list[bytes] = []
    stack: list[bytes] = []
    end = b""
    for token in tokens:
        if token in (b"\n", SEMICOLON):
            is_list = bool(stack) and stack[-1] in (b"(", b"[", b"${")
            if is_list and token == SEMICOLON:
                out.append(token)
            elif not is_list and end != SEMICOLON:
                end = token
            continue
        if end and _is_ended(out, end, token):
            out.append(SEMICOLON)
        end = b""
        _nest(stack, token)
        if token in CLOSERS or token == b">":
            _drop_comma(out)
        if token in (b"|", b"&") and out and out[-1] in BEFORE_BAR:
            continue
        if token == b":":
            _unquote(out)
        out.append(_number(token))
    if end == SEMICOLON and out and out[-1] == b")!":
        out.append(SEMICOLON)
    return _without_parentheses(out)


def _nest(stack: list[bytes], token: bytes) -> None:
    if token in OPENERS:
        stack.append(token)
    elif token in CLOSERS:
        stack.pop()
    elif token.endswith(b"${") and token[:1] in (b"`", b"}"):
        if token[:1] == b"`":
            stack.append(b"${")
    elif token[:1] == b"}" and token.endswith(b"`"):
        stack.pop()


def _is_ended(out: list[bytes], end: bytes, token: bytes) -> bool:
    """Whether a statement ends between `out` and `token`, where a line end or a semicolon stands."""
    last = out[-1] if out else SEMICOLON
    if last in (SEMICOLON, b"{"):
        return False
    if end == SEMICOLON:
        is_empty = last in (b")!", b"else", b"do")
        return is_empty or not (token == b"}" or (last == b"}" and not _continues(token)))
    return token != b"}" and _ends(out) and not _continues(token)


def _ends(out: list[bytes]) -> bool:
    last = out[-1]
    if last[0] >= 128 or last[:1].isalnum() or last[0] in b"_$#@\"'`/.":
        return last not in UNFINISHED or out[-2:-1] in ([b"."], [b"?."])
    return last in ENDING or last.endswith(b"`") or last.startswith(b"</")


def _continues(token: bytes) -> bool:
    """Whether `token` on a new line goes on with the statement."""
    if token[0] >= 128 or token[:1].isalnum() or token[0] in b"_$#@":
        return token in CONTINUING_WORDS
    return not (token in BEGINNING or token[0] in b"\"'" or (token[0] == 46 and token[1:2].isdigit()))


def _drop_comma(out: list[bytes]) -> None:
    if len(out) > 1 and out[-1] == b"," and out[-2] not in (b",", b"[", b"("):
        out.pop()


def _unquote(out: list[bytes]) -> None:
    """Take the quotes from the name of a property."""
    if len(out) > 1 and out[-1][:1] == b'"' and out[-2] in (b"{", b",", b";"):
        name = out[-1][1:-1]
        if name.replace(b"_", b"a").replace(b"$", b"a").isalnum() and not name[:1].isdigit():
            out[-1] = name


def _number(token: bytes) -> bytes:
    if not (token[:1].isdigit() or (token[:1] == b"." and token[1:2].isdigit())):
        return token
    text = token.lower()
    if text[:1] == b"0" and text[1:2].isalnum() or not set(text) <= set(b"0123456789.e+-"):
        return text
    return repr(float(text)).encode()


def _without_parentheses(tokens: list[bytes]) -> list[bytes]:
    """Return `tokens` without the parentheses that only group what is grouped already."""
    dropped: set[int] = set()
    opened: list[int] = []
    parted: list[bool] = []
    for index, token in enumerate(tokens):
        if token in (b"(", b"[", b"{") or (token.endswith(b"${") and token[:1] == b"`"):
            opened.append(index)
            parted.append(False)
        elif token in CLOSERS or (token[:1] == b"}" and token.endswith(b"`")):
            start = opened.pop()
            if not parted.pop() and token == b")" and _is_redundant(tokens, start, index):
                dropped |= {start, index}
        elif token in (b",", SEMICOLON) and parted:
            parted[-1] = True
    return [token for index, token in enumerate(tokens) if index not in dropped]


def _is_redundant(tokens: list[bytes], start: int, end: int) -> bool:
    """Whether the parentheses at `start` and `end` hold one expression that nothing outside can tear apart."""
    before = tokens[start - 1] if start else b""
    after = tokens[end + 1] if end + 1 < len(tokens) else b""
    first, last = tokens[start + 1], tokens[end - 1]
    if end - start == 2 and after == b"=>":
        return before != b")" and (first[:1].isalpha() or first[:1] in b"_$")
    if end - start < 2 or (after not in AFTER_PARENTHESES and not (after == b":" and before == b"?")):
        return False
    if before in BEFORE_ELEMENT:
        return first == b"<" and last.startswith(b"</")
    if before not in BEFORE_PARENTHESES or (before == b"{" and tokens[start - 2 : start - 1] != [b"="]):
        return False
    # Bare, these would begin a block or a declaration.
    return not (before in (b"=>", b":") and first in (b"{", b"function", b"class", b"async", b"let"))
