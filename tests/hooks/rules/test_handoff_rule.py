"""handoff: the branch of a task carries an account that is present, whole, and about this task and base."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from groundrules_hooks.change import Change, Tree
from groundrules_hooks.config import Config
from groundrules_hooks.history import commits
from groundrules_hooks.rules.handoff import check

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository

PATH = "evidence/T1/handoff.json"


def document(base: str, **other: object) -> dict[str, Any]:
    empty: dict[str, Any] = {key: [] for key in ("commits", "files", "checks", "allowed", "detected")}
    facts = {"schema": "handoff/1", "state": "in-progress", "task": "T1", "base": base, "head": base}
    prose = {"unresolved": "none", "deviations": "none"}
    return {**empty, **facts, **prose, "subject_tree": base, "environment": {}, **other}


class Branch:
    """The branch of task T1 with one commit of work, judged as a whole."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.base = repository.git("rev-parse", "HEAD")
        repository.git("switch", "-qc", "task/T1-x")
        repository.commit("work")

    def hand_over(self, content: object) -> None:
        self.repository.commit(PATH, content if isinstance(content, str) else json.dumps(content))

    def judge(self, **other: Any) -> list[str]:  # noqa: ANN401 (fields of Change)
        found = commits("HEAD", [self.base])
        files = tuple(file for change in found for file in change.files)
        facts: dict[str, Any] = {"commit": found[-1].commit, "task": "T1", "base": self.base, **other}
        findings = list(check(Change(files, Tree("HEAD"), **facts), Config({})))
        assert {(each.rule, each.path) for each in findings} <= {("handoff", PATH)}
        assert all("\n" not in each.fix for each in findings)
        return [each.message for each in findings]


@pytest.fixture
def branch(shop: Repository, enter: Callable[[Repository], None]) -> Branch:
    enter(shop)
    return Branch(shop)


def test_work_without_a_handoff_is_refused(branch: Branch) -> None:
    assert branch.judge() == ["task T1 has work and no handoff"]
    branch.repository.commit("evidence/T2/handoff.json", json.dumps(document(branch.base)))
    assert branch.judge() == ["task T1 has work and no handoff"]


def test_no_task_no_work_or_evidence_alone_need_none(branch: Branch) -> None:
    # HAND-05
    assert branch.judge(task=None) == []
    assert list(check(Change((), Tree("HEAD"), task="T1"), Config({}))) == []
    branch.repository.git("reset", "-q", "--hard", branch.base)
    branch.hand_over("not even JSON")
    assert branch.judge() == []


def test_a_valid_handoff_passes_with_and_without_a_recorded_base(branch: Branch) -> None:
    branch.hand_over(document(branch.base))
    assert branch.judge() == []
    assert branch.judge(base=None) == []


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("{", "not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        ("[]", "not an object"),
        ({"schema": "handoff/2"}, 'schema is not "handoff/1"'),  # HAND-17
        ({"state": "done"}, "state is not in-progress or ready"),
        ({"state": "ready", "unresolved": None}, "unresolved is not given; say what, or the word none"),
        ({"head": ""}, "head is not a full commit id"),  # HAND-19
        ({"task": "T2"}, "it is about task T2, the branch about T1"),
    ],
)
def test_another_shape_or_task_is_named(branch: Branch, content: str | dict[str, object], expected: str) -> None:
    branch.hand_over(content if isinstance(content, str) else document(branch.base) | content)
    assert branch.judge() == [expected]


def test_a_missing_field_is_named(branch: Branch) -> None:
    # HAND-16
    whole = document(branch.base)
    del whole["checks"]
    branch.hand_over(whole)
    assert branch.judge() == ["checks is missing"]


def test_another_base_is_refused_with_both(branch: Branch) -> None:
    head = branch.repository.git("rev-parse", "HEAD")
    branch.hand_over(document(head))
    assert branch.judge() == [f"its base is {head[:7]}, the task started from {branch.base[:7]}"]
    assert branch.judge(base=None) == []


def test_a_base_that_the_branch_does_not_contain_is_refused(branch: Branch) -> None:
    branch.hand_over(document("1" * 40))
    (message,) = branch.judge(base=None)
    assert message.startswith("its base 1111111 is no ancestor of ")
