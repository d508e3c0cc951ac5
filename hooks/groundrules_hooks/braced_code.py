"""Braced code: whether a file in a language with braces does more than hold a place. What is not certain, does."""

from __future__ import annotations

from groundrules_hooks.kinds.endings import END
from groundrules_hooks.placeholder import BRACKETS, EMPTY, SIGN, WORK, says_so, statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Languages in which all work stands in functions with braces: with a word before each function, and without.
WORDED = frozenset(("go", "rs", "kt", "kts", "swift", "php"))
SCRIPTS = frozenset(("js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"))
C = frozenset(("c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "ipp", "inl", "cu", "cuh"))
WORDLESS = SCRIPTS | C | {"java", "cs", "dart"}
SUFFIXES = WORDED | WORDLESS

# What a part of a file is, beside what a statement is: the type, field or annotation of something.
FORM = "form"


FUNCTIONS = frozenset(b"function func fun fn".split())
TYPES = frozenset(b"interface trait protocol enum annotation @interface".split())
CONTAINERS = TYPES | frozenset(b"class struct namespace object impl extension record union module".split())
IMPORTS = frozenset(b"import package use using namespace declare".split())
MODIFIERS = frozenset(
    b"export default public private protected internal static final abstract sealed open override virtual inline"
    b" readonly partial pub async unsafe const data fileprivate suspend".split()
)
INVITING = frozenset((b"abstract", b"open", b"virtual"))
DIRECTIVES = frozenset(b"include pragma ifndef ifdef if else elif endif nullable region endregion".split())
STARTS = frozenset(
    b"return throw new await if for while do switch match try delete go defer mod require require_once include"
    b" include_once echo print".split()
)
ACCESSORS = frozenset((b"get", b"set", b"init", b"private", b";"))
EXPORT = rb"(?:(?:module \. )?exports(?: \. \w+)? =|export default) \w+"


def works(tokens: Sequence[bytes], suffix: str) -> bool:
    """Whether there is work in `tokens`, those of a file with `suffix`.

    There is none when each function says that it is missing, or when there are only functions without a body. Types,
    constants and imports by themselves are what they are.
    """
    if not tokens:
        return False
    try:
        found = set(_parts(tokens, suffix, b""))
    except ValueError:  # brackets as only the language's own reader understands them
        return True
    return WORK in found or not (SIGN in found or found == {EMPTY})


def _parts(tokens: Sequence[bytes], suffix: str, inside: bytes) -> Iterator[str]:
    """Yield what each part is of `tokens`, which stand `inside` a class or another container."""
    for whole, block in _items(tokens):
        head = _stripped(whole)
        if len(head) < len(whole):
            yield FORM
        plain = [token for token in head if token not in MODIFIERS]
        if not head and not block:
            continue
        if head[:1] == [b"#"]:
            is_guard = head[1:2] == [b"define"] and len(head) == 3
            if not is_guard and (not head[1:] or head[1].split()[0] not in DIRECTIVES):
                yield WORK
        elif plain[:1] and plain[0] in IMPORTS and (block is None or plain[0] != b"namespace"):
            is_run = suffix in SCRIPTS and len(plain) > 1 and plain[1][:1] in b'("'
            if plain[0] != head[0] or is_run:
                yield WORK  # it hands on what it imports, or runs it
        elif _is_function(head, plain, block, suffix, inside):
            found = set(_function(head, block))
            yield from found if WORK in found or inside not in TYPES else {FORM}
        elif block is None:
            yield _declared(head, plain, inside)
        else:
            yield from _contained(head, plain, block, suffix)


def _items(tokens: Sequence[bytes]) -> Iterator[tuple[list[bytes], Sequence[bytes] | None]]:
    """Yield each statement of `tokens`: what stands before its block, and the block, None without one."""
    head: list[bytes] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token in (b";", END):
            yield head, None
            head = []
        elif token in BRACKETS:
            end = _end(tokens, index)
            if token != b"{" or head[:1] in ([b"import"], [b"use"]) or head[:2] == [b"pub", b"use"]:
                head += tokens[index : end + 1]
            else:
                yield head, tokens[index + 1 : end]
                head = []
            index = end
        elif not token.startswith(b"?><?php"):
            head.append(token)
        index += 1
    if head:
        yield head, None


def _end(tokens: Sequence[bytes], start: int) -> int:
    """Return where the bracket at `start` of `tokens` is closed."""
    waiting: list[tuple[bytes, ...]] = []
    for index in range(start, len(tokens)):
        token = tokens[index]
        if token in BRACKETS:
            waiting.append(BRACKETS[token])
        elif waiting and token in waiting[-1]:
            waiting.pop()
            if not waiting:
                return index
    raise ValueError(start)


def _stripped(head: list[bytes]) -> list[bytes]:
    """Return `head` without annotations and labels in front."""
    while head:
        start = 2 if head[:3] == [b"#", b"!", b"["] else int(head[:2] == [b"#", b"["])
        if head[start] == b"[":
            head = head[_end(head, start) + 1 :]
        elif head[0][:1] == b"@" and head[0] != b"@interface":
            at = 3 if head[1:2] == [b"."] else 1
            head = head[_end(head, at) + 1 if head[at : at + 1] == [b"("] else at :]
        elif head[1:2] == [b":"] and head[0] in MODIFIERS:
            head = head[2:]
        else:
            break
    return head


def _outside(head: Sequence[bytes]) -> list[bytes]:
    """Return `head` with no more than the opening one of its brackets."""
    out, index = [], 0
    while index < len(head):
        out.append(head[index])
        index = _end(head, index) + 1 if head[index] in BRACKETS else index + 1
    return out


def _is_function(
    head: list[bytes], plain: list[bytes], block: Sequence[bytes] | None, suffix: str, inside: bytes
) -> bool:
    """Whether `head` and `block` are one function or method, and nothing else."""
    shape = _outside(head)
    before = shape[: shape.index(b"(")] if b"(" in shape else shape
    if not plain or plain[0] in STARTS or b"." in before or (b"," in shape and b"<" not in shape):
        return False
    if {b"||", b"&&", b"??", b"?:"} & set(shape):
        return False
    if b"=>" in shape:
        value = [token for token in shape[shape.index(b"=") + 1 :] if token != b"async"] if b"=" in shape else [b"("]
        return (
            suffix in WORDLESS and shape.count(b"=>") == 1 and (value[:1] in ([b"("], [b"<"]) or value[1:2] == [b"=>"])
        )
    if FUNCTIONS & set(shape):
        return block is not None or (b"=" in shape and suffix in ("kt", "kts"))
    if suffix in WORDED or block is None or b"=" in shape or CONTAINERS & set(shape) or shape.count(b"(") != 1:
        return False
    return inside not in (b"", b"namespace") or (
        suffix not in SCRIPTS and plain[0] != b"template" and plain.index(b"(") > 1
    )


def _function(head: list[bytes], block: Sequence[bytes] | None) -> Iterator[str]:
    """Yield what the statements of a function are, and what it is beside them."""
    if INVITING & set(head):
        yield FORM  # to be overridden
    if MODIFIERS & set(head[head.index(b"(") + 1 :] if b"(" in head else ()) - {b"const", b"override", b"final"}:
        yield FORM  # parameters that are fields
    body = block
    if body is None:
        body = _after(head, b"=>" if b"=>" in _outside(head) else b"=")
    elif b"=>" in _outside(head)[:-1]:
        yield WORK  # what an arrow returns goes on before the block
    if says_so(head[: len(head) - len(body)] if block is None else head):
        yield WORK  # it makes what others say
    yield from statements(body) or [EMPTY]


def _after(head: list[bytes], sign: bytes) -> list[bytes]:
    """Return what follows the first `sign` of `head` that stands in no bracket."""
    index = 0
    while head[index] != sign:
        index = _end(head, index) + 1 if head[index] in BRACKETS else index + 1
    return head[index + 1 :]


def _declared(head: list[bytes], plain: list[bytes], inside: bytes) -> str:
    """Return what a statement without a block is: a form when it only names something, or gives it a plain value."""
    shape = _outside(head)
    import re

    if re.fullmatch(EXPORT, b" ".join(head)):
        return FORM
    if plain[:1] in ([b"type"], [b"struct"], [b"enum"], [b"typedef"], [b"typealias"]):
        return FORM
    if not plain or plain[0] in STARTS or {b"++", b"--", b"+=", b"-=", b"=>", b".", b"!", b"from"} & set(shape):
        return WORK
    if b"(" in shape and inside not in TYPES and b"abstract" not in head:
        return WORK
    value = shape[shape.index(b"=") + 1 :] if b"=" in shape else [b"0"]
    is_plain = len(value) == 1 and (value[0][:1].isdigit() or value[0][:1] in b"\"'" or value[0] in (b"true", b"null"))
    return FORM if is_plain and (inside or len(plain) > 1) else WORK


def _contained(head: list[bytes], plain: list[bytes], block: Sequence[bytes], suffix: str) -> Iterator[str]:
    """Yield what the parts are of a block that is no function's."""
    shape = _outside(head)
    words = [token for token in shape if token in CONTAINERS]
    is_typed = plain[:1] == [b"type"] and suffix in SCRIPTS
    if is_typed or (block and _is_listed(head, block)):
        yield FORM
    elif not words or b"=" in shape or plain[0] == b"template" or says_so(head):
        yield WORK
    else:
        if len(plain) != (3 if plain[0] == b"type" else 2) or INVITING & set(head):
            yield FORM  # it is made of another, or stands for one
        yield from _parts(block, suffix, words[0])


def _is_listed(head: list[bytes], block: Sequence[bytes]) -> bool:
    """Whether a block names what a file exports, or that a property can be got and set."""
    if head in ([b"export"], [b"module", b".", b"exports", b"="]):
        return all(token.decode("utf-8", "replace").isidentifier() for token in block if token != b",")
    return len(head) > 1 and b"=" not in head and set(block) <= ACCESSORS
