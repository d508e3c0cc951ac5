"""What evidence.py measures of predictions: a worktree among siblings with uncommitted work, beside git's own commands.

Rows are whole processes, or all that stand in a row. `git merge-tree` sees commits alone; what a sibling has not
committed yet takes a `git status` in each worktree.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = 200
PREDICT = "merge predict"
ZEROS, ONES = "0" * 40, "1" * 40


class Case(NamedTuple):
    """One row: its name, what is done, and in which repository."""

    name: str
    act: Callable[[], object]
    folder: str


def run(folder: str, *command: str, stdin: str = "", ok: Sequence[int] = (0,)) -> str:
    """Run a command in `folder` and return its stdout; another exit code than `ok` ends the benchmark."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    identity = {f"GIT_{role}_{key}": "bench" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}
    home = {"HOME": os.path.dirname(folder), "XDG_STATE_HOME": os.path.dirname(folder), "GIT_CONFIG_GLOBAL": os.devnull}
    env = {**kept, **identity, **home, "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder"}
    done = subprocess.run(command, cwd=folder, env=env, input=stdin, capture_output=True, text=True, check=False)
    if done.returncode not in ok:
        sys.exit(f"{' '.join(command)}: {done.returncode}\n{done.stderr}")
    return done.stdout


def write(path: str, text: str) -> None:
    """Write a file, and the folder that it is in."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def make(folder: str, files: int, siblings: int) -> list[str]:
    """Make a repository of `files` files, and worktrees with a commit, two edits and a new file each."""
    main = os.path.join(folder, "shop")
    run(folder, "git", "init", "-q", "-b", "main", main)
    write(f"{main}/groundrules.toml", "[slots]\nmax = 300\n")
    for number in range(files):
        write(f"{main}/d{number % FOLDERS}/f{number}", f"{number}\n" * 20)
    run(main, "git", "add", "-A")
    run(main, "git", "commit", "-q", "-m", "Start")
    places = [f"{main}.T{number}" for number in range(siblings + 1)]
    for number, place in enumerate(places):
        run(main, "git", "worktree", "add", "-q", "-b", f"task/T{number}", place)
        write(f"{place}/d1/f1", f"committed {number}\n")
        run(place, "git", "commit", "-q", "-a", "-m", "Change a file")
        run(place, sys.executable, "-m", "groundrules_hooks.post_checkout", ZEROS, ONES, "1")
        for name in ("d2/f2", f"d3/f{3 + FOLDERS}", f"new/{number}"):
            write(f"{place}/{name}", f"not committed {number}\n")
    return places


def cases(places: Sequence[str]) -> list[Case]:
    """Return the rows."""
    here, others = places[0], places[1:]
    heads = [run(place, "git", "rev-parse", "HEAD").strip() for place in places]
    pairs = "".join(f"{heads[0]} {other}\n" for other in heads[1:])
    status = ("git", "status", "--porcelain", "-z", "--untracked-files=all")

    def single() -> None:
        for other in heads[1:]:
            run(here, "git", "merge-tree", "--write-tree", heads[0], other, ok=(1,))

    def in_turn() -> None:
        for place in places:
            run(place, *status)

    def side_by_side() -> None:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda place: run(place, *status), places))

    met = f"{run(here, 'git', 'rev-parse', '--absolute-git-dir').strip()}/groundrules/met"
    checkout = ("-m", "groundrules_hooks.post_checkout", ONES, ONES, "1")
    predict = ("-m", "groundrules", "merge", "predict")

    def anew() -> None:
        os.unlink(met)
        run(here, sys.executable, *checkout)

    count = len(others)
    rows: dict[str, Callable[[], object]] = {
        "git merge-tree --stdin, commits alone": lambda: run(here, "git", "merge-tree", "--stdin", stdin=pairs),
        f"git merge-tree, {count} times, commits alone": single,
        f"git status, {count + 1} worktrees in turn": in_turn,
        f"git status, {count + 1} worktrees side by side": side_by_side,
        f"{PREDICT}, {count} siblings": lambda: run(here, sys.executable, *predict, ok=(1,)),
        "post-checkout, siblings as before": lambda: run(here, sys.executable, *checkout),
        f"post-checkout, {count} siblings looked at anew": anew,
    }
    return [Case(name, act, here) for name, act in rows.items()]
