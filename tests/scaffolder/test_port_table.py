"""port_table.lint: tables that would collide are refused when they are written, with the number that mends them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from groundrules.port_table import ephemeral_range, lint
from groundrules_hooks.config import Config, Slots, of_text
from groundrules_hooks.slot import ports

if TYPE_CHECKING:
    from conftest import Repository

EPHEMERAL = (32768, 60999)


def lines(table: str) -> list[str]:
    content = f"[ports]\n{table}".encode()
    return [f"{found.line}: {found.message}" for found in lint(of_text(content), content, EPHEMERAL)]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("web = 3000\napi = 8000\ndb = 5432\n", []),
        ("a = 3000\nb = 3001\n", []),
        # PRT-05, STACK-13
        ("a = 8000\nb = 8080\n", ["3: b in slot 0 is a in slot 8: 8080"]),
        ("a = 8080\nb = 8000\n", ["3: b in slot 8 is a in slot 0: 8080"]),
        ("a = 3000\nb = 3300\n", ["3: b in slot 0 is a in slot 30: 3300"]),
        ("a = 3000\nb = 3310\n", []),
        # PRT-08
        ("a = 65400\n", ["2: a in slot 30 is 65700, over 65535"]),
        ("a = 32500\n", ["2: a goes from 32500 to 32800, into 32768 to 60999, which the system hands out"]),
        ("a = 61000\n", []),
    ],
)
def test_what_is_refused_and_what_is_let_pass(table: str, expected: list[str]) -> None:
    assert lines(table) == expected


PORT = st.integers(1024, 65535)


@settings(max_examples=150, deadline=None, database=None)
@given(table=st.lists(PORT, min_size=1, max_size=5), stride=st.integers(1, 20), most=st.integers(1, 30))
def test_nothing_is_refused_exactly_when_no_two_slots_share_a_port(table: list[int], stride: int, most: int) -> None:
    config = Config({f"p{index}": port for index, port in enumerate(table)}, Slots(stride, most))
    held = [port for slot in range(most + 1) for port in ports(config, slot).values()]
    first, last = EPHEMERAL
    apart = all(port > last or port + stride * most < first for port in table)
    right = len(set(held)) == len(held) and max(held) <= 65535 and apart
    assert (not list(lint(config, b"", EPHEMERAL))) == right


@settings(max_examples=60, deadline=None, database=None)
@given(table=st.lists(PORT, min_size=1, max_size=4, unique=True))
def test_the_proposed_number_mends_its_line(table: list[int]) -> None:
    content = "[ports]\n" + "".join(f"p{index} = {port}\n" for index, port in enumerate(table))
    found = list(lint(of_text(content.encode()), content.encode(), EPHEMERAL))
    assume(found)
    old, new = found[0].fix.split("s/")[1].split("/")[:2]
    mended = content.split("\n")
    mended[found[0].line - 1] = mended[found[0].line - 1].replace(f"= {old}", f"= {new}")
    after = "\n".join(mended).encode()
    assert found[0].line not in {left.line for left in lint(of_text(after), after, EPHEMERAL)}


def test_the_range_is_that_of_this_machine() -> None:
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
        assert ephemeral_range() == tuple(map(int, file.read().split()))


def test_command_prints_findings_whose_fix_can_be_pasted(shop: Repository) -> None:
    shop.write("groundrules.toml", "[ports]\nweb = 8000\napi = 8080\n")
    said = shop.command("slot", "lint", code=1)
    assert said.startswith("groundrules.toml:3: port-table: api in slot 0 is web in slot 8: 8080\n")
    shop.write("mend", said.partition("To fix:\n")[2])
    shop.git("-c", "alias.mend=!sh mend", "mend")
    assert shop.command("slot", "lint") == ""
