"""Landings: what came onto the target, by a merge, a squash, a rebase or directly, and whether it was tested."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, NamedTuple

from groundrules import integration
from groundrules.evidence import store
from groundrules_hooks import change, evidence, handoff
from groundrules_hooks.ancestry import is_ancestor
from groundrules_hooks.change import Tree
from groundrules_hooks.config import FILE, of_text
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.git import LOG, git, text
from groundrules_hooks.message import tasks
from groundrules_hooks.subject import EVIDENCE, subject_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from groundrules.integration import Merged, Record
    from groundrules_hooks.config import Check, Config
    from groundrules_hooks.evidence import Result
    from groundrules_hooks.worktree import Worktree

MERGE, FORWARD, SQUASH, REBASE, DIRECT = "merge", "fast-forward", "squash", "rebase", "direct"


class Step(NamedTuple):
    """One commit of the target, first parents only: the `parents` in order, its subject, its task, its key."""

    commit: str
    parents: list[str]
    subject: str
    task: str
    tree: str


class Landing(NamedTuple):
    """What came at once: its newest step, how many steps, by which method, and how each check of its tree stands.

    `passed` are the required checks that the forge saw pass on exactly this commit, where it was asked.
    """

    step: Step
    steps: int
    task: str
    how: str
    results: list[Result]
    passed: tuple[str, ...] = ()

    @property
    def outcome(self) -> str:
        """PASSED when every check has passed on exactly this tree; else how the first other one stands."""
        if self.passed:
            return evidence.PASSED
        outcomes = [result.outcome for result in self.results] or [evidence.MISSING]
        return next((outcome for outcome in outcomes if outcome != evidence.PASSED), evidence.PASSED)

    @property
    def why(self) -> str:
        """What is known of the first check that has not passed."""
        first = next((row for row in self.results if row.outcome != evidence.PASSED), None)
        return f"{first.check.name} {first.outcome}: {first.why}" if first else "it has no check that can be run"


class Proofs(NamedTuple):
    """What evidence files hold: records of checks, and what was merged, each by subject tree; commits of each task."""

    records: dict[tuple[str, str], list[Record]]
    merged: dict[str, Merged]
    subjects: dict[str, list[str]]


def landings(here: Worktree, head: str, base: str, most: int) -> list[Landing]:
    """Return what landed after `base` (or at most `most` steps when that is empty), up to `head`, newest first.

    Steps from before the first groundrules.toml are left out, and so is what no check is about, such as evidence.
    """
    steps = list(_steps(head, base, most))
    known = proofs(head)
    found = []
    while steps:
        step = steps.pop(0)
        task = known.merged[step.tree].task if step.tree in known.merged else step.task
        subjects = known.subjects.get(task, [])
        first, count = step, 1
        while steps and len(step.parents) == 1 and _is_part(steps[0], step, subjects):
            first = steps.pop(0)
            count += 1
        results = _results(here, step, first.parents[:1], known)
        if results is not None:
            found.append(Landing(step, count, task, _how(step, count, task, known), results))
    return found


def _steps(head: str, base: str, most: int) -> Iterator[Step]:
    limits = [head, f"^{base}"] if base else [f"--max-count={most}", head]
    form = "--format=%H%n%P%n%B"
    out = git(*LOG, "-z", "--first-parent", form, *limits, "--")
    for record in filter(None, out.split(b"\0")):
        commit, parents, message = os.fsdecode(record).split("\n", 2)
        task = next(iter(tasks(message)), "") or _handed_over(commit, parents.partition(" ")[0])
        yield Step(commit, parents.split(), message.partition("\n")[0], task, subject_tree(commit))


def _handed_over(commit: str, parent: str) -> str:
    """Return the one task whose evidence came with `commit`: a forge's own message need not name it."""
    if not parent:
        return ""
    options = ("-r", "-z", "--name-only", "--no-renames")
    out = git("--literal-pathspecs", "diff-tree", *options, parent, commit, "--", f"{EVIDENCE}/")
    # A submodule in the folder's place has a path without a slash.
    found = {os.fsdecode(path).split("/")[1] for path in out.split(b"\0") if b"/" in path}
    return found.pop() if len(found) == 1 else ""


