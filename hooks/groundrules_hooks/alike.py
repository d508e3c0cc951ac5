"""Alike: how much two texts, or lists of parts of them, begin and end with alike.

Of texts it is found by halves: comparing them costs less than looking at each byte.
"""

from __future__ import annotations

FEW = 256  # bytes that are compared as numbers: one difference of them tells the place


def start(old: bytes, new: bytes) -> int:
    """Return how many bytes both begin with."""
    low, high = 0, min(len(old), len(new))
    while high - low > FEW:
        middle = (low + high) // 2
        if new.startswith(old[low:middle], low):
            low = middle
        else:
            high = middle
    return high - _length(int.from_bytes(old[low:high], "big") ^ int.from_bytes(new[low:high], "big"))


def end(old: bytes, new: bytes) -> int:
    """Return how many bytes both end with."""
    first, second = len(old), len(new)
    low, high = 0, min(first, second)
    while high - low > FEW:
        middle = (low + high) // 2
        if new.endswith(old[first - middle : first - low], 0, second - low):
            low = middle
        else:
            high = middle
    ours, theirs = old[first - high : first - low], new[second - high : second - low]
    return high - _length(int.from_bytes(ours, "little") ^ int.from_bytes(theirs, "little"))


def _length(number: int) -> int:
    """Return how many bytes `number` takes."""
    return (number.bit_length() + 7) // 8


def differing(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """Return both texts without what they begin and end with alike."""
    begun = start(old, new)
    old, new = old[begun:], new[begun:]
    ended = end(old, new)
    return old[: len(old) - ended], new[: len(new) - ended]


def lines(old: bytes, new: bytes) -> tuple[int, bytes, bytes]:
    """Return where the first line that differs begins, and both texts from there through the last line that does.

    Both are of lines with a newline before and behind each; so is what is returned.
    """
    begun = old.rfind(b"\n", 0, start(old, new))
    old, new = old[begun:], new[begun:]
    # The newline between two lines belongs to both, so what is alike at the ends may share one.
    ended = len(old) - 1 - old.find(b"\n", len(old) - end(old, new))
    return begun, old[: len(old) - ended], new[: len(new) - ended]


def ends(old: list[bytes], new: list[bytes]) -> tuple[int, int]:
    """Return how many items both begin with, and how many of the others both end with."""
    most = min(len(old), len(new))
    begun = ended = 0
    while begun < most and old[begun] == new[begun]:
        begun += 1
    while ended < most - begun and old[-1 - ended] == new[-1 - ended]:
        ended += 1
    return begun, ended
