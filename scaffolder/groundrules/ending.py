"""The end of a task: nothing of its work is lost, and nothing of it stays behind."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from groundrules import console, creation, worktrees
from groundrules.place import enter
from groundrules.stack import instance, owner, record, shutdown, tenancy
from groundrules_hooks import temporary
from groundrules_hooks.ancestry import is_on, targets
from groundrules_hooks.config import of_worktree
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import quote, say
from groundrules_hooks.git import LOG, GitError, git, text
from groundrules_hooks.worktree import HEADS, Worktree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.stack.instance import Instance
    from groundrules.worktrees import Listed
    from groundrules_hooks.config import Config


def close(here: Worktree, config: Config, found: Listed) -> int:
    """Remove the worktree and the slot of a task, and its branch once that is merged.

    `config` counts where the worktree has none, or no folder any more. Raise GroundrulesError, with nothing changed,
    when work would be lost or somebody is at work there.
    """
    task = worktrees.task_of(found, config)
    if not found.linked or not (found.pin or task):
        raise GroundrulesError(f"{found.path} is no task's worktree", fix="tools/groundrules task list")
    _require_usable(here, found)
    stood = os.getcwd()
    stack = _stack(here, config, found)
    os.chdir(here.common_dir)  # the folder is about to go
    known = targets((stack.config if stack else config).tasks.target)
    made = record.read_all(stack.run) if stack else []
    _require_unused(found, task, known, {pid for each in made for pid in each.members()})
    if stack and _owns(found, stack.run):
        _bring_down(stack)
    merged = found.head is not None and is_on(found.head, known)
    with creation.turn(here.common_dir):
        _remove(found)
        if found.branch and merged:
            git("update-ref", "-d", f"{HEADS}{found.branch}", found.head or "")
    temporary.sweep(here.common_dir)
    slot = f", slot {found.pin.slot} is free" if found.pin else ""
    branch = f"; branch {found.branch} {'removed, since it is' if merged else 'kept, since it is not'} merged"
    console.step(console.DONE, "closed", f"task {task or 'none'}{slot}{branch if found.branch else ''}")
    if _is_below(stood, found.path):
        say(f"→ cd {quote(_main_folder(here))}\n")
    return 0


def close_vanished(here: Worktree, config: Config, task: str) -> bool:
    """Stop what the worktree of `task` left when it was removed by others, and delete its data; whether it left any."""
    found = False
    for slot in record.slots(here.common_dir):
        run = record.folder(here.common_dir, slot)
        known = owner.read(run)
        if known and known.task == task and owner.is_gone(here.common_dir, known):
            git_dir = os.path.join(here.common_dir, "worktrees", known.name)
            gone = Worktree(known.root, git_dir, here.common_dir, None, None)
            _bring_down(instance.of(gone, config, slot))
            console.step(console.DONE, "closed", f"task {task}, whose worktree {known.root} was removed")
            found = True
    temporary.sweep(here.common_dir)
    return found


def _require_usable(here: Worktree, found: Listed) -> None:
    if found.held == worktrees.LOCKED:
        raise GroundrulesError(f"{found.path} is locked", fix=f"git worktree unlock {quote(found.path)}")
    if found.held == worktrees.BROKEN:
        raise _broken(found, os.path.join(here.common_dir, "worktrees", found.entry))


def _broken(found: Listed, entry: str) -> GroundrulesError:
    why, fix = "git cannot read what it has recorded of it", f"ls -l {quote(entry)}"
    if not os.path.isdir(found.path):
        why, fix = "something else is in its place", f"ls -ld {quote(found.path)}"
    elif found.path != entry and not os.path.lexists(os.path.join(found.path, ".git")):
        why, fix = "its .git is gone, so nobody can tell what would be lost", "git worktree repair"
    return GroundrulesError(f"{found.path} is broken", why=why, fix=fix)


def _stack(here: Worktree, config: Config, found: Listed) -> Instance | None:
    """Return the stack of the task's worktree, whether it runs or not; None when it never had a slot."""
    if found.pin is None:
        return None
    if found.held == worktrees.MISSING:
        git_dir = os.path.join(here.common_dir, "worktrees", found.entry)
        gone = Worktree(found.path, git_dir, here.common_dir, found.branch, found.head)
        return instance.of(gone, config, found.pin.slot)
    worktree = enter(found.path)
    return instance.of(worktree, of_worktree(worktree) or config, found.pin.slot)


def _bring_down(stack: Instance) -> None:
    """Stop what the task left running and delete its data, which the next owner of the slot must not meet."""
    with tenancy.in_turn(stack.run):
        stopped = shutdown.stop(stack.run)
        dropped = shutdown.drop(stack)
        owner.forget(stack.run)
    for what, names in (("stopped", stopped), ("deleted", dropped)):
        if names:
            console.step(console.DONE, what, ", ".join(names))


def _owns(found: Listed, run: str) -> bool:
    """Whether the stack in the folder `run` is that of the worktree; else nothing ran, or another one's does."""
    known = owner.read(run)
    return known is not None and known.name == found.entry


def _main_folder(here: Worktree) -> str:
    return os.path.dirname(here.common_dir) if os.path.basename(here.common_dir) == ".git" else here.common_dir


def _is_below(path: str, folder: str) -> bool:
    return f"{os.path.realpath(path)}/".startswith(f"{os.path.realpath(folder)}/")


def _require_unused(found: Listed, task: str, known: list[str], ours: set[int]) -> None:
    """Raise GroundrulesError, naming each, when the worktree holds work, or processes but for `ours`."""
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
        for line in text(*LOG, "--format=%h %s", found.head, "--not", "--remotes", *known, "--").splitlines():
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
