"""Placeholder: what stands in code in place of work, as its tokens say it in languages with braces."""

from __future__ import annotations

from groundrules_hooks.kinds.endings import END

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# What a statement is: something done, a sign that something is missing, or nothing.
WORK, SIGN, EMPTY = "work", "sign", "empty"
BRACKETS = {b"(": (b")", b")!"), b"[": (b"]",), b"{": (b"}",)}
SIGNS = (
    rb"(?i:\bnot[ _-]?(?:yet[ _-]?)?(?:been[ _-]?)?implemented|NotImplemented|\bunimplemented\b|\bimplement me\b)"
    rb"|\btodo ?! ?\(|(?<!\.)(?<!\. )\bTODO ?\(|\b(?:\w*Error|\w*Exception|panic|fatalError|abort) ?\( ?[\"'`]TODO\b"
)
# A whole statement that says so: it throws, it is the macro or function for it, or it calls with the words for it.
THROWN = (
    rb"(?:return )?(?:throw\b|raise\b|panic\b|fatalError\b|abort\b|todo !|unimplemented !|TODO \(|return [\w .]*\Z)"
    rb"|(?!super\b|write\b|writeln\b|f \.)[^\"'`]*\([^\"'`]*[\"'`]"
)
NOTHING = rb"(?:return ?)?(?:(?:null|undefined|nil|None|void 0(?:\.0)?|\( \))(?: , nil)*)?"
CHOOSING = frozenset(
    b"if else for foreach while do switch match when try catch case defer go yield ? ?: ?? ?. || && = := += => |"
    b" function func fn fun".split()
)


def statements(body: Sequence[bytes]) -> list[str]:
    """Return what each statement of `body` is, the tokens of a function."""
    return [_statement(whole) for whole in _statements(body)]


def says_so(tokens: Iterable[bytes]) -> bool:
    """Whether `tokens` say that something is missing, or name what says so."""
    import re

    return re.search(SIGNS, b" ".join(tokens)) is not None


def _statements(body: Sequence[bytes]) -> Iterator[list[bytes]]:
    statement: list[bytes] = []
    depth = 0
    for token in body:
        depth += (token in BRACKETS) - (token in (b")", b")!", b"]", b"}"))
        if depth == 0 and token in (b";", END):
            yield statement
            statement = []
        else:
            statement.append(token)
    if statement:
        yield statement


def _statement(tokens: list[bytes]) -> str:
    """Return what one statement of a function is."""
    import re

    text = b" ".join(tokens)
    if re.fullmatch(NOTHING, text):
        return EMPTY
    is_sign = not CHOOSING & set(tokens) and re.search(SIGNS, text) and re.match(THROWN, text)
    return SIGN if is_sign else WORK
