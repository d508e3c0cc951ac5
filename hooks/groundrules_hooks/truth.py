"""Truth: whether a sealed handoff still says what git says about the commit that carries it."""

from __future__ import annotations

from groundrules_hooks import account, conflict, deviation
from groundrules_hooks.ancestry import is_ancestor, is_on
from groundrules_hooks.finding import quote
from groundrules_hooks.record import NamedTuple
from groundrules_hooks.subject import subject_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from groundrules_hooks.account import Account
    from groundrules_hooks.config import Config

COMMAND = "tools/groundrules"
RESEAL = f"{COMMAND} handoff reseal --commit"


class Lie(NamedTuple):
    """What a handoff says that is not so, and the command that mends it."""

    message: str
    fix: str


def lies(document: Mapping[str, Any], tip: str, target: Sequence[str], config: Config) -> Iterator[Lie]:
    """Yield what the sealed `document` says that is not so of the commit `tip`; `target` are refs of the target.

    Without its head or its target in the branch nothing else in it can be compared.
    """
    base, head = document["base"], document["head"]
    started = document.get("target", base)
    if not is_ancestor(head, tip):
        yield Lie(f"REBASED: its head {head[:7]} is not in the branch any more", RESEAL)
        return
    if not (is_ancestor(started, tip) and _is_after(started, base, target)):
        yield Lie(f"target: {started[:7]} is no commit of the target that came after the base", RESEAL)
        return
    told = account.of(document["task"], tip, base, started, config, records(document))
    true = told.facts.document["head"]
    fix = mend(told, document)
    if true != head:
        yield Lie(f"head: there is work after its head {head[:7]}, up to {true[:7]}", fix)
        return
    edit = f"${{EDITOR:-vi}} {conflict.path_of(document['task'])}"
    yield from (Lie(f"conflict: {message}", edit) for message in told.conflicts)
    yield from (Lie(message, fix) for message in (*_facts(document, told), *_missing(told), *_left_out(document, told)))


def _is_after(started: str, base: str, target: Sequence[str]) -> bool:
    """Whether `started` is the base, or a commit of the target that came after it."""
    return started == base or (is_ancestor(base, started) and (not target or is_on(started, target)))


def records(document: Mapping[str, Any]) -> account.Records:
    """Return the records that a handoff holds."""
    rows = {row["name"]: row for row in document["checks"]}
    return lambda name, _: rows.get(name)


def mend(told: Account, document: Mapping[str, Any]) -> str:
    """Return the command that provides what is missing for a seal, the prose of `document` kept and added to."""
    if told.unknown:
        return f"${{EDITOR:-vi}} {told.contract}"
    names = " ".join(each.check.name for each in told.missing)
    options = "".join(_options(name, texts, document[name]) for name, texts in _needed(told))
    seal = f"{COMMAND} handoff seal{options} --commit"
    return f"{COMMAND} check run {names} && {seal}" if names else seal


def _needed(told: Account) -> tuple[tuple[str, list[str]], ...]:
    """Return what each part of the author's prose has to list."""
    return (("unresolved", told.left), ("deviations", told.detected))


def _options(name: str, needed: list[str], given: object) -> str:
    missing = deviation.unlisted(needed, given)
    kept = given if isinstance(given, list) else []
    return "".join(f" --{name} {quote(text)}" for text in (*kept, *missing)) if missing else ""


def _facts(document: Mapping[str, Any], told: Account) -> Iterator[str]:
    true = told.facts.document
    commits = [{"oid": row["oid"], "subject": row["subject"]} for row in document["commits"]]
    if commits != true["commits"]:
        other = "" if len(commits) != len(true["commits"]) else ", others"
        yield f"commits: it lists {_count(commits)}, the branch has {_count(true['commits'])}{other}"
    if document["files"] != true["files"]:
        names = sorted(_differing(document["files"], true["files"]))
        yield f"files: it is wrong about {', '.join(names[:3])}{' and more' if len(names) > 3 else ''}"
    if not document["subject_tree"] == true["subject_tree"] == subject_tree(document["head"]):
        yield f"subject-tree: it says {document['subject_tree'][:7]}, git says {true['subject_tree'][:7]}"
    if document["allowed"] != true["allowed"]:
        yield "allowed: it does not list the exceptions that the commits record"
    if document.get("contract") != true["contract"]:
        yield f"contract: it is about another {told.contract} than the branch has"


def _count(commits: list[dict[str, str]]) -> str:
    return f"{len(commits)} commit{'s' * (len(commits) != 1)}"


def _differing(one: list[dict[str, str]], other: list[dict[str, str]]) -> set[str]:
    rows = [{(row["path"], row["status"]) for row in each} for each in (one, other)]
    return {path for path, _ in rows[0] ^ rows[1]} or {"their order"}


def _missing(told: Account) -> Iterator[str]:
    for each in told.missing:
        yield f"required check {each.check.name} is {each.outcome} for this tree: {each.why}"
    for name in told.unknown:
        yield f"contract: {told.contract} names the check {name}, which groundrules.toml does not have"


def _left_out(document: Mapping[str, Any], told: Account) -> Iterator[str]:
    if document["detected"] != told.detected:
        missing = [each for each in told.detected if each not in document["detected"]]
        yield f"detected: it leaves out {'; '.join(missing)}" if missing else "detected: it holds what is not so"
    for name, texts in _needed(told):
        yield from (f"{name}: not listed: {each}" for each in deviation.unlisted(texts, document[name]))
