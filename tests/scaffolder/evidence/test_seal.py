"""`groundrules handoff seal`, `verify`, `reseal`: ready is what is proved for this tree; each untruth has its name."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from conftest import ROOT, Repository
from groundrules import schema
from groundrules_hooks import handoff
from groundrules_hooks.review import Disposition, Finding, Round
from groundrules_hooks.review_log import line_of
from groundrules_hooks.subject import subject_tree
from scaffolder.conftest import OURS

if TYPE_CHECKING:
    from collections.abc import Callable

    from scaffolder.conftest import Answer

    Run = Callable[..., Answer]
    Document = dict[str, Any]

PATH = "evidence/T1/handoff.json"
LOG = "evidence/T1/review.jsonl"
NONE = ("--unresolved", "none", "--deviations", "none")


def document(repository: Repository) -> Document:
    content = (repository.path / PATH).read_bytes()
    assert list(handoff.problems(content)) == []
    found: Document = json.loads(content)
    assert list(schema.problems(found)) == []
    return found


def paste(repository: Repository, command: str) -> str:
    """Run a printed command in a shell, as this checkout's version; return what it says."""
    command = re.sub(r"(tools/)?groundrules (?=check|handoff)", f"{OURS} ", command)
    env = {**os.environ, "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder"}
    done = subprocess.run(
        ["sh", "-c", command], cwd=repository.path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stderr


def commands(said: str) -> list[str]:
    """Return the lines of the block of fixes."""
    return [line.strip() for line in said.partition("To fix:\n")[2].splitlines() if line.startswith("    ")]


def test_a_seal_holds_the_results_of_this_tree_and_is_true(run: Run, sealed: Repository) -> None:
    said = run(sealed, "handoff", "verify")
    found = document(sealed)
    assert found["state"] == "ready"
    assert [(row["name"], row["result"], row["tree"]) for row in found["checks"]] == [
        ("unit", "PASSED", subject_tree("HEAD"))
    ]
    assert (found["target"], found["contract"]) == (found["base"], None)
    assert (said.code, said.out) == (0, "")
    assert said.err == f"✓ handoff       {PATH}   ready, 1 check; true of this commit\n"
    assert run(sealed, "gate").code == 0


def test_a_seal_is_refused_with_what_is_missing_and_the_commands_that_provide_it(run: Run, work: Repository) -> None:
    code, out, err = run(work, "handoff", "seal")
    assert (code, out) == (1, "")
    assert err.splitlines()[:5] == [
        "✗ unit          MISSING  never ran",
        "groundrules: the handoff of T1 is not sealed: 3 things missing",
        "  required check unit is MISSING for this tree: never ran",
        "  unresolved is not given",
        "  deviations is not given",
    ]
    assert not (work.path / "evidence").exists()
    first, last = commands(err)
    assert first == "groundrules check run unit"
    assert last == "groundrules handoff seal --unresolved none --deviations none"
    for command in (first, last):
        paste(work, command)
    assert document(work)["state"] == "ready"


@pytest.mark.parametrize(
    ("event", "outcome"),
    [
        ("commit", "STALE"),  # HAND-18
        ("edit", "PASSED"),
        ("edited run", "DIRTY"),
        ("failed run", "FAILED"),
        ("amend the message", "PASSED"),
        ("amend the content", "STALE"),
        ("revert to what passed", "PASSED"),
        ("change the check", "STALE"),
    ],
)
def test_only_a_run_on_exactly_this_tree_counts(run: Run, work: Repository, event: str, outcome: str) -> None:
    work.commit("behave", "test ! -e fail; echo 1 passed in 0.1s\n")
    run(work, "check", "run", "unit")
    if event == "commit":
        work.commit("cart.py", "cart = 2\n")
    elif event == "edit":
        work.write("cart.py", "cart = 2\n")
    elif event == "edited run":
        work.commit("cart.py", "cart = 2\n")
        work.write("cart.py", "cart = 3\n")
        run(work, "check", "run", "unit")
    elif event == "failed run":
        work.commit("behave", "exit 1\n")
        run(work, "check", "run", "unit")
    elif event == "amend the message":
        work.git("commit", "-q", "--amend", "-m", "Say it another way")  # HAND-01
    elif event == "amend the content":
        work.write("cart.py", "cart = 2\n")
        work.git("commit", "-qa", "--amend", "--no-edit")
    elif event == "revert to what passed":
        work.commit("cart.py", "cart = 2\n")
        work.git("revert", "--no-edit", "HEAD")
    elif event == "change the check":
        text = (work.path / "groundrules.toml").read_text()
        work.commit("groundrules.toml", text.replace('"./behave"', '"./behave", "-v"'))
    said = run(work, "handoff", "seal", *NONE)
    assert said.err.splitlines()[0].split()[:3] == ["✓" if outcome == "PASSED" else "✗", "unit", outcome]
    assert (said.code == 0) == (outcome == "PASSED")
    if outcome == "FAILED":
        assert "required check unit is FAILED for this tree: exit code 1" in said.err


def test_a_result_of_another_worktree_counts_for_the_same_tree(run: Run, work: Repository) -> None:
    other = Repository(work.path.parent / "other")
    work.git("worktree", "add", "-q", "--detach", str(other.path))
    assert run(other, "check", "run", "unit").code == 0
    assert run(work, "handoff", "seal", *NONE).code == 0


def test_a_branch_without_work_cannot_be_sealed(run: Run, checked: Repository) -> None:
    # HAND-05
    work = checked.worktree("task/T1-cart", "work")
    work.commit("evidence/T1/note.md")
    code, _, err = run(work, "handoff", "seal", *NONE)
    assert (code, "there is no work: no commit since the base changes more than evidence" in err) == (1, True)


def test_what_is_not_committed_is_said_and_no_part_of_it(run: Run, work: Repository) -> None:
    # HAND-10
    run(work, "check", "run", "unit")
    work.write("cart.py", "cart = 2\n")
    work.write("new.py")
    said = run(work, "handoff", "seal", *NONE)
    assert (said.code, "▲ not committed, and no part of it: 2 files → git status --short" in said.err) == (0, True)


CONTRACT = """
checks = ["whole"]

[paths]
writes = ["cart.py", "docs/"]

[contracts]
changes = { "api:cart" = ["cart.py"] }
uses = { "schema:orders" = ["db/**"], "api:cart" = ["cart.py"] }
"""


@pytest.fixture
def agreed(checked: Repository) -> Repository:
    """The worktree of T1, whose contract was agreed before it started."""
    checked.commit("tasks/T1.toml", CONTRACT)
    work = checked.worktree("task/T1-cart", "work")
    work.write("docs/cart.md")
    work.commit("cart.py", "cart = 1\n", "Add the cart")
    return work


def deviate(work: Repository) -> list[str]:
    """Do all that is detected, and return how it is told."""
    for name in ("a.py", "b.py", "c.py", "d.py"):
        work.write(f"services/{name}")
    work.write("db/orders.sql")
    work.write("tasks/T1.toml", CONTRACT.replace('"docs/"', '"docs/", "more/"'))
    work.commit("other.py", message="Go beyond\n\nGround-rules-allow: commit-message (imported: as it was)")
    return [
        "outside the contract: db/orders.sql",
        "outside the contract: other.py",
        "outside the contract: services/",
        "touches the contract schema:orders",
        "changes the contract tasks/T1.toml",
        "check not run: e2e",
        "allowed commit-message: imported: as it was",
    ]


def test_contract_that_the_branch_wrote_and_widened_is_told(run: Run, checked: Repository) -> None:
    work = checked.worktree("task/T1-cart", "work")
    work.commit("tasks/T1.toml", CONTRACT)
    work.commit("cart.py", "cart = 1\n", "Add the cart")
    told = "changes the contract tasks/T1.toml"
    run(work, "handoff", "draft")
    assert told not in document(work)["detected"]
    work.commit("tasks/T1.toml", CONTRACT.replace('"docs/"', '"docs/", "more/"'))
    run(work, "handoff", "draft")
    assert told in document(work)["detected"]


def test_within_its_contract_a_task_needs_what_the_contract_names(run: Run, agreed: Repository) -> None:
    said = run(agreed, "handoff", "seal", *NONE)
    assert commands(said.err)[0] == "groundrules check run unit docs whole"
    for command in commands(said.err):
        paste(agreed, command)
    found = document(agreed)
    assert [row["name"] for row in found["checks"]] == ["unit", "docs", "whole"]
    assert found["detected"] == []
    blob = agreed.git("rev-parse", "HEAD:tasks/T1.toml")
    assert found["contract"] == {"path": "tasks/T1.toml", "blob": blob}


def test_every_detected_deviation_must_be_listed(run: Run, agreed: Repository) -> None:
    expected = deviate(agreed)
    run(agreed, "check", "run")
    said = run(agreed, "handoff", "seal", *NONE)
    assert said.code == 1
    assert [line for line in said.err.splitlines() if "does not list" in line] == [
        f"  deviations does not list: {each}" for each in expected
    ]
    paste(agreed, commands(said.err)[-1])
    found = document(agreed)
    assert found["detected"] == found["deviations"] == expected
    reasons = [f"{each}: needed for the cart" for each in expected]
    options = [word for reason in reasons for word in ("--deviations", reason)]
    assert run(agreed, "handoff", "seal", *options, "--commit").code == 0
    assert run(agreed, "gate").code == 0
    assert run(agreed, "handoff", "seal", *options[:-2]).code == 1
    assert run(agreed, "handoff", "seal", *options[:-1], f"{expected[-1]} and more").code == 1


def test_what_the_review_leaves_open_must_be_listed(run: Run, work: Repository) -> None:
    run(work, "check", "run", "unit")
    shutil.copytree(f"{ROOT}/template/review", work.path / "review")
    tree = subject_tree(work.git("rev-parse", "HEAD"))
    finding = Finding(id="f1", severity="P2", title="The total is not rounded", path="src/cart.py", line=3)
    work.write(
        "evidence/T1/review.jsonl",
        line_of(Round(1, "r1", 1, "general", "completed", ("a",), tree, tree, findings=(finding,))),
    )
    refused = run(work, "handoff", "seal", *NONE)
    assert "unresolved does not list: P2 f1 src/cart.py:3 The total is not rounded" in refused.err
    paste(work, commands(refused.err)[-1])
    assert document(work)["unresolved"] == ["P2 f1 src/cart.py:3 The total is not rounded"]


def test_draft_that_forgets_what_the_review_leaves_open_is_refused(run: Run, work: Repository) -> None:
    run(work, "rules")  # to stand in the worktree
    shutil.copytree(f"{ROOT}/template/review", work.path / "review")
    text = "P3 f1 src/cart.py:3 It's not rounded"
    work.commit(LOG, log_line(work, 1, Finding("f1", "P3", "It's not rounded", "src/cart.py", 3)))
    assert run(work, "handoff", "draft", "--deviations", "no cache").code == 0
    for given in (NONE, ("--unresolved", "slow"), ("--unresolved", f"{text} and more")):
        before = document(work)
        refused = run(work, "handoff", "draft", *given, "--commit")
        assert (refused.code, f"unresolved does not list: {text}\n" in refused.err) == (1, True)
        assert document(work) == before
        paste(work, commands(refused.err)[-1])
        kept = [word for word in given[1:2] if word != "none"]
        assert document(work)["unresolved"] == [*kept, text]
        assert document(work)["deviations"] == ("none" if given == NONE else before["deviations"])
    assert run(work, "handoff", "draft", "--unresolved", f"{text}: the next task").code == 0
    assert run(work, "handoff", "draft").code == 0, "what an earlier draft lists is listed"


def test_draft_that_the_gate_asks_for_lists_what_the_review_leaves_open(run: Run, work: Repository) -> None:
    run(work, "rules")  # to stand in the worktree
    shutil.copytree(f"{ROOT}/template/review", work.path / "review")
    work.git("add", "review")
    work.commit(LOG, log_line(work, 1, Finding("f1", "P3", "It's not rounded", "src/cart.py", 3)))
    said = run(work, "gate").out
    assert "has work and no handoff" in said
    paste(work, next(line for line in commands(said) if "handoff draft" in line))
    assert document(work)["unresolved"] == ["P3 f1 src/cart.py:3 It's not rounded"]


def log_line(work: Repository, number: int, *findings: Finding) -> bytes:
    tree = subject_tree(work.git("rev-parse", "HEAD"))
    return line_of(Round(number, f"r{number}", 1, "general", "completed", ("a",), tree, tree, findings=findings))


def test_what_a_review_finds_after_the_seal_must_be_listed_in_a_new_one(run: Run, work: Repository) -> None:
    shutil.copytree(f"{ROOT}/template/review", work.path / "review")
    work.commit("review/README.md", message="Add a review policy")
    run(work, "check", "run", "unit")
    log = log_line(work, 1)
    work.commit(LOG, log)
    assert run(work, "handoff", "seal", "--unresolved", "slow", "--deviations", "none", "--commit").code == 0
    assert run(work, "handoff", "verify").code == 0
    assert "handoff:" not in run(work, "gate").out
    found = [Finding(f"f{number}", "P2", f"It's {number}", "src/cart.py", number) for number in (1, 2)]
    log += log_line(work, 2, *found)
    work.write(LOG, log)
    assert run(work, "handoff", "verify").code == 0, "what is on disk is no part of the commit"
    work.commit(LOG, log, message="Record a round of review")
    work.write(LOG, log_line(work, 1))
    for command in (("handoff", "verify"), ("gate",)):
        said = run(work, *command)
        assert said.code == 1
        assert [line for line in said.out.splitlines() if line.startswith(PATH)] == [
            f"{PATH}:1: handoff: unresolved: not listed: P2 f{number} src/cart.py:{number} It's {number}"
            for number in (1, 2)
        ]
    work.git("checkout", "-q", LOG)
    head = work.git("rev-parse", "HEAD")
    zeros = "0" * 40
    pushed = f"refs/heads/task/T1-cart {head} refs/heads/task/T1-cart {zeros}\n".encode()
    refused = work.hook("pre_push", "origin", "url", code=1, stdin=pushed)
    assert "handoff: unresolved: not listed: P2 f1 src/cart.py:1 It's 1" in refused
    paste(work, commands(refused)[-1])
    assert document(work)["unresolved"] == [
        "slow",
        *(f"P2 f{each.line} src/cart.py:{each.line} {each.title}" for each in found),
    ]
    assert run(work, "handoff", "verify").code == 0
    assert "handoff:" not in run(work, "gate").out


def test_what_was_settled_after_the_seal_need_not_be_listed(run: Run, work: Repository) -> None:
    shutil.copytree(f"{ROOT}/template/review", work.path / "review")
    work.commit("review/README.md", message="Add a review policy")
    run(work, "check", "run", "unit")
    assert run(work, "handoff", "seal", *NONE, "--commit").code == 0
    log = log_line(work, 1, Finding("f1", "P2", "Slow"))
    work.commit(LOG, log, message="Record a round of review")
    assert run(work, "handoff", "verify").code == 1
    work.commit(LOG, log + line_of(Disposition("f1", "wontfix", 1, "ada", reason="fast enough")), message="Settle it")
    assert run(work, "handoff", "verify").code == 0


def test_log_in_the_commit_that_cannot_be_read_is_named(run: Run, sealed: Repository) -> None:
    sealed.commit(LOG, "{}\n", message="Write a log by hand")
    said = run(sealed, "handoff", "verify")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(f"groundrules: {LOG}:1: ")
    assert commands(said.err) == [f"${{EDITOR:-vi}} +1 {LOG}"]


def test_a_check_that_the_contract_names_must_exist(run: Run, agreed: Repository) -> None:
    agreed.commit("tasks/T1.toml", 'checks = ["smoke"]\n')
    said = run(agreed, "handoff", "seal", *NONE)
    assert "tasks/T1.toml names the check smoke, which groundrules.toml does not have" in said.err


def test_a_wrong_contract_is_named(run: Run, agreed: Repository) -> None:
    agreed.commit("tasks/T1.toml", "checks = 3\n")
    assert run(agreed, "handoff", "seal", *NONE).err.startswith("groundrules: tasks/T1.toml: checks is not a list")


# What breaks one truth each, and how it is named. A document is changed by hand, or the branch under it.
LIES: dict[str, tuple[Callable[[Document], object], str]] = {
    "base": (lambda it: it.update(base="1" * 40, target="1" * 40), "its base 1111111 is no ancestor of"),
    "target": (lambda it: it.update(target=it["head"]), "target: {head} is no commit of the target that came after"),
    "commits": (lambda it: it["commits"].pop(), "commits: it lists 0 commits, the branch has 1 commit"),
    "subject": (
        lambda it: it["commits"][0].update(subject="x"),
        "commits: it lists 1 commit, the branch has 1 commit, o",
    ),
    "files": (lambda it: it["files"][0].update(status="M"), "files: it is wrong about cart.py"),
    "subject-tree": (lambda it: it.update(subject_tree="2" * 40), "subject-tree: it says 2222222, git says {tree}"),
    "head": (lambda it: it.update(head=it["base"]), "head: there is work after its head {base}, up to {head}"),
    "no result": (lambda it: it["checks"].clear(), "required check unit is MISSING for this tree: never ran"),
    "by hand": (lambda it: it["checks"][0].update(exit=2), "required check unit is FAILED"),  # HAND-19
    "stale": (lambda it: it["checks"][0].update(tree="3" * 40), "required check unit is STALE"),
    "another command": (lambda it: it["checks"][0].update(command=["true"]), "required check unit is STALE"),
    "detected": (lambda it: it.update(detected=["x"]), "detected: it holds what is not so"),
    "allowed": (
        lambda it: it["allowed"].append({"rule": "guards", "reason": "x", "commit": it["head"]}),
        "allowed: it does not list the exceptions that the commits record",
    ),
    "contract": (
        lambda it: it.update(contract={"path": "tasks/T1.toml", "blob": "5" * 40}),
        "contract: it is about another tasks/T1.toml than the branch has",
    ),
    "prose": (lambda it: it.update(unresolved=None), "unresolved is not given; say what, or the word none"),
}


def tell(repository: Repository, name: str) -> str:
    """Commit a handoff that holds one lie, and return the finding that it must give."""
    lie, expected = LIES[name]
    found = document(repository)
    facts = {"head": found["head"][:7], "base": found["base"][:7], "tree": found["subject_tree"][:7]}
    lie(found)
    repository.commit(PATH, json.dumps(found))
    return f"{PATH}:1: handoff: {expected.format(**facts)}"


@pytest.mark.parametrize("name", LIES)
def test_each_untruth_is_its_own_finding_and_its_fix_mends_it(run: Run, sealed: Repository, name: str) -> None:
    expected = tell(sealed, name)
    said = run(sealed, "handoff", "verify")
    assert said.code == 1
    (message,) = [line for line in said.out.splitlines() if line.startswith("evidence/")]
    assert message.startswith(expected)
    for words in commands(said.out)[-1].split(" && "):
        name, *argv = shlex.split(words)
        assert (name, run(sealed, *argv).code) == ("tools/groundrules", 0)
    # What is asked for where the shape or the base is wrong works in every state of the task, so it seals nothing.
    assert document(sealed)["state"] == ("in-progress" if "handoff draft" in said.out else "ready")
    assert run(sealed, "handoff", "verify").code == 0


@pytest.mark.parametrize("name", ["commits", "stale", "target"])
def test_push_and_gate_find_what_verify_finds(run: Run, sealed: Repository, name: str) -> None:
    # PSH-13
    expected = tell(sealed, name)
    assert expected in run(sealed, "gate").out
    ref = sealed.git("symbolic-ref", "HEAD")
    line = f"{ref} {sealed.git('rev-parse', 'HEAD')} {ref} {'0' * 40}\n"
    assert expected in sealed.hook("pre_push", "origin", "url", stdin=line.encode(), code=1)
    assert sealed.hook("pre_push", "origin", "url", stdin=f"(delete) {'0' * 40} {ref} {'1' * 40}\n".encode()) == ""


def test_a_deviation_that_was_not_listed_is_named_at_a_push_too(run: Run, agreed: Repository) -> None:
    expected = deviate(agreed)
    run(agreed, "check", "run")
    options = [word for each in expected for word in ("--deviations", each)]
    run(agreed, "handoff", "seal", "--unresolved", "none", *options, "--commit")
    found = document(agreed)
    found["deviations"] = ["something else"]
    agreed.commit(PATH, json.dumps(found))
    said = run(agreed, "handoff", "verify")
    assert [line.partition("not listed: ")[2] for line in said.out.splitlines() if "not listed" in line] == expected
    paste(agreed, commands(said.out)[-1])
    assert document(agreed)["deviations"] == ["something else", *expected]
    found = document(agreed)
    found["detected"].remove("check not run: e2e")
    agreed.commit(PATH, json.dumps(found))
    assert "detected: it leaves out check not run: e2e" in run(agreed, "handoff", "verify").out


@pytest.mark.parametrize("how", ["commit", "rebase", "amend", "squash", "drop the check"])
def test_what_happens_after_the_seal_is_found(run: Run, sealed: Repository, target: Repository, how: str) -> None:
    if how == "commit":
        sealed.commit("cart.py", "cart = 2\n")
        expected = "head: there is work after its head"
    elif how == "drop the check":
        sealed.commit("groundrules.toml", '[tasks]\ntarget = "main"\n')
        expected = "head: there is work after its head"
    elif how == "rebase":
        target.commit("other.py")
        sealed.git("rebase", "-q", "main")  # HAND-13
        expected = "REBASED: its head"
    elif how == "amend":
        sealed.git("reset", "-q", "--soft", "main")
        sealed.git("commit", "-qm", "All of it")
        expected = "REBASED: its head"
    else:
        sealed.commit("more.py")
        sealed.git("reset", "-q", "--soft", "main")
        sealed.git("commit", "-qm", "Squashed")
        expected = "REBASED: its head"
    said = run(sealed, "handoff", "verify")
    assert (said.code, said.out.count("handoff: "), expected in said.out) == (1, 1, True)
    if how == "commit":
        paste(sealed, commands(said.out)[-1])
        assert run(sealed, "handoff", "verify").code == 0


def test_draft_takes_no_seal_back_that_still_stands(run: Run, sealed: Repository) -> None:
    sealed.git("reset", "-q", "--soft", "HEAD~1")
    sealed.git("restore", "--staged", "evidence")
    assert "has work and no handoff" in run(sealed, "gate").out
    run(sealed, "handoff", "draft", "--unresolved", "none", "--deviations", "none", "--commit")
    assert (document(sealed)["state"], run(sealed, "gate").code) == ("ready", 0)
    sealed.commit("cart.py", "cart = 2\n")
    run(sealed, "handoff", "draft")
    assert document(sealed)["state"] == "in-progress"


def test_commits_of_evidence_and_merges_of_the_target_leave_it_true(
    run: Run, sealed: Repository, target: Repository
) -> None:
    sealed.commit("evidence/T1/notes.md")
    assert run(sealed, "handoff", "verify").code == 0
    for number in (1, 2):
        target.commit(f"other{number}.py")
        sealed.git("merge", "-q", "--no-ff", "-m", "Merge main", "main")
        assert "head: there is work after its head" in run(sealed, "handoff", "verify").out
        run(sealed, "check", "run", "unit")
        assert run(sealed, "handoff", "seal", "--commit").code == 0
        assert run(sealed, "gate").code == 0
        found = document(sealed)
        assert found["target"] == target.git("rev-parse", "main") != found["base"]
        assert [row["path"] for row in found["files"]] == ["cart.py"]


@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
def test_on_the_target_a_true_handoff_stays_true_however_it_landed(
    run: Run, sealed: Repository, target: Repository, method: str
) -> None:
    # HAND-14; a queue and a push to the target know no branch, so the trailers say whose commits these are
    head = sealed.git("rev-parse", "HEAD")
    before = target.commit("other.py")
    if method == "merge":
        target.git("merge", "-q", "--no-ff", "-m", "Merge T1", head)
    elif method == "squash":
        target.git("merge", "-q", "--squash", head)
        target.git("commit", "-q", "-m", "Add the cart\n\nTask: T1")
    else:
        sealed.git("rebase", "-q", "main")
        target.git("merge", "-q", "--ff-only", "task/T1-cart")
        sealed.git("reset", "-q", "--hard", head)
    assert run(target, "gate", "--base", before).code == 0
    assert run(target, "gate", "--base", before, "--head", head, "--branch", "task/T1-cart").code == 0


def test_without_its_branch_a_handoff_must_be_true_of_its_own_head(
    run: Run, sealed: Repository, target: Repository
) -> None:
    found = document(sealed)
    found["checks"].clear()
    sealed.commit(PATH, json.dumps(found))
    before = target.git("rev-parse", "HEAD")
    target.git("merge", "-q", "--no-ff", "-m", "Merge T1", "task/T1-cart")
    assert "required check unit is MISSING" in run(target, "gate", "--base", before).out


def test_reseal_keeps_the_prose_maps_the_commits_and_asks_for_results(
    run: Run, sealed: Repository, target: Repository
) -> None:
    # HAND-13
    sealed.commit("more.py", message="Add more")
    run(sealed, "check", "run", "unit")
    run(sealed, "handoff", "seal", "--unresolved", "slow", "--commit")
    first, second = [row["oid"] for row in document(sealed)["commits"]]
    target.commit("other.py")
    sealed.git("rebase", "-q", "main")
    code, out, err = run(sealed, "handoff", "reseal")
    assert (code, out) == (1, "")
    new = sealed.git("log", "--reverse", "--format=%H", "main..", "--", "*.py").split()
    assert f"✓ {first[:7]}       → {new[0][:7]} same patch: Add the cart" in err
    assert f"✓ {second[:7]}       → {new[1][:7]} same patch: Add more" in err
    assert "required check unit is STALE for this tree: ran before the last change" in err
    found = document(sealed)
    assert (found["state"], found["unresolved"], found["deviations"]) == ("in-progress", ["slow"], "none")
    for command in commands(err):
        paste(sealed, f"{command} --commit" if command.endswith("none") else command)
    assert document(sealed)["unresolved"] == ["slow"]
    assert run(sealed, "handoff", "verify").code == 0
    assert run(sealed, "handoff", "reseal").code == 0


def test_reseal_sees_a_changed_patch_a_new_commit_and_a_lost_one(run: Run, work: Repository) -> None:
    # HAND-12: white space has meaning
    work.commit("a.py", "if x:\n    one()\ntwo()\n", "Add a")
    work.commit("gone.py", message="Add what goes")
    run(work, "handoff", "draft", *NONE)
    first = document(work)["commits"]
    work.git("reset", "-q", "--hard", "HEAD~2")
    work.commit("a.py", "if x:\n    one()\n    two()\n", "Add a")
    work.commit("new.py", message="Add what comes")
    err = run(work, "handoff", "reseal").err
    new = work.git("log", "--reverse", "--format=%H", "main..").split()
    assert first[0]["oid"] == new[0]
    assert new[0][:7] not in err, "what stayed is not told"
    assert f"▲ {first[1]['oid'][:7]}       → {new[1][:7]} changed: Add a" in err
    assert f"▲ {new[2][:7]}       is new: Add what comes" in err
    assert f"▲ {first[2]['oid'][:7]}       is gone: Add what goes" in err


def test_reseal_without_a_handoff_is_refused(run: Run, work: Repository) -> None:
    code, _, err = run(work, "handoff", "reseal", *NONE)
    assert (code, "task T1 has no handoff to seal again" in err) == (2, True)


def test_a_handoff_in_progress_may_be_pushed_with_checks_that_failed(run: Run, work: Repository) -> None:
    work.commit("behave", "exit 1\n")
    run(work, "check", "run", "unit")
    run(work, "handoff", "draft", "--unresolved", "the check fails", "--commit")
    assert [row["result"] for row in document(work)["checks"]] == ["FAILED"]
    said = run(work, "handoff", "verify")
    assert (said.code, "in-progress, 1 check; task and base are right, the rest is not compared yet" in said.err) == (
        0,
        True,
    )
    assert run(work, "gate").code == 0


def test_the_pushed_commit_is_verified_and_not_the_directory(run: Run, sealed: Repository, target: Repository) -> None:
    # HAND-09
    early = sealed.git("rev-parse", "HEAD")
    sealed.commit("cart.py", "cart = 2\n")
    sealed.write("groundrules.toml", '[tasks]\ntarget = "main"\n\n[[check]]\nname = "new"\nrun = ["true"]\n')
    assert run(sealed, "handoff", "verify", early, "--branch", "task/T1-cart").code == 0
    assert run(target, "handoff", "verify", "task/T1-cart").code == 1
    ref = "refs/heads/task/T1-cart"
    for commit, code in ((early, 0), (sealed.git("rev-parse", "HEAD"), 1)):
        line = f"HEAD {commit} {ref} {'0' * 40}\n"
        said = sealed.hook("pre_push", "origin", "url", stdin=line.encode(), code=code)
        assert ("there is work after its head" in said) == (code == 1)


def test_every_required_check_may_be_demanded(run: Run, checked: Repository) -> None:
    text = (checked.path / "groundrules.toml").read_text().replace("[tasks]\n", '[tasks]\nchecks = "all"\n')
    checked.commit("groundrules.toml", text)
    work = checked.worktree("task/T1-cart", "work")
    work.commit("cart.py")
    said = run(work, "handoff", "seal", *NONE)
    assert commands(said.err)[0] == "groundrules check run unit docs"


def test_from_a_subdirectory_the_whole_is_compared(run: Run, work: Repository) -> None:
    work.write("src/deep/a.py")
    work.commit("b.py")
    run(work, "check", "run", "unit")
    assert run(work.path / "src/deep", "handoff", "seal", *NONE, "--commit").code == 0
    assert [row["path"] for row in document(work)["files"]] == ["b.py", "cart.py", "src/deep/a.py"]
    assert run(work.path / "src/deep", "handoff", "verify").code == 0
    work.commit("c.py")
    assert "head: there is work after its head" in run(work.path / "src/deep", "handoff", "verify").out


def test_a_file_that_was_moved_into_the_evidence_is_removed_work(
    run: Run, work: Repository, target: Repository
) -> None:
    target.commit("notes.md", "".join(f"line {number}\n" for number in range(30)))
    work.git("merge", "-q", "main")
    (work.path / "evidence/T1").mkdir(parents=True)
    work.git("mv", "notes.md", "evidence/T1/notes.md")
    work.git("commit", "-q", "-m", "Move the notes")
    run(work, "handoff", "draft", *NONE)
    assert document(work)["files"] == [{"path": "cart.py", "status": "A"}, {"path": "notes.md", "status": "D"}]


def test_sealing_again_changes_nothing(run: Run, sealed: Repository) -> None:
    before = (sealed.path / PATH).read_bytes()
    code, _, err = run(sealed, "handoff", "seal", "--commit")
    assert (code, "○ handoff       committed as it is" in err) == (0, True)
    assert (sealed.path / PATH).read_bytes() == before
