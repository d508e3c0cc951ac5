r"""Globs: patterns of paths as groundrules.toml writes them, matched without importing regular expressions.

A pattern is segments between slashes, from the root. `**` as a whole segment stands for any number of segments, also
none; within a segment `*`, `?`, `[a-z]`, `[!a-z]` and `\x` are as in a shell, and `*` takes a leading dot too. A slash
in front changes nothing, one at the end means everything below.
"""

from __future__ import annotations

from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

ANY_DEPTH = "**"
SPECIAL = frozenset("*?[\\")


class Chars(NamedTuple):
    """One character of a segment: in one of `ranges`, or in none of them when `negated`."""

    ranges: tuple[tuple[str, str], ...]
    negated: bool = False

    def fits(self, char: str) -> bool:
        """Whether `char` is one of these."""
        return any(low <= char <= high for low, high in self.ranges) is not self.negated


class Sorted(NamedTuple):
    """Patterns by how their paths are told: most by comparing names, `others` segment by segment.

    All paths begin with one of `starts`. `told` are those that were asked for: the commits of a range ask for the same.
    """

    starts: tuple[str, ...]
    paths: frozenset[str]
    folders: tuple[str, ...]
    anywhere: frozenset[str]
    names: frozenset[str]
    heads: tuple[str, ...]
    tails: tuple[str, ...]
    within: tuple[str, ...]
    others: tuple[list[str], ...]
    told: dict[str, bool]


SORTED: dict[tuple[str, ...], Sorted] = {}
STAR = None  # in place of Chars: any number of characters
ONE = Chars((), negated=True)


