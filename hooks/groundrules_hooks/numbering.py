"""Numbering: which numbers of a series a change takes, who has them already, and the command that takes a free one."""

from __future__ import annotations

from groundrules_hooks import reservation, series_tree
from groundrules_hooks.ancestry import is_ancestor, targets
from groundrules_hooks.finding import Finding, quote, shown
from groundrules_hooks.git import answer
from groundrules_hooks.mending import edited
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
    from groundrules_hooks.sibling import Sibling
    from groundrules_hooks.worktree import Worktree

NAME = "sequence-numbers"
REMOTES = "refs/remotes/"


class Sides(NamedTuple):
    """What a change is compared with: `old`, which it starts from, the refs of the target, and siblings by their HEAD.

    `reserved` holds series and number, and whose it is.
    """

    old: str
    targets: Sequence[str]
    siblings: dict[str, Sibling]
    reserved: dict[tuple[str, int], Sibling]

    def words(self, source: str, config: Config) -> str:
        """Return what a person calls the side that `source` names."""
        if source in self.targets:
            return f"on {source.removeprefix(HEADS).removeprefix(REMOTES)}"
        return f"of {self.siblings[source].words(config.tasks.branches)}"


def sides_of(change: Change, config: Config) -> Sides | None:
    """Return the sides of a commit in progress or of a branch; None for a branch with nothing left to merge."""
    return _of_commit(change, change.worktree, config) if change.worktree else _of_branch(change)


def clashes(
    change: Change, config: Config, touched: Iterable[Series], sides: Sides, rule: str = NAME
) -> Iterator[Finding]:
    """Yield a finding of `rule` for each number of the `touched` series that `change` takes and another side has."""
    objects = change.tree.objects or Objects()
    for series in touched:
        sources = [change.tree.source, sides.old, *sides.targets, *sides.siblings]
        found = series_tree.read(objects, sources, series, len(change.files[0].new_id))
        yield from (finding._replace(rule=rule) for finding in _findings(change, config, series, found, sides))


def _of_commit(change: Change, worktree: Worktree, config: Config) -> Sides:
    """Return the sides of a commit in progress: the target, and every live sibling with what it has reserved."""
    found: dict[str, Sibling] = {}
    reserved: dict[tuple[str, int], Sibling] = {}
    for sibling in siblings(worktree):
        found[sibling.head] = sibling
        reserved |= dict.fromkeys(reservation.of(sibling.git_dir), sibling)
    return Sides(change.base or "", targets(config.tasks.target), found, reserved)


def _of_branch(change: Change) -> Sides | None:
    """Return the sides of a branch: the target where it does not contain the branch, and where the two parted.

    None where nothing is left to merge.
    """
    commit = change.commit or ""
    refs = [ref for ref in change.target if not is_ancestor(commit, ref)]
    code, base = answer("merge-base", commit, *refs, ok=(0, 1)) if refs else (1, b"")
    if not refs or code:
        return None
    return Sides(base.decode().strip(), refs, {}, {})


def _findings(
    change: Change, config: Config, series: Series, found: dict[str, list[Entry]], sides: Sides
) -> Iterator[Finding]:
    new, old = _by_number(found[change.tree.source]), _by_number(found[sides.old])
    different: dict[int, tuple[str, list[Entry]]] = {}  # siblings mostly share one list
    for source, entries in found.items():
        different.setdefault(id(entries), (source, entries))
    held = [(entry, source) for source, entries in different.values() for entry in entries]
    reserved = {number: whose for (name, number), whose in sides.reserved.items() if name == series.name}
    free = next_after((entry for entry, _ in held), reserved, series)
    for number, marks in sorted(new.items()):
        before = old.get(number, {})
        clashing = _twice(marks, before)
        # A number that was here before is kept, under a new name too; only a new one is compared with other sides.
        rival = None if before else next((x for x in held if x[0].number == number and x[0].mark not in marks), None)
        if rival:
            words = f"taken by {_place(rival[0])} {sides.words(rival[1], config)}"
            clashing = {**dict.fromkeys(marks, words), **clashing}
        elif number in reserved and not before:
            words = f"reserved for {reserved[number].words(config.tasks.branches)}"
            clashing = {**dict.fromkeys(marks, words), **clashing}
        for mark, words in sorted(clashing.items()):
            yield _finding(change, config, series, marks[mark], (words, free))
            free = str(int(free) + 1).zfill(len(free))


def _twice(marks: dict[str, list[Entry]], before: dict[str, list[Entry]]) -> dict[str, str]:
    """Return the new ones of `marks` that make more share a number than `before`, with words for who keeps it.

    What was there before keeps it; of several new ones the first does.
    """
    added = [mark for mark in sorted(marks) if mark not in before]
    more = len(marks) - max(1, len(before))
    extra = added[-more:] if more > 0 else []
    keeper = next(entries[0] for mark, entries in sorted(marks.items()) if mark not in extra)
    return dict.fromkeys(extra, f"taken by {_place(keeper)}")


def _by_number(entries: Iterable[Entry]) -> dict[int, dict[str, list[Entry]]]:
    """Return entries by number and mark."""
    found: dict[int, dict[str, list[Entry]]] = {}
    for entry in entries:
        found.setdefault(entry.number, {}).setdefault(entry.mark, []).append(entry)
    return found


def _place(entry: Entry) -> str:
    return f"{shown(entry.path)}:{entry.line}" if entry.line else shown(entry.path)


def _finding(
    change: Change, config: Config, series: Series, entries: Sequence[Entry], clash: tuple[str, str]
) -> Finding:
    whose, free = clash
    fix = _line_command(change, entries[0], free) if entries[0].line else _move_command(entries, free)
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


def _line_command(change: Change, entry: Entry, free: str) -> str:
    path = quote(entry.path)
    words = entry.mark.rsplit("\n", 2)[1]
    if words.index(entry.digits) != entry.start:  # sed would change the first of them
        return f"${{EDITOR:-vi}} +{entry.line} {path}"
    return edited(change, entry.path, f"{entry.line}s/{entry.digits}/{free}/")
