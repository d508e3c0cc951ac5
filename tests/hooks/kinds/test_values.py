"""Values: JSON and TOML are compared by what they hold; order, spelling and type are never called formatting."""

from __future__ import annotations

import pytest

from groundrules_hooks.kinds.formatting import compare
from groundrules_hooks.kinds.verdict import COMMENTS, FORMATTING, FUNCTIONAL, UNKNOWN


def judged(path: str, before: str, after: str) -> str:
    verdict = compare(path, before.encode(), after.encode())
    assert compare(path, after.encode(), before.encode()) == verdict
    return verdict


JSON = [
    ('{"a":1}', '{\n  "a": 1\n}', FORMATTING),
    ("[1,2]", "[\n1,\n2\n]", FORMATTING),
    ('{"a": "b c"}', '{"a": "b  c"}', FUNCTIONAL),
    ('{"a": 1}', '{"a": 2}', FUNCTIONAL),
    ('{"a": 1}', '{"a": "1"}', FUNCTIONAL),
    ('{"a": null}', "{}", FUNCTIONAL),
    ("[1, 2]", "[2, 1]", FUNCTIONAL),
    ('{"a": true}', '{"a": false}', FUNCTIONAL),
    ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}', UNKNOWN),
    ('{"a": 1}', '{"a": 1.0}', UNKNOWN),
    ("[0]", "[-0]", UNKNOWN),
    ('{"a": 10}', '{"a": 1e1}', UNKNOWN),
    ('{"a": 1, "a": 1}', '{"a": 1}', UNKNOWN),
    ('{"a": 12345678901234567890}', '{"a": 12345678901234567891}', FUNCTIONAL),
    ('{"a": NaN}', '{"a":NaN}', FORMATTING),
    ('{"a": NaN}', '{"a": Infinity}', FUNCTIONAL),
    ('{"a": "\\u00e9"}', '{"a": "é"}', UNKNOWN),
    ('{"a": 1}', '{"a": 1', UNKNOWN),
    # With comments, as many tools read JSON.
    ('// a\n{"b": [1]}', '// a\n{\n  "b": [\n    1,\n  ],\n}', FORMATTING),
    ('{"b": 1} // a', '{"b": 1} // c', COMMENTS),
    ('{"b": "//a"} // a', '{"b": "//c"} // a', FUNCTIONAL),
    ('{"b": 1, /* a */ "c": 2}', '{"b": 1, /* a */ "c": 3}', FUNCTIONAL),
    ('{"b": [1,]}', '{"b": [1,,]}', UNKNOWN),
]
TOML = [
    ("a=1", "a = 1", FORMATTING),
    ("a = 'b'", 'a = "b"', FORMATTING),
    ("a = [1,2]", "a = [\n  1,\n  2,\n]", FORMATTING),
    ("[a.b]\nc = 1", "[ a.b ]\nc=1", FORMATTING),
    ("a = 1 # b", "a = 1  # b", FORMATTING),
    ("a = 1 # b", "a = 1 # c", COMMENTS),
    ("a = 1", "# c\na = 1", COMMENTS),
    ("a = '#b' # c", "a = '#b' # d", COMMENTS),
    ("a = '#b'", "a = '#c'", FUNCTIONAL),
    ("a = 1", "a = 1.0", UNKNOWN),
    ("a = 1", "a = true", UNKNOWN),
    ("a = 1.0", "a = 1.00", UNKNOWN),
    ("a = 1\nb = 2", "b = 2\na = 1", UNKNOWN),
    ("a = 1", "a = 2", FUNCTIONAL),
    ("a = 'b c'", "a = 'b  c'", FUNCTIONAL),
    ("a = 2020-01-01", "a = 2020-01-02", FUNCTIONAL),
    ("a = [1, 2]", "a = [2, 1]", FUNCTIONAL),
    ("a = '''\nb'''", "a = '''\n b'''", FUNCTIONAL),
    ("a = 1", "a = ", UNKNOWN),
]


@pytest.mark.parametrize(("before", "after", "verdict"), JSON)
@pytest.mark.parametrize("path", ["package.json", "a/tsconfig.json", ".babelrc"])
def test_json_is_compared_by_value(path: str, before: str, after: str, verdict: str) -> None:
    assert judged(path, before, after) == verdict


@pytest.mark.parametrize(("before", "after", "verdict"), TOML)
@pytest.mark.parametrize("path", ["pyproject.toml", "Cargo.lock"])
def test_toml_is_compared_by_value(path: str, before: str, after: str, verdict: str) -> None:
    assert judged(path, before, after) == verdict
