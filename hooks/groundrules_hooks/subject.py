"""Subject tree: a commit's tree without the top-level `evidence/` entry. The key of all evidence."""

from __future__ import annotations

import os

from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.git import git

EVIDENCE = "evidence"


def subject_tree(commit: str) -> str:
    """Return the id of the subject tree of `commit`. Raise GroundrulesError when `evidence` is not a folder there."""
    entries = [entry for entry in git("ls-tree", "-z", "--full-tree", commit).split(b"\0") if entry]
    kept = []
    for entry in entries:
        meta, _, name = entry.partition(b"\t")
        if name.lower() != EVIDENCE.encode():
            kept.append(entry)
        elif not meta.startswith(b"040000 tree ") or name != EVIDENCE.encode():
            shown = os.fsdecode(name)
            raise GroundrulesError(
                f"{shown}: the name {EVIDENCE} is kept for a folder of records", fix=f"git ls-tree {commit} {shown}"
            )
    # In a partial clone objects may be absent; their ids are enough.
    stdin = b"".join(entry + b"\0" for entry in kept)
    return os.fsdecode(git("mktree", "-z", "--missing", stdin=stdin).strip())
