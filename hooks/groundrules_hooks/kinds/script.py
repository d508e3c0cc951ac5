"""Script: the tokens of JavaScript and TypeScript, with their templates, regular expressions and elements (JSX)."""

from __future__ import annotations

from groundrules_hooks.kinds.remarks import Remark
from groundrules_hooks.kinds.tokens import Reading, Unreadable, requoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from groundrules_hooks.kinds.languages import Language

COMMENT, STRING, PLAIN, NEWLINE, SPECIAL, WRONG = 1, 2, 3, 4, 5, 6
HEADER_END = b")!"
TAG, CHILDREN, TEMPLATE, EXPRESSION = b"<", b"</", b"${", b"{}"
OPENED = b">:"
TEXT = b"\0"
NAMING = frozenset((b'"', b"_", b"$", b"#", b"@", b"`", b"/", b"."))
HEADERS = frozenset((b"if", b"for", b"while", b"with"))
# An expression begins after these words.
LEADING = frozenset(
    b"return typeof new in of instanceof case delete void else do await export default throw yield extends".split()
)
CODE = (
    rb"(/\*.*?\*/|//[^\n]*|\A#![^\n]*)"
    rb"|(\"[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+\"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+')"
    rb"|(0[xXbBoO]\w+|\d[\d_]*+(?:\.(?![.\w$])|\.\d[\d_]*+)?(?:[eE][-+]?\d+)?n?|\.\d[\d_]*+(?:[eE][-+]?\d+)?"
    rb"|[\w$#@\x80-\xff]+"
    rb"|>>>=|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|\.\.\.|=>|\+\+|--|&&|\|\||\?\?|\?\.(?!\d)|==|!=|<=|>=|<<|>>"
    rb"|\+=|-=|\*=|%=|&=|\|=|\^=|\*\*|[^\n\"'`\\/()\[\]{}<])"
    rb"|(\n)"
    rb"|([()\[\]{}<`/])"
    rb"|(.)"
)
REGEX = rb"/(?![*/])(?:[^\[\\/\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*+\])++/\w*"
CHUNK = rb"[^`\\$]*+(?:(?:\\.|\$(?!\{))[^`\\$]*+)*+(`|\$\{)"
IN_TAG = rb"\s+|(/>)|(>)|(\{)|(\"[^\"]*\"|'[^']*')|([\w$.:\x80-\xff-]+|=)"
CLOSING = rb"</\s*([\w$.:\x80-\xff-]*)\s*>"
ELEMENT = rb"<(?=[A-Za-z_$>])(?![A-Za-z_$][\w$]*\s*(?:,|extends\s))"
BLANK = rb"[ \t\r\f\v]*+"


class Scan:
    """A position in a script, the brackets that are open there, and what was read so far."""

    def __init__(self, data: bytes, *, has_elements: bool) -> None:
        import re

        self.data = data
        self.has_elements = has_elements
        self.position = 0
        self.out: list[bytes] = []
        self.remarks: list[Remark] = []
        self.stack: list[tuple[bytes, int]] = []
        self.last = b""
        self.words = 0
        self.code = re.compile(BLANK + b"(?:" + CODE + b")", re.DOTALL)

    def emit(self, token: bytes) -> None:
        """Add a token."""
        self.out.append(token)
        self.last = token
        self.words += token[:1].isalnum() or token[:1] in NAMING

    def take(self, pattern: bytes) -> re.Match[bytes]:
        """Read what `pattern` describes. Raise Unreadable when it is not there."""
        import re

        found = re.compile(pattern, re.DOTALL).match(self.data, self.position)
        if found is None:
            raise Unreadable(self.data[self.position : self.position + 20])
        self.position = found.end()
        return found


def read(data: bytes, language: Language) -> Reading:
    """Return the tokens and comments of `data`. Raise Unreadable where they are not certain."""
    scan = Scan(data.rstrip(), has_elements="elements" in language.traits)
    while scan.position < len(scan.data):
        mode = scan.stack[-1][0] if scan.stack else b""
        if mode == TAG:
            _in_tag(scan)
        elif mode == CHILDREN:
            _among_children(scan)
        else:
            _in_code(scan)
    if scan.stack:
        raise Unreadable(scan.stack[-1][0])
    from groundrules_hooks.kinds.statements import normal

    return Reading(normal(scan.out), scan.remarks)


