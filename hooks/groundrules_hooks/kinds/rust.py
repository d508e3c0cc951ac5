"""Rust: the tokens without the braces and commas that its formatter puts and takes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Where a bracket opened, and whether it is the body of an arm.
    Block = tuple[int, bool]

OPENERS = frozenset((b"(", b"{", b"["))
CLOSERS = frozenset((b")", b"}", b"]"))
PLACED = OPENERS | CLOSERS | {b";"}
# What may stand before the bars of a closure.
BEFORE_CLOSURE = frozenset((b"(", b",", b"=", b"move", b"=>", b"{", b";", b"return", b"[", b":"))
AFTER_CLOSURE = frozenset((b")", b",", b";", b"}", b"]"))


def normal(tokens: list[bytes]) -> list[bytes]:
    """Return `tokens` without braces around the one expression of an arm or a closure, each arm with its comma.

    Strings are as they are read: a line that ends with a backslash goes on with the next letter.
    """
    import re

    out: list[bytes] = []
    opened: list[Block] = []
    with_statements: set[int] = set()
    for index, spelled in enumerate(tokens):
        if spelled not in PLACED and spelled[:1] != b'"':
            out.append(spelled)
            continue
        token = (
            re.sub(rb"(\\[^\n])|\\\n\s*", rb"\1", spelled) if spelled[:1] == b'"' and b"\\\n" in spelled else spelled
        )
        if token in OPENERS:
            opened.append((len(out), token == b"{" and out[-1:] == [b"=>"]))
            with_statements.discard(len(out))
        elif token == b";" and opened:
            with_statements.add(opened[-1][0])
        if token == b"{" and out[-1:] == [b","] and _is_where(out):
            out.pop()
        out.append(token)
        if token in CLOSERS and opened:
            _close(out, opened.pop(), with_statements, tokens[index + 1] if index + 1 < len(tokens) else b"")
    return out


def _is_where(out: list[bytes]) -> bool:
    """Whether the comma at the end of `out` ends a where clause: `where T: A, {`."""
    for token in reversed(out[:-1]):
        if token == b"where":
            return True
        if token in (b";", b"{", b"}", b"=>"):
            return False
    return False


def _close(out: list[bytes], block: Block, with_statements: set[int], after: bytes) -> None:
    """Take the braces that just closed if they hold one expression, and put the comma of an arm."""
    start, is_arm = block
    if out[start] != b"{":
        return
    is_single = start not in with_statements and len(out) - start > 2
    if is_arm and after not in (b";", b")", b".", b"?"):
        if is_single:
            del out[start], out[-1]
        if after not in (b",", b"}"):
            out.append(b",")
    elif is_single and after in AFTER_CLOSURE and _is_closure(out, start):
        del out[start], out[-1]


def _is_closure(out: list[bytes], start: int) -> bool:
    """Whether the brace at `start` is the body of a closure."""
    if out[start - 1 : start] == [b"||"]:
        return out[start - 2 : start - 1] == [] or out[start - 2] in BEFORE_CLOSURE
    if out[start - 1 : start] != [b"|"]:
        return False
    depth = 0
    for index in range(start - 2, -1, -1):
        depth += (out[index] in CLOSERS) - (out[index] in OPENERS)
        if out[index] == b"|" and depth == 0:
            return index > 0 and out[index - 1] in BEFORE_CLOSURE
        if depth < 0 or out[index] in (b";", b"{"):
            return False
    return False