def _is_part(older: Step, newer: Step, subjects: Sequence[str]) -> bool:
    """Whether `older` came with `newer`: it has the same tree, or is a commit of the task that was rebased along."""
    return len(older.parents) == 1 and (older.tree == newer.tree or older.subject in subjects)


def proofs(commit: str) -> Proofs:
    """Return what the evidence in `commit` records."""
    tree = Tree(commit)
    names = [path for path in tree.files(EVIDENCE) if path.endswith(("/integration.json", "/handoff.json"))]
    found = Proofs({}, {}, {})
    for path, content in tree.read(*names).items():
        read = integration.read(content) if path.endswith("/integration.json") else None
        if read:
            merged, records = read
            found.merged[merged.tree] = merged
            _add(found, records)
        elif not list(handoff.problems(content)):
            document = json.loads(content)
            found.subjects[document["task"]] = [row["subject"] for row in document["commits"]]
            _add(found, document["checks"])
    return found


def _add(found: Proofs, records: Iterable[Record]) -> None:
    for record in records:
        found.records.setdefault((record["tree"], record["name"]), []).append(record)


def _results(here: Worktree, step: Step, before: list[str], known: Proofs) -> list[Result] | None:
    """Return how each check that a step's own configuration wants stands; None where there is nothing to test.

    `before` is the commit that the landing came onto, if there is one.
    """
    content = Tree(step.commit).read(FILE).get(FILE)
    if content is None:
        return [] if before and Tree(before[0]).has(FILE) else None
    definition = text("rev-parse", f"{step.commit}:{FILE}")
    try:
        settings = of_text(content)
    except GroundrulesError:
        return []  # nobody can run a check with it
    checks = _needed(settings, subject_tree(before[0]), step.tree) if before else integration.wanted(settings)
    if not checks and settings.checks:
        return None
    found = [_best(here, check, step.tree, definition, known) for check in checks]
    if all(result.outcome == evidence.PASSED for result in found):
        return found  # none at all when the step has no check, which is no proof either
    # A later task may have taken the file's place: the step itself has it still.
    then = proofs(step.commit)
    return [_best(here, check, step.tree, definition, then) for check in checks]


def _needed(settings: Config, before: str, tree: str) -> list[Check]:
    """Return the checks that a merged tree has to pass; of quick ones those that a handoff of the same would need.

    What changes the checks themselves has to pass all of them.
    """
    checks = integration.wanted(settings)
    if any(check.tier != evidence.QUICK for check in checks):
        return checks
    files = change.between(before, tree)
    paths = {file.path for file in files} | {file.old for file in files}
    return checks if FILE in paths else evidence.required(settings, paths)


def _best(here: Worktree, check: Check, tree: str, definition: str, known: Proofs) -> Result:
    """Return the best that a record says about `check` for `tree`; those of this machine count too."""
    local = store.newest(here, check.name, tree)
    records = [*known.records.get((tree, check.name), []), *([local] if local and local["tree"] == tree else [])]
    results = [evidence.result(check, record, tree, definition) for record in records]
    passed = [result for result in results if result.outcome == evidence.PASSED]
    return (passed or results or [evidence.result(check, None, tree, definition)])[0]


def _how(step: Step, count: int, task: str, known: Proofs) -> str:
    if len(step.parents) > 1:
        return MERGE
    if not task:
        return DIRECT
    merged = known.merged.get(step.tree)
    if merged and is_ancestor(merged.head, step.commit):
        return FORWARD
    return SQUASH if count == 1 and len(known.subjects.get(task, [])) > 1 else REBASE
