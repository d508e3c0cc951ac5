"""groundrules.toml as text: every table, key and type it may hold, and errors that name key, line and an example."""

from __future__ import annotations

import tomllib

from groundrules_hooks import config_kind as kinds
from groundrules_hooks import config_series, config_stack
from groundrules_hooks.config_kind import Kind
from groundrules_hooks.config_wrong import line_of, nearest, shown, unknown, wrong
from groundrules_hooks.rules import NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

HIGHEST_PORT = 65535


def _is_pattern(text: object) -> bool:
    if not isinstance(text, str) or text.count("{id}") != 1:
        return False
    rest = text.replace("{id}-{slug}", "").replace("{id}", "")
    return rest.isprintable() and not set(rest) & set("{} ~^:?*[\\") and rest != ""


def _is_name(text: str) -> bool:
    return text.isascii() and text[:1].isalpha() and text.replace("_", "").isalnum() and text == text.lower()


PORT = kinds.number(1, HIGHEST_PORT, "web = 3000")
PORT_NAME = Kind("a name of small letters, digits and _", "web = 3000", _is_name)
TABLES: dict[str, dict[str, Kind]] = {
    "slots": {
        "stride": kinds.number(1, 1000, "stride = 10"),
        "max": kinds.number(1, 500, "max = 30"),
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
        "target": kinds.text('target = "main"'),
        "protect_target": Kind("true or false", "protect_target = true", lambda value: isinstance(value, bool)),
        "max_live": kinds.number(1, 500, "max_live = 8"),
        "max_waiting": kinds.number(1, 500, "max_waiting = 5"),
        "checks": kinds.one_of('checks = "changed"', "changed", "all"),
    },
    "commits": {
        "style": kinds.one_of('style = "plain"', "plain", "conventional"),
        "max_lines": kinds.number(1, 1_000_000, "max_lines = 400"),
        "max_files": kinds.number(1, 1_000_000, "max_files = 25"),
        "neutral": kinds.patterns('neutral = ["docs/**", "tests/**"]'),
    },
    "check": {
        "name": kinds.identifier('name = "unit"'),
        "tier": kinds.one_of('tier = "quick"', "quick", "deep", "integration"),
        "run": kinds.command('run = ["make", "test"]'),
        "paths": kinds.patterns('paths = ["**"]'),
        "env": kinds.variables('env = ["CI"]'),
    },
    "merge": {"high_risk": kinds.patterns('high_risk = ["migrations/**"]')},
    "rules": {
        "strict": Kind(
            "a list of " + ", ".join(NAMES),
            'strict = ["one-task", "handoff"]',
            lambda value: isinstance(value, list) and all(name in NAMES for name in value),
        ),
    },
    "generated": {
        "paths": kinds.patterns('paths = ["api/*.pb.go"]'),
        "sources": kinds.patterns('sources = ["proto/**"]'),
    },
    "fixed_ports": {
        "allow": kinds.patterns('allow = ["deploy/**"]'),
    },
    "mirror": {"folder": kinds.text('folder = "../export"'), "accept": kinds.losses('accept = ["orders:sheet:1"]')},
    "ci": {"required": kinds.texts('required = ["gate"]')},
    "capabilities": {"programs": kinds.patterns('programs = ["web/app/**/page.tsx"]')},
    **config_series.TABLES,
    **config_stack.TABLES,
}
ROWS = ("check", "generated", *config_series.TABLES, *config_stack.ROWS)  # tables that may stand more than once


def parse(content: bytes) -> dict[str, Any]:
    """Return the tables of groundrules.toml with lists as tuples. Raise GroundrulesError on the first thing wrong."""
    try:
        text = content.decode("utf-8")
        tables = tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise wrong(line, "not UTF-8", "UTF-8 text", "[ports]") from None
    except (ValueError, RecursionError) as error:  # TOMLDecodeError, a number of 5000 digits, a list 5000 deep
        message = str(error)
        _, _, place = message.partition("(at line ")
        line = int(place.split(",")[0]) if place[:1].isdigit() else text.count("\n") + 1
        raise wrong(line, f"not TOML: {message}", "key = value", "web = 3000") from None
    for table, held in _flat(tables):
        _check_table(text, table, held)
    _check_required(text, tables.get("check", []))
    _check_generated(text, tables.get("generated", []))
    _check_ports(text, tables.get("ports", {}))
    config_series.check(text, tables.get("series", []))
    config_stack.check(text, tables)
    return {table: _plain(held) for table, held in tables.items()}


def _flat(tables: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield every table by the name in its header."""
    for table, held in tables.items():
        yield table, held
        for row in config_stack.ROWS:
            parent, _, key = row.partition(".")
            if table == parent and isinstance(held, dict) and key in held:
                yield row, held[key]


def _check_table(text: str, table: str, held: object) -> None:
    if table not in TABLES and table != "ports":
        line = line_of(text, table, None)
        known = [*(name for name in TABLES if "." not in name), "ports"]
        raise unknown(line, f"[{table}]", table, known, f"[{nearest(table, known)}]")
    rows = held if table in ROWS else [held]
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        header = f"[[{table}]]" if table in ROWS else f"[{table}]"
        raise wrong(line_of(text, table, None), f"{table} is not a table", "a table", header)
    for index, row in enumerate(rows):
        for key, value in row.items():
            kind = _kind(text, table, key, index)
            if not kind.fits(value):
                line = line_of(text, table, key, index)
                raise wrong(line, f"[{table}] {key} is {shown(value)}", kind.expected, kind.example)


def _kind(text: str, table: str, key: str, index: int) -> Kind:
    if table == "ports":
        if not PORT_NAME.fits(key):
            raise wrong(
                line_of(text, table, key), f"[ports] has the name {key!r}", PORT_NAME.expected, PORT_NAME.example
            )
        return PORT
    known = TABLES[table]
    if key not in known:
        line = line_of(text, table, key, index)
        raise unknown(line, f"[{table}] {key}", key, list(known), known[nearest(key, list(known))].example)
    return known[key]


def _check_required(text: str, checks: list[dict[str, Any]]) -> None:
    names: set[str] = set()
    for index, check in enumerate(checks):
        line = line_of(text, "check", None, index)
        for key in ("name", "run"):
            if key not in check:
                raise wrong(line, f"[[check]] has no {key}", f"a {key}", TABLES["check"][key].example)
        if check["name"] in names:
            raise wrong(line, f"two checks are named {check['name']}", "a name of its own", 'name = "unit"')
        names.add(check["name"])


def _check_generated(text: str, rows: list[dict[str, Any]]) -> None:
    for index, row in enumerate(rows):
        if not row.get("paths"):
            line = line_of(text, "generated", None, index)
            raise wrong(line, "[[generated]] has no paths", "paths", TABLES["generated"]["paths"].example)


def _check_ports(text: str, table: dict[str, int]) -> None:
    owners: dict[int, str] = {}
    for name, port in table.items():
        if owners.setdefault(port, name) != name:
            what = f"[ports] {name} and {owners[port]} are both {port}"
            raise wrong(line_of(text, "ports", name), what, "a number of its own", f"{name} = {port + 1}")


def _plain(held: Any) -> Any:  # noqa: ANN401 (as TOML gives it)
    """Return `held` with lists as tuples, so that records stay immutable."""
    if isinstance(held, dict):
        return {key: _plain(value) for key, value in held.items()}
    return tuple(map(_plain, held)) if isinstance(held, list) else held
