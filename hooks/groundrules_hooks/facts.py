"""Facts: what git says about the work of a task. Written into a handoff, and asked again to verify one."""

from __future__ import annotations

import os

from groundrules_hooks import allow, change, history
from groundrules_hooks.contract import path_of as contract_path
from groundrules_hooks.finding import utf8
from groundrules_hooks.git import git, text
from groundrules_hooks.record import NamedTuple
from groundrules_hooks.subject import EVIDENCE, subject_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from groundrules_hooks.change import Change, File


# From the root, wherever git is called: all but the evidence.
SUBJECT = (":(top)", f":(top,exclude){EVIDENCE}")


class Facts(NamedTuple):
    """The account of `base..tip`. `document` is what a handoff holds of it, patch ids apart.

    `files` are what the work changed, `work` its commits without those that change only evidence. `definition` is the
    blob of groundrules.toml.
    """

    document: dict[str, Any]
    files: tuple[File, ...]
    work: list[Change]
    definition: str | None

    @property
    def paths(self) -> set[str]:
        """Every path that the work touches, the old names of moved files included."""
        return {file.path for file in self.files} | {file.old for file in self.files}


def of(task: str, tip: str, base: str, target: str) -> Facts:
    """Return the facts about the work of `task` from `base` to the commit `tip`.

    `target` is the newest commit of the target that `tip` contains: what came from there is no work of the task.
    """
    found = history.commits(tip, [base, target])
    work = [each for each in found if not _is_evidence_only(each)]
    tree = subject_tree(tip)
    files = change.between(target, tip, *SUBJECT)
    blobs = _blobs(tip, contract_path(task), "groundrules.toml")
    contract = blobs.get(contract_path(task))
    document = {
        "base": base,
        "target": target,
        "head": work[-1].commit if work else base,
        "subject_tree": tree,
        "contract": {"path": contract_path(task), "blob": contract} if contract else None,
        "commits": [{"oid": each.commit, "subject": utf8((each.message or "").partition("\n")[0])} for each in work],
        "files": [{"path": utf8(file.path), "status": file.status} for file in files],
        "allowed": [
            {"rule": given.rule, "reason": utf8(given.reason), "commit": each.commit}
            for each in work
            for given in allow.from_message(each.message or "")
        ],
    }
    return Facts(document, files, work, blobs.get("groundrules.toml"))


def newest_target(tip: str, base: str, refs: Sequence[str]) -> str:
    """Return the newest commit of the target, by its `refs`, that `tip` contains: `base` until the branch merges it."""
    return text("merge-base", tip, base, *refs, ok=(0, 1)) or base


def _is_evidence_only(each: Change) -> bool:
    return bool(each.files) and all(path.startswith(f"{EVIDENCE}/") for path in each.paths)


def _blobs(commit: str, *paths: str) -> dict[str, str]:
    """Return the ids of those of `paths` that are files in `commit`."""
    listed = git("--literal-pathspecs", "ls-tree", "-z", "--full-tree", commit, "--", *paths)
    entries = (os.fsdecode(entry).partition("\t") for entry in listed.split(b"\0") if entry)
    return {path: meta.split(" ")[2] for meta, _, path in entries}
