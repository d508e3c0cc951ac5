"""Scan: how far a script was read, and what was read, handed from one reader of its parts to the next."""

from __future__ import annotations

from groundrules_hooks.kinds.tokens import UnreadableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from groundrules_hooks.kinds.remarks import Remark

# The end of the brackets of an `if` or `for`, after which no operand has ended.
HEADER_END = b")!"
# What may be open beside the brackets: a tag, the children of an element, an expression in a template or an element.
TAG, CHILDREN, TEMPLATE, EXPRESSION = b"<", b"</", b"${", b"{}"
# Before the text of elements, and at the end of their opening tags.
TEXT, OPENED = b"\0", b">:"
NAMING = frozenset((b'"', b"_", b"$", b"#", b"@", b"`", b"/", b"."))


class Scan:
    """A position in a script, the brackets that are open there, and what was read so far."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0
        self.out: list[bytes] = []
        self.remarks: list[Remark] = []
        self.stack: list[tuple[bytes, int]] = []
        self.last = b""
        self.words = 0

    def emit(self, token: bytes) -> None:
        """Add a token."""
        self.out.append(token)
        self.last = token
        self.words += token[:1].isalnum() or token[:1] in NAMING

    def take(self, pattern: bytes) -> re.Match[bytes]:
        """Read what `pattern` describes. Raise UnreadableError when it is not there."""
        import re

        found = re.compile(pattern, re.DOTALL).match(self.data, self.position)
        if found is None:
            raise UnreadableError(self.data[self.position : self.position + 20])
        self.position = found.end()
        return found
