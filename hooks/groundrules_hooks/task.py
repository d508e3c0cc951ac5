"""Task ids: read from the branch's name by the configured patterns, never counted on a branch."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST = 64


def is_id(text: str) -> bool:
    """Whether `text` is a task id: `[A-Za-z0-9][A-Za-z0-9._-]*`, at most 64 characters (spec §2)."""
    body = text.replace(".", "").replace("_", "").replace("-", "")
    return 0 < len(text) <= LONGEST and text[0].isalnum() and text.isascii() and body.isalnum()


def of_branch(branch: str | None, patterns: Iterable[str]) -> str | None:
    """Return the id that `branch` names by the first pattern that fits, or None."""
    for pattern in patterns if branch else ():
        found = _match(branch or "", pattern)
        if found:
            return found
    return None


def _match(branch: str, pattern: str) -> str | None:
    prefix, _, rest = pattern.partition("{id}")
    slug, suffix = rest.startswith("-{slug}"), rest.removeprefix("-{slug}")
    if not (branch.startswith(prefix) and branch.endswith(suffix) and len(branch) > len(prefix) + len(suffix)):
        return None
    name = branch[len(prefix) : len(branch) - len(suffix)]
    found = _before_slug(name) if slug else name
    return found if is_id(found) else None


def _before_slug(name: str) -> str:
    """Return the shortest part of `name` before a hyphen that holds a digit, else the whole: `T-12` of `T-12-fix`."""
    for position, char in enumerate(name):
        if char == "-" and position + 1 < len(name) and any(c.isdigit() for c in name[:position]):
            return name[:position]
    return name


def branch_for(name: str, pattern: str) -> str:
    """Return a branch that names a task, made from a branch `name` that names none."""
    kept = "".join(char if char.isascii() and (char.isalnum() or char in "._-") else "-" for char in name)
    return pattern.replace("-{slug}", "").replace("{id}", kept.strip("-._")[:LONGEST].strip("-._") or "T1")
