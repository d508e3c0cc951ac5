"""`groundrules hooks`: install the git hooks, and say so only when one has really run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from groundrules import console
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.git import answer, elsewhere, text
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
    for words in (["install"], ["install-hooks"]):
        done = subprocess.run(
            [*command, *words], cwd=root, env=elsewhere(), capture_output=True, text=True, errors="replace", check=False
        )
        if done.returncode:
            path = text("config", "--get", "core.hooksPath", ok=(0, 1))
            fix = "git config --show-origin --get core.hooksPath" if path else f"{name} install"
            raise GroundrulesError(
                f"{name} {words[0]} failed; no hooks run here", why=(done.stdout + done.stderr).strip(), fix=fix
            )
    _prove(root)
    return name


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
    code, out = answer(
        "-C", root, "hook", "run", "post-checkout", "--", zeros, zeros, "0", ok=tuple(range(256)), env=elsewhere()
    )
    missing = [stage for stage in STAGES if not _is_installed(root, stage)]
    if code or missing:
        what = f"{', '.join(missing)} not installed" if missing else f"post-checkout ended with {code}"
        said = out.decode("utf-8", "replace")
        raise GroundrulesError(
            f"the installed hooks do not run: {what}", why=said, fix="git rev-parse --git-path hooks"
        )


def _is_installed(root: str, stage: str) -> bool:
    folder = text("-C", root, "rev-parse", "--path-format=absolute", "--git-path", "hooks")
    return os.access(os.path.join(folder, stage), os.X_OK)
