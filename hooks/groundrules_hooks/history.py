"""History: the commits of a range, each as the change it made, read from one `git log`."""

from __future__ import annotations

import os

from groundrules_hooks.ancestry import learn
from groundrules_hooks.change import ATTRIBUTES, PLAIN, Change, Tree, file_of, paths_of
from groundrules_hooks.counts import Counts
from groundrules_hooks.git import LOG, git
from groundrules_hooks.objects import Objects
from groundrules_hooks.record import NamedTuple
from groundrules_hooks.revert import named, taken_back, touched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from groundrules_hooks.change import File

# A merge shows what it brought to its first parent.
OWN = (*PLAIN, "--root", "--diff-merges=first-parent")
# Of each commit its id, parents and message, and behind them its files. git log has more settings than the plumbing.
FORM = ("--reverse", "--topo-order", "--format=%H%n%P%n%B", "--raw", "--no-abbrev", "-O/dev/null", "--no-relative")


def commits(head: str, without: Iterable[str], meanwhile: Callable[[Objects], object] = bool) -> list[Change]:
    """Return one change for each commit that `head` contains and none of `without` does, oldest first.

    One git process in all, however many commits. What is to be done `meanwhile`, with the reader of contents, is done
    while git compares.
    """
    limits = [head, *(f"^{ref}" for ref in without)]
    objects = Objects()
    log = git(*LOG, *FORM, *OWN, *limits, "--", meanwhile=lambda: meanwhile(objects))
    found = dict(_by_commit(iter(log.split(b"\0"))))
    learn((parent for shown in found.values() for parent in shown.parents), head)
    counts = Counts(*OWN)
    known = touched(name for shown in found.values() for name in named(shown.message))
    declaring = _declaring(found)
    return [
        Change(
            tuple(shown.files),
            Tree(oid, objects, declaring[oid]),
            commit=oid,
            parents=len(shown.parents),
            message=shown.message,
            reverts=taken_back(shown.message, paths_of(shown.files), known),
            counts=counts,
        )
        for oid, shown in found.items()
    ]


def apart() -> Callable[[Change], Change]:
    """Return what gives commits readers of their own, which another process needs."""
    objects, counts = Objects(), Counts(*OWN)
    return lambda change: change._replace(tree=change.tree._replace(objects=objects), counts=counts)


class Shown(NamedTuple):
    """What git tells of a commit."""

    parents: list[str]
    message: str
    files: list[File]


def _by_commit(words: Iterator[bytes]) -> Iterator[tuple[str, Shown]]:
    """Yield the id of each commit and what `commits` asks of it. The first of its files is on a new line."""
    files: list[File] = []
    for word in words:
        record = word.removeprefix(b"\n")
        if record.startswith(b":"):  # a commit begins with its id
            files.append(file_of(record, words))
        elif word:
            oid, parents, message = os.fsdecode(word).split("\n", 2)
            files = []
            yield oid, Shown(parents.split(), message, files)


def _declaring(found: dict[str, Shown]) -> dict[str, str]:
    """Return for each commit the oldest of those `found` whose .gitattributes it has, in all folders.

    A commit has those of its first parent, unless they are among its files.
    """
    oldest: dict[str, str] = {}
    for oid, shown in found.items():
        changes = any(path.endswith(ATTRIBUTES) for path in paths_of(shown.files))
        oldest[oid] = oid if changes else oldest.get("".join(shown.parents[:1]), oid)
    return oldest
