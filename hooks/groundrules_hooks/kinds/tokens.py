"""Tokens: the text of a file as its language reads it, without what formatters may change."""

from __future__ import annotations

from groundrules_hooks.kinds.endings import END, continues, end_of_line
from groundrules_hooks.kinds.remarks import Remark, place
from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from groundrules_hooks.kinds.languages import Language

    # One token as it stands: its kind, its text, and whether white space stands before it. A plain tuple: files have
    # tens of thousands.
    Token = tuple[str, bytes, bool]

OPENERS = {b"(": b")", b"[": b"]", b"{": b"}"}
CLOSERS = frozenset(OPENERS.values())
# A number goes on as C has it: with every point, and with a sign after its exponent.
WORD = rb"\.\d\w*(?:(?<=[eEpP])[-+]\d\w*)?|\d(?:[eEpP][-+]\d|\w|\.(?!\.))*|[\w$@\x80-\xff]+"
BLANK = rb"[ \t\r\f\v]*"
# A backslash takes the end of a line away: between two blanks or beside one it is a blank, elsewhere it joins.
SPLICED_BLANK = rb"(?:[ \t\r\f\v]|(?<=\s)\\\n|\\\n(?=\s))*"
# A directive of the preprocessor: to the end of the line, comments excepted.
DIRECTIVE = rb'\#(?:[^\n\\/"]|\\.|"(?:[^"\\\n]|\\.)*"?|/(?![/*])|/\*.*?\*/)*'
PARSED_DIRECTIVES = (b"define", b"if", b"elif", b"ifdef", b"ifndef", b"else", b"endif", b"undef")
CALLED = b"_)]"
# Words of Rust and Dart before a parenthesis that is no call's.
NOT_CALLED = frozenset(
    b"as await break case const do dyn else external final for if impl in is late let match move mut ref return static"
    b" throw try typedef unsafe var when where while with yield".split()
)
# Macros of Rust to which a last comma means nothing; to others it may.
MACROS = frozenset(
    b"assert assert_eq assert_ne debug_assert debug_assert_eq debug_assert_ne eprint eprintln format format_args"
    b" matches panic print println todo unimplemented unreachable vec write writeln".split()
)
SPECIAL = frozenset((*OPENERS, *CLOSERS, b">"))
BRACES = frozenset((b"{", b"}"))
SEPARATORS = frozenset((b"(", b")", b",", b";"))
COMMENT, STRING, DIRECTED, UNCLOSED = "comment", "string", "directive", "unclosed"
PLAIN, NEWLINE, WRONG = "plain", "newline", "wrong"


class UnreadableError(ValueError):
    """The text is not what the table of languages can read."""


class Reading(NamedTuple):
    """What a file says: its tokens, and its comments beside them."""

    tokens: list[bytes]
    remarks: list[Remark]


def read(data: bytes, language: Language) -> Reading:
    """Return what `data` says. Raise UnreadableError where that is not certain."""
    remarks: list[Remark] = []
    scanned = list(_scan(data, language, remarks))
    if "style" in language.traits:
        from groundrules_hooks.kinds.styles import normal

        return Reading(normal(scanned), remarks)
    if not language.traits.isdisjoint(("sided", "prefixed")):
        from groundrules_hooks.kinds import neighbours

        mark = neighbours.with_sides if "sided" in language.traits else neighbours.with_prefixes
        scanned = list(mark(scanned))
    found = _normal(scanned, language)
    if "arms" in language.traits:
        from groundrules_hooks.kinds import rust

        found = rust.normal(found)
    if "unordered" in language.traits:
        from groundrules_hooks.kinds import imports

        found = imports.in_order(found, language)
    return Reading(found, remarks)


def _scan(data: bytes, language: Language, remarks: list[Remark]) -> Iterator[Token]:
    """Yield the tokens of `data`, and put its comments into `remarks`."""
    end, words = 0, 0
    is_alike, has_lines = "quotes" in language.traits, language.lines is not None
    is_placed, is_style = "placed" in language.traits, "style" in language.traits
    separators = SEPARATORS | BRACES if "documented" in language.traits else SEPARATORS
    spans = language.lines is not None and language.lines.is_seen_in_comments
    text = b"?>" + data if "template" in language.traits else data
    for match in _pattern(language).finditer(text):
        kind = match.lastgroup or WRONG
        token = match[kind]
        if kind == PLAIN:
            words += token not in separators
        elif kind == STRING:
            words += 1
            token = requoted(token) if is_alike else token
        elif kind == NEWLINE:
            if has_lines:
                yield kind, token, False
            continue
        elif kind == COMMENT:
            where = place(text, match.start(kind), match.end()) if is_placed else (b"", False)
            remarks.append(Remark(token, words, where))
            if spans and b"\n" in token:
                yield NEWLINE, END, False
            elif is_style and match.start(kind) == end:  # a comment in CSS is no blank
                end = match.end()
            continue
        elif kind == DIRECTED:
            _check_begun(text, match.start(kind))
            yield from _directive(token, language, remarks)
            continue
        else:
            raise UnreadableError(token)
        yield kind, token, match.start(kind) > end
        end = match.end()


