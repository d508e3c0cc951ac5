"""commit-size: a commit that a reviewer can hold in mind."""

from __future__ import annotations

import os

from groundrules_hooks import globs
from groundrules_hooks.change import BLOBS
from groundrules_hooks.counts import most
from groundrules_hooks.finding import Finding, reword
from groundrules_hooks.kinds import dependency, generated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groundrules_hooks.change import Change, File
    from groundrules_hooks.config import Commits, Config

NAME = "commit-size"
LARGE = 1 << 20  # bytes; git counts the lines of more sooner than they are read


def check(change: Change, config: Config) -> Iterator[Finding]:
    """Yield one finding when the lines or files that `change` changes by hand exceed `config.commits`.

    Lock files, generated files, moves and changes of mode alone do not count.
    """
    limits = config.commits
    if change.is_one:
        return
    globbed = [pattern for row in config.generated for pattern in row.paths]
    files = [file for file in change.files if not _is_by_name(file, globbed)]
    if _is_small(change, files, limits):
        return
    lines = change.lines
    weights = {file.path: sum(lines.get(file.path, ())) for file in files}
    if not _excess(files, weights, limits):
        return
    from groundrules_hooks.kinds.concern import made_by_programs

    made = made_by_programs(change, files, config)
    files = sorted((file for file in files if file.path not in made), key=lambda file: weights[file.path])
    excess = _excess(files, weights, limits)
    if excess:
        fix = reword(change.commit) if change.commit else _split(change, files, weights, config)
        yield Finding(NAME, files[-1].path, excess, fix, commit=change.commit)


def _is_small(change: Change, files: Sequence[File], limits: Commits) -> bool:
    """Whether `files` are within `limits` however git counts their lines: told from contents, which others read too."""
    if len(files) > limits.max_files or (change.counts and change.counts.known) or _is_large(change, files):
        return False
    lines = 0
    for file, (old, new) in zip(files, change.contents(files), strict=True):
        is_here = (old is not None or file.old_mode not in BLOBS) and (new is not None or file.new_mode not in BLOBS)
        lines += most(old, new) if is_here else limits.max_lines + 1
    return lines <= limits.max_lines


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


def _excess(files: Sequence[File], weights: Mapping[str, int], limits: Commits) -> str:
    """Return what is too much about `files`, of which `weights` are the changed lines; empty if nothing is."""
    lines = sum(weights[file.path] for file in files)
    if lines > limits.max_lines:
        return f"{lines} lines by hand, at most {limits.max_lines}"
    return f"{len(files)} files by hand, at most {limits.max_files}" if len(files) > limits.max_files else ""


def _split(change: Change, files: Sequence[File], weights: Mapping[str, int], config: Config) -> str:
    """Return the commands that commit as much as is allowed, then the rest, which is judged anew."""
    from groundrules_hooks.rules.commit_message import styled
    from groundrules_hooks.splitting import Group, commands, in_parts

    first = _beginning(files, weights, config.commits)
    if not first:
        return in_parts(files[-1])
    style = config.commits.style
    rest = tuple(file for file in change.files if file not in first)
    groups = [Group(styled("Make the first part of a change", style), first)]
    return commands(change.tree.source, [*groups, Group(styled("Make the rest of a change", style), rest)])


def _beginning(files: Sequence[File], weights: Mapping[str, int], limits: Commits) -> tuple[File, ...]:
    """Return the first files, in the order of their paths, that one commit can take.

    What is deleted comes before the folder or file that takes its place: both cannot be there.
    """
    taken: list[File] = []
    for file in sorted(files, key=lambda file: file.path if file.status == "D" else f"{file.path}0"):  # 0 follows /
        if not _excess([*taken, file], weights, limits):
            taken.append(file)
    return tuple(taken)
