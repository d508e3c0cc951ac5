"""adaptation: what says that code changes because a dependency moved."""

from __future__ import annotations

import pytest

from groundrules_hooks.kinds.adaptation import is_about
from groundrules_hooks.kinds.pins import Move

MOVES = [Move("left-pad", "1.0.0", "2.0.0")]
SPEAKING, SILENT = b"import Left_Pad\n", b"let a = 1;\n"


@pytest.mark.parametrize("count", [1, 2, 3, 10, 199, 200, 201, 399, 400, 401, 3000])
@pytest.mark.parametrize("rhythm", [3, 5, 15, 3000])
@pytest.mark.parametrize("part", [-1, 0.3, 0.6, 1])
def test_half_of_the_contents_have_to_speak_of_what_moved(count: int, rhythm: int, part: float) -> None:
    speaks = [number % rhythm <= part * (rhythm - 1) for number in range(count)]
    contents = [SPEAKING if each else SILENT for each in speaks]
    assert is_about(MOVES, contents) is (2 * sum(speaks) >= count)
