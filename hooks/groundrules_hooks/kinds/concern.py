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
    verdict,
)
from groundrules_hooks.kinds.attributes import by_attribute
from groundrules_hooks.kinds.proof import is_candidate
from groundrules_hooks.kinds.verdict import OTHER_LETTERS, SAME_LETTERS
from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from groundrules_hooks.change import Change, File
    from groundrules_hooks.config import Config
    from groundrules_hooks.kinds.pins import Difference, Move

MOST_READ = 50  # files compared in full, and
ENOUGH = 5  # that are only laid out anew: a sweep of thousands is one long before its last file
SUBMODULE = "160000"
REGULAR = ("100644", "100755", "000000")  # or no file


KINDS = {
    verdict.FORMATTING: FORMATTING,
    verdict.COMMENTS: NEUTRAL,
    verdict.FUNCTIONAL: FUNCTIONAL,
    verdict.UNKNOWN: NEUTRAL,
}
UNREAD = "unread"  # the same letters as before, in one of more files than are read
MADE: dict[str, bool] = {}  # whether contents say that a program wrote them, by their ids: several rules ask
# What a file is called that may be of a concern: the concern, or what was skimmed and not read.
MAY_BE = {FUNCTIONAL: (FUNCTIONAL, OTHER_LETTERS, SAME_LETTERS), FORMATTING: (FORMATTING, SAME_LETTERS)}


class Part(NamedTuple):
    """A changed file and its concern, or one of `OPEN` until it is read.

    `difference` says what moved in a manifest or lock file, `is_rewritten` that a text has other letters than before,
    whatever they say.
    """

    file: File
    kind: str
    difference: Difference | None = None
    is_rewritten: bool = False

    @property
    def moved(self) -> tuple[Move, ...]:
        """The dependencies whose versions move."""
        return self.difference.moved if self.difference else ()

    @property
    def is_lock(self) -> bool:
        """Whether a program that resolves dependencies wrote the file."""
        return self.difference is not None and self.difference.lock


def skim(change: Change, config: Config) -> Iterator[Part]:
    """Return each file of `change` with its concern, or left open where it has to be compared; reading begins now.

    Functional and formatting are said of what is certain. What cannot be told is neutral, and so is what the
    configuration calls so: neutral files go with anything, and are not read.
    """
    decided = {file.path: part for file in change.files if (part := _by_record(file, config))}
    rest = [file for file in change.files if file.path not in decided]
    return _skimmed(change, decided, _by_contents(change, rest, change.contents(rest), config))


def _skimmed(change: Change, decided: dict[str, Part], read: Iterator[Part]) -> Iterator[Part]:
    """Yield each file of `change` as it was `decided`, or the next that is `read`."""
    found = [decided.get(file.path) or next(read) for file in change.files]
    differences = {part.file.path: part.difference for part in found if part.difference}
    if differences:
        from groundrules_hooks.kinds.pins import released

        judged = released(differences)
        found = [part._replace(difference=judged.get(part.file.path)) if part.difference else part for part in found]
    yield from found


def compared(
    change: Change, found: list[Part], may_mix: Callable[[list[Part]], bool], enough: int = ENOUGH
) -> list[Part]:
    """Tell the files whose letters are the same: they are compared in full, the smallest first.

    Those behind the first `enough` that are only laid out anew, or behind `MOST_READ`, are unread; so are all that are
    left once what is known says by `may_mix` that they make no difference.
    """
    files = [part.file for part in found if part.kind == SAME_LETTERS]
    told: dict[str, str] = {}
    for file, old, new in _smallest(change, files):
        if list(told.values()).count(FORMATTING) == enough or not may_mix(_told(found, told)):
            break
        told[file.path] = KINDS[formatting.compare(file.path, old, new)]
    return _told(found, {file.path: UNREAD for file in files} | told)


def with_functional(change: Change, found: list[Part]) -> list[Part]:
    """Tell so many of those whose letters differ that one of them is functional if any is.

    A fast look comes first, until `MOST_READ` are found; then, unless one is functional already, they are compared in
    full, `MOST_READ` of them, the smallest first. If none is, all are neutral; else those that were not needed stay
    open.
    """
    files = [part.file for part in found if part.kind == OTHER_LETTERS]
    contents = ((file, old or b"", new or b"") for file, (old, new) in zip(files, change.contents(files), strict=True))
    certain = (file.path for file, old, new in contents if formatting.is_functional(file.path, old, new))
    told = {path: FUNCTIONAL for path, _ in zip(certain, range(MOST_READ), strict=False)}
    if told or any(part.kind == FUNCTIONAL for part in found):
        return _told(found, told)
    for file, old, new in _smallest(change, files):
        if formatting.compare(file.path, old, new) == verdict.FUNCTIONAL:
            return _told(found, {file.path: FUNCTIONAL})
    return _told(found, {file.path: NEUTRAL for file in files})


