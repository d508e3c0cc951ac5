"""What `merge prove` does and says: a proof and its record, or a conflict and its analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules import analysis, console, integration, interruption, merged, proof
from groundrules.counterpart import target
from groundrules.evidence import drafting, report
from groundrules.integration import Merged
from groundrules_hooks import conflict, evidence
from groundrules_hooks.failure import FINDINGS, GroundrulesError
from groundrules_hooks.finding import quote, render, say, shown
from groundrules_hooks.git import git
from groundrules_hooks.prediction import UNKNOWN
from groundrules_hooks.rules.commit_message import styled

if TYPE_CHECKING:
    import argparse

    from groundrules.counterpart import Counterpart
    from groundrules.proof import Proof
    from groundrules_hooks.config import Config
    from groundrules_hooks.prediction import Prediction
    from groundrules_hooks.worktree import Worktree

SCHEMA_VERSION = 1


def prove(asked: argparse.Namespace, worktree: Worktree, config: Config, task: str | None) -> int:
    """Prove what the head of `worktree` and the target merge to."""
    against = target(config, asked.target)
    if against.reason:
        raise GroundrulesError(against.reason, fix="groundrules merge prove --target REF")
    found = merged.merge(worktree, worktree.head or "", against.commit)
    if found.state == UNKNOWN:
        fix = f"git merge-tree --write-tree {quote(against.ref)} HEAD"
        raise GroundrulesError(f"nobody can tell what {against.name} and this merge to", why=found.reason, fix=fix)
    if not found.tree:
        return _conflicts(asked, worktree, config, task, against, found)
    _tell_uncommitted(worktree)
    with interruption.obeyed():
        done = proof.prove(worktree, config, Merged(task or "", worktree.head or "", against.commit, found.tree))
    return _proved(asked, worktree, config, task, done)


def _tell_uncommitted(worktree: Worktree) -> None:
    entries = git("-C", worktree.root, "status", "--porcelain", "-z", "-uall", "--no-renames").split(b"\0")
    count = sum(1 for entry in entries if entry and not entry[3:].startswith(b"evidence/"))
    if count:
        files = f"{count} file{'s' * (count != 1)}"
        console.narrate(console.WARNING, f"not committed, and no part of the proof: {files} → git status --short")


def _conflicts(
    asked: argparse.Namespace,
    worktree: Worktree,
    config: Config,
    task: str | None,
    against: Counterpart,
    found: Prediction,
) -> int:
    """Say that there is nothing to prove, and write the analysis that the task's handoff waits for."""
    console.narrate(console.REFUSED, f"{task or 'this'} and {against.name} conflict in {_names(found)}")
    if task:
        sides = analysis.Sides(task, worktree.head or "", against.name, against.commit)
        new = analysis.write(worktree.root, config, sides, found.paths)
        path = conflict.path_of(task)
        console.step(console.DONE if new else console.ALREADY, "analysis", f"{path}   no seal until it is finished")
        console.narrate(console.NEXT, f"git merge {quote(against.ref)}")
        console.narrate(console.NEXT, f"${{EDITOR:-vi}} {path}")
    if asked.json:
        console.answer({**_facts(task, against.commit, worktree.head), "result": found.state, **_paths(found)})
    return FINDINGS


def _names(found: Prediction) -> str:
    return ", ".join(shown(each.path) for each in found.paths)


def _paths(found: Prediction) -> dict[str, object]:
    return {"paths": [each._asdict() for each in found.paths]}


def _facts(task: str | None, against: str, head: str | None) -> dict[str, object]:
    return {"schema_version": SCHEMA_VERSION, "task": task, "head": head, "target": against}


def _proved(asked: argparse.Namespace, worktree: Worktree, config: Config, task: str | None, done: Proof) -> int:
    tree = done.merged.tree
    records = {record["name"]: record for record in done.records}
    for result in done.results:
        if result.check.name not in done.ran:
            report.line(result, records.get(result.check.name))
    if asked.json:
        console.answer(_document(task, done))
    else:
        say(render(done.findings, root=worktree.root))
    if not done.passed:
        console.step(console.REFUSED, "merge", f"tree {tree[:7]} is not proved")
        return FINDINGS
    console.step(console.DONE if done.ran else console.ALREADY, "merge", f"tree {tree[:7]} is proved")
    if task:
        _keep(asked, worktree, config, done)
    return 0


def _document(task: str | None, done: Proof) -> dict[str, object]:
    worst = next((each.outcome for each in done.results if each.outcome != evidence.PASSED), evidence.PASSED)
    return {
        **_facts(task, done.merged.target, done.merged.head),
        "result": evidence.FAILED if done.findings else worst,
        "subject_tree": done.merged.tree,
        "findings": [each._asdict() for each in done.findings],
        "ran": done.ran,
        "checks": done.records,
    }


def _keep(asked: argparse.Namespace, worktree: Worktree, config: Config, done: Proof) -> None:
    """Write the record of a proof into the branch, and commit it if asked."""
    path = integration.write(worktree.root, done.merged, done.records)
    message = styled(f"Prove the merge of {done.merged.task}", config.commits.style)
    if asked.commit:
        drafting.commit(worktree.root, message, path)
    elif not asked.json:
        say(f"→ git add {path} && git commit -m '{message}' -- {path}\n")
