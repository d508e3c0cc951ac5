"""The seal: what it needs, what is missing, and after a rebase which commits are the old ones."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from groundrules_hooks import conflict, deviation, handoff
from groundrules_hooks.change import Tree
from groundrules_hooks.failure import FINDINGS, GroundrulesError
from groundrules_hooks.finding import quote
from groundrules_hooks.lock import held

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groundrules_hooks.account import Account
    from groundrules_hooks.worktree import Worktree


class Unfinished(NamedTuple):
    """What the analysis of a conflict lacks, and the commands that provide it."""

    lacks: list[str]
    commands: list[str]


class Fate(NamedTuple):
    """What became of a commit: its ids before and after, of which one is empty when it came or went."""

    before: str
    after: str
    subject: str
    changed: bool = False


def sealed(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the complete draft `found` in state ready, with the records of its own tree alone."""
    rows = [row for row in found["checks"] if row["tree"] == found["subject_tree"]]
    return {**found, "state": handoff.READY, "checks": rows}


def missing(found: Mapping[str, Any], told: Account, left: Sequence[str]) -> list[str]:
    """Return what the draft `found` lacks for a seal; empty when it can be sealed.

    `left` are the findings that the review leaves open: its end does not forget them.
    """
    return list(_missing(found, told, left))


def _missing(found: Mapping[str, Any], told: Account, left: Sequence[str]) -> Iterator[str]:
    if not told.facts.work:
        yield "there is no work: no commit since the base changes more than evidence"
    for unknown in told.unknown:
        yield f"{told.contract} names the check {unknown}, which groundrules.toml does not have"
    for each in told.missing:
        yield f"required check {each.check.name} is {each.outcome} for this tree: {each.why}"
    for name, texts in (("unresolved", left), ("deviations", told.detected)):
        unlisted = deviation.unlisted(texts, found[name])
        if found[name] is None and not unlisted:
            yield f"{name} is not given"
        yield from (f"{name} does not list: {text}" for text in unlisted)


def require_told(found: Mapping[str, Any], left: Sequence[str], *, commit: bool) -> None:
    """Refuse the draft `found` when it says what is unresolved and not what the review leaves open, which is `left`.

    One that says nothing of it yet is a draft still.
    """
    forgotten = deviation.unlisted(left, found["unresolved"]) if found["unresolved"] is not None else []
    if forgotten:
        raise GroundrulesError(
            f"the handoff of {found['task']} is not drafted: the review leaves open what it does not list",
            why="\n".join(f"unresolved does not list: {text}" for text in forgotten),
            fix=_command("draft", found, (("unresolved", left), ("deviations", ())), commit=commit),
            code=FINDINGS,
        )


def unfinished(worktree: Worktree, found: Mapping[str, Any], *, commit: bool) -> Unfinished:
    """Return what the analysis of a conflict lacks for a seal of `found`, as it is on disk; `commit` commits it too."""
    path = conflict.path_of(found["task"])
    content = held(os.path.join(worktree.root, path))
    lacks = list(conflict.problems(content, found["subject_tree"]))
    if not lacks and not commit and content != Tree(worktree.head or "").read(path).get(path, b""):
        lacks.append(f"{path} is not committed")
    return Unfinished(lacks, conflict.commands(content, found["subject_tree"], found["task"]) if lacks else [])


def refusal(found: Mapping[str, Any], lacks: list[str], commands: list[str], analysis: Unfinished) -> GroundrulesError:
    """Return the error that names what is missing, and the commands that provide it; the last one seals.

    `analysis` is what that of a conflict lacks.
    """
    lacks = [*analysis.lacks, *lacks]
    count = f"{len(lacks)} thing{'s' * (len(lacks) != 1)}"
    what = f"the handoff of {found['task']} is not sealed: {count} missing"
    fix = "\n".join([*analysis.commands, *commands])
    return GroundrulesError(what, why="\n".join(lacks), fix=fix, code=FINDINGS)


def commands(found: Mapping[str, Any], told: Account, left: Sequence[str], *, commit: bool) -> Iterator[str]:
    """Yield the commands that provide what `missing` names, the one that seals last."""
    if not told.facts.work:
        yield "git log --oneline -3"
        return
    if told.unknown:
        yield f"${{EDITOR:-vi}} {told.contract}"
    if told.missing:
        yield f"groundrules check run {' '.join(each.check.name for each in told.missing)}"
    yield _command("seal", found, (("unresolved", left), ("deviations", told.detected)), commit=commit)


def _command(
    action: str, found: Mapping[str, Any], needed: Sequence[tuple[str, Sequence[str]]], *, commit: bool
) -> str:
    """Return the command for `action` whose options say what `found` says and, by name, what is `needed`."""
    # What a draft does not say yet, and need not, stays unsaid.
    listed = [(name, texts) for name, texts in needed if action == "seal" or texts or found[name] is not None]
    words = [f"--{name} {quote(text)}" for name, texts in listed for text in _texts(found[name], texts)]
    return " ".join([f"groundrules handoff {action}", *words, *(["--commit"] if commit else [])])


def _texts(given: object, needed: Sequence[str]) -> list[str]:
    """Return what an option has to say: what was given, with what is needed and not listed."""
    kept = given if isinstance(given, list) else []
    return [*kept, *deviation.unlisted(needed, given)] or [handoff.NONE]


def fates(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Fate]:
    """Return what became of the commits of an earlier handoff: the same patch is the same commit, wherever it stands.

    A commit without a patch, or with another one, is recognised by its subject.
    """
    left = [dict(row) for row in before.get("commits", [])]
    found = []
    for row in after["commits"]:
        old = _same(row, left, "oid") or _same(row, left, "patch") or _same(row, left, "subject")
        if old:
            left.remove(old)
        same = old is not None and row["patch"] == old["patch"]
        found.append(Fate(old["oid"] if old else "", row["oid"], row["subject"], changed=not same))
    return [*found, *(Fate(row["oid"], "", row["subject"]) for row in left)]


def _same(row: Mapping[str, Any], rows: list[dict[str, Any]], key: str) -> dict[str, Any] | None:
    return next((each for each in rows if row[key] and each[key] == row[key]), None)
