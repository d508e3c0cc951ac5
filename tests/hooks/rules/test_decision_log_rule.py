"""decision-log: numbers, statuses, links and the index of decisions; what was accepted on the target stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groundrules_hooks import decision_findings
from groundrules_hooks.config import Config, of_text
from groundrules_hooks.range import Range, judged
from groundrules_hooks.rules.decision_log import NAME

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository
    from hooks.rules.conftest import Author

    Enter = Callable[[Repository], None]

INDEX = "docs/adr/README.md"
LIST = "# Decisions\n\n- [1. Adopt](0001-adopt.md)\n- [2. Sell](0002-sell.md)\n\nMore text.\n"


def decision(number: int, status: str = "accepted", body: str = "As it is.") -> str:
    return f"# {number}. Title\n\nStatus: {status}\n\n## Decision\n\n{body}\n"


@pytest.fixture
def logged(shop: Repository) -> Repository:
    """The main worktree, with two accepted decisions and one proposed."""
    shop.write("docs/adr/0001-adopt.md", decision(1))
    shop.write("docs/adr/0002-sell.md", decision(2))
    shop.commit("docs/adr/0003-buy.md", decision(3, "proposed"))
    return shop


@pytest.fixture
def mine(logged: Repository, enter: Enter) -> Repository:
    """The worktree of task T1, in which the tests commit."""
    worktree = logged.worktree("task/T1-x", "mine")
    enter(worktree)
    return worktree


def stage(repository: Repository, **files: str) -> None:
    """Write decisions by number and stage them all."""
    names = {"d1": "0001-adopt.md", "d2": "0002-sell.md", "d3": "0003-buy.md", "index": "README.md"}
    for name, content in files.items():
        repository.write(f"docs/adr/{names.get(name, f'000{name[1:]}-new.md')}", content)
    repository.git("add", "-A")


def found(repository: Repository, message: str = "Change it", since: str = "refs/heads/main") -> list[str]:
    """Commit, and return what the gate finds in the range since the target, with the rule's name alone."""
    repository.git("commit", "-q", "--no-verify", "--allow-empty", "-m", message)
    asked = Range(repository.git("rev-parse", "HEAD"), (since,), tuple({since, "refs/heads/main"}), "T1", "task/T1-x")
    return [f"{each.path}: {each.message}" for each in judged(asked, Config({})).findings if each.rule == NAME]


# BAS-06, AGADR-03: one finding, of this rule
def test_number_of_a_sibling_is_refused_once_and_the_next_one_taken(
    logged: Repository, mine: Repository, mended: Callable[[], str]
) -> None:
    logged.worktree("task/T2-x", "theirs").commit("docs/adr/0004-theirs.md", decision(4))
    stage(mine, d4=decision(4))
    assert mended() == (
        "docs/adr/0004-new.md:1: decision-log: 0004 of decisions is taken by docs/adr/0004-theirs.md"
        " of task T2 (task/T2-x)"
    )
    assert "docs/adr/0005-new.md" in mine.git("ls-files")


# AGADR-11
def test_number_that_the_target_took_meanwhile_is_refused_by_the_gate(logged: Repository, mine: Repository) -> None:
    stage(mine, d4=decision(4))
    assert found(mine) == []
    logged.commit("docs/adr/4-theirs.md", decision(4))
    assert found(mine) == ["docs/adr/0004-new.md: 0004 of decisions is taken by docs/adr/4-theirs.md on main"]
    assert found(mine, "Allow it\n\nGround-rules-allow: decision-log (renumbered at the merge)") == []


PASSING = {
    "a new one": {"d4": decision(4)},
    "a new proposal about an accepted one": {"d4": decision(4, "proposed\n\nSupersedes: 0001")},
    "one that replaces another": {
        "d1": decision(1, "superseded by [0004](0004-new.md)"),
        "d4": decision(4, "accepted\n\nSupersedes: 0001"),
    },
    "an edit of a proposal": {"d3": decision(3, "proposed", "Otherwise.")},
    "an edit at the moment it is accepted": {"d3": decision(3, "accepted", "Otherwise.")},
    "a rejection": {"d3": decision(3, "rejected")},
    "a status alone": {"d1": decision(1, "deprecated")},
    "blank lines": {"d1": decision(1).replace("\n\n", "\n\n\n")},
    "an index without a list": {"index": "# Decisions\n\nSee the files.\n", "d4": decision(4)},
    "an index with a list": {"index": LIST},
}


@pytest.mark.parametrize("files", PASSING.values(), ids=PASSING)
def test_ordinary_work_on_decisions_passes(mine: Repository, author: Author, files: dict[str, str]) -> None:
    stage(mine, **files)
    assert author.commit().findings == []
    assert found(mine) == []


