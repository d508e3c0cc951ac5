"""The start of a task: from where, under which names, and whether another one may start at all."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, NamedTuple

from groundrules import creation, interruption, worktrees
from groundrules.creation import Creation
from groundrules.place import enter, require_config
from groundrules_hooks import handoff, slot
from groundrules_hooks import task as tasks
from groundrules_hooks.ancestry import is_ancestor
from groundrules_hooks.change import Tree
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import quote
from groundrules_hooks.git import LOG, text
from groundrules_hooks.git import here as git_here
from groundrules_hooks.lock import make_folder, replace
from groundrules_hooks.objects import Objects
from groundrules_hooks.slot_env import render
from groundrules_hooks.worktree import HEADS

if TYPE_CHECKING:
    from groundrules.worktrees import Listed
    from groundrules_hooks.config import Config
    from groundrules_hooks.slot import Claim
    from groundrules_hooks.worktree import Worktree

FETCH_SECONDS = 30


class Begun(NamedTuple):
    """A task that has its worktree: where, on which branch, in which slot, from which commit; `notes` for people."""

    path: str
    branch: str
    slot: int
    origin: str
    base: str
    notes: tuple[str, ...]


def start(here: Worktree, config: Config, name: str, title: str, ref: str) -> Begun:
    """Make branch, worktree and claim for the task `name`. Raise GroundrulesError, with nothing made, if it may not."""
    task, branch = _names(config, name, title)
    _require_room(worktrees.listing(here.common_dir), config, task)  # before anybody waits for a remote or a lock
    origin, base, notes = _from(ref) if ref else _from_target(config.tasks.target)
    wanted = Creation(here.common_dir, branch, _path(here, config, task), base)
    with creation.turn(here.common_dir):
        listed = worktrees.listing(here.common_dir)
        _require_room(listed, config, task)
        creation.require_free(wanted, listed)
        claimed = _make(wanted, task, title)
    if not os.access(text("rev-parse", "--path-format=absolute", "--git-path", "hooks/pre-commit"), os.X_OK):
        notes = (*notes, "no hooks are installed: make hooks")
    return Begun(wanted.path, branch, claimed.slot, origin, base, notes)


def _make(wanted: Creation, task: str, title: str) -> Claim:
    """Make the worktree and all that belongs to it, or take it back when any step fails or is interrupted."""
    above = creation.missing(wanted.path)
    with interruption.noted() as interrupts:
        try:
            creation.make(wanted)
            claimed = _settle(wanted.path, task, title)
            interruption.obey(interrupts)
        except BaseException:
            creation.take_back(wanted, above)
            interruption.obey(interrupts)
            raise
    return claimed


def _settle(path: str, task: str, title: str) -> Claim:
    """Claim in the new worktree, which the hook has done unless hooks are off, and write what it lacks."""
    worktree = enter(path)
    config = require_config(worktree)
    claimed = slot.claim(worktree, config)
    render(worktree, slot.values(worktree, config, claimed.slot))
    _contract(path, task, title)
    return claimed


def _names(config: Config, name: str, title: str) -> tuple[str, str]:
    """Return the task and its branch, by the first pattern, for an id or `ID-SLUG`, and a title."""
    pattern = config.tasks.branches[0]
    whole = pattern.replace("-{slug}", "").replace("{id}", name)
    task = tasks.of_branch(whole, config.tasks.branches)
    if task is None:
        raise GroundrulesError(
            f"{name!r} is no task id",
            why="letters, digits, dot, underscore and hyphen, at most 64, the first a letter or digit",
            fix="tools/groundrules task start T1-cart",
        )
    slug = "-".join("".join(char if char.isascii() and char.isalnum() else " " for char in title.lower()).split())[:40]
    branch = f"{whole}-{slug.strip('-')}" if slug and "-{slug}" in pattern and task == name else whole
    return task, branch if tasks.of_branch(branch, config.tasks.branches) == task else whole


def _require_room(listed: list[Listed], config: Config, task: str) -> None:
    # Of two worktrees of one task the older is its own.
    newest = sorted(listed, key=lambda each: each.pin.created if each.pin else "~", reverse=True)
    live = {worktrees.task_of(each, config): each for each in newest if worktrees.task_of(each, config)}
    if task in live:
        raise _live(live[task], task)
    if len(live) >= config.tasks.max_live:
        what = f"{len(live)} tasks are live, and [tasks] max_live is {config.tasks.max_live}"
        raise GroundrulesError(what, why="a reviewer's attention is finite too", fix="tools/groundrules task list")
    objects = Objects()
    waiting = [name for name, each in live.items() if each.head and _is_ready(name, Tree(each.head, objects))]
    if len(waiting) >= config.tasks.max_waiting:
        what = f"{len(waiting)} handoffs wait for review, and [tasks] max_waiting is {config.tasks.max_waiting}"
        raise GroundrulesError(what, why=", ".join(waiting), fix="tools/groundrules task list")


def _live(each: Listed, task: str) -> GroundrulesError:
    where = f"cd {quote(each.path)}"
    if each.pin is None:  # made by another tool, or by a start that was killed
        why = f"{each.held or 'it has no slot yet'}; branch {each.branch}"
        where += " && tools/groundrules slot claim"
        return GroundrulesError(f"task {task} is live: {each.path}", why=why, fix=where)
    facts = f"slot {each.pin.slot}, base {each.pin.base[:7]}, since {each.pin.created[:16].replace('T', ' ')}"
    return GroundrulesError(f"task {task} is live: {each.path}", why=facts, fix=where)


def _is_ready(task: str, tree: Tree) -> bool:
    """Whether `tree` carries a handoff of the task in state ready."""
    path = handoff.path_of(task)
    content = tree.read(path).get(path)
    return content is not None and not list(handoff.problems(content)) and handoff.load(content)["state"] == "ready"


def _from(ref: str) -> tuple[str, str, tuple[str, ...]]:
    base = _commit(ref)
    if base is None:
        raise GroundrulesError(f"{ref} is no commit here", fix="git branch --all")
    return ref, base, ()


def _commit(ref: str) -> str | None:
    return text("rev-parse", "-q", "--verify", "--end-of-options", f"{ref}^{{commit}}", ok=(0, 1, 128)) or None


def _from_target(target: str) -> tuple[str, str, tuple[str, ...]]:
    """Return the newest commit of the target: the remote's, fetched now, unless the local branch is ahead of it."""
    remote = text("config", "--get", f"branch.{target}.remote", ok=(0, 1)) or "origin"
    local = _commit(f"{HEADS}{target}")
    notes: tuple[str, ...] = ()
    if text("config", "--get", f"remote.{remote}.url", ok=(0, 1)):
        notes = _fetch(remote, target)
    tracked = _commit(f"refs/remotes/{remote}/{target}")
    if tracked and not (local and local != tracked and is_ancestor(tracked, local)):
        return f"{remote}/{target}", tracked, notes
    if local is None:
        fix = "tools/groundrules task start ID --from REF"
        raise GroundrulesError(f"there is no branch {target} to start from", fix=fix)
    return target, local, notes


