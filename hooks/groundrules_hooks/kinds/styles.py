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
COMBINATORS = frozenset((b">", b"~", b"+"))


def normal(scanned: list[Token]) -> list[bytes]:
    """Return the tokens with the blanks that count, one end behind each declaration, numbers as the shortest."""
    out: list[bytes] = []
    segment: list[Token] = []
    for token in scanned:
        text = token[1]
        if text not in (b"{", b"}", b";"):
            segment.append(token)
            continue
        out += _prelude(segment) if text == b"{" else _declaration(segment)
        if text == b"}" and out and out[-1] == b";":
            out.pop()
        if text != b";" or (out and out[-1] not in (b";", b"{")):
            out.append(text)
        segment = []
    return out + _declaration(segment)


def _prelude(segment: list[Token]) -> list[bytes]:
    is_rule = bool(segment) and not segment[0][1].startswith(b"@")
    return _spaced(segment, COMBINATORS if is_rule else frozenset())


def _declaration(segment: list[Token]) -> list[bytes]:
    """Return the tokens of `segment`; blanks around its first colon say nothing."""
    colon = next((index for index, token in enumerate(segment) if token[1] == b":"), None)
    if colon is None or (segment[0][1].startswith(b"@") and colon > 1):
        return _spaced(segment)
    values = _spaced(segment[colon + 1 :])
    for index, value in enumerate(values):
        if index and values[index - 1] == b"#" and not value.lower().strip(HEXADECIMAL):
            values[index] = value.lower()
    return [*_spaced(segment[:colon]), b":", *values]


def _spaced(segment: list[Token], free: frozenset[bytes] = frozenset()) -> list[bytes]:
    out: list[bytes] = []
    depth = 0
    # `(min-width: 1px)` in an at-rule; but `:not(a :hover)` in a selector.
    is_at_rule = bool(segment) and segment[0][1].startswith(b"@")
    for _, text, gap in segment:
        depth += (text == b"(") - (text == b")")
        loose = free if not (is_at_rule and depth) else frozenset((b":",))
        last = out[-1] if out else b","
        is_free = text in FREE_BEFORE or last in FREE_AFTER or text in loose or last in loose
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
