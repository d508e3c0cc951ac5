"""Parentheses: those of a script that only group what is grouped already."""

from __future__ import annotations

OPENERS = frozenset((b"(", b"[", b"{"))
CLOSERS = frozenset((b")", b"]", b"}", b")!"))
BEFORE = frozenset((b"", b";", b"return", b"throw", b"=", b"=>", b"?", b":", b"(", b",", b"[", b"{"))
AFTER = frozenset((b";", b")", b")!", b"]", b"}", b",", b""))
AFTER_TYPE = frozenset((b"|", b"&", b"<"))
# Bare, these would begin a block or a declaration.
DECLARING = frozenset((b"{", b"function", b"class", b"async", b"let"))
LEVELS = (
    b"??",
    b"||",
    b"&&",
    b"|",
    b"^",
    b"&",
    b"== != === !==",
    b"< > <= >= in instanceof as satisfies",
    b"<< >> >>>",
    b"+ -",
    b"* / %",
)
LEVEL = {sign: level for level, signs in enumerate(LEVELS) for sign in signs.split()}
TIGHTEST = len(LEVELS)
# What binds less than all of these, so that its parentheses stay beside an operator.
LOOSEST = frozenset(b"? : = => , ; ... += -= *= /= %= **= <<= >>= >>>= &= |= ^= &&= ||= ??= yield async ** new".split())


def without(tokens: list[bytes]) -> list[bytes]:
    """Return `tokens` without redundant parentheses, the innermost first."""
    out: list[bytes] = []
    opened: list[int] = []
    for index, token in enumerate(tokens):
        if token in OPENERS or (token[:1] == b"`" and token.endswith(b"${")):
            opened.append(len(out))
        out.append(token)
        if token in CLOSERS or (token[:1] == b"}" and token.endswith(b"`")):
            start = opened.pop()
            after = tokens[index + 1] if index + 1 < len(tokens) else b""
            if token == b")" and _is_redundant(out, start, after):
                del out[start], out[-1]
    return out


def _is_redundant(out: list[bytes], start: int, after: bytes) -> bool:
    """Whether the parentheses from `start` to the end of `out` hold what nothing outside can tear apart."""
    before = out[start - 1] if start else b""
    inside = out[start + 1 : -1]
    if not inside or _is_needed(out, start):
        return False
    if len(inside) == 1 and after == b"=>":
        return before != b")" and _is_name(inside[0])
    if before in (b"&&", b"||", b"??") and after in AFTER and inside[0] == b"<" and inside[-1].startswith(b"</"):
        return True
    left = -1 if before in BEFORE else _level(out, start - 1)
    right = -1 if after in AFTER or (after == b":" and before == b"?") else LEVEL.get(after)
    if left == right == -1:
        return not _has_comma(inside) and not (before == b"=" and b"in" in inside)
    tightness = _tightness(inside)
    is_unmixable = b"??" in (before, after) and tightness in (LEVEL[b"||"], LEVEL[b"&&"])
    if left is None or tightness is None or is_unmixable or (after in AFTER_TYPE and _has_type(inside)):
        return False
    return (left == -1 and after == b"?") if right is None else left < tightness >= right


def _is_needed(out: list[bytes], start: int) -> bool:
    """Whether what the parenthesis at `start` opens would be read as a block, a declaration or a statement without."""
    before = out[start - 1] if start else b""
    if before == b"{":
        return out[start - 2 : start - 1] != [b"="]
    first, last = out[start + 1], out[-2]
    if before in (b"", b";") and first is last and first[:1] == b'"':
        return True  # a directive, such as "use strict"
    return before in (b"=>", b":", b"", b";") and first in DECLARING


def _is_name(token: bytes) -> bool:
    return token[:1].isalpha() or token[:1] in (b"_", b"$")


def _level(out: list[bytes], index: int) -> int | None:
    """Return how tight the operator at `index` binds; None when it is none with two sides."""
    if index < 1 or out[index] not in LEVEL:
        return None
    last = out[index - 1]
    is_operand = _is_name(last) or last[:1].isdigit() or last[:1] in (b'"', b"`", b"#", b"@") or last in CLOSERS
    return LEVEL[out[index]] if is_operand and last not in (b"return", b"typeof", b"case", b")!") else None


def _tightness(inside: list[bytes]) -> int | None:
    """Return how tight the loosest operator of `inside` binds; None when it must not stand beside another."""
    tightness, depth = TIGHTEST, 0
    for token in inside:
        depth += (token in OPENERS or token.endswith(b"${")) - (token in CLOSERS or token[:1] == b"}" != token)
        if depth == 0 and token in LOOSEST:
            return None
        if depth == 0 and token in LEVEL:
            tightness = min(tightness, LEVEL[token])
    return tightness


def _has_type(inside: list[bytes]) -> bool:
    """Whether `inside` may end with a type, which would go on outside."""
    return b"as" in inside or b"satisfies" in inside


def _has_comma(inside: list[bytes]) -> bool:
    depth = 0
    for token in inside:
        depth += (token in OPENERS) - (token in CLOSERS)
        if depth == 0 and token in (b",", b";"):
            return True
    return False
