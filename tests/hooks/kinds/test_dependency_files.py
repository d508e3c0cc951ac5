"""Dependency files of every ecosystem: what was added, removed and moved, and what is something else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groundrules_hooks.kinds.dependency import compare
from groundrules_hooks.kinds.pins import Difference
from hooks.kinds import compiled_language_files, javascript_files, other_dependency_files, python_files

if TYPE_CHECKING:
    from collections.abc import Callable

TABLES = (python_files, javascript_files, compiled_language_files, other_dependency_files)
CASES = [(table.FILES[path], path, *case) for table in TABLES for path, *case in table.CASES]
FILES = [(path, text) for table in TABLES for path, text in table.FILES.items()]


@pytest.mark.parametrize(("text", "path", "before", "after", "expected"), CASES)
def test_a_change_is_told_for_what_it_is(
    told: Callable[[str, str, str, str], str], text: str, path: str, before: str, after: str, expected: str
) -> None:
    assert told(path, text, before, after) == expected


@pytest.mark.parametrize(("path", "text"), FILES)
def test_line_ends_say_nothing(path: str, text: str) -> None:
    # HYG-03
    content = text.encode()
    found = compare(path, content, content.replace(b"\n", b"\r\n"))
    assert found == Difference(lock=found.lock)
