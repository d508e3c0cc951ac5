"""Ancestry: the target's refs, and the commit that a branch started from."""

from __future__ import annotations

import os

from groundrules_hooks.git import LOG, answer, git, is_oid
from groundrules_hooks.worktree import HEADS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from groundrules_hooks.worktree import Worktree

_contained: set[tuple[str, str]] = set()  # pairs of commits of which git said so: it is for ever


def targets(target: str, meanwhile: Callable[[], object] = bool) -> list[str]:
    """Return the full names of the target branch that exist, here and on every remote; git answers `meanwhile`."""
    patterns = (f"{HEADS}{target}", f"refs/remotes/*/{target}")
    refs = os.fsdecode(git("for-each-ref", "--format=%(refname)", *patterns, meanwhile=meanwhile)).split("\n")
    return [ref for ref in refs if ref.endswith(f"/{target}")]  # git takes a pattern for a folder of refs too


def base_of(worktree: Worktree, target: str) -> str | None:
    """Return the commit the branch of `worktree` started from, as exactly as git still knows it."""
    if worktree.head is None:
        return None
    known = targets(target)
    created = _created(worktree.branch)
    if created and is_ancestor(created, worktree.head):
        return created
    code, out = answer("merge-base", worktree.head, *known, ok=(0, 1)) if known else (1, b"")
    return worktree.head if code else out.decode().strip()


def meeting(head: str, refs: Iterable[str]) -> list[str]:
    """Return the newest commits that `head` has in common with those of `refs` that do not contain it."""
    others = [ref for ref in refs if not is_ancestor(head, ref)]
    return git("merge-base", "--all", head, *others, ok=(0, 1)).decode().split() if others else []


def _created(branch: str | None) -> str | None:
    """Return the commit that `branch` was created at, by its reflog; None for a copy of a remote branch."""
    if branch is None:
        return None
    code, out = answer(*LOG, "-g", "--format=%H %gs", f"{HEADS}{branch}", "--", ok=(0, 128))
    oldest = out.decode("utf-8", "replace").rstrip("\n").rpartition("\n")[2]
    oid, _, subject = oldest.partition(" ")
    # A copy of a remote's branch was created from a ref that ends with its own name.
    made_here = subject.startswith("branch: Created from ") and not subject.endswith(f"/{branch}")
    return oid if code == 0 and made_here else None


def exists(branch: str) -> bool:
    """Whether there is a branch of that short name here."""
    return bool(branch) and answer("show-ref", "--verify", "--quiet", f"{HEADS}{branch}", ok=(0, 1))[0] == 0


def is_ancestor(older: str, newer: str) -> bool:
    """Whether `newer` contains `older`; an unknown commit is contained in nothing."""
    pair = (older, newer)
    if pair in _contained:
        return True
    found = answer("merge-base", "--is-ancestor", older, newer, ok=(0, 1, 128))[0] == 0
    if found and is_oid(older) and is_oid(newer):
        _contained.add(pair)
    return found


def learn(older: Iterable[str], newer: str) -> None:
    """Remember that `newer` contains each of `older`, as git has told with something else."""
    if is_oid(newer):
        _contained.update((oid, newer) for oid in older)


def is_on(commit: str, refs: Iterable[str]) -> bool:
    """Whether `commit` is reachable from one of `refs`."""
    return any(is_ancestor(commit, ref) for ref in refs)
