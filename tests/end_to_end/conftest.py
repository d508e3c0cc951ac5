"""A released groundrules, and repositories seeded from it, for each of the two hook runners."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import pytest

from conftest import IDENTITY, ROOT, Repository

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

RUNNERS = ("prek", "pre-commit")


class Person(NamedTuple):
    """Somebody at a shell: a home, a PATH with one hook runner on it, caches that last for the test run."""

    env: dict[str, str]

    def does(self, command: str, cwd: Path, code: int = 0, **env: str) -> str:
        """Type `command` into a shell in `cwd`; return all it prints and assert its exit code."""
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=cwd,
            env={**self.env, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        said = (done.stdout + done.stderr).decode("utf-8", "surrogateescape")
        assert done.returncode == code, f"{command}: {done.returncode}\n{said}"
        return said


class Seeded(NamedTuple):
    """A seeded repository, the release it came from, and the person who works in it."""

    person: Person
    release: Path
    repository: Path

    def worktree(self, task: str) -> Path:
        """Make a worktree for `task` with plain git."""
        path = self.repository.parent / f"{self.repository.name}.{task}"
        self.person.does(f"git worktree add -q -b task/{task}-work ../{path.name}", self.repository)
        return path

    def commits(self, worktree: Path, name: str, subject: str, code: int = 0, **env: str) -> str:
        """Write a file and commit it; return what was said."""
        (worktree / name).write_text(f"{name}\n")
        return self.person.does(f"git add -A && git commit -m '{subject}'", worktree, code, **env)


def make_release(folder: Path) -> Path:
    """Make a repository of this checkout's files as they are, tagged v0.1.0."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, env=_plain(), capture_output=True, check=True
    )
    for name in filter(None, os.fsdecode(listed.stdout).split("\0")):
        if os.path.lexists(os.path.join(ROOT, name)):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(os.path.join(ROOT, name), folder / name, follow_symlinks=False)
    repository = Repository(folder)
    for args in (
        ("init", "-q", "-b", "main"),
        ("add", "-A"),
        ("commit", "-q", "-m", "Release"),
        ("tag", "-a", "-m", "v0.1.0", "v0.1.0"),
    ):
        repository.git(*args, code=0, **_plain())
    return folder


def release_again(release: Path, version: str, changes: Mapping[str, str]) -> None:
    """Change files of the release and tag it as `version`."""
    repository = Repository(release)
    for name, content in changes.items():
        repository.write(name, content)
    for args in (("add", "-A"), ("commit", "-q", "-m", f"Release {version}"), ("tag", "-a", "-m", version, version)):
        repository.git(*args, code=0, **_plain())


def _plain() -> dict[str, str]:
    return {**os.environ, **IDENTITY, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def make_person(folder: Path, caches: Path, runner: str) -> Person:
    """Give a person a home in `folder` and a PATH on which `runner` is the only hook runner."""
    tools = folder / "bin"
    tools.mkdir(parents=True)
    beside = os.path.dirname(sys.executable)
    (tools / runner).symlink_to(os.path.join(beside, runner))
    (tools / "python3").symlink_to(sys.executable)
    (folder / "home").mkdir()
    (folder / "home" / ".gitconfig").write_text(
        "[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = trunk\n"
    )
    kept = {
        name: value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_", "SSL_", "LANG", "LC_"))
    }
    others = [path for path in os.environ["PATH"].split(os.pathsep) if path != beside and not _has_runner(path)]
    return Person(
        {
            **kept,
            "PATH": os.pathsep.join([str(tools), *others]),
            "HOME": str(folder / "home"),
            "GROUNDRULES_HOME": str(caches / "groundrules"),
            "PREK_HOME": str(caches / "prek"),
            "PRE_COMMIT_HOME": str(caches / "pre-commit"),
            "PIP_CACHE_DIR": os.environ.get("PIP_CACHE_DIR", str(caches / "pip")),
            "NO_COLOR": "1",
            "GIT_EDITOR": "true",
        }
    )


def _has_runner(folder: str) -> bool:
    return any(os.path.exists(os.path.join(folder, runner)) for runner in RUNNERS)


@pytest.fixture(scope="session")
def caches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("caches")


@pytest.fixture(scope="session")
def seed(tmp_path_factory: pytest.TempPathFactory, caches: Path) -> Callable[[str], Seeded]:
    """Seed a repository as the README says, from a release, with one of the two runners; once for each."""

    @cache
    def seed(runner: str) -> Seeded:
        folder = tmp_path_factory.mktemp(runner)
        (folder / "release").mkdir()
        release = make_release(folder / "release")
        person = make_person(folder, caches, runner)
        person.does(f"{sys.executable} -m groundrules new shop --defaults --source {release}", folder)
        return Seeded(person, release, folder / "shop")

    return seed


@pytest.fixture(params=[pytest.param(runner, marks=pytest.mark.xdist_group(runner)) for runner in RUNNERS])
def seeded(request: pytest.FixtureRequest, seed: Callable[[str], Seeded]) -> Seeded:
    """The seeded repository of each runner, which all tests share."""
    found: Seeded = seed(request.param)
    return found
