"""The end of a task: nothing of its work is lost, and nothing of it stays behind."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from groundrules import console, creation, worktrees
from groundrules.place import enter
from groundrules.stack import instance, owner, record, shutdown, tenancy
from groundrules_hooks.ancestry import is_on, targets
from groundrules_hooks.config import Config, of_worktree
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import quote, say
from groundrules_hooks.git import GitError, git, text
from groundrules_hooks.worktree import HEADS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.stack.instance import Instance
    from groundrules.worktrees import Listed
    from groundrules_hooks.worktree import Worktree


def close(here: Worktree, found: Listed) -> int:
    """Remove the worktree and the slot of a task, and its branch once that is merged.

    Raise GroundrulesError, with nothing changed, when work would be lost or somebody is at work there.
    """
    if not found.linked or found.pin is None:
        raise GroundrulesError(f"{found.path} is no task's worktree", fix="groundrules task list")
    if found.held == worktrees.LOCKED:
        raise GroundrulesError(f"{found.path} is locked", fix=f"git worktree unlock {quote(found.path)}")
    stood = os.getcwd()
    stack = _stack(found)
    os.chdir(here.common_dir)  # the folder is about to go
    known = targets(stack.config.tasks.target if stack else "main")
    run = record.folder(here.common_dir, found.pin.slot)
    _require_unused(found, known, {pid for made in record.read_all(run) for pid in made.members()})
    _bring_down(found, run, stack)
    merged = found.branch is not None and found.head is not None and is_on(found.head, known)
    with creation.turn(here.common_dir):
        _remove(found)
        if stack:
            shutil.rmtree(stack.rendered["TASK_TMPDIR"], ignore_errors=True)
        if merged:
            git("update-ref", "-d", f"{HEADS}{found.branch}", found.head or "")
    branch = f"{found.branch} {'removed, since it is merged' if merged else 'kept, since it is not merged'}"
    console.step(console.DONE, "closed", f"task {found.pin.task}, slot {found.pin.slot} is free; branch {branch}")
    if _is_below(stood, found.path):
        say(f"→ cd {quote(_main_folder(here))}\n")
    return 0


def _stack(found: Listed) -> Instance | None:
    """Return the stack of the task's worktree, whether it runs or not; None when the folder is gone."""
    if found.held == worktrees.MISSING or found.pin is None:
        return None
    worktree = enter(found.path)
    return instance.of(worktree, of_worktree(worktree) or Config({}), found.pin.slot)


def _bring_down(found: Listed, run: str, stack: Instance | None) -> None:
    """Stop what the task left running and delete its data, which the next owner of the slot must not meet."""
    known = owner.read(run)
    if known is None or known.name != found.entry:
        return  # nothing ran in this slot, or another worktree's does
    with tenancy.in_turn(run):
        stopped = shutdown.bring_down(stack) if stack else shutdown.stop(run)
        dropped = shutdown.drop(stack) if stack else []
    for what, names in (("stopped", stopped), ("deleted", dropped)):
        if names:
            console.step(console.DONE, what, ", ".join(names))


def _main_folder(here: Worktree) -> str:
    return os.path.dirname(here.common_dir) if os.path.basename(here.common_dir) == ".git" else here.common_dir


def _is_below(path: str, folder: str) -> bool:
    return f"{os.path.realpath(path)}/".startswith(f"{os.path.realpath(folder)}/")


def _require_unused(found: Listed, known: list[str], ours: set[int]) -> None:
    """Raise GroundrulesError, naming each, when the worktree holds work, or processes but for `ours`."""
    task = found.pin.task if found.pin else ""
    lost = [*_uncommitted(found), *_only_here(found, known)]
    if lost:
        look = f"git -C {quote(found.path)} status --short --branch"
        raise GroundrulesError(f"task {task} has work that would be lost", why="\n".join(lost), fix=look)
    users = [(pid, command) for pid, command in _users(found.path) if int(pid) not in ours]
    if users:
        why = "\n".join(f"process {pid}: {command}" for pid, command in users)
        fix = f"kill {' '.join(pid for pid, _ in users)}"
        raise GroundrulesError(f"{found.path} is in use", why=why, fix=fix)


def _uncommitted(found: Listed) -> Iterator[str]:
    if found.held != worktrees.MISSING:
        for entry in git("-C", found.path, "status", "--porcelain", "-z", "--untracked-files=all").split(b"\0"):
            if entry:
                yield f"not committed: {os.fsdecode(entry)[3:]}"


def _only_here(found: Listed, known: list[str]) -> Iterator[str]:
    """Yield the commits of the task that neither the target nor any remote has."""
    if found.head:
        for line in text("log", "--format=%h %s", found.head, "--not", "--remotes", *known, "--").splitlines():
            yield f"neither merged nor pushed: {line}"


def _users(path: str) -> Iterator[tuple[str, str]]:
    """Yield pid and command of processes that stand in the folder, but for this one and those that started it."""
    ours = set(_ancestors(os.getpid()))
    for name in filter(str.isdigit, os.listdir("/proc") if os.path.isdir("/proc") else []):
        try:
            stands = os.readlink(f"/proc/{name}/cwd")
            with open(f"/proc/{name}/cmdline", "rb") as file:
                command = os.fsdecode(file.read().replace(b"\0", b" ").strip())
        except OSError:  # it ended meanwhile, or is somebody else's
            continue
        if int(name) not in ours and _is_below(stands, path):
            yield name, command[:80]


def _ancestors(pid: int) -> Iterator[int]:
    while pid > 1:
        yield pid
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                pid = int(file.read().rpartition(b")")[2].split()[1])
        except OSError:
            return


def _remove(found: Listed) -> None:
    """Remove the worktree by git. Initialised submodules need force, and what they hold was found committed above."""
    submodules = os.path.exists(os.path.join(found.path, ".gitmodules"))
    try:
        git("worktree", "remove", *(["--force"] if submodules else []), found.path)
    except GitError as error:
        raise GroundrulesError(f"{found.path} is not removed", why=error.why, fix="git worktree list") from None
