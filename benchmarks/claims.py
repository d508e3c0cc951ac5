"""What a claim costs: beside 2, 20 and 200 worktrees, and fifty tasks started at once.

    python benchmarks/claims.py [--rounds 20]

Every row is a whole process in a repository made for it; rows of one table take turns in each round. `git worktree
list` stands beside the claim as the field's usual way to find siblings.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SIZES = (2, 20, 200)
AT_ONCE = 50
CONFIG = "[ports]\nweb = 3000\napi = 8000\n\n[slots]\nmax = 300\n\n[tasks]\nmax_live = 300\n"


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
    with open(os.path.join(main, "groundrules.toml"), "w", encoding="ascii") as file:
        file.write(CONFIG)
    run(main, env, "git", "add", "-A")
    run(main, env, "git", "commit", "-q", "-m", "Start")
    for number in range(worktrees + 1):
        path = f"{main}.T{number}"
        run(main, env, "git", "worktree", "add", "-q", "--no-checkout", "-b", f"task/T{number}", path)
        run(path, env, "git", "reset", "-q", "--hard")
        if number < worktrees:
            run(path, env, sys.executable, "-m", "groundrules", "slot", "claim")
    return f"{main}.T{worktrees}"


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
    tool = [sys.executable, "-m", "groundrules", "slot"]
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


def at_once(folder: str) -> None:
    """Start fifty tasks at the same moment, and print how long they took and which slots they got."""
    home = os.path.join(folder, "home")
    os.mkdir(home)
    env = environment(home)
    main = os.path.dirname(make(folder, env, 0)) + "/shop0"
    command = [sys.executable, "-m", "groundrules", "task", "start"]
    start = time.perf_counter()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda number: run(main, env, *command, f"A{number}"), range(AT_ONCE)))
    seconds = time.perf_counter() - start
    listed = json.loads(run(main, env, sys.executable, "-m", "groundrules", "task", "list", "--json"))["worktrees"]
    slots = {row["slot"] for row in listed if row["task"] and row["task"].startswith("A")}
    branches = run(main, env, "git", "branch", "--list", "task/A*").splitlines()
    print(f"\n{AT_ONCE} tasks at once: {seconds:.1f} s, {len(slots)} slots, {len(branches)} branches")


def main() -> None:
    """Run both parts."""
    parser = argparse.ArgumentParser(description="What a claim costs.")
    parser.add_argument("--rounds", type=int, default=20)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="groundrules-bench-") as folder:
        growth(folder, asked.rounds)
        at_once(folder)


if __name__ == "__main__":
    main()
