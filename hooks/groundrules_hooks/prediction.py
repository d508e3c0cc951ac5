"""Prediction: what a merge of two commits would give, for many pairs at once, from git's objects alone."""

from __future__ import annotations

import os

from groundrules_hooks.globs import matches
from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundrules_hooks.trial import Trial

FRESH = "FRESH"
BEHIND_CLEAN = "BEHIND_CLEAN"
BEHIND_OVERLAP = "BEHIND_OVERLAP"
CONFLICT = "CONFLICT"
UNKNOWN = "UNKNOWN"

MERGED = b"1"  # of `merge-tree --stdin`: the reverse of the exit code of a single merge


class Conflict(NamedTuple):
    """One path that git could not merge, and git's stable words for why, such as `contents`."""

    path: str
    kind: str


class Merge(NamedTuple):
    """What git made of two commits: a `tree` if it is clean, else `conflicts`, or the `reason` why nobody knows."""

    tree: str = ""
    conflicts: tuple[Conflict, ...] = ()
    reason: str = ""


class Prediction(NamedTuple):
    """The state of one pair; `paths` overlap or conflict, `tree` is what the merge would give."""

    state: str
    paths: tuple[Conflict, ...] = ()
    reason: str = ""
    tree: str = ""


def predict(trial: Trial, ours: str, theirs: Sequence[str], scope: Sequence[str] = ()) -> list[Prediction]:
    """Return what a merge of the commit `ours` with each of `theirs` would give.

    Both sides of a clean merge overlap where each changes a file that the other changes too, or where they change
    what the globs of `scope` declare. Raise GitError when what was merged cannot be compared.
    """
    found = merges(trial, [(ours, each) for each in theirs])
    trees = _trees(trial, [ours, *theirs])
    clean = [(trees[at + 1], merge.tree) for at, merge in enumerate(found) if merge.tree]
    brought = _changed(trial, [(trees[0], merged) for _, merged in clean])
    kept = _changed(trial, clean)
    changes = iter(zip(brought, kept, strict=True))
    return [_judged(merge, *next(changes), scope) if merge.tree else _unclean(merge) for merge in found]


def _unclean(merge: Merge) -> Prediction:
    return Prediction(CONFLICT, merge.conflicts) if merge.conflicts else Prediction(UNKNOWN, reason=merge.reason)


def _judged(merge: Merge, brought: set[str], kept: set[str], scope: Sequence[str]) -> Prediction:
    """Return the state of a clean merge: it brings us nothing, or other files than we change, or some of the same."""
    if not brought:
        return Prediction(FRESH, tree=merge.tree)
    both = brought & kept
    declared = {path for path in brought - both if matches(path, scope)}
    paths = (
        *(Conflict(path, "both changed") for path in sorted(both)),
        *(Conflict(path, "declared") for path in sorted(declared)),
    )
    return Prediction(BEHIND_OVERLAP if paths else BEHIND_CLEAN, paths, tree=merge.tree)


def merges(trial: Trial, pairs: Sequence[tuple[str, str]]) -> list[Merge]:
    """Return what git makes of each pair of commit ids, in one process unless it stops at one of them."""
    found: list[Merge] = []
    while len(found) < len(pairs):
        rest = pairs[len(found) :]
        asked = "".join(f"{ours} {theirs}\n" for ours, theirs in rest)
        outcome = trial.run("merge-tree", "--stdin", "-z", stdin=asked.encode())
        found += list(_parsed(outcome.out))[: len(rest)]
        if len(found) < len(pairs):
            # git ends at the first pair that it cannot merge; that is no verdict on those behind it.
            found.append(Merge(reason=_reason(outcome.err)))
    return found


def _reason(said: bytes) -> str:
    lines = said.decode("utf-8", "replace").strip().splitlines()
    fatal = [line for line in lines if line.startswith("fatal: ")]
    return (fatal or lines or ["git said nothing"])[0].removeprefix("fatal: ").removeprefix("merge-tree: ")


def _parsed(out: bytes) -> Iterator[Merge]:
    """Yield the merges that `merge-tree --stdin -z` prints whole: status, tree, and more about a conflict."""
    words = iter(out.split(b"\0"))
    while status := next(words, b""):
        try:
            yield _clean(words) if status == MERGED else _conflicted(words)
        except (StopIteration, ValueError):  # git was killed meanwhile
            return


def _clean(words: Iterator[bytes]) -> Merge:
    tree, _ = next(words).decode(), next(words)
    return Merge(tree)


def _conflicted(words: Iterator[bytes]) -> Merge:
    """Return the conflict that follows: a tree, the files in question, nothing, messages, nothing.

    A message is a number of paths, these, a type, a text.
    """
    next(words)
    paths: dict[str, str] = {}
    while entry := next(words):
        paths[os.fsdecode(entry.partition(b"\t")[2])] = ""
    while count := next(words):
        about = [os.fsdecode(next(words)) for _ in range(int(count))]
        kind, _ = next(words).decode(), next(words)
        for path in about if kind.startswith("CONFLICT") else ():
            paths[path] = paths.get(path) or kind.removeprefix("CONFLICT").strip(" ()")
    return Merge(conflicts=tuple(Conflict(path, kind) for path, kind in sorted(paths.items())))


def _trees(trial: Trial, commits: Sequence[str]) -> list[str]:
    """Return the tree of each commit; something that is no id for one that is not here."""
    asked = "".join(f"{commit}^{{tree}}\n" for commit in commits)
    out = trial.git("cat-file", "--batch-check=%(objectname)", stdin=asked.encode())
    return out.decode().splitlines()


def _changed(trial: Trial, pairs: Sequence[tuple[str, str]]) -> list[set[str]]:
    """Return the paths that differ between the two trees of each pair; of a moved file both names."""
    if not pairs:
        return []
    headers = [f"{old} {new}\n".encode() for old, new in pairs]
    options = ("-r", "-z", "--name-only", "--no-renames", "--ignore-submodules=none")
    out = trial.git("diff-tree", "--stdin", *options, stdin=b"".join(headers))
    found: list[set[str]] = []
    at = 0
    for header, following in zip(headers, [*headers[1:], b""], strict=True):
        at += len(header)
        end = _end(out, at, following)
        found.append({os.fsdecode(path) for path in out[at:end].split(b"\0") if path})
        at = end
    return found


def _end(out: bytes, at: int, following: bytes) -> int:
    """Return where the paths from `at` end: where the next header begins, behind a NUL unless there are none."""
    if not following:
        return len(out)
    return at if out.startswith(following, at) else out.index(b"\0" + following, at) + 1
