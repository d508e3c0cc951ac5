"""Train: tasks in the order in which they are to land, each proved on the target with those ahead that passed.

An entry that fails is left out, and what stands behind it is predicted and proved without it. Results are kept by
merged tree, so what an entry ahead did not change is not run again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groundrules import console, ends, interruption, merged, proof
from groundrules.counterpart import siblings, target
from groundrules.evidence import report
from groundrules.integration import Merged
from groundrules_hooks import evidence
from groundrules_hooks import task as tasks
from groundrules_hooks.failure import BAD_USE, FINDINGS, GroundrulesError
from groundrules_hooks.finding import render, say, shown
from groundrules_hooks.prediction import CONFLICT, UNKNOWN, Prediction
from groundrules_hooks.worktree import HEADS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from groundrules.proof import Proof
    from groundrules_hooks.config import Config
    from groundrules_hooks.worktree import Worktree

SCHEMA_VERSION = 1


class Entry(NamedTuple):
    """What is to land: its name as it was given, its task (empty if it names none), and its commit."""

    name: str
    task: str
    commit: str


class Stop(NamedTuple):
    """How an entry merges `onto` what was proved ahead of it (the commit `tip`), and its proof where it merges."""

    entry: Entry
    onto: tuple[str, ...]
    tip: str
    prediction: Prediction
    proof: Proof | None

    @property
    def result(self) -> str:
        """PASSED, how the first other check stands, or why nothing was run: CONFLICT or UNKNOWN."""
        if self.proof is None:
            return UNKNOWN if self.prediction.state == UNKNOWN else CONFLICT
        worst = (each.outcome for each in self.proof.results if each.outcome != evidence.PASSED)
        return evidence.FAILED if self.proof.findings else next(worst, evidence.PASSED)


def prove(asked: argparse.Namespace, worktree: Worktree, config: Config) -> int:
    """Prove the entries that are named, in their order, and say of each on what."""
    if asked.commit:
        why = "the results of several are kept on this machine; each task records its own when it is next"
        raise GroundrulesError("--commit and names do not go together", why=why, fix="groundrules merge prove --commit")
    against = target(config, asked.target)
    if against.reason:
        raise GroundrulesError(against.reason, fix="groundrules merge prove --target REF NAME")
    entries = _entries(worktree, config, asked.names)
    found = []
    with interruption.obeyed():
        for stop in stops(worktree, config, (against.name, against.commit), entries):
            _tell(worktree, stop, quiet=asked.json)
            found.append(stop)
    if asked.json:
        console.answer({"schema_version": SCHEMA_VERSION, "target": against.commit, "entries": list(map(_row, found))})
    else:
        say(_table(found))
    results = {stop.result for stop in found} - {evidence.PASSED}
    return 0 if not results else BAD_USE if results == {UNKNOWN} else FINDINGS


def stops(worktree: Worktree, config: Config, start: tuple[str, str], entries: Sequence[Entry]) -> Iterator[Stop]:
    """Yield how each of `entries` goes on the target (its name and commit are `start`) and on those that passed."""
    onto: tuple[str, ...] = (start[0],)
    tip = start[1]
    for entry in entries:
        found = merged.merge(worktree, entry.commit, tip)
        sides = Merged(entry.task, entry.commit, tip, found.tree)
        try:
            done = proof.prove(worktree, config, sides) if found.tree else None
        except GroundrulesError as error:  # it has no check, or a configuration that cannot be read: its own fault
            found, done = Prediction(UNKNOWN, reason=error.what), None
        yield Stop(entry, onto, tip, found, done)
        if done and done.passed:
            onto, tip = (*onto, entry.name), merged.commit(sides.tree, entry.commit, tip)


def _entries(worktree: Worktree, config: Config, names: Sequence[str]) -> list[Entry]:
    """Return each of `names`, once: this worktree's task, that of a sibling, or a branch; what is committed of it."""
    refs = {each.name: each.ref for each in reversed(siblings(worktree, config))}
    own = tasks.of_branch(worktree.branch, config.tasks.branches)
    if own:
        refs[own] = worktree.branch or ""
    return [_entry(name, refs.get(name, ""), config) for name in dict.fromkeys(names)]


def _entry(name: str, ref: str, config: Config) -> Entry:
    commit = ends.commit(f"{HEADS}{ref}") if ref else None
    if ref and commit is None:
        why = "a rebase is not finished there, HEAD is detached, or there is no commit"
        raise GroundrulesError(f"{name} is on no branch now", why=why, fix="git worktree list")
    task = tasks.of_branch(ref or ends.branch_of(name), config.tasks.branches) or ""
    commit = commit or ends.commit(name)
    if commit is None:
        raise GroundrulesError(f"{name} is no task at work here and no branch", fix="groundrules task list")
    return Entry(name, task, commit)


def _tell(worktree: Worktree, stop: Stop, *, quiet: bool) -> None:
    """Say how an entry went; what was found goes to stdout unless that is for a document."""
    done = stop.proof
    ahead = ", ".join(stop.onto)
    if done is None:
        paths = ", ".join(shown(each.path) for each in stop.prediction.paths)
        why = f"conflicts in {paths}" if stop.result == CONFLICT else f"nobody can tell: {stop.prediction.reason}"
        console.step(console.REFUSED, stop.entry.name, f"left out, on {ahead}: {why}")
        console.narrate(console.NEXT, f"git merge-tree --write-tree {stop.tip[:12]} {stop.entry.commit[:12]}")
        return
    records = {record["name"]: record for record in done.records}
    for result in done.results:
        if result.check.name not in done.ran:
            report.line(result, records.get(result.check.name))
    if not quiet:
        say(render(done.findings, root=worktree.root))
    sign = console.REFUSED if not done.passed else console.DONE if done.ran else console.ALREADY
    what = "is proved" if done.passed else "is not proved; left out"
    console.step(sign, stop.entry.name, f"on {ahead}: tree {done.merged.tree[:7]} {what}")


def _row(stop: Stop) -> dict[str, object]:
    done = stop.proof
    return {
        "name": stop.entry.name,
        "task": stop.entry.task or None,
        "commit": stop.entry.commit,
        "onto": list(stop.onto),
        "result": stop.result,
        "paths": [each._asdict() for each in stop.prediction.paths] if done is None else [],
        "reason": stop.prediction.reason or None,
        "subject_tree": done.merged.tree if done else None,
        "findings": [each._asdict() for each in done.findings] if done else [],
        "ran": done.ran if done else [],
        "checks": done.records if done else [],
    }


def _table(found: Sequence[Stop]) -> str:
    rows = [
        ("ENTRY", "RESULT", "TREE", "ON"),
        *((stop.entry.name, stop.result, _tree(stop), ", ".join(stop.onto)) for stop in found),
    ]
    return console.columns(rows)


def _tree(stop: Stop) -> str:
    return stop.proof.merged.tree[:7] if stop.proof else "—"
