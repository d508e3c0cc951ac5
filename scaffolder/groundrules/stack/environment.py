"""What a service finds in its environment: the shell's variables, under the slot's, under its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.git import elsewhere

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# What make gives its children to talk to it, and what a shell says about itself: none of a service's business.
PRIVATE = ("MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MFLAGS", "OLDPWD", "PWD", "SHLVL", "_")


def of_shell(environ: Mapping[str, str]) -> dict[str, str]:
    """Return what of the caller's environment is passed on: all but what names a repository or talks to make."""
    return {name: value for name, value in elsewhere(environ).items() if name not in PRIVATE}


def differing(environ: Mapping[str, str], values: Mapping[str, str], rendered: Mapping[str, str]) -> list[str]:
    """Return the names of the slot's values that the shell has otherwise (DAT-03).

    A shell that read `.slot.env` has the `rendered` value, which may be less than the stack's own.
    """
    return [name for name in values if name in environ and environ[name] not in (values[name], rendered.get(name, ""))]


def expanded(text: str, values: Mapping[str, str], place: str) -> str:
    """Return `text` with each `${NAME}` replaced by the slot's value. Raise GroundrulesError for any other name."""
    head, *rest = text.split("${")
    found = [head]
    for part in rest:
        name, brace, after = part.partition("}")
        if not brace or name not in values:
            raise GroundrulesError(
                f"{place} has ${{{name}{brace}, which is no value of the slot",
                why=f"values are {', '.join(values)}",
                fix="${EDITOR:-vi} groundrules.toml",
            )
        found += [values[name], after]
    return "".join(found)


def filled(words: Iterable[str], values: Mapping[str, str]) -> tuple[str, ...]:
    """Return the words of a command with the slot's values in place; any other `${NAME}` is the command's own."""
    found = []
    for word in words:
        for name, value in values.items():
            word = word.replace(f"${{{name}}}", value)  # noqa: PLW2901 (the word so far)
        found.append(word)
    return tuple(found)
