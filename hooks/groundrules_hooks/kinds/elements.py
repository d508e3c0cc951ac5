"""Elements: the tags, attributes and texts of JSX, with the blanks that a page would show."""

from __future__ import annotations

from groundrules_hooks.kinds.scan import CHILDREN, EXPRESSION, OPENED, TAG, TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from groundrules_hooks.kinds.scan import Scan

IN_TAG = rb"\s+|(/>)|(>)|(\{)|(\"[^\"]*\"|'[^']*')|([\w$.:\x80-\xff-]+|=)"
CLOSING = rb"</\s*([\w$.:\x80-\xff-]*)\s*>"


def read_tag(scan: Scan) -> None:
    """Read a part of a tag: blanks, a name, an attribute, its end."""
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


def read_children(scan: Scan) -> None:
    """Read a text, and the beginning of what follows it."""
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


def end_expression(scan: Scan, start: int) -> None:
    """End an expression among children or attributes; one that is a plain string is the same without braces."""
    inside = [token for token in scan.out[start + 1 :] if token != b"\n"]
    string = inside[0] if len(inside) == 1 and inside[0][:1] == b'"' else b""
    if scan.stack[-1][0] == CHILDREN and string[1:-1] and not string.strip(b'" '):
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
