"""Endings: where the end of a line ends a statement."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from groundrules_hooks.kinds.languages import Lines

END = b"\n"


def ends(out: list[bytes], stack: list[tuple[bytes, int, bool]], lines: Lines | None) -> bool:
    """Whether a line end after `out` ends a statement."""
    if lines is None or not out or out[-1] == END:
        return False
    if lines.is_hidden_in_brackets and stack and stack[-1][0] in (b"(", b"["):
        return False
    last = out[-1]
    if last[:1] == b"@":  # an annotation, and what it annotates
        return False
    if last[0] >= 128 or last[:1].isalnum() or last[0] in b"_$@\"'`":
        return last not in lines.joining
    if last == b">":
        return last in lines.ends and ends_type(out)
    # The star of `import a.*` ends a line, the one of `a * b` does not.
    return last in lines.ends and (last != b"*" or out[-2:-1] == [b"."])


def ends_type(out: list[bytes]) -> bool:
    """Whether the > at the end of `out` closes a < of the same statement, so that it is no comparison."""
    depth = 0
    for token in reversed(out):
        depth += (token == b">") - (token == b"<")
        if depth == 0 or token in (END, b";", b"{", b"}"):
            break
    return depth == 0
