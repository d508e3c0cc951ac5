"""A day with a seeded repository, by the commands a person types, under prek and under pre-commit."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from end_to_end.conftest import Seeded

HANDOFF = "tools/groundrules handoff draft --unresolved none --deviations none --commit"


def last_line(said: str) -> str:
    """Return the command that a refusal ends with."""
    fixes = said.partition("To fix:\n")[2].split("\n")
    return [line.strip() for line in fixes if line.startswith("    ")][-1]


def test_first_commit_passed_its_own_hooks(seeded: Seeded) -> None:
    person, repository = seeded.person, seeded.repository
    assert person.does("git log --format=%s%n%an", repository).split("\n")[:2] == ["Adopt the ground rules", "Ada"]
    assert person.does("git branch --show-current", repository) == "main\n"
    assert person.does("git status --short", repository) == ""
    assert 'rev: "v0.1.0"' in (repository / ".pre-commit-config.yaml").read_text()


def test_two_worktrees_have_slots_of_their_own(seeded: Seeded) -> None:
    one = seeded.person.does("git worktree add -b task/T1-cart ../shop.T1", seeded.repository)
    assert "groundrules: task T1, slot 1 (web 3010, api 8010, db 5442), base " in one  # PCO-12
    seeded.person.does("git worktree add -q -b task/T2-search ../shop.T2", seeded.repository)
    answers = [
        json.loads(seeded.person.does("tools/groundrules slot --json 2>/dev/null", seeded.repository.parent / name))
        for name in ("shop", "shop.T1", "shop.T2")
    ]
    assert [answer["slot"] for answer in answers] == [0, 1, 2]
    assert [answer["task"] for answer in answers] == [None, "T1", "T2"]
    base = seeded.person.does("git rev-parse main", seeded.repository).strip()
    assert {answer["base"] for answer in answers[1:]} == {base}
    environment = (seeded.repository.parent / "shop.T2" / ".slot.env").read_text()
    assert "SLOT=2\nWEB_PORT=3020\nAPI_PORT=8020\nDB_PORT=5452\n" in environment


def test_commit_on_another_branch_is_refused_and_the_mend_works(seeded: Seeded) -> None:
    worktree = seeded.worktree("T11")
    switched = seeded.person.does("git switch -c elsewhere", worktree)
    assert "commits here go to task/T11-work" in switched
    said = seeded.commits(worktree, "a", "Add a", code=1)
    assert "one-task: this worktree belongs to task T11 (task/T11-work), and elsewhere is checked out" in said
    seeded.person.does(last_line(said), worktree)
    seeded.commits(worktree, "a", "Add a")


def test_commit_on_main_from_a_worktree_is_refused(seeded: Seeded) -> None:
    """CMT-15: git lets a worktree check out main whenever nobody else has."""
    worktree = seeded.worktree("T12")
    seeded.person.does("git switch -q --ignore-other-worktrees main", worktree)
    said = seeded.commits(worktree, "a", "Add a", code=1)
    assert "one-task" in said
    assert last_line(said) == "git switch task/T12-work"
    seeded.person.does("git reset -q && rm a && " + last_line(said), worktree)
    assert seeded.person.does("git log --oneline main..", worktree) == ""


def test_message_is_refused_then_allowed_and_the_gate_honours_it(seeded: Seeded) -> None:
    worktree = seeded.worktree("T13")
    long = "x" * 73
    assert "commit-message: the subject has 73 characters" in seeded.commits(worktree, "a", long, code=1)
    seeded.commits(worktree, "a", long, ALLOW="commit-message: imported subject")
    message = seeded.person.does("git log -1 --format=%B", worktree)
    assert "\nTask: T13\nGround-rules-allow: commit-message (imported subject)\n" in message
    assert "handoff: task T13 has work and no handoff" in seeded.person.does("make -s gate", worktree, code=2)
    seeded.person.does(HANDOFF, worktree)
    said = seeded.person.does("make -s gate", worktree)
    assert "was allowed commit-message: imported subject" in said
    assert "0 findings" in said


def test_push_needs_a_handoff(seeded: Seeded) -> None:
    remote = seeded.repository.parent / "shop.git"
    seeded.person.does(f"git init -q --bare {remote} && git remote add origin {remote}", seeded.repository)
    seeded.person.does("git push -q origin main", seeded.repository)
    worktree = seeded.worktree("T14")
    seeded.commits(worktree, "a", "Add a")
    said = seeded.person.does("git push -q -u origin task/T14-work", worktree, code=1)
    assert "evidence/T14/handoff.json:1: handoff: task T14 has work and no handoff" in said
    seeded.person.does(last_line(said), worktree)
    seeded.person.does("git push -q -u origin task/T14-work", worktree)
    seeded.commits(worktree, "b", "fixup! Add a")
    assert "fixup! commit is not squashed yet" in seeded.person.does("git push -q", worktree, code=1)  # MSG-04
    seeded.person.does("git push -q origin HEAD:refs/heads/try-out", worktree)
    seeded.person.does("git push -q origin :refs/heads/task/T14-work", worktree)


def test_gate_reports_what_the_hooks_were_kept_from(seeded: Seeded) -> None:
    """CMT-11: the same findings, from the same code, for commits made with -n."""
    worktree = seeded.worktree("T15")
    (worktree / "left.orig").write_text("")
    seeded.person.does("git add -A -f && git commit -q -n -m wip", worktree)
    gate = "tools/groundrules gate --base main"
    said = seeded.person.does(f"{gate} --head HEAD --format json 2>/dev/null", worktree, code=1)
    found = json.loads(said)
    assert found["schema_version"] == 1
    assert {finding["rule"] for finding in found["findings"]} == {"commit-message", "guards", "handoff"}
    head = seeded.person.does("git rev-parse HEAD", worktree).strip()
    assert {finding["commit"] for finding in found["findings"] if finding["rule"] != "handoff"} == {head}
    github = seeded.person.does(f"{gate} --format github 2>/dev/null", worktree, code=1)
    assert all(line.startswith("::error file=") for line in github.splitlines())


def test_conflict_markers_are_refused_by_the_seeded_guard(seeded: Seeded) -> None:
    worktree = seeded.worktree("T16")
    (worktree / "a").write_text("<<<<<<< ours\n1\n=======\n2\n>>>>>>> theirs\n")
    said = seeded.person.does("git add a && git commit -m 'Merge by hand'", worktree, code=1)
    assert "guards/no-merge-debris:1: guards: ended with 1" in said
    assert "a:1: conflict marker" in said


def test_what_the_history_would_keep_is_refused_until_it_is_allowed_or_the_guard_is_off(seeded: Seeded) -> None:
    worktree = seeded.worktree("T38")
    (worktree / "map").write_bytes(b"\0" * ((1 << 20) + 1))
    said = seeded.person.does("git add map && git commit -m 'Add the map'", worktree, code=1)
    assert "guards/no-keys-no-bulk:1: guards: ended with 1" in said
    assert "map:1: 1048577 bytes, at most 1048576" in said
    seeded.person.does("git commit -q -m 'Add the map'", worktree, ALLOW="guards: all of the shop in one file")
    seeded.person.does("chmod -x guards/no-keys-no-bulk && git commit -q -a -m 'Let files be large'", worktree)
    (worktree / "plan").write_bytes(b"\1" * ((1 << 20) + 1))
    seeded.person.does("git add plan && git commit -q -m 'Add the plan'", worktree)


def test_worktree_path_with_blank_and_apostrophe(seeded: Seeded) -> None:
    """PCO-08."""
    path = seeded.repository.parent / "it's here"
    said = seeded.person.does(f'git worktree add -b task/T17-odd "{path}"', seeded.repository)
    assert "groundrules: task T17, slot " in said
    seeded.commits(path, "a b'c", "Add a")
    assert os.path.exists(path / ".slot.env")


def test_edits_that_are_not_staged_survive_every_hook(seeded: Seeded) -> None:
    """CMT-06: bytes that are not UTF-8, with CRLF, in a file that is committed in part."""
    worktree = seeded.worktree("T18")
    (worktree / "a").write_bytes(b"one\r\n\xff\n")
    seeded.person.does("git -c core.autocrlf=false add a && git commit -q -m 'Add a'", worktree)
    (worktree / "a").write_bytes(b"one\r\n\xff\ntwo \xfe\r\n")
    (worktree / "untracked").write_text("mine\n")
    seeded.person.does("git commit -q --allow-empty -m 'Change nothing'", worktree)
    assert (worktree / "a").read_bytes() == b"one\r\n\xff\ntwo \xfe\r\n"
    assert (worktree / "untracked").read_text() == "mine\n"


def test_a_fix_can_be_pasted_in_a_subdirectory(seeded: Seeded) -> None:
    worktree = seeded.worktree("T19")
    below = worktree / "docs"
    (worktree / "a").write_text("a\n")
    command = "git add ../a && git switch -q -c elsewhere-19 && git commit -m 'Add a'"
    said = seeded.person.does(command, below, code=1)
    lines = [line.strip() for line in said.partition("To fix:\n")[2].splitlines()]
    fixes = [line for line in lines if line.startswith(("cd ", "git "))]
    assert fixes == [f"cd {worktree}", "git switch task/T19-work"]
    seeded.person.does(" && ".join([*fixes, "git commit -q -m 'Add a'"]), below)
