"""groundrules.toml as text: every table, key and type it may hold, and errors that name key, line and an example."""

from __future__ import annotations

import tomllib

from groundrules_hooks.config import FILE
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.record import NamedTuple
from groundrules_hooks.rules import NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

HIGHEST_PORT = 65535
LONGEST = 60  # of a wrong value, as much as an error shows


class Kind(NamedTuple):
    """What a key may hold: `expected` in words, an `example` line, and the test of a parsed value."""

    expected: str
    example: str
    fits: Callable[[Any], bool]


def _number(least: int, most: int, example: str) -> Kind:
    return Kind(
        f"a number from {least} to {most}", example, lambda value: type(value) is int and least <= value <= most
    )


def _one_of(example: str, *choices: str) -> Kind:
    words = " or ".join(f'"{choice}"' for choice in choices)
    return Kind(words, example, lambda value: value in choices and isinstance(value, str))


def _text(example: str) -> Kind:
    return Kind("a text", example, lambda value: isinstance(value, str) and value.isprintable() and value != "")


def _texts(example: str) -> Kind:
    return Kind(
        "a list of texts", example, lambda value: isinstance(value, list) and all(isinstance(x, str) for x in value)
    )


def _is_pattern(text: object) -> bool:
    if not isinstance(text, str) or text.count("{id}") != 1:
        return False
    rest = text.replace("{id}-{slug}", "").replace("{id}", "")
    return rest.isprintable() and not set(rest) & set("{} ~^:?*[\\") and rest != ""


def _is_name(text: str) -> bool:
    return text.isascii() and text[:1].isalpha() and text.replace("_", "").isalnum() and text == text.lower()


PORT = _number(1, HIGHEST_PORT, "web = 3000")
PORT_NAME = Kind("a name of small letters, digits and _", "web = 3000", _is_name)
TABLES: dict[str, dict[str, Kind]] = {
    "slots": {
        "stride": _number(1, 1000, "stride = 10"),
        "max": _number(1, 500, "max = 30"),
    },
    "tasks": {
        "branches": Kind(
            "a list of patterns with {id}, or {id}-{slug}, in each",
            'branches = ["task/{id}-{slug}", "task/{id}"]',
            lambda value: isinstance(value, list) and bool(value) and all(map(_is_pattern, value)),
        ),
        "path": Kind(
            "a path with {id} in it",
            'path = "../{repo}.{id}"',
            lambda value: isinstance(value, str) and "{id}" in value and value.isprintable(),
        ),
        "target": _text('target = "main"'),
        "protect_target": Kind("true or false", "protect_target = true", lambda value: isinstance(value, bool)),
        "max_live": _number(1, 500, "max_live = 8"),
        "max_waiting": _number(1, 500, "max_waiting = 5"),
    },
    "commits": {
        "style": _one_of('style = "plain"', "plain", "conventional"),
        "max_lines": _number(1, 1_000_000, "max_lines = 400"),
        "max_files": _number(1, 1_000_000, "max_files = 25"),
    },
    "check": {
        "name": _text('name = "unit"'),
        "tier": _one_of('tier = "quick"', "quick", "deep", "integration"),
        "run": Kind(
            "a command as a list of words",
            'run = ["make", "test"]',
            lambda value: isinstance(value, list) and bool(value) and all(isinstance(x, str) for x in value),
        ),
        "paths": _texts('paths = ["**"]'),
        "env": _texts('env = ["CI"]'),
    },
    "rules": {
        "strict": Kind(
            "a list of " + ", ".join(NAMES),
            'strict = ["one-task", "handoff"]',
            lambda value: isinstance(value, list) and all(name in NAMES for name in value),
        ),
    },
}


def parse(content: bytes) -> dict[str, Any]:
    """Return the tables of groundrules.toml with lists as tuples. Raise GroundrulesError on the first thing wrong."""
    try:
        text = content.decode("utf-8")
        tables = tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise _wrong(line, "not UTF-8", "UTF-8 text", "[ports]") from None
    except (ValueError, RecursionError) as error:  # TOMLDecodeError, a number of 5000 digits, a list 5000 deep
        message = str(error)
        _, _, place = message.partition("(at line ")
        line = int(place.split(",")[0]) if place[:1].isdigit() else text.count("\n") + 1
        raise _wrong(line, f"not TOML: {message}", "key = value", "web = 3000") from None
    for table, held in tables.items():
        _check_table(text, table, held)
    _check_required(text, tables.get("check", []))
    _check_ports(text, tables.get("ports", {}))
    return {table: _plain(held) for table, held in tables.items()}


