"""Series: where numbers stand in names and lines, which comes next, and what many commits hold."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Repository
from groundrules_hooks.config import DECISIONS, Series
from groundrules_hooks.objects import Objects
from groundrules_hooks.series import Entry, entries, next_after, problem
from groundrules_hooks.series_tree import read

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

SQL = Series("migrations", ("migrations/*.sql",))


@pytest.fixture
def inside(shop: Repository, enter: Callable[[Repository], None]) -> Repository:
    enter(shop)
    return shop


def found(series: Series, path: str, content: str = "") -> list[tuple[str, int, str]]:
    return [(entry.digits, entry.line, entry.mark) for entry in entries(series, path, content.encode())]


@pytest.mark.parametrize(
    ("paths", "file", "path", "expected"),
    [
        ("migrations/*.sql", "{n}", "migrations/0007_cart.sql", ("0007", "migrations/0007_cart")),
        ("migrations/*.sql", "{n}", "migrations/0007_cart.up.sql", ("0007", "migrations/0007_cart")),
        ("migrations/*.sql", "{n}", "migrations/0007.sql", ("0007", "migrations/0007")),
        ("migrations/*.sql", "{n}", "migrations/7", ("7", "migrations/7")),
        ("migrations/*.sql", "{n}", "migrations/cart_0007.sql", None),
        ("migrations/*.sql", "{n}", "migrations/README.sql", None),
        ("migrations/*", "{n}", "migrations/20261130120000_x.rb", ("20261130120000", "migrations/20261130120000_x")),
        ("migrations/*", "{n}", f"migrations/{'1' * 19}.sql", None),
        ("m/*.sql", "V{n}__", "m/V12__cart.sql", ("12", "m/V12__cart")),
        ("m/*.sql", "V{n}__", "m/R12__cart.sql", None),
        ("m/*.sql", "V{n}__", "m/V12.sql", None),
        ("rfc/*", "*-{n}", "rfc/shop-12-cart.md", ("12", "rfc/shop-12-cart")),
        ("rfc/*", "*-{n}*.md", "rfc/shop-a-12.md", ("12", "rfc/shop-a-12")),
        # The number may be in a folder's name: everything below belongs to it.
        ("migrations/", "{n}", "migrations/0007_cart/down.sql", ("0007", "migrations/0007_cart")),
        ("migrations/*/up.sql", "{n}", "migrations/0007_cart/up.sql", ("0007", "migrations/0007_cart")),
        ("**/migrations/*.sql", "{n}", "shop/migrations/0007_a.sql", ("0007", "shop/migrations/0007_a")),
        ("*.md", "{n}", "7-x.md", ("7", "7-x")),
    ],
)
def test_a_name_gives_its_number_and_what_shares_it(
    paths: str, file: str, path: str, expected: tuple[str, str] | None
) -> None:
    said = found(Series("x", (paths,), file=file), path)
    assert said == ([] if expected is None else [(expected[0], 0, expected[1])])


@pytest.mark.parametrize(
    ("line", "text", "expected"),
    [
        ("| {n} |", "| n | what |\n|---|---|\n| 7 | a |\n  | 008 | b |  \n", [("7", 3), ("008", 4)]),
        ("| {n} |", "|7|\n| 7| \n| 7x |\n| x 7 |\n", []),
        ("* = {n},", "enum E {\n    NotFound = 17,\n    Gone = 18\n    Odd = 1 + 19,\n", [("17", 2)]),
        ("ERR_*:{n}", "ERR_A:1\nERR_:2\nXERR_A:3\n", [("1", 1), ("2", 2)]),
        ("E{n}*:", "E12 gone: x\nE13 x\n", [("12", 1)]),
        ("E{n}", "E12\0", []),
        ("E{n}", "\udcff\nE1 \udcff", [("1", 2)]),
    ],
)
def test_lines_give_their_numbers(line: str, text: str, expected: list[tuple[str, int]]) -> None:
    content = text.encode("utf-8", "surrogateescape")
    said = entries(Series("x", ("f",), line=line), "f", content)
    assert [(entry.digits, entry.line) for entry in said] == expected


def test_a_line_that_stands_twice_is_two_things() -> None:
    series = Series("x", ("f",), line="{n} ")
    assert len({mark for _, _, mark in found(series, "f", "1 a\n1 a\n 1 a\n")}) == 3


@pytest.mark.parametrize(
    ("pattern", "wrong"),
    [
        ("{n}", None),
        ("V{n}__*x", None),
        ("* = {n},", None),
        ("x", "{n} stands in it once"),
        ("{n}{n}", "{n} stands in it once"),
        ("**{n}", "one * at most before {n}, and one after it"),
        ("{n}a*b*", "one * at most before {n}, and one after it"),
        ("1{n}", "no digit stands beside {n}"),
        ("{n}0", "no digit stands beside {n}"),
        ("a\n{n}", "printable characters"),
    ],
)
def test_a_pattern_is_checked(pattern: str, wrong: str | None) -> None:
    assert problem(pattern) == wrong


PIECES = st.text("ab1 |=", max_size=3)
PATTERNS = st.builds(
    lambda before, star, middle, after, end: f"{before}{star}{middle}{{n}}{after}{end}",
    PIECES,
    st.sampled_from(["", "*"]),
    PIECES,
    PIECES,
    st.sampled_from(["", "*", "*a"]),
).filter(lambda pattern: problem(pattern) is None)


@given(PATTERNS, st.text("ab17 |=", max_size=12))
def test_a_line_is_read_as_a_regular_expression_would(pattern: str, line: str) -> None:
    words = line.strip()
    before, after = (".*?".join(map(re.escape, side.split("*"))) for side in pattern.split("{n}"))
    match = re.match(rf"{before}(?<!\d)(\d+)(?!\d){after}", words)
    said = list(entries(Series("x", ("f",), line=pattern), "f", line.encode()))
    assert [(entry.digits, entry.start) for entry in said] == ([(match[1], match.start(1))] if match else [])


@pytest.mark.parametrize(
    ("digits", "reserved", "line", "expected"),
    [
        ([], [], "", "0001"),
        ([], [], "{n}", "1"),
        (["0001", "0002"], [], "", "0003"),
        (["7", "9"], [], "", "10"),
        (["099"], [], "", "100"),
        (["0007"], [9], "", "0010"),
        (["0012"], [9], "", "0013"),
        ([], [4], "", "0005"),
        (["9", "0007"], [], "", "10"),
    ],
)
def test_the_next_number_is_above_all_and_as_wide(
    digits: list[str], reserved: list[int], line: str, expected: str
) -> None:
    series = Series("x", ("f",), line=line)
    seen = [Entry(each, "f", 0, 0, each) for each in digits]
    assert next_after(seen, reserved, series) == expected


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_commits_are_read_at_once_and_only_below_the_named_folder(
    tmp_path: Path, enter: Callable[[Repository], None], form: str
) -> None:
    repository = Repository(tmp_path)
    repository.git("init", "-q", "-b", "main", f"--object-format={form}")
    for name in ("m/1_a/up.sql", "m/1_a/x/2_deep.sql", "m/3_b.sql", "n/4.sql", "5.sql", "m/ü\n6/up.sql"):
        repository.write(name, name)
    (repository.path / "m" / "7_link.sql").symlink_to("3_b.sql")
    first = repository.commit("m/8_c.sql")
    second = repository.commit("m/9_d.sql")
    enter(repository)
    flat, deep = Series("x", ("m/*.sql",)), Series("x", ("m/",))
    said = read(Objects(), [first, second, "HEAD", "refs/heads/gone", f"{first}^{{tree}}"], flat, len(first))
    numbers = {source: [entry.number for entry in each] for source, each in said.items()}
    assert numbers[first] == [3, 7, 8]
    assert numbers[second] == numbers["HEAD"] == [3, 7, 8, 9]
    assert numbers["refs/heads/gone"] == []
    (below,) = read(Objects(), ["HEAD"], deep, len(first)).values()
    links = ("m/7_link.sql", "m/8_c.sql", "m/9_d.sql")
    assert [entry.path for entry in below] == ["m/1_a/up.sql", "m/1_a/x/2_deep.sql", "m/3_b.sql", *links]
    (root,) = read(Objects(), ["HEAD"], Series("x", ("*.sql", "n/*.sql")), len(first)).values()
    assert [entry.path for entry in root] == ["5.sql", "n/4.sql"]
    lines = Series("x", ("m/*.sql",), line="m/{n}")
    (read_lines,) = read(Objects(), ["HEAD"], lines, len(first)).values()
    assert [(entry.path, entry.digits) for entry in read_lines] == [("m/3_b.sql", "3")]


def test_decisions_are_a_series_of_their_own() -> None:
    assert found(DECISIONS, "docs/adr/0001-adopt.md") == [("0001", 0, "docs/adr/0001-adopt")]
    assert found(DECISIONS, "docs/adr/README.md") == []


def test_folders_that_nothing_fits_below_are_not_read(inside: Repository) -> None:
    asked: list[bytes] = []

    class Counting(Objects):
        def read(self, names: Sequence[bytes], kind: bytes = b"blob") -> list[bytes | None]:
            asked.extend(names)
            return super().read(names, kind)

    inside.write("m/deep/1.sql")
    inside.commit("m/2.sql")
    read(Counting(), ["HEAD", "main"], SQL._replace(paths=("m/*.sql",)), 40)
    assert asked == [b"HEAD:m", b"main:m"]
