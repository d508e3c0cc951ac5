"""guards: the repository's own scripts; every executable file in guards/ must agree to the change."""

from __future__ import annotations

import os
from errno import ENOEXEC

from groundrules_hooks.finding import Finding, quote
from groundrules_hooks.git import elsewhere
from groundrules_hooks.process import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from groundrules_hooks.change import Change
    from groundrules_hooks.config import Config
    from groundrules_hooks.process import Outcome

NAME = "guards"
FOLDER = "guards"
LONGEST = 20  # lines of a guard's output that a finding shows


def check(change: Change, config: Config) -> Iterator[Finding]:
    """Yield a finding for every guard that ends with a code other than 0, with the end of what it said.

    A guard runs in the root of the worktree, without the variables by which git names this repository to a hook, and
    gets `GROUNDRULES_BASE` and `GROUNDRULES_TREE`: what the change starts from, and the tree to judge.
    """
    if change.worktree is None:
        return
    root = change.worktree.root
    scripts = _scripts(os.path.join(root, FOLDER))
    if change.commit and scripts:  # what lies about untracked is not the branch's
        tracked = set(change.tree.files(FOLDER))
        scripts = [script for script in scripts if f"{FOLDER}/{script}" in tracked]
    if not scripts:
        return
    env = {**elsewhere(), "GROUNDRULES_BASE": change.base or "", "GROUNDRULES_TREE": change.tree.source}
    for script in scripts:
        path = f"{FOLDER}/{script}"
        try:
            outcome = _run(root, path, env)
        except OSError as error:
            yield Finding(NAME, path, f"cannot run: {error.strerror}", f"ls -l {quote(path)}", commit=change.commit)
            continue
        if outcome.code:
            said = (outcome.out + outcome.err).decode("utf-8", "surrogateescape").strip().splitlines()[-LONGEST:]
            message = "\n    ".join([f"ended with {outcome.code}", *said])
            yield Finding(NAME, path, message, _again(change, path), commit=change.commit)


def _again(change: Change, path: str) -> str:
    """Return the command that shows what the guard says: by hand it judges the staged change unless told of another."""
    told = f"GROUNDRULES_BASE={change.base} GROUNDRULES_TREE={change.tree.source} " if change.commit else ""
    return f"{told}./{quote(path)}"


def _run(root: str, path: str, env: Mapping[str, str]) -> Outcome:
    """Run a guard in the root, without changing the directory of the hook."""
    if os.getcwd() == root:
        try:
            return run([f"./{path}"], env)
        except OSError as error:
            if error.errno != ENOEXEC:  # without a `#!` line a script is the shell's
                raise
    return run(["/bin/sh", "-c", 'cd "$1" && exec "./$2"', "sh", root, path], env)


def _scripts(folder: str) -> list[str]:
    try:
        names = sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []
    paths = ((name, os.path.join(folder, name)) for name in names)
    return [name for name, path in paths if os.path.isfile(path) and os.access(path, os.X_OK)]
