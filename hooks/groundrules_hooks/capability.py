"""Capability: what the product claims to do, its level, and between which levels the truth lies. Pure."""

from __future__ import annotations

from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FILE = "capabilities.toml"
IDLE = ("deselected", "warnings")  # what a runner counts beside the tests that it ran
LEVELS = ABSENT, STUB, COMPILES, HEALTHY, WIRED, PROVEN = (
    "absent",
    "stub",
    "compiles",
    "healthy",
    "wired",
    "proven",
)


class Capability(NamedTuple):
    """One row of capabilities.toml; `line` is where it states its level."""

    id: str
    title: str
    level: str
    entrypoints: tuple[str, ...] = ()
    proof: tuple[str, ...] = ()
    acceptance: tuple[str, ...] = ()
    line: int = 1


class Place(NamedTuple):
    """What is known of the files that one pattern of entry points describes.

    `files` are those that may be part of the product; `foreign` tells, when there is none, that there are others.
    `broken` are those that no Python parses. `works` tells that one of them does something, `lacks` that one of them
    says itself that something is missing, or cannot be read. `service` is one with a health check that they belong to.
    `named` tells that something that runs may use them, `reached` that it certainly does.
    """

    pattern: str
    files: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    foreign: bool = False
    works: bool = False
    lacks: bool = False
    service: str = ""
    named: bool = False
    reached: bool = False


class Shown(NamedTuple):
    """What can be shown: at least `least`, at most `most`, and `why` no more."""

    least: str
    most: str
    why: str


def shown(places: Sequence[Place], lacks: Sequence[str] = ()) -> Shown:
    """Return what `places`, one for each pattern, show; `lacks` says what a proof still needs.

    The weakest place counts. What something may use, and nobody can tell, is wired for a claim and not against one.
    """
    if not places:
        return Shown(ABSENT, ABSENT, "no entry point is named")
    level, why = min((_level(place, certain=False) for place in places), key=lambda found: rank(found[0]))
    least = min((_level(place, certain=True)[0] for place in places), key=rank)
    if level != WIRED:
        return Shown(least, level, why)
    return Shown(least, WIRED, lacks[0]) if lacks else Shown(least, PROVEN, "")


def _level(place: Place, *, certain: bool) -> tuple[str, str]:
    if not place.files:
        what = "nothing but documentation, tests and what is no part of the product" if place.foreign else "no file"
        return STUB if place.foreign and not certain else ABSENT, f"{place.pattern} matches {what}"
    if place.broken:
        return STUB, f"{place.broken[0]} does not parse"
    if not place.works or (place.lacks and certain):
        return STUB, f"{place.pattern} does nothing yet"
    if place.reached or (place.named and not certain):
        return WIRED, ""
    if place.service:
        return (
            HEALTHY,
            f"nothing that runs uses {place.pattern}, and the health check of {place.service} does not show it",
        )
    return COMPILES, f"nothing that runs uses {place.pattern}"


def rank(level: str) -> int:
    """Return how high `level` is, from 0 for absent."""
    return LEVELS.index(level)


def wrong(capability: Capability, found: Shown) -> str:
    """Return what is wrong with the level that `capability` claims; empty when it can be shown."""
    if rank(capability.level) > rank(found.most):
        return f"{capability.id} is claimed {capability.level}, at most {found.most} can be shown: {found.why}"
    if rank(capability.level) < rank(found.least):
        return f"{capability.id} is claimed {capability.level}, which is stale: it is {found.least} now"
    return ""


def uncounted(counts: dict[str, int], name: str) -> str:
    """Return why a passed run of the check `name` with these `counts` of tests covers nothing; empty when it does."""
    skipped = sum(number for word, number in counts.items() if word in ("skipped", "pending", "todo"))
    if skipped:
        return f"{name} skipped {skipped} test{'s' * (skipped != 1)}, and nobody can tell which"
    has_run = any(number for word, number in counts.items() if word not in IDLE)
    return f"{name} ran no test" if counts and not has_run else ""


def proofs(capabilities: Iterable[Capability]) -> list[str]:
    """Return the names of the checks that are to prove what is claimed proven."""
    return list(dict.fromkeys(name for each in capabilities if each.level == PROVEN for name in each.proof))
