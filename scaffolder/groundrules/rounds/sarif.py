"""SARIF 2.1.0: the results of analysers, as a report."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from groundrules.rounds.report import Report, Reported, shortened

# GitHub's scale for the property `security-severity`.
SCORES = ((9.0, "critical"), (7.0, "high"), (4.0, "medium"), (0.1, "low"))


def report(document: dict[str, Any]) -> Report:
    """Return what the runs of `document` report; a run that says nothing of its results has failed."""
    runs = document["runs"]
    findings = [_reported(result, run) for run in runs for result in run.get("results") or [] if _counts(result)]
    names = dict.fromkeys(_driver(run).get("name") or "analyser" for run in runs)
    failed = any(run.get("results") is None or not _succeeded(run) for run in runs)
    return Report(tuple(findings), tuple(names), failed=failed)


def _counts(result: dict[str, Any]) -> bool:
    """Whether a result is a finding of this change: a failure that is neither suppressed nor there before."""
    suppressions = result.get("suppressions") or []
    suppressed = bool(suppressions) and all(each.get("status", "accepted") == "accepted" for each in suppressions)
    before = result.get("baselineState") in ("unchanged", "absent")
    return result.get("kind", "fail") == "fail" and not suppressed and not before


def _succeeded(run: dict[str, Any]) -> bool:
    return all(each.get("executionSuccessful", True) for each in run.get("invocations") or [])


def _driver(run: dict[str, Any]) -> dict[str, Any]:
    driver: dict[str, Any] = (run.get("tool") or {}).get("driver") or {}
    return driver


def _reported(result: dict[str, Any], run: dict[str, Any]) -> Reported:
    rule = _rule(result, run)
    place = ((result.get("locations") or [{}])[0]).get("physicalLocation") or {}
    uri = unquote((place.get("artifactLocation") or {}).get("uri") or "")
    line = max(0, int((place.get("region") or {}).get("startLine") or 0))
    message = result.get("message") or {}
    title = shortened(message.get("text") or message.get("markdown") or "")
    return Reported(_severity(result, rule), title, uri, line, rule.get("id", ""))


def _rule(result: dict[str, Any], run: dict[str, Any]) -> dict[str, Any]:
    """Return the description of the rule that a result names, by its id or by its place in the driver's list."""
    rules = _driver(run).get("rules") or []
    named = result.get("ruleId") or (result.get("rule") or {}).get("id") or ""
    index = result.get("ruleIndex", -1)
    found = next((each for each in rules if each.get("id") == named), None)
    if found is None and 0 <= index < len(rules):
        found = rules[index]
    return {"id": named, **(found or {})}


def _severity(result: dict[str, Any], rule: dict[str, Any]) -> str:
    """Return the level by score, else of the result, else of its rule; SARIF's default is warning."""
    for properties in (result.get("properties") or {}, rule.get("properties") or {}):
        try:
            score = float(properties["security-severity"])
        except (KeyError, TypeError, ValueError):
            continue
        return next((word for least, word in SCORES if score >= least), "none")
    configured = (rule.get("defaultConfiguration") or {}).get("level")
    return str(result.get("level") or configured or "warning")
