"""Styles: the tokens of style sheets, where a blank may join two selectors or part them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from groundrules_hooks.kinds.tokens import Token

GAP = b" "
HEXADECIMAL = b"0123456789abcdef"
# A blank before or after these says nothing.
FREE_BEFORE = frozenset((b",", b")", b"!", b"]"))
FREE_AFTER = frozenset((b",", b"(", b"!", b"["))
# Digits as signs that are neither letters nor operators.
UNREADABLE = bytes.maketrans(b"0123456789abcdef", bytes((*range(1, 9), *range(14, 22))))
COMBINATORS = frozenset((b">", b"~", b"+"))


def normal(scanned: list[Token]) -> list[bytes]:
    """Return the tokens with the blanks that count, one end behind each declaration, numbers as the shortest."""
    out: list[bytes] = []
    segment: list[Token] = []
    depth = 0
    for token in scanned:
        text = token[1]
        if text not in (b"{", b"}", b";"):
            segment.append(token)
            continue
        if token[2] and segment and segment[-1][1] == b":":
            segment.append((token[0], b"", True))  # a blank is a value to a property of one's own
        out += _prelude(segment) if text == b"{" else _declaration(segment)
        if text == b"}" and out and out[-1] == b";":
            out.pop()
        depth += (text == b"{") - (text == b"}")
        # Outside of blocks a semicolon without a statement spoils the rule that follows.
        if text != b";" or depth <= 0 or out[-1] not in (b";", b"{"):
            out.append(text)
        segment = []
    return out + _declaration(segment)


def _prelude(segment: list[Token]) -> list[bytes]:
    is_rule = bool(segment) and not segment[0][1].startswith(b"@")
    return _spaced(segment, COMBINATORS if is_rule else frozenset())


def _declaration(segment: list[Token]) -> list[bytes]:
    """Return the tokens of `segment`; blanks around its first colon say nothing."""
    colon = next((index for index, token in enumerate(segment) if token[1] == b":"), None)
    if colon is None or (segment[0][1].startswith(b"@") and colon > 1) or segment[0][1] in (b"&", b"."):
        return _spaced(segment)
    values = _spaced(segment[colon + 1 :])
    for index, value in enumerate(values):
        if index and values[index - 1] == b"#" and not value.lower().strip(HEXADECIMAL):
            values[index] = value.lower()
    if segment[0][1] == b"-" == segment[1][1]:  # a property of one's own is read as it is spelled, by scripts too
        spelled = b" ".join(token[1] for token in segment[colon + 1 :])
        values.append(b"\0" + spelled.hex().encode().translate(UNREADABLE))
    return [*_spaced(segment[:colon]), b":", *values]


def _spaced(segment: list[Token], free: frozenset[bytes] = frozenset()) -> list[bytes]:
    out: list[bytes] = []
    depth = 0
    # `(min-width: 1px)` in an at-rule; but `:not(a :hover)` in a selector.
    is_at_rule = bool(segment) and segment[0][1].startswith(b"@") and segment[0][1].lower() != b"@scope"
    is_at_rule = is_at_rule and not any(text == b"selector" for _, text, _ in segment)
    for _, text, gap in segment:
        depth += (text == b"(") - (text == b")")
        loose = free if not (is_at_rule and depth) else frozenset((b":",))
        last = out[-1] if out else b","
        is_free = text in FREE_BEFORE or last in FREE_AFTER or text in loose or last in loose
        is_free = is_free and not (last == b"+" and depth)  # `:nth-child(+2n)`
        if gap and not is_free:
            out.append(GAP)
        out.append(_number(text))
    return out


def _number(text: bytes) -> bytes:
    """Return a number without zeros that say nothing: `.50em` and `0.5em` are one."""
    whole, dot, rest = text.partition(b".")
    if not dot or (whole and not whole.isdigit()) or not rest[:1].isdigit():
        return text
    digits = rest[: len(rest) - len(rest.lstrip(b"0123456789"))]
    fraction = digits.rstrip(b"0")
    return (whole or b"0") + (b"." + fraction if fraction else b"") + rest[len(digits) :]
