"""Reports: what the usual reviewers write, read as findings, and the ids that these keep."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

from groundrules.rounds import marks, reader
from groundrules.rounds.identity import identified
from groundrules.rounds.report import Reported, inside
from groundrules_hooks.change import Tree
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.review import Evidence

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Repository

BADGE = "https://img.shields.io/badge/P1-orange?style=flat"
FORMS = {
    "codex comment": (f"**<sub><sub>![P1 Badge]({BADGE})</sub></sub>  Reject negative counts**\n\nbody", "P1"),
    "codex command line": ("- [P2] Reject negative counts — /home/ada/shop/cart.py:10-12\n  body", "P2"),
    "gemini": (
        "![high](https://www.gstatic.com/codereviewagent/high-priority.svg)\n\nReject negative counts\n",
        "high",
    ),
    "gemini critical": ("![critical](https://x/codereviewagent/critical.svg)\n\nReject negative counts", "critical"),
    "greptile": ('<a href="#"><img alt="P0" src="https://x/badges/p0.svg?v=9"></a> **Reject negative counts**', "P0"),
    "coderabbit": ("_⚠️ Potential issue_ | _🟠 Major_ | _⚡ Quick win_\n\n**Reject negative counts**\n", "major"),
    "coderabbit trivial": ("_🧹 Nitpick_ | _🔵 Trivial_\n\n**Reject negative counts**", "trivial"),
    "bugbot": ("### Reject negative counts\n\n**High Severity**\n\n<!-- DESCRIPTION START -->\nbody", "high"),
    "claude": ("🔴 **Important**: Reject negative counts", "important"),
    "claude nit": ("- 🟡 Nit: Reject negative counts", "nit"),
    "label": ("### Reject negative counts\n**Severity:** Medium\n", "medium"),
    "label in a list": ("## Reject negative counts\n- severity: `low`", "low"),
    "bracket": ("1. **[high]** Reject negative counts", "high"),
    "beginning": ("### P1: Reject negative counts", "P1"),
    "beginning in bold": ("* **P3** - Reject negative counts", "P3"),
}


@pytest.mark.parametrize("form", FORMS)
def test_mark_of_each_reviewer_is_read_with_its_title(form: str) -> None:
    text, severity = FORMS[form]
    (found,) = marks.findings(text)
    assert (found.severity, found.title) == (severity, "Reject negative counts")


@pytest.mark.parametrize(
    "text",
    [
        "This fixes the P1 of last week and is high severity work.",
        "A P2 - or so - remains.",
        "Set priority: high in the table.",
        "> [P1] quoted",
        "```\n[P1] code\n```",
        "| 🔴 Critical | 🟠 Major | 🟡 Minor |",
        "[P1](https://example.org) or [P2](https://example.org)",
        "![build](https://img.shields.io/badge/build-passing)",
        "No issues found.",
        "",
    ],
)
def test_prose_code_quotations_and_legends_are_no_marks(text: str) -> None:
    assert marks.findings(text) == []
    with pytest.raises(GroundrulesError, match="without a severity mark") as refused:
        reader.read(text.encode())
    assert refused.value.fix == "groundrules review record --none"


PLACES = {
    "- [P1] Reject — src/cart.py:10-12": ("src/cart.py", 10),
    "### src/cart.py:7\n![high](https://x/high-priority.svg)\n\nReject": ("src/cart.py", 7),
    "### src/cart.py (18-21)\n\n![high](https://x/high-priority.svg)\n\nReject": ("src/cart.py", 18),
    "**[P1]** Reject\n\nIn `src/cart.py:3` a count may be negative.": ("src/cart.py", 3),
    "### Reject\n**High Severity**\n<!-- LOCATIONS START\nsrc/cart.py#L4-L9\nLOCATIONS END -->": ("src/cart.py", 4),
    "[P1] Reject `Makefile:3`": ("Makefile", 3),
    "[P1] Reject what http://localhost:3000 says": ("", 0),
    "[P1] Reject at 10:30": ("", 0),
}


@pytest.mark.parametrize("text", PLACES)
def test_place_is_read_beside_the_mark(text: str) -> None:
    (found,) = marks.findings(text)
    assert (found.path, found.line) == PLACES[text]


def test_each_mark_begins_a_finding_with_its_own_place() -> None:
    text = "# Review\n\n- [P1] First — a.py:1\n  See also.\n\n- [P3] Second\n  In b.py:2.\n\nOverall: fine.\n"
    found = [(each.severity, each.title, each.path, each.line) for each in marks.findings(text)]
    assert found == [("P1", "First", "a.py", 1), ("P3", "Second", "b.py", 2)]


def read(document: object, commit: str = "") -> list[Reported]:
    return list(reader.read(json.dumps(document).encode(), commit).findings)


def test_findings_of_codex_are_read() -> None:
    place = {"absolute_file_path": "/home/ada/shop/cart.py", "line_range": {"start": 3, "end": 4}}
    findings: list[dict[str, Any]] = [
        {"title": "[P1] Reject", "body": "b", "confidence_score": 0.9, "priority": 1, "code_location": place},
        {"title": "[P0] Lose nothing", "body": "b", "priority": None, "code_location": place},
        {"title": "Name it", "priority": None},
        {"title": "Zero", "priority": 0},
    ]
    found = [(each.severity, each.title, each.line) for each in read({"findings": findings})]
    assert found == [("P1", "Reject", 3), ("P0", "Lose nothing", 3), (None, "Name it", 0), ("P0", "Zero", 0)]


def test_own_findings_are_read_with_evidence_and_reviewers() -> None:
    shown = {"kind": "trace", "reference": "log.txt", "effect": "orders are lost"}
    finding = {"severity": "high", "title": "Lost", "path": "a.py", "line": 3, "rule": "r", "symbol": "f"}
    document = {"reviewers": ["ada"], "findings": [{**finding, "high_risk": True, "evidence": [shown]}]}
    report = reader.read(json.dumps(document).encode())
    evidence = (Evidence("trace", "log.txt", "orders are lost", resolved=False),)
    assert report.findings == (Reported("high", "Lost", "a.py", 3, "r", "f", True, evidence),)  # noqa: FBT003 (a field)
    assert report.reviewers == ("ada",)
    assert reader.read(b'{"findings": []}').findings == ()
    assert reader.read(b'{"findings": [], "status": "failed"}').failed
    with pytest.raises(GroundrulesError, match="nobody reviewed"):
        reader.read(b'{"findings": [], "reviewers": []}')


COMMENT = {"path": "a.py", "line": 3, "user": {"login": "bot"}, "body": "[P2] Name it", "original_commit_id": "c1"}


def test_comments_of_a_pull_request_are_read_without_answers() -> None:
    answer = {**COMMENT, "in_reply_to_id": 1, "body": "[P0] not so"}
    plain = {**COMMENT, "body": "Is this right?\nI doubt it.", "line": None, "original_line": 7}
    report = reader.read(json.dumps([COMMENT, answer, plain]).encode())
    assert [(each.severity, each.title, each.path, each.line) for each in report.findings] == [
        ("P2", "Name it", "a.py", 3),
        (None, "Is this right?", "a.py", 7),
    ]
    assert (report.reviewers, report.commit) == (("bot",), "c1")


def test_comments_about_several_commits_need_one_to_be_named() -> None:
    comments = [COMMENT, {**COMMENT, "original_commit_id": "c2", "body": "[P1] Reject"}]
    with pytest.raises(GroundrulesError, match="about 2 commits"):
        read(comments)
    assert [each.title for each in read(comments, "c2")] == ["Reject"]
    with pytest.raises(GroundrulesError, match="without a comment about c3"):
        read(comments, "c3")


def sarif(*results: dict[str, Any], **run: object) -> dict[str, Any]:
    rules = [
        {"id": "noisy", "defaultConfiguration": {"level": "note"}},
        {"id": "sql", "properties": {"security-severity": "8.8"}},
    ]
    return {
        "version": "2.1.0",
        "runs": [{"tool": {"driver": {"name": "scan", "rules": rules}}, "results": [*results], **run}],
    }


@pytest.mark.parametrize(
    ("result", "severity"),
    [
        ({"level": "error"}, "error"),
        ({}, "warning"),
        ({"ruleId": "noisy"}, "note"),
        ({"ruleIndex": 0}, "note"),
        ({"ruleId": "noisy", "level": "none"}, "none"),
        ({"ruleId": "sql", "level": "warning"}, "high"),
        ({"properties": {"security-severity": "9.1"}}, "critical"),
        ({"properties": {"security-severity": "4"}}, "medium"),
        ({"properties": {"security-severity": "0.5"}}, "low"),
        ({"properties": {"security-severity": "?"}, "level": "error"}, "error"),
    ],
)
def test_level_of_a_result_is_its_own_or_that_of_its_rule(result: dict[str, Any], severity: str) -> None:
    (found,) = read(sarif({"message": {"text": "Wrong"}, **result}))
    assert (found.severity, found.title) == (severity, "Wrong")


def test_place_of_a_result_is_read() -> None:
    place = {"artifactLocation": {"uri": "src/a%20b.py", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 4}}
    (found,) = read(sarif({"ruleId": "sql", "message": {"text": "Wrong"}, "locations": [{"physicalLocation": place}]}))
    assert (found.path, found.line, found.rule) == ("src/a b.py", 4, "sql")


@pytest.mark.parametrize(
    "result",
    [
        {"kind": "pass"},
        {"baselineState": "unchanged"},
        {"suppressions": [{"kind": "inSource"}]},
        {"suppressions": [{"kind": "external", "status": "accepted"}]},
    ],
)
def test_what_is_suppressed_or_was_there_before_is_no_finding(result: dict[str, Any]) -> None:
    assert read(sarif({"message": {"text": "Wrong"}, **result})) == []
    assert len(read(sarif({"message": {"text": "Wrong"}, "suppressions": [{"status": "rejected"}]}))) == 1


@pytest.mark.parametrize("run", [{"results": None}, {"invocations": [{"executionSuccessful": False}]}])
def test_run_without_results_or_success_has_failed(run: dict[str, Any]) -> None:
    assert reader.read(json.dumps(sarif(**run)).encode()).failed
    report = reader.read(json.dumps(sarif()).encode())
    assert (report.failed, report.reviewers) == (False, ("scan",))


@pytest.mark.parametrize(
    "document",
    ["[]", "{}", "1", '"text"', '{"findings": 1}', "[1]", '[{"path": "a"}]', '{"findings": ["a"]}', '{"runs": [1]}'],
)
def test_json_of_another_form_is_refused_and_never_nothing(document: str) -> None:
    with pytest.raises(GroundrulesError, match="the report is"):
        reader.read(document.encode())


@pytest.mark.parametrize("document", ["{", '{"findings": [', "[{", '{"runs": []}', '{"runs": null}', "{}"])
def test_what_is_cut_off_or_without_a_run_is_a_round_that_failed_and_never_a_clean_one(document: str) -> None:
    with pytest.raises(GroundrulesError, match="the report is") as refused:
        reader.read(document.encode())
    assert refused.value.fix == "groundrules review record --status failed"


def test_a_reviewer_whose_name_is_no_text_is_refused_though_nothing_was_found() -> None:
    with pytest.raises(GroundrulesError, match="5 is no text"):
        reader.read(b'{"runs": [{"tool": {"driver": {"name": 5}}, "results": []}]}')


CODE = "one\ntwo\nif  count < 0:\nfour\nfive\n"


@pytest.fixture
def coded(shop: Repository, enter: Callable[[Repository], None]) -> Repository:
    shop.commit("cart.py", CODE)
    enter(shop)
    return shop


def ids(repository: Repository, *reported: Reported) -> list[str]:
    return [each.id for each in identified(reported, Tree(repository.git("rev-parse", "HEAD")), str(repository.path))]


def test_finding_keeps_its_id_when_its_lines_move(coded: Repository) -> None:
    # REV-09
    (before,) = ids(coded, Reported("P1", "Reject counts below 0", "cart.py", 3))
    coded.commit("cart.py", "new\n" * 20 + CODE.replace("  ", " "))
    (after,) = ids(coded, Reported("high", "Reject counts  below 1!", f"{coded.path}/cart.py", 23))
    assert after == before


@pytest.mark.parametrize(
    "other",
    [
        Reported("P1", "Another thing", "cart.py", 3),
        Reported("P1", "Reject", "groundrules.toml", 3),
        Reported("P1", "Reject", "cart.py", 5),
        Reported("P1", "Reject", "cart.py", 3, symbol="total"),
        Reported("P1", "Reject", "cart.py", 3, rule="counts"),
    ],
)
def test_other_title_path_lines_symbol_or_rule_is_another_finding(coded: Repository, other: Reported) -> None:
    one, two = ids(coded, Reported("P1", "Reject", "cart.py", 3), other)
    assert one != two


def test_rule_stands_for_the_title_and_a_symbol_for_the_lines(coded: Repository) -> None:
    by_rule = ids(coded, *(Reported("P1", title, "cart.py", 3, rule="r") for title in ("a b", "c d")))
    by_symbol = ids(coded, *(Reported("P1", "Reject", "cart.py", line, symbol="f") for line in (1, 5)))
    assert (len(set(by_rule)), len(set(by_symbol))) == (1, 1)


@pytest.mark.parametrize(
    ("reference", "leads"),
    [
        ("cart.py", True),
        ("cart.py::test_total", True),
        ("cart.py:3", True),
        ("gone.py", False),
        ("HEAD", False),
        ("{head}", True),
        ("0123456789abcdef", False),
        ("https://example.org/incident/4", True),
        ("https://", False),
        ("", False),
        ("../outside", False),
    ],
)
def test_reference_leads_to_a_file_a_commit_or_an_address(coded: Repository, reference: str, leads: bool) -> None:  # noqa: FBT001 (a case)
    shown = Evidence("trace", reference.format(head=coded.git("rev-parse", "HEAD")), "effect", resolved=False)
    tree = Tree(coded.git("rev-parse", "HEAD"))
    (found,) = identified((Reported("P2", "Lost", evidence=(shown,)),), tree, str(coded.path))
    assert [each.resolved for each in found.evidence] == [leads]


def test_path_of_another_checkout_is_found_by_its_end(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/cart.py").touch()
    root = str(tmp_path)
    for path in ("src/cart.py", "./src/cart.py", f"{root}/src/cart.py", "/home/runner/work/shop/src/cart.py"):
        assert inside(path, root) == "src/cart.py"
    assert inside("file:///gone/cart.py", root) == "gone/cart.py"


@pytest.mark.parametrize(
    "path", ["../../etc/passwd", "..", "a/../../b", "/etc/passwd", "a\nb", "a\0b", "-x", ".", ".git"]
)
def test_odd_path_of_a_report_reads_nothing_and_breaks_nothing(coded: Repository, path: str) -> None:
    tree = Tree(coded.git("rev-parse", "HEAD"))
    reported = (Reported("P1", "Odd", path, 1), Reported("P1", "Plain", "cart.py", 1))
    odd, plain = identified(reported, tree, str(coded.path))
    assert plain.id == identified(reported[1:], tree, str(coded.path))[0].id
    assert (".." in odd.path, "\0" in odd.path) == (False, False)


@pytest.mark.parametrize(
    "finding",
    [
        {"title": "Odd", "severity": ["x"], "path": 3, "line": "7"},
        {"title": {"a": 1}, "severity": True, "line": -3},
        {"title": None, "severity": 9},
        {},
    ],
)
def test_odd_finding_counts_as_unsorted(finding: dict[str, Any]) -> None:
    (found,) = read({"findings": [finding]})
    assert (found.severity or "").upper() not in ("P0", "P1", "P2", "P3")
    assert found.line >= 0


PLACE = {"physicalLocation": {"artifactLocation": {"uri": "cart.py"}, "region": {"startLine": 3}}}
WHOLE: list[Any] = [
    {
        "runs": [
            {"tool": {"driver": {"name": "x"}}, "results": [{"ruleId": "r", "level": "error", "locations": [PLACE]}]}
        ]
    },
    {"reviewer": "ada", "findings": [{"severity": "P1", "title": "Lost", "path": "cart.py", "line": 3, "symbol": "f"}]},
    {"findings": [{"title": "Lost", "evidence": [{"kind": "trace", "reference": "cart.py", "effect": "e"}]}]},
    [{**COMMENT, "path": "cart.py"}],
]
ODD_VALUES: list[Any] = [None, True, 5, -1, 1e400, "", "\0", "../x", [], [1], {}, {"a": 1}, [[]], [None], ["a", 5]]


def _places(document: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:  # noqa: ANN401 (any JSON)
    """Return the way to each value in `document`."""
    rows = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    return [found for key, value in rows for found in [(*way, key), *_places(value, (*way, key))]]


@pytest.mark.parametrize("document", WHOLE)
def test_a_report_with_an_odd_value_anywhere_is_read_or_refused(coded: Repository, document: Any) -> None:  # noqa: ANN401 (any JSON)
    tree = Tree(coded.git("rev-parse", "HEAD"))
    assert reader.read(json.dumps(document).encode()).findings
    for way in _places(document):
        for value in ODD_VALUES:
            changed = copy.deepcopy(document)
            inside_of = changed
            for key in way[:-1]:
                inside_of = inside_of[key]
            inside_of[way[-1]] = value
            try:
                report = reader.read(json.dumps(changed).encode())
            except GroundrulesError:
                continue
            for found in identified(report.findings, tree, str(coded.path)):
                json.dumps(found._asdict())


def test_half_a_character_is_refused_before_it_is_written() -> None:
    with pytest.raises(GroundrulesError, match="not in the form"):
        reader.read(b'{"findings": [{"title": "\\ud800"}]}')
