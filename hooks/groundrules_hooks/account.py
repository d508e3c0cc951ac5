"""Account: the facts of a task judged: which checks it needs, how they went, what an author has to list."""

from __future__ import annotations

from groundrules_hooks import capability, capability_file, conflict, deviation, evidence, facts
from groundrules_hooks import config as configs
from groundrules_hooks import contract as contracts
from groundrules_hooks.change import Tree
from groundrules_hooks.contract import Contract
from groundrules_hooks.leftover import leftovers, log_of
from groundrules_hooks.objects import Objects
from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from groundrules_hooks.config import Check, Config
    from groundrules_hooks.evidence import Result
    from groundrules_hooks.facts import Facts

    # Returns the newest record of a check for a subject tree, given its name and the tree.
    Records = Callable[[str, str], Mapping[str, Any] | None]


class Account(NamedTuple):
    """The facts, the results of the required checks and of the deep ones about the change, and what was detected.

    `contract` is the path of the task's contract; `unknown` are the checks that it names and groundrules.toml lacks.
    `conflicts` says what the analysis of a conflict in the tip still lacks, `left` what the review in it leaves open.
    """

    facts: Facts
    contract: str
    required: list[Result]
    others: list[Result]
    detected: list[str]
    unknown: list[str]
    conflicts: list[str]
    left: list[str]

    @property
    def missing(self) -> list[Result]:
        """The required checks that have not passed for exactly this tree."""
        return [each for each in self.required if each.outcome != evidence.PASSED]


def of(task: str, tip: str, base: str, target: str, config: Config, records: Records) -> Account:
    """Return the account of `task` at the commit `tip`, by the groundrules.toml and the contract that `tip` holds.

    `config` counts where `tip` has no groundrules.toml. Raise GroundrulesError when one of the two files is wrong.
    """
    found = facts.of(task, tip, base, target)
    path = contracts.path_of(task)
    analysis, log = conflict.path_of(task), log_of(task)
    objects = Objects()
    held = Tree(tip, objects).read(configs.FILE, path, analysis, capability.FILE, log)
    settings = configs.of_text(held[configs.FILE]) if configs.FILE in held else config
    contract = contracts.parse(held[path], path) if path in held else Contract()
    agreed = _agreed(path, base, found, objects)

    def judged(check: Check) -> Result:
        tree = found.document["subject_tree"]
        return evidence.result(check, records(check.name, tree), tree, found.definition)

    proofs = capability_file.needed(held.get(capability.FILE), settings, found.paths)
    required = evidence.required(settings, found.paths, (*contract.checks, *proofs)) if found.work else []
    deep = [check for check in settings.checks if check.tier == evidence.DEEP and check not in required]
    others = [check for check in deep if evidence.covers(check, found.paths)]
    results = [judged(check) for check in others]
    known = {check.name for check in settings.checks}
    detected = [
        *deviation.outside(found.paths, contract.writes, path),
        *deviation.touched(found.paths, contract),
        *([f"changes the contract {path}"] if agreed is not None and agreed != held.get(path) else []),
        *(f"check not run: {each.check.name}" for each in results if each.outcome != evidence.PASSED),
        *(f"allowed {each['rule']}: {each['reason']}" for each in found.document["allowed"]),
    ]
    return Account(
        found,
        path,
        [judged(check) for check in required],
        results,
        list(dict.fromkeys(detected)),
        [name for name in contract.checks if name not in known],
        list(conflict.problems(held.get(analysis, b""), found.document["subject_tree"])),
        _left(held[log], log, Tree(tip, objects)) if log in held else [],
    )


def _agreed(path: str, base: str, found: Facts, objects: Objects) -> bytes | None:
    """Return the contract that the base has; else the first of the branch, so that widening it later is told of too."""
    first = next((change.commit for change in found.work if path in change.paths), None)
    known = (Tree(source, objects).read(path).get(path) for source in (base, first) if source)
    return next(filter(None, known), None)


def _left(log: bytes, path: str, tree: Tree) -> list[str]:
    from groundrules_hooks.policy import FILE  # most pushes have no review to read

    return leftovers(log, path, tree.read(FILE).get(FILE, b""))
