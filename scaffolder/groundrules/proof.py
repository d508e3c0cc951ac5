"""Proof: the checks of a merge, run on the merged tree, and nothing run that has passed on this tree already."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groundrules import integration, merged
from groundrules.evidence import report, store
from groundrules.evidence.run import run_check, values_for
from groundrules_hooks import allow, change, evidence, history, slot
from groundrules_hooks.change import Change, Tree
from groundrules_hooks.config import FILE, of_text
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.git import text
from groundrules_hooks.rules import decision_log, sequence_numbers
from groundrules_hooks.subject import subject_tree

if TYPE_CHECKING:
    from groundrules.evidence.store import Record
    from groundrules.integration import Merged
    from groundrules_hooks.config import Check, Config
    from groundrules_hooks.evidence import Result
    from groundrules_hooks.finding import Finding
    from groundrules_hooks.worktree import Worktree


class Proof(NamedTuple):
    """What was merged, how each of its checks stands, and the names of those that were run for it now.

    `findings` say which numbers both sides took; then no check is run.
    """

    merged: Merged
    findings: list[Finding]
    results: list[Result]
    records: list[Record]
    ran: list[str]

    @property
    def passed(self) -> bool:
        """Whether every check passed on exactly this tree."""
        return bool(self.results) and all(result.outcome == evidence.PASSED for result in self.results)


def prove(worktree: Worktree, config: Config, sides: Merged) -> Proof:
    """Test the tree that the two commits of `sides` merge to, with its own checks, in the slot of `worktree`.

    Raise GroundrulesError when it has none.
    """
    oid = merged.commit(sides.tree, sides.head, sides.target)
    found = sides._replace(tree=subject_tree(oid))
    settings = of_text(Tree(oid).read(FILE).get(FILE, b""))
    findings = _taken_twice(found, oid, settings)
    if findings:
        return Proof(found, findings, [], [], [])
    checks = _wanted(settings)
    definition = text("rev-parse", f"{oid}:{FILE}")
    missing = [check for check in checks if _stands(worktree, check, found.tree, definition).outcome != evidence.PASSED]
    if missing:
        _run(worktree, config, missing, oid)
    results = [_stands(worktree, check, found.tree, definition) for check in checks]
    records = [record for check in checks if (record := store.newest(worktree, check.name, found.tree))]
    return Proof(found, [], results, records, [check.name for check in missing])


def _taken_twice(found: Merged, oid: str, settings: Config) -> list[Finding]:
    """Return a finding for each number that the task took and the target has too, unless it is allowed."""
    files = change.between(found.target, oid)
    whole = Change(files, Tree(oid), commit=oid, task=found.task or None, base=found.target, target=(found.target,))
    commits = history.commits(found.head, [found.target])
    allowed = [each for commit in commits for each in allow.from_message(commit.message or "")]
    taken = [*decision_log.check(whole, settings), *sequence_numbers.check(whole, settings)]
    return allow.not_allowed(taken, allowed, settings.rules.strict)


def _wanted(settings: Config) -> list[Check]:
    checks = integration.wanted(settings)
    if not checks:
        raise GroundrulesError(
            "the merged tree has no check of tier integration, nor a quick one",
            why='example  [[check]] with name = "smoke", tier = "integration", run = ["make", "smoke"]',
            fix="${EDITOR:-vi} groundrules.toml",
        )
    return checks


def _stands(worktree: Worktree, check: Check, subject: str, definition: str) -> Result:
    return evidence.result(check, store.newest(worktree, check.name, subject), subject, definition)


def _run(worktree: Worktree, config: Config, checks: list[Check], oid: str) -> None:
    number = slot.claim(worktree, config).slot
    values = slot.values(worktree, config, number)
    with merged.checked_out(worktree, number, values, oid) as place:
        for check in checks:
            record = run_check(check, place, values_for(check, worktree, config, number))
            report.ended(place, evidence.result(check, record, record["tree"], record["definition"]), record)
