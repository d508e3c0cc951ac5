"""`groundrules capability`: what the product claims, what can be shown of it, and the table in README.md."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from groundrules import console
from groundrules.evidence import store
from groundrules.place import require_config, require_outermost
from groundrules_hooks import capability as levels
from groundrules_hooks import capability_file, capability_table, evidence
from groundrules_hooks.change import Tree
from groundrules_hooks.config import FILE as CONFIGURATION
from groundrules_hooks.failure import FINDINGS, GroundrulesError
from groundrules_hooks.finding import FORMATS, as_json, render, say
from groundrules_hooks.git import text
from groundrules_hooks.lock import held, replace
from groundrules_hooks.objects import Objects
from groundrules_hooks.rules import capability_claims as rule
from groundrules_hooks.snapshot import snapshot
from groundrules_hooks.standing import survey
from groundrules_hooks.subject import subject_tree

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from groundrules_hooks.capability import Capability
    from groundrules_hooks.config import Check, Config
    from groundrules_hooks.finding import Finding
    from groundrules_hooks.glance import Standing
    from groundrules_hooks.standing import Outcomes, Survey
    from groundrules_hooks.worktree import Worktree


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION", help="what to do")
    shown = actions.add_parser("render", help="write the table between the markers in README.md")
    judged = actions.add_parser("check", help="compare each claim with what can be shown of the files as they are")
    judged.add_argument("--format", choices=FORMATS, default="text", help="how findings are printed")
    for action in (shown, judged):
        action.add_argument("--json", action="store_true", help="one JSON document")


def run(asked: argparse.Namespace) -> int:
    """Do what the action says."""
    worktree = require_outermost()
    config = require_config(worktree)
    content = held(os.path.join(worktree.root, levels.FILE))
    if not content and not os.path.exists(os.path.join(worktree.root, levels.FILE)):
        raise GroundrulesError(
            f"there is no {levels.FILE}",
            why='example  [[capability]] with id = "orders", title = "Orders can be placed", level = "absent"',
            fix=f"${{EDITOR:-vi}} {levels.FILE}",
        )
    capabilities = capability_file.parse(content)
    if asked.action == "render":
        return _render(worktree, capabilities, as_document=asked.json)
    return _check(worktree, config, capabilities, asked)


def _render(worktree: Worktree, capabilities: Sequence[Capability], *, as_document: bool) -> int:
    """Write the table, if it is another; nothing but what stands between the markers changes."""
    path = os.path.join(worktree.root, capability_table.README)
    before = held(path)
    readme = before.decode("utf-8", "surrogateescape")
    if capability_table.place(readme) is None:
        raise GroundrulesError(
            capability_table.problem(readme) or f"{capability_table.README} has no place for the table of capabilities",
            why=f"two lines mark the place, once:\n{capability_table.MARKERS}",
            fix=f"${{EDITOR:-vi}} {capability_table.README}",
        )
    after = capability_table.render(readme, capabilities).encode("utf-8", "surrogateescape")
    if after != before:
        replace(os.path.realpath(path), after)
    count = f"{len(capabilities)} capabilit{'y' if len(capabilities) == 1 else 'ies'}"
    if as_document:
        console.answer({"schema_version": 1, "path": capability_table.README, "changed": after != before})
    sign, words = (console.ALREADY, "as it is") if after == before else (console.DONE, "written")
    console.step(sign, capability_table.README, f"{words}, {count}")
    return 0


def _check(worktree: Worktree, config: Config, capabilities: Sequence[Capability], asked: argparse.Namespace) -> int:
    tree = Tree(snapshot(worktree), Objects())
    found = survey(capabilities, tree, config, _outcomes(worktree, tree), most=sys.maxsize)
    findings = list(rule.everything(found, tree))
    if asked.json:
        console.answer(_document(found, findings))
    else:
        say(_table(found.standings) if asked.format == "text" else "")
        say(render(findings, asked.format, worktree.root))
    _tell(found, findings)
    return FINDINGS if findings else 0


def _outcomes(worktree: Worktree, tree: Tree) -> Outcomes:
    """Return what the records of this machine say about checks on exactly these files."""
    subject = subject_tree(tree.source)
    definition = text("rev-parse", "-q", "--verify", f"{subject}:{CONFIGURATION}", ok=(0, 1, 128)) or None

    def outcomes(check: Check) -> tuple[str, str, dict[str, int]]:
        record = store.newest(worktree, check.name, subject)
        result = evidence.result(check, record, subject, definition)
        return result.outcome, result.why, record["counts"] if record else {}

    return outcomes


def _table(standings: Sequence[Standing]) -> str:
    return console.columns([("CAPABILITY", "CLAIMED", "SHOWN", "WHY NO MORE"), *map(_row, standings)])


def _row(each: Standing) -> tuple[str, str, str, str]:
    least, most = each.shown.least, each.shown.most
    is_range = levels.rank(least) < levels.rank(most) and most != levels.PROVEN
    return each.capability.id, each.capability.level, f"{least} to {most}" if is_range else most, each.shown.why


def _document(found: Survey, findings: Sequence[Finding]) -> dict[str, Any]:
    import json

    rows = [
        {
            "id": each.capability.id,
            "title": each.capability.title,
            "claimed": each.capability.level,
            "least": each.shown.least,
            "most": each.shown.most,
            "why": each.shown.why,
            "available": each.capability.level == each.shown.most == levels.PROVEN,
        }
        for each in found.standings
    ]
    return {"schema_version": 1, "capabilities": rows, "unnamed": found.unnamed, **json.loads(as_json(findings))}


def _tell(found: Survey, findings: Sequence[Finding]) -> None:
    for each in found.standings:
        if each.capability.level == levels.WIRED and each.shown.most == levels.PROVEN:
            console.narrate(console.NEXT, f"{each.capability.id} may be claimed proven: its proofs passed here")
    proven = sum(each.capability.level == each.shown.most == levels.PROVEN for each in found.standings)
    count = f"{len(found.standings)} claimed, {proven} proven, {len(findings)} finding{'s' * (len(findings) != 1)}"
    console.step(console.REFUSED if findings else console.DONE, "capabilities", count)
