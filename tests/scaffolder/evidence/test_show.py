"""`groundrules handoff show`: Markdown that shows names as they are, and in-toto statements of the results."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundrules.evidence import page
from hooks.test_handoff import VALID

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository
    from scaffolder.conftest import Answer

    Run = Callable[..., Answer]


def test_the_page_tells_what_a_reviewer_asks(run: Run, sealed: Repository) -> None:
    code, out, err = run(sealed, "handoff", "show")
    found = json.loads((sealed.path / "evidence/T1/handoff.json").read_text())
    base, head, tree = (found[name][:12] for name in ("base", "head", "subject_tree"))
    (row,) = found["checks"]
    assert (code, err) == (0, "")
    assert (
        out
        == f"""\
## Handoff of T1: ready

1 commit from `{base}` to `{head}`, subject tree `{tree}`.

### Unresolved

None.

### Deviations

None.

### Checks

| check | result | tests | seconds | command | this tree |
|---|---|---|---|---|---|
| `unit` | PASSED | 2 passed | {row["seconds"]} | `sh ./behave` | yes |

### Commits

- `{head}` `Add the cart`

### Files (1)

- added `cart.py`
"""
    )


def test_it_is_read_from_a_commit_too(run: Run, sealed: Repository, target: Repository) -> None:
    on_disk = run(sealed, "handoff", "show").out
    (sealed.path / "evidence/T1/handoff.json").unlink()
    assert run(sealed, "handoff", "show", "HEAD").out == on_disk
    assert run(target, "handoff", "show", "task/T1-cart").out == on_disk
    assert run(target, "handoff", "show", "task/T1-cart~0", "--task", "T1").out == on_disk


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ((), "main names no task"),
        (("--task", "../x"), "../x names no task"),
        (("--task", "T9"), "there is no evidence/T9/handoff.json"),
        (("main", "--task", "T9"), "there is no evidence/T9/handoff.json in main"),
        (("nowhere", "--task", "T9"), "nowhere is no commit here"),
    ],
)
def test_what_cannot_be_shown_is_said(run: Run, checked: Repository, argv: tuple[str, ...], words: str) -> None:
    code, out, err = run(checked, "handoff", "show", *argv)
    assert (code, out, err.startswith(f"groundrules: {words}")) == (2, "", True)


def test_where_no_task_is_named_the_fix_shows_a_handoff_that_there_is(
    run: Run, sealed: Repository, target: Repository
) -> None:
    assert run(target, "handoff", "show").err.endswith("To fix:\n    groundrules task list\n")
    target.git("merge", "-q", "--ff-only", "task/T1-cart")
    for ref in ((), ("main",)):
        err = run(target, "handoff", "show", *ref).err
        assert "main names no task\n  there are handoffs of T1\n" in err
        fix = err.splitlines()[-1].split()[1:]
        assert fix == ["handoff", "show", *ref, "--task", "T1"]
        assert run(target, *fix).out == run(sealed, "handoff", "show").out


def test_a_file_that_is_no_handoff_is_named_with_its_problems(run: Run, work: Repository) -> None:
    work.write("evidence/T1/handoff.json", "{}")
    code, _, err = run(work, "handoff", "show")
    assert (code, "evidence/T1/handoff.json is not a handoff\n  schema is missing" in err) == (2, True)


def test_missing_prose_and_results_of_another_tree_stand_out() -> None:
    rows = [{**VALID["checks"][0], "result": "FAILED"}]
    out = page.render({**VALID, "unresolved": None, "checks": rows, "subject_tree": "f" * 40})
    assert "### Unresolved\n\n**Not given.**\n" in out
    assert "| **FAILED** | 2 passed | 1.5 | `make ''` | **no** |" in out
    assert "### Checks\n\nNone were run.\n" in page.render({**VALID, "checks": []})


def test_many_files_are_counted_and_not_listed() -> None:
    files = [{"path": f"f{number}", "status": "A"} for number in range(100)]
    out = page.render({**VALID, "files": files})
    assert "### Files (100)" in out
    assert out.rstrip().endswith("- and 70 more")


ODD = ["a|b", "`x`", "``", "<script>", "[a](b)", "@team", "#12", "- [ ] x", "a\n# b", "|", " ", "&amp;", "~~a~~", "a`"]


@given(
    text=st.sampled_from(ODD) | st.text(min_size=1, max_size=20),
    place=st.sampled_from(["subject", "path", "prose", "detected", "command"]),
)
def test_no_text_breaks_out_of_its_place(text: str, place: str) -> None:
    document: dict[str, Any] = {**VALID, "deviations": ["one"], "detected": ["one"]}
    if place == "subject":
        document["commits"] = [{**VALID["commits"][0], "subject": text}]
    elif place == "path":
        document["files"] = [{"path": text, "status": "A"}]
    elif place == "command":
        document["checks"] = [{**VALID["checks"][0], "command": [text]}]
    else:
        document["deviations" if place == "prose" else "detected"] = [text]
    out = page.render(document)
    headings = [line for line in out.split("\n") if line.startswith("#")]
    assert [line.split(" (")[0] for line in headings] == [
        "## Handoff of T1: ready",
        *(f"### {name}" for name in ("Unresolved", "Deviations", "Checks", "Detected", "Commits", "Files")),
    ]
    table = [line for line in out.split("\n") if line.startswith("|")]
    cells = {len(re.findall(r"(?<!\\)\|", line)) for line in table}
    assert cells == {7}
    for line in out.split("\n"):
        outside = re.sub(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)", "", line)
        assert "<" not in outside.replace("\\<", "")


def test_statements_are_those_of_in_toto(run: Run, sealed: Repository) -> None:
    code, out, _ = run(sealed, "handoff", "show", "--in-toto")
    (statement,) = map(json.loads, out.splitlines())
    found = json.loads((sealed.path / "evidence/T1/handoff.json").read_text())
    assert code == 0
    assert statement == {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "subject tree", "digest": {"gitTree": found["subject_tree"]}}],
        "predicateType": "https://in-toto.io/attestation/test-result/v0.1",
        "predicate": {
            "result": "PASSED",
            "configuration": [
                {
                    "name": "groundrules.toml",
                    "annotations": {"check": "unit", "command": ["sh", "./behave"]},
                    "digest": {"gitBlob": sealed.git("rev-parse", "HEAD:groundrules.toml")},
                }
            ],
            "passedTests": ["unit"],
            "warnedTests": [],
            "failedTests": [],
        },
    }


def test_a_failed_run_is_a_statement_and_one_without_a_result_is_none(run: Run, work: Repository) -> None:
    found = {**VALID, "task": "T1", "state": "in-progress"}
    work.write("evidence/T1/handoff.json", json.dumps(found))
    assert len(run(work, "handoff", "show", "--in-toto").out.splitlines()) == 1, "the second has no result"
    found["checks"] = [{**VALID["checks"][0], "result": "FAILED", "exit": 1}]
    work.write("evidence/T1/handoff.json", json.dumps(found))
    predicate = json.loads(run(work, "handoff", "show", "--in-toto").out)["predicate"]
    assert (predicate["result"], predicate["passedTests"], predicate["failedTests"]) == ("FAILED", [], ["unit"])
