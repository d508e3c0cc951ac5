"""The rows `[[series]]` of groundrules.toml: what they hold, and what must hold between them."""

from __future__ import annotations

from groundrules_hooks import config_kind as kinds
from groundrules_hooks.config_kind import Kind
from groundrules_hooks.config_wrong import line_of, wrong
from groundrules_hooks.series import problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _is_name(value: object) -> bool:
    return isinstance(value, str) and value.isascii() and value.replace("-", "").replace("_", "").isalnum()


def _finds_numbers(value: object) -> bool:
    return isinstance(value, str) and problem(value) is None


SERIES: dict[str, Kind] = {
    "name": Kind("a name of letters, digits, - and _", 'name = "migrations"', _is_name),
    "paths": kinds.patterns('paths = ["migrations/*.sql"]'),
    "file": Kind(
        "the start of a file's name, with {n} once for its digits and * for any text", 'file = "V{n}__"', _finds_numbers
    ),
    "line": Kind(
        "the start of a line, with {n} once for its digits and * for any text", 'line = "| {n} |"', _finds_numbers
    ),
}
TABLES = {"series": SERIES}


def check(text: str, rows: list[dict[str, Any]]) -> None:
    """Raise GroundrulesError on the first row that lacks a key, has two that exclude each other, or another's name."""
    names: set[str] = set()
    for index, row in enumerate(rows):
        line = line_of(text, "series", None, index)
        for key in ("name", "paths"):
            if not row.get(key):
                raise wrong(line, f"[[series]] has no {key}", f"a {key}", SERIES[key].example)
        if "file" in row and "line" in row:
            line = line_of(text, "series", "line", index)
            raise wrong(line, "[[series]] has file and line", "one of them", SERIES["line"].example)
        if row["name"] in names:
            raise wrong(line, f"two series are named {row['name']}", "a name of its own", SERIES["name"].example)
        names.add(row["name"])
