"""counts: git's own count of lines, by one process for all commits; and a bound that is never below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundrules_hooks.change import PLAIN
from groundrules_hooks.counts import Counts, most
from groundrules_hooks.git import GitError
from groundrules_hooks.history import commits

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Repository

LINE = st.sampled_from([b"a", b"b", b"a\r", b"\r", b"", b" a", b"\0"])
TEXT = st.lists(LINE, max_size=6).map(b"\n".join)


@pytest.fixture
def inside(shop: Repository, enter: Callable[[Repository], None]) -> Repository:
    enter(shop)
    return shop


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=40))
def test_the_bound_is_never_below_what_git_counts(inside: Repository, pairs: list[tuple[bytes, bytes]]) -> None:
    trees = []
    for side in (0, 1):
        for at, pair in enumerate(pairs):
            inside.write(f"files/{at}", pair[side])
        for at in range(len(pairs), 40):
            inside.write(f"files/{at}", b"")
        inside.git("add", "-A")
        trees.append(inside.git("write-tree"))
    lines = Counts("-r", "-z", *trees).of("")
    for at, (old, new) in enumerate(pairs):
        assert sum(lines.get(f"files/{at}", ())) <= most(old, new), (old, new)


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        (b"a\nb\nc\n", b"a\nx\nc\n", 2),
        (b"a\nc\n", b"a\nb\nc\n", 1),
        (b"a\n", b"a\n", 0),
        (b"a", b"a\n", 2),
        (None, b"a\n", 1),
        (None, None, 2),
        (b"a\0\nb\n", b"a\nc\nd\n", 0),
        (None, b"\n" * 7999 + b"\0", 0),
        (None, b"\n" * 8000 + b"\0\n", 8001),
    ],
)
def test_what_lies_between_the_first_and_the_last_line_that_differ(
    old: bytes | None, new: bytes | None, lines: int
) -> None:
    assert most(old, new) == lines


def fewest(old: bytes, new: bytes) -> int:
    """Return how many lines the shortest way from `old` to `new` takes and puts."""
    ours, theirs = old.splitlines(keepends=True), new.splitlines(keepends=True)
    kept = [0] * (len(theirs) + 1)  # of ours so far and the first of theirs
    for line in ours:
        above = kept
        kept = [0]
        for at, other in enumerate(theirs):
            kept.append(above[at] + 1 if line == other else max(above[at + 1], kept[at]))
    return len(ours) + len(theirs) - 2 * kept[-1]


LONG = st.lists(st.sampled_from([b"a", b"", *(b"%d" % number for number in range(40))]), max_size=60)


@settings(deadline=None)
@given(LONG, LONG, st.integers(0, 60), st.sampled_from([b"", b"\n"]))
def test_the_bound_is_never_below_the_shortest_way(old: list[bytes], put: list[bytes], at: int, end: bytes) -> None:
    new = [*old[:at], *put[:9], *old[at + 3 :], *put[9:]]
    before, after = b"\n".join(old) + end, b"\n".join(new)
    assert fewest(before, after) <= most(before, after)


def test_lines_that_stay_between_those_that_change_are_not_counted() -> None:
    old = [b"line %d" % number for number in range(1000)]
    new = [line + b"!" * (number % 100 == 50) for number, line in enumerate(old)]
    assert 20 <= most(b"\n".join(old), b"\n".join(new)) <= 200


def test_git_counts_commits_one_by_one_when_asked_and_by_one_process(
    inside: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = "end of\n a\tfile"
    start = inside.commit(odd, "1\n" * 20)
    inside.commit("a", "1\n2\n")
    inside.git("mv", odd, "end\nof all")
    inside.commit("a", "1\n")
    empty = inside.commit("a", "1\n", "Change nothing")
    trace = tmp_path / "trace"
    monkeypatch.setenv("GIT_TRACE", str(trace))
    first, second, third = commits("HEAD", [start])
    assert third.commit == empty
    for _ in range(2):
        assert second.lines == {"a": (0, 1), "end\nof all": (0, 0)}
        assert third.lines == {}
        assert first.lines == {"a": (2, 0)}
    assert trace.read_text().count("built-in: git diff-tree") == 1


def test_a_git_that_ends_early_is_an_error(inside: Repository) -> None:
    start = inside.commit("a", "1\n")
    inside.commit("a", "2\n")
    (change,) = commits("HEAD", [start])
    blob = inside.git("rev-parse", "HEAD:a")
    (inside.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(GitError, match="`git diff-tree --stdin` ended early"):
        assert change.lines


@pytest.mark.usefixtures("inside")
def test_a_git_that_fails_is_an_error() -> None:
    with pytest.raises(GitError, match="diff-tree --numstat -r -z"):
        Counts(*PLAIN, "1" * 40, "2" * 40).of("")
