"""Pins: what a manifest or a lock file says of dependencies, and how two such states differ."""

from __future__ import annotations

from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

CONFLICT = "<<<<<<< "
ANY = "any version"  # to people, where none is named


class FormError(ValueError):
    """A file that is not of the form its name promises."""


class Move(NamedTuple):
    """A dependency that was there before, in another version or range."""

    name: str
    old: str
    new: str


class Difference(NamedTuple):
    """What a change of one file does to dependencies.

    `added` and `removed` are names, also of one that came or went in one version of several. `other` is whether
    something else changed: scripts, settings, the project's own version, whose moves are `own`. `certain` is False
    where the file could not be compared as data; then the rest says nothing.
    """

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    moved: tuple[Move, ...] = ()
    other: bool = False
    certain: bool = True
    lock: bool = False
    own: tuple[Move, ...] = ()


class Pins(NamedTuple):
    """What one file says: `versions` of each name, `own` versions by name, the rest.

    A name has no versions where another file decides, or where the range is of what the project runs on: a floor that
    the project promises is raised along with the code that needs it, and is not an upgrade.
    Of a name all versions are one set: a lock file may hold several, and where they stand says nothing of an upgrade.
    """

    versions: dict[str, set[str]]
    own: dict[str, str]
    rest: object = None


def gathered(pairs: Iterable[tuple[str, str | None]]) -> dict[str, set[str]]:
    """Return the versions of each name in `pairs`; None adds a name without a version of its own."""
    versions: dict[str, set[str]] = {}
    for name, version in pairs:
        held = versions.setdefault(name, set())
        if version is not None:
            held.add(version)
    return versions


def difference(old: Pins, new: Pins, *, lock: bool) -> Difference:
    """Return what leads from `old` to `new`."""
    own = tuple(
        Move(name, version, new.own[name])
        for name, version in sorted(old.own.items())
        if name in new.own and new.own[name] != version
    )
    added, removed, moved = [], [], []
    for name in sorted(old.versions.keys() | new.versions.keys()):
        before, after = old.versions.get(name), new.versions.get(name)
        if before is None:
            added.append(name)
        elif after is None:
            removed.append(name)
        elif before and after and before != after:
            gone, come = _sorted(before - after), _sorted(after - before)
            moved += [Move(name, *pair) for pair in zip(gone, come, strict=False)]
            added += [name] * (len(come) > len(gone))
            removed += [name] * (len(gone) > len(come))
    # A lock file repeats the project's own version; it catches up at the next upgrade, and is then no release.
    other = old.rest != new.rest or bool(lock and own and not moved)
    return Difference(tuple(added), tuple(removed), tuple(moved), other=other, lock=lock, own=own)


def released(differences: Mapping[str, Difference]) -> dict[str, Difference]:
    """Return the differences of one change without the moves that are a part of a release.

    Those lead from the project's own old version to its own new one, in whichever file that stands.
    """
    releases = {(_core(move.old), _core(move.new)) for found in differences.values() for move in found.own}
    return {path: _unreleased(found, releases) for path, found in differences.items()}


def _unreleased(found: Difference, releases: Collection[tuple[str, str]]) -> Difference:
    kept = tuple(move for move in found.moved if (_core(move.old), _core(move.new)) not in releases)
    return found if len(kept) == len(found.moved) else found._replace(moved=kept, other=True)


def lines(content: bytes) -> list[str]:
    """Return the lines of a text without their ends. Raise FormError for what no tool wrote: binary, conflicts."""
    if b"\0" in content:
        raise FormError("binary")
    text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    if CONFLICT in text and f"\n{CONFLICT}" in f"\n{text}":
        raise FormError("an open conflict")
    found = text.split("\n")
    return [line.rstrip("\r") for line in found] if "\r" in text else found


def table(value: object) -> dict[str, object]:
    """Return `value` when it is a table, an empty one for None. Raise FormError for anything else."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise FormError("not a table")
    return value


def array(value: object) -> list[object]:
    """Return `value` when it is a list, an empty one for None. Raise FormError for anything else."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise FormError("not a list")
    return value


def scalar(value: object) -> str:
    """Return `value`, which is no table and no list, as text. Raise FormError for those: their order would count."""
    if isinstance(value, (dict, list)):
        raise FormError("not a text")
    return str(value)


def below(value: object, *keys: str) -> dict[str, object]:
    """Return the table at `keys` of nested tables, empty where there is none."""
    for key in keys:
        value = table(value).get(key)
    return table(value)


def without(tables: dict[str, object], *keys: str) -> dict[str, object]:
    """Return `tables` without `keys`; a key with dots is a path into nested tables. Tables left empty go too."""
    kept = dict(tables)
    for key in keys:
        first, dot, rest = key.partition(".")
        inner = kept.get(first)
        if not dot:
            kept.pop(first, None)
        elif first == "*":
            kept = {name: without(held, rest) if isinstance(held, dict) else held for name, held in kept.items()}
        elif isinstance(inner, dict):
            kept[first] = without(inner, rest)
    return {name: held for name, held in kept.items() if held != {}}


def texts(value: object) -> Iterator[str]:
    """Yield every text in nested tables and lists, in order."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += reversed(list(value.values()))
        elif isinstance(value, list):
            waiting += reversed(value)
        elif isinstance(value, str):
            yield value


def _core(version: str) -> str:
    """Return the number in a range of one bound: `^1.2`, `v1.2` and `npm:x@^1.2` are about 1.2."""
    return version.rpartition("@")[2].strip().lstrip("^~=v<> ")


def _sorted(versions: set[str]) -> list[str]:
    """Return `versions` from the highest: of several moves, the highest became the highest."""
    return sorted(versions, key=_key, reverse=True)


def _key(version: str) -> tuple[list[tuple[int, str]], str]:
    parts = _core(version).replace("-", ".").replace("+", ".").split(".")
    return [
        (int(part), "") if part.isascii() and part.isdigit() and len(part) < 20 else (-1, part) for part in parts
    ], version
