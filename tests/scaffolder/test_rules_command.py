"""`groundrules rules`: the table of what is enforced, and the page of each rule, from a checkout and from a wheel."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT
from groundrules_hooks.rules import NAMES, RULES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from scaffolder.conftest import Answer


def test_table_names_every_rule_and_what_it_refuses(run: Callable[..., Answer], tmp_path: Path) -> None:
    code, out, err = run(tmp_path, "rules")
    assert (code, err) == (0, "")
    assert [line.split(maxsplit=1) for line in out.splitlines()] == [[rule.name, rule.refuses] for rule in RULES]


@pytest.mark.parametrize("name", NAMES)
def test_page_of_a_rule_is_printed_as_it_is(run: Callable[..., Answer], tmp_path: Path, name: str) -> None:
    code, out, _ = run(tmp_path, "rules", name)
    with open(f"{ROOT}/docs/rules/{name}.md", encoding="utf-8") as file:
        assert (code, out) == (0, file.read())


def test_installed_package_finds_its_pages_beside_itself(tmp_path: Path) -> None:
    # As the wheel lays them out: docs/rules becomes groundrules/pages.
    shutil.copytree(f"{ROOT}/scaffolder/groundrules", tmp_path / "groundrules")
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}/hooks"}
    argv = [sys.executable, "-m", "groundrules", "rules", "one-task"]
    missing = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert (missing.returncode, missing.stdout) == (2, "")
    assert missing.stderr.startswith("groundrules: the page of one-task is not installed")
    (tmp_path / "groundrules/pages").mkdir()
    (tmp_path / "groundrules/pages/one-task.md").write_text("# one-task\n")
    found = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (0, "# one-task\n")
