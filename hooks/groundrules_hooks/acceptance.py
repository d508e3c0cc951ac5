"""Acceptance: which tests cite which acceptance items, by a comment such as `acceptance: ORD-3.2`."""

from __future__ import annotations

import os

from groundrules_hooks.git import GREP, git
from groundrules_hooks.globs import matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from groundrules_hooks.change import Tree

WORD = "acceptance:"
TESTS = (
    "**/test/**",
    "**/tests/**",
    "**/__tests__/**",
    "**/spec/**",
    "**/specs/**",
    "**/features/**",
    "**/test_*",
    "**/*_test.*",
    "**/*.test.*",
    "**/*.spec.*",
    "**/*_spec.*",
    "**/*Test.*",
    "**/*Tests.*",
)
# What may stand before the word in a line that is a comment, in whichever language.
MARK = r"(?:#|//|--|/\*|\*|;|%|\"\"\"|''')\s*acceptance:\s*(.*)"


def cited(tree: Tree) -> dict[str, set[str]]:
    """Return the items that comments of tests in `tree` cite, with the paths of those tests."""
    import re

    words = (*GREP, "-i", "-e", WORD, tree.source, "--", ":(top)")
    found: dict[str, set[str]] = {}
    for line in git(*words, ok=(0, 1)).split(b"\n"):
        name, _, text = os.fsdecode(line).partition("\0")
        path = name.partition(":")[2]
        comment = re.search(MARK, text, re.IGNORECASE) if path and matches(path, TESTS) else None
        if comment:
            for item in re.findall(r"[A-Za-z0-9][\w.#/-]*", comment[1].partition("*/")[0]):
                found.setdefault(item.rstrip("."), set()).add(path)
    return found
