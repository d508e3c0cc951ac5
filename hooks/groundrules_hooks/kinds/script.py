"""Script: the tokens of JavaScript and TypeScript, with their templates, regular expressions and elements (JSX)."""

from __future__ import annotations

from groundrules_hooks.kinds.elements import end_expression, read_children, read_tag
from groundrules_hooks.kinds.remarks import Remark
from groundrules_hooks.kinds.scan import CHILDREN, EXPRESSION, HEADER_END, NAMING, TAG, TEMPLATE, Scan
from groundrules_hooks.kinds.tokens import Reading, UnreadableError, requoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from groundrules_hooks.kinds.languages import Language

COMMENT, STRING, PLAIN, NEWLINE, SPECIAL, WRONG = 1, 2, 3, 4, 5, 6
# After these, a slash may begin a regular expression on a line of its own or none.
UNCERTAIN = frozenset((b"break", b"continue", b"debugger", b"++", b"--"))
HEADERS = frozenset((b"if", b"for", b"while", b"with"))
# An expression begins after these words.
LEADING = frozenset(
    b"return typeof new in of instanceof case delete void else do await export default throw yield extends".split()
)
CODE = (
    rb"(/\*.*?\*/|//[^\n]*|\A#![^\n]*)"
    rb"|(\"[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*\"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*')"
    rb"|(0[xXbBoO]\w+|\d[\d_]*+(?:\.[\d_]*+)?(?:[eE][-+]?\d+)?n?|\.\d[\d_]*+(?:[eE][-+]?\d+)?"
    rb"|[\w$#@\x80-\xff]+"
    rb"|>>>=|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|\.\.\.|=>|\+\+|--|&&|\|\||\?\?|\?\.(?!\d)|==|!=|<=|>=|<<|>>"
    rb"|\+=|-=|\*=|%=|&=|\|=|\^=|\*\*|[^\n\"'`\\/()\[\]{}<])"
    rb"|(\n)"
    rb"|([()\[\]{}<`/])"
    rb"|(.)"
)
REGEX = rb"/(?![*/])(?:[^\[\\/\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+/\w*"
CHUNK = rb"[^`\\$]*+(?:(?:\\.|\$(?!\{))[^`\\$]*+)*(`|\$\{)"
ELEMENT = rb"<(?=[A-Za-z_$>])(?![A-Za-z_$][\w$]*\s*(?:,|extends\s))"
BLANK = rb"[ \t\r\f\v]*+"


def read(data: bytes, language: Language) -> Reading:
    """Return the tokens and comments of `data`. Raise UnreadableError where they are not certain."""
    import re

    scan = Scan(data.rstrip())
    code = re.compile(BLANK + b"(?:" + CODE + b")", re.DOTALL)
    element = re.compile(ELEMENT if "elements" in language.traits else b"(?!)")
    while scan.position < len(scan.data):
        mode = scan.stack[-1][0] if scan.stack else b""
        if mode == TAG:
            read_tag(scan)
        elif mode == CHILDREN:
            read_children(scan)
        else:
            _read_code(scan, code, element)
    if scan.stack:
        raise UnreadableError(scan.stack[-1][0])
    from groundrules_hooks.kinds.statements import normal

    return Reading(normal(scan.out), scan.remarks)


def _read_code(scan: Scan, code: re.Pattern[bytes], element: re.Pattern[bytes]) -> None:
    """Read tokens until one that means several things."""
    match, data, position = code.match, scan.data, scan.position
    while found := match(data, position):
        kind = found.lastindex
        position = found.end()
        if kind == SPECIAL:
            if _bracket(scan, found[SPECIAL]):
                continue
            scan.position = position - 1
            _special(scan, found[SPECIAL], element)
            return
        if kind == COMMENT:
            scan.remarks.append(Remark(found[COMMENT], scan.words))
            if b"\n" in found[COMMENT]:  # which ends a line, as the language has it
                scan.out.append(b"\n")
        elif kind == STRING:
            scan.emit(requoted(found[STRING]))
        elif kind == PLAIN:
            scan.emit(found[PLAIN])
        elif kind == NEWLINE:
            scan.out.append(b"\n")
        else:
            raise UnreadableError(data[position - 1 : position])
    scan.position = len(data)


def _special(scan: Scan, token: bytes, element: re.Pattern[bytes]) -> None:
    """Read one of the characters that mean several things."""
    if token == b"`":
        scan.position += 1
        _template(scan, b"`")
    elif token == b"<":
        _less(scan, element)
    elif scan.data.startswith(b"/*", scan.position):
        raise UnreadableError(b"/*")
    elif token == b"/" and scan.last and (scan.last in UNCERTAIN or (scan.out[-1] == b"\n" and _is_operand(scan))):
        raise UnreadableError(token)  # what the statement before it is decides whether a regular expression begins
    elif token == b"/" and not _is_operand(scan):
        scan.emit(scan.take(REGEX)[0])
    elif token == b"/":
        if scan.last == b"}":
            raise UnreadableError(token)
        scan.emit(scan.take(b"/=?")[0])
    else:
        scan.position += 1
        opener, note = scan.stack.pop()
        if opener == TEMPLATE:
            _template(scan, b"}")
        else:
            end_expression(scan, note)


def _less(scan: Scan, element: re.Pattern[bytes]) -> None:
    is_element = element.match(scan.data, scan.position) is not None
    is_comment = scan.data.startswith(b"<!--", scan.position)  # in a script that is no module
    if is_comment or (is_element and scan.last == b"}"):
        raise UnreadableError(b"}<")
    if is_element and not _is_operand(scan):
        scan.position += 1
        scan.emit(TAG)
        scan.stack.append((TAG, len(scan.out)))
    else:
        scan.emit(scan.take(b"<<=|<<|<=|<")[0])


def _is_operand(scan: Scan) -> bool:
    """Whether what was read last is the end of an operand, so that an operator follows."""
    last = scan.last
    if last == HEADER_END or not last:
        return False
    if last in LEADING:
        return scan.out[-2:-1] in ([b"."], [b"?."])
    if last in (b"/", b"/=", b".", b"...", b"</"):
        return last == b"</"
    if last[0] >= 128 or last[:1].isalnum() or last[:1] in NAMING:
        return True
    return last in (b")", b"]", b"}", b"++", b"--") or last.endswith(b"`") or last.startswith(b"</")


def _bracket(scan: Scan, token: bytes) -> bool:
    """Nest a bracket; False when the character is none, or ends more than a bracket."""
    if token in (b"(", b"[", b"{"):
        is_header = token == b"(" and scan.last in HEADERS and scan.out[-2:-1] not in ([b"."], [b"?."])
        is_header = is_header or (token == b"(" and scan.out[-2:] == [b"for", b"await"])
        scan.stack.append((token, is_header))
        scan.emit(token)
        return True
    if token not in (b")", b"]", b"}"):
        return False
    opener, note = scan.stack[-1] if scan.stack else (b"", 0)
    if token == b"}" and opener in (TEMPLATE, EXPRESSION):
        return False
    if opener + token not in (b"()", b"[]", b"{}"):
        raise UnreadableError(token)
    scan.stack.pop()
    scan.emit(HEADER_END if note else token)
    return True


def _template(scan: Scan, start: bytes) -> None:
    found = scan.take(CHUNK)
    scan.emit(start + found[0])
    if found[1] == b"${":
        scan.stack.append((TEMPLATE, 0))