def _fetch(remote: str, target: str) -> tuple[str, ...]:
    """Fetch the target; return a note about the age of what is known instead when the remote does not answer."""
    command = ["git", "fetch", "--quiet", "--no-write-fetch-head", remote, target]
    try:
        done = subprocess.run(
            command,
            env={**git_here(), "GIT_TERMINAL_PROMPT": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=FETCH_SECONDS,
            check=False,
        )
        if done.returncode == 0:
            return ()
    except subprocess.TimeoutExpired:
        pass
    known = text(*LOG, "-1", "--format=%cr", f"refs/remotes/{remote}/{target}", "--", ok=(0, 128))
    return (f"{remote} does not answer; its {target} is known as of {known}" if known else f"{remote} does not answer",)


def _path(here: Worktree, config: Config, task: str) -> str:
    """Return where the worktree goes: `[tasks] path` from the main worktree, or from the bare repository's folder."""
    common = here.common_dir
    main = os.path.dirname(common) if os.path.basename(common).startswith(".") else common.removesuffix(".git")
    name = config.tasks.path.replace("{repo}", os.path.basename(main)).replace("{id}", task)
    return os.path.normpath(os.path.join(main, name))


def _contract(path: str, task: str, title: str) -> None:
    """Write the task's contract with its title, if it has one and the repository holds none yet."""
    contract = os.path.join(path, "tasks", f"{task}.toml")
    if title and not os.path.exists(contract):
        import json

        make_folder(os.path.dirname(contract))
        replace(contract, f"title = {json.dumps(title, ensure_ascii=False)}\n".encode())
