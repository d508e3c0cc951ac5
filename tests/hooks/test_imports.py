"""The hook path imports the standard library alone, and of it nothing that costs a commit milliseconds."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT, Repository

HOOKS = Path(ROOT, "hooks", "groundrules_hooks")
SOURCES = sorted(HOOKS.rglob("*.py"))
HEAVY = {
    "argparse",
    "copier",
    "dataclasses",
    "enum",
    "git",
    "inspect",
    "json",
    "jsonschema",
    "logging",
    "pathlib",
    "re",
    "shlex",
    "socket",
    "subprocess",
    "tempfile",
    "tomllib",
    "typing",
}
ZEROS = "0" * 40
ONES = "1" * 40


@pytest.fixture
def typical(shop: Repository) -> Repository:
    """A linked worktree with one staged file, whose slot is claimed."""
    linked = shop.worktree("task/T1-x", "wt")
    linked.commit("first")
    linked.write("src/file.py", "x = 1\n")
    linked.git("add", "-A")
    linked.write("message", "Add a file\n\nTask: T1\n")
    linked.hook("post_checkout", ZEROS, ONES, "1")
    return linked


@pytest.mark.parametrize(
    ("stage", "arguments", "code"),
    [
        ("post_checkout", (ZEROS, ONES, "1"), 0),
        ("post_checkout", (ONES, ONES, "1"), 0),
        ("pre_commit", (), 0),
        ("commit_msg", ("message",), 0),
        ("pre_push", (), 1),  # without a handoff
    ],
)
def test_stage_imports_nothing_heavy_on_a_typical_commit(
    typical: Repository, stage: str, arguments: tuple[str, ...], code: int
) -> None:
    assert not HEAVY & imported_by(stage, *arguments, where=typical, code=code)


def imported_by(stage: str, *arguments: str, where: Repository, code: int, **env: str) -> set[str]:
    """Run a stage as a framework does and return the packages it imports."""
    # Without `site`, so that nothing of the tests' own environment is counted.
    done = subprocess.run(
        [sys.executable, "-S", "-X", "importtime", "-m", f"groundrules_hooks.{stage}", *arguments],
        cwd=where.path,
        env={**os.environ, "PYTHONPATH": str(HOOKS.parent), "PRE_COMMIT": "1", **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert "groundrules_hooks.stage" in imported
    return {name.partition(".")[0] for name in imported}


def test_push_with_a_handoff_imports_nothing_heavy_and_asks_git_four_things_once(
    typical: Repository, tmp_path: Path
) -> None:
    typical.command("handoff", "draft", "--unresolved", "none", "--deviations", "none")
    typical.git("add", "-A")
    typical.git("commit", "-q", "--no-verify", "-m", "Hand over T1")
    trace = tmp_path / "trace"
    assert not HEAVY & imported_by("pre_push", where=typical, code=0, GIT_TRACE=str(trace))
    asked = [line.partition("trace: ")[2] for line in trace.read_text().splitlines() if "trace: built-in" in line]
    assert "git cat-file --batch -z" in str(asked)
    assert sorted(asked) == sorted(set(asked))
    assert len(asked) == 4, "\n".join(asked)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(HOOKS)))
def test_module_imports_the_standard_library_and_its_own_package(source: Path) -> None:
    allowed = sys.stdlib_module_names | {"groundrules_hooks"}
    for node in ast.walk(ast.parse(source.read_bytes())):
        if isinstance(node, ast.Import):
            assert {alias.name.partition(".")[0] for alias in node.names} <= allowed
        if isinstance(node, ast.ImportFrom):
            assert (node.level, (node.module or "").partition(".")[0] in allowed) == (0, True)


# WTC-01
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(HOOKS)))
def test_no_hook_calls_copier(source: Path) -> None:
    text = source.read_text().replace(".copier-answers.yml", "")
    assert "copier" not in text.lower()


def test_every_stage_starts_the_way_the_manifest_says() -> None:
    manifest = Path(ROOT, ".pre-commit-hooks.yaml").read_text()
    entries = [line.split("entry: ")[1] for line in manifest.splitlines() if "entry: " in line]
    assert entries == [
        f"python -I -m groundrules_hooks.{stage}" for stage in ("post_checkout", "pre_commit", "commit_msg", "pre_push")
    ]
