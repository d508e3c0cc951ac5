"""`task start`: branch, worktree, base and slot in one step, or nothing at all."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from conftest import ROOT, Repository, forget

if TYPE_CHECKING:
    from pathlib import Path


def rows(shop: Repository) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(shop.stdout("task", "list", "--json"))["worktrees"]
    return found


def everything(shop: Repository) -> tuple[str, ...]:
    """Return what a failed start must leave as it was: refs, worktrees, the folders beside the repository."""
    beside = " ".join(sorted(os.listdir(shop.path.parent)))
    return shop.git("for-each-ref"), shop.git("worktree", "list", "--porcelain"), beside


def test_start_makes_branch_worktree_base_and_slot(shop: Repository) -> None:
    said = shop.command("task", "start", "T1-cart")
    head = shop.git("rev-parse", "main")
    assert f"✓ worktree      ../shop.T1   branch task/T1-cart from main ({head[:7]})\n" in said
    assert "✓ slot 1        web 3010 · api 8010\n" in said
    assert "▲ no hooks are installed: make hooks\n" in said  # ENV-13
    assert said.startswith("→ cd ../shop.T1\n")
    linked = Repository(shop.path.parent / "shop.T1")
    answer = json.loads(linked.stdout("slot", "--json"))
    assert (answer["slot"], answer["task"], answer["base"]) == (1, "T1", head)
    assert (linked.path / ".slot.env").exists()
    assert linked.git("rev-parse", "--abbrev-ref", "@{upstream}", code=128)  # no tracking was set up
    assert linked.git("status", "--short") == ""


@pytest.mark.parametrize(
    ("name", "title", "branch", "task"),
    [
        ("T1", "", "task/T1", "T1"),
        ("T1", "Pay by card!", "task/T1-pay-by-card", "T1"),
        ("T-12-fix", "", "task/T-12-fix", "T-12"),
        ("T-12", "Größe ändern", "task/T-12-gr-e-ndern", "T-12"),
        ("fix-login", "again 2", "task/fix-login", "fix-login"),  # with the slug it would name another task
        ("T1", "…", "task/T1", "T1"),
    ],
)
def test_names_of_branch_and_task(shop: Repository, name: str, title: str, branch: str, task: str) -> None:
    shop.command("task", "start", name, "--title", title)
    assert [(row["branch"], row["task"]) for row in rows(shop)][1:] == [(branch, task)]


def test_title_becomes_the_contract(shop: Repository) -> None:
    shop.command("task", "start", "T1", "--title", 'Say "hello"')
    assert (shop.path.parent / "shop.T1/tasks/T1.toml").read_text() == 'title = "Say \\"hello\\""\n'


@pytest.mark.parametrize("name", ["", "a b", "-x", "a/b", "ü", "x" * 65, ".x", "T1..x", "T1.lock"])
def test_bad_id_makes_nothing(shop: Repository, name: str) -> None:
    before = everything(shop)
    said = shop.command("task", "start", "--", name, code=2)
    assert "Traceback" not in said
    assert everything(shop) == before


def test_live_task_is_refused_and_named(shop: Repository) -> None:
    # SLT-05 SLT-11
    shop.command("task", "start", "T1")
    before = everything(shop)
    said = shop.command("task", "start", "T1-again", code=2)
    assert f"task T1 is live: {shop.path.parent / 'shop.T1'}\n  slot 1, base " in said
    assert said.endswith(f"    cd {shop.path.parent / 'shop.T1'}\n")
    assert everything(shop) == before
    shop.git("worktree", "add", "-q", "-b", "task/T1-more", "../a-second")
    Repository(shop.path.parent / "a-second").command("slot", "claim")
    assert f"task T1 is live: {shop.path.parent / 'shop.T1'}\n" in shop.command("task", "start", "T1-again", code=2)


@pytest.mark.parametrize("other", ["task", "task/T1/deep"])
def test_branch_that_git_cannot_make_is_refused_before_anything(shop: Repository, other: str) -> None:
    # TOP-16
    shop.git("branch", other)
    before = everything(shop)
    assert f"git cannot make task/T1 beside {other}" in shop.command("task", "start", "T1", code=2)
    assert everything(shop) == before


def test_branch_that_exists_is_refused_with_the_command_that_goes_on(shop: Repository) -> None:
    shop.git("branch", "task/T1")
    said = shop.command("task", "start", "T1", code=2)
    assert "the branch task/T1 exists" in said
    fix = said.rstrip().splitlines()[-1].split()
    shop.git(*fix[1:])


def test_folder_in_the_way_is_refused(shop: Repository) -> None:
    (shop.path.parent / "shop.T1").mkdir()
    (shop.path.parent / "shop.T1" / "mine").write_text("")
    before = everything(shop)
    assert "exists and is not an empty folder" in shop.command("task", "start", "T1", code=2)
    assert everything(shop) == before


# What makes each step after the checks fail: what to commit before, and what the refusal says.
FAILURES = {
    "the folder cannot be made": ('[tasks]\npath = "../file/{id}"\n', "was not made"),
    "no slot is left": ("[ports]\nweb = 65530\n", "no slot from 1 to 30 is usable"),
    "the start has no configuration": ("", "has no groundrules.toml"),
    "the contract cannot be written": ("[ports]\n", "cannot write"),
}


# SLT-09
@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("hooks", [False, True])
def test_start_that_fails_at_any_step_leaves_nothing(shop: Repository, failure: str, *, hooks: bool) -> None:
    if hooks:
        shop.install_hooks()
    config, expected = FAILURES[failure]
    (shop.path.parent / "file").write_text("")
    shop.commit("tasks", "no folder\n") if "contract" in failure else None
    first = shop.commit("groundrules.toml", config)
    if "start" in failure:
        shop.git("rm", "-q", "groundrules.toml")
        shop.git("commit", "-q", "--no-verify", "-m", "Forget the configuration")
        first = shop.git("rev-parse", "HEAD")
        shop.git("checkout", "-q", "HEAD~1")
    before = everything(shop)
    said = shop.command(
        "task", "start", "T1", "--title", "x", "--from", first if "start" in failure else "HEAD", code=2
    )
    assert expected in said
    assert everything(shop) == before
    assert claims(shop) == []
    shop.write("groundrules.toml", '[tasks]\npath = "../made/for/{id}"\n')
    shop.git("add", "-A")
    shop.git("commit", "-q", "--no-verify", "-m", "Mend")
    assert "slot 1 " in shop.command("task", "start", "T1", "--from", "HEAD")


def claims(shop: Repository) -> list[str]:
    """Return what has a slot."""
    return [str(path) for path in (shop.path / ".git").glob("worktrees/*/groundrules/pin")]


def test_folders_above_the_worktree_are_made_and_taken_back(shop: Repository) -> None:
    shop.commit("groundrules.toml", '[tasks]\npath = "../trees/{repo}/{id}"\n')
    before = everything(shop)
    shop.commit("tasks", "no folder\n")
    shop.command("task", "start", "T1", "--title", "x", code=2)
    assert everything(shop)[1:] == (shop.git("worktree", "list", "--porcelain"), before[2])
    assert "→ cd ../trees/shop/T2\n" in shop.command("task", "start", "T2")
    shop.command("task", "start", "T1", "--title", "x", code=2)
    assert sorted(os.listdir(shop.path.parent / "trees" / "shop")) == ["T2"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("whole_group", [False, True])
def test_interrupted_start_leaves_nothing(shop: Repository, number: signal.Signals, *, whole_group: bool) -> None:
    reached, gate = shop.path / ".git" / "reached", shop.path / ".git" / "gate"
    shop.install_hooks()
    hook = shop.path / ".git" / "hooks" / "post-checkout"
    wait = f": >'{reached}'\nwhile ! test -e '{gate}'; do sleep 0.01; done\n"
    hook.write_text(hook.read_text().replace("#!/bin/sh\n", f"#!/bin/sh\n{wait}"))
    before = everything(shop)
    process = subprocess.Popen(
        [sys.executable, "-m", "groundrules", "task", "start", "T1"],
        cwd=shop.path,
        env={**os.environ, "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder"},
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    while not reached.exists():
        assert process.poll() is None
    os.kill(-process.pid if whole_group else process.pid, number)
    if not whole_group:  # as in `kill`: git goes on, and its work is taken back
        gate.write_text("")
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, b"")
    assert everything(shop) == before
    assert claims(shop) == []


# SLT-13
def test_sandbox_whose_git_dir_cannot_be_written_is_told_and_nothing_made(shop: Repository) -> None:
    (shop.path / ".git" / "groundrules").write_text("")  # a file in its place stops root too
    before = everything(shop)
    said = shop.command("task", "start", "T1", code=2)
    assert f"cannot write {shop.path}/.git/groundrules\n" in said
    assert everything(shop) == before
    for words in (("ps", "--all"), ("task", "list")):
        shop.command(*words)


# PCO-08 STACK-08
@pytest.mark.parametrize("name", ["a b 'c' \"d\" $HOME", "größe", "-f", "new\nline", b"\xff\xfe", "x" * 120])
def test_repository_at_an_odd_path(shop: Repository, name: str | bytes) -> None:
    odd = Repository(shop.path.parent / os.fsdecode(name))
    shop.path.rename(odd.path)
    cd = odd.command("task", "start", "T1").partition("✓")[0].removeprefix("→ ").rstrip()
    for command in ("slot", "task show", "task list", "task close"):
        done = subprocess.run(
            ["sh", "-c", f"{cd} && {sys.executable} -m groundrules {command}"],
            cwd=odd.path,
            env={**os.environ, "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder"},
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, (command, done.stderr)
    assert not os.path.lexists(f"{odd.path}.T1")
    forget(odd.path / ".git")


def test_folder_that_git_still_has_as_a_worktree_is_refused_and_left_to_git(shop: Repository) -> None:
    shop.worktree("mine", "shop.T1")
    shutil.rmtree(shop.path.parent / "shop.T1")
    before = everything(shop)
    said = shop.command("task", "start", "T1", code=2)
    assert f"git has a worktree {shop.path}.T1 already" in said
    assert everything(shop) == before
    shop.git(*said.rstrip().splitlines()[-1].split()[1:])
    shop.command("task", "start", "T1")


# SLT-05 SLT-11
def test_starts_at_once_are_counted_one_by_one(shop: Repository) -> None:
    shop.commit("groundrules.toml", "[ports]\nweb = 3000\n\n[tasks]\nmax_live = 3\n")
    env = {**os.environ, "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder"}

    def start(name: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "groundrules", "task", "start", name]
        return subprocess.run(command, cwd=shop.path, env=env, capture_output=True, text=True, check=False)

    with ThreadPoolExecutor(8) as pool:
        same = list(pool.map(start, [f"T1-{slug}" for slug in "abcdefgh"]))
        assert sorted(each.returncode for each in same) == [0] + [2] * 7
        assert all("task T1 is live" in each.stderr for each in same if each.returncode)
        more = list(pool.map(start, [f"T{number}" for number in range(2, 10)]))
    assert sorted(each.returncode for each in more) == [0, 0] + [2] * 6
    assert all("3 tasks are live" in each.stderr for each in more if each.returncode)
    assert len(shop.git("branch", "--list", "task/*").splitlines()) == 3


# PCO-13
def test_worktree_without_a_claim_is_live_too_and_told_how_to_go_on(shop: Repository) -> None:
    linked = shop.worktree("task/T1-x", "made by another tool")
    before = everything(shop)
    said = shop.command("task", "start", "T1", code=2)
    assert f"task T1 is live: {linked.path}\n  it has no slot yet; branch task/T1-x\n" in said
    assert everything(shop) == before
    fix = said.rstrip().splitlines()[-1].replace("tools/groundrules", f"{sys.executable} -m groundrules")
    env = {**os.environ, "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder"}
    subprocess.run(fix, shell=True, cwd=shop.path, env=env, check=True, capture_output=True)  # noqa: S602 (to be pasted)
    assert [(row["task"], row["slot"]) for row in rows(shop)] == [(None, 0), ("T1", 1)]


def test_limit_of_live_tasks(shop: Repository) -> None:
    shop.write("groundrules.toml", "[tasks]\nmax_live = 2\n")
    shop.command("task", "start", "T1")
    shop.command("task", "start", "T2")
    before = everything(shop)
    said = shop.command("task", "start", "T3", code=2)
    assert "2 tasks are live, and [tasks] max_live is 2" in said
    assert everything(shop) == before


def test_limit_of_waiting_handoffs(shop: Repository) -> None:
    shop.commit("groundrules.toml", "[tasks]\nmax_waiting = 1\n")
    shop.command("task", "start", "T1")
    linked = Repository(shop.path.parent / "shop.T1")
    linked.commit("work")
    linked.command("handoff", "draft", "--unresolved", "none", "--deviations", "none")
    path = linked.path / "evidence/T1/handoff.json"
    linked.commit("evidence/T1/handoff.json", path.read_text().replace("in-progress", "ready"))
    said = shop.command("task", "start", "T2", code=2)
    assert "1 handoffs wait for review, and [tasks] max_waiting is 1\n  T1\n" in said


def remote(shop: Repository, folder: Path) -> Repository:
    shop.git("clone", "-q", "--bare", str(shop.path), str(folder / "remote.git"))
    shop.git("remote", "add", "origin", str(folder / "remote.git"))
    shop.git("fetch", "-q", "origin")
    shop.git("branch", "-q", "--set-upstream-to=origin/main", "main")
    colleague = Repository(folder / "colleague")
    shop.git("clone", "-q", str(folder / "remote.git"), str(colleague.path))
    return colleague


def test_start_is_from_what_the_remote_has_now(shop: Repository, tmp_path: Path) -> None:
    # BAS-01 SLT-07
    colleague = remote(shop, tmp_path)
    newest = colleague.commit("theirs")
    colleague.git("push", "-q")
    said = shop.command("task", "start", "T1")
    assert f"branch task/T1 from origin/main ({newest[:7]})" in said
    assert rows(shop)[1]["base"] == newest
    assert not (shop.path / ".git" / "FETCH_HEAD").exists() or newest not in (shop.path / ".git/FETCH_HEAD").read_text()


def test_remote_that_does_not_answer_is_told_with_the_age(shop: Repository, tmp_path: Path) -> None:
    remote(shop, tmp_path)
    (tmp_path / "remote.git").rename(tmp_path / "away.git")
    said = shop.command("task", "start", "T1")
    assert "▲ origin does not answer; its main is known as of " in said
    assert rows(shop)[1]["base"] == shop.git("rev-parse", "origin/main")


def test_local_target_ahead_of_the_remote_is_the_start(shop: Repository, tmp_path: Path) -> None:
    remote(shop, tmp_path)
    ahead = shop.commit("ours")
    assert f"from main ({ahead[:7]})" in shop.command("task", "start", "T1")


def test_start_from_a_given_ref(shop: Repository) -> None:
    first = shop.git("rev-parse", "HEAD")
    shop.commit("later")
    shop.command("task", "start", "T1", "--from", "HEAD~1")
    assert rows(shop)[1]["base"] == first
    assert "nowhere is no commit here" in shop.command("task", "start", "T2", "--from", "nowhere", code=2)


def test_start_in_a_bare_layout(shop: Repository, tmp_path: Path) -> None:
    shop.git("clone", "-q", "--bare", str(shop.path), str(tmp_path / "project" / ".bare"))
    bare = Repository(tmp_path / "project" / ".bare")
    bare.git("config", "remote.origin.url", "")
    bare.git("config", "--unset", "remote.origin.url")
    bare.git("worktree", "add", "-q", "../main", "main")
    main = Repository(tmp_path / "project" / "main")
    main.command("task", "start", "T1")
    Repository(bare.path).command("task", "start", "T2")
    assert {row["task"] for row in rows(main)} == {None, "T1", "T2"}
    assert (tmp_path / "project.T1").is_dir()
    # git keeps no reflog in a bare layout, and the base is exact all the same
    main.git("checkout", "-q", "-b", "another")
    ahead = main.commit()
    main.git("checkout", "-q", "main")
    main.command("task", "start", "T3", "--from", "another")
    assert {row["task"]: row["base"] for row in rows(main)}["T3"] == ahead
    forget(bare.path)


def test_fifty_tasks_at_once(hooked: Repository) -> None:
    """SLT-03 SLT-06: with hooks that claim, in a tree large enough for git's own races."""
    for number in range(500):
        hooked.write(f"many/{number}", f"{number}\n")
    hooked.commit("groundrules.toml", "[ports]\nweb = 3000\n\n[slots]\nmax = 60\n\n[tasks]\nmax_live = 60\n")
    env = {**os.environ, "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder"}

    def start(number: int) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "groundrules", "task", "start", f"T{number}"]
        return subprocess.run(command, cwd=hooked.path, env=env, capture_output=True, check=False)

    with ThreadPoolExecutor(16) as pool:
        done = list(pool.map(start, range(50)))
    assert [each.stderr for each in done if each.returncode] == []
    found = rows(hooked)[1:]
    assert sorted(row["slot"] for row in found) == list(range(1, 51))
    assert {row["task"] for row in found} == {f"T{number}" for number in range(50)}
    assert all(row["held"] is None for row in found)
