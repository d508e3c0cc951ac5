"""Owners: which paths are high-risk, by configuration and by CODEOWNERS, and who answers for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groundrules.owners import Risk, high_risk
from groundrules_hooks import config

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository

PATHS = ["groundrules.toml", "docs/CODEOWNERS", "db/001.sql", "db/deep/002.sql", "src/a.py", "src/db/x", "README.md"]


@pytest.fixture
def risky(shop: Repository, enter: Callable[[Repository], None]) -> Callable[..., dict[str, tuple[str, ...]]]:
    """Return the high-risk paths and their owners under a CODEOWNERS and a configuration."""

    def risky(owners: str, settings: str = "", where: str = "CODEOWNERS") -> dict[str, tuple[str, ...]]:
        enter(shop)
        commit = shop.commit(where, owners)
        found = high_risk(config.of_text(settings.encode()), commit, PATHS)
        return {risk.path: risk.owners for risk in found}

    return risky


DEFAULT: dict[str, tuple[str, ...]] = {"groundrules.toml": (), "docs/CODEOWNERS": ()}


def test_configuration_and_owners_themselves_are_high_risk_without_a_word(
    risky: Callable[..., dict[str, tuple[str, ...]]],
) -> None:
    assert risky("") == DEFAULT
    assert risky("", '[merge]\nhigh_risk = ["db/**", "*.md"]') == {
        "db/001.sql": (),
        "db/deep/002.sql": (),
        "README.md": (),
    }
    assert risky("", "[merge]\nhigh_risk = []") == {}


@pytest.mark.parametrize(
    ("line", "owned"),
    [
        ("/db/ @ada", ["db/001.sql", "db/deep/002.sql"]),
        ("/db/* @ada", ["db/001.sql"]),
        ("/db/** @ada", ["db/001.sql", "db/deep/002.sql"]),
        ("db/ @ada", ["db/001.sql", "db/deep/002.sql", "src/db/x"]),
        ("db @ada", ["db/001.sql", "db/deep/002.sql", "src/db/x"]),
        ("*.sql @ada", ["db/001.sql", "db/deep/002.sql"]),
        ("db/deep @ada", ["db/deep/002.sql"]),
        ("src/a.py @ada # the old one", ["src/a.py"]),
        ("**/deep/** @ada", ["db/deep/002.sql"]),
        ("# db/ @ada", []),
        ("* @ada", []),
        ("[Database] @ada", []),
        ("!db/ @ada", []),
        ("{a,b} @ada", []),
        ("db/\n", []),
        ("db/ @ada\ndb/", []),  # the last line counts, and takes the owners away
        ("* @ben\n/db/deep/ @ada", ["db/deep/002.sql"]),
        ("/db/deep/ @ada\n* @ben", []),
    ],
)
def test_line_of_codeowners_makes_its_paths_high_risk(
    risky: Callable[..., dict[str, tuple[str, ...]]], line: str, owned: list[str]
) -> None:
    assert risky(line, "[merge]\nhigh_risk = []") == dict.fromkeys(owned, ("@ada",))


def test_line_for_all_files_names_owners_of_what_is_high_risk_anyway(
    risky: Callable[..., dict[str, tuple[str, ...]]],
) -> None:
    assert risky("* @ada ben@example.org")["groundrules.toml"] == ("@ada", "ben@example.org")


@pytest.mark.parametrize("where", [".github/CODEOWNERS", ".gitlab/CODEOWNERS", "docs/CODEOWNERS"])
def test_file_is_found_where_forges_look(risky: Callable[..., dict[str, tuple[str, ...]]], where: str) -> None:
    assert risky("src/ @ada", "[merge]\nhigh_risk = []", where=where)["src/a.py"] == ("@ada",)


def test_risk_is_a_path_and_its_owners() -> None:
    assert Risk("a", ("@ada",)) == ("a", ("@ada",))