def _smallest(change: Change, files: list[File]) -> Iterator[tuple[File, bytes, bytes]]:
    """Yield the `MOST_READ` smallest of `files`, with what each held before and holds now."""
    sizes = [len(old or b"") + len(new or b"") for old, new in change.contents(files)]
    for _, file in sorted(zip(sizes, files, strict=True), key=lambda each: each[0])[:MOST_READ]:
        ((old, new),) = change.contents([file])
        yield file, old or b"", new or b""


def _told(found: list[Part], told: dict[str, str]) -> list[Part]:
    return [part._replace(kind=told[part.file.path]) if part.file.path in told else part for part in found]


def made_by_programs(change: Change, files: list[File], config: Config) -> set[str]:
    """Return those of `files` that a program wrote: declared so, or known by name or head."""
    declared = _declared(change, files, config)
    unread = [file for file in files if _content(file) not in MADE]
    for file, (old, new) in zip(unread, change.contents(unread), strict=True):
        MADE[_content(file)] = generated.by_header(new or old or b"")
    return {file.path for file in files if _is_made(file, declared)}


def _by_contents(
    change: Change, files: list[File], contents: Iterable[tuple[bytes | None, bytes | None]], config: Config
) -> Iterator[Part]:
    """Yield each of `files` with what its `contents` tell."""
    declared = _declared(change, files, config)
    for file, (old, new) in zip(files, contents, strict=True):
        if dependency.is_dependency(file.path):
            difference = dependency.compare(file.path, old, new)
            yield Part(file, FORMATTING if _is_layout(file.path, old, new, difference) else DEPENDENCY, difference)
        elif _is_made(file, declared, new or old or b""):
            yield Part(file, GENERATED)
        elif old is None or new is None:
            is_here = (old is not None or file.status == "A") and (new is not None or file.status == "D")
            yield Part(file, FUNCTIONAL if is_here else NEUTRAL)
        else:
            seen = formatting.glance(file.path, old, new)
            yield Part(file, KINDS.get(seen, seen), None, seen == OTHER_LETTERS)


def _is_layout(path: str, old: bytes | None, new: bytes | None, difference: Difference) -> bool:
    """Whether a manifest or lock file says the same as before, written in another way."""
    if old is None or new is None or any((difference.added, difference.removed, difference.moved, difference.own)):
        return False
    # A lock file is long, and seldom holds the same letters as before: those are counted before it is parsed.
    return is_candidate(old, new) and formatting.compare(path, old, new) == verdict.FORMATTING


def _declared(change: Change, files: list[File], config: Config) -> dict[str, bool]:
    """Return which of `files` an attribute or the configuration declares to be generated, or not to be."""
    globbed = [pattern for row in config.generated for pattern in row.paths]
    declared = by_attribute(change.tree, (file.path for file in files if not dependency.is_dependency(file.path)))
    return declared | {file.path: True for file in files if globbed and globs.matches(file.path, globbed)}


def _is_made(file: File, declared: dict[str, bool], content: bytes = b"") -> bool:
    """Whether a program wrote `file`, whose `content` has to be given where it is not known."""
    if dependency.is_dependency(file.path):
        return False
    if file.path in declared:
        return declared[file.path]
    name = _content(file)
    if name not in MADE:
        MADE[name] = generated.by_header(content)
    return MADE[name] or generated.by_name(file.path)


def _content(file: File) -> str:
    """Return what names the contents of `file`: both, since of an emptied file the old one tells."""
    return file.old_id + file.new_id


def _by_record(file: File, config: Config) -> Part | None:
    """Return what git's record alone tells: submodules, moves, modes, links, and names that are neutral."""
    if SUBMODULE in (file.old_mode, file.new_mode):
        from groundrules_hooks.kinds.pins import Difference, Move

        moved = (Move(file.path, file.old_id[:7], file.new_id[:7]),) if file.status == "M" else ()
        return Part(file, DEPENDENCY, Difference(moved=moved))
    is_neutral = not dependency.is_dependency(file.path) and globs.matches(file.path, config.commits.neutral)
    if is_neutral or file.old_id == file.new_id:
        return Part(file, NEUTRAL)
    return None if file.old_mode in REGULAR and file.new_mode in REGULAR else Part(file, FUNCTIONAL)
