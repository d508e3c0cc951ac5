"""Claims at once give distinct slots; a claim killed at any step leaves nothing that a later one trips over."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import killing
from groundrules_hooks import pin as pins

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Repository

# Forks one process for each worktree, lets them all go at once, and fails when one of them does. Prints a letter for
# each: n for a new claim, o for an old one.
AT_ONCE = """
import os, sys
from groundrules_hooks.config import of_worktree
from groundrules_hooks.slot import claim
from groundrules_hooks.worktree import locate

ready, go = os.pipe(), os.pipe()
children = []
for path in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        os.close(go[1])
        os.chdir(path)
        worktree = locate()
        config = of_worktree(worktree)
        os.write(ready[1], b".")
        os.read(go[0], 1)
        claimed = claim(worktree, config)
        os.write(1, b"n" if claimed.new else b"o")
        os._exit(claimed.slot == 0)
    children.append(child)
for _ in children:
    os.read(ready[0], 1)
os.close(go[1])
sys.exit(any([os.waitpid(child, 0)[1] for child in children]))
"""

# For every call of the system made by the modules that write, one claim that is killed before this call; then a sibling
# claims, then the killed one again. Prints one JSON row for each: what the kill left, and what came of it.
KILLED = """
import io, json, os, shutil, sys
from groundrules_hooks import lock, pin, slot_env, temporary
from groundrules_hooks.config import of_worktree
from groundrules_hooks.slot import claim, values
from groundrules_hooks.slot_env import render
from groundrules_hooks.worktree import locate
from killing import stop_before

WRITERS = {lock.__file__, pin.__file__, slot_env.__file__, temporary.__file__, os.__file__}

def located(path):
    os.chdir(path)
    worktree = locate()
    return worktree, of_worktree(worktree)

killed, sibling, private, exclude = sys.argv[1:]
places = {path: located(path) for path in (killed, sibling)}
common = places[killed][0].common_dir

def whole(path, profile=None):
    worktree, config = places[path]
    sys.setprofile(profile)
    slot = claim(worktree, config).slot
    render(worktree, {**values(worktree, config, slot), "TASK_TMPDIR": private})
    sys.setprofile(None)
    return slot

def forget():
    for worktree, _ in places.values():
        shutil.rmtree(worktree.git_dir + "/groundrules", ignore_errors=True)
        if os.path.exists(worktree.root + "/.slot.env"):
            os.unlink(worktree.root + "/.slot.env")
    shutil.rmtree(common + "/groundrules", ignore_errors=True)
    shutil.rmtree(os.path.dirname(private), ignore_errors=True)
    shutil.copyfile(exclude, common + "/info/exclude")

step, code = 0, 9
while code == 9:
    step += 1
    forget()
    child = os.fork()
    if child == 0:
        whole(killed, stop_before(step, WRITERS))
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    left = pin.read(places[killed][0].git_dir)
    second, first = whole(sibling), whole(killed)
    with open(killed + "/.slot.env") as view, open(common + "/info/exclude") as ignored:
        seen = {"view": view.read(), "exclude": ignored.read()}
    print(json.dumps({"code": code, "left": left and left.slot, "slots": [first, second], **seen}))
