"""Real pushes to a bare remote and a second clone: each shape of a push is verified, and judged there again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from conftest import Repository, forget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scaffolder.conftest import Answer

    Run = Callable[..., Answer]

PATH = "evidence/T1/handoff.json"
BRANCH = "task/T1-cart"


@pytest.fixture
def pushing(sealed: Repository) -> Repository:
    """The sealed branch of T1 with our hooks, and a bare remote that has main."""
    sealed.install_hooks()
    sealed.git("init", "-q", "--bare", "-b", "main", "../remote.git")
    sealed.git("remote", "add", "origin", "../remote.git")
    sealed.git("push", "-q", "origin", "main")
    return sealed


@pytest.fixture
def clone(pushing: Repository) -> Iterator[Repository]:
    """A second clone, of somebody who was not in the session."""
    found = Repository(pushing.path.parent / "clone")
    pushing.git("clone", "-q", str(pushing.path.parent / "remote.git"), str(found.path))
    yield found
    forget(found.path / ".git")


def test_a_sealed_branch_is_pushed_and_judged_again_by_a_second_clone(
    run: Run, pushing: Repository, clone: Repository
) -> None:
    assert pushing.git("push", "-q", "origin", BRANCH) == ""
    clone.git("fetch", "-q")
    said = run(clone, "gate", "--rerun", "--base", "origin/main", "--head", f"origin/{BRANCH}")
    assert (said.code, said.out) == (0, "")
    assert [line.split()[:2] for line in said.err.splitlines()] == [["✓", "unit"], ["✓", "handoff"], ["✓", "gate"]]
    assert run(clone, "handoff", "verify", f"origin/{BRANCH}").code == 0
    assert "## Handoff of T1: ready" in run(clone, "handoff", "show", f"origin/{BRANCH}").out


def test_work_after_the_seal_is_refused_in_every_shape_of_a_push(pushing: Repository) -> None:
    # PSH-03 PSH-04 PSH-10 PSH-12
    sealed = pushing.git("rev-parse", "HEAD")
    pushing.git("commit", "-q", "--allow-empty", "-m", "Change nothing more")
    words = "handoff: head: there is work after its head"
    pushing.git("tag", "v1")
    for refs in (
        [BRANCH],
        [f"HEAD:refs/heads/{BRANCH}"],
        ["HEAD:refs/heads/codex/T1"],
        ["main", BRANCH],
        ["--force", BRANCH],
        ["v1", BRANCH],
    ):
        assert words in pushing.git("push", "-q", "origin", *refs, code=1), refs
    assert pushing.git("ls-remote", "--heads", "origin").count("\n") == 0, "main alone"
    assert pushing.git("push", "-q", "origin", "v1", "HEAD:refs/heads/stray") == ""
    assert pushing.git("push", "-q", "origin", f"{sealed}:refs/heads/{BRANCH}") == "", "not what is checked out"
    assert pushing.git("push", "-q", "origin", f"{sealed}:refs/heads/{BRANCH}") == "", "nothing to push"
    assert pushing.git("push", "-q", "origin", f":{BRANCH}") == ""


def test_a_rebased_branch_is_forced_after_its_reseal(run: Run, pushing: Repository, clone: Repository) -> None:
    # HAND-13, PSH-07
    pushing.git("push", "-q", "origin", BRANCH)
    clone.git("switch", "-q", "main")
    clone.commit("other.py", message="Add what others made")
    clone.git("push", "-q", "origin", "main")
    pushing.git("fetch", "-q", "origin")
    pushing.git("rebase", "-q", "origin/main")
    assert "handoff: REBASED: its head" in pushing.git("push", "-q", "--force", "origin", BRANCH, code=1)
    assert run(pushing, "handoff", "reseal", "--commit").code == 1
    assert run(pushing, "check", "run").code == 0
    assert run(pushing, "handoff", "reseal", "--commit").code == 0
    assert pushing.git("push", "-q", "--force", "origin", BRANCH) == ""
    clone.git("fetch", "-q")
    said = run(clone, "gate", "--rerun", "--base", "origin/main", "--head", f"origin/{BRANCH}")
    assert (said.code, said.out) == (0, "")


def test_a_forged_handoff_is_pushed_and_found_by_the_second_clone(
    run: Run, pushing: Repository, clone: Repository
) -> None:
    pushing.commit("behave", "exit 1\n", "Break it")
    run(pushing, "check", "run")
    run(pushing, "handoff", "draft")
    found = json.loads((pushing.path / PATH).read_text())
    found["checks"][0] |= {"result": "PASSED", "exit": 0}
    pushing.commit(PATH, json.dumps({**found, "state": "ready"}), "Hand over T1")
    assert pushing.git("push", "-q", "origin", BRANCH) == "", "tamper-evident, not tamper-proof"
    clone.git("fetch", "-q")
    asked = ("gate", "--base", "origin/main", "--head", f"origin/{BRANCH}")
    assert run(clone, *asked).code == 0
    said = run(clone, *asked, "--rerun")
    assert (said.code, ": check: " in said.out) == (1, True)


def test_a_fork_is_judged_like_any_other_remote(run: Run, pushing: Repository, clone: Repository) -> None:
    pushing.git("push", "-q", "origin", BRANCH)
    pushing.git("init", "-q", "--bare", "../fork.git")
    pushing.git("remote", "add", "fork", "../fork.git")
    pushing.commit("more.py")
    assert "there is work after its head" in pushing.git("push", "-q", "fork", BRANCH, code=1)
    pushing.git("reset", "-q", "--hard", "HEAD~1")
    assert pushing.git("push", "-q", "fork", BRANCH) == ""
    clone.git("fetch", "-q", "../fork.git", BRANCH)
    said = run(clone, "gate", "--base", "origin/main", "--head", "FETCH_HEAD", "--branch", BRANCH)
    assert (said.code, said.out) == (0, "")
