"""Alike: how much two texts begin and end with alike, found by halves: comparing costs less than looking at each."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def start(old: bytes, new: bytes) -> int:
    """Return how many bytes both begin with."""
    return _alike(min(len(old), len(new)), lambda low, high: old[low:high] == new[low:high])


def end(old: bytes, new: bytes) -> int:
    """Return how many bytes both end with."""
    ends = len(old), len(new)
    return _alike(
        min(ends), lambda low, high: old[ends[0] - high : ends[0] - low] == new[ends[1] - high : ends[1] - low]
    )


def differing(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """Return both texts without what they begin and end with alike."""
    begun = start(old, new)
    old, new = old[begun:], new[begun:]
    ended = end(old, new)
    return old[: len(old) - ended], new[: len(new) - ended]


def _alike(most: int, is_alike: Callable[[int, int], bool]) -> int:
    """Return how many of the first `most` bytes are alike."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if is_alike(low, middle):
            low = middle
        else:
            high = middle - 1
    return low
