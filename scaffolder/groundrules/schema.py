"""The door to jsonschema: the handoff's JSON Schema is what the package promises to readers."""

from __future__ import annotations

import json
import os
from functools import cache
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from groundrules_hooks.failure import GroundrulesError

if TYPE_CHECKING:
    from collections.abc import Iterator


@cache
def handoff_schema() -> dict[str, Any]:
    """Return the schema of `evidence/<task>/handoff.json`."""
    with open(os.path.join(os.path.dirname(__file__), "handoff.schema.json"), encoding="utf-8") as file:
        schema: dict[str, Any] = json.load(file)
    return schema


def problems(document: object) -> Iterator[str]:
    """Yield what the schema finds wrong with `document`, each with its place."""
    for error in Draft202012Validator(handoff_schema()).iter_errors(document):
        yield f"{error.json_path}: {error.message}"


def validate(document: object) -> None:
    """Raise GroundrulesError unless `document` is a handoff."""
    found = list(problems(document))
    if found:
        raise GroundrulesError(
            "the handoff does not fit its schema", why="\n".join(found), fix="groundrules handoff draft --help"
        )
