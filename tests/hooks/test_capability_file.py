"""capabilities.toml: what it may hold, the line of what is wrong, the form kept of it, the checks it asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groundrules_hooks import capability_file
from groundrules_hooks.capability import Capability
from groundrules_hooks.capability_file import kept, needed, parse
from groundrules_hooks.config import Check, Config
from groundrules_hooks.failure import GroundrulesError

if TYPE_CHECKING:
    from pathlib import Path

ROW = '[[capability]]\nid = "orders"\ntitle = "Orders"\nlevel = "wired"\n'


def test_row_holds_what_it_states_and_the_line_of_its_level() -> None:
    more = 'entrypoints = ["src/orders.py"]\nproof = ["unit"]\nacceptance = ["ORD-1"]\n'
    first, second = parse(f"# why\n{ROW}{more}\n{ROW.replace('orders', 'bills')}".encode())
    assert first == Capability("orders", "Orders", "wired", ("src/orders.py",), ("unit",), ("ORD-1",), 5)
    assert second == Capability("bills", "Orders", "wired", line=13)
    assert parse(b"# nothing\n") == ()


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("[[capability]]\nid = \n", 2, "not TOML"),
        ("x = 1\n", 1, "x is unknown"),
        ("[capability]\nid = 1\n", 1, "capability is no list of tables"),
        (ROW + 'prof = ["unit"]\n', 5, "prof is unknown"),
        (ROW.replace("wired", "done"), 4, 'level is "done"'),
        (ROW.replace('"orders"', '"two words"'), 2, 'id is "two words"'),
        (ROW.replace('"Orders"', '""'), 3, 'title is ""'),
        (ROW + "entrypoints = ['/../x']\n", 5, "entrypoints is"),
        (ROW + "entrypoints = 'x.py'\n", 5, "entrypoints is"),
        (ROW + "proof = [1]\n", 5, "proof is"),
        ('[[capability]]\nid = "a"\ntitle = "A"\n', 1, "no level"),
        (ROW + "\n" + ROW, 7, "two capabilities have the id orders"),
        (ROW.replace('"Orders"', '"a\\u0000b"'), 3, "title is"),
    ],
)
def test_wrong_file_is_told_with_its_line(text: str, line: int, what: str) -> None:
    with pytest.raises(GroundrulesError) as raised:
        parse(text.encode())
    assert raised.value.what.startswith(f"capabilities.toml:{line}: {what}")
    assert raised.value.fix == f"${{EDITOR:-vi}} +{line} capabilities.toml"


def test_kept_form_is_used_for_the_same_bytes_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = ROW.encode()
    assert kept(content, str(tmp_path)) == parse(content)
    with monkeypatch.context() as patch:
        patch.setattr(capability_file, "parse", None)  # so that it cannot be parsed again
        assert kept(content, str(tmp_path)) == (Capability("orders", "Orders", "wired", line=4),)
    assert kept(content + b"\n# more\n", str(tmp_path)) == parse(content)
    (file,) = (tmp_path / "groundrules").iterdir()
    file.write_bytes(b"rubbish")
    assert kept(content, str(tmp_path)) == parse(content)


def test_form_is_not_needed_where_it_cannot_be_kept(tmp_path: Path) -> None:
    (tmp_path / "groundrules").write_text("a file where a folder belongs")
    assert kept(ROW.encode(), str(tmp_path)) == parse(ROW.encode())


@pytest.mark.parametrize(
    ("level", "paths", "expected"),
    [
        ("proven", ["src/a.py"], ["unit", "deep"]),
        ("proven", ["docs/a.md"], ["deep"]),
        ("proven", ["capabilities.toml"], ["unit", "deep"]),
        ("proven", [], []),
        ("wired", ["src/a.py"], []),
    ],
)
def test_proofs_of_what_is_proven_are_needed_by_changes_of_their_paths(
    level: str, paths: list[str], expected: list[str]
) -> None:
    checks = (
        Check("unit", ("true",), paths=("src/**",)),
        Check("deep", ("true",), "deep"),
        Check("other", ("true",)),
    )
    text = ROW.replace("wired", level) + 'proof = ["unit", "deep", "none"]\n'
    assert list(needed(text.encode(), Config({}, checks=checks), paths)) == expected


def test_file_that_is_absent_or_wrong_needs_no_check() -> None:
    config = Config({}, checks=(Check("unit", ("true",)),))
    assert list(needed(None, config, ["a"])) == []
    assert list(needed(b'level = "proven"', config, ["a"])) == []
