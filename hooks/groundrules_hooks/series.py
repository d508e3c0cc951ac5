"""Series: files, or lines of files, that carry the numbers of one counter, such as decisions and migrations."""

from __future__ import annotations

from groundrules_hooks import globs
from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from groundrules_hooks.config import Series

PLACE = "{n}"
DIGITS = frozenset("0123456789")
LONGEST = 18  # digits; what is longer is no number of a counter
FIRST = "0001"  # of a series in file names, where nothing tells its width


class Entry(NamedTuple):
    """One number where it stands.

    `start` is the offset of `digits` in the line without white space around it, or, where `line` is 0, in the path.
    Entries of one `mark` are one thing: a file and its copy on another branch, the two halves of a migration.
    """

    digits: str
    path: str
    line: int
    start: int
    mark: str

    @property
    def number(self) -> int:
        """The number, whatever zeros stand before it."""
        return int(self.digits)


def entries(series: Series, path: str, content: bytes | None) -> Iterator[Entry]:
    """Yield the numbers that the file at `path`, one of the series' paths, carries; of lines those in `content`."""
    found = None if series.line else _in_path(series, path)
    if found:
        yield found
    if series.line and content is not None and b"\0" not in content:
        yield from _in_lines(series.line, path, content.decode("utf-8", "surrogateescape"))


def next_after(seen: Iterable[Entry], reserved: Iterable[int], series: Series) -> str:
    """Return the number above all of `seen` and `reserved`, with as many zeros in front as the highest one has."""
    first = Entry("0" if series.line else "0" * len(FIRST), "", 0, 0, "")
    highest = max((first, *seen), key=lambda entry: (entry.number, len(entry.digits)))
    return str(max(highest.number, *reserved, 0) + 1).zfill(len(highest.digits))


def problem(pattern: str) -> str | None:
    """Return what is wrong with `pattern`; None when it can find a number."""
    before, place, after = pattern.partition(PLACE)
    if not place or PLACE in after:
        return f"{PLACE} stands in it once"
    if before.count("*") > 1 or after.count("*") > 1:
        return f"one * at most before {PLACE}, and one after it"
    if before[-1:] in DIGITS or after[:1] in DIGITS:
        return f"no digit stands beside {PLACE}"
    return None if pattern.isprintable() else "printable characters"


def _in_path(series: Series, path: str) -> Entry | None:
    """Return the number in the first name that has one, below the folder that the series' pattern names outright."""
    pattern = next((each for each in series.paths if globs.matches(path, (each,))), path)
    folder = globs.folder(pattern)
    start = len(folder) + 1 if folder else 0
    while start < len(path):
        slash = path.find("/", start)
        end = slash if slash >= 0 else len(path)
        place = _place(path[start:end], series.file)
        if place:
            first, last = start + place[0], start + place[1]
            stem = path[:last] + path[last:end].partition(".")[0]
            return Entry(path[first:last], path, 0, first, stem)
        start = end + 1
    return None


def _in_lines(pattern: str, path: str, text: str) -> Iterator[Entry]:
    seen: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        words = line.strip()
        place = _place(words, pattern)
        if place:
            # The same line twice is two things with one number.
            seen[words] = seen.get(words, 0) + 1
            yield Entry(words[place[0] : place[1]], path, number, place[0], f"{path}\n{words}\n{seen[words]}")


def _place(text: str, pattern: str) -> tuple[int, int] | None:
    """Return where the digits of `text` start and end, if it begins as `pattern` says."""
    before, _, after = pattern.partition(PLACE)
    for start in _ends(text, 0, before):
        end = start
        while end < len(text) and text[end] in DIGITS:
            end += 1
        alone = start == 0 or text[start - 1] not in DIGITS
        if alone and start < end <= start + LONGEST and next(_ends(text, end, after), None) is not None:
            return start, end
    return None


def _ends(text: str, start: int, pattern: str) -> Iterator[int]:
    """Yield where `pattern`, in which a `*` is any text, can end when it begins at `start`."""
    head, star, rest = pattern.partition("*")
    if not text.startswith(head, start):
        return
    at = start + len(head)
    if not star:
        yield at
        return
    at = text.find(rest, at)
    while at >= 0:
        yield at + len(rest)
        at = text.find(rest, at + 1)
