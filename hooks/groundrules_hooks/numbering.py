"""Numbering: which numbers of a series a change takes, who has them already, and the command that takes a free one."""

from __future__ import annotations

from groundrules_hooks import reservation, series_tree
from groundrules_hooks.ancestry import is_ancestor, targets
from groundrules_hooks.finding import Finding, quote, shown
from groundrules_hooks.git import answer
from groundrules_hooks.objects import Objects
from groundrules_hooks.record import NamedTuple
from groundrules_hooks.rules.commit_message import styled
from groundrules_hooks.series import next_after
from groundrules_hooks.sibling import siblings
from groundrules_hooks.worktree import HEADS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from groundrules_hooks.change import Change
    from groundrules_hooks.config import Config, Series
    from groundrules_hooks.series import Entry
    from groundrules_hooks.worktree import Worktree

NAME = "sequence-numbers"
REMOTES = "refs/remotes/"


class Sides(NamedTuple):
    """What a change is compared with: `old`, what it starts from, and by commit the words for each other side.

    `reserved` holds series and number with the words for whom it is reserved.
    """

    old: str
    others: dict[str, str]
    reserved: dict[tuple[str, int], str]


def clashes(change: Change, config: Config, touched: Iterable[Series]) -> Iterator[Finding]:
    """Yield a finding for each number of the `touched` series that `change` takes and another has."""
    sides = _of_commit(change, change.worktree, config) if change.worktree else _of_branch(change)
    if sides is None:
        return
    objects = change.tree.objects or Objects()
    for series in touched:
        sources = [change.tree.source, sides.old, *sides.others]
        found = series_tree.read(objects, sources, series, len(change.files[0].new_id))
        yield from _findings(change, config, series, found, sides)


def _of_commit(change: Change, worktree: Worktree, config: Config) -> Sides:
    """Return the sides of a commit in progress: the target, and every live sibling with what it has reserved."""
    others = {ref: f"on {_short(ref)}" for ref in targets(config.tasks.target)}
    reserved: dict[tuple[str, int], str] = {}
    for sibling in siblings(worktree, config.tasks.branches):
        others.setdefault(sibling.head, f"of {sibling.words}")
        for row in reservation.of(sibling.git_dir):
            reserved.setdefault(row, sibling.words)
    for row in reservation.of(worktree.git_dir):
        reserved.pop(row, None)  # given to both before one of them was moved here by hand
    return Sides(change.base or "", others, reserved)


def _of_branch(change: Change) -> Sides | None:
    """Return the sides of a branch: the target where it does not contain the branch, and where the two parted.

    None where nothing is left to merge.
    """
    commit = change.commit or ""
    refs = [ref for ref in change.target if not is_ancestor(commit, ref)]
    code, base = answer("merge-base", commit, *refs, ok=(0, 1)) if refs else (1, b"")
    if not refs or code:
        return None
    return Sides(base.decode().strip(), {ref: f"on {_short(ref)}" for ref in refs}, {})


def _short(ref: str) -> str:
    return ref.removeprefix(HEADS).removeprefix(REMOTES)


def _findings(
    change: Change, config: Config, series: Series, found: dict[str, list[Entry]], sides: Sides
) -> Iterator[Finding]:
    new, old = _by_number(found[change.tree.source]), _by_number(found[sides.old])
    others = {words: _by_number(found[source]) for source, words in sides.others.items()}
    reserved = {number: words for (name, number), words in sides.reserved.items() if name == series.name}
    free = next_after((entry for each in found.values() for entry in each), reserved, series)
    for number, marks in sorted(new.items()):
        before = old.get(number, {})
        added = [mark for mark in sorted(marks) if mark not in before]
        # What was there before keeps the number, under a new name too; of several new ones, the first does.
        extra = added[max(1, len(before)) - len(marks) :] if len(marks) > max(1, len(before)) else []
        for mark in added:
            if mark in extra:
                keeper = next(entries for other, entries in sorted(marks.items()) if other not in extra)
                whose = f"taken by {_place(keeper[0])}"
            else:
                whose = "" if before else _elsewhere(number, marks, others, reserved)
            if whose:
                yield _finding(change, config, series, marks[mark], (whose, free))
                free = str(int(free) + 1).zfill(len(free))


def _by_number(entries: Iterable[Entry]) -> dict[int, dict[str, list[Entry]]]:
    """Return entries by number and mark."""
    found: dict[int, dict[str, list[Entry]]] = {}
    for entry in entries:
        found.setdefault(entry.number, {}).setdefault(entry.mark, []).append(entry)
    return found


def _elsewhere(
    number: int,
    marks: dict[str, list[Entry]],
    others: dict[str, dict[int, dict[str, list[Entry]]]],
    reserved: dict[int, str],
) -> str:
    """Return who else has `number`, in something that is none of `marks`; empty when nobody has."""
    for words, found in others.items():
        for mark, entries in found.get(number, {}).items():
            if mark not in marks:
                return f"taken by {_place(entries[0])} {words}"
    return f"reserved for {reserved[number]}" if number in reserved else ""


def _place(entry: Entry) -> str:
    return f"{shown(entry.path)}:{entry.line}" if entry.line else shown(entry.path)


def _finding(
    change: Change, config: Config, series: Series, entries: Sequence[Entry], clash: tuple[str, str]
) -> Finding:
    whose, free = clash
    fix = _line_command(entries[0], free) if entries[0].line else _move_command(entries, free)
    if change.commit:
        subject = styled(f"Take {free} in {series.name}", config.commits.style)
        fix = f"{fix} && git commit -m {quote(subject)}"
    message = f"{entries[0].digits} of {series.name} is {whose}"
    return Finding(NAME, entries[0].path, message, fix, entries[0].line or 1)


def _move_command(entries: Sequence[Entry], free: str) -> str:
    """Return the command that moves what carries the number in its name: a file, two halves of one thing, a folder."""
    moves = {}
    for entry in entries:
        last = entry.start + len(entry.digits)
        end = entry.path.find("/", last) if "/" in entry.path[last:] else len(entry.path)
        moves[entry.path[:end]] = entry.path[: entry.start] + free + entry.path[last:end]
    return " && ".join(f"git mv {quote(old)} {quote(new)}" for old, new in moves.items())


def _line_command(entry: Entry, free: str) -> str:
    path = quote(entry.path)
    words = entry.mark.rsplit("\n", 2)[1]
    if words.index(entry.digits) != entry.start:  # sed would change the first of them
        return f"${{EDITOR:-vi}} +{entry.line} {path}"
    return f"sed -i '{entry.line}s/{entry.digits}/{free}/' {path} && git add {path}"
