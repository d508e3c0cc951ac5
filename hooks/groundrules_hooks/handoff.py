"""Handoff: the sealed account of a task, and the check of its shape that needs no schema library."""

from __future__ import annotations

from groundrules_hooks.document import loads
from groundrules_hooks.task import is_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

SCHEMA = "handoff/1"
IN_PROGRESS, READY = STATES = ("in-progress", "ready")
NONE = "none"
HEX = frozenset("0123456789abcdef")


def path_of(task: str) -> str:
    """Return the path of the handoff of `task`, from the root."""
    return f"evidence/{task}/handoff.json"


def problems(content: bytes) -> Iterator[str]:
    """Yield what is wrong with the shape of a handoff; nothing exactly when handoff.schema.json accepts it."""
    try:
        document = loads(content)
    except (ValueError, RecursionError) as error:
        yield f"not JSON: {error}"
        return
    if not isinstance(document, dict):
        yield "not an object"
        return
    yield from (f"{field} is missing" for field in FIELDS if field not in document)
    known = {**FIELDS, **OPTIONAL}
    unknown = [field for field in document if field not in known]
    if unknown:
        import json

        yield from (f"{json.dumps(field)} is unknown" for field in unknown)
    for field, (fits, expected) in known.items():
        if field in document and not fits(document[field]):
            yield f"{field} is not {expected}"
    if document.get("state") == READY:
        absent = [field for field in ("unresolved", "deviations") if document.get(field) is None]
        yield from (f"{field} is not given; say what, or the word {NONE}" for field in absent)


def load(content: bytes) -> dict[str, Any]:
    """Return the document of a handoff without `problems`."""
    document: dict[str, Any] = loads(content)
    return document


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _is_oid(value: object) -> bool:
    return isinstance(value, str) and len(value) in (40, 64) and not set(value) - HEX


def _is_patch(value: object) -> bool:
    return value is None or _is_oid(value)  # a merge has no patch


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and not value < 0


def _is_whole(value: object) -> bool:
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


def _is_command(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_any_text, value))


def _are_counts(value: object) -> bool:
    return isinstance(value, dict) and all(_is_text(key) and _is_whole(n) and n >= 0 for key, n in value.items())


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and len(value) == 64 and not set(value) - HEX


def _is_contract(value: object) -> bool:
    return value is None or (
        isinstance(value, dict)
        and set(value) == {"path", "blob"}
        and _is_text(value["path"])
        and _is_oid(value["blob"])
    )


def _is_any_text(value: object) -> bool:
    return isinstance(value, str)


def _rows(**columns: Callable[[object], bool]) -> Callable[[object], bool]:
    def fits(value: object) -> bool:
        return isinstance(value, list) and all(
            isinstance(row, dict) and set(row) == set(columns) and all(test(row[key]) for key, test in columns.items())
            for row in value
        )

    return fits


def _is_prose(value: object) -> bool:
    return value is None or value == NONE or (isinstance(value, list) and bool(value) and all(map(_is_text, value)))


def _is_environment(value: object) -> bool:
    return isinstance(value, dict) and all(_is_text(key) and _is_any_text(text) for key, text in value.items())


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


# The record of one run of a check.
RECORD: dict[str, Callable[[object], bool]] = {
    "name": lambda value: isinstance(value, str) and is_id(value),
    "command": _is_command,
    "definition": lambda value: value is None or _is_oid(value),
    "env": _is_texts,
    "result": lambda value: value in ("PASSED", "FAILED", "MISSING"),
    "exit": lambda value: value is None or _is_whole(value),
    "tree": _is_oid,
    "content": lambda value: value in ("clean", "dirty", "moved"),
    "started": _is_text,
    "seconds": _is_number,
    "counts": _are_counts,
    "log": _is_text,
    "log_digest": lambda value: value is None or _is_digest(value),
}
FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "schema": (lambda value: value == SCHEMA, f'"{SCHEMA}"'),
    "state": (lambda value: isinstance(value, str) and value in STATES, " or ".join(STATES)),
    "task": (lambda value: isinstance(value, str) and is_id(value), "a task id"),
    "base": (_is_oid, "a full commit id"),
    "head": (_is_oid, "a full commit id"),
    "subject_tree": (_is_oid, "a full tree id"),
    "commits": (_rows(oid=_is_oid, patch=_is_patch, subject=_is_any_text), "a list of oid, patch, subject"),
    "files": (
        _rows(path=_is_text, status=lambda value: value in list("AMDRCT")),
        "a list of path and status (A M D R C T)",
    ),
    "environment": (_is_environment, "an object of texts"),
    "checks": (_rows(**RECORD), "a list of records of checks"),
    "allowed": (_rows(rule=_is_text, reason=_is_text, commit=_is_oid), "a list of rule, reason, commit"),
    "detected": (_is_texts, "a list of texts"),
    "unresolved": (_is_prose, f"a list of texts, or {NONE}"),
    "deviations": (_is_prose, f"a list of texts, or {NONE}"),
}
# What a handoff of an earlier version does not have.
OPTIONAL: dict[str, tuple[Callable[[Any], bool], str]] = {
    "target": (_is_oid, "a full commit id"),
    "contract": (_is_contract, "null, or an object with path and blob"),
}
