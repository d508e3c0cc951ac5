"""Lines: files compared line by line, where white space within a line may mean something."""

from __future__ import annotations

from groundrules_hooks.kinds.remarks import Remark, compare_remarks
from groundrules_hooks.kinds.verdict import FUNCTIONAL, UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules_hooks.kinds.languages import Language

QUOTED = rb'"(?:[^"\\]|\\.)*"|' + rb"'[^'\\]*'"
# What may go on over several lines, or begin a text that is not code.
LONG = rb"[\"'`]|<<[-~]?[\"'`A-Za-z_]|\\\s+$"
LONG_IN_RUBY = LONG + rb"|%[a-zA-Z]?[^\w\s=]|^[^/]*(?:/[^/]*/[^/]*)*/[^/]*$"
DOCUMENTS = (b"=begin", b"__END__", b"=pod")
BLOCK = rb"(?:^|\s)[|>][-+\d]*(?:\s+#.*)?$"
OPEN_QUOTE = rb"(?:^|[:\-\[{,?]\s+|[\[{,])(?:\"(?:[^\"\\]|\\.)*$|'(?:[^']|'')*$)"
KEY = rb"\s*(?:- +)*(?:[\w.${}/-]+|\"[^\"]*\"|'[^']*'):(?:\s|$)|---"


def compare(old: bytes, new: bytes, language: Language) -> str:
    """Judge two files of a language whose lines are statements, or whose indentation counts."""
    before, after = _read(old, language), _read(new, language)
    if before is not None and after is not None and before[0] == after[0]:
        return compare_remarks(before[1], after[1])
    return compare_words(old, new, language)


def compare_words(old: bytes, new: bytes, language: Language) -> str:
    """Judge two files by their words outside all that may be a comment."""
    from collections import Counter

    return FUNCTIONAL if Counter(_words(old, language)) != Counter(_words(new, language)) else UNKNOWN


def _words(data: bytes, language: Language) -> list[bytes]:
    import re

    if "markup" in language.traits:
        data = re.sub(rb"<!--.*?-->|(?m:^)\s*/?\*[^\n]*|(?m:(?:^|\s)//[^\n]*$)", b" ", data, flags=re.DOTALL)
    else:
        data = re.sub(b"[" + b"".join(language.marks) + rb"][^\n]*", b"", data)
    return re.findall(rb"[\w\x80-\xff]+", data.lower())


def _read(data: bytes, language: Language) -> tuple[list[bytes], list[Remark]] | None:
    if "blocks" in language.traits:
        return _yaml(data)
    return _statements(data, LONG_IN_RUBY if "ruby" in language.traits else LONG)


def _statements(data: bytes, long: bytes) -> tuple[list[bytes], list[Remark]] | None:
    """Return the lines without blanks at their ends, and the comments; None when a line may be part of a text."""
    import re

    lines: list[bytes] = []
    remarks: list[Remark] = []
    for line in data.split(b"\n"):
        bare = line.strip()
        goes_on = bool(lines) and lines[-1].endswith(b"\\")
        if bare.startswith(b"#") and not goes_on:
            remarks.append(Remark(bare, len(lines)))
            continue
        if line.startswith(DOCUMENTS) or re.search(long, re.sub(QUOTED, b"", line)):
            return None
        if goes_on:
            # A blank in front parts two words, none joins them.
            lines.append(b" " * line[:1].isspace() + bare)
        elif bare:
            lines.append(bare)
    return lines, remarks


def _yaml(data: bytes) -> tuple[list[bytes], list[Remark]] | None:
    """Return the lines that say something, indented as they are; None when a string may go on over lines."""
    import re

    lines: list[bytes] = []
    remarks: list[Remark] = []
    block = -1
    for line, is_key in _with_keys(data):
        bare = line.strip()
        indent = len(line) - len(line.lstrip(b" "))
        if block >= 0 and (not bare or indent > block):
            lines.append(line)
            continue
        block = -1
        if bare.startswith(b"#"):
            remarks.append(Remark(bare, len(lines)))
            continue
        if re.search(OPEN_QUOTE, line):
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
            block = indent
    return lines, remarks


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