def _pattern(language: Language) -> re.Pattern[bytes]:
    """Return the expression of one token; its group tells the kind."""
    import re

    groups = {
        COMMENT: language.comments,
        STRING: language.strings,
        DIRECTED: DIRECTIVE if "directives" in language.traits else b"(?!)",
        UNCLOSED: language.unclosed,
        PLAIN: WORD + b"|" + language.operators + rb"|[^\n\"'`\\]",
        NEWLINE: rb"\n",
        WRONG: b".",
    }
    each = b"|".join(b"(?P<%s>%s)" % (name.encode(), group) for name, group in groups.items())
    blank = SPLICED_BLANK if "prefixed" in language.traits else BLANK
    return re.compile(blank + b"(?:" + each + b")", re.DOTALL)


def _check_begun(text: bytes, start: int) -> None:
    """Raise UnreadableError unless a directive at `start` of `text` is the first on its line."""
    before = text[text.rfind(END, 0, start) + 1 : start].rstrip()
    if before and not before.endswith(b"*/"):
        raise UnreadableError(before)


def _directive(text: bytes, language: Language, remarks: list[Remark]) -> Iterator[Token]:
    """Yield the tokens of a preprocessor's line, which ends a line in every language."""
    import re

    name, *rest = text[1:].replace(b"\\\n", b" ").split(None, 1) or [b""]
    yield PLAIN, b"#", False
    if re.match(rb"#\s*define\s+[\w$\x80-\xff]+\(", text.replace(b"\\\n", b" ")):
        yield PLAIN, b"#()", False
    if name in PARSED_DIRECTIVES:
        plain = language._replace(traits=language.traits - {"directives"})
        yield from _scan(text[1:], plain, remarks)
    else:
        yield PLAIN, b" ".join((name, *map(bytes.strip, rest))), False
    yield PLAIN, END, False


def requoted(string: bytes) -> bytes:
    """Return `string` as it is between double quotes, where single ones say the same."""
    import re

    if string[:1] not in (b"'", b'"') or len(string) < 2 or string[:3] in (b"'''", b'"""'):
        return string
    body = string[1:-1]
    if b"\\" in body:
        body = re.sub(rb"\\(?:([\"'])|(.))", lambda found: found[1] or found[0], body, flags=re.DOTALL)
    return b'"' + body + b'"'


def _normal(scanned: list[Token], language: Language) -> list[bytes]:
    """Return the tokens without line ends that end nothing, doubled ends, and commas that may be left out."""
    out: list[bytes] = []
    stack: list[tuple[bytes, int, bool | None]] = []
    lines = language.lines
    end, is_said = b"", False
    for kind, text, _ in scanned:
        if kind == NEWLINE or (lines and text == b";"):
            is_said = is_said or text == b";"
            end = END if is_said else end or end_of_line(out, stack, lines)
            continue
        if end and text not in CLOSERS and not (lines and continues(out, text, lines, is_said=is_said)):
            out.append(end)
        end, is_said = b"", False
        if kind == PLAIN and text in SPECIAL:
            _special(out, stack, text, language)
        out.append(text)
    if stack:
        raise UnreadableError(stack[-1][0])
    if lines and out and out[-1] != END:
        out.append(END)
    return [text for text in out if text != b","] if "no-commas" in language.traits else out


def _special(out: list[bytes], stack: list[tuple[bytes, int, bool | None]], text: bytes, language: Language) -> None:
    """Nest a bracket, and drop a comma before it that may be left out."""
    if text in OPENERS:
        is_foreign = bool(stack and stack[-1][2] is None) or _is_macro(out, language)
        stack.append((text, len(out), None if is_foreign else text == b"(" and _is_call(out)))
    elif text == b">":
        if b">" in language.closers and out and out[-1] == b",":
            out.pop()
    elif not stack or OPENERS[stack[-1][0]] != text:
        raise UnreadableError(text)
    else:
        _drop_comma(out, stack.pop(), text, language)


def _is_call(out: list[bytes]) -> bool:
    """Whether a parenthesis after `out` holds arguments, so that a comma before its end makes no tuple."""
    if not out or out[-1] in NOT_CALLED:
        return False
    return out[-1] == b">" or out[-1][-1] >= 128 or out[-1][-1:].isalnum() or out[-1][-1] in CALLED


def _is_macro(out: list[bytes], language: Language) -> bool:
    """Whether a bracket after `out` holds what a macro reads that may see every comma."""
    if "arms" not in language.traits:
        return False
    name = out[-2:-1] if out[-1:] == [b"!"] else out[-3:-2] if out[-2:-1] == [b"!"] else [b"println"]
    return name != [] and name[0] not in MACROS and name[0][:1].isalpha()


def _drop_comma(out: list[bytes], opener: tuple[bytes, int, bool | None], closer: bytes, language: Language) -> None:
    bracket, start, is_call = opener
    if is_call is None or out[-1] != b"," or out[-2] == b"," or closer not in language.closers:
        return
    before = out[start - 1] if start else b""
    is_tuple = bracket == b"(" and not is_call and before != b"!" and not _has_comma(out, start)
    if "tuples" not in language.traits or not is_tuple:
        out.pop()


def _has_comma(out: list[bytes], start: int) -> bool:
    """Whether the bracket that opened at `start` holds a comma of its own before its last token."""
    depth = 0
    for token in out[start + 1 : -1]:
        depth += (token in OPENERS) - (token in CLOSERS)
        if token == b"," and depth == 0:
            return True
    return False
