"""Review log: `evidence/<task>/review.jsonl`, one event a line, only ever appended to."""

from __future__ import annotations

from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import quote, shown
from groundrules_hooks.review import (
    ANSWERS,
    COMPLETED,
    DISPOSITIONS,
    FIXED,
    LEVELS,
    ROUND_KINDS,
    SORTED,
    STATUSES,
    WONTFIX,
    Answer,
    Disposition,
    Evidence,
    Finding,
    Round,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from groundrules_hooks.review import Event

    Test = tuple[Callable[[Any], bool], str]


def events(content: bytes, path: str) -> list[Event]:
    """Return the events of the log at `path`. Raise GroundrulesError, with the line, where it is torn or wrong."""
    import json

    found: list[Event] = []
    lines = content.split(b"\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found.append(event(json.loads(line)))
        except (ValueError, RecursionError) as error:
            if number == len(lines):  # the last one has no newline
                raise _torn(path, number) from None
            fix = f"${{EDITOR:-vi}} +{number} {quote(path)}"
            raise GroundrulesError(f"{shown(path)}:{number}: {error}", why="one event a line", fix=fix) from None
    return list(dict.fromkeys(found))


def line_of(found: Event) -> bytes:
    """Return the line that says `found`."""
    import json

    return json.dumps(document_of(found), ensure_ascii=False).encode() + b"\n"


def document_of(found: Event) -> dict[str, object]:
    """Return `found` as the object that its line holds; what is optional and says nothing is left out."""
    fields = found._asdict()
    if isinstance(found, Round):
        findings = [_object("finding", each._asdict()) for each in found.findings]
        return _object("round", {"round": fields.pop("number"), **fields, "findings": findings})
    kind = "disposition" if isinstance(found, Disposition) else "answer"
    return _object(kind, {kind: fields.pop("what"), **fields})


def _object(what: str, fields: dict[str, Any]) -> dict[str, Any]:
    if fields.get("evidence"):
        fields = {**fields, "evidence": [each._asdict() for each in fields["evidence"]]}
    return {key: value for key, value in fields.items() if value or key in REQUIRED[what]}


def event(document: object) -> Event:
    """Return the event that a parsed line holds. Raise ValueError with what is wrong with it."""
    if not isinstance(document, dict):
        raise ValueError("not an object")  # noqa: TRY004 (the caller's one kind of failure)
    kind = next((key for key in ("round", "disposition", "answer") if key in document), None)
    if kind == "round":
        return _round(_checked(document, ROUND, "round"))
    if kind == "disposition":
        fields = _checked(document, DISPOSITION, "disposition")
        made = Disposition(what=fields.pop("disposition"), **fields)
        if {FIXED: made.commit, WONTFIX: made.reason, SORTED: made.severity in LEVELS}[made.what]:
            return made
        raise ValueError(f"a finding that is {made.what} needs its commit, its reason or its severity")
    if kind == "answer":
        fields = _checked(document, ANSWER, "answer")
        return Answer(what=fields.pop("answer"), **fields)
    raise ValueError("neither a round nor a disposition nor an answer")


def _round(fields: dict[str, Any]) -> Round:
    findings = tuple(_finding(each) for each in fields.pop("findings", ()))
    made = Round(number=fields.pop("round"), reviewers=tuple(fields.pop("reviewers", ())), findings=findings, **fields)
    if made.status == COMPLETED and not (made.start and made.end):
        raise ValueError("a completed round needs start and end, the trees it looked at")
    return made


def _finding(document: object) -> Finding:
    fields = _checked(document, FINDING, "finding")
    evidence = tuple(Evidence(**_checked(each, EVIDENCE, "evidence")) for each in fields.pop("evidence", ()))
    return Finding(evidence=evidence, **fields)


def _checked(document: object, known: Mapping[str, Test], what: str) -> dict[str, Any]:
    """Return the fields of `document`; raise ValueError unless each is known and fits, and none is missing."""
    if not isinstance(document, dict):
        raise ValueError(f"{what}: no object")  # noqa: TRY004 (as above)
    for field, value in document.items():
        if field not in known:
            raise ValueError(f"{what}: {field!r} is unknown")
        if not known[field][0](value):
            raise ValueError(f"{what}: {field} is not {known[field][1]}")
    absent = [field for field in REQUIRED[what] if field not in document]
    if absent:
        raise ValueError(f"{what}: {absent[0]} is missing")
    return dict(document)


def _torn(path: str, number: int) -> GroundrulesError:
    kept, whole = quote(f"{path}.new"), quote(path)
    return GroundrulesError(
        f"{shown(path)}:{number}: the last line is torn",
        why="the event in it is lost; record it again",
        fix=f"head -n {number - 1} {whole} > {kept} && mv {kept} {whole}",
    )


def _text(value: object) -> bool:
    return isinstance(value, str)


def _name(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _number(value: object) -> bool:
    return type(value) is int and value >= 0


def _one_of(*choices: str) -> Test:
    return lambda value: isinstance(value, str) and value in choices, " or ".join(choices)


def _list(test: Callable[[object], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(test, value))


ANY: Test = (_text, "a text")
NAME: Test = (_name, "a text that says something")
COUNT: Test = (_number, "a whole number")
BOOL: Test = (lambda value: isinstance(value, bool), "true or false")
OBJECTS: Test = (lambda value: isinstance(value, list), "a list")

ROUND: dict[str, Test] = {
    "round": COUNT,
    "id": NAME,
    "series": COUNT,
    "kind": _one_of(*ROUND_KINDS),
    "status": _one_of(*STATUSES),
    "reviewers": (_list(_name), "a list of names"),
    "start": ANY,
    "end": ANY,
    "head": ANY,
    "target": ANY,
    "findings": OBJECTS,
    "at": ANY,
}
FINDING: dict[str, Test] = {
    "id": NAME,
    "severity": (lambda value: value is None or _text(value), "a text or null"),
    "title": ANY,
    "path": ANY,
    "line": COUNT,
    "high_risk": BOOL,
    "evidence": OBJECTS,
}
EVIDENCE: dict[str, Test] = {"kind": ANY, "reference": ANY, "effect": ANY, "resolved": BOOL}
DISPOSITION: dict[str, Test] = {
    "disposition": _one_of(*DISPOSITIONS),
    "finding": NAME,
    "after": COUNT,
    "by": NAME,
    "commit": ANY,
    "reason": ANY,
    "severity": ANY,
    "at": ANY,
}
ANSWER: dict[str, Test] = {
    "answer": _one_of(*ANSWERS),
    "series": COUNT,
    "by": NAME,
    "reason": NAME,
    "end": ANY,
    "head": ANY,
    "at": ANY,
}
REQUIRED = {
    "round": ("round", "id", "series", "kind", "status", "reviewers", "start", "end"),
    "finding": ("id", "severity", "title"),
    "evidence": ("kind", "reference", "effect", "resolved"),
    "disposition": ("disposition", "finding", "after", "by"),
    "answer": ("answer", "series", "by", "reason"),
}
