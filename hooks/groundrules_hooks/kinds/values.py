"""Values: JSON and TOML compared by what they hold, in the order they hold it."""

from __future__ import annotations

from groundrules_hooks.kinds.remarks import compare_remarks
from groundrules_hooks.kinds.verdict import FORMATTING, FUNCTIONAL, UNKNOWN

LARGEST = 4 * 1024 * 1024
UNREADABLE = (ValueError, RecursionError, MemoryError)


def compare_json(old: bytes, new: bytes) -> str | None:
    """Judge two documents; None when one of them is not JSON. Numbers are compared as they are spelled."""
    import json

    if max(len(old), len(new)) > LARGEST:
        return UNKNOWN
    try:
        exact = [
            json.loads(text, object_pairs_hook=_object, parse_int=_number, parse_float=_number, parse_constant=_number)
            for text in (old, new)
        ]
        if exact[0] == exact[1]:
            return FORMATTING
        # The same in another order, or in other spelling: said by nobody to mean the same.
        loose = [json.loads(text, parse_constant=str) for text in (old, new)]
        return UNKNOWN if loose[0] == loose[1] else FUNCTIONAL
    except UNREADABLE:
        return None


def compare_toml(old: bytes, new: bytes) -> str:
    """Judge two documents: their values in order, and their comments."""
    import tomllib

    from groundrules_hooks.kinds.python_syntax import remarks

    if max(len(old), len(new)) > LARGEST:
        return UNKNOWN
    try:
        before, after = (tomllib.loads(text.decode(), parse_float=_number) for text in (old, new))
        # Their representation tells true from 1 and keeps the order of keys.
        is_exact = repr(before) == repr(after)
        is_loose = is_exact or tomllib.loads(old.decode()) == tomllib.loads(new.decode())
    except UNREADABLE:
        return UNKNOWN
    if is_exact:
        return compare_remarks(remarks(old), remarks(new))
    return UNKNOWN if is_loose else FUNCTIONAL


def _object(pairs: list[tuple[str, object]]) -> tuple[str, list[tuple[str, object]]]:
    return ("object", pairs)


def _number(spelling: str) -> tuple[str, str]:
    return ("number", spelling)
