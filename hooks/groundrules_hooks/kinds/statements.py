"""Statements: the tokens of a script with every statement ended the same way, as the language ends them by itself."""

from __future__ import annotations

from groundrules_hooks.kinds import parentheses
from groundrules_hooks.kinds.endings import DOUBTFUL, END, ends_type

OPENERS = {b"(": b")", b"[": b"]", b"{": b"}"}
CLOSERS = frozenset((b")", b"]", b"}", b")!"))
SEMICOLON = b";"
# Two semicolons in a row, and a line end in brackets: there it ends no statement, and may still be wrong.
EMPTY, IN_LIST = b";;", b"\n\n"
# No line end may stand before these; in brackets, not before those either.
UNPARTED = frozenset((b"=>",))
UNPARTED_IN_LIST = frozenset((b"++", b"--", b"!", b"as", b"satisfies"))
AFTER_BLOCK = frozenset((b"else", b"catch", b"finally"))
SPECIAL = frozenset((b"(", b"[", b"{", b")", b"]", b"}", b">", b"|", b"&", b":", b"`"))
NUMERIC = b".0123456789"
# After these words a line end does not end a statement.
UNFINISHED = frozenset(
    b"/ /= . ... typeof new in of instanceof case delete else do await export default import const let var class"
    b" extends implements function if for while with switch try finally as satisfies is keyof infer".split()
)
ENDING = frozenset((b")", b"]", b"++", b"--", b"!"))
# What begins a statement after a line end, of operators; all others go on.
BEGINNING = frozenset((b"++", b"--", b"!", b"~", b"..."))
# A line end right after these ends a statement, whatever follows.
RESTRICTED = frozenset((b"return", b"throw", b"break", b"continue"))
# So does one after these where they are no names: before an operand, or before what makes a member of a class.
PERHAPS_RESTRICTED = frozenset(
    b"yield async accessor readonly declare abstract override public private protected".split()
)
PERHAPS_BEGINNING = b"([{*<`+-/"
# What stands before a type, and how many tokens are looked at for it.
TYPING = frozenset((b":", b"as", b"satisfies", b"type"))
LONGEST_TYPE = 50
CONTINUING_WORDS = frozenset((b"in", b"instanceof", b"extends", b"implements"))
MODIFIERS = frozenset((b"get", b"set", b"static"))
BEFORE_MEMBER = frozenset((b"{", b"}", b";", b",", b")"))
RETURNING = frozenset((b"return", b"throw", b"yield", b"void"))
# A type may have a bar or an ampersand in front.
BEFORE_BAR = frozenset((b"=", b":", b"(", b"<", b",", b"[", b"=>", b"?", b"as", b"satisfies", b"extends"))
# A brace after these holds the members of a type when the first one is `name:` or `name?:`.
BEFORE_TYPE = frozenset((b":", b"=", b"<", b"|", b"&", b"(", b",", b"[", b">"))
AFTER_NEW = frozenset((b";", b",", b")", b"]", b"}"))
BEFORE_BLOCK = frozenset((b"else", b"do", b"try", b"finally"))


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
            elif is_list:
                end = IN_LIST
            else:
                end = EMPTY if end in (SEMICOLON, EMPTY) and token == SEMICOLON else end if end == SEMICOLON else token
            continue
        if end and (ending := _in_list(out, token) if end == IN_LIST else _ending(out, end, token)):
            out.append(ending)
        end = b""
        if token[:1] in SPECIAL:
            _special(out, stack, token)
        else:
            out.append(_number(token) if token[0] in NUMERIC else token)
    if end in (SEMICOLON, EMPTY) and out and out[-1] == b")!":
        out.append(SEMICOLON)
    return parentheses.without(_with_separators(_called(out)))


def _called(tokens: list[bytes]) -> list[bytes]:
    """Return `tokens` with the parentheses that `new Name` may leave out."""
    out: list[bytes] = []
    is_name = False
    for token in tokens:
        if is_name and token in AFTER_NEW:
            out += (b"(", b")")
        is_word = token[:1].isalpha() or token[:1] in (b"_", b"$")
        before = out[-1] if out else b""
        if is_word and token not in UNFINISHED:
            is_name = (before == b"new" and out[-2:-1] not in ([b"."], [b"?."])) or (is_name and before == b".")
        else:
            is_name = is_name and token == b"."
        out.append(token)
    return [*out, b"(", b")"] if is_name else out


def _special(out: list[bytes], stack: list[bytes], token: bytes) -> None:
    """Add a bracket or a sign that makes something before it needless."""
    _nest(stack, token)
    if token in CLOSERS or token == b">":
        _drop_comma(out)
    elif token in (b"|", b"&") and out and out[-1] in BEFORE_BAR:
        return
    elif token == b":":
        _unquote(out)
    out.append(token)


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


def _ending(out: list[bytes], end: bytes, token: bytes) -> bytes:
    """Return the token that `end`, a line end or a semicolon between `out` and `token`, is; none if it says nothing."""
    last = out[-1] if out else SEMICOLON
    is_alone = end == EMPTY or last in (SEMICOLON, b"{")
    if is_alone and end != END and token[:1] == b'"':  # no directive, as "use strict" is, stands behind a statement
        return EMPTY
    if last in (SEMICOLON, b"{"):
        return b""
    if end != END:
        is_empty = last in (b")!", b"else", b"do")
        is_needless = token == b"}" or (last == b"}" and not _continues(token) and token not in AFTER_BLOCK)
        return SEMICOLON if is_empty or not is_needless else b""
    if token in UNPARTED or (token == b"[" and last == b"}" and _may_end_type(out)):
        return DOUBTFUL
    if token == b"}" or not _ends(out) or _is_modifier(out):
        return b""
    return _cut(out, token) if _continues(token) else SEMICOLON


