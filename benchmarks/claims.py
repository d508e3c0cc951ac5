"""What claims cost beside 2, 20 and 200 worktrees, fifty of them at once, and `up` when already up.

    python benchmarks/claims.py [--rounds 20]

Every row is a whole process in a repository made for it; rows of one table take turns in each round. `git worktree
list` stands beside the claim as the field's usual way to find siblings.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SIZES = (2, 20, 200)
AT_ONCE = 50
CONFIG = "[ports]\nweb = 3000\napi = 8000\n\n[slots]\nmax = 300\n\n[tasks]\nmax_live = 300\n"
OURS = [sys.executable, "-m", "groundrules"]
CLAIM_ALL = """
import os, sys
from groundrules_hooks import config, slot, worktree
for path in sys.argv[1:]:
    os.chdir(path)
    here = worktree.locate()
    slot.claim(here, config.of_worktree(here))
"""
STACK = """[ports]
web = {first}
api = {second}
db = {third}

[stack]
database = "{database}"

[[stack.service]]
name = "web"
run = ["{python}", "-m", "http.server", "--bind", "127.0.0.1", "${{WEB_PORT}}"]
port = "web"
ready = "http:/"

[[stack.service]]
name = "api"
run = ["{python}", "-m", "http.server", "--bind", "127.0.0.1", "${{API_PORT}}"]
port = "api"
"""


def environment(home: str) -> dict[str, str]:
    """Return an environment with a home and a git configuration of its own, in which this checkout is the command."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    identity = {f"GIT_{role}_{key}": "bench" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}
    sources = f"{ROOT}/hooks:{ROOT}/scaffolder"
    return {
        **kept,
        **identity,
        "HOME": home,
        "XDG_STATE_HOME": home,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "PYTHONPATH": sources,
    }


def run(folder: str, env: dict[str, str], *command: str) -> str:
    """Run a command in `folder` and return its stdout; a failure ends the benchmark with its words."""
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.returncode}\n{done.stderr}")
    return done.stdout


def make(folder: str, env: dict[str, str], worktrees: int) -> str:
    """Make a repository of 500 files with that many claimed worktrees, and one that is not; return the latter."""
    main = os.path.join(folder, f"shop{worktrees}")
    run(folder, env, "git", "init", "-q", "-b", "main", main)
    for number in range(500):
        with open(os.path.join(main, f"file{number}"), "w", encoding="ascii") as file:
            file.write(f"{number}\n")
    configure(main)
    run(main, env, "git", "add", "-A")
    run(main, env, "git", "commit", "-q", "-m", "Start")
    paths = [f"{main}.T{number}" for number in range(worktrees + 1)]
    for number, path in enumerate(paths):
        run(main, env, "git", "worktree", "add", "-q", "--no-checkout", "-b", f"task/T{number}", path)
        configure(path)
    run(main, env, sys.executable, "-c", CLAIM_ALL, *paths[:-1])
    return paths[-1]


def configure(folder: str) -> None:
    """Write the configuration: all that a claim needs of a worktree's files."""
    with open(os.path.join(folder, "groundrules.toml"), "w", encoding="ascii") as file:
        file.write(CONFIG)


def timed(folder: str, env: dict[str, str], *command: str) -> float:
    """Return the milliseconds of one whole process."""
    start = time.perf_counter()
    run(folder, env, *command)
    return (time.perf_counter() - start) * 1000


def growth(folder: str, rounds: int) -> None:
    """Print what a first claim costs beside more and more worktrees."""
    places = {}
    for size in SIZES:
        home = os.path.join(folder, f"home{size}")
        os.mkdir(home)
        places[size] = (make(folder, environment(home), size), environment(home))
    tool = [*OURS, "slot"]
    taken: dict[str, list[float]] = {}
    for _ in range(rounds):
        for size, (place, env) in places.items():
            taken.setdefault(f"claim beside {size}", []).append(timed(place, env, *tool, "claim"))
            taken.setdefault(f"claimed already, beside {size}", []).append(timed(place, env, *tool, "claim"))
            taken.setdefault(f"git worktree list, {size}", []).append(timed(place, env, "git", "worktree", "list"))
            run(place, env, *tool, "release")
    print("| process | median ms | min ms |\n|---|---|---|")
    for name in sorted(taken, key=lambda row: row.split()[:2]):
        print(f"| {name} | {statistics.median(taken[name]):.1f} | {min(taken[name]):.1f} |")


def start_tasks(folder: str) -> str:
    """Start fifty tasks at the same moment; return what came of it."""
    main, env = started(folder, "tasks")
    seconds, done = together(lambda number: attempt(main, env, *OURS, "task", "start", f"A{number}"))
    return f"| `task start` | {seconds:.1f} | {sum(done)} | {slots(main, env)} |"


