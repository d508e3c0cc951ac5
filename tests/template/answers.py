"""The answers that change what is rendered: every combination of them, and rows in which every pair of them meets."""

from __future__ import annotations

from itertools import combinations, product
from random import Random
from typing import TYPE_CHECKING, Any

from conftest import ROOT
from template.conftest import from_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# A port table without a service's port, with one, and with the database's beside two.
PORTS = ("", "web=3000", "web=3000 api=8000 db=5432")
VALUES = {
    "skeleton": ("none", "sqlite", "postgres"),
    "ports": PORTS,
    "tools": ("", "claude", "gemini", "copilot", "claude gemini copilot"),
    "forge": ("github", "gitlab", "none"),
    "commit_style": ("plain", "conventional"),
}
# Free text changes a value where it stands, and no file: test_hostile_answers.py.
FREE = {"project_name", "summary", "default_branch"}


def admitted(answers: Mapping[str, str]) -> bool:
    """Whether the questions admit these answers together: a skeleton needs ports to listen on."""
    return answers.get("ports", PORTS[-1]) in {
        "none": PORTS,
        "sqlite": PORTS[1:],
        "postgres": PORTS[2:],
    }.get(answers.get("skeleton", "none"), ())


def every_combination(values: Mapping[str, Iterable[str]] = VALUES) -> list[dict[str, str]]:
    """Return every admitted combination of `values`."""
    rows = (dict(zip(values, row, strict=True)) for row in product(*values.values()))
    return [row for row in rows if admitted(row)]


def pairs(answers: Mapping[str, str]) -> set[tuple[tuple[str, str], ...]]:
    """Return every pair of answers in `answers`."""
    return set(combinations(sorted(answers.items()), 2))


def pairwise(values: Mapping[str, Iterable[str]]) -> list[dict[str, str]]:
    """Return few of the admitted combinations in which every pair of answers meets: always one that adds most."""
    rows = every_combination(values)
    Random(40).shuffle(rows)  # noqa: S311 (the best of 400 orders)
    missing = {pair for row in rows for pair in pairs(row)}
    chosen = []
    while missing:
        best = max(rows, key=lambda row: len(missing & pairs(row)))
        chosen.append(best)
        missing -= pairs(best)
    return chosen


def named(answers: Mapping[str, str]) -> str:
    """Return a name for a test with these answers."""
    return "-".join(value.replace(" ", "+").replace("=", "") or "no" for value in answers.values())


def questions() -> dict[str, dict[str, Any]]:
    """Return the questions of the template."""
    return {name: asked for name, asked in from_yaml(f"{ROOT}/copier.yml").items() if not name.startswith("_")}
