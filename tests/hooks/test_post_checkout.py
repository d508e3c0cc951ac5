"""post-checkout: a new linked worktree is claimed for, a switch is told in one line, and nothing ever fails by it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from conftest import ROOT, Repository
from groundrules_hooks import pin as pins
from groundrules_hooks import post_checkout, pre_commit
from groundrules_hooks.lock import Lock
from groundrules_hooks.stage import guarded

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ZEROS = "0" * 40


class Told(NamedTuple):
    out: str
    err: str


@pytest.fixture
def hook(enter: Callable[[Repository], None], capfd: pytest.CaptureFixture[str]) -> Callable[..., Told]:
    """Run the stage in process, by default as for a new worktree; assert its exit code and return what it says."""

    def hook(repository: Repository, old: str = ZEROS, flag: str = "1", code: int = 0) -> Told:
        enter(repository)
        capfd.readouterr()
        assert guarded(post_checkout.main, [old, "1" * 40, flag]) == code
        return Told(*capfd.readouterr())

    return hook


def pin_of(shop: Repository, name: str) -> pins.Pin | None:
    return pins.read(str(shop.path / ".git" / "worktrees" / name))


def state(shop: Repository, name: str) -> tuple[pins.Pin | None, str]:
    return pin_of(shop, name), (shop.path.parent / name / ".slot.env").read_text()


# PCO-07
def test_new_worktree_is_claimed_and_told_in_one_line(shop: Repository, hook: Callable[..., Told]) -> None:
    linked = shop.worktree("task/T1-x", "wt")
    base = linked.git("rev-parse", "--short=7", "HEAD")
    said = hook(linked)
    pin = pin_of(shop, "wt")
    assert pin is not None
    table = f"web {3000 + 10 * pin.slot}, api {8000 + 10 * pin.slot}"
    assert said == (
        f"groundrules: task T1, slot {pin.slot} ({table}), base {base}\n",
        "",
    )
    assert f"SLOT={pin.slot}\n" in (linked.path / ".slot.env").read_text()


@pytest.mark.parametrize(("old", "flag"), [(ZEROS, "0"), ("1" * 40, "0"), ("1" * 40, "1")])
def test_other_checkouts_claim_nothing(shop: Repository, hook: Callable[..., Told], old: str, flag: str) -> None:
    linked = shop.worktree("task/T1-x", "wt")
    assert hook(linked, old, flag) == ("", "")
    assert pin_of(shop, "wt") is None


def test_clone_and_main_worktree_are_silent(shop: Repository, hook: Callable[..., Told]) -> None:
    assert hook(shop) == ("", "")
    assert not (shop.path / ".slot.env").exists()


@pytest.mark.parametrize("length", [40, 64])
def test_zeros_of_any_length_mean_a_new_worktree(shop: Repository, hook: Callable[..., Told], length: int) -> None:
    assert hook(shop.worktree("task/T1-x"), "0" * length).out.startswith("groundrules: task T1")


def test_arguments_come_from_a_framework_too(
    shop: Repository,
    enter: Callable[[Repository], None],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    enter(shop.worktree("task/T1-x", "wt"))
    assert (post_checkout.main([]), pin_of(shop, "wt")) == (0, None)
    for name, value in {"FROM_REF": ZEROS, "TO_REF": "1" * 40, "CHECKOUT_TYPE": "1"}.items():
        monkeypatch.setenv(f"PRE_COMMIT_{name}", value)
    assert post_checkout.main([]) == 0
    assert capfd.readouterr().out.startswith("groundrules: task T1, slot ")


# TOP-17
def test_second_worktree_of_a_task_is_told_where_the_first_is(shop: Repository, hook: Callable[..., Told]) -> None:
    first = shop.worktree("task/T1-x", "fi'rst")
    hook(first)
    said = hook(shop.worktree("task/T1-y", "second")).out.splitlines()
    assert said[1] == "▲ task T1 already has a worktree; commits here are refused"
    answer = subprocess.run(
        ["sh", "-c", f"{said[2].removeprefix('→ ')} && pwd"], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == os.path.realpath(first.path)


# PCO-01 PCO-02
def test_hook_command_and_commit_end_in_the_same_state(
    shop: Repository, hook: Callable[..., Told], enter: Callable[[Repository], None]
) -> None:
    shop.commit("groundrules.toml", "[ports]\n")
    linked = shop.path.parent / "wt"
    shop.git("worktree", "add", "-q", "--no-checkout", "-b", "task/T1-x", str(linked))
    Repository(linked).git("reset", "-q", "--hard")
    place = Repository(linked)

    def by_commit() -> None:
        enter(place)
        assert guarded(pre_commit.main, []) == 0

    ways: dict[str, Callable[[], object]] = {
        "hook": lambda: hook(place),
        "command": lambda: place.command("slot"),
        "commit": by_commit,
    }
    states = {}
    for name, way in ways.items():
        way()
        pin, *view = state(shop, "wt")
        for other in ways.values():
            other()
        assert state(shop, "wt") == (pin, *view)
        assert pin is not None
        states[name] = pin._replace(created=""), *view
        place.command("slot", "release")
        assert not (linked / ".slot.env").exists()
    assert states["hook"] == states["command"] == states["commit"]
    assert states["hook"][0] is not None


# PCO-03
@pytest.mark.parametrize("broken", ["configuration", "read-only", "no slot left"])
def test_failed_claim_never_fails_the_creation(hooked: Repository, broken: str) -> None:
    content = {"configuration": "[prots]\n", "read-only": "[ports]\n", "no slot left": "[ports]\nweb = 65535\n"}
    hooked.commit("groundrules.toml", content[broken])
    if broken == "read-only":
        hooked.write(".git/groundrules", "a file where the folder should be")
    said = hooked.git("worktree", "add", "-b", "task/T1-x", "../wt")
    expected = {
        "configuration": "groundrules.toml:1: [prots] is unknown",
        "read-only": "groundrules: slot not claimed: cannot write",
        "no slot left": "groundrules: slot not claimed: no slot from 1 to 30 is usable",
    }
    assert expected[broken] in said
    assert "Traceback" not in said
    assert broken == "configuration" or said.splitlines()[-1].strip() == "tools/groundrules slot"
    assert (hooked.path.parent / "wt" / "AGENTS.md").exists()


# PCO-05
def test_wait_for_the_lock_is_bounded_and_says_so(
    shop: Repository, hook: Callable[..., Told], monkeypatch: pytest.MonkeyPatch
) -> None:
    linked = shop.worktree("task/T1-x", "wt")
    defaults: dict[str, float] = Lock.__init__.__kwdefaults__ or {}
    assert defaults["patience"] <= 10
    monkeypatch.setitem(defaults, "patience", 0.01)
    with Lock(str(shop.path / ".git")):
        said = hook(linked, code=2)
    assert said.err.startswith("groundrules: slot not claimed: waited 0 s for the lock")
    assert (said.out, pin_of(shop, "wt")) == ("", None)
    assert hook(linked).out.startswith("groundrules: task T1, slot ")


# PCO-04
@pytest.mark.parametrize("how", [">&-", "2>&-", ">&- 2>&- <&-", "| true"])
def test_closed_output_changes_nothing(shop: Repository, how: str) -> None:
    linked = shop.worktree("task/T1-x", "wt")
    hook = f'"{sys.executable}" -m groundrules_hooks.post_checkout {ZEROS} {"1" * 40} 1'
    script = f'{{ {hook}; echo "$?" >code; }} {how}'
    env = {**os.environ, "PYTHONPATH": f"{ROOT}/hooks"}
    subprocess.run(["sh", "-c", script], cwd=linked.path, env=env, capture_output=True, check=True)
    assert (linked.path / "code").read_text() == "0\n"
    pin, view = state(shop, "wt")
    assert pin is not None
    assert f"SLOT={pin.slot}\n" in view


@pytest.fixture
def claimed(shop: Repository, hook: Callable[..., Told]) -> Repository:
    """A worktree of task T1 whose slot is claimed."""
    linked = shop.worktree("task/T1-x", "wt")
    linked.commit("one")
    hook(linked)
    return linked


# PCO-06 PCO-09
@pytest.mark.parametrize("how", [["task/T1-x"], ["-c", "task/T2-x"], ["-c", "it's"], ["--detach"]])
def test_switch_is_reported_in_one_line_when_it_leaves_the_tasks_branch(
    shop: Repository, claimed: Repository, hook: Callable[..., Told], how: list[str]
) -> None:
    before = state(shop, "wt")
    claimed.git("switch", "-q", *how)
    said = hook(claimed, claimed.git("rev-parse", "HEAD"))
    if how == ["task/T1-x"]:
        assert said == ("", "")
    else:
        assert (
            said.out
            == "groundrules: this worktree belongs to task T1; commits here go to task/T1-x\n→ git switch task/T1-x\n"
        )
    assert state(shop, "wt") == before
    assert claimed.git("status", "--porcelain") == ""


def test_switch_back_by_the_command_that_was_told(claimed: Repository, hook: Callable[..., Told]) -> None:
    claimed.git("switch", "-q", "-c", "away")
    told = hook(claimed, "1" * 40).out.splitlines()[1].removeprefix("→ ")
    subprocess.run(["sh", "-c", told], cwd=claimed.path, capture_output=True, check=True)
    assert hook(claimed, "1" * 40) == ("", "")


def test_checkout_of_files_and_of_a_renamed_branch_is_silent(claimed: Repository, hook: Callable[..., Told]) -> None:
    claimed.git("branch", "-m", "task/T1-better")
    assert hook(claimed, "1" * 40, "0") == ("", "")
    assert hook(claimed, "1" * 40) == ("", "")


# PCO-06
def test_rebase_and_bisect_are_silent_and_change_no_tracked_file(hooked: Repository) -> None:
    linked = hooked.worktree("task/T1-x", "wt")
    for name in ("one", "two", "three"):
        linked.commit(name, message=f"Add {name}")
    tree = linked.git("rev-parse", "HEAD^{tree}")
    before = state(hooked, "wt")
    said = linked.git("rebase", "--force-rebase", "main")
    said += linked.git("bisect", "start", "HEAD", "main")
    said += linked.git("bisect", "good")
    said += linked.git("bisect", "reset")
    assert "groundrules" not in said
    assert state(hooked, "wt") == before
    assert (linked.git("rev-parse", "HEAD^{tree}"), linked.git("status", "--porcelain")) == (tree, "")


# PCO-08
@pytest.mark.parametrize("name", ["a b", "it's", "a\nb", '"q"', "caf\udce9", "#1", "-x", "$HOME"])
@pytest.mark.parametrize("layout", ["plain", "bare"])
def test_worktree_at_an_awkward_path_is_claimed(hooked: Repository, name: str, layout: str, tmp_path: Path) -> None:
    repository = hooked
    if layout == "bare":
        hooked.git("clone", "-q", "--bare", str(hooked.path), str(tmp_path / "hub" / ".bare"))
        repository = Repository(tmp_path / "hub" / ".bare")
        repository.install_hooks()
    path = repository.path.parent / name
    said = repository.git("worktree", "add", "-q", "-b", "task/T1-x", str(path), "main")
    assert said.startswith("groundrules: task T1, slot ")
    assert "\nSLOT=" in (path / ".slot.env").read_text()
    assert Repository(path).git("status", "--porcelain") == ""


# PCO-10 TOP-08
def test_submodule_gets_no_slot_and_leaves_the_pin_alone(
    shop: Repository, claimed: Repository, hook: Callable[..., Told], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state(shop, "wt")
    claimed.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(shop.path), "lib")
    inner = Repository(claimed.path / "lib")
    assert (inner.path / "groundrules.toml").exists()
    monkeypatch.setenv("GIT_DIR", inner.git("rev-parse", "--absolute-git-dir"))
    assert hook(inner) == ("", "")
    assert state(shop, "wt") == before
    assert not (inner.path / ".slot.env").exists()


# PCO-12
def test_exported_hook_shows_its_summary() -> None:
    with open(os.path.join(ROOT, ".pre-commit-hooks.yaml"), encoding="utf-8") as file:
        entries = file.read().split("- id: ")[1:]
    assert "groundrules-post-checkout" in [entry.split()[0] for entry in entries if "verbose: true" in entry]


# ENV-18
@pytest.mark.parametrize("stage", ["post_checkout", "pre_commit", "commit_msg", "pre_push"])
def test_stdin_that_never_ends_is_not_waited_for(claimed: Repository, stage: str) -> None:
    message = claimed.write("message", "Change a file\n")
    arguments = {"post_checkout": [ZEROS, "1" * 40, "1"], "commit_msg": [str(message)]}.get(stage, [])
    read, write = os.pipe()
    try:
        done = subprocess.run(
            [sys.executable, "-m", f"groundrules_hooks.{stage}", *arguments],
            cwd=claimed.path,
            env={**os.environ, "PYTHONPATH": f"{ROOT}/hooks", "PRE_COMMIT": "1"},
            stdin=read,
            capture_output=True,
            check=False,
            timeout=60,
        )
    finally:
        os.close(read)
        os.close(write)
    assert done.returncode == (1 if stage == "pre_push" else 0)  # pushed without a handoff