"""


# An add that meets a sibling's half-made entry fails before any hook runs, with or without us.
GITS_OWN_RACE = re.compile(r"failed to read \S+/commondir")


def run(script: str, *args: str) -> str:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run([sys.executable, "-c", script, *args], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def add(repository: Repository, branch: str, path: str) -> subprocess.Popen[bytes]:
    """Start `git worktree add` and do not wait for it."""
    command = ["git", "worktree", "add", "--no-track", "-b", branch, path, "main"]
    return subprocess.Popen(command, cwd=repository.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def entries(shop: Repository) -> list[Path]:
    return sorted((shop.path / ".git" / "worktrees").iterdir())


def claimed_pins(shop: Repository) -> list[pins.Pin]:
    found = [pins.read(str(entry)) for entry in entries(shop)]
    return [pin for pin in found if pin]


# SLT-03
def test_fifty_worktrees_added_at_once_get_fifty_slots(hooked: Repository) -> None:
    names = [f"task/T{number}-x" for number in range(50)]
    start = hooked.commit("groundrules.toml", "[ports]\nweb = 21000\napi = 22000\n[slots]\nstride = 1\nmax = 60\n")
    said = dict.fromkeys(range(50), "")
    while pending := [number for number, text in said.items() if not text]:
        adding = {number: add(hooked, names[number], f"../wt{number}") for number in pending}
        for number, each in adding.items():
            text = each.communicate()[0].decode()
            if each.returncode and GITS_OWN_RACE.search(text):
                assert not (hooked.path.parent / f"wt{number}" / ".slot.env").exists()
                hooked.git("branch", "-D", names[number], code=None)
                continue
            assert each.returncode == 0, text
            said[number] = text
        # What git made has a slot, what it did not make holds none.
        assert len(entries(hooked)) == len(claimed_pins(hooked)) == sum(map(bool, said.values()))
    assert all(f"groundrules: task T{number}, slot " in text for number, text in said.items())
    found = claimed_pins(hooked)
    assert len({pin.slot for pin in found}) == 50
    assert {pin.slot for pin in found} <= set(range(1, 61))
    assert {(pin.branch, pin.base, pin.rival) for pin in found} == {(name, start, "") for name in names}
    views = [(hooked.path.parent / f"wt{number}" / ".slot.env").read_text() for number in range(50)]
    ports = [line for view in views for line in view.splitlines() if "_PORT=" in line]
    assert len(ports) == len(set(ports)) == 100
    assert (hooked.path / ".git" / "info" / "exclude").read_text().count("/.slot.env") == 1


# SLT-03
def test_fifty_claims_at_once_in_fifty_worktrees(shop: Repository) -> None:
    shop.commit("groundrules.toml", "[ports]\nweb = 21000\n[slots]\nstride = 1\nmax = 60\n")
    for number in range(50):
        shop.git("worktree", "add", "-q", "--no-track", "--no-checkout", "-b", f"task/T{number}", f"../wt{number}")
        (shop.path.parent / f"wt{number}" / "groundrules.toml").write_bytes(
            (shop.path / "groundrules.toml").read_bytes()
        )
    assert run(AT_ONCE, *(str(shop.path.parent / f"wt{number}") for number in range(50))) == "n" * 50
    found = claimed_pins(shop)
    assert (len(found), len({pin.slot for pin in found})) == (50, 50)
    assert {pin.task for pin in found} == {f"T{number}" for number in range(50)}
    assert {name for entry in entries(shop) for name in os.listdir(entry / "groundrules")} == {
        "pin",
        f"config.{sys.implementation.cache_tag}",
    }


# SLT-03 SLT-11 PCO-01
def test_claims_at_once_in_one_worktree_are_one_claim(shop: Repository) -> None:
    linked = shop.worktree("task/T1-x", "wt")
    assert sorted(run(AT_ONCE, *[str(linked.path)] * 8)) == ["n", *"ooooooo"]
    assert [pin.slot for pin in claimed_pins(shop)] == [1]


# SLT-16
def test_claim_killed_at_any_step_is_recognised(shop: Repository, tmp_path: Path) -> None:
    shop.commit("groundrules.toml", "[ports]\n")
    killed, sibling = shop.worktree("task/T1-x", "killed"), shop.worktree("task/T2-x", "sibling")
    exclude = tmp_path / "exclude"
    exclude.write_text("*.tmp\n")
    (shop.path / ".git" / "info").mkdir(exist_ok=True)
    places = [killed.path, sibling.path, tmp_path / "private" / "s1", exclude]
    rows = killing.rows(KILLED, *map(str, places))
    assert len(rows) > 25
    assert [row["code"] for row in rows] == [9] * (len(rows) - 1) + [0]
    for row in rows:
        # What was pinned before the kill stays; what was not is nobody's.
        assert row["slots"] == ([1, 2] if row["left"] else [2, 1]), row
        assert row["view"].splitlines()[1] == f"SLOT={row['slots'][0]}"
        assert row["view"].endswith("\n")
        assert row["exclude"] == "*.tmp\n/.slot.env*\n"
    assert {row["left"] for row in rows} == {None, 1}


@pytest.mark.parametrize("leftover", ["pin.1", "pin.99999"])
def test_temporary_file_of_a_killed_claim_is_no_pin(shop: Repository, leftover: str) -> None:
    linked = shop.worktree("task/T1-x", "wt")
    shop.write(f".git/worktrees/wt/groundrules/{leftover}", "slot=1\ntask=T1\n")
    assert json.loads(linked.stdout("slot", "--json"))["slot"] == 1
