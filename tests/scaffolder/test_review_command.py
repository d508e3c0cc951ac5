"""`groundrules review`: rounds bound to the tree they looked at, and what to do next, in a real repository."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
from typing import TYPE_CHECKING, Any

import pytest

from conftest import ROOT, Repository, run_module
from groundrules.rounds.situation import append, situation
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.review import Answer as ReviewAnswer

if TYPE_CHECKING:
    from collections.abc import Callable

    from scaffolder.conftest import Answer

LOG = "evidence/T1/review.jsonl"
SOUND = {"kind": "failing test", "reference": "cart.py::test_total", "effect": "orders are charged twice"}


class Task:
    """A worktree of a task with the shipped policy, and the commands that a session types there."""

    def __init__(self, repository: Repository, run: Callable[..., Answer]) -> None:
        self.repository = repository
        self._run = run

    def run(self, *argv: str, code: int = 0) -> Answer:
        found = self._run(self.repository, "review", *argv)
        assert found.code == code, found
        return found

    def record(self, *findings: dict[str, Any], **options: str) -> list[str]:
        """Record a round with `findings`; return their ids."""
        report = self.repository.path.parent / "report.json"
        report.write_text(json.dumps({"reviewers": ["codex"], "findings": findings}))
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        return [line.split()[0] for line in self.run("record", str(report), *words).out.splitlines()]

    def decide(self) -> str:
        """Return the decision; `decide` and `next` must agree on it, and the exit code must fit it."""
        found = self._run(self.repository, "review", "decide")
        kind = found.out.partition(":")[0]
        assert found.code == (kind != "END")
        assert self.run("next").out.startswith(f"{kind}: ")
        return kind

    def document(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._run(self.repository, "review", "decide", "--json").out)
        return found

    def work(self, name: str = "cart.py", content: str = "x = 1\n", **trailers: str) -> str:
        message = "Change a file\n\n" + "".join(f"Review-{key}: {value}\n" for key, value in trailers.items())
        return self.repository.commit(name, content, message)


@pytest.fixture
def task(shop: Repository, run: Callable[..., Answer]) -> Task:
    shutil.copytree(f"{ROOT}/template/review", shop.path / "review")
    shutil.copy2(f"{ROOT}/template/.gitattributes", shop.path)
    shop.commit("later")
    worktree = shop.worktree("task/T1-cart")
    worktree.commit("cart.py", "x = 0\n")
    return Task(worktree, run)


def finding(title: str, severity: str | None = "P2", **more: object) -> dict[str, Any]:
    return {"title": title, "severity": severity, "path": "cart.py", "line": 1, **more}


def test_review_from_the_first_round_to_the_end(task: Task) -> None:
    # REV-03: each round looks at another commit
    assert task.decide() == "REVIEW"
    task.run("record", "--start", "--by", "codex")
    assert task.decide() == "WAIT"
    blocking, minor = task.record(finding("Reject", "P1"), finding("Name it"))
    assert task.decide() == "FIX"
    task.work(Fix=blocking)
    task.run("settle", blocking, "--fixed")
    assert task.decide() == "REVIEW"
    task.record(finding("Shorten it", "low"))
    task.work(content="x = 2\n")
    task.record(finding("Split it"))
    assert task.decide() == "END"
    left = {each["id"]: each["severity"] for each in task.document()["open"]}
    assert (left[minor], sorted(left.values())) == ("P2", ["P2", "P2", "P3"])
    last = task.run("next").out.splitlines()[-1]
    assert last.startswith("→ groundrules handoff draft --unresolved 'P2 ")
    assert last.count("--unresolved") == 3


def test_command_that_next_prints_can_be_typed(task: Task) -> None:
    for _ in range(2):
        command = task.run("next").out.splitlines()[-1].removeprefix("→ groundrules review ")
        task.run(*command.split())
        task.run("record", "--none", "--status", "cancelled")
    (oid,) = task.record(finding("Reject", "P0"))
    command = task.run("next").out.splitlines()[-1].removeprefix("→ groundrules review ")
    assert command == f"settle {oid} --fixed"
    task.work()
    task.run(*command.split())
    assert task.decide() == "REVIEW"


def test_round_is_bound_to_the_tree_it_looked_at(task: Task) -> None:
    # REV-10
    task.run("record", "--start")
    task.work()
    assert "does not count: the tree moved" in task.run("record", "--none").err
    assert task.decide() == "REVIEW"
    seen = task.repository.git("rev-parse", "HEAD")
    task.work(content="x = 2\n")
    (oid,) = task.record(finding("Reject", "P1"), head=seen)
    assert task.decide() == "FIX"
    task.run("settle", oid, "--fixed")  # the commit made meanwhile is the fix
    assert task.decide() == "REVIEW"
    task.repository.git("add", "-A")
    task.repository.git("commit", "-q", "-m", "Record the review")
    assert task.run("record", "--none").err.count("does not count") == 0, "evidence is not part of the tree"
    assert task.decide() == "END"


def test_comments_name_the_commit_that_they_are_about(task: Task) -> None:
    about = task.repository.git("rev-parse", "HEAD")
    task.work()
    comments = [
        {"path": "cart.py", "line": 1, "body": "[P3] Name it", "original_commit_id": about, "user": {"login": "bot"}}
    ]
    report = task.repository.write("../comments.json", json.dumps(comments))
    assert "does not count" in task.run("record", str(report)).err
    (event,) = map(json.loads, (task.repository.path / LOG).read_text().splitlines())
    assert (event["head"], event["reviewers"]) == (about, ["bot"])


def test_report_comes_from_stdin_too(task: Task) -> None:
    run_module("groundrules", "review", "record", "-", cwd=task.repository.path, stdin=b"- [P2] Name it")
    assert [each["title"] for each in task.document()["open"]] == ["Name it"]


def test_evidence_that_leads_somewhere_gets_one_focused_round(task: Task) -> None:
    # REV-05 REV-06 REV-11
    task.record(finding("Name it"))
    task.work()
    (oid,) = task.record(finding("Charged twice", "medium", high_risk=True, evidence=[SOUND]))
    assert task.decide() == "FOCUSED"
    assert "no focused round on other" in task.run("record", "--start", "--focused", "other", code=2).err
    task.run("record", "--start", "--focused", oid)
    task.run("record", "--status", "cancelled")
    assert task.decide() == "FOCUSED"
    task.run("record", "--none", "--focused", oid)
    assert task.decide() == "END"
    assert "no focused round" in task.run("record", "--none", "--focused", oid, code=2).err


def test_evidence_that_leads_nowhere_gets_none(task: Task) -> None:
    # REV-05
    task.record(finding("Name it"))
    task.work()
    task.record(finding("Charged twice", high_risk=True, evidence=[{**SOUND, "reference": "gone.py"}]))
    assert task.decide() == "END"


def test_same_finding_elsewhere_is_the_same(task: Task) -> None:
    # REV-09
    task.work("orders.py", "a\nb\nc\n")
    (oid,) = task.record(finding("Split it", path="orders.py", line=2))
    task.work("orders.py", "new\n" * 20 + "a\nb\nc\n")
    assert task.record(finding("Split it", path="orders.py", line=22)) == [oid]
    assert [each["round"] for each in task.document()["open"]] == [2]


def test_finding_without_severity_blocks_until_it_is_sorted(task: Task) -> None:
    # REV-08
    (oid,) = task.record(finding("Odd", None))
    assert task.decide() == "FIX"
    task.run("settle", oid, "--severity", "P3")
    assert task.decide() == "REVIEW"
    (other,) = task.record(finding("Reject", "P1"))
    assert "its reviewer said P1" in task.run("settle", other, "--severity", "P3", code=2).err


def test_p1_is_left_by_an_owner_only_and_fixed_by_a_later_commit_only(task: Task) -> None:
    (oid,) = task.record(finding("Reject", "P1"))
    assert "only an owner" in task.run("settle", oid, "--wontfix", "rare", "--by", "bot", code=2).err
    assert "so it is not the fix" in task.run("settle", oid, "--fixed", code=2).err
    assert "is no commit here" in task.run("settle", oid, "--fixed", "nonsense", code=2).err
    task.repository.git("branch", "elsewhere", "main")
    other = task.repository.git("commit-tree", "-p", "main", "-m", "Other", "main^{tree}")
    assert "is not on this branch" in task.run("settle", oid, "--fixed", other, code=2).err
    assert "the reason says nothing" in task.run("settle", oid, "--wontfix", " ", code=2).err
    assert "has no finding nonsense" in task.run("settle", "nonsense", "--fixed", code=2).err
    assert task.decide() == "FIX"
    own(task)
    task.run("settle", oid, "--wontfix", "rare", "--by", "ada")
    assert task.decide() == "REVIEW"


def own(task: Task) -> None:
    path = task.repository.path / "review/policy.toml"
    path.write_text(path.read_text().replace("owners = []", 'owners = ["ada"]').replace("cap = 6", "cap = 2"))


def test_owner_ends_what_rounds_did_not(task: Task) -> None:
    # REV-01
    assert "no person is asked" in task.run("answer", "end", "--by", "ada", "--reason", "enough", code=2).err
    own(task)
    for number in (1, 2):
        (oid,) = task.record(finding(f"Reject {chr(96 + number) * 3}", "P1"))
        task.work(content=f"x = {number}\n", Fix=oid)
    assert task.decide() == "HUMAN"
    assert "is no owner" in task.run("answer", "end", "--by", "bot", "--reason", "enough", code=2).err
    assert "blocks" in task.run("answer", "end", "--by", "ada", "--reason", "enough", code=2).err
    for each in task.document()["open"]:
        task.run("settle", each["id"], "--fixed")
    assert task.decide() == "HUMAN"
    task.run("record", "--none")
    assert task.decide() == "HUMAN"
    task.run("answer", "continue", "--by", "ada", "--reason", "once more")
    assert (task.decide(), task.document()["series"]) == ("REVIEW", 2)
    task.record(finding("Name it"))
    task.record(finding("Split it"))
    assert task.decide() == "HUMAN"
    task.run("answer", "end", "--by", "ada", "--reason", "enough")
    assert task.decide() == "END"
    task.work(content="x = 9\n")
    assert (task.decide(), task.document()["series"]) == ("REVIEW", 3)


def test_second_look_at_one_tree_waits_for_what_the_first_one_found(task: Task) -> None:
    # REV-12
    (oid,) = task.record(finding("Name it"))
    said = task.run("next").out
    assert said.splitlines()[-1] == f"→ groundrules review settle {oid} --wontfix 'the reason'"
    task.run("record", "--none")
    assert task.decide() == "REVIEW"
    task.run("settle", oid, "--wontfix", "the reason")
    assert task.decide() == "END"


@pytest.fixture
def ended(task: Task) -> tuple[Task, str]:
    """A review that has ended with one finding open."""
    task.record(finding("Name it"))
    task.work()
    (oid,) = task.record(finding("Split it"))
    task.repository.git("add", "-A")
    task.repository.git("commit", "-q", "-m", "Record the review")
    assert task.decide() == "END"
    return task, oid


def test_fix_of_a_finding_keeps_the_end_and_other_work_does_not(ended: tuple[Task, str]) -> None:
    # REV-02
    task, oid = ended
    task.work(content="x = 3\n", Fix=oid)
    assert task.decide() == "END"
    task.work("orders.py", Fix=oid)
    assert task.decide() == "REVIEW"
    task.repository.git("reset", "-q", "--hard", "HEAD~1")
    assert task.decide() == "END"
    task.work(content="x = 4\n")
    task.record(finding("Join it"))
    assert task.document()["series"] == 2
    assert task.decide() == "REVIEW"


def test_rebase_and_clean_merge_keep_the_end(ended: tuple[Task, str], shop: Repository) -> None:
    task, _ = ended
    shop.commit("other.py", "y = 1\n")
    task.repository.git("rebase", "-q", "main")
    assert task.decide() == "END"
    shop.commit("other.py", "y = 2\n")
    task.repository.git("merge", "-q", "-m", "Merge main", "main")
    assert task.decide() == "END"
    shop.commit("cart.py", "x = 7\n")
    task.repository.git("merge", "-q", "main", code=1)
    task.work(content="x = 8\n")
    assert task.decide() == "REVIEW", "what a person made of a conflict was not looked at"


def test_commit_that_was_looked_at_and_is_gone_opens_a_series(ended: tuple[Task, str]) -> None:
    task, _ = ended
    path = task.repository.path / LOG
    path.write_text(re.sub(r'"head": "[0-9a-f]+"', f'"head": "{"0" * 40}"', path.read_text()))
    assert task.decide() == "END", "the tree is the same"
    task.work(content="x = 5\n")
    assert task.decide() == "REVIEW"


def test_two_worktrees_append_and_either_merge_decides_alike(task: Task) -> None:
    # REV-14
    task.repository.git("add", "-A")
    task.repository.git("commit", "-q", "--allow-empty", "-m", "Begin")
    other = Repository(task.repository.path.parent / "other")
    task.repository.git("worktree", "add", "-q", "-b", "task/T1-twin", str(other.path))
    twin = Task(other, task._run)  # noqa: SLF001 (the same session types there)
    for each, title in ((task, "Name it"), (twin, "Split it")):
        each.record(finding(title))
        each.repository.git("add", "-A")
        each.repository.git("commit", "-q", "-m", "Record a round")
    heads = [each.repository.git("rev-parse", "HEAD") for each in (task, twin)]
    documents = []
    for each, theirs in ((task, heads[1]), (twin, heads[0])):
        each.repository.git("merge", "-q", "-m", "Merge", theirs)
        documents.append(each.document())
    assert documents[0] == documents[1]
    assert len(documents[0]["open"]) == 2


def test_many_processes_append_whole_lines(task: Task) -> None:
    texts = [str(number) for number in range(6)]

    def record(by: str) -> None:
        task.repository.command("review", "record", "--none", "--by", by)

    threads = [threading.Thread(target=record, args=(by,)) for by in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rounds = [json.loads(line) for line in (task.repository.path / LOG).read_text().splitlines()]
    assert sorted(each["round"] for each in rounds) == list(range(1, 7))
    assert sorted(each["reviewers"][0] for each in rounds) == sorted(texts)


@pytest.mark.parametrize("argv", [("decide",), ("next",), ("record", "--none")])
def test_torn_log_is_told_and_nothing_is_appended_to_it(task: Task, argv: tuple[str, ...]) -> None:
    task.record(finding("Name it"))
    path = task.repository.path / LOG
    torn = path.read_bytes() * 2
    path.write_bytes(torn[:-20])
    found = task.run(*argv, code=2)
    assert f"{LOG}:2: the last line is torn" in found.err
    assert path.read_bytes() == torn[:-20]
    fix = found.err.splitlines()[-1].strip()
    subprocess.run(["sh", "-ec", fix], cwd=task.repository.path, check=True)
    assert task.decide() == "REVIEW"


def test_line_without_its_newline_stays_a_line(task: Task) -> None:
    task.record(finding("Name it"))
    path = task.repository.path / LOG
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    task.run("record", "--none")
    assert len(path.read_bytes().splitlines()) == 2


def test_what_could_not_be_read_back_is_not_written(task: Task, enter: Callable[[Repository], None]) -> None:
    enter(task.repository)
    with pytest.raises(GroundrulesError, match="reason is not a text that says something"):
        append(situation(), lambda _: [ReviewAnswer("end", 1, "ada", "")])
    assert not (task.repository.path / LOG).exists()


def test_round_that_is_running_is_not_started_again(task: Task) -> None:
    task.run("record", "--start")
    assert "round 1 is running already" in task.run("record", "--start", code=2).err
    task.run("record", "--status", "failed")
    assert task.decide() == "REVIEW"


def test_changes_that_are_not_committed_are_pointed_at(task: Task) -> None:
    task.repository.write("cart.py", "x = 5\n")
    assert "changes that are not committed are not in it" in task.run("record", "--none").err


def test_failed_run_of_an_analyser_is_a_failed_round(task: Task) -> None:
    report = task.repository.write("../scan.sarif", json.dumps({"runs": [{"tool": {"driver": {"name": "scan"}}}]}))
    assert "round 1 failed" in task.run("record", str(report)).err
    assert task.decide() == "REVIEW"


def test_without_a_report_nothing_is_recorded(task: Task) -> None:
    assert "no report is named" in task.run("record", code=2).err
    assert "cannot read gone.json" in task.run("record", "gone.json", code=2).err
    report = task.repository.write("../report.md", "All good.\n")
    assert "without a severity mark" in task.run("record", str(report), code=2).err
    assert not (task.repository.path / LOG).exists()


def test_where_there_is_no_task_or_no_policy_it_says_so(
    task: Task, shop: Repository, run: Callable[..., Answer]
) -> None:
    err = run(shop, "review", "decide").err
    assert "main names no task" in err
    assert err.endswith("To fix:\n    groundrules task list\n")
    task.repository.git("rm", "-q", "review/policy.toml")
    assert "review/policy.toml is missing" in task.run("decide", code=2).err
    assert "review/policy.toml is missing" in task.run("eval", code=2).err


def test_rebase_in_progress_is_still_the_tasks(task: Task) -> None:
    task.repository.hook("post_checkout", "0" * 40, "1" * 40, "1")
    task.repository.git("checkout", "-q", "--detach")
    assert task.decide() == "REVIEW"


def test_evals_run_on_the_files_as_they_are(task: Task) -> None:
    assert "55 evals, 0 not met" in task.run("eval").err
    path = task.repository.path / "review/policy.toml"
    path.write_text(path.read_text().replace("cap = 6", "cap = 5"))
    found = task.run("eval", code=1)
    assert found.out.startswith("review/evals/edges.toml:")
    assert "five rounds with a P1 each: HUMAN (" in found.out
    rows = json.loads(task.run("eval", "--json", code=1).out)["evals"]
    assert [row["name"] for row in rows if not row["met"]] == ["five rounds with a P1 each"]


def test_document_about_a_decision(task: Task) -> None:
    (oid,) = task.record(finding("Charged twice", "medium", high_risk=True, evidence=[SOUND]))
    assert task.document() == {
        "schema_version": 1,
        "task": "T1",
        "decision": "REVIEW",
        "reason": "1 of 2 rounds in a row with P2 and P3 only",
        "series": 1,
        "quiet": 1,
        "quiet_needed": 2,
        "rounds": 1,
        "cap": 6,
        "about": [],
        "open": [
            {
                "id": oid,
                "severity": "P2",
                "title": "Charged twice",
                "path": "cart.py",
                "line": 1,
                "high_risk": True,
                "evidence": [{**SOUND, "resolved": True}],
                "round": 1,
            }
        ],
    }
