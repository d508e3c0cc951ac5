"""pre-push: the pushed branch of a task is judged, by git's lines or a framework's variables; others are left alone."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from conftest import Repository
from groundrules_hooks import pre_push

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Enter = Callable[[Repository], None]

ZERO = "0" * 40
MISSING = "evidence/T1/handoff.json:1: handoff: task T1 has work and no handoff"


class Pusher:
    """Someone who pushes from the current directory, by git itself or through a framework."""

    def __init__(self, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.capfd = capfd
        self.monkeypatch = monkeypatch

    def by_git(self, *lines: str) -> list[str]:
        stdin = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
        self.monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        return self._run(["origin", "file:///remote"])

    def by_framework(self, argv: tuple[str, ...] = (), **variables: str) -> list[str]:
        self.monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
        with self.monkeypatch.context() as context:
            context.setenv("PRE_COMMIT", "1")
            for name, value in variables.items():
                context.setenv(f"PRE_COMMIT_{name.upper()}", value)
            return self._run(list(argv))

    def _run(self, argv: list[str]) -> list[str]:
        self.capfd.readouterr()
        code = pre_push.main(argv)
        out = self.capfd.readouterr().out
        assert code == (1 if out else 0), out
        return out.partition("\n\nTo fix:\n")[0].splitlines()


@pytest.fixture
def push(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Pusher:
    return Pusher(capfd, monkeypatch)


@pytest.fixture
def work(shop: Repository, enter: Enter) -> Repository:
    """A worktree of task T1 with one commit of work and no handoff."""
    work = shop.worktree("task/T1-x", "work")
    enter(work)
    work.commit("work")
    return work


def oid(repository: Repository, ref: str = "HEAD") -> str:
    return repository.git("rev-parse", ref)


def hand_over(repository: Repository, base: str, task: str = "T1") -> str:
    empty: dict[str, Any] = {key: [] for key in ("commits", "files", "checks", "allowed", "detected")}
    facts = {"schema": "handoff/1", "state": "in-progress", "task": task, "base": base, "head": base}
    prose = {"subject_tree": base, "environment": {}, "unresolved": "none", "deviations": "none"}
    return repository.commit(f"evidence/{task}/handoff.json", json.dumps({**empty, **facts, **prose}))


def line(local: str, commit: str, remote: str, old: str = ZERO) -> str:
    return f"{local} {commit} {remote} {old}"


REF = "refs/heads/task/T1-x"


def test_a_task_without_a_handoff_is_refused_and_passes_with_one(
    shop: Repository, work: Repository, push: Pusher
) -> None:
    head = oid(work)
    expected = [MISSING]
    assert push.by_git(line(REF, head, REF)) == expected
    assert push.by_framework(remote_branch=REF, local_branch=REF, to_ref=head) == expected
    head = hand_over(work, oid(shop))
    assert push.by_git(line(REF, head, REF)) == []
    assert push.by_framework(remote_branch=REF, local_branch=REF, to_ref=head) == []


@pytest.mark.parametrize(
    ("local", "remote"),
    [
        ("HEAD", REF),
        ("HEAD", "refs/heads/task/T1-renamed"),
        (REF, "refs/heads/task/T1-x\u00a0\u2003y"),
        (REF, "refs/heads/codex/T1"),
    ],
)
def test_the_name_on_the_remote_decides(work: Repository, push: Pusher, local: str, remote: str) -> None:
    # PSH-10
    head = oid(work)
    expected = [MISSING]
    assert push.by_git(line(local, head, remote)) == expected
    assert push.by_framework(local_branch=local, remote_branch=remote, to_ref=head) == expected


def test_every_line_is_judged_and_one_finding_blocks(shop: Repository, work: Repository, push: Pusher) -> None:
    # PSH-03
    shop.git("branch", "-q", "stray", "task/T1-x")
    lines = [line(REF, oid(work), REF), line("refs/heads/main", oid(shop), "refs/heads/main")]
    expected = [MISSING]
    assert push.by_git(*lines) == push.by_git(*lines[::-1]) == expected
    two = line(REF, oid(work), "refs/heads/task/T2-y")
    assert push.by_git(*lines, two) == [*expected, expected[0].replace("T1", "T2")]


def test_branches_tags_deletions_and_nothing_are_left_alone(work: Repository, push: Pusher) -> None:
    # PSH-04 PSH-12
    work.git("tag", "-a", "-m", "A tag", "v1")
    head, tag = oid(work), oid(work, "v1")
    assert tag != head
    for each in (
        line("refs/tags/v1", tag, "refs/tags/v1"),
        line("refs/tags/v1", tag, "refs/tags/task/T1-x"),
        line("refs/heads/stray", head, "refs/heads/stray"),
        line(REF, head, "refs/for/main"),
        line("(delete)", ZERO, REF, head),
        line("(delete)", "0" * 64, REF, head),
    ):
        assert push.by_git(each) == []
    assert push.by_git() == []
    assert push.by_framework(remote_branch="refs/tags/v1", local_branch="refs/tags/v1", to_ref=tag) == []


def test_a_branch_that_points_to_a_tag_object_is_judged_by_its_commit(work: Repository, push: Pusher) -> None:
    work.git("tag", "-a", "-m", "A tag", "v1")
    assert push.by_git(line("refs/tags/v1", oid(work, "v1"), REF)) == [MISSING]


@pytest.mark.usefixtures("work")
def test_without_stdin_and_arguments_the_branch_of_the_worktree_is_judged(
    shop: Repository, push: Pusher, enter: Enter
) -> None:
    # PSH-01 PSH-05 ENV-18
    assert push.by_framework() == [MISSING]
    assert push.by_framework(("origin", "url")) == [MISSING]
    enter(shop)
    assert push.by_framework() == []


def test_a_branch_that_holds_the_root_commit_has_no_start(shop: Repository, enter: Enter, push: Pusher) -> None:
    # PSH-09
    shop.git("switch", "-q", "--orphan", "task/T1-x")
    shop.git("branch", "-D", "main")
    shop.commit("work", message="wip")
    shop.write("groundrules.toml", "")
    enter(shop)
    head = oid(shop)[:10]
    expected = [
        f".: commit-message: {head}: the subject says only that work is in progress: 'wip'",
        MISSING,
    ]
    assert push.by_framework(remote_branch=REF, local_branch=REF) == expected
    assert push.by_git(line(REF, oid(shop), REF)) == expected


def test_the_pushed_commit_is_judged_and_not_what_is_checked_out(
    shop: Repository, work: Repository, push: Pusher, enter: Enter
) -> None:
    # HAND-09
    early = oid(work)
    hand_over(work, oid(shop))
    enter(shop)
    assert push.by_git(line(REF, oid(work), REF)) == []
    assert push.by_git(line(REF, early, REF)) == [MISSING]


def test_the_base_is_the_one_that_the_worktree_of_the_task_recorded(
    shop: Repository, work: Repository, push: Pusher, enter: Enter
) -> None:
    base = oid(shop)
    assert push.by_framework() != []  # claims, and records the base
    head = hand_over(work, oid(work))
    wrong = f"its base is {oid(work, 'HEAD~1')[:7]}, the task started from {base[:7]}"
    expected = [f"evidence/T1/handoff.json:1: handoff: {wrong}"]
    assert push.by_git(line(REF, head, REF)) == expected
    enter(shop)  # a sibling pushes it
    assert push.by_git(line(REF, head, REF)) == expected


def test_a_base_that_left_the_target_is_told_and_its_commit_is_not_judged(
    shop: Repository, enter: Enter, push: Pusher
) -> None:
    base = shop.commit("start", message="wip")
    work = shop.worktree("task/T1-x", "work")
    work.hook("post_checkout", ZERO, base, "1")
    enter(work)
    work.commit("work", message="wip")
    shop.git("commit", "-q", "--amend", "-m", "Start")
    own = oid(work)[:10]
    gone = f".: one-task: its base {base[:7]} is not on main"
    said = [f".: commit-message: {own}: the subject says only that work is in progress: 'wip'", gone, MISSING]
    assert push.by_framework() == said
    shop.git("branch", "-m", "main", "trunk")
    assert push.by_framework() == [said[0], MISSING]
    shop.git("branch", "main", base)
    assert push.by_framework() == [said[0], MISSING]


def test_what_came_from_a_target_that_moved_on_is_not_judged(work: Repository, shop: Repository, push: Pusher) -> None:
    base = oid(shop)
    work.hook("post_checkout", ZERO, base, "1")
    shop.commit("other", message="wip")
    hand_over(work, base)
    assert push.by_framework() == []
    work.git("merge", "-q", "--no-edit", "main")
    assert push.by_framework() == []
    work.git("reset", "-q", "--hard", "main")
    work.commit("work")
    assert push.by_framework() == [MISSING]


def test_a_sha256_repository_is_pushed_and_deleted_from(tmp_path: Path, enter: Enter, push: Pusher) -> None:
    (tmp_path / "long").mkdir()
    long = Repository(tmp_path / "long")
    long.git("init", "-q", "-b", "main", "--object-format=sha256")
    long.commit("groundrules.toml", "")
    long.git("switch", "-qc", "task/T1-x")
    head = long.commit("work")
    enter(long)
    assert push.by_git(line(REF, head, REF, "0" * 64)) == [MISSING]
    assert push.by_git(line("(delete)", "0" * 64, REF, head)) == []


def test_a_real_push_is_refused_whole_and_then_accepted(hooked: Repository) -> None:
    # PSH-03 PSH-12
    hooked.git("init", "-q", "--bare", "../remote.git")
    hooked.git("remote", "add", "origin", "../remote.git")
    work = hooked.worktree("task/T1-x", "work")
    work.commit("work")
    assert MISSING in work.git("push", "-q", "origin", "main", "HEAD", code=1)
    assert hooked.git("ls-remote", "origin") == ""
    hand_over(work, oid(hooked))
    assert work.git("push", "-q", "origin", "main", "HEAD") == ""
    assert work.git("push", "-q", "origin", "main", "HEAD") == ""
    assert work.git("push", "-q", "origin", ":task/T1-x") == ""


def test_recorded_exceptions_count_unless_the_rule_is_strict(work: Repository, push: Pusher) -> None:
    work.git("commit", "-qn", "--amend", "-m", "Work\n\nGround-rules-allow: handoff (comes with the next push)")
    assert push.by_framework() == []
    work.write("groundrules.toml", '[rules]\nstrict = ["handoff"]\n')
    assert push.by_framework() == [MISSING]
