"""What evidence costs: subject trees, snapshots, runs, verification, prediction, beside git's own commands.

    python benchmarks/evidence.py [--rounds 20] [--files 100000] [--siblings 20]

Rows take turns in each round. `in process` is a function of ours with the git processes that it starts, called from a
Python that runs already; `git` is one git started from there; the rest are whole processes.
"""

from __future__ import annotations

import argparse
import glob
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING

from siblings import PREDICT, Case, make
from siblings import cases as sibling_cases

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, f"{ROOT}/hooks")

from groundrules_hooks.git import git  # noqa: E402 (the checkout's own)
from groundrules_hooks.snapshot import snapshot  # noqa: E402
from groundrules_hooks.subject import subject_tree  # noqa: E402
from groundrules_hooks.worktree import Worktree, locate  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CONFIG = '[[check]]\nname = "unit"\nrun = ["true"]\n'
NONE = ("--unresolved", "none", "--deviations", "none")
BARE, REV_PARSE = "python -I -c pass", "git rev-parse HEAD"
SUBJECT, VERIFY, PUSH = "subject tree, in process", "handoff verify, sealed", "pre-push, sealed"
COMMITS = 3
SHARED = 20_000  # files of the repository that the siblings share


def run(folder: str, *argv: str, stdin: str = "") -> str:
    """Run a program of the preparation, or one that is timed, and return what it prints."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "GROUNDRULES", "PRE_"))}
    identity = {f"GIT_{role}_{key}": "bench" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}
    env = {**kept, **identity, "GIT_CONFIG_GLOBAL": os.devnull, "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder"}
    done = subprocess.run(argv, cwd=folder, env=env, input=stdin, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(argv)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def ours(folder: str, *argv: str) -> str:
    """Run our command."""
    return run(folder, sys.executable, "-m", "groundrules", *argv)


def repository(folder: str, files: int) -> str:
    """Make a repository of `files` files with a task of three commits, a passed check and a sealed handoff."""
    run(os.path.dirname(folder), "git", "init", "-q", "-b", "main", folder)
    head = "commit refs/heads/main\ncommitter A <a@b> 0 +0000\ndata 5\nStart\n"
    rows = "".join(f"M 100644 :1 many/{number // 500}/{number}.txt\n" for number in range(files))
    config = f"M 100644 inline groundrules.toml\ndata {len(CONFIG)}\n{CONFIG}\n"
    run(folder, "git", "fast-import", "--quiet", stdin=f"blob\nmark :1\ndata 2\na\n{head}{rows}{config}")
    run(folder, "git", "switch", "-q", "-C", "task/T1-x", "main")
    run(folder, "git", "reset", "-q", "--hard")
    for number in range(COMMITS):
        for name in range(10):
            with open(f"{folder}/part_{name}.py", "w", encoding="ascii") as file:
                file.write(f"value = {number * name}\n" * 20)
        run(folder, "git", "add", "-A")
        run(folder, "git", "commit", "-q", "-m", f"Change ten files {number}")
    ours(folder, "check", "run", "unit")
    ours(folder, "handoff", "seal", *NONE, "--commit")
    return folder


def cases(small: str, large: str, files: int) -> Iterator[Case]:
    """Yield the rows."""
    ref = "refs/heads/task/T1-x"
    line = f"{ref} {run(small, 'git', 'rev-parse', 'HEAD')} {ref} {'0' * 40}\n"
    push = (sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {f'{ROOT}/hooks'!r}); {HOOK}")
    here = in_folder(large, locate)
    yield Case(BARE, lambda: run(small, sys.executable, "-I", "-c", "pass"), small)
    yield Case("groundrules rules", lambda: ours(small, "rules"), small)
    yield Case(VERIFY, lambda: ours(small, "handoff", "verify"), small)
    yield Case(PUSH, lambda: run(small, *push, stdin=line), small)
    yield Case("check run, of `true`", lambda: ours(small, "check", "run", "unit"), small)
    yield Case(REV_PARSE, lambda: git("rev-parse", "HEAD"), large)
    yield Case(SUBJECT, lambda: subject_tree("HEAD"), large)
    yield Case("git write-tree", lambda: git("write-tree"), large)
    yield Case("git status", lambda: git("status", "--porcelain"), large)
    yield Case("snapshot, in process", lambda: snapshot(here) if here else None, large)
    yield Case(f"handoff verify, {files:,} files", lambda: ours(large, "handoff", "verify"), large)


HOOK = "from groundrules_hooks import pre_push; sys.exit(pre_push.main(['origin', 'url']))"


def in_folder(folder: str, act: Callable[[], Worktree | None]) -> Worktree | None:
    """Return what `act` does in `folder`."""
    os.chdir(folder)
    return act()


def table(times: dict[str, list[float]]) -> Iterator[str]:
    """Yield the lines of the answer: all times, then the limits."""
    median = {name: statistics.median(taken) for name, taken in times.items()}
    yield f"{'row':40}{'median ms':>10}{'min ms':>8}"
    for name, taken in times.items():
        yield f"{name:40}{median[name]:10.1f}{min(taken):8.1f}"
    ratio = median[SUBJECT] / median[REV_PARSE]
    yield f"\n{SUBJECT}: at most 3 x {REV_PARSE}, is {ratio:.2f}"
    yield f"{VERIFY}: at most 150 ms, is {median[VERIFY]:.0f}"
    predict = next(name for name in median if name.startswith(PREDICT))
    yield f"{predict}: at most 1000 ms, is {median[predict]:.0f}"


def main() -> None:
    """Prepare three repositories, do every row once to warm up, then take turns."""
    parser = argparse.ArgumentParser(description="Measure evidence beside git's own commands.")
    parser.add_argument("--rounds", type=int, default=20, help="how often each row is done; default 20")
    parser.add_argument("--files", type=int, default=100_000, help="of the large repository; default 100,000")
    parser.add_argument("--siblings", type=int, default=20, help="of the worktree that predicts; default 20")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="groundrules-bench-") as scratch:
        small, large = (
            repository(f"{scratch}/{name}", count) for name, count in (("small", 100), ("large", asked.files))
        )
        rows = [*cases(small, large, asked.files), *sibling_cases(make(scratch, SHARED, asked.siblings))]
        times: dict[str, list[float]] = {case.name: [] for case in rows}
        for turn in range(asked.rounds + 1):
            for case in rows:
                os.chdir(case.folder)
                start = time.perf_counter()
                case.act()
                if turn:
                    times[case.name].append((time.perf_counter() - start) * 1000)
        os.chdir(ROOT)
        for view in glob.glob(f"{scratch}/*/.slot.env"):  # slots have a folder outside of `scratch`
            with open(view, encoding="utf-8") as file:
                shutil.rmtree(file.read().rpartition("TASK_TMPDIR=")[2].partition("\n")[0])
    print("\n".join(table(times)))


if __name__ == "__main__":
    main()