REFUSED = {
    "docs/adr/0004-new.md:3: decision-log: status done is not known; it is one of proposed, accepted, rejected,"
    " deprecated, superseded": {"d4": decision(4, "done")},
    "docs/adr/0001-adopt.md:3: decision-log: superseded by 0009, which is no decision here": {
        "d1": decision(1, "superseded by 0009")
    },
    "docs/adr/0001-adopt.md:3: decision-log: superseded by 0003, which is proposed": {
        "d1": decision(1, "superseded by 0003")
    },
    "docs/adr/0004-new.md:3: decision-log: supersedes 0008, which is no decision here": {
        "d4": decision(4, "accepted\n\nSupersedes: 0008")
    },
}


@pytest.mark.parametrize(("finding", "files"), REFUSED.items())
def test_status_or_link_that_is_wrong_is_refused_and_opened(
    mine: Repository, author: Author, finding: str, files: dict[str, str]
) -> None:
    stage(mine, **files)
    verdict = author.commit()
    assert verdict.findings == [finding]
    path, line = finding.split(":")[:2]
    assert verdict.fixes[-1] == f"${{EDITOR:-vi}} +{line} {path}"
    assert [each.partition(": ")[2] for each in found(mine)] == [finding.partition("decision-log: ")[2]]


@pytest.mark.parametrize("form", ["Status: accepted", "**Status:** accepted", "- status: Accepted", "## Status\n\nYes"])
def test_status_of_the_older_one_is_mended_in_its_own_form(
    mine: Repository, mended: Callable[[], str], form: str
) -> None:
    mine.commit("docs/adr/0005-old.md", f"# 5. Old\n\n{form.replace('Yes', 'accepted')}\n\nText.\n")
    stage(mine, d6=decision(6, "accepted\n\nSupersedes: 0005"))
    assert "docs/adr/0005-old.md:" in mended()
    text = (mine.path / "docs/adr/0005-old.md").read_text()
    mended_form = (
        form.replace("Yes", "accepted").replace("Accepted", "accepted").replace("accepted", "superseded by 0006")
    )
    assert text == f"# 5. Old\n\n{mended_form}\n\nText.\n"


def test_link_back_is_added_to_the_newer_one(mine: Repository, mended: Callable[[], str]) -> None:
    stage(mine, d1=decision(1, "superseded by 0002"))
    assert mended() == (
        "docs/adr/0002-sell.md:3: decision-log: 0001 says it is superseded by this, and no line here says `Supersedes:`"
    )
    assert "Status: accepted\n\nSupersedes: 0001\n\n## Decision" in (mine.path / "docs/adr/0002-sell.md").read_text()


@pytest.mark.parametrize("status", ["accepted", "deprecated"])
def test_accepted_decision_is_not_rewritten(mine: Repository, author: Author, status: str) -> None:
    stage(mine, d1=decision(1, status, "Otherwise."))
    mine.write("other")
    mine.git("add", "-A")
    assert found(mine) == [
        "docs/adr/0001-adopt.md: 0001 is accepted and not rewritten: a new decision supersedes it"
    ]  # by the gate
    mine.git("reset", "-q", "--soft", "HEAD~1")
    verdict = author.commit()
    assert verdict.findings == [
        "docs/adr/0001-adopt.md:1: decision-log: 0001 is accepted and not rewritten: a new decision supersedes it"
    ]
    restore, _, allocate = verdict.fixes[-1].partition(" && ")
    assert (restore, allocate) == (
        "git restore --staged docs/adr/0001-adopt.md",
        "tools/groundrules next decisions",
    )
    author.paste(restore)
    assert author.commit().findings == []
    assert "Otherwise." in (mine.path / "docs/adr/0001-adopt.md").read_text()


def test_removed_and_renumbered_ones_are_refused_and_brought_back(mine: Repository, author: Author) -> None:
    mine.git("rm", "-q", "docs/adr/0001-adopt.md")
    assert author.commit().findings == [
        "docs/adr/0001-adopt.md:1: decision-log: 0001 is accepted and not removed: a new decision supersedes it"
    ]
    mine.git("mv", "docs/adr/0002-sell.md", "docs/adr/0007-sell.md")
    assert len(author.commit().findings) == 2
    mine.git("reset", "-q", "--hard")
    mine.git("mv", "docs/adr/0002-sell.md", "docs/adr/0002-trade.md")
    assert author.commit().findings == []


def test_fix_of_the_gate_brings_the_words_back(mine: Repository, author: Author) -> None:
    mine.git("mv", "docs/adr/0001-adopt.md", "docs/adr/0001-take.md")
    mine.write("docs/adr/0001-take.md", decision(1, "accepted", "Otherwise."))
    mine.git("add", "-A")
    mine.git("commit", "-q", "--no-verify", "-m", "Rewrite it")
    asked = Range(mine.git("rev-parse", "HEAD"), ("main",), ("refs/heads/main",), "T1", "task/T1-x")
    (fix,) = [each.fix for each in judged(asked, Config({})).findings if each.rule == NAME]
    author.paste(fix)
    assert found(mine) == []


