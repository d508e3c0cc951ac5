"""tools/groundrules: runs the recorded version from an environment made once, and says in two lines what is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT
from template.conftest import execute

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

BASICS = (
    "sh",
    "sed",
    "tr",
    "cksum",
    "cut",
    "dirname",
    "mkdir",
    "mktemp",
    "rm",
    "tail",
    "cat",
    "chmod",
    "git",
    "env",
    "printf",
)
# Makes what the wrapper asks uv for, and says what it was given. `-I` keeps PYTHONPATH out, so the command is a script.
UV = """#!/bin/sh
echo "$*" >>"$UV_LOG"
env >>"$UV_LOG.env"
case $1 in
venv)
    mkdir -p "$5/bin"
    printf '#!/bin/sh\\ncase $1 in -c) exec %s "$@";; esac\\necho "ran $*"; env >"$UV_LOG.ran"\\n' "$4" >"$5/bin/python"
    chmod +x "$5/bin/python" ;;
pip) exit "${UV_FAILS:-0}" ;;
esac
"""


class Machine:
    """A PATH with a few programs on it, and a repository with the wrapper and an answers file."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "shop"
        (self.root / "tools").mkdir(parents=True)
        shutil.copy2(f"{ROOT}/template/tools/groundrules", self.root / "tools/groundrules")
        self.bin = folder / "bin"
        self.bin.mkdir()
        for name in BASICS:
            found = shutil.which(name)
            assert found, name
            (self.bin / name).symlink_to(found)
        self.log = folder / "uv.log"
        self.env = {"PATH": str(self.bin), "HOME": str(folder / "home"), "UV_LOG": str(self.log)}

    def answers(self, source: str = "/srv/rules", commit: str = "v0.1.0") -> None:
        (self.root / ".copier-answers.yml").write_text(f"# Written by Copier\n_commit: {commit}\n_src_path: {source}\n")

    def program(self, name: str, text: str) -> None:
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def real_python(self) -> None:
        self.program("python3", f'#!/bin/sh\nexec {sys.executable} "$@"\n')

    def says(self, *args: str, code: int = 0, given: Mapping[str, str] | None = None, **env: str) -> str:
        return execute(["sh", "tools/groundrules", *args], self.root, {**self.env, **(given or {}), **env}, code)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine with everything but a Python and an installer."""
    made = Machine(tmp_path)
    made.answers()
    return made


@pytest.fixture
def ready(machine: Machine) -> Machine:
    """The same with Python and uv."""
    machine.real_python()
    machine.program("uv", UV)
    return machine


def test_command_of_the_environment_gets_the_arguments(machine: Machine) -> None:
    said = machine.says("gate", "--base", "a b", "", GROUNDRULES_COMMAND="printf <%s>")
    assert said == "<gate><--base><a b><>"
    assert not (machine.root.parent / "home").exists()


def test_exit_code_of_the_command_is_the_wrappers(machine: Machine) -> None:
    machine.says(code=1, GROUNDRULES_COMMAND="git diff --no-index --quiet tools/groundrules /dev/null")


@pytest.mark.parametrize(
    ("answers", "wrong"),
    [
        (None, ".copier-answers.yml is missing"),
        ("", "names no version"),
        ("_commit: v0.1.0\n", "names no version"),
        ("_commit:\n_src_path: /srv/rules\n", "names no version"),
    ],
)
def test_unusable_answers_file_is_named_with_the_way_back(ready: Machine, answers: str | None, wrong: str) -> None:
    path = ready.root / ".copier-answers.yml"
    path.unlink()
    if answers is not None:
        path.write_text(answers)
    problem, fix = ready.says("slot", code=2).splitlines()
    assert wrong in problem
    assert fix == "→ git checkout .copier-answers.yml"
    assert not ready.log.exists()


def test_missing_python_is_named(machine: Machine) -> None:
    problem, fix = machine.says(code=2).splitlines()
    assert problem == "groundrules: Python 3.11 or newer is missing"
    assert "PYTHON=/path/to/python3 make setup" in fix


def test_python_that_is_too_old_is_not_taken(machine: Machine) -> None:
    machine.program("python3", "#!/bin/sh\nexit 1\n")
    assert "Python 3.11 or newer is missing" in machine.says(code=2)
    machine.program("old", "#!/bin/sh\nexit 1\n")
    assert machine.says(code=2, PYTHON="old").startswith(
        "groundrules: PYTHON=old is not Python 3.11 or newer\n→ PYTHON="
    )


def test_missing_git_is_named(ready: Machine) -> None:
    (ready.bin / "git").unlink()
    assert ready.says(code=2) == "groundrules: git is missing\n→ install git"


def test_python_without_venv_is_named(machine: Machine) -> None:
    machine.program("python3", f'#!/bin/sh\ncase $2 in *venv*) exit 1;; esac\nexec {sys.executable} "$@"\n')
    assert "python3 has no venv module\n→ apt install python3-venv, or install uv" in machine.says(code=2)


def test_folder_that_cannot_be_written_is_named(ready: Machine) -> None:
    taken = ready.root.parent / "taken"
    taken.write_text("a file\n")
    said = ready.says(code=2, GROUNDRULES_HOME=str(taken)).splitlines()
    assert f"groundrules: cannot write to {taken}/env" in said
    assert said[-1].endswith("GROUNDRULES_HOME=/path/to/folder")


def test_failed_installation_shows_its_end_and_leaves_nothing(ready: Machine) -> None:
    ready.program("uv", UV.replace('pip) exit "${UV_FAILS:-0}"', "pip) echo no such version; exit 1"))
    said = ready.says(code=2)
    assert "no such version" in said
    assert "groundrules: could not install version v0.1.0 from /srv/rules\n→ " in said
    assert not [path for path in (ready.root.parent / "home").rglob("*") if path.is_file()]


def test_environment_is_made_once_and_the_version_decides_which(ready: Machine) -> None:
    assert (
        ready.says("slot", "--json") == "ran -I -m groundrules slot --json\ngroundrules: preparing version v0.1.0, once"
    )
    assert ready.says("slot") == "ran -I -m groundrules slot"
    ready.answers(commit="v0.2.0")
    assert "preparing version v0.2.0" in ready.says("slot")
    ready.answers(source="/srv/fork")
    assert "preparing version v0.1.0" in ready.says("slot"), "the same version of another source"


def test_two_at_once_share_one_environment(ready: Machine) -> None:
    argv = ["sh", "tools/groundrules", "slot"]
    running = [
        subprocess.Popen(argv, cwd=ready.root, env=ready.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for _ in range(4)
    ]
    assert [(process.communicate()[0], process.returncode) for process in running] == [
        (b"ran -I -m groundrules slot\n", 0)
    ] * 4
    (kept,) = (ready.root.parent / "home/.cache/groundrules/env").iterdir()
    assert kept.name.startswith("v0.1.0-")


def test_environment_whose_python_is_gone_is_made_again(ready: Machine) -> None:
    ready.says("slot")
    (python,) = (ready.root.parent / "home").rglob("bin/python")
    python.unlink()
    assert ready.says("slot").startswith("ran -I -m groundrules slot\n")


@pytest.mark.parametrize(
    ("source", "commit", "installed"),
    [
        ("/srv/my rules#1", "v0.1.0", "git+file:///srv/my%20rules%231@v0.1.0"),
        ("https://example.org/rules.git", "v0.1.0", "git+https://example.org/rules.git@v0.1.0"),
        ("ssh://git@example.org/rules.git", "v0.1.0", "git+ssh://git@example.org/rules.git@v0.1.0"),
        ("git@example.org:team/rules.git", "v0.1.0", "git+ssh://git@example.org/team/rules.git@v0.1.0"),
        ("'/srv/it''s'", "v0.1.0", "git+file:///srv/it's@v0.1.0"),
        ("/srv/rules", "v0.1.0-3-gabc1234", "git+file:///srv/rules@abc1234"),
        ("/srv/rules", "'0123456'", "git+file:///srv/rules@0123456"),
    ],
)
def test_every_recorded_source_can_be_installed_from(ready: Machine, source: str, commit: str, installed: str) -> None:
    ready.answers(source, commit)
    ready.says("slot")
    assert ready.log.read_text().splitlines()[-1].endswith(f" {installed}")


def test_source_of_an_unknown_form_is_named(ready: Machine) -> None:
    ready.answers("gh:team/rules")
    assert "cannot use the source gh:team/rules of .copier-answers.yml" in ready.says(code=2)


def test_installer_sees_no_variable_of_a_hook_and_the_command_sees_them_all(ready: Machine) -> None:
    # ENV-03, ENV-04, ENV-08
    given = {
        "GIT_DIR": "/x/.git",
        "GIT_INDEX_FILE": "/x/index",
        "PYTHONPATH": "/x",
        "GIT_CONFIG_COUNT": "0",
        "ALLOW": "a: b",
    }
    ready.says("slot", given=given)
    installer = (ready.root.parent / "uv.log.env").read_text().splitlines()
    command = (ready.root.parent / "uv.log.ran").read_text().splitlines()
    hidden = {"GIT_DIR=/x/.git", "GIT_INDEX_FILE=/x/index", "PYTHONPATH=/x"}
    assert not hidden & set(installer)
    assert "GIT_CONFIG_COUNT=0" in installer
    assert {f"{name}={value}" for name, value in given.items()} <= set(command)


def test_it_works_from_any_folder_and_through_a_blank_in_the_path(ready: Machine, tmp_path: Path) -> None:
    moved = tmp_path / "my shop"
    os.rename(ready.root, moved)
    elsewhere = {**ready.env, "GROUNDRULES_HOME": str(tmp_path / "a home")}
    assert execute([str(moved / "tools/groundrules"), "slot"], tmp_path, elsewhere).startswith(
        "ran -I -m groundrules slot\n"
    )
