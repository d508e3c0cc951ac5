"""JSON read without `json` is JSON read by `json`, to the last error."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundrules_hooks import document

if TYPE_CHECKING:
    from collections.abc import Callable

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
FRAGMENTS = st.sampled_from([*'{}[]":, \n\t\\0-1.e', '"a"', "true", "null", "NaN", "{}", "\\u00e9", "é", "\0", "\x01"])


def said(read: Callable[[bytes], object], content: bytes) -> str:
    """Return the value, or the error with its words; NaN is not equal to itself, its text is."""
    try:
        return repr(read(content))
    except (ValueError, RecursionError) as error:
        return f"{type(error).__name__}: {error}"


@settings(deadline=None, max_examples=200)
@given(
    content=st.dictionaries(st.text(), VALUES).map(lambda value: json.dumps(value).encode())
    | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), VALUES).map(
        lambda value: json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass")
    )
    | st.lists(FRAGMENTS).map(lambda parts: ("{" + "".join(parts)).encode())
    | st.binary()
)
def test_value_and_error_are_those_of_json(content: bytes) -> None:
    assert said(document.loads, content) == said(json.loads, content)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"{}",
        b" {} ",
        b"{} x",
        b"{}\x0b",
        b"\xef\xbb\xbf{}",
        b'{"a": 1, "a": 2}',
        b'{"a": "\xff"}',
        b'{"a": "\t"}',
        b'{"a": 01}',
        '{"é": 1}'.encode("utf-16"),
        '{"é": 1}'.encode("utf-32-le"),
        b'{"a":' * 100_000,
        b'{"a": ' + b"9" * 5000 + b"}",
    ],
)
def test_corners_are_those_of_json(content: bytes) -> None:
    assert said(document.loads, content) == said(json.loads, content)