def test_what_was_accepted_on_the_branch_alone_is_still_under_review(mine: Repository, author: Author) -> None:
    stage(mine, d4=decision(4))
    mine.git("commit", "-q", "--no-verify", "-m", "Decide")
    stage(mine, d4=decision(4, "accepted", "As the review wants it."))
    assert author.commit().findings == []
    assert found(mine) == []
    mine.git("rm", "-q", "docs/adr/0004-new.md")
    assert author.commit().findings == []


def test_without_a_target_the_last_commit_counts(logged: Repository, enter: Enter, author: Author) -> None:
    logged.git("branch", "-q", "-m", "main", "trunk")
    enter(logged)
    stage(logged, d1=decision(1, "accepted", "Otherwise."))
    assert len(author.commit().findings) == 1


def test_deleted_decision_leaves_no_link_to_it(mine: Repository, author: Author) -> None:
    stage(mine, d4=decision(4, "proposed\n\nSupersedes: 0003"))
    mine.git("commit", "-q", "--no-verify", "-m", "Propose")
    mine.git("rm", "-q", "docs/adr/0003-buy.md")
    assert author.commit().findings == [
        "docs/adr/0004-new.md:3: decision-log: supersedes 0003, which is no decision here"
    ]


def test_index_lists_what_is_added_and_nothing_that_is_gone(
    mine: Repository, author: Author, mended: Callable[[], str]
) -> None:
    mine.commit(INDEX, LIST.replace("\n\nMore", "\n- [3. Buy](0003-buy.md)\n\nMore"))
    stage(mine, d4=decision(4).replace("Title", "It's & [x] / y"))
    assert mended() == "docs/adr/README.md:5: decision-log: decision 0004 is not listed"
    assert "\n- [3. Buy](0003-buy.md)\n- [4. It's & (x) / y](0004-new.md)\n\nMore" in (mine.path / INDEX).read_text()
    mine.git("commit", "-q", "--no-verify", "-m", "Decide")
    mine.git("rm", "-q", "docs/adr/0003-buy.md")
    assert mended() == "docs/adr/README.md:5: decision-log: 0003-buy.md is listed and is no decision here"
    mine.git("commit", "-q", "--no-verify", "-m", "Drop")
    stage(mine, index=LIST)
    assert mended() == "docs/adr/README.md:4: decision-log: decision 0004 is not listed"
    stage(mine, index="# Decisions\n\n| n | what |\n|---|---|\n| 1 | [Adopt](0001-adopt.md) |\n")
    assert author.commit().fixes == ["${EDITOR:-vi} +5 docs/adr/README.md"]


def test_old_faults_are_no_fault_of_a_change_elsewhere(logged: Repository, enter: Enter, author: Author) -> None:
    stage(logged, d4=decision(4, "done"), d5=decision(5, "superseded by 0099"), index=LIST)
    logged.git("commit", "-q", "--no-verify", "-m", "Break it")
    enter(logged)
    stage(logged, d1=decision(1, "deprecated"), index=LIST + "\nMore.\n")
    assert author.commit().findings == []


def test_log_lies_where_the_configuration_says(mine: Repository, author: Author) -> None:
    mine.write("groundrules.toml", '[[series]]\nname = "decisions"\npaths = ["docs/decisions/*.md"]\n')
    mine.write("docs/decisions/0001-a.md", decision(1, "done"))
    stage(mine, d4=decision(4, "done"))
    assert [each.partition(":")[0] for each in author.commit().findings] == ["docs/decisions/0001-a.md"]


def test_log_of_lines_has_numbers_alone(mine: Repository, author: Author) -> None:
    toml = '[[series]]\nname = "decisions"\npaths = ["DECISIONS.md"]\nline = "## {n}"\n'
    mine.write("groundrules.toml", toml)
    assert of_text(toml.encode()).series[0].line
    mine.write("DECISIONS.md", "## 1\n\n## 1\n")
    mine.git("add", "-A")
    assert len(author.commit().findings) == 1


def test_finished_commits_are_judged_by_their_own_tree(mine: Repository) -> None:
    stage(mine, d4=decision(4, "done"))
    mine.git("commit", "-q", "--no-verify", "-m", "Decide")
    stage(mine, d4=decision(4))
    assert len(found(mine)) == 1


def test_change_of_other_files_asks_nothing(mine: Repository, monkeypatch: pytest.MonkeyPatch, author: Author) -> None:
    monkeypatch.setattr(decision_findings, "against_others", lambda *_: 1 / 0)
    monkeypatch.setattr(decision_findings, "among_themselves", lambda *_: 1 / 0)
    mine.write("docs/adr/sub/0001-x.md")
    mine.write("src/code.py")
    mine.git("add", "-A")
    assert author.commit().findings == []
