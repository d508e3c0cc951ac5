"""Combinations of answers, each taken through its first day under one of the two hook runners.

With `--every`, which takes half an hour, these are all there are, under both; else rows in which every pair meets. All
are rendered and judged as files in template/test_matrix.py.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from conftest import forget
from end_to_end.conftest import RUNNERS
from end_to_end.test_skeleton import POSTGRES, ask, person
from groundrules import template as door
from groundrules.clones import Source
from scaffolder.stack.conftest import free_block
from template.answers import VALUES, every_combination, named, pairwise
from template.conftest import contents

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from _pytest.mark import ParameterSet

    from end_to_end.conftest import Person, Seeded

__all__ = ["person"]
ANSWERS = {**VALUES, "runner": RUNNERS}


@pytest.fixture
def seeded(request: pytest.FixtureRequest, seed: Callable[[str], Seeded]) -> Seeded:
    """The seeded repository of the row's runner."""
    return seed(request.param)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    rows = every_combination(ANSWERS) if metafunc.config.getoption("every") else pairwise(ANSWERS)
    metafunc.parametrize(("seeded", "answers"), list(map(_row, rows)), indirect=["seeded"])


def _row(row: dict[str, str]) -> ParameterSet:
    answers = {name: value for name, value in row.items() if name != "runner"}
    needs = [POSTGRES] if row["skeleton"] == "postgres" else []
    return pytest.param(row["runner"], answers, id=named(row), marks=[pytest.mark.xdist_group(row["runner"]), *needs])


def test_first_day_with_these_answers(seeded: Seeded, person: Person, answers: dict[str, str], tmp_path: Path) -> None:
    # Rows use ports again that a row before had, and are no repositories of one machine.
    person.env["XDG_STATE_HOME"] = str(tmp_path / "state")
    first = free_block()
    for index, usual in enumerate(("3000", "8000", "5432")):
        answers = {name: value.replace(f"={usual}", f"={first + index}") for name, value in answers.items()}
    data = " ".join(f"--data '{name}={value}'" for name, value in answers.items())
    kiosk, task = tmp_path / "kiosk", tmp_path / "kiosk.T1"
    said = person.does(
        f"{sys.executable} -m groundrules new kiosk --defaults --source {seeded.release} {data}", tmp_path
    )
    assert "✓ first commit" in said
    _is_whole(person, kiosk)

    # COPY-01, COPY-11
    again = tmp_path / "größe x"
    named_so = {**answers, "project_name": "kiosk"}
    door.copy(Source(str(seeded.release), None, None), None, str(again), named_so, ask=False)
    assert {path: content for path, content in contents(kiosk).items() if path != ".slot.env"} == contents(again)

    person.does("make task ID=T1-first", kiosk)
    try:
        _works(person, task, answers, first)
    finally:
        if answers["skeleton"] != "none":
            person.does("make down ARGS='--data --yes'", task)
        forget(kiosk / ".git")


def _is_whole(person: Person, folder: Path) -> None:
    """Assert that all that was rendered is committed, and that nothing of it is ignored."""
    assert person.does("git status --short", folder) == ""
    # COPY-06: such a file would be overwritten by an update without a word
    assert person.does("git ls-files --cached --ignored --exclude-standard", folder) == ""


def _works(person: Person, task: Path, answers: dict[str, str], first: int) -> None:
    """Bring the stack up, change what its check is about, and go through check, handoff and gate."""
    service = answers["skeleton"] != "none"
    said = person.does("make up", task, 0 if service else 2)
    if service:
        port = first + 10 + (answers["ports"].count("=") > 1)
        assert ask(port, "/healthz")["status"] == "ok"
    else:
        assert "[stack]" in said
    with open(task / ("tests/test_api.py" if service else "README.md"), "a", encoding="utf-8") as file:
        file.write("# The last line.\n")
    subject = "test: say where it ends" if answers["commit_style"] == "conventional" else "Say where it ends"
    person.does(f"git commit -q -a -m '{subject}'", task)
    tier = "deep" if answers["skeleton"] == "postgres" else "quick"
    said = person.does(f"make check ARGS='--tier {tier}'", task)
    assert ("PASSED" if service else "no [[check]]") in said
    person.does('make handoff ARGS="--unresolved none --deviations none --commit"', task)
    assert "0 findings" in person.does("make -s gate", task)
    assert person.does("git status --short", task) == ""
    assert os.path.exists(task / "evidence/T1/handoff.json")