def _in_code(scan: Scan) -> None:
    """Read tokens until one that means several things."""
    match, data, position = scan.code.match, scan.data, scan.position
    while found := match(data, position):
        kind = found.lastindex
        position = found.end()
        if kind == SPECIAL:
            if _bracket(scan, found[SPECIAL]):
                continue
            scan.position = position - 1
            _special(scan, found[SPECIAL])
            return
        if kind == COMMENT:
            scan.remarks.append(Remark(found[COMMENT], scan.words))
        elif kind == STRING:
            scan.emit(requoted(found[STRING]))
        elif kind == PLAIN:
            scan.emit(found[PLAIN])
        elif kind == NEWLINE:
            scan.out.append(b"\n")
        else:
            raise Unreadable(data[position - 1 : position])
    scan.position = len(data)


def _special(scan: Scan, token: bytes) -> None:
    """Read one of the characters that mean several things."""
    if token == b"`":
        scan.position += 1
        _template(scan, b"`")
    elif token == b"<":
        _less(scan)
    elif token == b"/" and not _is_operand(scan):
        scan.emit(scan.take(REGEX)[0])
    elif token == b"/":
        if scan.last == b"}":
            raise Unreadable(token)
        scan.emit(scan.take(b"/=?")[0])
    else:
        scan.position += 1
        opener, note = scan.stack.pop()
        if opener == TEMPLATE:
            _template(scan, b"}")
        else:
            _end_expression(scan, note)


def _less(scan: Scan) -> None:
    import re

    is_element = scan.has_elements and re.compile(ELEMENT).match(scan.data, scan.position)
    if is_element and (scan.last == b"}" or not _is_operand(scan)):
        if scan.last == b"}":
            raise Unreadable(b"}<")
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
        scan.stack.append((token, is_header))
        scan.emit(token)
        return True
    if token not in (b")", b"]", b"}"):
        return False
    opener, note = scan.stack[-1] if scan.stack else (b"", 0)
    if token == b"}" and opener in (TEMPLATE, EXPRESSION):
        return False
    if opener + token not in (b"()", b"[]", b"{}"):
        raise Unreadable(token)
    scan.stack.pop()
    scan.emit(HEADER_END if note else token)
    return True


def _template(scan: Scan, start: bytes) -> None:
    found = scan.take(CHUNK)
    scan.emit(start + found[0])
    if found[1] == b"${":
        scan.stack.append((TEMPLATE, 0))


def _in_tag(scan: Scan) -> None:
    found = scan.take(IN_TAG)
    kind = found.lastindex
    if kind is None:
        return
    if kind == 1:
        scan.stack.pop()
        scan.emit(b"</")
    elif kind == 2:
        scan.stack[-1] = (CHILDREN, len(scan.out))
        scan.emit(OPENED)
    elif kind == 3:
        scan.stack.append((EXPRESSION, len(scan.out)))
        scan.emit(b"{")
    elif kind == 4:
        body = found[4][1:-1]
        scan.emit(TEXT + (b'"' + body + b'"' if not {34, 39} & set(body) else found[4]))
    else:
        scan.emit(found[5])


def _among_children(scan: Scan) -> None:
    text = scan.take(rb"[^<{]*")[0]
    _say(scan, _spoken(text))
    if scan.data.startswith(b"</", scan.position):
        name = scan.take(CLOSING)[1]
        scan.stack.pop()
        scan.emit(b"</" + name + b">")
    elif scan.data.startswith(b"<", scan.position):
        scan.position += 1
        scan.emit(TAG)
        scan.stack.append((TAG, len(scan.out)))
    elif scan.position < len(scan.data):
        scan.position += 1
        scan.stack.append((EXPRESSION, len(scan.out)))
        scan.emit(b"{")


def _end_expression(scan: Scan, start: int) -> None:
    """End an expression among children or attributes; one that is a plain string is the same without braces."""
    inside = [token for token in scan.out[start + 1 :] if token != b"\n"]
    string = inside[0] if len(inside) == 1 and inside[0][:1] == b'"' else b""
    if scan.stack[-1][0] == CHILDREN and string and not string.strip(b'" '):
        del scan.out[start:]
        _say(scan, string[1:-1])
    elif scan.stack[-1][0] == TAG and string and not set(string[1:-1]) & set(b"\"'\\&"):
        scan.out[start:] = [TEXT + string]
    else:
        scan.emit(b"}")


def _say(scan: Scan, text: bytes) -> None:
    if text and scan.out[-1].startswith(TEXT):
        scan.out[-1] += text
    elif text:
        scan.emit(TEXT + text)


def _spoken(text: bytes) -> bytes:
    """Return what an element's text says: without the blanks at the ends of its lines."""
    lines = text.split(b"\n")
    if len(lines) == 1:
        return text
    trimmed = [lines[0].rstrip(), *(line.strip() for line in lines[1:-1]), lines[-1].lstrip()]
    return b" ".join(line for line in trimmed if line)
