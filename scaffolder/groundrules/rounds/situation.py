"""Situation: what is known of a task's review: its log, the policy, the commits since; and how the log grows."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from groundrules.place import require_config, require_outermost
from groundrules_hooks import leftover, pin, policy, review, review_log
from groundrules_hooks import task as tasks
from groundrules_hooks.ancestry import targets
from groundrules_hooks.decision import decide, last_look
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.git import answer, git
from groundrules_hooks.history import commits
from groundrules_hooks.lock import Lock, held, make_folder, replace
from groundrules_hooks.message import trailers
from groundrules_hooks.review import Commit
from groundrules_hooks.subject import EVIDENCE, subject_tree

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundrules_hooks.change import Change
    from groundrules_hooks.config import Config
    from groundrules_hooks.review import Decision, Event, Log, Policy
    from groundrules_hooks.worktree import Worktree

TRAILER = "Review-Fix"


class Situation(NamedTuple):
    """The review of the task of `worktree`, whose HEAD has the subject tree `tree`; `path` is its log from the root."""

    worktree: Worktree
    config: Config
    task: str
    head: str
    tree: str
    path: str
    policy: Policy
    events: tuple[Event, ...]

    @property
    def log(self) -> Log:
        """The events as they are judged."""
        return review.read(self.policy, self.events)

    def decision(self) -> Decision:
        """Return what to do next."""
        return decide(self.policy, self.events, since(self))


def situation() -> Situation:
    """Return the situation in the current directory. Raise GroundrulesError where there is no task or no policy."""
    worktree = require_outermost()
    config = require_config(worktree)
    pinned = pin.read(worktree.git_dir) if worktree.linked and worktree.branch is None else None
    task = pinned.task if pinned else tasks.of_branch(worktree.branch, config.tasks.branches)
    if not task or worktree.head is None:
        what = f"{worktree.branch or 'a detached HEAD'} names no task, so there is no review to speak of"
        raise GroundrulesError(
            what, why=f"patterns are {', '.join(config.tasks.branches)}", fix="groundrules task list"
        )
    path = leftover.log_of(task)
    content = held(os.path.join(worktree.root, policy.FILE))
    if not content:
        raise GroundrulesError(f"{policy.FILE} is missing", fix=f"git log --oneline -- {policy.FILE}")
    return Situation(
        worktree,
        config,
        task,
        worktree.head,
        subject_tree(worktree.head),
        path,
        policy.parse(content),
        tuple(_events(worktree, path)),
    )


def leftovers(root: str, task: str) -> list[str]:
    """Return what the review of `task` leaves open, the worst first, as texts for the handoff's `unresolved`."""
    path = leftover.log_of(task)
    return leftover.leftovers(held(os.path.join(root, path)), path, held(os.path.join(root, policy.FILE)))


def append(here: Situation, make: Callable[[Situation], list[Event]]) -> list[Event]:
    """Append the events that `make` returns for the log as it is under the lock; the file is replaced as a whole."""
    file = os.path.join(here.worktree.root, here.path)
    with Lock(here.worktree.common_dir, "review"):
        made = make(here._replace(events=tuple(_events(here.worktree, here.path))))
        content = held(file)
        whole = content if content.endswith(b"\n") or not content else content + b"\n"
        make_folder(os.path.dirname(file))
        added = b"".join(map(review_log.line_of, made))
        review_log.events(added, here.path)  # what cannot be read back is not written
        replace(file, whole + added)
    return made


def since(here: Situation) -> list[Commit]:
    """Return the commits that the last look did not see, but for those of the target and those that only moved.

    A rebase moves commits: one that changes the same is no new one. A merge is what a person changed in it.
    """
    look = last_look(here.log)
    if look is None or look.end == here.tree:
        return []
    if answer("cat-file", "-e", f"{look.head}^{{commit}}", ok=(0, 1, 128))[0]:
        return [Commit(here.head, (), (".",))]  # nobody here can tell what came after it
    without = [look.head, *targets(here.config.tasks.target)]
    new = git("rev-list", "--cherry-pick", "--right-only", f"{look.head}...{here.head}").decode().split()
    found = [(each, _paths(each)) for each in commits(here.head, without) if each.commit in set(new)]
    return [
        Commit(each.commit or "", tuple(trailers(each.message or "", TRAILER)), tuple(sorted(paths)))
        for each, paths in found
        if paths
    ]


def _paths(each: Change) -> set[str]:
    paths = each.paths
    if each.parents > 1:
        asked = ("--no-show-signature", "--remerge-diff", "--name-only", "--format=", "-z", each.commit or "")
        paths = {os.fsdecode(path) for path in git("show", *asked).split(b"\0") if path}
    return {path for path in paths if not path.startswith(f"{EVIDENCE}/")}


def _events(worktree: Worktree, path: str) -> list[Event]:
    return review_log.events(held(os.path.join(worktree.root, path)), path)
