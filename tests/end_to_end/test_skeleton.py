"""A fresh copy comes up with nothing else installed, and two worktrees answer at once with data of their own."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from typing import TYPE_CHECKING, Any
from urllib.request import urlopen

import pytest

from conftest import forget
from scaffolder.stack.conftest import INSTALLED, free_block

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from end_to_end.conftest import Person, Seeded

POSTGRES = pytest.mark.skipif(not INSTALLED, reason="PostgreSQL is not installed; .ci/run installs it")


def ask(port: int, path: str) -> dict[str, Any]:
    with urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
        found: dict[str, Any] = json.load(answer)
    return found


@pytest.fixture
def person(seeded: Seeded) -> Iterator[Person]:
    """The person of `seeded`, with a folder for clusters that every user can reach."""
    state = tempfile.mkdtemp(prefix="groundrules-test-", dir="/tmp")
    os.chmod(state, 0o711)  # noqa: S103 (to be passed through)
    yield seeded.person._replace(env={**seeded.person.env, "GROUNDRULES_STATE": state})
    shutil.rmtree(state)


# STACK-01
@pytest.mark.parametrize("skeleton", ["sqlite", pytest.param("postgres", marks=POSTGRES)])
def test_two_worktrees_of_a_fresh_copy_are_up_at_once(
    seeded: Seeded, person: Person, skeleton: str, tmp_path: Path
) -> None:
    first = free_block()
    answers = f'--data skeleton={skeleton} --data ports="web={first} api={first + 1} db={first + 2}"'
    new = f"{sys.executable} -m groundrules new kiosk --defaults --source {seeded.release}"
    said = person.does(f"{new} {answers}", tmp_path)
    assert "✓ first commit" in said
    kiosk, linked = tmp_path / "kiosk", tmp_path / "kiosk.T1"
    assert "→ make up " in said
    person.does("git worktree add -q -b task/T1-cart ../kiosk.T1", kiosk)
    try:
        for folder in (kiosk, linked):
            said = person.does("make up", folder)
            assert f"http://127.0.0.1:{first + 1 if folder == kiosk else first + 11}/healthz" in said
        person.does("make down && make up", linked)
        here, there = ask(first + 1, "/healthz"), ask(first + 11, "/healthz")
        assert (here["status"], here["starts"]) == ("ok", 1)
        assert (there["status"], there["starts"]) == ("ok", 2)
        assert here["database"].endswith("_s0")
        assert there["database"] == here["database"].replace("_s0", "_s1")
        wired = {row["id"]: row["wired"] for row in ask(first + 11, "/capabilities")["capabilities"]}
        assert wired == {"health": True, "product": False}
        person.does("python3 -m unittest discover -s tests", linked)
        assert "already up" in person.does("make up", kiosk)
        assert person.does("git status --short", kiosk) == person.does("git status --short", linked) == ""
    finally:
        for folder in (linked, kiosk):
            person.does("make down ARGS='--data --yes'", folder)
        forget(kiosk / ".git")
