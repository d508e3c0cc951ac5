"""Lines: YAML, shell and Ruby are compared line by line, and only where no line is part of a text."""

from __future__ import annotations

import pytest

from groundrules_hooks.kinds.formatting import compare
from groundrules_hooks.kinds.verdict import COMMENTS, FORMATTING, FUNCTIONAL, UNKNOWN

YAML = [
    ("a: b  \nc: d", "a: b\nc: d", FORMATTING),
    ("a: b\n\n\nc: d", "a: b\nc: d", FORMATTING),
    ("a:\n  - b: c\n\n  - d: e", "a:\n  - b: c\n  - d: e", FORMATTING),
    ("a: b  # c", "a: b # c", FORMATTING),
    ("a: b # c", "a: b # d", COMMENTS),
    ("# a\nb: c", "b: c", COMMENTS),
    ("a: b # renovate: c", "a: b", UNKNOWN),
    ("a:\n  b: c", "a:\nb: c", UNKNOWN),
    ("a:\n- b", "a:\n  - b", FORMATTING),
    ("a: 'b'", 'a: "b"', UNKNOWN),
    ("a: yes", "a: 'yes'", UNKNOWN),
    ("a: b c", "a: b  c", UNKNOWN),
    ("a: b\n\n  c", "a: b\n  c", UNKNOWN),
    ("a: b\n\n  - c", "a: b\n  - c", UNKNOWN),
    ("a: b", "a: c", FUNCTIONAL),
    ("a: 1", "a: 10", FUNCTIONAL),
    ("a: b", "a: b\nc: d", FUNCTIONAL),
    # Texts that are told by their indentation, or go on in quotes.
    ("a: |\n  b  \nc: d", "a: |\n  b\nc: d", UNKNOWN),
    ("a: |\n  b\n\n  c: d\ne: f", "a: |\n  b\n  c: d\ne: f", UNKNOWN),
    ("a: |\n  # b\n  c", "a: |\n  # d\n  c", UNKNOWN),
    ("- a: >-  # it's\n    b\n\n    c: d", "- a: >-  # it's\n    b\n    c: d", UNKNOWN),
    ('a: "b\n  # c\n  d"', 'a: "b\n  # e\n  d"', UNKNOWN),
    ("a: 'b\n\n  c: d'", "a: 'b\n  c: d'", UNKNOWN),
    ('a: !t "b\n\n  c: d"\n', 'a: !t "b\n  c: d"\n', UNKNOWN),
    ('{"a":"b\n\n  c: d"}', '{"a":"b\n  c: d"}', UNKNOWN),
    ("# a\rb:  c", "# a\rb: c", UNKNOWN),
    ("a: b\r", "a: b", UNKNOWN),
    ("a: |\n  b\n\n\nc: d  ", "a: |\n  b\n\n\nc: d", FORMATTING),
]
SHELL = [
    ("if a; then\nb\nfi", "if a; then\n  b\nfi", FORMATTING),
    ("a  \n\n\nb", "a\nb", FORMATTING),
    ("# a\nb", "#  a\nb", FORMATTING),
    ("# a\nb", "# c\nb", COMMENTS),
    ("#!/bin/sh\na", "#!/bin/bash\na", UNKNOWN),
    ("# shellcheck disable=SC1\na", "a", UNKNOWN),
    ("a b", "a  b", UNKNOWN),
    ("a 'b  c'", "a 'b c'", UNKNOWN),
    ("a\nb", "a; b", UNKNOWN),
    ("a b", "a c", FUNCTIONAL),
    ("a #b", "a #c", UNKNOWN),
    ("a \\\n  b", "a \\\nb", UNKNOWN),
    ("a\\\n  b", "a\\\nb", UNKNOWN),
    ("a \\\n\nb", "a \\\nb", UNKNOWN),
    ("a \\ \nb", "a \\\nb", UNKNOWN),
    ("a \\\n# b\nc", "a \\\n# d\nc", UNKNOWN),
    ("a <<B\n  c\nB", "a <<B\nc\nB", UNKNOWN),
    ("a '\n  b'", "a '\nb'", UNKNOWN),
    ("a=`\n  b`", "a=`\nb`", UNKNOWN),
    ("a << B\n c\nB\n", "a << B\nc\nB\n", UNKNOWN),
    ("a <<\\B\n c\nB\n", "a <<\\B\nc\nB\n", UNKNOWN),
    ("a b\v", "a b", UNKNOWN),
    ("a b\r", "a b", UNKNOWN),
    ("#! bin/sh\na", "#!/bin/sh\na", UNKNOWN),
]
RUBY = [
    ("if a\nb\nend", "if a\n  b\nend", FORMATTING),
    ("a <<b", "a  <<b", UNKNOWN),
    ("a = %w[\n  b\n]", "a = %w[\nb\n]", UNKNOWN),
    ("a = /b\n  c/", "a = /b\nc/", UNKNOWN),
    ("=begin\n  a\n=end", "=begin\na\n=end", UNKNOWN),
    ("a\n__END__\n  b", "a\n__END__\nb", UNKNOWN),
    ("a\n__END__\nb\n\n", "a\n__END__\nb\n", UNKNOWN),
    ("a\n\n.b", "a\n.b", UNKNOWN),
    ("a -1", "a - 1", UNKNOWN),
    ("# frozen_string_literal: true\na", "a", UNKNOWN),
    ("a(b)", "a(c)", FUNCTIONAL),
]


def judged(path: str, before: str, after: str) -> str:
    verdict = compare(path, before.encode(), after.encode())
    assert compare(path, after.encode(), before.encode()) == verdict
    return verdict


@pytest.mark.parametrize(("before", "after", "verdict"), YAML)
@pytest.mark.parametrize("path", ["a.yml", ".github/workflows/a.yaml"])
def test_yaml(path: str, before: str, after: str, verdict: str) -> None:
    assert judged(path, before, after) == verdict


@pytest.mark.parametrize(("before", "after", "verdict"), SHELL)
@pytest.mark.parametrize("path", ["a.sh", "a.bash"])
def test_shell(path: str, before: str, after: str, verdict: str) -> None:
    assert judged(path, before, after) == verdict


@pytest.mark.parametrize(("before", "after", "verdict"), RUBY)
@pytest.mark.parametrize("path", ["a.rb", "Gemfile"])
def test_ruby(path: str, before: str, after: str, verdict: str) -> None:
    assert judged(path, before, after) == verdict
