"""What differs between two states of a dependency file, in a short form for tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groundrules_hooks.kinds.dependency import compare

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def told() -> Callable[[str, str, str, str], str]:
    """Tell what becomes of the file at `path` with `text` when `before` in it gives way to `after`.

    `+name`, `-name`, `name old→new` for dependencies, `other` for anything else, `?` for what cannot be compared.
    """

    def told(path: str, text: str, before: str, after: str) -> str:
        assert text.count(before) == 1, f"{before!r} stands {text.count(before)} times in {path}"
        found = compare(path, text.encode(), text.replace(before, after).encode())
        words = [f"+{name}" for name in found.added] + [f"-{name}" for name in found.removed]
        words += [f"{move.name} {move.old}→{move.new}" for move in found.moved]
        return ", ".join([*words, *["other"] * found.other]) if found.certain else "?"

    return told
