"""guards: the repository's own scripts; every executable file in guards/ must agree to the change."""

from __future__ import annotations

import os
from errno import ENOEXEC

from groundrules_hooks.finding import Finding, quote
from groundrules_hooks.git import elsewhere
from groundrules_hooks.process import finish, start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from groundrules_hooks.change import Change
    from groundrules_hooks.config import Config
    from groundrules_hooks.process import Running

    Guard = tuple[str, Running | str]  # its path, and what was started or why nothing was

NAME = "guards"
FOLDER = "guards"
MOST = 4  # guards at a time
LONGEST = 20  # lines of a guard's output that a finding shows


def check(change: Change, config: Config) -> Iterator[Finding]:
    """Start the guards now, so that they work while other rules judge, and return what they find.

    That is one for each that ends with a code other than 0, with the end of what it said. A guard runs in the root of
    the worktree, beside others, without the variables by which git names this repository to a hook, and gets
    `GROUNDRULES_BASE` and `GROUNDRULES_TREE`: what the change starts from, and the tree to judge.
    """
    if change.worktree is None:
        return iter(())
    root = change.worktree.root
    scripts = _scripts(os.path.join(root, FOLDER))
    if change.commit and scripts:  # what lies about untracked is not the branch's
        tracked = set(change.tree.files(FOLDER))
        scripts = [script for script in scripts if f"{FOLDER}/{script}" in tracked]
    env = {**elsewhere(), "GROUNDRULES_BASE": change.base or "", "GROUNDRULES_TREE": change.tree.source}
    guards = ((path, _start(root, path, env)) for path in [f"{FOLDER}/{script}" for script in scripts])
    return _found(change, [next(guards) for _ in scripts[:MOST]], guards)


def _found(change: Change, started: list[Guard], rest: Iterator[Guard]) -> Iterator[Finding]:
    """Wait for each guard in turn, start one of the `rest` in its place, and yield what it finds."""
    while started:
        path, running = started.pop(0)
        if isinstance(running, str):
            yield Finding(NAME, path, f"cannot run: {running}", f"ls -l {quote(path)}", commit=change.commit)
        else:
            outcome = finish(running)
            if outcome.code:
                said = (outcome.out + outcome.err).decode("utf-8", "surrogateescape").strip().splitlines()[-LONGEST:]
                message = "\n    ".join([f"ended with {outcome.code}", *said])
                yield Finding(NAME, path, message, _again(change, path), commit=change.commit)
        following = next(rest, None)
        if following:
            started.append(following)


def _again(change: Change, path: str) -> str:
    """Return the command that shows what the guard says: by hand it judges the staged change unless told of another."""
    told = f"GROUNDRULES_BASE={change.base} GROUNDRULES_TREE={change.tree.source} " if change.commit else ""
    return f"{told}./{quote(path)}"


def _start(root: str, path: str, env: Mapping[str, str]) -> Running | str:
    """Start a guard in the root, without changing the directory of the hook; return why it cannot be, if so."""
    if os.getcwd() == root:
        try:
            return start([f"./{path}"], env)
        except OSError as error:
            if error.errno != ENOEXEC:  # without a `#!` line a script is the shell's
                return error.strerror or str(error)
    return start(["/bin/sh", "-c", 'cd "$1" && exec "./$2"', "sh", root, path], env)


def _scripts(folder: str) -> list[str]:
    try:
        names = sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []
    paths = ((name, os.path.join(folder, name)) for name in names)
    return [name for name, path in paths if os.path.isfile(path) and os.access(path, os.X_OK)]
