"""The two ends of a range: the commits that names stand for, and where the work between them began."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from groundrules import console
from groundrules_hooks import config
from groundrules_hooks.change import Tree
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.git import answer, is_oid, text
from groundrules_hooks.worktree import HEADS

if TYPE_CHECKING:
    from groundrules_hooks.config import Config


def commit(ref: str) -> str | None:
    """Return the commit that `ref` names; None when it names none."""
    return text("rev-parse", "-q", "--verify", "--end-of-options", f"{ref}^{{commit}}", ok=(0, 1, 128)) or None


def require_commit(ref: str) -> str:
    """Return the commit that `ref` names. Raise GroundrulesError with the way to get it when it names none."""
    found = commit(ref)
    if found:
        return found
    raise GroundrulesError(
        f"{ref} is no commit here", fix="git fetch --unshallow" if _is_shallow() else "git fetch --all"
    )


def _is_shallow() -> bool:
    return text("rev-parse", "--is-shallow-repository") == "true"


def base(asked: str, head: str, known: list[str]) -> str:
    """Return the commit that the range starts from: the merge base of `head` and what was asked for, or the target.

    A new branch has zeros before its first push, and a force push leaves an id that exists no more. Never falls back
    to a part of the range, nor to all history. Raise GroundrulesError when there is no common commit.
    """
    given = commit(asked) if asked.strip("0") else None
    if given is None and asked and not is_oid(asked):  # a name, so mistyped rather than vanished
        require_commit(asked)
    if asked and given is None:
        console.narrate(console.WARNING, f"base {asked[:12]} is not known here; judged from the target branch")
    against = [given] if given else known
    if not against:
        raise GroundrulesError("there is no target branch to compare with", fix="groundrules gate --base REF")
    code, out = answer("merge-base", head, *against, ok=(0, 1))
    if code:
        fix = "git fetch --unshallow" if _is_shallow() else "git merge-base --all HEAD " + against[0]
        raise GroundrulesError(f"{head[:12]} and {against[0]} have no common commit here", fix=fix)
    return out.decode().strip()


def of_files(asked: str, base: str, head: str) -> str:
    """Return what the files of `head` are compared with: `base`, or the empty tree where that would be no file.

    After the first push of the target, or a forced one, nobody knows what was there before, and the target that stands
    in for it is `head` itself: no commit is judged then, but all files are.
    """
    if base != head or not asked or (asked.strip("0") and commit(asked)):
        return base
    console.narrate(console.WARNING, "the head is the target: its files are judged, and no commit")
    return text("hash-object", "-t", "tree", os.devnull)


def branch_of(ref: str) -> str:
    """Return the short name of the branch that `ref` names, here or on a remote; empty when it names none."""
    full = text("rev-parse", "--symbolic-full-name", "--end-of-options", ref, ok=(0, 128)).splitlines()
    name = full[-1] if full else ""
    if name.startswith("refs/remotes/"):
        return name.removeprefix("refs/remotes/").partition("/")[2]
    return name.removeprefix(HEADS) if name.startswith(HEADS) else ""


def settings_of(head: str, ref: str) -> Config:
    """Return the configuration that the commit `head` holds, which was asked for as `ref`."""
    content = Tree(head).read(config.FILE).get(config.FILE)
    if content is None:
        raise GroundrulesError(
            f"{ref} has no {config.FILE}, so no rules to judge by", fix=f"git log --oneline -- {config.FILE}"
        )
    return config.of_text(content)