def _check_table(text: str, table: str, held: object) -> None:
    if table not in TABLES and table != "ports":
        line = _line_of(text, table, None)
        raise _unknown(line, f"[{table}]", table, [*TABLES, "ports"], f"[{_nearest(table, [*TABLES, 'ports'])}]")
    rows = held if table == "check" else [held]
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        header = "[[check]]" if table == "check" else f"[{table}]"
        raise _wrong(_line_of(text, table, None), f"{table} is not a table", "a table", header)
    for index, row in enumerate(rows):
        for key, value in row.items():
            kind = _kind(text, table, key, index)
            if not kind.fits(value):
                line = _line_of(text, table, key, index)
                raise _wrong(line, f"[{table}] {key} is {_toml(value)}", kind.expected, kind.example)


def _kind(text: str, table: str, key: str, index: int) -> Kind:
    if table == "ports":
        if not PORT_NAME.fits(key):
            raise _wrong(
                _line_of(text, table, key), f"[ports] has the name {key!r}", PORT_NAME.expected, PORT_NAME.example
            )
        return PORT
    known = TABLES[table]
    if key not in known:
        line = _line_of(text, table, key, index)
        raise _unknown(line, f"[{table}] {key}", key, list(known), known[_nearest(key, list(known))].example)
    return known[key]


def _check_required(text: str, checks: list[dict[str, Any]]) -> None:
    names: set[str] = set()
    for index, check in enumerate(checks):
        line = _line_of(text, "check", None, index)
        for key in ("name", "run"):
            if key not in check:
                raise _wrong(line, f"[[check]] has no {key}", f"a {key}", TABLES["check"][key].example)
        if check["name"] in names:
            raise _wrong(line, f"two checks are named {check['name']}", "a name of its own", 'name = "unit"')
        names.add(check["name"])


def _check_ports(text: str, table: dict[str, int]) -> None:
    owners: dict[int, str] = {}
    for name, port in table.items():
        if owners.setdefault(port, name) != name:
            what = f"[ports] {name} and {owners[port]} are both {port}"
            raise _wrong(_line_of(text, "ports", name), what, "a number of its own", f"{name} = {port + 1}")


def _plain(held: Any) -> Any:  # noqa: ANN401 (as TOML gives it)
    """Return `held` with lists as tuples, so that records stay immutable."""
    if isinstance(held, dict):
        return {key: _plain(value) for key, value in held.items()}
    return tuple(map(_plain, held)) if isinstance(held, list) else held


def _line_of(text: str, table: str, key: str | None, index: int = 0) -> int:
    """Return the line where `key` stands in the `index`-th `table`, or of the table's header; 1 if neither is plain."""
    inside, seen, header = False, -1, 1
    path = f"{table}.{key}" if key else table
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        if line.startswith("["):
            name = line.split("]")[0].strip("[ \"'")
            if name.startswith(f"{path}.") or (key and name == path):
                return number
            inside = name == table
            seen += inside
            header = number if inside and seen == index else header
            continue
        name = line.split("=")[0].strip().strip("\"'")
        if "=" in line and (
            (inside and seen == index and name.split(".")[0] == key)
            or f"{name}.".startswith(f"{path}.")
            or (seen < 0 and name == table)
        ):
            return number
    return header


def _unknown(line: int, what: str, name: str, known: Iterable[str], example: str) -> GroundrulesError:
    nearest = _nearest(name, known)
    return _wrong(line, f"{what} is unknown", f"one of {', '.join(known)}; the nearest is {nearest}", example)


def _nearest(name: str, known: Iterable[str]) -> str:
    import difflib

    known = list(known)
    return (difflib.get_close_matches(name, known, n=1, cutoff=0.0) or known)[0]


def _toml(value: object) -> str:
    try:
        shown = str(value).lower() if isinstance(value, bool) else repr(value).replace("'", '"')
    except (ValueError, RecursionError):
        return "too large"
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}..."


def _wrong(line: int, what: str, expected: str, example: str) -> GroundrulesError:
    why = f"expected {expected}\nexample  {example}"
    return GroundrulesError(f"{FILE}:{line}: {what}", why=why, fix=f"${{EDITOR:-vi}} +{line} {FILE}")
