"""Tails: the empty lines at the end of a file, where its language takes them for a part of a text."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from groundrules_hooks.kinds.languages import Language

# What begins the code of PHP after a text; anything else is text.
OPENING = (b"<?php ", b"<?php\n", b"<?php\t", b"<?=")
HALT = b"__halt_compiler"
KEEP, STRIP = b"+", b"-"
ALONE = (b"|", b">", b"!", b"&", b"---")


def without(text: bytes, language: Language) -> bytes:
    """Return `text`, whose lines end as in Unix, without those empty lines at its end that say nothing."""
    bare = text.rstrip(b"\n")
    if "ruby" in language.traits:
        return text if b"\n__END__\n" in text else bare
    if "template" in language.traits:
        return _without_in_template(text, bare)
    heads = _heads(bare)
    if any(KEEP in head for head in heads):
        return text
    # Of a text that is clipped the end of the last line is kept, if the file has one.
    return text[: len(bare) + 1] if any(STRIP not in head for head in heads) else bare


def _without_in_template(text: bytes, bare: bytes) -> bytes:
    """Return `text` as PHP prints its end: after the code all of it, but for a line end right after the mark."""
    code = max(text.rfind(opening) for opening in OPENING)
    if code > text.rfind(b"?>") and HALT not in text.lower():
        return bare
    return bare + text[len(bare) + 1 :] if bare.endswith(b"?>") else text


def _heads(bare: bytes) -> list[bytes]:
    """Return the heads of texts in YAML that `bare` may end with: one looks like another within its text."""
    found: list[bytes] = []
    least, end = -1, len(bare)  # what indents the lines below, at least
    while end > 0:
        start = bare.rfind(b"\n", 0, end) + 1
        line = bare[start:end]
        end = start - 1
        rest = line.lstrip(b" ")
        if not rest.strip():
            continue
        indent = len(line) - len(rest)
        # On a line of its own, a head may be deeper than its text.
        if least < 0 or indent < least or rest.startswith(ALONE):
            found += _head(line)
        if line.startswith(b"---"):
            break
        least = indent if least < 0 else min(least, indent)
        if least == 0:  # what is above goes on below only where a text is all of a document
            roots = [root for root in bare[: max(end, 0)].split(b"\n") if root.startswith(ALONE)]
            return found + [head for root in roots for head in _head(root)]
    return found


def _head(line: bytes) -> list[bytes]:
    """Return what at the end of `line`, before a comment at most, begins a text: `|+`, say."""
    words = line.split()
    following = [*words[1:], b"#"]
    return [
        word
        for word, after in zip(words, following, strict=True)
        if word[:1] in (b"|", b">") and after[:1] == b"#" and not word[1:].strip(b"+-0123456789")
    ]