def _in_list(out: list[bytes], token: bytes) -> bytes:
    """Return the token that a line end in brackets is: none, but where no line end may stand."""
    is_unparted = token in UNPARTED or (_ends(out) and (token in UNPARTED_IN_LIST or bool(_cut(out, token))))
    return DOUBTFUL if is_unparted else b""


def _cut(out: list[bytes], token: bytes) -> bytes:
    """Return what a line end is before `token`, which goes on with most statements."""
    last = out[-1]
    is_member = out[-2:-1] in ([b"."], [b"?."])
    if last in RESTRICTED and not is_member:
        return SEMICOLON
    is_doubtful = last in PERHAPS_RESTRICTED and not is_member and token[0] in PERHAPS_BEGINNING
    return DOUBTFUL if is_doubtful or (token == b"[" and _may_end_type(out)) else b""


def _may_end_type(out: list[bytes]) -> bool:
    """Whether `out` may end with a type, as in `let a: B`: an index on the next line is none of that type."""
    for token in reversed(out[-LONGEST_TYPE:]):
        if token in (SEMICOLON, b")!"):
            return False
        if token in TYPING:
            return True
    return len(out) > LONGEST_TYPE


def _ends(out: list[bytes]) -> bool:
    last = out[-1]
    if last[:1] == b"@":  # a decorator, and what it decorates
        return False
    if last[0] >= 128 or last[:1].isalnum() or last[0] in b"_$#@\"'`/.":
        return last not in UNFINISHED or out[-2:-1] in ([b"."], [b"?."])
    return (
        last in ENDING
        or last.endswith(b"`")
        or last.startswith(b"</")
        or (last in (b">", b">>", b">>>") and ends_type(out))
    )


def _is_modifier(out: list[bytes]) -> bool:
    """Whether a line that ends with `out` goes on as `get x() {}` does, and not as after a field named `get`.

    No line end may stand after the other words of this kind, such as `async` and `accessor`: those are fields then.
    """
    if out[-1] not in MODIFIERS or len(out) < 2:
        return False
    before = out[-2]
    is_word = before[:1].isalpha() or before[:1] in (b"_", b"$", b"@")
    return before in BEFORE_MEMBER or (is_word and before not in UNFINISHED and before not in RETURNING)


def _continues(token: bytes) -> bool:
    """Whether `token` on a new line goes on with the statement."""
    if token[0] >= 128 or token[:1].isalnum() or token[0] in b"_$#@":
        return token in CONTINUING_WORDS
    return not (token in BEGINNING or token[0] in b"\"'" or (token[0] == 46 and token[1:2].isdigit()))


def _drop_comma(out: list[bytes]) -> None:
    if len(out) > 1 and out[-1] == b"," and out[-2] not in (b",", b"[", b"("):
        out.pop()


def _unquote(out: list[bytes]) -> None:
    """Take the quotes from the name of a property: `"a":`, or `"a"?:` in a type."""
    at = len(out) - 1 - (out[-1:] == [b"?"])
    if at > 0 and out[at][:1] == b'"' and out[at - 1] in (b"{", b",", b";") and not _is_in_case(out):
        name = out[at][1:-1]
        if name.replace(b"_", b"a").replace(b"$", b"a").isalnum() and not name[:1].isdigit():
            out[at] = name


def _is_in_case(out: list[bytes]) -> bool:
    """Whether `out` ends in a list of expressions behind `case`, whose colon names no property."""
    for token in reversed(out):
        if token in (b"{", b";", b":", b"case"):
            return token == b"case"
    return False


def _number(token: bytes) -> bytes:
    if not (token[:1].isdigit() or (token[:1] == b"." and token[1:2].isdigit())):
        return token
    text = token.lower()
    if (text[:1] == b"0" and text[1:2].isalnum()) or not set(text) <= set(b"0123456789.e+-"):
        return text
    return repr(float(text)).encode()


def _with_separators(tokens: list[bytes]) -> list[bytes]:
    """Return `tokens` with semicolons between the members of types, which may have commas too."""
    out = list(tokens)
    opened: list[tuple[int, list[int]]] = []
    for index, token in enumerate(tokens):
        if token in OPENERS:
            opened.append((index, []))
        elif token in CLOSERS and opened:
            start, commas = opened.pop()
            if token == b"}" and commas and _is_type(tokens, start):
                for comma in commas:
                    out[comma] = SEMICOLON
        elif token == b"," and opened:
            opened[-1][1].append(index)
    return out


def _is_type(tokens: list[bytes], start: int) -> bool:
    before = tokens[start - 1] if start else b"{"
    is_word = before[:1].isalpha() or before[:1] in (b"_", b"$")
    is_member = tokens[start + 2 : start + 3] in ([b":"], [b"?"]) and tokens[start + 1] not in (b"case", b"default")
    return is_member and (before in BEFORE_TYPE or (is_word and before not in BEFORE_BLOCK))
