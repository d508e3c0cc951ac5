"""What the hooks cost, beside bare Python, peers and empty hooks: `python benchmarks/hooks.py --rounds 30`.

Every case is a whole process, started by posix_spawn and waited for. The cases take turns in every round, so that a
busy moment meets all of them. Everything is made in a temporary folder; packages come from where pip finds them.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GIT = shutil.which("git") or "git"
STAGES = ("post-checkout", "pre-commit", "commit-msg", "pre-push")
BARE = "python -I -c pass"
PEER = "conventional-pre-commit"
TOOLS = (PEER, "gitlint", "prek", "pre-commit")
CONFIG = '[ports]\nweb = 3000\napi = 8000\n\n[slots]\nmax = 500\n\n[tasks]\ntarget = "main"\n'
MESSAGE = "feat: change ten files\n\nEach gets a new value, and the services use it.\n"
FOREIGN = ("GIT_", "PRE_COMMIT", "PREK_", "PYTHON", "GROUNDRULES_")
ENV = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
ENV |= {f"GIT_{role}_{key}": "a@example.org" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}
ENV |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_EDITOR": ":"}


class Case(NamedTuple):
    """One process to time; `prepare` runs before each start, outside of the time."""

    name: str
    argv: list[str]
    folder: str
    env: Mapping[str, str] = ENV
    prepare: Callable[[], object] = bool


# What may take at most how many times the time of what.
LIMITS = (
    *((stage, 3, BARE) for stage in STAGES),
    *((stage, 0.5, PEER) for stage in STAGES),
    *((f"git commit, {runner}, ours", 1.3, f"git commit, {runner}, empty") for runner in TOOLS[2:]),
    ("pre-commit, 100,000 files", 1.3, "pre-commit, 100 files"),
    ("pre-commit, 200 worktrees", 1.3, "pre-commit, 2 worktrees"),
)


def run(*argv: str, cwd: str | None = None, stdin: str = "") -> str:
    """Run a program of the preparation and return what it prints."""
    done = subprocess.run(argv, cwd=cwd, env=ENV, input=stdin, text=True, stdout=subprocess.PIPE, check=True)
    return done.stdout.strip()


def write(path: str, text: str) -> None:
    """Put `text` at `path`, with the folders that it needs."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def commit(folder: str, message: str) -> str:
    """Commit everything in `folder` without hooks, and return the commit's id."""
    run("git", "add", "-A", cwd=folder)
    run("git", "commit", "-q", "--no-verify", "-m", message, cwd=folder)
    return run("git", "rev-parse", "HEAD", cwd=folder)


def ten_files(folder: str) -> None:
    """Stage a new change of always the same ten files."""
    for number in range(10):
        lines = "".join(f"value_{line} = {line * number}\n" for line in range(40))
        write(f"{folder}/services/part_{number}.py", f"{lines}changed = {time.monotonic_ns()}\n")
    run("git", "add", "services", cwd=folder)


