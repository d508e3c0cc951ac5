"""Records of proofs: whether the handoffs that a branch brings hold the records of what it newly claims proven."""

from __future__ import annotations

from groundrules_hooks import evidence, handoff
from groundrules_hooks.capability import FILE, PROVEN, uncounted
from groundrules_hooks.failure import GroundrulesError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from groundrules_hooks.capability import Capability
    from groundrules_hooks.change import Change
    from groundrules_hooks.config import Check, Config


def unproven(change: Change, config: Config, capabilities: Sequence[Capability]) -> Iterator[tuple[str, str, int]]:
    """Yield words, fix and line for each capability that the branch begins to call proven without the records."""
    raised = list(_raised(change, capabilities))
    brought = list(_brought(change)) if raised else []
    for each in raised:
        for check in config.checks:
            why = _why(check, brought, change.task) if check.name in each.proof else ""
            if why:
                fix = f"tools/groundrules check run {check.name} && tools/groundrules handoff draft --commit"
                yield f"{each.id} is claimed proven, and {why}", fix, each.line


def _raised(change: Change, capabilities: Sequence[Capability]) -> Iterator[Capability]:
    """Yield what is claimed proven now and was not, or by something else, where the branch began."""
    from groundrules_hooks import capability_file, origin

    if FILE not in change.paths:
        return
    known: set[Capability] = set()
    for began in origin.of(change):
        try:
            known.update(map(_claim, capability_file.parse(began.read(FILE).get(FILE, b""))))
        except GroundrulesError:
            continue  # what cannot be read claims nothing
    yield from (each for each in capabilities if each.level == PROVEN and _claim(each) not in known)


def _claim(each: Capability) -> Capability:
    return each._replace(line=0, title="")


def _brought(change: Change) -> Iterator[dict[str, Any]]:
    """Yield the handoffs of the branch that are about its files as they are now, or sealed: those are judged so."""
    paths = [path for path in change.paths if path.startswith("evidence/") and path.endswith("/handoff.json")]
    own = [handoff.path_of(change.task)] if change.task else []
    for content in change.tree.read(*dict.fromkeys([*own, *sorted(paths)])).values():
        if next(handoff.problems(content), None) is None:
            document = handoff.load(content)
            if document["state"] == handoff.READY or document["subject_tree"] == _subject(change):
                yield document


def _subject(change: Change) -> str:
    from groundrules_hooks.subject import subject_tree

    return subject_tree(change.commit or "")


def _why(check: Check, brought: Sequence[dict[str, Any]], task: str | None) -> str:
    """Return why no handoff shows that `check` passed; empty when one does, or when the rule of that of `task` does."""
    why = f"no handoff of this branch has a record of {check.name} for these files"
    for document in brought:
        for row in document["checks"]:
            if row["name"] == check.name:
                found = evidence.result(check, row, document["subject_tree"], row["definition"])
                if found.outcome == evidence.PASSED:
                    return uncounted(row["counts"], check.name)
                why = f"its proof {check.name} is {found.outcome}: {found.why}"
    is_told = any(each["task"] == task and each["state"] == handoff.READY for each in brought)
    return "" if is_told else why
