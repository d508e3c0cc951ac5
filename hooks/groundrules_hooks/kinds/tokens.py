"""Tokens: the text of a file as its language reads it, without what formatters may change."""

from __future__ import annotations

from groundrules_hooks.kinds.remarks import Remark
from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from groundrules_hooks.kinds.languages import Language, Lines

OPENERS = {b"(": b")", b"[": b"]", b"{": b"}"}
CLOSERS = frozenset(OPENERS.values())
END = b"\n"
WORD = rb"\d\w*\.\d\w*|[\w$@\x80-\xff]+"
BLANK = rb"(?:[ \t\r\f\v]|\\\n)*+"
# A directive of the preprocessor: to the end of the line, comments excepted.
DIRECTIVE = rb'\#(?:[^\n\\/"]|\\.|"(?:[^"\\\n]|\\.)*+"?|/(?![/*])|/\*.*?\*/)*+'
PARSED_DIRECTIVES = (b"define", b"if", b"elif", b"ifdef", b"ifndef", b"else", b"endif", b"undef")
CALLED = b"_)]>}"
OPERATING = b"-+*/%<>=!&|^~?."
BEFORE = frozenset((b"(", b"[", b"{", b",", b":", END))
AFTER = frozenset((b")", b"]", b"}", b",", b":", END))
SEPARATORS = frozenset((b"(", b")", b",", b";"))
COMMENT, STRING, DIRECTED, PLAIN, NEWLINE, WRONG = "comment", "string", "directive", "plain", "newline", "wrong"


class Unreadable(ValueError):
    """The text is not what the table of languages can read."""


class Reading(NamedTuple):
    """What a file says: its tokens, and its comments beside them."""

    tokens: list[bytes]
    remarks: list[Remark]


class Token(NamedTuple):
    """One token as it stands: `kind` is one of the words above, `gap` whether white space stands before it."""

    kind: str
    text: bytes
    gap: bool


def read(data: bytes, language: Language) -> Reading:
    """Return what `data` says. Raise Unreadable where that is not certain."""
    remarks: list[Remark] = []
    scanned = list(_scan(data, language, remarks))
    if "style" in language.traits:
        from groundrules_hooks.kinds.styles import normal

        return Reading(normal(scanned), remarks)
    if "sided" in language.traits:
        scanned = list(_with_sides(scanned))
    return Reading(_normal(scanned, language), remarks)


def _scan(data: bytes, language: Language, remarks: list[Remark]) -> Iterator[Token]:
    """Yield the tokens of `data`, and put its comments into `remarks`."""
    end, words = 0, 0
    is_alike = "quotes" in language.traits
    text = b"?>" + data if "template" in language.traits else data
    for match in _pattern(language).finditer(text):
        kind = match.lastgroup or WRONG
        token = match[kind]
        start = match.end() - len(token)
        if kind == COMMENT:
            remarks.append(Remark(token, words))
        elif kind == WRONG:
            raise Unreadable(token)
        elif kind == DIRECTED:
            yield from _directive(token, language, remarks)
        elif kind != NEWLINE or language.lines:
            words += kind == STRING or (kind == PLAIN and token not in SEPARATORS)
            yield Token(kind, requoted(token) if kind == STRING and is_alike else token, start > end)
        end = end if kind in (COMMENT, NEWLINE) else match.end()


def _pattern(language: Language) -> re.Pattern[bytes]:
    """Return the expression of one token; its group tells the kind."""
    import re

    groups = {
        COMMENT: language.comments,
        STRING: language.strings,
        DIRECTED: DIRECTIVE if "directives" in language.traits else b"(?!)",
        PLAIN: WORD + b"|" + language.operators + rb"|[^\n\"'`\\]",
        NEWLINE: rb"\n",
        WRONG: b".",
    }
    each = b"|".join(b"(?P<%s>%s)" % (name.encode(), group) for name, group in groups.items())
    return re.compile(BLANK + b"(?:" + each + b")", re.DOTALL)


def _directive(text: bytes, language: Language, remarks: list[Remark]) -> Iterator[Token]:
    """Yield the tokens of a preprocessor's line, which ends a line in every language."""
    import re

    name = text[1:].split(None, 1)[0] if text[1:].split() else b""
    yield Token(PLAIN, b"#", gap=False)
    if re.match(rb"#\s*define\s+\w+\(", text):
        yield Token(PLAIN, b"#()", gap=False)
    if name in PARSED_DIRECTIVES:
        plain = language._replace(traits=language.traits - {"directives"})
        yield from _scan(text[1:], plain, remarks)
    else:
        yield Token(PLAIN, b" ".join(text[1:].replace(b"\\\n", b" ").split()), gap=False)
    yield Token(PLAIN, END, gap=False)


