"""What a key of groundrules.toml may hold: the kinds of values that its tables are described with."""

from __future__ import annotations

from groundrules_hooks.globs import problem
from groundrules_hooks.record import NamedTuple
from groundrules_hooks.task import is_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Kind(NamedTuple):
    """What a key may hold: `expected` in words, an `example` line, and the test of a parsed value."""

    expected: str
    example: str
    fits: Callable[[Any], bool]


def number(least: int, most: int, example: str) -> Kind:
    """Return the kind of whole numbers from `least` to `most`."""
    return Kind(
        f"a number from {least} to {most}", example, lambda value: type(value) is int and least <= value <= most
    )


def one_of(example: str, *choices: str) -> Kind:
    """Return the kind of texts that are one of `choices`."""
    words = " or ".join(f'"{choice}"' for choice in choices)
    return Kind(words, example, lambda value: value in choices and isinstance(value, str))


def text(example: str) -> Kind:
    """Return the kind of texts that are not empty."""
    return Kind("a text", example, lambda value: isinstance(value, str) and value.isprintable() and value != "")


def texts(example: str) -> Kind:
    """Return the kind of lists of texts."""
    return Kind(
        "a list of texts", example, lambda value: isinstance(value, list) and all(isinstance(x, str) for x in value)
    )


def losses(example: str) -> Kind:
    """Return the kind of lists of names of losses: document, kind and name with colons between."""
    expected = "a list of losses as document:kind:name"
    return Kind(expected, example, lambda value: isinstance(value, list) and all(map(_is_loss, value)))


def _is_loss(value: object) -> bool:
    return isinstance(value, str) and value.isprintable() and all(value.split(":", 2)) and value.count(":") > 1


def patterns(example: str) -> Kind:
    """Return the kind of lists of path patterns that can match something."""
    expected = "a list of patterns of paths from the root, such as src/*.py or docs/**"
    return Kind(expected, example, lambda value: isinstance(value, list) and all(map(_is_glob, value)))


def _is_glob(value: object) -> bool:
    return isinstance(value, str) and value.isprintable() and problem(value) is None


def identifier(example: str) -> Kind:
    """Return the kind of names that can stand in a command and in a path."""
    expected = "a name of letters, digits, dot, hyphen and underscore, at most 64, first a letter or digit"
    return Kind(expected, example, lambda value: isinstance(value, str) and is_id(value))


def variables(example: str) -> Kind:
    """Return the kind of lists of names of environment variables."""
    return Kind(
        "a list of names of variables", example, lambda value: isinstance(value, list) and all(map(_is_variable, value))
    )


def _is_variable(value: object) -> bool:
    return isinstance(value, str) and value.isidentifier() and value.isascii()


def command(example: str) -> Kind:
    """Return the kind of commands: lists of words, the first of which names a program."""
    return Kind("a command as a list of words", example, is_command)


def is_command(value: object) -> bool:
    """Whether `value` can be started: a list of texts without NUL, of which the first is not empty."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(word, str) and "\0" not in word for word in value)
        and value[0] != ""
    )
