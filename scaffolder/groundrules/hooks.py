"""`groundrules hooks`: install the git hooks, and say so only when one has really run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from groundrules import console
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.git import elsewhere, text
from groundrules_hooks.worktree import require

if TYPE_CHECKING:
    import argparse

CONFIG = ".pre-commit-config.yaml"
STAGES = ("post-checkout", "pre-commit", "commit-msg", "pre-push")


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.set_defaults(parser=parser)


def run(asked: argparse.Namespace) -> int:
    """Install the hooks of the repository of the current directory and run one of them."""
    del asked
    worktree = require()
    if not os.path.exists(os.path.join(worktree.root, CONFIG)):
        raise GroundrulesError(f"{worktree.root} has no {CONFIG}", fix=f"git checkout HEAD -- {CONFIG}")
    name = install(worktree.root)
    console.step(console.DONE, "hooks", f"{', '.join(STAGES)} ({name})")
    return 0


def install(root: str) -> str:
    """Install the hooks and build their environments; return the name of the runner.

    prek when it is on PATH, else pre-commit from PATH, else the one beside this program. Raise GroundrulesError when
    the runner refuses or the installed hook does not run.
    """
    name, command = runner()
    path, unset = _hooks_path(root)
    if path and not os.path.isabs(path):
        raise GroundrulesError(f"core.hooksPath is {path}: other worktrees would have no hooks there", fix=unset)
    for words in (["install"], ["install-hooks"]):
        done = subprocess.run(
            [*command, *words], cwd=root, env=elsewhere(), capture_output=True, text=True, errors="replace", check=False
        )
        if done.returncode:
            raise GroundrulesError(
                f"{name} {words[0]} failed; no hooks run here{path and f': core.hooksPath is {path}'}",
                why=(done.stdout + done.stderr).strip(),
                fix=unset if path else f"{name} {words[0]}",
            )
    _prove(root)
    return name


def _hooks_path(root: str) -> tuple[str, str]:
    """Return the value of core.hooksPath, empty when it is not set, and the commands that end that."""
    asked = text("-C", root, "config", "--show-scope", "--type=path", "--get", "core.hooksPath", ok=(0, 1))
    scope, _, path = asked.partition("\t")
    unset = "unset GIT_CONFIG_COUNT" if scope == "command" else f"git config --{scope} --unset-all core.hooksPath"
    return path, f"{unset}\ntools/groundrules hooks"


def runner() -> tuple[str, list[str]]:
    """Return the name and the command of the hook runner to use."""
    for name in ("prek", "pre-commit"):
        found = shutil.which(name)
        if found:
            return name, [found]
    return "pre-commit", [sys.executable, "-m", "pre_commit"]


def _prove(root: str) -> None:
    """Run the installed post-checkout hook as git does for a checkout of files, which it answers with silence."""
    zeros = "0" * 40
    words = ["git", "-C", root, "hook", "run", "post-checkout", "--", zeros, zeros, "0"]
    done = subprocess.run(words, env=elsewhere(), capture_output=True, text=True, errors="replace", check=False)
    missing = [stage for stage in STAGES if not _is_installed(root, stage)]
    if done.returncode or missing:
        what = f"{', '.join(missing)} not installed" if missing else f"post-checkout ended with {done.returncode}"
        said = (done.stdout + done.stderr).strip()
        raise GroundrulesError(
            f"the installed hooks do not run: {what}", why=said, fix="git rev-parse --git-path hooks"
        )


def _is_installed(root: str, stage: str) -> bool:
    folder = text("-C", root, "rev-parse", "--path-format=absolute", "--git-path", "hooks")
    return os.access(os.path.join(folder, stage), os.X_OK)
