"""Globs: which paths a pattern of groundrules.toml takes, and which patterns are refused."""

from __future__ import annotations

import fnmatch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundrules_hooks.globs import depth, folder, matches, problem

TAKES = [
    ("**", "a"),
    ("**", "a/b/.c"),
    ("src/**", "src/a/b.py"),
    ("src/", "src/a/b.py"),
    ("/src/**", "src/a.py"),
    ("**/*.sql", "x.sql"),
    ("**/*.sql", "db/migrations/1.sql"),
    ("a/**/b", "a/b"),
    ("a/**/b", "a/x/y/b"),
    ("a/**/b/**/c", "a/b/x/b/c"),
    ("src/*/a.py", "src/b/a.py"),
    ("*.md", ".md"),
    ("a?c", "abc"),
    ("a[a-c]d", "abd"),
    ("a[!x]", "ay"),
    ("[]]", "]"),
    (r"a\*", "a*"),
    ("x*y*z", "xyyz"),
    ("ü*", "über"),
]
LEAVES = [
    ("src/**", "lib/a.py"),
    ("src/", "srcs/a.py"),
    ("*.md", "docs/a.md"),
    ("a/**/b", "a/b/c"),
    ("src/*/a.py", "src/a.py"),
    ("src/*", "src/a/b"),
    ("a[!x]", "ax"),
    ("a?c", "ac"),
    ("A", "a"),
    (r"a\*", "ab"),
    ("x*y*z", "xyz0"),
]
WRONG = ["", "!a", "a{b,c}", "a//b", "../a", "a/./b", "[ab", "a\\", "[!"]


@pytest.mark.parametrize(("pattern", "path"), TAKES)
def test_a_pattern_takes_what_it_describes(pattern: str, path: str) -> None:
    assert problem(pattern) is None
    assert matches(path, [pattern])


@pytest.mark.parametrize(("pattern", "path"), LEAVES)
def test_a_pattern_leaves_the_rest(pattern: str, path: str) -> None:
    assert problem(pattern) is None
    assert not matches(path, [pattern])


@pytest.mark.parametrize("pattern", WRONG)
def test_a_pattern_that_cannot_be_meant_is_told(pattern: str) -> None:
    assert problem(pattern)


@given(st.text("ab*?[!-]", max_size=8), st.text("ab-!", min_size=1, max_size=8))
def test_a_segment_is_matched_as_the_standard_library_does(pattern: str, name: str) -> None:
    # Where both know the pattern: fnmatch takes an unclosed bracket for itself, and a range that runs backwards.
    if problem(pattern) is None and "**" not in pattern:
        assert matches(name, [pattern]) == fnmatch.fnmatchcase(name, pattern)


@given(st.lists(st.sampled_from(["a", "b", "**"]), min_size=1, max_size=6), st.lists(st.sampled_from("ab"), max_size=6))
def test_any_depth_is_matched_as_by_trying_everything(segments: list[str], names: list[str]) -> None:
    def tried(rest: list[str], left: list[str]) -> bool:
        if not rest:
            return not left
        if rest[0] == "**":
            return any(tried(rest[1:], left[count:]) for count in range(len(left) + 1))
        return bool(left) and rest[0] == left[0] and tried(rest[1:], left[1:])

    if names:
        assert matches("/".join(names), ["/".join(segments)]) == tried(segments, names)


@pytest.mark.parametrize(
    ("pattern", "expected_folder", "expected_depth"),
    [
        ("*.md", "", 1),
        ("docs/adr/*.md", "docs/adr", 3),
        ("docs/errors.md", "docs", 2),
        ("/docs/a/", "docs/a", float("inf")),
        ("a/*/b/c.sql", "a", 4),
        ("**/m/*.sql", "", float("inf")),
        (r"a/b\*/c", "a", 3),
    ],
)
def test_a_pattern_names_a_folder_and_how_deep_it_goes(
    pattern: str, expected_folder: str, expected_depth: float
) -> None:
    assert (folder(pattern), depth(pattern)) == (expected_folder, expected_depth)
