"""What judging many files or many commits costs, beside git: `python benchmarks/commits.py CLONE... [--rounds 10]`.

The hook judges several changes of 3,000 files; the gate the newest 1,000 commits of the main line of each clone,
which is copied. Rows are whole processes and take turns in each round.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING

from evidence import run

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CONFIG = '[ports]\nweb = 3000\n\n[tasks]\ntarget = "past"\n'
FILES, COMMITS = 3000, 1000
LOOSE = "".join(f"def f{number}( a, b ):\n    return [ a+{number}, b ]\n\n\n" for number in range(25))
TIGHT = LOOSE.replace("( ", "(").replace(" )", ")").replace("[ ", "[").replace(" ]", "]")
SCRIPT = "".join(f"export function f{number}(a, b) {{ return a * {number} + b; }}\n" for number in range(70))
TINY = "let a = 1;\nlet b = 2;\n"
MANIFEST = '{"dependencies": {"left": "^%s"}}\n'
# What is staged: the suffix of the files, their text before and after, and that of package.json.
SHAPES = {
    "reformatted": ("py", LOOSE, TIGHT, None, None),
    "one line changed": ("js", SCRIPT, SCRIPT.replace("a * 7", "a * 9"), None, None),
    "one line, an upgrade": ("js", SCRIPT, SCRIPT.replace("a * 7", "a * 9"), MANIFEST % "1.0.0", MANIFEST % "2.0.0"),
    "tiny, an upgrade": ("js", TINY, TINY.replace("2", "3"), MANIFEST % "1.0.0", MANIFEST % "2.0.0"),
    "new": ("js", None, SCRIPT, None, None),
    "new, an upgrade": ("js", None, SCRIPT, MANIFEST % "1.0.0", MANIFEST % "2.0.0"),
    "deleted": ("js", SCRIPT, None, None, None),
}
ENV = {**os.environ, "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder", "GIT_CONFIG_GLOBAL": os.devnull}
HOOK = f"import sys; sys.path.insert(0, '{ROOT}/hooks'); from groundrules_hooks.pre_commit import be, main; be(main)"


def write(folder: str, suffix: str, text: str | None, manifest: str | None) -> None:
    """Write or remove every file, and stage all."""
    texts = {f"d{number % 50}/f{number}.{suffix}": text and f"// {number}\n{text}" for number in range(FILES)}
    if suffix == "py":
        texts = {path: each and f"#{each[2:]}" for path, each in texts.items()}
    for path, content in {**texts, "package.json": manifest, "groundrules.toml": CONFIG}.items():
        os.makedirs(os.path.dirname(f"{folder}/{path}"), exist_ok=True)
        if content is not None:
            with open(f"{folder}/{path}", "w", encoding="ascii") as file:
                file.write(content)
        elif os.path.exists(f"{folder}/{path}"):
            os.remove(f"{folder}/{path}")
    run(folder, "git", "add", "-A")


def staged(folder: str, shape: str) -> str:
    """Make a repository with a change of that shape staged."""
    suffix, before, after, old, new = SHAPES[shape]
    run(os.path.dirname(folder), "git", "init", "-q", "-b", "main", folder)
    write(folder, suffix, before, old)
    run(folder, "git", "commit", "-q", "-m", "Start")
    write(folder, suffix, after, new)
    run(folder, "git", "write-tree")  # as git has when a hook runs
    return folder


def history(clone: str, folder: str) -> str:
    """Copy a clone, with our configuration on top, and a branch `past` before its newest commits."""
    run(os.path.dirname(folder), "git", "clone", "-q", "--no-hardlinks", os.path.abspath(clone), folder)
    run(folder, "git", "remote", "remove", "origin")
    line = run(folder, "git", "rev-list", "--first-parent", "HEAD").split()
    run(folder, "git", "branch", "-f", "past", line[min(COMMITS, len(line)) - 1])
    with open(f"{folder}/groundrules.toml", "w", encoding="ascii") as file:
        file.write(CONFIG)
    run(folder, "git", "add", "-f", "groundrules.toml")
    run(folder, "git", "commit", "-q", "-m", "Configure")
    return folder


def seconds(argv: Sequence[str], folder: str) -> float:
    """Return what a process takes; its findings are not our business here."""
    start = time.perf_counter()
    subprocess.run(argv, cwd=folder, env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - start


def main() -> None:
    """Prepare both repositories, take turns, print the medians and the limits."""
    parser = argparse.ArgumentParser(description="Measure hook and gate on many files and commits, beside git.")
    parser.add_argument("clones", metavar="CLONE", nargs="*")
    parser.add_argument("--rounds", type=int, default=10)
    asked = parser.parse_args()
    gate = [sys.executable, "-m", "groundrules", "gate", "--base", "past", "--head", "HEAD"]
    with tempfile.TemporaryDirectory(prefix="groundrules-bench-") as scratch:
        files = [staged(f"{scratch}/{shape}", shape) for shape in SHAPES]
        commits = [history(clone, f"{scratch}/{number}") for number, clone in enumerate(asked.clones)]
        rows = []
        for folder in files:
            rows += [(["git", "diff", "--cached"], folder), ([sys.executable, "-I", "-c", HOOK], folder)]
        for folder in commits:
            rows += [(["git", "log", "--raw", "-p", "past..HEAD"], folder), (gate, folder)]
        turns = [[seconds(*row) for row in rows] for _ in range(asked.rounds + 1)][1:]
    medians = [1000 * statistics.median(turn[row] for turn in turns) for row in range(len(rows))]
    names = [
        *(f"{FILES} files: {shape}" for shape in SHAPES),
        *(os.path.abspath(clone).removesuffix("/repo").rpartition("/")[2] for clone in asked.clones),
    ]
    print("| what is judged | git ms | ours ms | ours / git |\n|---|---|---|---|")
    for name, git, ours in zip(names, medians[::2], medians[1::2], strict=True):
        print(f"| {name} | {git:.0f} | {ours:.0f} | {ours / git:.2f} |")


if __name__ == "__main__":
    main()
