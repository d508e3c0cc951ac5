"""Origin: the tree that a change began from; of a branch, the commit of its target that it holds last."""

from __future__ import annotations

from groundrules_hooks.change import Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from groundrules_hooks.change import Change


def of(change: Change) -> Tree | None:
    """Return where `change` began: what it merged of its target is not its own. None when nobody knows."""
    source = change.base
    if change.worktree is None:
        from groundrules_hooks.ancestry import meeting

        source = meeting(change.commit or "", change.target) or change.base
    return Tree(source, change.tree.objects) if source else None


def restore(change: Change, origin: Tree, path: str) -> str:
    """Return the command that takes the file at `path` from where `change` began."""
    is_head = change.worktree is not None and change.parents == 1
    return f"git checkout {'HEAD' if is_head else origin.source[:12]} -- {path}"
