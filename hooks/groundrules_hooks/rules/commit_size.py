"""commit-size: a commit that a reviewer can hold in mind."""

from __future__ import annotations

import os

from groundrules_hooks import globs
from groundrules_hooks.change import BLOBS
from groundrules_hooks.counts import FEW, most
from groundrules_hooks.finding import to_split
from groundrules_hooks.kinds import dependency, generated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundrules_hooks.change import Change, File
    from groundrules_hooks.config import Commits, Config
    from groundrules_hooks.finding import Finding

NAME = "commit-size"
PARTS = 10  # commits that a command is printed for
LARGE = 1 << 20  # bytes; git counts the lines of more sooner than they are read


def check(change: Change, config: Config) -> Iterator[Finding]:
    """Yield one finding when the files or lines that `change` changes by hand exceed `config.commits`.

    Lock files, generated files, moves and changes of mode alone do not count, nor the lines of what is deleted whole:
    nobody has to read them, and git cannot divide them.
    """
    if change.is_one:
        return
    files = _unnamed(change.files, config)
    if not _excess(change, files, config.commits):
        return
    files = _by_hand(change, files, config)
    excess = _excess(change, files, config.commits)
    if excess:
        if len(files) <= config.commits.max_files:
            files.sort(key=lambda file: (file.status == "D", -_counted(change, file)))
        yield to_split(NAME, files[0].path, excess, change.commit, lambda: _split(change, files, config))


def divided(change: Change, files: Sequence[File], config: Config) -> list[tuple[tuple[File, ...], bool]]:
    """Return `files` of `change` in as many parts as commits are needed, or in one if more than `PARTS` are.

    With each goes whether it is within the limits: a file that is too large alone is a part.
    """
    unnamed = _unnamed(files, config)
    if not _excess(change, unnamed, config.commits):
        return [(tuple(files), True)]
    rest = by_hand = _by_hand(change, unnamed, config)
    parts: list[tuple[tuple[File, ...], bool]] = []
    while rest and len(rest) <= (PARTS - len(parts)) * config.commits.max_files:
        part = _beginning(change, rest, config.commits)
        parts.append((part or (rest[0],), bool(part)))
        rest = [file for file in rest if file not in parts[-1][0]]
    if rest or not parts:
        return [(tuple(files), not rest)]
    written = set(by_hand)
    others = tuple(file for file in files if file not in written)
    ((first, is_within), *more) = parts
    return [((*first, *others), is_within), *more]


def _unnamed(files: Sequence[File], config: Config) -> list[File]:
    """Return those of `files` that may be written by hand, by their names and git's record."""
    globbed = [pattern for row in config.generated for pattern in row.paths]
    return [file for file in files if not _is_by_name(file, globbed)]


def _by_hand(change: Change, files: list[File], config: Config) -> list[File]:
    """Return those of `files` that no program wrote by their contents either."""
    from groundrules_hooks.kinds.concern import made_by_programs

    made = made_by_programs(change, files, config)
    return [file for file in files if file.path not in made]


def _excess(change: Change, files: Sequence[File], limits: Commits) -> str:
    """Return what is too much about `files`; empty if nothing is. git counts lines only where nothing else can tell."""
    if len(files) > limits.max_files:
        return f"{len(files)} files by hand, at most {limits.max_files}"
    kept = [file for file in files if file.status != "D"]
    if _is_small(change, kept, limits):
        return ""
    lines = sum(_counted(change, file) for file in kept)
    return f"{lines} lines by hand, at most {limits.max_lines}" if lines > limits.max_lines else ""


def _is_small(change: Change, files: Sequence[File], limits: Commits) -> bool:
    """Whether `files` are within `limits` however git counts their lines: told from contents, which others read too."""
    return not _is_large(change, files) and any(
        _bound(change, files, limits.max_lines, enough) <= limits.max_lines for enough in (limits.max_lines, FEW)
    )


def _bound(change: Change, files: Sequence[File], most_lines: int, enough: int) -> int:
    """Return how many lines of `files` change at most; a bound of up to `enough` is looked at no closer."""
    lines = 0
    for file, (old, new) in zip(files, change.contents(files), strict=True):
        is_here = (old is not None or file.old_mode not in BLOBS) and (new is not None or file.new_mode not in BLOBS)
        lines += most(old, new, enough) if is_here else most_lines + 1
        if lines > most_lines:
            break
    return lines


def _counted(change: Change, file: File) -> int:
    return sum(change.lines.get(file.path, ()))


def _is_large(change: Change, files: Sequence[File]) -> bool:
    """Whether one of `files` is large on disk; what is staged may differ, but not by much as a rule."""
    return change.worktree is not None and any(_size(change.worktree.root, file.path) > LARGE for file in files)


def _size(root: str, path: str) -> int:
    try:
        return os.lstat(os.path.join(root, path)).st_size
    except OSError:
        return 0  # deleted


def _is_by_name(file: File, globbed: Sequence[str]) -> bool:
    """Whether the name or git's record alone tells that nobody wrote this change by hand."""
    return (
        file.old_id == file.new_id
        or dependency.is_lock(file.path)
        or generated.by_name(file.path)
        or globs.matches(file.path, globbed)
    )


def _split(change: Change, files: Sequence[File], config: Config) -> str:
    """Return the commands that commit as much as is allowed, then the rest, which is judged anew."""
    from groundrules_hooks.rules.commit_message import styled
    from groundrules_hooks.splitting import Group, commands, in_parts

    first = _first(change, files, config)
    if not first:
        return in_parts(change.tree.source, files[0])
    style = config.commits.style
    taken = set(first)
    rest = tuple(file for file in change.files if file not in taken)
    groups = [Group(styled("Make the first part of a change", style), first, is_main=True)]
    return commands(change.tree.source, [*groups, Group(styled("Make the rest of a change", style), rest)])


def _first(change: Change, by_hand: Sequence[File], config: Config) -> tuple[File, ...]:
    """Return the files of the first part, so that neither part mixes concerns if the whole does not; none if none fits.

    Manifests and lock files come first, since code may need what they bring; else what programs wrote comes with what
    it may be written from.
    """
    pins = [file for file in change.files if dependency.is_dependency(file.path)]
    written = [file for file in by_hand if file in pins]
    if 0 < len(pins) < len(change.files) and not _excess(change, written, config.commits):
        return tuple(pins)
    first = _beginning(change, by_hand, config.commits)
    known = set(by_hand)
    return (*first, *(file for file in change.files if file not in known)) if first else ()


def _beginning(change: Change, files: Sequence[File], limits: Commits) -> tuple[File, ...]:
    """Return the first files, in the order of their paths, that one commit can take; none if each is too large alone.

    What is deleted comes before the folder or file that takes its place: both cannot be there.
    """
    taken: list[File] = []
    lines = 0
    for file in sorted(files, key=lambda file: file.path if file.status == "D" else f"{file.path}0"):  # 0 follows /
        more = _at_most(change, file, limits)
        if len(taken) < limits.max_files and lines + more <= limits.max_lines:
            taken.append(file)
            lines += more
        elif taken:
            break
    return tuple(taken)


def _at_most(change: Change, file: File, limits: Commits) -> int:
    """Return how many lines of `file` count, or of how many git counts no more where that is within `limits`."""
    if file.status == "D":
        return 0
    bound = most(*next(change.contents([file])))
    return bound if bound <= limits.max_lines else _counted(change, file)
