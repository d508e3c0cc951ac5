"""Checks run again by the gate, on the files of the head itself: a handoff can be forged, a fresh run cannot."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from groundrules import console
from groundrules_hooks import capability, capability_file, change, contract, evidence, slot
from groundrules_hooks.change import Tree
from groundrules_hooks.config import FILE
from groundrules_hooks.config_wrong import line_of
from groundrules_hooks.finding import Finding
from groundrules_hooks.lock import replace
from groundrules_hooks.slot_env import render
from groundrules_hooks.subject import subject_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from groundrules_hooks.config import Check, Config
    from groundrules_hooks.evidence import Result
    from groundrules_hooks.worktree import Worktree

NAME = "check"
LONGEST = 20  # lines of a log that a finding shows


def required(config: Config, base: str, head: str, tasks: Iterable[str]) -> list[Check]:
    """Return the checks that `base..head` needs: by its files, by the contracts of its tasks, by what is proven."""
    files = change.between(subject_tree(base), subject_tree(head))
    paths = {file.path for file in files} | {file.old for file in files}
    contracts = Tree(head).read(*(contract.path_of(task) for task in tasks), capability.FILE)
    proofs = capability_file.needed(contracts.pop(capability.FILE, None), config, paths)
    named = {name for path, content in contracts.items() for name in contract.parse(content, path).checks}
    return evidence.required(config, paths, (*named, *proofs))


def split(checks: Iterable[Check]) -> tuple[list[Check], list[Check]]:
    """Return the quick ones of `checks`, which run anywhere, and the others, which may need a stack or an hour."""
    known = list(checks)
    quick = [each for each in known if each.tier == evidence.QUICK]
    return quick, [each for each in known if each not in quick]


def leave(checks: Iterable[Check], path: str) -> None:
    """Write the names of `checks` to the file `path`, one a line, and say of each that it has not run.

    Raise GroundrulesError when the file cannot be written.
    """
    left = list(checks)
    replace(path, "".join(f"{check.name}\n" for check in left).encode())
    for check in left:
        console.step(console.NEXT, check.name, f"{'LATER':<8} {check.tier}, needed, and not run here")


def findings(checks: Iterable[Check], there: Worktree, here: Worktree, config: Config) -> Iterator[Finding]:
    """Run `checks` on the files of `there` in the slot of the worktree `here`; yield a finding for each that fails."""
    from groundrules.evidence import report  # a gate that runs nothing again has no use for these
    from groundrules.evidence.run import run_check, tail, values_for

    claimed = slot.claim(here, config)
    if not claimed.overridden or there.root != here.root:
        render(there, slot.values(here, config, claimed.slot))
    for check in checks:
        record = run_check(check, there, values_for(check, here, config, claimed.slot))
        result = evidence.result(check, record, record["tree"], record["definition"])
        report.line(result, record)
        if result.outcome != evidence.PASSED:
            said = tail(os.path.join(there.common_dir, record["log"]), LONGEST)
            yield _finding(result, said, there, config)


def _finding(result: Result, said: list[str], there: Worktree, config: Config) -> Finding:
    message = "\n    ".join([f"required check {result.check.name} is {result.outcome}: {result.why}", *said])
    with open(os.path.join(there.root, FILE), encoding="utf-8") as file:
        line = line_of(file.read(), "check", None, config.checks.index(result.check))
    fix = f"tools/groundrules check run {result.check.name}"
    return Finding(NAME, FILE, message, fix, line=line, commit=there.head)
