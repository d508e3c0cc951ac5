"""`groundrules ci`: traps in this repository's CI workflows."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from groundrules import console
from groundrules.workflows import reading
from groundrules.workflows.repository import repository_of
from groundrules.workflows.required import missing
from groundrules.workflows.traps import TRAPS, in_gitlab, in_workflows
from groundrules_hooks import config
from groundrules_hooks.failure import FINDINGS
from groundrules_hooks.finding import FORMATS, render, say, shown
from groundrules_hooks.worktree import locate

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from groundrules_hooks.finding import Finding


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION", help="what to do")
    lint = actions.add_parser("lint", help="find traps of caches, gates, labels and the merge queue")
    lint.add_argument("paths", nargs="*", metavar="PATH", help="workflows or folders; default: this repository's")
    lint.add_argument("--format", choices=FORMATS, default="text", help="how findings are printed")


def run(asked: argparse.Namespace) -> int:
    """Find the traps in the workflows that were named."""
    here = locate()
    root = here.root if here else os.getcwd()
    files = reading.files_of(asked.paths or [root])
    findings = in_gitlab({os.path.relpath(path, root): reading.read(path, root) for path in files.gitlab})
    declared = {folder: _required(folder, root) for folder in files.folders}
    for folder, required in declared.items():
        findings += _in_folder(folder, root, files, required)
    if not all(declared.values()):
        console.step(console.ALREADY, "required", "checks are not declared; a job named gate counts as one")
    say(render(findings, asked.format, root))
    count = len(files.workflows) + len(files.gitlab)
    text = f"{count} file{'s' * (count != 1)}, {len(TRAPS)} traps, {len(findings)} finding{'s' * (len(findings) != 1)}"
    console.step(console.REFUSED if findings else console.DONE, "ci lint", text)
    return FINDINGS if findings else 0


def _in_folder(folder: str, root: str, files: reading.Files, required: Sequence[str]) -> list[Finding]:
    """Return the traps in the workflows of `folder` that were asked about, read together with those beside them."""
    paths = dict.fromkeys([*reading.listed(folder), *(path for path in files.workflows if _is_in(path, folder))])
    documents = {os.path.relpath(path, root): reading.workflow(path, root) for path in paths}
    top = reading.root_of(folder)
    actions = reading.actions(documents.values(), top, root)
    known = repository_of(documents, actions, required)
    for check in missing(known.workflows, required):
        console.step(console.WARNING, "required", f"no job makes the check {shown(check)}")
    named = {os.path.relpath(path, root) for path in files.workflows}
    beside = set(documents) - named
    return [finding for finding in in_workflows(known) if finding.path not in beside]


def _is_in(path: str, folder: str) -> bool:
    return os.path.dirname(path) == folder


def _required(folder: str, root: str) -> Sequence[str]:
    """Return the required checks that the configuration declares: of the repository that the `folder` lies in."""
    top = reading.root_of(folder) if folder.endswith(reading.FOLDER) else root
    try:
        with open(os.path.join(top, config.FILE), "rb") as file:
            return config.of_text(file.read()).ci.required
    except FileNotFoundError:
        return ()
