"""Standing: what a tree shows of each capability, read from its files, its tests and the records of its proofs."""

from __future__ import annotations

import posixpath

from groundrules_hooks import acceptance, globs
from groundrules_hooks.capability import shown, uncounted
from groundrules_hooks.evidence import PASSED
from groundrules_hooks.glance import Standing, place_of
from groundrules_hooks.program import command, is_code, programs, resolved, services
from groundrules_hooks.record import NamedTuple
from groundrules_hooks.wiring import MOST, Wiring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from groundrules_hooks.capability import Capability, Place
    from groundrules_hooks.change import Tree
    from groundrules_hooks.config import Check, Config

    # Returns outcome, reason and counts of tests of the newest run of a check.
    Outcomes = Callable[[Check], tuple[str, str, dict[str, int]]]


_surveyed: dict[str, tuple[Config, Survey]] = {}  # by commit


class Survey(NamedTuple):
    """What a tree shows: the standing of each capability, and the programs that none of them names."""

    standings: list[Standing]
    unnamed: list[str]


def survey(
    capabilities: Sequence[Capability],
    tree: Tree,
    config: Config,
    outcomes: Outcomes | None = None,
    most: int = MOST,
) -> Survey:
    """Return what `tree` shows, of at most `most` files of code that may use others.

    Without `outcomes` of checks it is only asked whether there is something to prove.
    """
    files = [path for path in tree.files() if path]
    started = programs(files, tree, config)
    wiring = Wiring(tree, files, started, config, most)
    watched = list(_watched(files, config))
    cited = acceptance.cited(tree) if any(each.acceptance for each in capabilities) else {}
    standings = []
    for each in capabilities:
        places = [
            _wired(place_of(pattern, files, tree, config), wiring, watched, config) for pattern in each.entrypoints
        ]
        missing = list(_missing(each, config, cited))
        failed = [] if missing or outcomes is None else list(_failed(each, config, outcomes))
        found = shown(places, [*missing, *(why for _, why in failed)])
        standings.append(Standing(each, found, tuple(name for name, _ in failed)))
    patterns = tuple(pattern for each in capabilities for pattern in each.entrypoints)
    return Survey(standings, sorted(path for path in started if not globs.matches(path, patterns)))


def surveyed(capabilities: Sequence[Capability], tree: Tree, config: Config) -> Survey:
    """Return the survey of `tree`, a commit, made once: each task of a range asks for it."""
    if tree.source not in _surveyed or _surveyed[tree.source][0] is not config:
        _surveyed[tree.source] = config, survey(capabilities, tree, config)
    return _surveyed[tree.source][1]


def _wired(place: Place, wiring: Wiring, watched: Sequence[tuple[str, str]], config: Config) -> Place:
    """Return `place` with who uses one of its files; one file of a pattern is enough."""
    own = [path for path in place.files if is_code(path, config)]
    reached = wiring.reaches(own, certain=True)
    named = reached or wiring.reaches(own, certain=False)
    homes = (name for name, folder in watched for path in own if not folder or path.startswith(f"{folder}/"))
    return place._replace(reached=reached, named=named, service=next(homes, ""))


def _watched(files: Sequence[str], config: Config) -> Iterator[tuple[str, str]]:
    """Yield each service that is asked for its health, with the folder of what it starts."""
    known = set(files)
    for name, is_asked, run in services(config):
        if is_asked:
            yield from ((name, posixpath.dirname(path)) for path in resolved("", command(run), known))


def _missing(capability: Capability, config: Config, cited: dict[str, set[str]]) -> Iterator[str]:
    """Yield what `capability` needs beside wiring, and beside passing checks, to be proven."""
    known = {check.name: check for check in config.checks}
    checks = [known[name] for name in capability.proof if name in known]
    yield from (f"groundrules.toml has no check {name}" for name in capability.proof if name not in known)
    if not capability.proof:
        yield "no proof is named"
    if not capability.acceptance:
        yield "no acceptance item is named"
    for item in capability.acceptance:
        if not any(globs.matches(path, check.paths) for check in checks for path in cited.get(item, ())):
            yield f"no test among the paths of {' or '.join(capability.proof) or 'a proof'} cites {item}"


def _failed(capability: Capability, config: Config, outcomes: Outcomes) -> Iterator[tuple[str, str]]:
    """Yield name and reason for each proof of `capability` that has not passed for these files, or covers nothing."""
    for check in config.checks:
        if check.name in capability.proof:
            outcome, why, counts = outcomes(check)
            words = uncounted(counts, check.name)
            if outcome != PASSED:
                words = f"its proof {check.name} is {outcome} for these files{f': {why}' if why else ''}"
            if words:
                yield check.name, words
