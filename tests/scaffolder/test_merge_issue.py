"""`merge audit --issue`: one issue on the forge about what nobody tested, each tree told once; `gh` is stood in for."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from conftest import CONFIG, ROOT
from gh import Forge
from groundrules_hooks.subject import subject_tree

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Repository
    from scaffolder.conftest import Answer

    Run = Callable[..., Answer]

CHECK = '\n[[check]]\nname = "unit"\nrun = ["true"]\n'
QUEUE = '\n[ci]\nrequired = ["gate"]\n'
MINE = [sys.executable, "-m", "groundrules", "merge", "audit", "--issue", "--base"]


@pytest.fixture
def forge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Forge:
    found = Forge(tmp_path / "bin")
    monkeypatch.setenv("PATH", found.path)
    return found


@pytest.fixture
def base(shop: Repository) -> str:
    """The commit before the pushes: from here on a check says what a tested tree is."""
    return shop.commit("groundrules.toml", CONFIG + QUEUE + CHECK)


def audit(run: Run, shop: Repository, base: str, *more: str) -> Answer:
    return run(shop, "merge", "audit", "--issue", "--base", base, *more)


# MERGE-10
def test_direct_push_of_an_untested_tree_opens_one_issue_once(
    run: Run, shop: Repository, base: str, forge: Forge
) -> None:
    direct = shop.commit("cart", message="Add a `cart` for @everyone <!-- groundrules audit x -->")
    said = audit(run, shop, base)
    assert said.code == 1
    assert said.err.splitlines()[-1] == "✓ issue         #1 opened"
    (issue,) = forge.open
    assert issue["title"] == "main holds a tree that nobody tested"
    first, *lines = issue["body"].splitlines()
    assert first == f"<!-- groundrules audit {subject_tree(direct)} -->"
    assert f"- {direct} `Add a 'cart' for @everyone <!-- groundrules audit x -->`: unit MISSING: never ran" in lines
    said = audit(run, shop, base)
    assert (said.code, said.err.splitlines()[-1]) == (1, "○ issue         #1 is open and says so")
    assert len(forge["issues"]) == 1
    assert forge["issues"][0]["comments"] == []


def test_commands_of_the_issue_prove_the_tree(run: Run, shop: Repository, base: str, forge: Forge) -> None:
    direct = shop.commit("cart")
    audit(run, shop, base)
    fetch, prove = [line.strip() for line in forge.open[0]["body"].splitlines() if line.startswith("    ")]
    assert fetch == f"git fetch && git switch --detach {direct}"
    shop.git("switch", "-q", "--detach", direct)
    assert run(shop, *prove.split()[1:]).code == 0
    assert audit(run, shop, base).code == 0


def test_several_commits_of_one_push_are_one_issue_and_the_next_push_is_told_there(
    run: Run, shop: Repository, base: str, forge: Forge
) -> None:
    commits = [shop.commit(name, message=f"Add {name}") for name in ("cart", "shelf", "till")]
    audit(run, shop, base)
    assert [line.split()[1] for line in forge.open[0]["body"].splitlines() if line[:2] == "- "] == commits[::-1]
    later = shop.commit("door", message="Add a door")
    said = audit(run, shop, base)
    assert (said.code, said.err.splitlines()[-1]) == (1, "✓ issue         #1 is open and was told")
    (issue,) = forge["issues"]
    assert [line.split()[1] for line in issue["comments"][0].splitlines() if line[:2] == "- "] == [later]
    assert audit(run, shop, commits[-1]).err.splitlines()[-1] == "○ issue         #1 is open and says so"
    assert len(forge["issues"][0]["comments"]) == 1


def test_many_are_counted_and_told_once(run: Run, shop: Repository, base: str, forge: Forge) -> None:
    for number in range(23):
        shop.commit("cart", f"{number}\n")
    audit(run, shop, base)
    assert "\n- and 3 more\n" in forge.open[0]["body"]
    assert "holds 23 trees" in forge.open[0]["body"]
    assert audit(run, shop, base).err.splitlines()[-1] == "○ issue         #1 is open and says so"


def test_many_more_in_an_open_issue_are_counted_too(run: Run, shop: Repository, base: str, forge: Forge) -> None:
    first = shop.commit("shelf")
    audit(run, shop, base)
    for number in range(23):
        shop.commit("cart", f"{number}\n")
    audit(run, shop, first)
    (told,) = forge.open[0]["comments"]
    assert "holds 23 trees" in told
    assert "\n- and 3 more\n" in told


def test_words_without_an_end_are_cut(run: Run, shop: Repository, base: str, forge: Forge) -> None:
    shop.commit("cart", message="Add " + "`é" * 35_000)
    audit(run, shop, base)
    body = forge.open[0]["body"]
    assert len(body) < 1000
    assert f"Add {chr(39)}é" in body
    assert "…`: unit MISSING: never ran\n" in body


def test_issue_that_was_closed_makes_room_for_the_next(run: Run, shop: Repository, base: str, forge: Forge) -> None:
    first = shop.commit("cart")
    audit(run, shop, base)
    forge.change(issues=[{**forge["issues"][0], "state": "closed"}])
    shop.commit("shelf")
    assert audit(run, shop, first).err.splitlines()[-1] == "✓ issue         #2 opened"
    assert [issue["number"] for issue in forge.open] == [2]


def test_two_audits_at_once_leave_one_issue(
    run: Run, shop: Repository, base: str, forge: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}/hooks:{ROOT}/scaffolder")
    first = shop.commit("cart")
    forge.change(meanwhile=[*MINE, base])  # the same push again, between the look and the issue
    assert audit(run, shop, base).err.splitlines()[-1] == "○ issue         #1 is open and says so"
    assert [issue["state"] for issue in forge["issues"]] == ["open", "closed"]
    assert forge["issues"][1]["comments"] == ["#1 was opened at the same time and says the same."]
    forge.change(issues=[])
    shop.commit("shelf")
    forge.change(meanwhile=[*MINE, base, "--head", first])  # the push before this one
    assert audit(run, shop, first).err.splitlines()[-1] == "✓ issue         #1 is open and was told"
    (issue,) = forge.open
    assert len(issue["comments"]) == 1


def test_issues_of_others_are_not_ours(run: Run, shop: Repository, base: str, forge: Forge) -> None:
    title = "main holds a tree that nobody tested"
    forge.change(issues=[{"number": 1, "title": title, "body": "", "state": "open", "comments": []}])
    shop.commit("cart")
    audit(run, shop, base)
    assert [issue["body"] != "" for issue in forge.open] == [False, True]


@pytest.mark.parametrize(
    ("by", "told"),
    [
        (["User", "NONE"], 1),
        (["User", "CONTRIBUTOR"], 1),
        ([None, "NONE"], 1),
        (["Bot", "NONE"], 0),
        (["User", "MEMBER"], 0),
        (["User", "COLLABORATOR"], 0),
        (["User", "OWNER"], 0),
    ],
)
def test_stranger_who_writes_what_an_audit_would_silences_nothing(
    run: Run, shop: Repository, base: str, forge: Forge, by: list[str | None], told: int
) -> None:
    shop.commit("cart")
    audit(run, shop, base)
    (ours,) = forge["issues"]
    forge.change(issues=[{**ours, "by": by}])
    ending = "✓ issue         #2 opened" if told else "○ issue         #1 is open and says so"
    assert audit(run, shop, base).err.splitlines()[-1] == ending
    silent = {**ours, "body": f"<!-- groundrules audit {'0' * 40} -->\n"}
    forge.change(issues=[{**silent, "comments": [{"number": 7, "body": ours["body"], "by": by}]}])
    audit(run, shop, base)
    assert len(forge["issues"][0]["comments"]) == 1 + told


@pytest.mark.parametrize("call", ["api repos/{owner}/{repo}/issues", "issue create"])
def test_forge_that_fails_leaves_nothing_half_done(
    run: Run, shop: Repository, base: str, forge: Forge, call: str
) -> None:
    shop.commit("cart")
    forge.change(failing=call)
    said = audit(run, shop, base)
    assert said.code == 2
    assert f"groundrules: `gh {call}` failed\n  GraphQL: Resource not accessible by integration\n" in said.err
    assert "unit MISSING: never ran" in said.err
    assert forge["issues"] == []
    forge.change(failing="")
    assert audit(run, shop, base).code == 1
    assert len(forge.open) == 1


def test_without_gh_the_way_without_it_is_named(
    run: Run, shop: Repository, base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.commit("cart")
    git = tmp_path / "git-alone"
    git.mkdir()
    (git / "git").symlink_to(shop.git("--exec-path") + "/git")
    monkeypatch.setenv("PATH", str(git))
    said = audit(run, shop, base)
    assert (said.code, said.err.splitlines()[-1].strip()) == (2, "groundrules merge audit")
    assert "gh is not on the PATH" in said.err
    assert run(shop, "merge", "audit", "--base", base).code == 1


@pytest.mark.parametrize(
    ("ended", "code"),
    [(["success"], 0), ([], 1), (["failure"], 1), (["skipped"], 1), (["success", "failure"], 1), ([None], 1)],
)
def test_tree_that_the_queue_tested_is_known_by_its_required_check(
    run: Run, shop: Repository, base: str, forge: Forge, ended: list[str], code: int
) -> None:
    landed = shop.commit("cart")
    forge.change(checks={landed: {"gate": ended, "gate after push": ["success"]}})
    said = audit(run, shop, base, "--json")
    (row,) = json.loads(said.out)["landings"]
    assert (said.code, len(forge["issues"])) == (code, code)
    assert (row["result"], row["passed"]) == (("MISSING", []) if code else ("PASSED", ["gate"]))
    assert (f"✓ {landed[:7]}       gate passed on this commit" in said.err) == (not code)
    assert run(shop, "merge", "audit", "--base", base).code == 1, "without the forge nobody can tell"


@pytest.mark.parametrize("text", [CONFIG + QUEUE.replace("gate", "easy"), "[ports\n", None])
def test_what_is_pushed_does_not_say_what_it_is_judged_by(
    run: Run, shop: Repository, base: str, forge: Forge, text: str | None
) -> None:
    if text is None:
        shop.git("rm", "-q", "groundrules.toml")
    landed = shop.commit("cart") if text is None else shop.commit("groundrules.toml", text)
    forge.change(checks={landed: {"easy": ["success"]}})
    assert audit(run, shop, base).code == 1
    assert "it has no check that can be run" in forge.open[0]["body"]
    shop.commit("groundrules.toml", CONFIG + QUEUE + CHECK)  # the way back is judged too
    assert audit(run, shop, landed).code == 1


def test_repository_without_a_check_has_nothing_to_tell(run: Run, shop: Repository, forge: Forge) -> None:
    base = shop.git("rev-parse", "HEAD")
    landed = shop.commit("cart")
    for more in ((), ("--issue",)):
        said = run(shop, "merge", "audit", "--base", base, *more)
        assert (said.code, said.err) == (0, f"▲ {landed[:7]}       it has no check that can be run\n")
    assert forge["calls"] == []


@pytest.mark.parametrize(("base", "code"), [("0" * 40, 0), ("f" * 40, 1)])
def test_new_branch_brings_nothing_and_a_forced_one_may(
    run: Run, shop: Repository, forge: Forge, base: str, code: int
) -> None:
    # PSH-06, PSH-07
    shop.commit("groundrules.toml", CONFIG + CHECK)
    said = audit(run, shop, base)
    assert (said.code, len(forge["issues"])) == (code, code)
    expected = "a new branch: nothing landed on it" if code == 0 else "is not known here; the last 20 steps"
    assert expected in said.err


@pytest.mark.usefixtures("base")
@pytest.mark.parametrize("required", [QUEUE, ""])
def test_after_a_forced_push_the_queue_is_asked_by_what_came_before_the_steps(
    run: Run, shop: Repository, forge: Forge, required: str
) -> None:
    # PSH-07
    if not required:
        shop.commit("groundrules.toml", CONFIG + CHECK)
    for number in range(19):
        shop.commit("cart", f"{number}\n")
    shop.commit("groundrules.toml", CONFIG + QUEUE + CHECK + "\n")
    landed = shop.git("rev-list", "--max-count=20", "HEAD").split()
    forge.change(checks={commit: {"gate": ["success"]} for commit in landed})
    said = audit(run, shop, "f" * 40, "--json")
    assert [row["result"] for row in json.loads(said.out)["landings"]] == ["PASSED" if required else "MISSING"] * 20