def install(folder: str, *packages: str) -> str:
    """Make an environment that holds `packages`, and return the folder of its programs."""
    run(sys.executable, "-m", "venv", folder)
    run(f"{folder}/bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages)
    return f"{folder}/bin"


def copy_checkout(folder: str) -> str:
    """Commit the files of this checkout as they are now to a repository of their own, and return the commit's id."""
    for path in run("git", "ls-files", "-z", "-co", "--exclude-standard", cwd=ROOT).split("\0"):
        if os.path.isfile(f"{ROOT}/{path}"):
            os.makedirs(os.path.dirname(f"{folder}/{path}"), exist_ok=True)
            shutil.copy(f"{ROOT}/{path}", f"{folder}/{path}")
    run("git", "init", "-q", cwd=folder)
    return commit(folder, "Benchmark")


def repository(folder: str, *, guard: bool = False, files: int = 0) -> str:
    """Make a repository with our configuration and a worktree of task T1, ten files staged; return the worktree."""
    run("git", "init", "-q", "-b", "main", folder)
    for path, text in (("groundrules.toml", CONFIG), ("AGENTS.md", "# shop\n"), ("CLAUDE.md", "@AGENTS.md\n")):
        write(f"{folder}/{path}", text)
    if guard:
        shutil.copytree(f"{ROOT}/template/guards", f"{folder}/guards")
    ten_files(folder)
    commit(folder, "Start")
    if files:
        many = "".join(f"M 100644 :1 many/{number // 500}/{number}.txt\n" for number in range(files))
        head = "commit refs/heads/main\ncommitter A <a@b> 0 +0000\ndata 5\nMany\nfrom refs/heads/main^0\n"
        run("git", "fast-import", "--quiet", cwd=folder, stdin=f"blob\nmark :1\ndata 2\na\n{head}{many}")
    run("git", "worktree", "add", "-q", "-b", "task/T1-x", f"{folder}.T1", "main", cwd=folder)
    ten_files(f"{folder}.T1")
    return f"{folder}.T1"


def hook(name: str, python: str, stage: str, folder: str, *args: str, **env: str) -> Case:
    """Return a case that runs one of our stages with the variables that git gives it in a linked worktree."""
    git_dir = run("git", "rev-parse", "--absolute-git-dir", cwd=folder)
    given = {**ENV, "GIT_DIR": git_dir, "GIT_INDEX_FILE": f"{git_dir}/index", "GIT_PREFIX": "", **env}
    argv = [python, "-I", "-m", f"groundrules_hooks.{stage.replace('-', '_')}", *args]
    return Case(name, argv, folder, given, partial(write, f"{git_dir}/message", MESSAGE))


def stages(python: str, scratch: str) -> Iterator[Case]:
    """Yield bare Python, the four stages, and the one of them that runs guards with those of the template."""
    folder, guarded = repository(f"{scratch}/stages"), repository(f"{scratch}/guarded", guard=True)
    yield Case(BARE, [python, "-I", "-c", "pass"], folder)
    yield hook("post-checkout", python, "post-checkout", folder, "a" * 40, "b" * 40, "1")
    plain = hook("pre-commit", python, "pre-commit", folder)
    yield plain
    git_dir = f"{scratch}/stages/.git/worktrees/stages.T1"
    yield hook("commit-msg", python, "commit-msg", folder, f"{git_dir}/message")
    pushed = repository(f"{scratch}/pushed")
    base = head = run("git", "rev-parse", "HEAD", cwd=pushed)
    for _ in range(3):
        ten_files(pushed)
        head = commit(pushed, "Change ten files")
    tree = run("git", "rev-parse", "HEAD^{tree}", cwd=pushed)
    facts = {"schema": "handoff/1", "state": "in-progress", "task": "T1", "base": base, "head": head}
    lists: dict[str, list[str]] = {name: [] for name in ("commits", "files", "checks", "allowed", "detected")}
    rest = {"subject_tree": tree, "environment": {}, "unresolved": "none", "deviations": "none"}
    write(f"{pushed}/evidence/T1/handoff.json", json.dumps({**facts, **lists, **rest}))
    head = commit(pushed, "Hand over T1")
    to = {"PRE_COMMIT": "1", "PRE_COMMIT_TO_REF": head, "PRE_COMMIT_REMOTE_BRANCH": "refs/heads/task/T1-x"}
    yield hook("pre-push", python, "pre-push", pushed, **to)
    yield hook("pre-commit, the template's guards", python, "pre-commit", guarded)
    kept = f"{git_dir}/groundrules/config.{sys.implementation.cache_tag}"
    yield plain._replace(name="pre-commit, parsing anew", prepare=partial(os.unlink, kept))
    for modules in ("subprocess", "json", "tomllib", "argparse, json, re, subprocess, tomllib"):
        yield Case(f"import {modules}", [python, "-I", "-c", f"import {modules}"], folder)


def commits(name: str, runner: str, scratch: str, rev: str) -> Iterator[Case]:
    """Yield whole commits under one runner: with hooks that do nothing, that only start their Python, and with ours."""
    for kind, entry, language in (("empty", "true", "system"), ("bare Python", BARE, "python"), ("ours", "", "")):
        folder = repository(f"{scratch}/{name}-{kind[:4]}")
        same = {"entry": entry, "language": language, "always_run": True, "require_serial": True}
        local = [{"id": stage, "name": stage, "stages": [stage], **same} for stage in STAGES]
        ours = [{"id": f"groundrules-{stage}"} for stage in STAGES]
        block = {"repo": "local", "hooks": local} if entry else {"repo": f"{scratch}/source", "rev": rev, "hooks": ours}
        config = {"default_install_hook_types": STAGES, "repos": [block]}
        write(f"{folder}/.pre-commit-config.yaml", json.dumps(config))
        commit(folder, "Add hooks")
        for word in ("install", "install-hooks"):
            run(runner, word, cwd=folder)
        argv = [GIT, "commit", "-q", "-m", "Change ten files"]
        yield Case(f"git commit, {name}, {kind}", argv, folder, ENV, partial(ten_files, folder))


def growth(python: str, scratch: str) -> Iterator[Case]:
    """Yield the pre-commit stage in small and large repositories, and git's own share of it."""
    for files in (100, 100_000):
        folder = repository(f"{scratch}/files{files}", files=files)
        run("git", "write-tree", cwd=folder)  # as `git commit` has done before it runs a hook
        yield hook(f"pre-commit, {files:,} files", python, "pre-commit", folder)
        yield Case(f"git diff-index, {files:,} files", [GIT, "diff-index", "--cached", "HEAD"], folder)
    for count in (2, 200):
        folder = repository(f"{scratch}/worktrees{count}")
        for number in range(2, count + 1):
            sibling = f"{folder}.{number}"
            run("git", "worktree", "add", "-q", "--no-checkout", "-b", f"task/S{number}", sibling, cwd=folder)
            write(f"{sibling}/groundrules.toml", CONFIG)
            run(python, "-I", "-m", "groundrules_hooks.post_checkout", "0" * 40, "0" * 40, "1", cwd=sibling)
        yield hook(f"pre-commit, {count} worktrees", python, "pre-commit", folder)


def timed(case: Case, said: str) -> float:
    """Return the milliseconds that one process of `case` takes; when it fails, stop with what it said."""
    case.prepare()
    os.chdir(case.folder)
    into = (os.POSIX_SPAWN_OPEN, 1, said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    actions = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), into, (os.POSIX_SPAWN_DUP2, 1, 2)]
    start = time.perf_counter()
    _, status = os.waitpid(os.posix_spawn(case.argv[0], case.argv, case.env, file_actions=actions), 0)
    taken = time.perf_counter() - start
    if status:
        with open(said, encoding="utf-8") as file:
            sys.exit(f"{case.name}: `{' '.join(case.argv)}` failed\n{file.read()}")
    return taken * 1000


