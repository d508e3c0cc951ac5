"""YAML: its lines with what contains them in place of their indentation, as far as lines alone tell."""

from __future__ import annotations

from groundrules_hooks.kinds.remarks import Remark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCK = rb"(?:^|\s)[|>][-+\d]*(?:\s+#.*)?$"
PROPERTY = rb"(?:(?<!\S)|(?<=[\[{,]))[!&][^\s,\[\]{}]*\s+"  # a tag, or an anchor
OPEN_QUOTE = rb"(?:^|[:\-\[{,?]\s+|[\[{,]|[\"']:|" + PROPERTY + rb")(?:\"(?:[^\"\\]|\\.)*$|'(?:[^']|'')*$)"
KEY = rb"\s*(?:- +)*(?:[\w.${}/-]+|\"[^\"]*\"|'[^']*'):(?:\s|$)|---"
PLAIN = rb"[^\s\"'#\[\]{},&*!|>%@`?-][^\"'#]*?:(?:\s|$)"  # a key with blanks in it
# Before a text that is all of a document, and needs no indentation.
ROOT = rb"^(?=---|[|>!&])(?:.*\s)?[|>][-+\d]*(?:\s+#.*)?\s*$"
UNREAD = OPEN_QUOTE + b"|" + ROOT
SIZED = rb"[|>][-+]?[1-9]"  # the indentation of a text, said in its head
MAPPING, SEQUENCE = b":", b"-"


def read(data: bytes) -> tuple[list[bytes], list[Remark]] | None:
    """Return the lines that say something, and the comments; None when a string may go on over lines.

    A line has how deep it is instead of its indentation. Where one of them is neither a key nor an item the
    indentation is left as it is.
    """
    import re

    lines: list[bytes] = []
    remarks: list[Remark] = []
    texts: dict[int, int] = {}  # lines of a text that is told by its indentation, and what indents its first line
    block = first = begun = -1
    for line, is_key in _with_keys(data):
        bare = line.strip()
        indent = len(line) - len(line.lstrip(b" "))
        if block >= 0 and (not bare or indent > block):
            if first < 0 and bare:
                first = indent
                if any(len(blank) > first for blank in lines[begun:]):
                    return None  # a text does not begin with blanks deeper than itself
            texts[len(lines)] = max(first, 0)
            lines.append(line)
            continue
        block = first = -1
        if bare.startswith(b"#"):
            remarks.append(Remark(bare, len(lines)))
            continue
        if re.search(UNREAD, line):
            return None
        if not bare and is_key:
            continue
        code, space, comment = line.rstrip().partition(b" #")
        if space and not {34, 39} & set(code):
            remarks.append(Remark(b"#" + comment, len(lines)))
            lines.append(code.rstrip())
        else:
            lines.append(line.rstrip())
        if re.search(BLOCK, line.rstrip()):
            block, begun = _column(line), len(lines)
    return _nested(lines, texts) or lines, remarks


def _column(line: bytes) -> int:
    """Return the column of what the text at the end of `line` belongs to: of the key, or of the last dash."""
    import re

    dashes = re.match(rb" *(?:- +)*", line)
    start = dashes.end() if dashes else 0
    return start if _is_key(line[start:]) else max(line.rfind(b"-", 0, start), 0)


def _is_key(rest: bytes) -> bool:
    import re

    return re.match(KEY, rest) is not None or re.match(PLAIN, rest) is not None


def _nested(lines: list[bytes], texts: dict[int, int]) -> list[bytes] | None:
    """Return `lines` by their depth; None where one of them is no key and no item, or stands where none can."""
    import re

    out: list[bytes] = []
    within: list[tuple[int, bytes]] = []
    for index, line in enumerate(lines):
        if index in texts:
            if line[: texts[index]].strip(b" "):
                return None
            out.append(b"|" + line[texts[index] :])  # a text may look like anything else
            continue
        if line == b"---":
            within.clear()
            out.append(line)
            continue
        at = len(line) - len(line.lstrip(b" "))
        while item := re.match(rb"-(?: +|$)", line[at:]):
            if not _enter(within, at, SEQUENCE):
                return None
            out.append(b"%d -" % len(within))
            at += item.end()
        rest = line[at:]
        is_key = _is_key(rest)
        if b"\t" in line or re.search(SIZED, rest) or (is_key and not _enter(within, at, MAPPING)):
            return None
        if rest and not is_key and not line.lstrip().startswith(b"-"):
            return None
        out.append(b"%d %s" % (len(within), rest))
    return out


def _enter(within: list[tuple[int, bytes]], at: int, kind: bytes) -> bool:
    """Go on to what begins at column `at`; False where the indentation leads back to nowhere."""
    is_back = False
    while within and (within[-1][0] > at or (within[-1] == (at, SEQUENCE) and kind == MAPPING)):
        within.pop()
        is_back = True
    if within and within[-1] == (at, kind):
        return True
    if is_back:
        return False
    within.append((at, kind))
    return True


def _with_keys(data: bytes) -> Iterator[tuple[bytes, bool]]:
    """Yield each line, and whether the next one that says something begins a new key."""
    import re

    is_key = True
    pairs: list[tuple[bytes, bool]] = []
    for line in reversed(data.split(b"\n")):
        pairs.append((line, is_key))
        if line.strip() and not line.strip().startswith(b"#"):
            is_key = re.match(KEY, line) is not None
    return reversed(pairs)
