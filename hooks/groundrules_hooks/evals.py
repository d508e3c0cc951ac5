"""Evals: `review/evals/*.toml`, rows of a log and the decision that the policy must lead to."""

from __future__ import annotations

from groundrules_hooks.decision import decide
from groundrules_hooks.policy import wrong
from groundrules_hooks.record import NamedTuple
from groundrules_hooks.review import COMPLETED, FIXED, GENERAL, KINDS, LEVELS, WONTFIX, Commit
from groundrules_hooks.review_log import event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from groundrules_hooks.review import Event, Policy

FOLDER = "review/evals"
KEYS = ("name", "expect", "severity", "events", "commits")


class Eval(NamedTuple):
    """A row: after `events` and `commits` the decision is `expect`, about a finding of `severity` if that is given."""

    path: str
    line: int
    name: str
    expect: str
    severity: str
    events: tuple[Event, ...]
    commits: tuple[Commit, ...]


class Result(NamedTuple):
    """What the policy leads to in a row, and whether that is what the row expects."""

    row: Eval
    found: str
    reason: str

    @property
    def is_met(self) -> bool:
        """Whether the row holds."""
        return self.found == expected(self.row)


def results(policy: Policy, files: dict[str, bytes]) -> Iterator[Result]:
    """Yield the result of every row in `files`, contents by path. Raise GroundrulesError where a file is wrong."""
    for path, content in sorted(files.items()):
        for row in rows(path, content):
            decision = decide(policy, row.events, row.commits)
            worst = (decision.about[0].finding.severity or "") if decision.about and row.severity else ""
            yield Result(row, f"{decision.kind} {worst}".strip(), decision.reason)


def expected(row: Eval) -> str:
    """Return what a row expects, as `Result.found` says it."""
    return f"{row.expect} {row.severity}".strip()


def rows(path: str, content: bytes) -> list[Eval]:
    """Return the rows of a file of evals. Raise GroundrulesError, with the line, where one is wrong."""
    import tomllib

    text = content.decode("utf-8", "replace")
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise wrong(path, 1, str(error)) from None
    lines = [number for number, line in enumerate(text.split("\n"), 1) if line.strip().startswith("[[eval]]")]
    found = document.get("eval")
    if set(document) != {"eval"} or not isinstance(found, list):
        raise wrong(path, 1, "holds something else than [[eval]] rows")
    made = []
    for number, row in enumerate(found):
        line = lines[number] if number < len(lines) else 1
        try:
            made.append(_row(path, line, row))
        except ValueError as error:
            raise wrong(path, line, str(error)) from None
    return made


def _row(path: str, line: int, row: dict[str, Any]) -> Eval:
    unknown = [key for key in row if key not in KEYS]
    if unknown or not isinstance(row.get("name"), str):
        raise ValueError(f"{unknown[0]} is unknown in an eval" if unknown else "an eval needs a name")
    if row.get("expect") not in KINDS:
        raise ValueError(f"expect of an eval is not one of {', '.join(KINDS)}")
    if row.get("severity", "") not in ("", *LEVELS):
        raise ValueError(f"severity of an eval is not one of {', '.join(LEVELS)}")
    if not all(isinstance(each, dict) for key in ("events", "commits") for each in row.get(key, [])):
        raise ValueError("events and commits of an eval are lists of tables")
    commits = tuple(
        Commit(str(each.get("id", "later")), tuple(each.get("fixes", ())), tuple(each.get("paths", ())))
        for each in row.get("commits", [])
    )
    events = tuple(_events(row.get("events", [])))
    return Eval(path, line, row["name"], row["expect"], row.get("severity", ""), events, commits)


def _events(written: list[dict[str, Any]]) -> Iterator[Event]:
    """Yield the events of a row. What it leaves out is usual: a tree for each round, evidence that leads somewhere."""
    newest = 0
    for each in written:
        if "round" in each:
            newest = each["round"]
            yield event(_usual_round(dict(each)))
        elif "answer" in each:
            yield event({"series": 1, "by": "somebody", "reason": "said so", **each})
        else:
            given = {FIXED: {"commit": "abc"}, WONTFIX: {"reason": "said so"}}.get(str(each.get("disposition")), {})
            yield event({"after": newest, "by": "somebody", **given, **each})


def _usual_round(written: dict[str, Any]) -> dict[str, Any]:
    number = written["round"]
    tree = written.pop("tree", f"tree {number}")
    findings = []
    for place, finding in enumerate(written.pop("findings", ()), 1):
        evidence = [{"resolved": True, **shown} for shown in finding.get("evidence", ())]
        plain = {"id": f"{number}.{place}", "severity": None, "title": ""}
        findings.append({**plain, **finding, "evidence": evidence})
    usual = {"id": str(number), "series": 1, "kind": GENERAL, "status": COMPLETED, "reviewers": ["somebody"]}
    return {**usual, "start": tree, "end": tree, **written, "findings": findings}
