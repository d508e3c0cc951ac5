"""Concern: what each changed file of a change is about, read from git's records first and from contents last."""

from __future__ import annotations

from groundrules_hooks import globs
from groundrules_hooks.kinds import (
    DEPENDENCY,
    FORMATTING,
    FUNCTIONAL,
    GENERATED,
    NEUTRAL,
    dependency,
    formatting,
    generated,
)
from groundrules_hooks.kinds.attributes import by_attribute
from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from groundrules_hooks.change import Change, File
    from groundrules_hooks.config import Config
    from groundrules_hooks.kinds.pins import Difference, Move

MOST_READ = 100  # files compared in full; a sweep of thousands is one long before its last file
SUBMODULE = "160000"
REGULAR = ("100644", "100755")


KINDS = {
    formatting.FORMATTING: FORMATTING,
    formatting.COMMENTS: NEUTRAL,
    formatting.FUNCTIONAL: FUNCTIONAL,
    formatting.UNKNOWN: NEUTRAL,
}


class Part(NamedTuple):
    """A changed file and its concern; `difference` says what moved in a manifest or lock file."""

    file: File
    kind: str
    difference: Difference | None = None

    @property
    def moved(self) -> tuple[Move, ...]:
        """The dependencies whose versions move."""
        return self.difference.moved if self.difference else ()

    @property
    def is_lock(self) -> bool:
        """Whether a program that resolves dependencies wrote the file."""
        return self.difference is not None and self.difference.lock


def parts(change: Change, config: Config) -> list[Part]:
    """Return each file of `change` with its concern.

    Functional and formatting are said of what is certain. What cannot be told is neutral, and so is what the
    configuration calls so: neutral files go with anything, and are not read.
    """
    decided = {file.path: part for file in change.files if (part := _by_record(file, config))}
    rest = [file for file in change.files if file.path not in decided]
    contents = dict(zip(rest, change.contents(rest), strict=True))
    made = _made(change, contents, config)
    meant = _meanings(contents, made)
    found = [
        decided.get(file.path)
        or (Part(file, GENERATED) if file.path in made else None)
        or (Part(file, meant[file.path]) if file.path in meant else _by_sides(file, *contents[file]))
        for file in change.files
    ]
    differences = {part.file.path: part.difference for part in found if part.difference}
    if not differences:
        return found
    from groundrules_hooks.kinds.pins import released

    judged = released(differences)
    return [part._replace(difference=judged.get(part.file.path)) for part in found]


def made_by_programs(change: Change, files: list[File], config: Config) -> set[str]:
    """Return those of `files` that a program wrote."""
    return _made(change, dict(zip(files, change.contents(files), strict=True)), config)


def _made(change: Change, contents: dict[File, tuple[bytes | None, bytes | None]], config: Config) -> set[str]:
    """Return the paths of generated files: declared by the configuration or an attribute, or known by name or head."""
    globbed = [pattern for row in config.generated for pattern in row.paths]
    files = [file for file in contents if not dependency.is_dependency(file.path)]
    declared = by_attribute(change.tree, (file.path for file in files))
    declared |= {file.path: True for file in files if globs.matches(file.path, globbed)}
    recognised = {
        file.path
        for file in files
        for old, new in [contents[file]]
        if file.path not in declared and (generated.by_name(file.path) or generated.by_header(new or old or b""))
    }
    return recognised | {path for path, is_made in declared.items() if is_made}


def _meanings(contents: dict[File, tuple[bytes | None, bytes | None]], made: set[str]) -> dict[str, str]:
    """Return by path what the two contents of code say; of the files that have to be read, `MOST_READ` are."""
    found = {}
    read = 0
    for file, (old, new) in contents.items():
        if old is None or new is None or file.path in made or dependency.is_dependency(file.path):
            continue
        verdict = formatting.glance(file.path, old, new)
        if verdict is None and read < MOST_READ:
            read += 1
            verdict = formatting.compare(file.path, old, new)
        found[file.path] = KINDS[verdict or formatting.UNKNOWN]
    return found


def _by_record(file: File, config: Config) -> Part | None:
    """Return what git's record alone tells: submodules, moves, modes, links, and names that are neutral."""
    if SUBMODULE in (file.old_mode, file.new_mode):
        from groundrules_hooks.kinds.pins import Difference, Move

        moved = (Move(file.path, file.old_id[:7], file.new_id[:7]),) if file.status == "M" else ()
        return Part(file, DEPENDENCY, Difference(moved=moved))
    is_neutral = not dependency.is_dependency(file.path) and globs.matches(file.path, config.commits.neutral)
    if is_neutral or file.old_id == file.new_id:
        return Part(file, NEUTRAL)
    modes = {file.old_mode, file.new_mode} - {"000000"}
    return None if modes <= set(REGULAR) else Part(file, FUNCTIONAL)


def _by_sides(file: File, old: bytes | None, new: bytes | None) -> Part:
    """Return the part of a dependency file, or of one that is new, gone, or not here."""
    if dependency.is_dependency(file.path):
        return Part(file, DEPENDENCY, dependency.compare(file.path, old, new))
    is_here = (old is not None or file.status == "A") and (new is not None or file.status == "D")
    return Part(file, FUNCTIONAL if is_here else NEUTRAL)
