"""A released template, and the commands called in this process."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from conftest import ROOT
from groundrules.cli import main
from template.conftest import Template, make_template

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository

OURS = f"{sys.executable} -m groundrules"


class Answer(NamedTuple):
    """What a command answered on stdout, what it told on stderr, and its exit code."""

    code: int
    out: str
    err: str


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    """The template as it is in this checkout, released as v0.1.0."""
    return make_template(tmp_path_factory.mktemp("template"))


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Template:
    """A release of the template together with the program."""
    return make_template(tmp_path_factory.mktemp("program"), ".")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Call a command in this process, in the worktree of a repository."""

    def run(where: Repository | Path, *argv: str) -> Answer:
        monkeypatch.chdir(where if isinstance(where, Path) else where.path)
        capfd.readouterr()
        code = main(argv)
        return Answer(code, *capfd.readouterr())

    return run


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a hook runner first on PATH that installs our four stages of this checkout, without an environment.

    For tests that are about what happens around it; the real ones are in test_hooks_command.py and end to end.
    """
    folder = tmp_path / "runner"
    folder.mkdir()
    path = folder / "prek"
    path.write_text(f"""#!/bin/sh
test "$1" = install || exit 0
hooks=$(git rev-parse --path-format=absolute --git-path hooks)
mkdir -p "$hooks"
for stage in post-checkout pre-commit commit-msg pre-push; do
    printf '#!/bin/sh\\nPYTHONPATH="{ROOT}/hooks" exec "{sys.executable}" -m groundrules_hooks.%s "$@"\\n' \\
        "$(echo $stage | tr - _)" >"$hooks/$stage"
    chmod +x "$hooks/$stage"
done
""")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("GROUNDRULES_COMMAND", OURS)
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}/hooks:{ROOT}/scaffolder")
    return path
