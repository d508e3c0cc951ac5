"""Tails: empty lines at the end of a file are formatting, but for those that belong to a text."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from groundrules_hooks.kinds.formatting import compare
from groundrules_hooks.kinds.verdict import FORMATTING, UNKNOWN

SAME = [
    ("a.yml", "a: b", "a: b\n\n\n"),
    ("a.yml", "a: |\n  b\n", "a: |\n  b\n\n\n"),
    ("a.yml", "a: >-\n  b", "a: >-\n  b\n\n"),
    ("a.yml", "a: |+\n  b\n\nc: d", "a: |+\n  b\n\nc: d\n\n"),
    ("a.yml", "a: |+\n  b\n\n# c\n", "a: |+\n  b\n\n# c\n\n"),
    ("a.yml", "a: |+\n  b\n\n---\nc: d\n", "a: |+\n  b\n\n---\nc: d\n\n"),
    ("a.yml", "a:  b\nc: |+\n  d\n\n", "a:  b\nc: |+\n    d\n\n"),
    ("a.php", "<?php\na();\n", "<?php\na();\n\n\n"),
    ("a.php", "b\n<?php\na();", "b\n<?php\na();\n"),
    ("a.php", "<?php a(); ?>\nb\n<?= $c", "<?php a(); ?>\nb\n<?= $c\n\n"),
    ("a.php", "<?php\na();\n?>", "<?php\na();\n?>\n"),
    ("a.php", "<?php\na( );\n?>", "<?php\na();\n?>\n"),
]
OTHER = [
    ("a.yml", "a: |+\n  b\n", "a: |+\n  b\n\n"),
    ("a.yml", "a: >+2 # b\n  c\n", "a: >+2 # b\n  c\n\n"),
    ("a.yml", "a: |2+\n  c\n\n", "a: |2+\n  c\n\n\n"),
    ("a.yml", "a:\n  - b: |+\n      c\n", "a:\n  - b: |+\n      c\n\n"),
    ("a.yml", "- |+\n  a\n", "- |+\n  a\n\n"),
    ("a.yml", "a: |+\n", "a: |+\n\n"),
    ("a.yml", "a: |+\n  b |\n    c\n", "a: |+\n  b |\n    c\n\n"),
    ("a.yml", '"a #b": !!str |+ # c\n  d\n', '"a #b": !!str |+ # c\n  d\n\n'),
    ("a.yml", "a:\n    |+\n  b\n", "a:\n    |+\n  b\n\n"),
    ("a.yml", "--- |+\nb\n", "--- |+\nb\n\n"),
    ("a.yml", "|+\nb\n", "|+\nb\n\n"),
    ("a.yml", "a: |\n  b", "a: |\n  b\n"),
    ("a.php", "<?php a(); ?>\nb", "<?php a(); ?>\nb\n"),
    ("a.php", "<?php a(); ?>\n", "<?php a(); ?>\n\n"),
    ("a.php", "a", "a\n"),
    ("a.php", "<?php a(); __halt_compiler(); b c", "<?php a(); __halt_compiler(); b  c"),
    ("a.php", "<?php a(); __HALT_COMPILER();\n", "<?php a(); __HALT_COMPILER();\n\n"),
]


@pytest.mark.parametrize(("path", "before", "after"), SAME)
def test_empty_lines_at_the_end_that_say_nothing_are_formatting(path: str, before: str, after: str) -> None:
    assert compare(path, before.encode(), after.encode()) == FORMATTING
    assert compare(path, after.encode(), before.encode()) == FORMATTING


@pytest.mark.parametrize(("path", "before", "after"), OTHER)
def test_empty_lines_that_belong_to_a_text_are_not(path: str, before: str, after: str) -> None:
    assert compare(path, before.encode(), after.encode()) == UNKNOWN
    assert compare(path, after.encode(), before.encode()) == UNKNOWN


LINES = st.lists(st.sampled_from(["a: |+", "a: |", "b: >-", "- >+", "  c", "    d |+", "  e: |", "f: g", "", "# h"]))


@given(LINES, st.integers(0, 3), st.integers(0, 3))
def test_what_is_called_formatting_loads_as_the_same(lines: list[str], some: int, more: int) -> None:
    before, after = ("\n".join(lines) + "\n" * count for count in (some, more))
    try:
        loaded = yaml.safe_load(before)
    except yaml.YAMLError:
        return
    if compare("a.yml", before.encode(), after.encode()) == FORMATTING:
        assert yaml.safe_load(after) == loaded