def requoted(string: bytes) -> bytes:
    """Return `string` as it is between double quotes, where single ones say the same."""
    import re

    if string[:1] not in (b"'", b'"') or len(string) < 2 or string[:3] in (b"'''", b'"""'):
        return string
    body = string[1:-1]
    if b"\\" in body:
        body = re.sub(rb"\\(?:([\"'])|(.))", lambda found: found[1] or found[0], body, flags=re.DOTALL)
    return b'"' + body + b'"'


def _with_sides(scanned: list[Token]) -> Iterator[Token]:
    """Mark operators that have white space on one side only, where that tells a prefix from an infix."""
    for index, token in enumerate(scanned):
        if token.text in (b"(", b"[") and token.gap:
            yield Token(PLAIN, b" ", gap=False)
        if token.text[0] in OPERATING and token.text != b".":
            following = scanned[index + 1] if index + 1 < len(scanned) else token
            before = token.gap or (index > 0 and scanned[index - 1].text in BEFORE)
            after = following.gap or following.text in AFTER
            yield token._replace(text=token.text + b"\0" * (before - after) + b"\0\0" * (after - before))
        else:
            yield token


def _normal(scanned: list[Token], language: Language) -> list[bytes]:
    """Return the tokens without line ends that end nothing, doubled ends, and commas that may be left out."""
    out: list[bytes] = []
    stack: list[tuple[bytes, int, bool]] = []
    is_ended = False
    for token in scanned:
        text = token.text
        if token.kind == NEWLINE or (language.lines and text == b";"):
            is_ended = is_ended or text == b";" or _ends(out, stack, language.lines)
            continue
        if is_ended and text not in CLOSERS and not _continues(text, language.lines):
            out.append(END)
        is_ended = False
        if text in OPENERS:
            stack.append((text, len(out), text == b"(" and _is_call(out)))
        elif text in CLOSERS:
            if not stack or OPENERS[stack[-1][0]] != text:
                raise Unreadable(text)
            _drop_comma(out, stack.pop(), text, language)
        elif text == b">" and b">" in language.closers and out and out[-1] == b",":
            out.pop()
        if text != b"," or "no-commas" not in language.traits:
            out.append(text)
    if stack:
        raise Unreadable(stack[-1][0])
    return out


def _ends(out: list[bytes], stack: list[tuple[bytes, int, bool]], lines: Lines | None) -> bool:
    """Whether a line end after `out` ends a statement."""
    if lines is None or not out or out[-1] == END:
        return False
    if lines.is_hidden_in_brackets and stack and stack[-1][0] in (b"(", b"["):
        return False
    last = out[-1]
    if last[0] >= 128 or last[:1].isalnum() or last[0] in b"_$@\"'`":
        return last not in lines.joining
    return last in lines.ends


def _continues(text: bytes, lines: Lines | None) -> bool:
    return lines is not None and text in lines.continued


def _is_call(out: list[bytes]) -> bool:
    """Whether a parenthesis after `out` holds arguments, so that a comma before its end makes no tuple."""
    return bool(out) and (out[-1][-1] >= 128 or out[-1][-1:].isalnum() or out[-1][-1] in CALLED)


def _drop_comma(out: list[bytes], opener: tuple[bytes, int, bool], closer: bytes, language: Language) -> None:
    bracket, start, is_call = opener
    inside = len(out) - start - 1
    if inside < 2 or out[-1] != b"," or out[-2] == b"," or closer not in language.closers:
        return
    before = out[start - 1] if start else b""
    if "tuples" in language.traits and (before == b"!" or (bracket == b"(" and not is_call and not _has_comma(out, start))):
        return
    out.pop()


def _has_comma(out: list[bytes], start: int) -> bool:
    """Whether the bracket that opened at `start` holds a comma of its own before its last token."""
    depth = 0
    for token in out[start + 1 : -1]:
        depth += (token in OPENERS) - (token in CLOSERS)
        if token == b"," and depth == 0:
            return True
    return False
