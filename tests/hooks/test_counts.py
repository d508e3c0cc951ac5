"""counts: git's own count of lines, once for all commits; and a bound that is never below it."""

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
        (b"a", b"a\n", 3),  # git counts 2
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


def test_git_counts_all_commits_at_once_and_only_when_asked(
    inside: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = inside.commit("a", "1\n")
    inside.commit("a", "1\n2\n")
    inside.commit("b", "1\n")
    first, second = commits("HEAD", [start])
    trace = tmp_path / "trace"
    monkeypatch.setenv("GIT_TRACE", str(trace))
    assert (second.lines, first.lines) == ({"b": (1, 0)}, {"a": (1, 0)})
    assert trace.read_text().count("trace: built-in") == 1


def test_many_commits_are_counted_in_chunks_beside_what_else_is_done(
    inside: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundrules_hooks.counts.CHUNK", 2)
    start = inside.git("rev-parse", "HEAD")
    for number in range(1, 6):
        inside.commit(f"f{number}", "x\n" * number)
    changes = commits("HEAD", [start])
    expected = [{f"f{number}": (number, 0)} for number in range(5, 0, -1)]
    counts, oids = changes[0].counts, [change.commit or "" for change in changes]
    assert counts
    with counts:
        assert [change.lines for change in changes[:2:-1]] == expected[:2]
        assert [counts.knows(oid) for oid in oids] == [False, False, True, True, True]
    assert [change.lines for change in reversed(changes)] == expected


@pytest.mark.usefixtures("inside")
def test_a_git_that_fails_is_an_error() -> None:
    with pytest.raises(GitError, match="diff-tree --numstat -r -z"):
        Counts(*PLAIN, "1" * 40, "2" * 40).of("")
