"""`groundrules handoff draft`: the account of a task, its facts from git and its prose from the author."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

from groundrules import console, schema
from groundrules.place import require_config, require_outermost
from groundrules_hooks import allow, change, handoff, slot
from groundrules_hooks import task as tasks
from groundrules_hooks.ancestry import base_of, targets
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import say, utf8
from groundrules_hooks.git import answer, git, text
from groundrules_hooks.lock import make_folder, replace
from groundrules_hooks.rules.commit_message import styled
from groundrules_hooks.subject import EVIDENCE, subject_tree

if TYPE_CHECKING:
    import argparse

    from groundrules_hooks.change import Change
    from groundrules_hooks.config import Config
    from groundrules_hooks.worktree import Worktree


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=["draft"], help="write the facts as they are now, state in-progress")
    for name, what in (("unresolved", "a concern that remains"), ("deviations", "a departure from what was asked")):
        parser.add_argument(
            f"--{name}", action="append", metavar="TEXT", help=f"{what}; repeatable; the word none if there is none"
        )
    parser.add_argument("--commit", action="store_true", help="commit the handoff too")


def run(asked: argparse.Namespace) -> int:
    """Write `evidence/<task>/handoff.json` of this worktree's task, and commit it if asked."""
    worktree = require_outermost()
    config = require_config(worktree)
    task, base = _task_and_base(worktree, config)
    document = draft(worktree, config, task, base)
    path = handoff.path_of(task)
    document |= {name: _prose(name, getattr(asked, name), worktree.root, path) for name in ("unresolved", "deviations")}
    schema.validate(document)
    make_folder(os.path.join(worktree.root, EVIDENCE, task))
    replace(os.path.join(worktree.root, path), f"{json.dumps(document, indent=2, ensure_ascii=False)}\n".encode())
    count = len(document["commits"])
    facts = f"{count} commit{'s' * (count != 1)}, {len(document['files'])} files, {document['state']}"
    console.step(console.DONE, "handoff", f"{path}   {facts}")
    for name in ("unresolved", "deviations"):
        if document[name] is None:
            console.narrate(console.WARNING, f"{name} is not given yet: --{name} TEXT, or --{name} none")
    message = styled(f"Hand over {task}", config.commits.style)
    if asked.commit:
        return _commit(worktree.root, path, message)
    say(f"→ git add {path} && git commit -m '{message}' -- {path}\n")
    return 0


def draft(worktree: Worktree, config: Config, task: str, base: str) -> dict[str, Any]:
    """Return the facts about `base..HEAD`: work commits only, what they change, and what they were allowed."""
    target = targets(config.tasks.target)
    found = change.commits(worktree.head or "", [base, *target])
    work = [each for each in found if not _is_evidence_only(each)]
    head = work[-1].commit if work else base
    environment = slot.claim(worktree, config)
    return {
        "schema": handoff.SCHEMA,
        "state": "in-progress",
        "task": task,
        "base": base,
        "head": head,
        "subject_tree": subject_tree(worktree.head or ""),
        "commits": _rows(work),
        "files": _files(_start(worktree.head or "", base, target), worktree.head or ""),
        "environment": {
            **(
                {"git": environment.pin.git, "python": environment.pin.python, "os": environment.pin.system}
                if environment.pin
                else {}
            ),
            "slot": str(environment.slot),
        },
        "checks": [],
        "allowed": [
            {"rule": given.rule, "reason": given.reason, "commit": each.commit}
            for each in work
            for given in allow.from_message(each.message or "")
        ],
        "detected": [],
    }


def _task_and_base(worktree: Worktree, config: Config) -> tuple[str, str]:
    task = tasks.of_branch(worktree.branch, config.tasks.branches)
    if task is None or worktree.head is None:
        raise GroundrulesError(
            f"{worktree.branch or 'a detached HEAD'} names no task",
            why=f"patterns are {', '.join(config.tasks.branches)}",
            fix="git branch",
        )
    pin = slot.claim(worktree, config).pin
    base = slot.reconcile(worktree, config, pin).base if pin else base_of(worktree, config.tasks.target)
    return task, base or worktree.head


def _is_evidence_only(each: Change) -> bool:
    return bool(each.files) and all(path.startswith(f"{EVIDENCE}/") for path in each.paths)


def _rows(work: list[Change]) -> list[dict[str, object]]:
    """Return the commits with their patch ids, by which a rebase is recognised; a merge has none."""
    asked = "".join(f"{each.commit}\n" for each in work if each.parents < 2).encode()
    diffs = git("diff-tree", "--stdin", "-p", "--root", "--no-ext-diff", "--no-textconv", stdin=asked)
    # --verbatim: the stable form ignores white space, which has meaning in Python.
    pairs = (line.split(" ") for line in git("patch-id", "--verbatim", stdin=diffs).decode().splitlines())
    ids = {commit: patch for patch, commit in pairs}
    return [
        {
            "oid": each.commit,
            "patch": ids.get(each.commit or ""),
            "subject": utf8((each.message or "").partition("\n")[0]),
        }
        for each in work
    ]


def _start(head: str, base: str, target: list[str]) -> str:
    """Return the commit to compare `head` with: `base`, or the newest commit of the target that the branch merged."""
    return text("merge-base", head, base, *target, ok=(0, 1)) or base


def _files(base: str, head: str) -> list[dict[str, str]]:
    raw = git("diff-tree", "-r", "-z", "-M", base, head, "--")
    found = change.parse_raw(iter(raw.split(b"\0")))
    return [
        {
            "path": utf8(file.path),
            "status": file.status,
        }
        for file in found
        if not file.path.startswith(f"{EVIDENCE}/")
    ]


def _prose(name: str, given: list[str] | None, root: str, path: str) -> object:
    """Return what the author gave, the word `none`, or what an earlier draft holds."""
    if given is not None:
        texts = [utf8(words.strip()) for words in given if words.strip()]
        if handoff.NONE in texts and len(texts) > 1:
            raise GroundrulesError(
                f"--{name} is both none and something", fix=f"groundrules handoff draft --{name} none"
            )
        return handoff.NONE if texts == [handoff.NONE] else texts or None
    try:
        with open(os.path.join(root, path), "rb") as file:
            return handoff.load(file.read()).get(name)
    except (FileNotFoundError, ValueError, AttributeError):
        return None


def _commit(root: str, path: str, message: str) -> int:
    if answer("-C", root, "diff", "--quiet", "HEAD", "--", path, ok=(0, 1))[0] == 0 and _is_tracked(root, path):
        console.step(console.ALREADY, "handoff", "committed as it is")
        return 0
    for command in (["git", "add", "--", path], ["git", "commit", "-m", message, "--", path]):
        done = subprocess.run(command, cwd=root, check=False)
        if done.returncode:
            what = f"`{' '.join(command[:2])}` refused; the handoff is written, not committed"
            raise GroundrulesError(what, fix=f"git commit -m '{message}' -- {path}")
    return 0


def _is_tracked(root: str, path: str) -> bool:
    return answer("-C", root, "ls-files", "--error-unmatch", "--", path, ok=(0, 1))[0] == 0
