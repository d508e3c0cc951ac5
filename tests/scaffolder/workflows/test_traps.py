"""Traps of workflows: each has examples that must be found, and benign ones that look like them and must pass."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest

from groundrules.workflows.repository import repository_of
from groundrules.workflows.traps import TRAPS, in_gitlab, in_workflows
from groundrules.yaml_document import documents
from scaffolder.workflows import cache_cases, gate_cases
from scaffolder.workflows.text import BOTH, LINT, PULL, QUEUE, TEST, WRITER, cache, gate, job, workflow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundrules.yaml_document import Node
    from groundrules_hooks.finding import Finding


def node(text: str, path: str = "ci.yml") -> Node:
    (found,) = documents(path, textwrap.dedent(text).encode())
    return found


def found(
    *texts: str, required: Sequence[str] = (), actions: dict[str, str] | None = None
) -> list[tuple[str, str, int]]:
    """Return trap, file and line of each finding in workflows, named 0.yml, 1.yml and so on."""
    known = {f"w/{number}.yml": node(text) for number, text in enumerate(texts)}
    local = {folder: (f"{folder}/action.yml", node(text)) for folder, text in (actions or {}).items()}
    findings = in_workflows(repository_of(known, local, required))
    assert all(finding.message and finding.fix.splitlines()[-1].startswith("${EDITOR") for finding in findings)
    return [(finding.rule, finding.path.removeprefix("w/"), finding.line) for finding in findings]


def rules(*texts: str, required: Sequence[str] = ()) -> set[str]:
    return {rule for rule, _, _ in found(*texts, required=required)}


CASES = {**cache_cases.CASES, **gate_cases.CASES}


def test_every_trap_has_examples_of_both_kinds() -> None:
    assert set(CASES) == {trap.name for trap in TRAPS}
    assert all(bad and good for bad, good in CASES.values())


@pytest.mark.parametrize(
    ("trap", "texts"),
    [pytest.param(name, texts, id=f"{name}-{i}") for name, (bad, _) in CASES.items() for i, texts in enumerate(bad)],
)
def test_trap_is_found(trap: str, texts: list[str]) -> None:
    assert trap in rules(*texts)


@pytest.mark.parametrize(
    ("trap", "texts"),
    [pytest.param(name, texts, id=f"{name}-{i}") for name, (_, good) in CASES.items() for i, texts in enumerate(good)],
)
def test_benign_look_alike_passes(trap: str, texts: list[str]) -> None:
    assert trap not in rules(*texts)


def test_trap_is_at_the_line_that_has_to_change() -> None:
    text = """
        on: [pull_request, push]
        jobs:
          test:
            steps:
              - uses: actions/cache@v4
                with:
                  path: ~/.cache/uv
                  key: deps-${{ hashFiles('uv.lock') }}
        concurrency:
          group: x
          cancel-in-progress: true
        """
    assert found(text) == [
        ("cache-no-restore-keys", "0.yml", 9),
        ("cache-writer-pr", "0.yml", 9),
        ("cancel-main", "0.yml", 12),
    ]


def test_steps_of_a_local_action_are_found_once_where_they_are_written() -> None:
    action = f"runs:\n  using: composite\n  steps:\n    - {cache()}\n"
    uses = "{uses: ./.github/actions/deps, if: github.event_name == 'pull_request'}"
    both = workflow(BOTH, job(uses), job(uses, name="two"))
    hits = found(both, WRITER, actions={".github/actions/deps": action})
    assert hits == [("cache-writer-pr", ".github/actions/deps/action.yml", 4)]
    guarded = both.replace("== 'pull_request'", "!= 'pull_request'")
    assert found(guarded, WRITER, actions={".github/actions/deps": action}) == []


def test_action_that_uses_itself_ends() -> None:
    action = "runs:\n  using: composite\n  steps:\n    - uses: ./a\n"
    assert found(workflow(PULL, job("{uses: ./a}")), actions={"a": action}) == []


def test_workflows_that_call_each_other_end() -> None:
    call = "on: [workflow_call, pull_request]\njobs:\n  call: {uses: ./.github/workflows/0.yml}\n"
    assert found(call) == []


@pytest.mark.parametrize(
    ("check", "head"),
    [
        ("test", ""),
        ("Unit tests", "name: Unit tests"),
        ("test (3.12)", "strategy: {matrix: {python: ['3.12']}}"),
        ("Tests on 3.12", "name: Tests on ${{ matrix.python }}"),
        ("Tests (3.12)", "name: Tests"),
        ("test", "name: ${{ github.event_name == 'push' && 'test after push' || 'test' }}"),
        ("test", "name: ${{ matrix.python }}"),
    ],
)
def test_declared_check_is_a_job_by_its_name_as_the_forge_shows_it(check: str, head: str) -> None:
    text = workflow(PULL, job("make", head=head))
    assert rules(text) == set()
    assert rules(text, required=[check]) == {"merge-group-missing"}
    assert rules(text, required=["another"]) == set()


def test_id_of_a_job_with_a_name_is_no_check() -> None:
    text = workflow(PULL, job("make", head="name: Unit tests"))
    assert rules(text, required=["test"]) == set()


def test_gate_of_one_need_is_one_by_declaration_or_as_gate_only() -> None:
    head = "needs: test\nif: always()"
    assert "gate-missing-need" in rules(workflow(QUEUE, LINT, TEST, gate(head)))
    assert "gate-missing-need" not in rules(workflow(QUEUE, LINT, TEST, gate(head, name="ci-ok")))
    assert "gate-missing-need" in rules(workflow(QUEUE, LINT, TEST, gate(head, name="ci-ok")), required=["ci-ok"])
    assert "gate-missing-need" not in rules(
        workflow(QUEUE, LINT, TEST, gate(head, name="ci-ok")), required=["ci-ok", "lint"]
    )


def test_check_of_a_called_workflow_is_its_callers_job() -> None:
    text = "on: pull_request\njobs:\n  call: {uses: ./.github/workflows/x.yml}\n"
    assert rules(text, required=["call / test"]) == {"merge-group-missing"}


def test_job_named_gate_is_no_required_check_where_others_are_declared() -> None:
    text = workflow(PULL, LINT, TEST, gate("needs: [lint, test]\nif: success()"))
    assert "merge-group-missing" in rules(text)
    assert rules(text, required=["other"]) == {"gate-not-always"}


GITLAB = [
    ("cache-no-restore-keys", "t: {cache: {key: {files: [uv.lock]}, paths: [.cache/uv/]}}", True),
    (
        "cache-no-restore-keys",
        "t: {cache: {key: {files: [uv.lock]}, paths: [.cache/uv/], fallback_keys: [main]}}",
        False,
    ),
    ("cache-no-restore-keys", "t: {cache: {key: {files: [a.lock]}, paths: [node_modules/]}}", False),
    (
        "cache-no-restore-keys",
        "variables: {CACHE_FALLBACK_KEY: x}\nt: {cache: {key: {files: [uv.lock]}, paths: [.npm/]}}",
        False,
    ),
    ("cache-no-writer", "t: {cache: {key: a, paths: [x], policy: pull}}", True),
    ("cache-no-writer", "t: {cache: {key: a, paths: [x], policy: pull}}\nw: {cache: {key: a, paths: [x]}}", False),
    ("cache-no-writer", "include: [other.yml]\nt: {cache: {key: a, paths: [x], policy: pull}}", False),
    ("cache-workspace", "variables: {PIP_CACHE_DIR: $CI_PROJECT_DIR/.cache/pip}\nt: {script: [make]}", True),
    (
        "cache-workspace",
        "variables: {PIP_CACHE_DIR: $CI_PROJECT_DIR/.cache/pip}\nt: {cache: {paths: [.cache/pip/]}}",
        False,
    ),
]


@pytest.mark.parametrize(("trap", "text", "is_found"), GITLAB)
def test_gitlab_has_the_like_of_some_traps(trap: str, text: str, is_found: bool) -> None:  # noqa: FBT001 (a column of the table)
    findings: list[Finding] = in_gitlab({".gitlab-ci.yml": node(text)})
    assert [finding.rule for finding in findings] == [trap] * is_found
