"""YAML laid out anew: indentation that says the same, that which does not, and a parser that has to agree."""

from __future__ import annotations

import random
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from groundrules_hooks.kinds.formatting import compare
from groundrules_hooks.kinds.verdict import FORMATTING, UNKNOWN

SAME = [
    ("a:\n- b\n- c\nd: 1\n", "a:\n  - b\n  - c\nd: 1\n"),
    ("a:\n  - b: 1\n    c: 2\n", "a:\n    -   b: 1\n        c: 2\n"),
    ("a:\n  - b\nc:\n  - d\n", "a:\n    - b\nc:\n- d\n"),
    ("a:\n- b\n-\n  c: 1\n", "a:\n  - b\n  -\n    c: 1\n"),
    ("a: |\n  x\n    y\nb: 1\n", "a: |\n    x\n      y\nb: 1\n"),
    ("a: |\n\n  x\n", "a: |\n\n    x\n"),
    ("- e: |\n    ---\n    x\n  f: 1\n", "-   e: |\n        ---\n        x\n    f: 1\n"),
    ("---\na:\n- b\n---\nc: 1\n", "---\na:\n  - b\n---\nc: 1\n"),
    ("a:\n- b\n# why\n- c\n", "a:\n  - b\n  # why\n  - c\n"),
]
OTHER = [
    ("a:\n  b: 1\n  c: 2\n", "a:\n  b: 1\nc: 2\n"),
    ("a:\n  - - b\n    - c\n", "a:\n  - - b\n  - c\n"),
    ("- a\n- b:\n  c: 1\n", "- a\n- b:\n    c: 1\n"),
    ("- a\n- b\n", "- a\n  - b\n"),
    ("a: |\n  x\n    y\nb: 1\n", "a: |\n    x\n     y\nb: 1\n"),
    ("a: |\n  x\n\n\nb: 1\n", "a: |\n  x\n\nb: 1\n"),
    ("a: |2\n    x\nb: 1\n", "a: |2\n      x\nb: 1\n"),
    ("- e: |\n  c: x\n", "- e: |\n   c: x\n"),
    ("- |\n  ---\n", "- |\n---\n"),
    ("d: |\n    \n    # no\n", "d: |\n    \n  # no\n"),
    ("- - |\n  - x\n", "- - |\n    - x\n"),
    ("- run: |\n    a\n  if: x\n- run: |\n    a\n  id: x\n", "- run: |\n    a\n  id: x\n- run: |\n    a\n  if: x\n"),
    ("a: |\n    x\n   y\n", "a: |\n   x\n   y\n"),
    ("a:\n  ? x\n  : y\n", "a:\n    ? x\n    : y\n"),
    ("a: [1,\n 2]\nb:\n- c\n", "a: [1,\n 2]\nb:\n  - c\n"),
]


@pytest.mark.parametrize(("before", "after"), SAME)
def test_indentation_that_nests_the_same_is_formatting(before: str, after: str) -> None:
    assert compare("a.yml", before.encode(), after.encode()) == FORMATTING
    assert list(yaml.safe_load_all(before)) == list(yaml.safe_load_all(after))


@pytest.mark.parametrize(("before", "after"), OTHER)
def test_other_nesting_and_what_lines_do_not_tell_is_unknown(before: str, after: str) -> None:
    assert compare("a.yml", before.encode(), after.encode()) == UNKNOWN


KEYS = st.sampled_from(["a", "b", "c", "long name"])
LEAVES = st.sampled_from(["x", "y z", "-", "two\nlines\n", "  deep\nflat\n", "a: b", "- c", "", 1, None, True])
DATA = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=8
)


@given(st.dictionaries(KEYS, DATA, min_size=1, max_size=3), st.integers())
def test_what_is_called_formatting_loads_as_the_same(data: dict[str, Any], seed: int) -> None:
    before = yaml.safe_dump(data, sort_keys=False)
    chance = random.Random(seed)  # noqa: S311 (nothing to keep secret)
    lines = before.split("\n")
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(lines))
        for index in range(at, min(len(lines), at + chance.randint(1, 4))):
            more = chance.choice([-2, 2])
            lines[index] = " " * more + lines[index] if more > 0 else lines[index].removeprefix("  ")
    after = "\n".join(lines)
    if compare("a.yml", before.encode(), after.encode()) == FORMATTING:
        assert yaml.safe_load(after) == data


class _Deeper(yaml.SafeDumper):
    """Indents the items of a sequence below their key, as most formatters do."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002
        super().increase_indent(flow, indentless=False)


PLAIN = st.recursive(
    st.sampled_from(["x", "y", 1, True]),
    lambda inner: st.lists(inner, min_size=1, max_size=3) | st.dictionaries(KEYS, inner, min_size=1, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(KEYS, PLAIN, min_size=1, max_size=3), st.sampled_from([2, 4]))
def test_another_indentation_of_the_same_data_is_formatting(data: dict[str, Any], indent: int) -> None:
    before = yaml.safe_dump(data, sort_keys=False).encode()
    after = yaml.dump(data, Dumper=_Deeper, sort_keys=False, indent=indent).encode()
    assert compare("a.yml", before, after) == FORMATTING
