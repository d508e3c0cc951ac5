"""range: every commit of a branch is judged, then the branch of every task in it, by the rules of the hooks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from groundrules_hooks.allow import Allowed
from groundrules_hooks.config import Config, Rules
from groundrules_hooks.range import Range, judged

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository


class Branch:
    """A branch off main, and its judgement as text."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.base = repository.git("rev-parse", "HEAD")
        repository.git("switch", "-qc", "task/T1-x")

    def commit(self, message: str, name: str = "work") -> str:
        return self.repository.commit(name, f"{message}\n", message)

    def judge(self, *strict: str, **other: Any) -> list[tuple[str, str | None]]:  # noqa: ANN401 (fields of Range)
        found = judged(Range("HEAD", (self.base,), **other), Config({}, rules=Rules(strict)))
        return [(f"{finding.rule}: {finding.message}", finding.commit) for finding in found.findings]


@pytest.fixture
def branch(shop: Repository, enter: Callable[[Repository], None]) -> Branch:
    enter(shop)
    return Branch(shop)


WIP = "commit-message: the subject says only that work is in progress: 'wip'"


def missing(task: str) -> str:
    return f"handoff: task {task} has work and no handoff"


def test_each_commit_is_judged_and_not_the_newest_alone(branch: Branch) -> None:
    # PSH-08 MSG-05
    first = branch.commit("wip")
    fixup = branch.commit("fixup! wip")
    branch.commit("Say what it does")
    expected = "commit-message: fixup! commit is not squashed yet: 'fixup! wip'"
    assert branch.judge() == [(WIP, first), (expected, fixup)]


def test_a_merge_in_the_range_is_exempt_and_what_it_brings_is_judged(branch: Branch) -> None:
    # MSG-03
    branch.repository.git("switch", "-qc", "side")
    side = branch.commit("wip", "side")
    branch.repository.git("switch", "-q", "task/T1-x")
    branch.repository.git("merge", "-q", "--no-ff", "-m", "x" * 90, "side")
    assert branch.judge() == [(WIP, side)]


def test_commits_that_ran_no_hook_are_judged_alike(branch: Branch) -> None:
    # CMT-11 CMT-12 PSH-13
    long = "commit-message: the subject has 80 characters, at most 72"
    picked = branch.commit("x" * 80)
    branch.repository.git("switch", "-q", "--detach", branch.base)
    branch.commit("Start elsewhere", "other")
    branch.repository.git("cherry-pick", picked)
    assert branch.judge() == [(long, branch.repository.git("rev-parse", "HEAD"))]


def test_without_a_name_the_trailers_say_whose_branch_it_is(branch: Branch) -> None:
    branch.commit("One\n\nTask: T1", "a")
    branch.commit("Two\n\nTask: T2", "b")
    branch.commit("Three\n\nTask: T1", "c")
    assert branch.judge() == [(missing("T1"), None), (missing("T2"), None)]
    assert branch.judge(task="T3") == [(missing("T3"), None)]


def test_an_exception_covers_its_own_commit_and_the_whole_branch(branch: Branch) -> None:
    allowed = branch.commit("wip\n\nGround-rules-allow: commit-message (imported)\nTask: T1")
    refused = branch.commit("wip\n\nGround-rules-allow: handoff (early)")
    assert branch.judge() == [(WIP, refused)]
    strict = branch.judge("handoff", "commit-message")
    assert strict == [(WIP, allowed), (WIP, refused), (missing("T1"), None)]
    found = judged(Range("HEAD", (branch.base,)), Config({}))
    assert found.allowed == [
        (allowed, Allowed("commit-message", "imported")),
        (refused, Allowed("handoff", "early")),
    ]
    assert [change.commit for change in found.commits] == [allowed, refused]


def test_a_trailer_without_a_reason_covers_nothing(branch: Branch) -> None:
    refused = branch.commit("wip\n\nGround-rules-allow: commit-message ()")
    assert branch.judge() == [(WIP, refused)]


@pytest.mark.parametrize("known", [True, False])
def test_the_base_is_recorded_or_declared_and_must_be_on_the_target(branch: Branch, known: bool) -> None:  # noqa: FBT001
    branch.commit("Work")
    empty: dict[str, Any] = {key: [] for key in ("commits", "files", "checks", "allowed", "detected")}
    facts = {"schema": "handoff/1", "state": "in-progress", "task": "T1", "base": branch.base, "head": branch.base}
    prose = {"subject_tree": branch.base, "environment": {}, "unresolved": "none", "deviations": "none"}
    branch.repository.commit("evidence/T1/handoff.json", json.dumps({**empty, **facts, **prose}))
    base = {"base": branch.base} if known else {}
    assert branch.judge(task="T1", target=("refs/heads/main",), **base) == []
    branch.repository.git("branch", "-qf", "main", branch.repository.git("commit-tree", "-m", "New", "HEAD^{tree}"))
    (finding,) = branch.judge(task="T1", branch="task/T1-x", target=("refs/heads/main",), **base)
    assert finding == (f"one-task: its base {branch.base[:7]} is not on main", None)


def test_an_empty_range_has_nothing_to_say(branch: Branch) -> None:
    assert branch.judge(task="T1", target=("refs/heads/main",)) == []


def test_what_a_merge_brings_by_itself_is_judged(branch: Branch) -> None:
    shop = branch.repository
    branch.commit("Say what it does\n\nTask: T1")
    shop.git("switch", "-q", "main")
    shop.commit("other")
    shop.git("switch", "-q", "task/T1-x")
    shop.git("merge", "-q", "--no-ff", "--no-commit", "main")
    shop.write("AGENTS.md", "# shop\n\n[nowhere](none.md)\n")
    shop.git("commit", "-q", "-a", "--no-verify", "-m", "Merge main")
    found = [text for text, _ in branch.judge(task="T1")]
    assert found == ["agents-index: the link to none.md leads nowhere", missing("T1")]


def test_a_picked_commit_asks_for_no_handoff_of_its_task(branch: Branch) -> None:
    branch.commit("Picked from elsewhere\n\nTask: T9")
    branch.commit("Say what it does\n\nTask: T1", "evidence/T1/handoff.json")
    assert [text.partition(" ")[0] for text, _ in branch.judge()] == ["handoff:"]  # of T1, which is no JSON
    assert missing("T9") not in [text for text, _ in branch.judge()]
