"""[[series]] and [fixed_ports] of groundrules.toml: what they hold by default, and what is wrong in them."""

from __future__ import annotations

import pytest

from groundrules_hooks.config import DECISIONS, Config, FixedPorts, Series, of_text
from groundrules_hooks.failure import GroundrulesError

ROW = "[[series]]\nname = 'm'\npaths = ['m/*']\n"


def test_decisions_are_always_a_series_unless_a_row_says_where() -> None:
    assert of_text(b"").series == Config({}).series == (DECISIONS,)
    assert of_text(ROW.encode()).series == (DECISIONS, Series("m", ("m/*",)))
    own = of_text(b"[[series]]\nname = 'decisions'\npaths = ['docs/decisions/*.md']\n").series
    assert own == (Series("decisions", ("docs/decisions/*.md",)),)


def test_every_key_is_read() -> None:
    text = f"{ROW}file = 'V{{n}}__'\n[[series]]\nname = 'e'\npaths = ['e.md', 'f/']\nline = '| {{n}} |'\n"
    config = of_text(f"{text}[fixed_ports]\nallow = ['legacy/**']\n".encode())
    assert config.series[1:] == (
        Series("m", ("m/*",), file="V{n}__"),
        Series("e", ("e.md", "f/"), line="| {n} |"),
    )
    assert config.fixed_ports == FixedPorts(("legacy/**",))


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[[series]]\npaths = ['m']\n", 1, "[[series]] has no name"),
        ("[[series]]\nname = 'm'\n", 1, "[[series]] has no paths"),
        ("[[series]]\nname = 'm'\npaths = []\n", 1, "[[series]] has no paths"),
        ("[[series]]\nname = 'a b'\npaths = ['m']\n", 2, 'name is "a b"'),
        ("[[series]]\nname = ''\npaths = ['m']\n", 2, 'name is ""'),
        ("[[series]]\nname = 'm'\npaths = ['{a,b}']\n", 3, "a list of patterns of paths"),
        ("[[series]]\nname = 'm'\npaths = ['../m']\n", 3, "a list of patterns of paths"),
        ("[[series]]\nname = 'm'\npaths = 'm'\n", 3, "a list of patterns of paths"),
        ('[[series]]\nname = "m"\npaths = ["a\\nb"]\n', 3, "a list of patterns of paths"),
        (f"{ROW}file = 'V'\n", 4, 'file is "V"'),
        (f"{ROW}file = '1{{n}}'\n", 4, "with {n} once"),
        (f"{ROW}line = 3\n", 4, "line is 3"),
        (f"{ROW}file = '{{n}}'\nline = '{{n}}'\n", 5, "[[series]] has file and line"),
        (f"{ROW}{ROW}", 4, "two series are named m"),
        (f"{ROW}pattern = 'x'\n", 4, "[series] pattern is unknown"),
        ("[series]\nname = 'm'\n", 1, "series is not a table"),
        ("[fixed_ports]\nallow = ['!a']\n", 2, "a list of patterns of paths"),
        ("[fixed_ports]\nalow = []\n", 2, "[fixed_ports] alow is unknown"),
    ],
)
def test_wrong_row_names_its_line_and_what_was_expected(text: str, line: int, words: str) -> None:
    with pytest.raises(GroundrulesError) as caught:
        of_text(text.encode())
    said = str(caught.value)
    assert said.startswith(f"groundrules: groundrules.toml:{line}: ")
    assert words in said
    assert "example  " in said