def problem(pattern: str) -> str | None:
    """Return what is wrong with `pattern`; None when it can match something."""
    if pattern.startswith("!"):
        return "a pattern does not negate"
    if set(pattern) & set("{}"):
        return "braces are not known here; write two patterns"
    segments = _segments(pattern)
    if any(segment in ("", ".", "..") for segment in segments):
        return "a path from the root without . and .. and //"
    try:
        for segment in segments:
            list(_tokens(segment))
    except ValueError as error:
        return str(error)
    return None


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Whether `path`, from the root, is one of those that `patterns` without a `problem` describe."""
    patterns = tuple(patterns)
    if not patterns:
        return False
    known = _sorted(patterns)
    if not path.startswith(known.starts):
        return False
    if path not in known.told:
        known.told[path] = _is_of(path, known)
    return known.told[path]


def _is_of(path: str, known: Sorted) -> bool:
    names = path.split("/")
    last = names[-1]
    if (
        last in known.names
        or last.endswith(known.tails)
        or last.startswith(known.heads)
        or not known.anywhere.isdisjoint(names)
        or f"{path}/".startswith(known.folders)
        or path in known.paths
    ):
        return True
    for part in known.within:  # `any` would take as long as all of this
        if part in last:
            return True
    return bool(known.others) and any(_is_below(names, segments) for segments in known.others)


def folder(pattern: str) -> str:
    """Return the deepest folder that everything `pattern` describes lies in; empty for the root."""
    plain = []
    for segment in _segments(pattern)[:-1]:
        if SPECIAL & set(segment):
            break
        plain.append(segment)
    return "/".join(plain)


def is_plain(pattern: str) -> bool:
    """Whether `pattern` describes the one path that it spells."""
    return SPECIAL.isdisjoint(pattern) and not pattern.endswith("/")


def depth(pattern: str) -> float:
    """Return how many segments a path can have that `pattern` describes; without end for `**`."""
    segments = _segments(pattern)
    return float("inf") if ANY_DEPTH in segments else len(segments)


def _sorted(patterns: tuple[str, ...]) -> Sorted:
    """Return `patterns` sorted, once: a change of thousands of files asks for the same ones."""
    if patterns not in SORTED:
        told = [(*_told_by(segments), segments) for segments in map(_segments, patterns)]

        def of(which: str) -> tuple[str, ...]:
            return tuple(text for field, text, _ in told if field == which)

        SORTED[patterns] = Sorted(
            starts=tuple(map(folder, patterns)),
            paths=frozenset(patterns),
            folders=of("folders"),
            anywhere=frozenset(of("anywhere")),
            names=frozenset(of("names")),
            heads=of("heads"),
            tails=of("tails"),
            within=of("within"),
            others=tuple(segments for field, _, segments in told if field == "others"),
            told={},
        )
    return SORTED[patterns]


def _told_by(segments: Sequence[str]) -> tuple[str, str]:
    """Return the field of Sorted that holds a pattern of these segments, and what it holds of it; `others` nothing."""
    first, last = segments[0], segments[-1]
    plain = SPECIAL.isdisjoint("".join(segments[1:-1]))
    if first == last == ANY_DEPTH and len(segments) == 3 and plain:
        return "anywhere", segments[1]
    if last == ANY_DEPTH and plain and SPECIAL.isdisjoint(first):
        return "folders", "/".join([*segments[:-1], ""])
    inner = last.strip("*")
    if first != ANY_DEPTH or len(segments) != 2 or not SPECIAL.isdisjoint(inner):
        return "others", ""
    before, behind = last.startswith("*"), last.endswith("*")
    return ("within" if behind else "tails") if before else ("heads" if behind else "names"), inner


def _segments(pattern: str) -> list[str]:
    whole = f"{pattern}{ANY_DEPTH}" if pattern.endswith("/") else pattern
    return whole.removeprefix("/").split("/")


def _is_below(names: Sequence[str], segments: Sequence[str]) -> bool:
    """Whether `segments` take all `names`. The last `**` alone has to give way, so nothing is tried twice over."""
    at = position = 0
    retry, taken = -1, 0
    while at < len(names):
        if position < len(segments) and segments[position] == ANY_DEPTH:
            retry, taken = position + 1, at
            position += 1
        elif position < len(segments) and _is_one(names[at], segments[position]):
            at, position = at + 1, position + 1
        elif retry >= 0:
            taken += 1
            at, position = taken, retry
        else:
            return False
    return all(segment == ANY_DEPTH for segment in segments[position:])


def _is_one(name: str, segment: str) -> bool:
    """Whether `segment` describes `name`: by comparison where it is plain, or plain between stars."""
    inner = segment.strip("*")
    if SPECIAL.isdisjoint(inner):
        before, behind = segment.startswith("*"), segment.endswith("*")
        if before:
            return inner in name if behind else name.endswith(inner)
        return name.startswith(inner) if behind else name == inner
    return _takes(name, list(_tokens(segment)))


def _takes(name: str, tokens: Sequence[Chars | None]) -> bool:
    at = position = 0
    retry, taken = -1, 0
    while at < len(name):
        token = tokens[position] if position < len(tokens) else ONE
        if position < len(tokens) and token is STAR:
            retry, taken = position + 1, at
            position += 1
        elif position < len(tokens) and token is not None and token.fits(name[at]):
            at, position = at + 1, position + 1
        elif retry >= 0:
            taken += 1
            at, position = taken, retry
        else:
            return False
    return all(token is STAR for token in tokens[position:])


def _tokens(segment: str) -> Iterator[Chars | None]:
    """Yield what `segment` takes, a character or a star at a time. Raise ValueError when it ends too early."""
    at = 0
    while at < len(segment):
        char = segment[at]
        at += 1
        if char == "*":
            yield STAR
        elif char == "?":
            yield ONE
        elif char == "[":
            end = segment.find("]", at + 1 + segment.startswith("!", at))
            if end < 0:
                raise ValueError("a [ without its ]")
            yield _class(segment[at:end])
            at = end + 1
        elif char == "\\":
            if at == len(segment):
                raise ValueError("a \\ at the end of a segment")
            yield Chars(((segment[at], segment[at]),))
            at += 1
        else:
            yield Chars(((char, char),))


def _class(inside: str) -> Chars:
    """Return the class that `inside` of brackets describes: characters and ranges of them."""
    negated = inside.startswith("!")
    rest = inside[negated:]
    ranges = []
    while rest:
        is_range = len(rest) > 2 and rest[1] == "-"
        ranges.append((rest[0], rest[2 if is_range else 0]))
        rest = rest[3 if is_range else 1 :]
    return Chars(tuple(ranges), negated)
