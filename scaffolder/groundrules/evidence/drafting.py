"""The account of a task as a document: facts by the machine, prose by the author, and where it is written."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

from groundrules import console
from groundrules.evidence import store
from groundrules_hooks import account, facts, handoff, slot
from groundrules_hooks import task as tasks
from groundrules_hooks.ancestry import base_of, targets
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import utf8
from groundrules_hooks.git import answer, git
from groundrules_hooks.lock import held, make_folder, replace
from groundrules_hooks.rules.commit_message import styled
from groundrules_hooks.subject import EVIDENCE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groundrules_hooks.account import Account
    from groundrules_hooks.change import Change
    from groundrules_hooks.config import Config
    from groundrules_hooks.worktree import Worktree

PROSE = ("unresolved", "deviations")


def account_of(worktree: Worktree, config: Config) -> tuple[str, Account]:
    """Return the task of `worktree` and its account at the commit that is checked out."""
    task, base = task_and_base(worktree, config)
    tip = worktree.head or ""
    target = facts.newest_target(tip, base, targets(config.tasks.target))
    return task, account.of(task, tip, base, target, config, store.records(worktree))


def start_of(worktree: Worktree, config: Config) -> str | None:
    """Return the commit that the work in `worktree` is compared with; None where no task is at work."""
    if worktree.head is None or tasks.of_branch(worktree.branch, config.tasks.branches) is None:
        return None
    _, base = task_and_base(worktree, config)
    return facts.newest_target(worktree.head, base, targets(config.tasks.target))


def task_and_base(worktree: Worktree, config: Config) -> tuple[str, str]:
    """Return the task of the branch that is checked out, and the commit it started from."""
    task = tasks.of_branch(worktree.branch, config.tasks.branches)
    if task is None or worktree.head is None:
        raise GroundrulesError(
            f"{worktree.branch or 'a detached HEAD'} names no task",
            why=f"patterns are {', '.join(config.tasks.branches)}",
            fix="groundrules task list",
        )
    pin = slot.claim(worktree, config).pin
    base = slot.reconcile(worktree, config, pin).base if pin else base_of(worktree, config.tasks.target)
    return task, base or worktree.head


def document(worktree: Worktree, config: Config, task: str, told: Account) -> dict[str, Any]:
    """Return the facts of an account in the order of the schema, state in-progress, without the author's prose."""
    found = dict(told.facts.document)
    patches = _patches(told.facts.work)
    found["commits"] = [
        {"oid": row["oid"], "patch": patches.get(row["oid"]), "subject": row["subject"]} for row in found["commits"]
    ]
    wanted = [result.check.name for result in (*told.required, *told.others)]
    rows = (store.newest(worktree, name, found["subject_tree"]) for name in wanted)
    return {
        "schema": handoff.SCHEMA,
        "state": handoff.IN_PROGRESS,
        "task": task,
        **found,
        "environment": _environment(worktree, config),
        "checks": [row for row in rows if row],
        "detected": told.detected,
    }


def _environment(worktree: Worktree, config: Config) -> dict[str, str]:
    claimed = slot.claim(worktree, config)
    pin = claimed.pin
    recorded = {"git": pin.git, "python": pin.python, "os": pin.system} if pin else {}
    return {**recorded, "slot": str(claimed.slot)}


def _patches(work: list[Change]) -> dict[str, str]:
    """Return the patch ids of commits, by which a rebase is recognised; a merge has none."""
    asked = "".join(f"{each.commit}\n" for each in work if each.parents < 2).encode()
    diffs = git("diff-tree", "--stdin", "-p", "--root", "--no-ext-diff", "--no-textconv", stdin=asked)
    # --verbatim: the stable form ignores white space, which has meaning in Python.
    pairs = (line.split(" ") for line in git("patch-id", "--verbatim", stdin=diffs).decode().splitlines())
    return {commit: patch for patch, commit in pairs}


def earlier(worktree: Worktree, task: str) -> dict[str, Any]:
    """Return the handoff of `task` on disk; empty when there is none that can be read."""
    try:
        found = json.loads(held(os.path.join(worktree.root, handoff.path_of(task))))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def prose(given: Mapping[str, Sequence[str] | None], before: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the author gave, the word `none`, or what an earlier handoff holds."""
    return {name: _prose(name, given[name], before) for name in PROSE}


def _prose(name: str, given: Sequence[str] | None, before: Mapping[str, Any]) -> object:
    if given is None:
        return before.get(name)
    texts = [utf8(words.strip()) for words in given if words.strip()]
    if handoff.NONE in texts and len(texts) > 1:
        raise GroundrulesError(f"--{name} is both none and something", fix=f"groundrules handoff draft --{name} none")
    return handoff.NONE if texts == [handoff.NONE] else texts or None


def write(worktree: Worktree, found: dict[str, Any]) -> str:
    """Write the handoff `found`, whole or not at all, and return its path from the root."""
    from groundrules import schema  # a quarter of a second, which only a writer has to spend

    schema.validate(found)
    path = handoff.path_of(found["task"])
    make_folder(os.path.join(worktree.root, EVIDENCE, found["task"]))
    replace(os.path.join(worktree.root, path), f"{json.dumps(found, indent=2, ensure_ascii=False)}\n".encode())
    return path


def subject_of(task: str, config: Config) -> str:
    """Return the subject of the commit that holds the handoff of `task`."""
    return styled(f"Hand over {task}", config.commits.style)


def commit(root: str, message: str, *paths: str) -> None:
    """Commit the evidence at `paths` and nothing else. Raise GroundrulesError when a hook or git refuses."""
    name = os.path.basename(paths[0]).partition(".")[0]
    unchanged = answer("-C", root, "diff", "--quiet", "HEAD", "--", *paths, ok=(0, 1))[0] == 0
    if unchanged and answer("-C", root, "ls-files", "--error-unmatch", "--", *paths, ok=(0, 1))[0] == 0:
        console.step(console.ALREADY, name, "committed as it is")
        return
    for command in (["git", "add", "--", *paths], ["git", "commit", "-m", message, "--", *paths]):
        done = subprocess.run(command, cwd=root, check=False)
        if done.returncode:
            what = f"`{' '.join(command[:2])}` refused; the {name} is written, not committed"
            raise GroundrulesError(what, fix=f"git commit -m '{message}' -- {' '.join(paths)}")
