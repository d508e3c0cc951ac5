"""Lines: files compared line by line, where white space within a line may mean something."""

from __future__ import annotations

from groundrules_hooks.kinds.remarks import Remark, compare_remarks
from groundrules_hooks.kinds.verdict import FUNCTIONAL, UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from groundrules_hooks.kinds.languages import Language

QUOTED = rb'"(?:[^"\\]|\\.)*"|' + rb"'[^'\\]*'"
# What may go on over several lines, or begin a text that is not code.
LONG = rb"[\"'`]|(?<!<)<<(?!<)|\\\s+$"
LONG_IN_RUBY = rb"[\"'`]|<<[-~]?[\"'`A-Za-z_]|\\\s+$|%[a-zA-Z]?[^\w\s=]|^[^/]*(?:/[^/]*/[^/]*)*/[^/]*$"
DOCUMENTS = (b"=begin", b"__END__", b"=pod")


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
        data = re.sub(
            rb"<!--.*?(?:-->|\Z)|(?m:^)[ \t\r\f\v]*/?\*[^\n]*|(?m:(?:^|\s)//[^\n]*$)", b" ", data, flags=re.DOTALL
        )
    else:
        data = re.sub(b"[" + b"".join(language.marks) + rb"][^\n]*", b"", data)
    return re.findall(rb"[\w\x80-\xff]+", data.lower())


def _read(data: bytes, language: Language) -> tuple[list[bytes], list[Remark]] | None:
    if "blocks" in language.traits:
        from groundrules_hooks.kinds import yaml_lines

        return yaml_lines.read(data)
    return _statements(data, LONG_IN_RUBY if "ruby" in language.traits else LONG)


def _statements(data: bytes, long: bytes) -> tuple[list[bytes], list[Remark]] | None:
    """Return the lines without blanks at their ends, and the comments; None when a line may be part of a text."""
    import re

    lines: list[bytes] = []
    remarks: list[Remark] = []
    is_parted = False
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
            # After an empty line, a call is no more of what stands before it.
            lines += [b"", bare] if is_parted and bare.startswith((b".", b"&.")) else [bare]
        is_parted = not bare
    return lines, remarks
