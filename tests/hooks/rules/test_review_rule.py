"""review: the evals run when the policy or one of them changes, and a log only grows."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT
from groundrules_hooks import config, history
from groundrules_hooks.rules.review import check

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository
    from hooks.rules.conftest import Author

POLICY = "review/policy.toml"
OWN = "review/evals/own.toml"
ROW = '[[eval]]\nname = "own"\nexpect = "END"\nevents = [{ round = 1 }]\n'
LOG = "evidence/T1/review.jsonl"


@pytest.fixture
def reviewed(shop: Repository, enter: Callable[[Repository], None]) -> Repository:
    """A repository with the shipped policy and its eight decisions, one eval of its own and a log."""
    shop.write(OWN, ROW)
    for path in (POLICY, "review/evals/decisions.toml"):
        shutil.copy2(f"{ROOT}/template/{path}", shop.path / path)
    shop.commit(LOG, "one\ntwo\n")
    enter(shop)
    return shop


def edit(repository: Repository, path: str, old: str, new: str) -> None:
    text = (repository.path / path).read_text()
    assert old in text
    repository.write(path, text.replace(old, new))
    repository.git("add", "-A")


def test_policy_that_leads_elsewhere_is_refused_row_by_row(reviewed: Repository, author: Author) -> None:
    # REV-13
    edit(reviewed, POLICY, "quiet_needed = 2", "quiet_needed = 1")
    found = author.commit().findings
    expected = "review: one quiet round is not enough: the policy leads to END, this row expects REVIEW"
    assert found[0] == f"review/evals/decisions.toml:9: {expected}"
    assert len(found) == 2


def test_row_that_is_edited_with_the_policy_passes(reviewed: Repository, author: Author) -> None:
    reviewed.git("rm", "-q", "-r", "review/evals")
    reviewed.write(OWN, ROW.replace("[{ round = 1 }]", '[{ round = 1, findings = [{ severity = "P2" }] }]'))
    edit(reviewed, POLICY, "quiet_needed = 2", "quiet_needed = 1")
    assert author.commit().findings == []


def test_row_that_expects_something_else_is_refused(reviewed: Repository, author: Author) -> None:
    edit(reviewed, OWN, "END", "HUMAN")
    verdict = author.commit()
    assert verdict.findings == [f"{OWN}:1: review: own: the policy leads to END, this row expects HUMAN"]
    assert verdict.fixes == [f"${{EDITOR:-vi}} +1 {OWN}"]


@pytest.mark.parametrize(
    ("path", "old", "new", "finding"),
    [
        (POLICY, "cap = 6", "caps = 6", f"{POLICY}:5: review: caps is unknown; known are quiet_needed, cap"),
        (POLICY, "cap = 6", "cap = 0", f"{POLICY}:5: review: cap is wrong; expected a number from 1 to 100"),
        (OWN, "round = 1", "rund = 1", f"{OWN}:1: review: neither a round nor a disposition nor an answer"),
    ],
)
def test_file_that_cannot_be_read_is_refused(
    reviewed: Repository, author: Author, path: str, old: str, new: str, finding: str
) -> None:
    edit(reviewed, path, old, new)
    (found,) = author.commit().findings
    assert found.startswith(finding)


@pytest.mark.parametrize("gone", [POLICY, "review/evals"])
def test_policy_or_evals_taken_away_come_back_by_the_fix(
    reviewed: Repository, mended: Callable[[], str], gone: str
) -> None:
    reviewed.git("rm", "-q", "-r", gone)
    assert mended().startswith(f"{POLICY}:1: review: ")


def test_whole_review_folder_may_go(reviewed: Repository, author: Author) -> None:
    edit(reviewed, "AGENTS.md", "Nothing", "Something")
    assert author.commit().findings == []  # what does not touch the policy costs nothing
    reviewed.git("rm", "-q", "-r", "review")
    assert author.commit().findings == [f"{POLICY}:1: review: the policy is missing"]


@pytest.mark.parametrize("content", ["one\n", "one\n2\n", "zero\none\nTWO\n", ""])
def test_log_that_loses_a_line_comes_back_by_the_fix(
    reviewed: Repository, mended: Callable[[], str], content: str
) -> None:
    reviewed.write(LOG, content)
    reviewed.git("add", "-A")
    assert mended() == f"{LOG}:1: review: a review log only grows: lines of it are changed or gone"


@pytest.mark.parametrize(
    ("attributes", "was", "now", "refused"),
    [
        ("*.jsonl -diff\n", "one\ntwo\n", "one\n2\n", 1),
        ("*.jsonl binary\n", "one\ntwo\n", "one\ntwo\nthree\n", 0),
        ("", "one\n\0\n", "two\n\0\n", 1),
        ("", "one\n\0\n", "one\n\0\ntwo\n", 0),
        ("", "one\n", "one\0\n", 1),
        ("", "one\ntwo\n", "two\none\n", 1),
        ("", "one\rtwo\n", "one\rand\rtwo\n", 1),
        ("", "one", "one\ntwo\n", 0),
        ("", "one", "one two\n", 1),
        ("", "one\n", "one", 1),
        ("", "", "one\n", 0),
    ],
)
def test_log_is_judged_by_its_contents(
    reviewed: Repository, author: Author, attributes: str, was: str, now: str, refused: int
) -> None:
    reviewed.write(".gitattributes", attributes)
    reviewed.write("evidence/T2/review.jsonl", was)
    reviewed.git("add", "-A")
    reviewed.git("commit", "-qm", "Begin a log")
    reviewed.write("evidence/T2/review.jsonl", now)
    reviewed.git("add", "-A")
    assert len(author.commit().findings) == refused


def test_log_that_is_removed_comes_back_by_the_fix(reviewed: Repository, mended: Callable[[], str]) -> None:
    reviewed.git("rm", "-q", LOG)
    assert "a review log only grows" in mended()


@pytest.mark.parametrize("path", [LOG, "evidence/T2/review.jsonl", "evidence/T1/notes.jsonl", "review.jsonl"])
def test_log_that_grows_passes_and_other_files_are_free(reviewed: Repository, author: Author, path: str) -> None:
    reviewed.write(path, "one\ntwo\nthree\n")
    reviewed.git("add", "-A")
    assert author.commit().findings == []


def test_folder_of_a_task_may_be_renamed(reviewed: Repository, author: Author) -> None:
    reviewed.git("mv", "evidence/T1", "evidence/T2")
    assert author.commit().findings == []
    reviewed.git("mv", "evidence/T2/review.jsonl", "evidence/T2/old")
    assert len(author.commit().findings) == 1


def test_gate_names_the_commit_that_breaks_it(reviewed: Repository) -> None:
    base = reviewed.git("rev-parse", "HEAD")
    edit(reviewed, OWN, "END", "HUMAN")
    broken = reviewed.commit("later")
    reviewed.write(LOG, "two\n")
    forgetful = reviewed.commit("later", "more\n")
    assert [
        (finding.path, finding.commit)
        for each in history.commits("HEAD", [base])
        for finding in check(each, config.Config({}))
    ] == [(OWN, broken), (LOG, forgetful)]


def test_two_branches_append_and_the_merge_passes(reviewed: Repository, author: Author) -> None:
    # REV-14
    shutil.copy2(f"{ROOT}/template/.gitattributes", reviewed.path / ".gitattributes")
    reviewed.commit("later")
    reviewed.git("switch", "-q", "-c", "other")
    reviewed.commit(LOG, "one\ntwo\ntheirs\n")
    reviewed.git("switch", "-q", "main")
    reviewed.commit(LOG, "one\ntwo\nours\n")
    reviewed.git("merge", "-q", "--no-commit", "other")
    assert sorted((reviewed.path / LOG).read_text().split()) == ["one", "ours", "theirs", "two"]
    assert author.commit().findings == []
