"""Where a command was given: the worktree, out of any submodule, and its configuration."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from groundrules_hooks import config as configs
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.git import elsewhere
from groundrules_hooks.worktree import locate, require, superproject

if TYPE_CHECKING:
    from groundrules_hooks.config import Config
    from groundrules_hooks.worktree import Worktree


def require_config(worktree: Worktree) -> Config:
    """Return the configuration of `worktree`. Raise GroundrulesError when it has none."""
    config = configs.of_worktree(worktree)
    if config is None:
        raise GroundrulesError(
            f"{worktree.root} has no {configs.FILE}",
            why="this repository does not follow ground rules",
            fix="git log --oneline -1",
        )
    return config


def require_outermost() -> Worktree:
    """Return the worktree of the current directory; inside a submodule the superproject's."""
    worktree = require()
    outer = superproject(worktree)
    while outer:
        worktree = enter(outer)
        outer = superproject(worktree)
    return worktree


def enter(root: str) -> Worktree:
    """Make the worktree `root` the current directory and return it."""
    for name in set(os.environ) - set(elsewhere()):
        del os.environ[name]  # it names the submodule
    os.chdir(root)
    found = locate()
    if found is None:
        raise GroundrulesError(f"{root} is no worktree", fix="git worktree list")
    return found
