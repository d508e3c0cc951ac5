"""commit-concerns: a commit is one functional change, one sweep of formatting, one upgrade, or one regeneration."""

from __future__ import annotations

from groundrules_hooks import globs
from groundrules_hooks.finding import shown, to_split
from groundrules_hooks.kinds import DEPENDENCY, FORMATTING, FUNCTIONAL, GENERATED
from groundrules_hooks.kinds.concern import MAY_BE, MOST_READ, compared, skim, with_functional
from groundrules_hooks.kinds.dependency import is_dependency
from groundrules_hooks.kinds.formatting import OPEN
from groundrules_hooks.kinds.verdict import OTHER_LETTERS, SAME_LETTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from groundrules_hooks.change import Change
    from groundrules_hooks.config import Config, Generated
    from groundrules_hooks.finding import Finding
    from groundrules_hooks.kinds.concern import Part
    from groundrules_hooks.kinds.pins import Move

NAME = "commit-concerns"
NAMED = 3  # files or packages that a line of the finding names
SWEEP = 3  # files; of fewer beside a change in their folder nobody says that they hide it
SOURCES = (".proto", ".graphql", ".gql", ".thrift", ".g4", ".y", ".l", ".sql", ".tmpl", ".j2", ".jinja", ".tpl")
GENERATORS = {
    *("gen", "generate", "generated", "generator", "generators", "codegen", "script", "scripts", "tools"),
    *("schema", "schemas", "template", "templates", "openapi", "swagger", "proto", "protos", "grammar"),
}
COUNT = {2: "two", 3: "three", 4: "four"}


def check(change: Change, config: Config) -> Iterator[Finding]:
    """Begin to read what `change` holds, and return one finding when it mixes concerns.

    With it go the commands that commit them one by one.
    """
    if change.is_one or not _may_mix(change, config):
        return iter(())
    return _found(change, skim(change, config), config)


def _found(change: Change, skimmed: Iterable[Part], config: Config) -> Iterator[Finding]:
    found, mixed = _certain(change, list(skimmed), config)
    if len(mixed) < 2:
        return
    lines = [f"{COUNT[len(mixed)]} concerns in one commit"]
    lines += [f"{kind:<12} {_told(kind, mixed[kind], config)}" for kind in mixed]

    def split() -> str:
        from groundrules_hooks.concern_commits import commands

        return commands(change, found, mixed, config)

    yield to_split(NAME, ".", "\n    ".join(lines), change.commit, split)


def _may_mix(change: Change, config: Config) -> bool:
    """Whether two files could be of two concerns, by their names and git's records alone.

    What is new or deleted is functional, or goes with anything: another concern is an upgrade, or in a file that stays.
    """
    count = others = 0
    for file in change.files:
        is_pinning = is_dependency(file.path)
        is_other = is_pinning or file.status not in "AD"
        if file.old_id == file.new_id or (count > 1 and not is_other):
            continue
        if is_pinning or not globs.matches(file.path, config.commits.neutral):
            count += 1
            others += is_other
            if count > 1 and others:
                return True
    return False


def _certain(change: Change, found: list[Part], config: Config) -> tuple[list[Part], dict[str, list[Part]]]:
    """Return what is `found` in `change`, and the parts of each concern that it certainly has, in the order to commit.

    Files are read only as long as there may be two concerns. Of one alone nothing is certain, and it may be left out.
    """
    # What code speaks of is seen sooner than what it does, but is looked for in all of it.
    is_short = 0 < sum(part.kind == OTHER_LETTERS for part in found) <= MOST_READ
    mixed = _concerns(change, found, config, ()) if is_short else _possible(change, found, config)
    if len(mixed) > 1 and FUNCTIONAL in mixed:
        found = with_functional(change, found)
    if len(mixed) > 1:
        mixed = concerns(change, found, config)
    if len(mixed) > 1 and any(part.kind == SAME_LETTERS for part in found):
        # The commands have to know each file; a commit in a range only has to be told.
        is_enough = change.commit and any(_sure(held) for kind, held in mixed.items() if kind != FORMATTING)
        may_mix = _may_sweep if mixed.keys() == {FUNCTIONAL, FORMATTING} else bool
        found = compared(change, found, may_mix, *[SWEEP] * bool(is_enough))
        mixed = concerns(change, found, config)
    return found, {kind: held for kind, held in mixed.items() if _sure(held)}