def table(times: dict[str, list[float]]) -> Iterator[str]:
    """Yield the lines of the answer: all times, then the limits."""
    median = {name: statistics.median(taken) for name, taken in times.items()}
    yield f"{'process':48}{'median ms':>10}{'min ms':>8}{'x bare':>8}"
    for name, taken in times.items():
        yield f"{name:48}{median[name]:10.1f}{min(taken):8.1f}{median[name] / median[BARE]:8.2f}"
    yield f"\n{'limit':76}{'is':>5}"
    for name, most, than in LIMITS:
        verdict = "met" if (ratio := median[name] / median[than]) <= most else f"missed by {ratio / most - 1:.0%}"
        yield f"{f'{name}: at most {most} x {than}':76}{ratio:5.2f}  {verdict}"


def main() -> None:
    """Prepare all cases, run each once to warm up, then take turns."""
    parser = argparse.ArgumentParser(description="Measure the hooks beside bare Python, peers and empty hooks.")
    parser.add_argument("--rounds", type=int, default=30, help="how often each process runs; default 30")
    for name in TOOLS:
        parser.add_argument(f"--{name}", dest=name, metavar="PATH", help="the program; default: installed by pip")
    asked = vars(parser.parse_args())
    with tempfile.TemporaryDirectory(prefix="groundrules-bench-") as scratch:
        ENV.update({"PRE_COMMIT_HOME": f"{scratch}/pre-commit-home", "PREK_HOME": f"{scratch}/prek-home"})
        rev = copy_checkout(f"{scratch}/source")
        python = f"{install(f'{scratch}/venv', '--no-deps', f'{scratch}/source')}/python"
        given = {name: os.path.abspath(asked[name]) for name in TOOLS if asked[name]}
        tools = {name: given.get(name) or f"{install(f'{scratch}/venv-{name}', name)}/{name}" for name in TOOLS}
        cases = list(stages(python, scratch))
        message, said = f"{scratch}/message", f"{scratch}/said"
        write(message, MESSAGE)
        cases.append(Case(PEER, [tools[PEER], message], f"{scratch}/stages.T1"))
        cases.append(Case("gitlint", [tools["gitlint"], "--msg-filename", message], f"{scratch}/stages.T1"))
        for name in TOOLS[2:]:
            cases += commits(name, tools[name], scratch, rev)
        cases += growth(python, scratch)
        times: dict[str, list[float]] = {case.name: [] for case in cases}
        for turn in range(asked["rounds"] + 1):
            for case in cases:
                taken = timed(case, said)
                if turn:
                    times[case.name].append(taken)
        os.chdir(ROOT)
        for view in glob.glob(f"{scratch}/*/.slot.env"):  # the claims made folders outside of `scratch`
            with open(view, encoding="utf-8") as file:
                private = file.read().rpartition("TASK_TMPDIR=")[2].partition("\n")[0]
            os.rmdir(private)
            os.unlink(f"{private}.owner")
    print("\n".join(table(times)))


if __name__ == "__main__":
    main()
