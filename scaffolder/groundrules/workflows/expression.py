"""Expressions of GitHub Actions, judged without running them: what is known gives an answer, the rest stays unknown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundrules_hooks.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Value: TypeAlias = "str | bool | Unknown"
    Facts: TypeAlias = Callable[[str], Value]

TOKEN = re.compile(r"\s*(?:('(?:[^']|'')*')|(\d[\w.]*)|([A-Za-z_][\w-]*)|(&&|\|\||[=!<>]=|[!<>()\[\].,*]))")
OPEN, CLOSE = "${{", "}}"
STATUS = re.compile(r"\b(always|cancelled|failure|success)\s*\(", re.IGNORECASE)
DEPTH = 50


class Unknown(NamedTuple):
    """A value that the run decides: what it is called, how its text begins, whether it counts as true."""

    name: str
    prefix: str = ""
    truth: bool | None = None


class Wrong(Exception):  # noqa: N818 (never leaves this module)
    """The text is no expression."""


def parts(text: str) -> list[tuple[bool, str]]:
    """Return `text` in order as plain pieces and, marked True, expressions without their spaces."""
    found = []
    while OPEN in text:
        plain, _, rest = text.partition(OPEN)
        inside, closed, text = rest.partition(CLOSE)
        if not closed:
            text = f"{plain}{OPEN}{rest}"
            break
        found += [(False, plain), (True, re.sub(r"\s+", "", inside))]
    return [part for part in [*found, (False, text)] if part[1]]


def condition(text: str) -> str:
    """Return the expression of an `if:`, with or without its braces; empty where it has none."""
    stripped = text.strip()
    if stripped.startswith(OPEN) and stripped.endswith(CLOSE) and stripped.count(OPEN) == 1:
        return stripped[len(OPEN) : -len(CLOSE)].strip()
    return stripped


def has_status(text: str) -> bool:
    """Whether the condition looks at how other jobs ended; without, it means only after success."""
    return bool(STATUS.search(text))


def truth(text: str, facts: Facts) -> bool | None:
    """Return whether the condition holds; None where that depends on more than `facts`. No condition holds."""
    inside = condition(text)
    if not inside:
        return True
    return None if OPEN in inside else truth_of(value(inside, facts))


def value(text: str, facts: Facts) -> Value:
    """Return the value of an expression; what cannot be read is unknown."""
    try:
        return _Parser(text, facts).whole()
    except (Wrong, RecursionError):
        return Unknown(text)


def truth_of(held: Value) -> bool | None:
    """Return whether `held` counts as true."""
    if isinstance(held, Unknown):
        return held.truth if not held.prefix else True
    return held not in ("", False)


class _Parser:
    """One expression, read from left to right and judged on the way."""

    def __init__(self, text: str, facts: Facts) -> None:
        self.facts = facts
        self.tokens = list(_tokens(text))
        self.at = 0

    def whole(self) -> Value:
        found = self._or()
        if self.at < len(self.tokens):
            raise Wrong
        return found

    def _take(self, *wanted: str) -> str:
        """Return the next token if it is one of `wanted`, else nothing."""
        if self.at < len(self.tokens) and self.tokens[self.at] in wanted:
            self.at += 1
            return self.tokens[self.at - 1]
        return ""

    def _or(self) -> Value:
        found = self._and()
        while self._take("||"):
            found = either(found, self._and())
        return found

    def _and(self) -> Value:
        found = self._compared()
        while self._take("&&"):
            found = both(found, self._compared())
        return found

    def _compared(self) -> Value:
        found = self._one()
        sign = self._take("==", "!=", "<", ">", "<=", ">=")
        if not sign:
            return found
        same = equal(found, self._one())
        if sign not in ("==", "!=") or same is None:
            return Unknown(sign)
        return same if sign == "==" else not same

    def _one(self) -> Value:
        if self._take("!"):
            held = truth_of(self._one())
            return Unknown("!") if held is None else not held
        if self._take("("):
            found = self._or()
            self._expect(")")
            return found
        token = self._next()
        if token.startswith("'"):
            return token[1:-1].replace("''", "'")
        if token[0].isdigit():
            return Unknown(token, truth=token.strip("0.") != "")
        if not (token[0].isalpha() or token[0] == "_"):
            raise Wrong
        return self._call(token) if self._take("(") else self._named(token)

    def _call(self, name: str) -> Value:
        given: list[Value] = []
        while not self._take(")"):
            given.append(self._or())
            if not self._take(","):
                self._expect(")")
                break
        if name.lower() == "startswith" and len(given) == 2:
            return _starts(given[0], given[1])
        return self.facts(f"{name.lower()}()")

    def _named(self, token: str) -> Value:
        path = token
        while sign := self._take(".", "["):
            if sign == ".":
                path += f".{self._next()}"
            else:
                inside = self._or()
                self._expect("]")
                path += f".{inside if isinstance(inside, str) else '*'}"
        fixed: dict[str, Value] = {"true": True, "false": False, "null": ""}
        return fixed[token] if path in fixed else self.facts(path.lower())

    def _next(self) -> str:
        if self.at == len(self.tokens):
            raise Wrong
        self.at += 1
        return self.tokens[self.at - 1]

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise Wrong


def _tokens(text: str) -> list[str]:
    found, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise Wrong
        found.append(match[match.lastindex or 0])
        at = match.end()
    return found


def either(left: Value, right: Value) -> Value:
    """Return `left || right`: the first that counts as true."""
    held = truth_of(left)
    if held is not None:
        return left if held else right
    other = truth_of(right)
    return Unknown(_name(left), truth=other or None)


def both(left: Value, right: Value) -> Value:
    """Return `left && right`: the first that does not count as true, else the second."""
    held = truth_of(left)
    if held is not None:
        return right if held else left
    return Unknown(_name(left), truth=False if truth_of(right) is False else None)


def equal(left: Value, right: Value) -> bool | None:
    """Return whether both are one value; None where the run decides."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Unknown):
            text = other if isinstance(other, str) else None
            beyond = bool(one.prefix) and text is not None and not text.lower().startswith(one.prefix.lower())
            empty = text == "" and one.truth is True
            return False if beyond or empty else None
    if isinstance(left, str) and isinstance(right, str):
        return left.lower() == right.lower()
    return _number(left) == _number(right)  # of two kinds, as the forge does


def _number(held: Value) -> float:
    """Return what `held` counts as beside another kind: nothing is 0, a text that is no number equals none."""
    try:
        return float(held or 0) if isinstance(held, (str, bool)) else float("nan")
    except ValueError:
        return float("nan")


def _starts(text: Value, head: Value) -> Value:
    if not isinstance(head, str):
        return Unknown("startsWith")
    if isinstance(text, Unknown):
        known = text.prefix.lower()
        if known.startswith(head.lower()):
            return True
        return Unknown("startsWith") if head.lower().startswith(known) else False
    return str(text).lower().startswith(head.lower())


def _name(held: Value) -> str:
    return held.name if isinstance(held, Unknown) else ""
