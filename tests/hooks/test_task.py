"""Task ids: read from the branch's name as the specification says, and never anything that is not an id."""

from __future__ import annotations

import re
import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from groundrules_hooks.config import Tasks
from groundrules_hooks.task import branch_for, is_id, of_branch

DEFAULTS = Tasks().branches
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
NAMES = st.text(st.sampled_from("aZ19._-/{} é\n²"), max_size=70)
PATTERNS = st.sampled_from([*DEFAULTS, "{id}-wip", "x/{id}-{slug}/y", "{id}-{slug}-wip", "{id}.x"])


@pytest.mark.parametrize(
    ("branch", "task"),
    [
        ("task/T1-x", "T1"),
        ("task/T-12-fix", "T-12"),
        ("task/T1-fix-2-things", "T1"),
        ("task/T1", "T1"),
        ("task/T1-", "T1-"),
        ("task/fix-login", "fix-login"),
        ("task/login", "login"),
        ("task/123-x", "123"),
        ("task/ABC-7_b.2-x", "ABC-7_b.2"),
        ("worktree-T9", "T9"),
        ("claude/T1-x", "T1-x"),
        ("codex/42", "42"),
        ("cursor/a", "a"),
        ("task/", None),
        ("task/a/b", None),
        ("task/-x", None),
        ("task/_1", None),
        ("task/T1 x", None),
        ("task/é1-x", None),
        ("Task/T1-x", None),
        ("mytask/T1-x", None),
        ("main", None),
        ("worktree-", None),
        ("", None),
        (None, None),
        ("task/" + "a" * 64, "a" * 64),
        ("task/" + "a" * 65, None),
    ],
)
def test_task_of_a_branch(branch: str | None, task: str | None) -> None:
    assert of_branch(branch, DEFAULTS) == task


@pytest.mark.parametrize(
    ("branch", "pattern", "task"),
    [
        ("feature/T1", "feature/{id}-{slug}", "T1"),
        ("feature/fix-login", "feature/{id}-{slug}", "fix-login"),
        ("T1-x/wip", "{id}-{slug}/wip", "T1"),
        ("T1/wip", "{id}/wip", "T1"),
        ("wip", "{id}/wip", None),
        ("/wip", "{id}/wip", None),
        ("ab", "ab{id}", None),
        ("aXa", "a{id}a", "X"),
        ("aa", "a{id}a", None),
        ("a", "a{id}a", None),
    ],
)
def test_pattern_of_the_repositorys_own(branch: str, pattern: str, task: str | None) -> None:
    assert of_branch(branch, [pattern]) == task


@settings(deadline=None)
@given(NAMES | st.text(max_size=70))
@example("a" * 64)
@example("a" * 65)
@example("a\n")
@example("²")
@example(".a")
@example("٣")
def test_is_id_equals_the_expression_of_the_specification(text: str) -> None:
    assert is_id(text) == bool(ID.match(text))


@settings(deadline=None)
@given(NAMES, st.lists(PATTERNS, max_size=3))
def test_of_branch_never_returns_what_is_no_id(branch: str, patterns: list[str]) -> None:
    found = of_branch(branch, patterns)
    assert found is None or (ID.match(found) and found in branch)


@settings(deadline=None)
@given(
    st.from_regex(r"[A-Za-z]{0,3}-?[0-9]{1,4}", fullmatch=True).filter(is_id),
    st.from_regex(r"[a-z]+(-[a-z]+){0,2}", fullmatch=True),
)
def test_branch_made_from_an_id_and_a_slug_gives_the_id_back(task: str, slug: str) -> None:
    assert of_branch(f"task/{task}-{slug}", DEFAULTS) == task
    assert of_branch(f"task/{task}", DEFAULTS) == task


@settings(deadline=None)
@given(NAMES.filter(bool), PATTERNS)
@example("x" * 63 + ".y", "task/{id}-{slug}")
def test_suggested_branch_names_a_task(name: str, pattern: str) -> None:
    assert of_branch(branch_for(name, pattern), [pattern]) is not None


@pytest.mark.parametrize("name", ["feature/x", "Fix the login", "é", "x" * 63 + ".y", "-", "a@{b}", "..", "T1~^:?*[\\"])
def test_suggested_branch_is_one_that_git_takes(name: str) -> None:
    made = branch_for(name, DEFAULTS[0])
    assert (
        subprocess.run(["git", "check-ref-format", "--branch", made], capture_output=True, check=False).returncode == 0
    )
