"""Python: two sources compared by their syntax trees, and by the comments beside them."""

from __future__ import annotations

from groundrules_hooks import alike
from groundrules_hooks.kinds.proof import BOM
from groundrules_hooks.kinds.remarks import Remark, compare_remarks
from groundrules_hooks.kinds.verdict import COMMENTS, FORMATTING, FUNCTIONAL, UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator
    from typing import Any

# Strings and comments of Python and TOML; a prefix of a string belongs to the code before it.
COMMENTED = (
    rb'"""[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*"""|' + rb"'''[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*'''"
    rb'|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*"|' + rb"'[^'\\\n]*+(?:\\.[^'\\\n]*+)*'|(#[^\n]*)"
)
# What does not move the place of a comment: all but letters, digits and _.
NO_WORDS = bytes(code for code in range(128) if not (chr(code).isalnum() or code == 95))
LARGEST = 512 * 1024


def compare(old: bytes, new: bytes) -> str:
    """Judge two sources; unknown when this Python reads one of them not at all."""
    if max(len(old), len(new)) > LARGEST:
        return UNKNOWN
    before = _parsed(old)
    if before is None:
        return UNKNOWN
    for body, ours, theirs in (_narrowed(before.body, old, new), (before.body, old, new)):
        after = _parsed(theirs)
        if after is not None:
            return _judged(body, after.body, ours, theirs)
    return UNKNOWN


def _narrowed(body: list[ast.stmt], old: bytes, new: bytes) -> tuple[list[ast.stmt], bytes, bytes]:
    """Return those statements of `old` that may differ, their text, and what `new` has in its place.

    What both begin with they read alike, up to the last statement that begins there, if what stands in its place can be
    read by itself: nothing that goes on with a statement can. Then they read alike what both end with, from the first
    statement that begins there.
    """
    if b"\r" in old + new or _may_declare(old) or _may_declare(new):
        return body, old, new
    begun = alike.start(old, new)
    ended = len(old) - alike.end(old[begun:], new[begun:])
    places = _places(body, old)
    first = max((number for number, place in enumerate(places) if 0 <= place <= begun), default=0)
    behind = [number for number, place in enumerate(places) if place > ended and number > first]
    begin = places[first] if first else 0
    end = places[behind[0]] if behind else len(old)
    theirs = new[begin : end + len(new) - len(old)]
    if theirs.startswith(BOM) or _may_declare(theirs):  # where a file begins it would say something else
        return body, old, new
    return body[first : behind[0] if behind else None], old[begin:end], theirs


def _places(body: list[ast.stmt], source: bytes) -> list[int]:
    """Return where each statement begins in `source`; -1 where it may not be the first on its line."""
    lines = [0]
    for line in source.split(b"\n"):
        lines.append(lines[-1] + len(line) + 1)
    decorated = [getattr(statement, "decorator_list", None) for statement in body]
    starts = [lines[(names[0] if names else each).lineno - 1] for names, each in zip(decorated, body, strict=True)]
    return [
        start if (source[start : start + 1] == b"@" if names else each.col_offset == 0) else -1
        for start, names, each in zip(starts, decorated, body, strict=True)
    ]


def _may_declare(source: bytes) -> bool:
    """Whether the first two lines may say how the text is encoded."""
    return any(b"coding" in line for line in source.split(b"\n", 2)[:2])


def _judged(old: list[ast.stmt], new: list[ast.stmt], ours: bytes, theirs: bytes) -> str:
    """Judge what two texts say by their statements and their comments."""
    import ast

    texts: list[tuple[str, str]] = []
    if not _is_same(old, new, (), texts):
        moved = (ast.Import, ast.ImportFrom, ast.Pass)
        return UNKNOWN if _is_same(old, new, moved, []) else FUNCTIONAL
    verdict = compare_remarks(remarks(ours), remarks(theirs))
    if verdict == FORMATTING and any(_laid_out(left) != _laid_out(right) for left, right in texts):
        return COMMENTS
    return verdict


def _parsed(source: bytes) -> ast.Module | None:
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_same(old: list[ast.stmt], new: list[ast.stmt], moved: tuple[type, ...], texts: list[tuple[str, str]]) -> bool:
    """Whether two bodies say the same, statements of the types `moved` and bare strings aside.

    The bare strings, documentation mostly, go into `texts`, each with the one in the same place.
    """
    import ast

    pairs: list[tuple[Any, Any]] = [(old, new)]
    while pairs:
        left, right = pairs.pop()
        kind = left.__class__
        if left is right:  # as names and None are
            continue
        if kind is not right.__class__:
            return False
        if kind is list:
            if isinstance((left or right or [None])[0], ast.stmt):
                texts.append((_bare(left), _bare(right)))
                left, right = _spoken(left, moved), _spoken(right, moved)
            if len(left) != len(right):
                return False
            pairs += zip(left, right, strict=True)
        elif kind is ast.Delete:
            pairs.append((_deleted(left), _deleted(right)))
        elif issubclass(kind, ast.AST):
            pairs += [(getattr(left, name), getattr(right, name)) for name in kind._fields if name not in UNSAID]
        elif left != right:
            return False
    return True


# `ctx` follows from the place; `kind` is the u of u"…", which says nothing.
UNSAID = frozenset(("ctx", "kind", "type_ignores"))


def _deleted(statement: ast.Delete) -> list[ast.expr]:
    """Return what a statement deletes: `del (a, b)` is `del a, b`."""
    import ast

    targets: list[ast.expr] = []
    left = list(reversed(statement.targets))
    while left:
        target = left.pop()
        if isinstance(target, ast.Tuple | ast.List):
            left += reversed(target.elts)
        else:
            targets.append(target)
    return targets


def _bare(body: list[ast.stmt]) -> str:
    """Return the text of the strings that stand as statements in `body`, marked where none of them documents it."""
    is_documented = bool(body) and _string(body[0]) is not None
    return "\0" * (not is_documented) + "\0".join(
        text for statement in body if (text := _string(statement)) is not None
    )


def _spoken(body: list[ast.stmt], moved: tuple[type, ...]) -> list[ast.stmt]:
    return [statement for statement in body if not isinstance(statement, moved) and _string(statement) is None]


def _string(statement: ast.stmt) -> str | None:
    import ast

    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        value = statement.value.value
        return value if isinstance(value, str) else None
    return None


def _laid_out(text: str) -> list[str]:
    """Return the lines of a documentation string as formatters lay it out: without common indentation."""
    lines = [line.rstrip() for line in text.expandtabs().strip().split("\n")]
    margin = min((len(line) - len(line.lstrip()) for line in lines[1:] if line), default=0)
    return [lines[0], *(line[margin:] for line in lines[1:])]


def remarks(source: bytes) -> Iterator[Remark]:
    """Yield the comments of a source whose comments begin with # and whose strings are those of Python."""
    import re

    if b"#" not in source:
        return
    position = end = 0
    for found in re.finditer(COMMENTED, source, re.DOTALL):
        if found[1] is not None:
            position += len(source[end : found.start()].translate(None, NO_WORDS))
            end = found.end()
            yield Remark(found[1], position)