def _sure(held: Sequence[Part]) -> list[Part]:
    return [part for part in held if part.kind not in OPEN]


def concerns(change: Change, found: Sequence[Part], config: Config) -> dict[str, list[Part]]:
    """Return the parts of each concern that `change` may have: what is left open counts as all that it may be."""
    return _concerns(change, found, config, [part for part in found if part.kind == FUNCTIONAL])


def _concerns(change: Change, found: Sequence[Part], config: Config, sure: Sequence[Part]) -> dict[str, list[Part]]:
    """Return `concerns`; `sure` are the functional parts, once they speak for all that is functional."""
    mixed = _possible(change, found, config)
    if DEPENDENCY in mixed and FUNCTIONAL in mixed:
        mixed[FUNCTIONAL] = _beside(change, found, mixed[FUNCTIONAL], sure)
    return {kind: held for kind, held in mixed.items() if held}


def _changed(found: Sequence[Part]) -> list[Part]:
    """Return what explains other parts: whether it was read or not, so that reading only ever takes concerns away."""
    return [part for part in found if part.is_rewritten or part.kind == FUNCTIONAL]


def _possible(change: Change, found: Sequence[Part], config: Config) -> dict[str, list[Part]]:
    """Return what `concerns` does, without asking whether an upgrade asks for what is functional."""
    functional = [part for part in found if part.kind in MAY_BE[FUNCTIONAL]]
    changed = _changed(found)
    upgraded = [part for part in found if part.moved]
    paths = [part.file.path for part in found]
    refreshed = [part for part in found if part.kind == GENERATED and part.file.status == "M"]
    refreshed = [part for part in refreshed if not _is_explained(part.file.path, paths, changed, config)]
    if upgraded and refreshed:
        refreshed = _unrenewed(change, upgraded, refreshed)
    formatted = [part for part in found if part.kind in MAY_BE[FORMATTING]]
    if not _is_sweep(formatted, changed) or _brings_form(_direct(found)):
        formatted = []
    ordered = {DEPENDENCY: upgraded, FUNCTIONAL: functional, GENERATED: refreshed, FORMATTING: formatted}
    return {kind: held for kind, held in ordered.items() if held}


def _is_sweep(formatted: Sequence[Part], changed: Sequence[Part]) -> bool:
    """Whether formatting is a concern of its own: many files, or one where nothing else changes."""
    near = {part.file.path.rpartition("/")[0] for part in changed}
    return len(formatted) >= SWEEP or any(part.file.path.rpartition("/")[0] not in near for part in formatted)


def _may_sweep(found: Sequence[Part]) -> bool:
    """Whether formatting may be a concern beside what is functional, or may turn out to be."""
    formatted, changed = [part for part in found if part.kind in MAY_BE[FORMATTING]], _changed(found)
    if changed:
        return _is_sweep(formatted, changed)
    return any(_is_sweep([part for part in formatted if part is not one], [one]) for one in formatted)


def _brings_form(moves: Sequence[Move]) -> bool:
    if not moves:
        return False
    from groundrules_hooks.kinds.adaptation import brings_form

    return brings_form(moves)


def _direct(found: Sequence[Part]) -> list[Move]:
    """Return what the manifests move, or the few moves of a lock file whose manifest leaves the version open.

    Where a manifest only adds a dependency, the lock file moved others on the way, and code asked for none of that.
    """
    direct = [move for part in found if not part.is_lock for move in part.moved]
    locked = [move for part in found if part.is_lock for move in part.moved]
    is_addition = any(part.difference and part.difference.added for part in found if not part.is_lock)
    return direct or ([] if is_addition or len(locked) > NAMED else locked)


