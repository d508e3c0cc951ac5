"""Doubts: what makes a text too uncertain to call a change of it formatting, looked for right before that is said."""

from __future__ import annotations

from groundrules_hooks.kinds.languages import LINES, SCRIPT, TOKENS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from groundrules_hooks.kinds.languages import Language

# A line end to some languages, a blank to others; the last two end a word of the shell, and are a part of it.
LONE = b"\r"
LONE_IN_LINES = (b"\r", b"\f", b"\v")
# Blanks and line ends of Unicode: the readers take them for letters.
BREAKS = rb"\xe2\x80[\xa8\xa9]"
WIDE = rb"(?:\xc2\xa0|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xaf]|\xe2\x81\x9f|\xe3\x80\x80|\xef\xbb\xbf)\s*\n"
SCRIPTS = BREAKS + b"|" + WIDE + rb"|(?:^|\n|\*/)[ \t]*-->"  # the last begins a comment there
COMPILED = rb"\?\?[/=]|\*\\\n/"  # a backslash, a # and the end of a comment, in other spellings
# By the end of a file's name: a text in which this is found is not told.
UNTOLD = {
    **dict.fromkeys(["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "json5", "jsonc"], SCRIPTS),
    **dict.fromkeys(["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "ipp", "inl", "cu", "cuh", "m", "mm"], COMPILED),
    # Escapes of a line end, a quote, a backslash and the marks of comments are read before all else.
    "java": rb"\\u+00(?:0[aAdD]|2[27aAfF]|5[cC])",
    # Directives know neither a backslash before the line end nor comments of several lines.
    "cs": BREAKS + rb"|\xc2\x85|(?:^|\n)[ \t]*#[^\n]*(?:\\(?=\n|$)|/\*)",
}
# What stays as it is: all places where this is found, in their order.
ANNOTATED = rb"@[\w.]+\s+\("  # arguments, or something else that begins with a parenthesis
KEPT = {
    "kt": ANNOTATED,
    "kts": ANNOTATED,
    "dart": ANNOTATED + rb"|\?\s*\[",
    "php": rb"(?<=[ \t])use\s+\w[^;{(]*",  # in a class the order of traits is the one of their members
    "lua": rb"\d\.\.",
    **dict.fromkeys(("css", "scss", "less"), rb"@charset[^;]*|\d\.0+(?![\w.%])"),  # `1.0` is no integer
    # Comments of MySQL, operators that end with a sign, strings that a line end joins, lines that clients read.
    "sql": rb"(?=[-#/+*<>=~!@%^&|`?'\n])"
    rb"(?:--(?![\s-])[^\n]*|#\w[^\n]*|/\*!.*?(?:\*/|\Z)|@\s+[-+]|'[ \t]*\n\s*'"
    rb"|(?<![-+*/<>=~!@#%^&|`?])[-+*/<>=~!@#%^&|`?]++(?<=[-+*/<>=~!@#%^&|`?][-+@])(?=[\w(.])"
    rb"|\n[ \t]*(?:[gG][oO]\b[^\n]*|[dD][eE][lL][iI][mM][iI][tT][eE][rR]\b[^\n]*|/[ \t]*(?=\n|$)|\.\w[^\n]*))",
}


def is_doubtful(path: str, old: bytes, new: bytes, language: Language) -> bool:
    """Whether two texts of the file at `path`, alike to the reader of its `language`, may still say something else."""
    import re

    if language.reader not in (TOKENS, SCRIPT, LINES):
        return False
    if any(sign in text for sign in (LONE_IN_LINES if language.reader == LINES else (LONE,)) for text in (old, new)):
        return True
    suffix = path.rpartition(".")[2].lower()
    untold = UNTOLD.get(suffix)
    if untold and any(re.search(untold, text) for text in (old, new)):
        return True
    if _interpreter(old) != _interpreter(new):
        return True
    kept = KEPT.get(suffix)
    if not kept:
        return False
    before, after = (re.findall(kept, b"\n" + text, re.DOTALL) for text in (old, new))
    return before != after


def _interpreter(text: bytes) -> bytes:
    """Return the first line where it names a program, and is no attribute of Rust."""
    return text.partition(b"\n")[0] if text[:2] == b"#!" and text[2:3] != b"[" else b""
