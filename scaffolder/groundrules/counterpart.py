"""Counterparts: what a worktree's work will meet in a merge, the target and every live sibling, and how."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from groundrules import uncommitted, worktrees
from groundrules_hooks import contract
from groundrules_hooks import task as tasks
from groundrules_hooks.ancestry import targets
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import quote, shown
from groundrules_hooks.git import text
from groundrules_hooks.lock import held
from groundrules_hooks.prediction import UNKNOWN, Prediction, predict
from groundrules_hooks.trial import Trial
from groundrules_hooks.worktree import Worktree

if TYPE_CHECKING:
    from groundrules.uncommitted import Content
    from groundrules.worktrees import Listed
    from groundrules_hooks.config import Config

TARGET = "target"
TASK = "task"


class Counterpart(NamedTuple):
    """The target, whose `ref` is a branch here or on a remote, or a sibling with its branch and its worktree.

    `commit` is its tip, empty where `reason` says why it cannot be looked at.
    """

    name: str
    kind: str
    ref: str
    commit: str
    worktree: Worktree | None = None
    reason: str = ""


class Meeting(NamedTuple):
    """How this worktree's work meets one counterpart, of which `files` paths are not committed."""

    counterpart: Counterpart
    prediction: Prediction
    files: int = 0


class Outlook(NamedTuple):
    """Every meeting of a worktree's work, of which `files` paths are not committed."""

    meetings: list[Meeting]
    files: int


def outlook(here: Worktree, config: Config, ref: str = "", only: str = "") -> Outlook:
    """Return how the work of `here`, uncommitted work included, meets the target and every live sibling.

    `ref` stands in for the target; `only` names the one counterpart to look at.
    """
    found = _narrowed([target(config, ref), *siblings(here, config)], only)
    with Trial(here.common_dir, here.head or "") as trial:
        places = [here, *(each.worktree for each in found if each.worktree and not each.reason)]
        own, *others = uncommitted.contents(trial, places)
        contents = iter(others)
        sides = [_side(each, next(contents) if each.worktree and not each.reason else None) for each in found]
        known = [side.commit for side in sides if not side.reason and not own.reason]
        predictions = iter(predict(trial, own.commit, known, _declared(here, config)) if known else [])
        meetings = []
        for each, side in zip(found, sides, strict=True):
            reason = f"here: {own.reason}" if own.reason else side.reason
            meetings.append(
                Meeting(each, Prediction(UNKNOWN, reason=reason) if reason else next(predictions), side.files)
            )
    return Outlook(meetings, own.files)


def _declared(here: Worktree, config: Config) -> tuple[str, ...]:
    """Return the globs of what the task's contract declares to write."""
    task = tasks.of_branch(here.branch, config.tasks.branches)
    path = contract.path_of(task) if task else ""
    content = held(os.path.join(here.root, path)) if task else b""
    return contract.parse(content, path).writes if content else ()


def _side(each: Counterpart, content: Content | None) -> Content:
    return content or uncommitted.Content(each.commit, reason=each.reason)


def _narrowed(found: list[Counterpart], only: str) -> list[Counterpart]:
    if not only:
        return found
    wanted = [each for each in found if only in (each.name, each.ref)]
    if not wanted:
        known = ", ".join(each.name for each in found)
        raise GroundrulesError(
            f"{only} is neither the target nor a live sibling", why=f"there are {known}", fix="groundrules task list"
        )
    return wanted


def target(config: Config, ref: str) -> Counterpart:
    """Return the target: the commit `ref`, or of its branches here and on remotes the one that is ahead."""
    if ref:
        commit = text("rev-parse", "-q", "--verify", "--end-of-options", f"{ref}^{{commit}}", ok=(0, 1, 128))
        if not commit:
            raise GroundrulesError(f"{ref} is no commit here", fix="git branch --all")
        return Counterpart(ref, TARGET, ref, commit)
    known = targets(config.tasks.target)
    name = config.tasks.target
    if not known:
        return Counterpart(name, TARGET, name, "", reason=f"there is no branch {name} here")
    tips = text("merge-base", "--independent", *known).splitlines()
    refs = {text("rev-parse", ref): ref for ref in reversed(known)}
    # Where the local branch has commits that the remote's lacks, and the reverse, the remote's is what others see.
    newest = max(tips, key=lambda tip: refs[tip].startswith("refs/remotes/"))
    short = refs[newest].removeprefix("refs/heads/").removeprefix("refs/remotes/")
    return Counterpart(short, TARGET, short, newest)


def siblings(here: Worktree, config: Config) -> list[Counterpart]:
    """Return every other worktree that is at work on something: a task, or a branch that is not the target."""
    found = []
    for listed in worktrees.listing(here.common_dir):
        task = (listed.pin.task if listed.pin else "") or tasks.of_branch(listed.branch, config.tasks.branches)
        busy = task or listed.branch not in (None, config.tasks.target)
        if busy and os.path.realpath(listed.path) != here.root:
            found.append(_sibling(here.common_dir, listed, task or listed.branch or ""))
    return found


def _sibling(common_dir: str, listed: Listed, name: str) -> Counterpart:
    git_dir = os.path.join(common_dir, "worktrees", listed.entry) if listed.entry else common_dir
    worktree = Worktree(listed.path, git_dir, common_dir, listed.branch, listed.head)
    reason = ""
    if listed.held == worktrees.BROKEN:
        reason = f"its worktree is broken: {shown(listed.path)}"
    elif not os.path.isdir(listed.path):
        reason = f"its folder is not there: {shown(listed.path)}"
    elif not listed.head or not listed.head.strip("0"):
        reason = "it has no commit yet"
    return Counterpart(name, TASK, listed.branch or listed.head or "", listed.head or "", worktree, reason)


def way_to_look(here: Worktree, counterpart: Counterpart, path: str) -> str:
    """Return the command that shows what a counterpart does to `path`, uncommitted work included."""
    if counterpart.worktree is None:
        below = os.getcwd() != here.root
        return f"git diff HEAD...{quote(counterpart.ref)} -- {quote(f':/{path}' if below else path)}"
    start = here.branch or here.head or "HEAD"
    return (
        f"git -C {quote(os.path.relpath(counterpart.worktree.root))} diff --merge-base {quote(start)} -- {quote(path)}"
    )
