"""Alike: what two texts begin and end with is as long as looking at each byte says."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from groundrules_hooks.alike import FEW, differing, end, ends, lines, start

PARTS = st.sampled_from(
    [b"", b"a", b"b", b"c", b"\0", b"\n", b"a" * (FEW - 1), b"a" * FEW, b"ab" * FEW, b"\0" * (3 * FEW)]
)
TEXTS = st.lists(PARTS, max_size=6).map(b"".join)


def alike(old: bytes, new: bytes) -> int:
    pairs = enumerate(zip(old, new, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(old), len(new)))


@given(TEXTS, TEXTS)
@example(b"b", b"c")
@example(b"\0a", b"\0b")
@example(b"a\0", b"b\0")
@example(b"\0", b"\0\0")
def test_both_ends_are_as_long_as_their_bytes_are_alike(old: bytes, new: bytes) -> None:
    assert start(old, new) == alike(old, new)
    assert end(old, new) == alike(old[::-1], new[::-1])


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_what_differs_stands_between_what_is_alike(head: bytes, old: bytes, new: bytes, tail: bytes) -> None:
    first, second = differing(head + old + tail, head + new + tail)
    begun = start(head + old + tail, head + new + tail)
    assert begun >= len(head)
    assert (head + old + tail)[begun:].startswith(first)
    assert (head + new + tail)[begun:].startswith(second)
    assert len(head + old + tail) - len(first) == len(head + new + tail) - len(second)
    assert first == b"" or second == b"" or (first[0] != second[0] and first[-1] != second[-1])


@given(TEXTS, TEXTS)
@example(b"", b"a")
@example(b"c", b"b\nc")
@example(b"a\n\n", b"a\n")
def test_lines_that_differ_are_those_that_lists_of_lines_tell(old: bytes, new: bytes) -> None:
    ours, theirs = old.split(b"\n"), new.split(b"\n")
    first, last = ends(ours, theirs)
    begun, *found = lines(b"\n%s\n" % old, b"\n%s\n" % new)
    assert begun == sum(len(line) + 1 for line in ours[:first])
    for side, text in zip((ours, theirs), found, strict=True):
        assert text == b"\n" + b"".join(line + b"\n" for line in side[first : len(side) - last])
