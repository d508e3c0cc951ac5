"""Analysis: the page about a task's conflict with the target: facts and both intents; the rest is its author's."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

from groundrules.owners import high_risk
from groundrules_hooks import conflict, contract, handoff
from groundrules_hooks.change import Tree
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import shown, utf8
from groundrules_hooks.git import LOG, git, text
from groundrules_hooks.lock import held, make_folder, replace
from groundrules_hooks.subject import subject_tree
from groundrules_hooks.task import is_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundrules.owners import Risk
    from groundrules_hooks.config import Config
    from groundrules_hooks.prediction import Conflict

_LESS, _MORE = "\\u003c", "\\u003e"  # the end of a comment must not stand in one
MOST = 20  # commits of one side that are listed
GUIDE = "<!-- What each side meant, what of both is kept, and which test shows that both still hold. -->"
SIGN = "<!-- Who answers for each high-risk path, a person, in a line each: `- path: name`. -->"


class Sides(NamedTuple):
    """Two commits that conflict: of a task, and of the target by its name."""

    task: str
    ours: str
    name: str
    theirs: str


def write(root: str, config: Config, sides: Sides, found: Sequence[Conflict]) -> bool:
    """Write the page about `found`, and return whether it is a new one.

    A page about the same conflict stays as it is; an older one stays below, unless nobody has written into it.
    """
    path = os.path.join(root, conflict.path_of(sides.task))
    before = conflict.pages(held(path))
    facts = _facts(sides, found, high_risk(config, sides.theirs, [each.path for each in found]))
    newest = conflict.head(before[0]) if before else None
    if newest is not None and all(newest.get(key) == value for key, value in facts.items()):
        return False
    if newest is not None and newest.get("body") == _digest(conflict.body(before[0])):
        del before[0]
    elif before and newest is None:  # a person's own page, which must not be taken for a section of ours
        before[0] = f"## Notes\n\n{before[0]}"
    make_folder(os.path.dirname(path))
    body = _body(sides, facts, [each.path for each in found])
    head = json.dumps({**facts, "body": _digest(body)}, ensure_ascii=False)
    page = f"{conflict.HEAD}{head.replace('<', _LESS).replace('>', _MORE)}{conflict.END}{body}"
    replace(path, "\n".join([page, *before]).encode("utf-8", "surrogateescape"))
    return True


def _digest(body: str) -> int:
    return crc32(body.strip().encode("utf-8", "surrogateescape"))


def _facts(sides: Sides, found: Sequence[Conflict], risks: Sequence[Risk]) -> dict[str, Any]:
    base = text("merge-base", sides.ours, sides.theirs)
    return {
        "task": sides.task,
        "with": sides.name,
        "head": sides.ours,
        "subject_tree": subject_tree(sides.ours),
        "base": {"from": base, "to": sides.theirs},
        "paths": [{"path": _plain(each.path), "kind": each.kind} for each in found],
        "high_risk": [{"path": _plain(risk.path), "owners": list(risk.owners)} for risk in risks],
    }


def _plain(path: str) -> str:
    return utf8(shown(path))


def _body(sides: Sides, facts: dict[str, Any], paths: Sequence[str]) -> str:
    base, risks = facts["base"], {row["path"]: row["owners"] for row in facts["high_risk"]}
    count = text("rev-list", "--count", f"{base['from']}..{sides.theirs}")
    moved = f"{sides.name} moved from `{base['from'][:7]}` to `{base['to'][:7]}`, {count} commit{'s' * (count != '1')}"
    return "\n".join(
        [
            "",
            f"# {sides.task} conflicts with {sides.name}",
            "",
            f"{moved}; {sides.task} is at `{sides.ours[:7]}`. git cannot merge these paths:",
            "",
            "| path | conflict | high-risk, owner |",
            "|---|---|---|",
            *(f"| {_cell(row['path'])} | {row['kind']} | {_risk(risks.get(row['path']))} |" for row in facts["paths"]),
            "",
            "## Intents",
            "",
            *_intents(sides, base["from"], paths),
            conflict.RESOLUTION,
            "",
            GUIDE,
            "",
            *([conflict.SIGN_OFF, "", SIGN, ""] if risks else []),
        ]
    )


def _risk(owners: list[str] | None) -> str:
    return "no" if owners is None else ", ".join(["yes", *map(_escaped, owners)])


def _intents(sides: Sides, base: str, paths: Sequence[str]) -> Iterator[str]:
    """Yield what both sides say that they are about: title, open points and commits of each task."""
    yield from _intent(sides.task, sides.ours, _log(f"{base}..{sides.ours}", paths))
    theirs = _log(f"{base}..{sides.theirs}", paths)
    for task in dict.fromkeys(row[2] for row in theirs):
        yield from _intent(task or sides.name, sides.theirs, [row for row in theirs if row[2] == task])


def _log(range_: str, paths: Sequence[str]) -> list[list[str]]:
    """Return id, subject and task of the commits in a range that touch `paths`, newest first."""
    form = "--format=%h%x00%s%x00%(trailers:key=Task,valueonly,separator=%x2C)"
    out = git("--literal-pathspecs", *LOG, "--no-merges", form, range_, "--", *paths)
    rows = [utf8(os.fsdecode(line)).split("\0") for line in out.split(b"\n") if line]
    return [[oid, subject, task if is_id(task) else ""] for oid, subject, task in rows]


def _intent(name: str, commit: str, rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines about one side's task, as its contract and its handoff in `commit` tell it."""
    account, asked = handoff.path_of(name), contract.path_of(name)
    there = Tree(commit).read(account, asked)
    title = _title(there.get(asked, b""), asked)
    yield f"### {_escaped(name)}{f': {_escaped(title)}' if title else ''}"
    yield ""
    yield from (f"- `{row[0]}` {_escaped(row[1])}" for row in rows[:MOST])
    if len(rows) > MOST:
        yield f"- and {len(rows) - MOST} more commits"
    yield from _prose(there.get(account, b""))
    yield ""


def _title(content: bytes, path: str) -> str:
    try:
        return contract.parse(content, path).title
    except GroundrulesError:  # not the place to judge a contract
        return ""


def _prose(content: bytes) -> Iterator[str]:
    if next(handoff.problems(content), None) is None:
        document = handoff.load(content)
        for field in ("unresolved", "deviations"):
            for words in document[field] if isinstance(document[field], list) else []:
                yield f"- {field}: {_escaped(words)}"


def _cell(path: str) -> str:
    return f"`{path}`" if not set(path) & set("`|") else _escaped(path)


def _escaped(words: str) -> str:
    """Return `words` on one line, so that nothing in them is Markdown or HTML."""
    line = " ".join(words.split())
    return "".join(f"\\{char}" if char in "\\`*_[]<>#|~@" else char for char in line)
