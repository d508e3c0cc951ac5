"""Concern commits: which commits a change of several concerns makes, each of one, and how they are called."""

from __future__ import annotations

from groundrules_hooks import splitting
from groundrules_hooks.globs import matches
from groundrules_hooks.kinds import DEPENDENCY, FORMATTING, FUNCTIONAL, GENERATED
from groundrules_hooks.kinds.concern import UNREAD
from groundrules_hooks.kinds.pins import ANY
from groundrules_hooks.rules.commit_message import styled
from groundrules_hooks.rules.commit_size import divided
from groundrules_hooks.splitting import Group

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groundrules_hooks.change import Change
    from groundrules_hooks.config import Config
    from groundrules_hooks.kinds.concern import Part


def commands(change: Change, found: Sequence[Part], mixed: dict[str, list[Part]], config: Config) -> str:
    """Return the commands that make of `change` one commit a concern of `mixed`, and lose nothing of it."""
    # What is refused for its size stays staged, so that nothing passes behind it.
    groups = sorted(_groups(change, found, mixed, config), key=lambda each: not each[1])
    return splitting.commands(change.tree.source, [group for group, _ in groups])


def _groups(
    change: Change, found: Sequence[Part], mixed: dict[str, list[Part]], config: Config
) -> Iterator[tuple[Group, bool]]:
    """Yield the commits to make, and whether each is within the limits of size.

    What has no concern of its own goes with the functional change, or the first one. A concern that is too large for
    one commit makes several, so that each commit passes.
    """
    homes = {id(part): kind for kind, held in mixed.items() for part in held}
    home = FUNCTIONAL if FUNCTIONAL in mixed else next(iter(mixed))
    if DEPENDENCY in mixed:  # manifests belong to the lock files that stand beside them
        homes |= {id(part): DEPENDENCY for part in found if part.kind == DEPENDENCY}
    if FORMATTING in mixed:  # the rest of a sweep of which enough was read
        homes |= {id(part): FORMATTING for part in found if part.kind == UNREAD}
    at = {part.file.path: homes.get(id(part), home) for part in found}
    for part in found:
        if part.kind == GENERATED and id(part) not in homes:
            homes[id(part)] = _home_of_sources(part.file.path, at, config) or home
    for kind, held in mixed.items():
        files = [part.file for part in found if homes.get(id(part), home) == kind]
        for number, (part_of, is_within) in enumerate(divided(change, files, config), 1):
            subject = _subject(kind, held) + (f", part {number}" if number > 1 else "")
            yield Group(styled(subject, config.commits.style), part_of, kind == home and number == 1), is_within


def _home_of_sources(path: str, homes: Mapping[str, str], config: Config) -> str:
    """Return where those files go that the generated file at `path` is made from; empty where no row names them."""
    sources = [each for row in config.generated if matches(path, row.paths) for each in row.sources]
    return next((home for other, home in homes.items() if other != path and matches(other, sources)), "")


def _subject(kind: str, held: Sequence[Part]) -> str:
    if kind == DEPENDENCY:
        moves = {move.name: move.new for part in held for move in part.moved}
        ((name, new), *others) = moves.items()
        one = f"Upgrade {name} to {new or ANY}"[:60]
        return one if one.isprintable() and not others else "Upgrade dependencies"
    if kind == FUNCTIONAL:
        return _about("Change", held)
    return _about("Reformat" if kind == FORMATTING else "Regenerate", held)


def _about(verb: str, held: Sequence[Part]) -> str:
    """Return a subject that names the file, or the folder that all files share."""
    names = [part.file.path for part in held]
    place = names[0].rpartition("/")[2]
    if len(names) > 1:
        folders = [name.split("/")[:-1] for name in names]
        shared = [parts[0] for parts in zip(*folders, strict=False) if len(set(parts)) == 1]
        place = shared[-1] if shared else f"{len(names)} files"
    return f"{verb} {place}" if len(place) < 50 and place.isprintable() else verb
