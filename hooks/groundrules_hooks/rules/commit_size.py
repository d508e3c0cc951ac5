"""commit-size: a commit that a reviewer can hold in mind."""

from __future__ import annotations

from groundrules_hooks import globs
from groundrules_hooks.finding import Finding, reword
from groundrules_hooks.kinds import dependency, generated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundrules_hooks.change import Change, File
    from groundrules_hooks.config import Commits, Config

NAME = "commit-size"


def check(change: Change, config: Config) -> Iterator[Finding]:
    """Yield one finding when the lines or files that `change` changes by hand exceed `config.commits`.

    Lock files, generated files, moves and changes of mode alone do not count.
    """
    limits = config.commits
    files = [file for file in change.files if not _is_by_name(file, config)]
    if change.is_one or not _excess(files, limits):
        return
    from groundrules_hooks.kinds.concern import made_by_programs  # contents are read for a large change only

    made = made_by_programs(change, files, config)
    files = sorted((file for file in files if file.path not in made), key=_weight)
    excess = _excess(files, limits)
    if excess:
        fix = reword(change.commit) if change.commit else _split(change, files, config)
        yield Finding(NAME, files[-1].path, excess, fix, commit=change.commit)


def _is_by_name(file: File, config: Config) -> bool:
    """Whether the name or git's record alone tells that nobody wrote this change by hand."""
    globbed = (pattern for row in config.generated for pattern in row.paths)
    return (
        file.old_id == file.new_id
        or dependency.is_lock(file.path)
        or generated.by_name(file.path)
        or globs.matches(file.path, globbed)
    )


def _weight(file: File) -> int:
    return file.added + file.removed


def _excess(files: Sequence[File], limits: Commits) -> str:
    """Return what is too much about `files`; empty if nothing is."""
    lines = sum(map(_weight, files))
    if lines > limits.max_lines:
        return f"{lines} lines by hand, at most {limits.max_lines}"
    return f"{len(files)} files by hand, at most {limits.max_files}" if len(files) > limits.max_files else ""


def _split(change: Change, files: Sequence[File], config: Config) -> str:
    """Return the commands that commit as much as is allowed, then the rest, which is judged anew."""
    from groundrules_hooks.rules.commit_message import styled
    from groundrules_hooks.splitting import Group, commands, in_parts

    first = _beginning(files, config.commits)
    if not first:
        return in_parts(files[-1])
    style = config.commits.style
    rest = tuple(file for file in change.files if file not in first)
    groups = [Group(styled("Make the first part of a change", style), first)]
    return commands(change.tree.source, [*groups, Group(styled("Make the rest of a change", style), rest)])


def _beginning(files: Sequence[File], limits: Commits) -> tuple[File, ...]:
    """Return the first files, in the order of their paths, that one commit can take.

    What is deleted comes before the folder or file that takes its place: both cannot be there.
    """
    taken: list[File] = []
    for file in sorted(files, key=lambda file: file.path if file.status == "D" else f"{file.path}0"):  # 0 follows /
        if not _excess([*taken, file], limits):
            taken.append(file)
    return tuple(taken)