def _beside(change: Change, found: Sequence[Part], functional: Sequence[Part], sure: Sequence[Part]) -> list[Part]:
    """Return the functional parts that an upgrade does not ask for; none when what changes speaks of what moved.

    That is asked of what is new, of all that changes, and of what is functional for `sure`.
    """
    from groundrules_hooks.kinds.adaptation import is_about, is_of_bots, is_version_only

    changed = _changed(found)
    asked = {part.file.path: part.file for part in (*functional, *changed)}
    files = [file for path, file in asked.items() if not is_of_bots(path)]
    contents = zip(files, change.contents(files), strict=True)
    texts = {file.path: new or old or b"" for file, (old, new) in contents if not is_version_only(old, new)}
    new = [part for part in changed if part.kind == FUNCTIONAL and part.file.status == "A"]  # says best what it is for
    is_open = any(part.kind == SAME_LETTERS for part in functional)
    told = {tuple(part.file.path for part in some if part.file.path in texts) for some in (new, changed, sure)}
    moves = _direct(found)
    if not is_open and any(is_about(moves, [texts[path] for path in paths]) for paths in told if paths):
        return []
    return [part for part in functional if part.file.path in texts]


def _unrenewed(change: Change, upgraded: Sequence[Part], refreshed: Sequence[Part]) -> list[Part]:
    """Return those of the `refreshed` generated files that an upgrade of their generator does not write anew."""
    from groundrules_hooks.kinds.adaptation import is_renewed

    moves = [move for part in upgraded for move in part.moved]
    both = zip(refreshed, change.contents([part.file for part in refreshed]), strict=True)
    return [part for part, (old, new) in both if not is_renewed(moves, old, new)]


def _is_explained(path: str, paths: Sequence[str], changed: Sequence[Part], config: Config) -> bool:
    """Whether the generated file at `path` changes because of something that changes with it.

    Where the configuration names its sources, one of them has to change. Elsewhere a change beside it will do, or one
    of what looks like a source or generator.
    """
    rows = _rows(path, config)
    if rows:
        return any(globs.matches(other, row.sources) for row in rows for other in paths if other != path)
    folder = path.rpartition("/")[0]
    others = [part.file.path for part in changed]
    return any(_is_source(other) or other.rpartition("/")[0] == folder for other in others)


def _rows(path: str, config: Config) -> list[Generated]:
    """Return the rows that name sources of the generated file at `path`."""
    return [row for row in config.generated if row.sources and globs.matches(path, row.paths)]


def _is_source(path: str) -> bool:
    """Whether programs are written from files such as `path`, or by them."""
    words = "".join(char if char.isalnum() else " " for char in path.lower()).split()
    return path.lower().endswith(SOURCES) or not GENERATORS.isdisjoint(words)


def _told(kind: str, held: Sequence[Part], config: Config) -> str:
    """Return what a line of the finding says of the parts of one concern."""
    if kind == DEPENDENCY:
        return ", ".join(f"{shown(part.file.path)} ({_moves(part)})" for part in held[:NAMED]) + _rest(held)
    names = ", ".join(shown(part.file.path) for part in _sure(held)[:NAMED]) + _rest(_sure(held))
    if kind == FORMATTING:
        return f"{names}: no change of meaning"
    if kind == GENERATED:
        is_paired = all(_rows(part.file.path, config) for part in held)
        why = "none of their sources changes" if is_paired else "no [[generated]] in groundrules.toml names sources"
        return f"{names}: {why}"
    return names


def _moves(part: Part) -> str:
    from groundrules_hooks.kinds.pins import ANY

    moved = [shown(f"{move.name} {move.old or ANY} to {move.new or ANY}") for move in part.moved[:NAMED]]
    count = len(part.moved) - NAMED
    return ", ".join(moved) + (f" and {count} more" if count > 0 else "")


def _rest(held: Sequence[Part]) -> str:
    return f" and {len(held) - NAMED} more" if len(held) > NAMED else ""
