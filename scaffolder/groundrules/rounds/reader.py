"""Reader: a reviewer's output in one of the known forms, as a report."""

from __future__ import annotations

import json
from typing import Any

from groundrules.rounds import marks, sarif
from groundrules.rounds.report import Report, Reported, shortened
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.review import Evidence

FORMS = "SARIF with runs; JSON with findings; a JSON list of review comments with body and path; Markdown with marks"


def read(content: bytes, commit: str = "") -> Report:
    """Return what `content` reports, in whatever form it is.

    Of comments about several commits those about `commit` are taken. Raise GroundrulesError where nothing can be told,
    which is not the same as a report of nothing.
    """
    text = content.decode("utf-8", "replace").removeprefix("\ufeff")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return _of_markdown(text)
    try:
        json.dumps(document, ensure_ascii=False).encode()  # half a character cannot be written down
        return _checked(_of_document(document, commit))
    except (AttributeError, KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        raise _broken(f"not in the form that it seems to have: {error}") from None


def _of_document(document: object, commit: str) -> Report:
    if isinstance(document, list):
        return _of_comments(document, commit)
    if isinstance(document, dict) and document.get("runs"):
        return sarif.report(document)
    if isinstance(document, dict) and isinstance(document.get("findings"), list):
        return _of_findings(document)
    raise _broken("without a run" if isinstance(document, dict) and "runs" in document else "in no form that is known")


def _checked(report: Report) -> Report:
    """Return `report`. Raise TypeError where a word of it is no text: whoever wrote it meant something else."""
    words: list[object] = [*report.reviewers]
    for each in report.findings:
        words += (each.severity or "", each.title, each.path, each.rule, each.symbol)
    wrong = [word for word in words if not isinstance(word, str)]
    if wrong:
        raise TypeError(f"{shortened(str(wrong[0]))} is no text")
    return report


def _of_markdown(text: str) -> Report:
    found = marks.findings(text)
    if found:
        return Report(tuple(found))
    if text.lstrip().startswith(("{", "[{")):
        raise _broken("cut off, or no JSON")
    raise _silent("without a severity mark")


def _silent(what: str) -> GroundrulesError:
    """Return the error for a report that a person has to read: it may say that nothing was found."""
    return GroundrulesError(
        f"the report is {what}",
        why=f"known are: {FORMS}\nwhere the reviewer found nothing, that has to be said",
        fix="groundrules review record --none",
    )


def _broken(what: str) -> GroundrulesError:
    """Return the error for a report that nobody can read, which is the end of a round that failed."""
    return GroundrulesError(
        f"the report is {what}", why=f"known are: {FORMS}", fix="groundrules review record --status failed"
    )


def _of_findings(document: dict[str, Any]) -> Report:
    """Read findings as groundrules and openai/codex write them."""
    named = document.get("reviewers", document.get("reviewer"))
    reviewers = [named] if isinstance(named, str) else named
    if reviewers == []:
        raise GroundrulesError("the report says that nobody reviewed", fix="groundrules review record --status failed")
    findings = tuple(_reported(each) for each in document["findings"])
    return Report(findings, tuple(map(str, reviewers or ())), failed=document.get("status", "completed") != "completed")


def _reported(each: dict[str, Any]) -> Reported:
    place = each.get("code_location") or {}
    begun = (place.get("line_range") or {}).get("start")
    title = str(each.get("title") or each.get("message") or each.get("body") or "")
    marked = marks.findings(title)  # codex repeats the priority in front of the title
    path = each.get("path") or each.get("file") or place.get("absolute_file_path") or ""
    line = each.get("line") or each.get("start_line") or begun or 0
    return Reported(
        _severity(each) or (marked[0].severity if marked else None),
        shortened(marked[0].title if marked else title),
        str(path),
        max(0, int(line)),
        rule=str(each.get("rule") or ""),
        symbol=str(each.get("symbol") or ""),
        high_risk=each.get("high_risk") is True,
        evidence=tuple(
            Evidence(str(shown["kind"]), str(shown["reference"]), str(shown.get("effect") or ""), resolved=False)
            for shown in each.get("evidence") or ()
        ),
    )


def _severity(each: dict[str, Any]) -> str | None:
    given = next((each[key] for key in ("severity", "priority", "level") if each.get(key) is not None), "")
    return f"P{given}" if type(given) is int else str(given) or None


def _of_comments(comments: list[dict[str, Any]], commit: str) -> Report:
    """Read the comments of a pull request as GitHub's API lists them; answers in a thread are no findings."""
    first = [each for each in comments if not each.get("in_reply_to_id")]
    about = dict.fromkeys(str(each["original_commit_id"]) for each in first if each.get("original_commit_id"))
    wanted = [each for each in about if not commit or each == commit]
    if len(wanted) > 1:
        raise GroundrulesError(
            f"the comments are about {len(about)} commits",
            why="\n".join(wanted),
            fix=f"groundrules review record --head {wanted[-1]} FILE",
        )
    taken = [each for each in first if not about or str(each.get("original_commit_id")) in wanted]
    if not taken:
        raise _silent("without a comment" if not first else f"without a comment about {commit}")
    names = dict.fromkeys(str((each.get("user") or {}).get("login") or "somebody") for each in taken)
    return Report(tuple(map(_comment, taken)), tuple(names), next(iter(wanted), ""))


def _comment(each: dict[str, Any]) -> Reported:
    """Return the finding in a comment; one without a mark has no severity."""
    body = str(each["body"])
    found = marks.findings(body)
    severity, title = (found[0].severity, found[0].title) if found else (None, shortened(body))
    place = found[0] if found else Reported(None, "")
    line = each.get("line") or each.get("original_line") or place.line
    return Reported(severity, title, str(each.get("path") or place.path), max(0, int(line or 0)))
