"""The README's first command, on a clean clone in an empty home, with nothing but git, make and Python."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from conftest import Repository
from end_to_end.conftest import Person, make_release

if TYPE_CHECKING:
    from pathlib import Path


def commands(readme: Path) -> list[str]:
    """Return the commands of the README's first block."""
    block = readme.read_text().split("```")[1]
    return [line.partition("  #")[0].strip() for line in block.splitlines()[1:] if line.strip()]


@pytest.mark.xdist_group("pre-commit")
def test_first_command_does_the_main_job(tmp_path: Path) -> None:
    (tmp_path / "groundrules").mkdir()
    checkout = Repository(make_release(tmp_path / "groundrules"))
    checkout.git("tag", "-d", "v0.1.0")  # a clone of an unreleased state has no tags
    tools, home = tmp_path / "bin", tmp_path / "home"
    tools.mkdir()
    home.mkdir()
    base = os.path.join(sys.base_prefix, "bin", "python3")
    (tools / "python3").symlink_to(base)
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_", "SSL_"))}
    person = Person({**kept, "PATH": f"{tools}:/usr/bin:/bin", "HOME": str(home)})

    first, second = commands(checkout.path / "README.md")
    assert first == "make new DIR=../my-repo"
    assert second == "make test"
    said = person.does(first, checkout.path)
    assert "first commit" in said
    steps = [line.removeprefix("→ ").partition("  #")[0].strip() for line in said.splitlines() if line.startswith("→ ")]
    assert steps.pop(1) == "make up"  # the usual ports may be somebody's here: test_skeleton.py uses others
    assert len(steps) == 3
    told = person.does(" && ".join(steps).replace("less ", "cat "), checkout.path)
    assert "\n✓ slot " in told  # 1, where nobody else has its ports
    assert "\nSLOT=" in told