def add_worktrees(folder: str, *, hooked: bool) -> str:
    """Let git add fifty worktrees at the same moment, with our hook or without any; return what came of it."""
    main, env = started(folder, f"plain{hooked:d}")
    hook = os.path.join(main, ".git", "hooks", "post-checkout")
    if hooked:
        with open(hook, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec "{sys.executable}" -m groundrules_hooks.post_checkout "$@"\n')
        os.chmod(hook, 0o755)  # noqa: S103 (a hook)
    add = ["git", "worktree", "add", "-q", "--no-track", "-b"]
    seconds, done = together(lambda number: attempt(main, env, *add, f"task/A{number}", f"{main}.A{number}", "main"))
    name = "`git worktree add --no-track`" + (", our hook" if hooked else ", no hook")
    return f"| {name} | {seconds:.1f} | {sum(done)} | {slots(main, env)} |"


def started(folder: str, name: str) -> tuple[str, dict[str, str]]:
    """Make a repository for one row of its own; return it and its environment."""
    home = os.path.join(folder, name)
    os.mkdir(home)
    return os.path.dirname(make(home, environment(home), 0)) + "/shop0", environment(home)


def together(act: Callable[[int], bool]) -> tuple[float, list[bool]]:
    """Call `act` fifty times at once; return the seconds that took and which calls went well."""
    start = time.perf_counter()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        done = list(pool.map(act, range(AT_ONCE)))
    return time.perf_counter() - start, done


def attempt(folder: str, env: dict[str, str], *command: str) -> bool:
    """Run a command that may fail, as git's own races make it; whether it did not."""
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, check=False).returncode == 0


def slots(main: str, env: dict[str, str]) -> int:
    """Return how many different slots the tasks have."""
    listed = json.loads(run(main, env, *OURS, "task", "list", "--json"))["worktrees"]
    held = [row["slot"] for row in listed if (row["task"] or "").startswith("A") and row["slot"]]
    if len(held) != len(set(held)):
        sys.exit(f"a slot was given twice: {sorted(held)}")
    return len(held)


def already_up(folder: str, rounds: int) -> None:
    """Print what `up` costs when all is up: two services beside SQLite, and beside PostgreSQL where it is installed."""
    places = {}
    found = {"sqlite": True, "postgres": bool(glob.glob("/usr/lib/postgresql/*/bin/postgres"))}
    for database in (name for name in found if found[name]):
        main, env = started(folder, database)
        with open(os.path.join(main, "groundrules.toml"), "w", encoding="ascii") as file:
            ports = dict(zip(("first", "second", "third"), free_ports(3), strict=True))
            file.write(STACK.format(database=database, python=sys.executable, **ports))
        run(main, env, *OURS, "up")
        places[f"`up`, already up: two services, {database}"] = (main, env)
    taken: dict[str, list[float]] = {"`python -I -c pass`": []}
    for _ in range(rounds):
        taken["`python -I -c pass`"].append(timed(folder, dict(os.environ), sys.executable, "-I", "-c", "pass"))
        for name, (main, env) in places.items():
            taken.setdefault(name, []).append(timed(main, env, *OURS, "up"))
    for main, env in places.values():
        run(main, env, *OURS, "down", "--data", "--yes")
    print("\n| process | median ms | min ms |\n|---|---|---|")
    for name, times in taken.items():
        print(f"| {name} | {statistics.median(times):.1f} | {min(times):.1f} |")


def free_ports(count: int) -> list[int]:
    """Return ports that nobody has now."""
    with ExitStack() as open_sockets:
        held = [open_sockets.enter_context(socket.socket()) for _ in range(count)]
        for each in held:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in held]


def main() -> None:
    """Run all parts."""
    parser = argparse.ArgumentParser(description="What claims cost, and a stack that is up.")
    parser.add_argument("--rounds", type=int, default=20)
    asked = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="groundrules-bench-")
    try:
        growth(folder, asked.rounds)
        print("\n| fifty at once | s | made | slots |\n|---|---|---|---|")
        print(start_tasks(folder))
        for hooked in (True, False):
            print(add_worktrees(folder, hooked=hooked))
        already_up(folder, asked.rounds)
    finally:
        for view in glob.glob(f"{folder}/**/.slot.env", recursive=True):  # claims made folders outside of `folder`
            with open(view, encoding="utf-8") as file:
                private = file.read().partition("TASK_TMPDIR=")[2].partition("\n")[0]
            shutil.rmtree(private, ignore_errors=True)
            os.unlink(f"{private}.owner")
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
