"""Origin: the tree that a change began from; of a branch, the commits of its target that it holds last."""

from __future__ import annotations

from groundrules_hooks.change import Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from groundrules_hooks.change import Change


def of(change: Change) -> list[Tree]:
    """Return where `change` began: what it merged of its target is not its own. Nothing when nobody knows."""
    sources = [change.base]
    if change.worktree is None:
        from groundrules_hooks.ancestry import meeting

        sources = [*meeting(change.commit or "", change.target)] or sources
    return [Tree(source, change.tree.objects) for source in sources if source]


def restore(change: Change, origin: Tree, path: str) -> str:
    """Return the command that takes the file at `path` from `origin`, where `change` began."""
    is_head = change.worktree is not None and change.parents == 1
    return f"git checkout {'HEAD' if is_head else origin.source[:12]} -- {path}"
