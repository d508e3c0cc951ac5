"""guards: the repository's own scripts; every executable file in guards/ must agree to the change."""

from __future__ import annotations

import os

from groundrules_hooks.finding import Finding, quote
from groundrules_hooks.git import elsewhere, git
from groundrules_hooks.process import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules_hooks.change import Change
    from groundrules_hooks.config import Config

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
    if not scripts:
        return
    base = change.base or change.worktree.head or os.fsdecode(git("hash-object", "-t", "tree", os.devnull).strip())
    tree = f"{change.commit}^{{tree}}" if change.commit else os.fsdecode(git("write-tree").strip())
    env = {**elsewhere(), "GROUNDRULES_BASE": base, "GROUNDRULES_TREE": tree}
    for script in scripts:
        path = f"{FOLDER}/{script}"
        try:
            # The root may not be the current directory, and a hook never changes that.
            outcome = run(["/bin/sh", "-c", 'cd "$1" && exec "./$2"', "sh", root, path], env)
        except OSError as error:
            yield Finding(NAME, path, f"cannot run: {error.strerror}", f"ls -l {quote(path)}", commit=change.commit)
            continue
        if outcome.code:
            said = (outcome.out + outcome.err).decode("utf-8", "surrogateescape").strip().splitlines()[-LONGEST:]
            message = "\n    ".join([f"ended with {outcome.code}", *said])
            yield Finding(NAME, path, message, f"./{quote(path)}", commit=change.commit)


def _scripts(folder: str) -> list[str]:
    try:
        names = sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []
    paths = ((name, os.path.join(folder, name)) for name in names)
    return [name for name, path in paths if os.path.isfile(path) and os.access(path, os.X_OK)]
