"""A task with a check whose behaviour a test chooses, and the records it leaves."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from conftest import IDENTITY, Repository, forget
from groundrules_hooks import handoff

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

# `behave` is a shell script in the repository: what it does is part of the content.
CHECKS = """
[tasks]
target = "main"

[[check]]
name = "unit"
run = ["sh", "./behave"]

[[check]]
name = "docs"
run = ["true"]
paths = ["docs/**"]

[[check]]
name = "e2e"
run = ["true"]
tier = "deep"
paths = ["services/**"]

[[check]]
name = "whole"
run = ["true"]
tier = "integration"
"""


@pytest.fixture(scope="session")
def _worked(_built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build what most tests copy: four checks on main, of which `unit` passes, and T1 with one commit of work."""
    path = tmp_path_factory.mktemp("worked") / "shop"
    shutil.copytree(_built, path, symlinks=True)
    shop = Repository(path)
    env = {**IDENTITY, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    (path / "groundrules.toml").write_text(CHECKS)
    (path / "behave").write_text("echo 2 passed in 0.01s\n")
    shop.git("add", "-A", code=0, **env)
    shop.git("commit", "-qm", "Add checks", code=0, **env)
    shop.git("switch", "-qc", "task/T1-cart", code=0, **env)
    (path / "cart.py").write_text("cart = 1\n")
    shop.git("add", "-A", code=0, **env)
    shop.git("commit", "-qm", "Add the cart\n\nTask: T1", code=0, **env)
    return path


@pytest.fixture(scope="session")
def _sealed(_worked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the same with its check passed and its handoff sealed and committed."""
    path = tmp_path_factory.mktemp("sealed") / "shop"
    shutil.copytree(_worked, path, symlinks=True)
    home = str(tmp_path_factory.mktemp("home"))
    env = {**IDENTITY, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "HOME": home}
    Repository(path).command("check", "run", code=0, **env)
    Repository(path).command(
        "handoff", "seal", "--unresolved", "none", "--deviations", "none", "--commit", code=0, **env
    )
    forget(path / ".git")
    return path


def _copy(source: Path, folder: Path) -> Iterator[Repository]:
    shutil.copytree(source, folder / "shop", symlinks=True)
    yield Repository(folder / "shop")
    forget(folder / "shop" / ".git")


@pytest.fixture
def work(_worked: Path, tmp_path: Path) -> Iterator[Repository]:
    """The branch of T1 with one commit of work, in the main worktree."""
    yield from _copy(_worked, tmp_path)


@pytest.fixture
def sealed(_sealed: Path, tmp_path: Path) -> Iterator[Repository]:
    """The same with its passed check and its committed handoff."""
    yield from _copy(_sealed, tmp_path)


@pytest.fixture
def checked(_worked: Path, tmp_path: Path) -> Iterator[Repository]:
    """The main worktree on main, without the task."""
    for shop in _copy(_worked, tmp_path):
        shop.git("switch", "-q", "main")
        shop.git("branch", "-qD", "task/T1-cart")
        yield shop


@pytest.fixture
def target(request: pytest.FixtureRequest) -> Repository:
    """A second worktree of the same repository, in which main is checked out."""
    shop: Repository = request.getfixturevalue("sealed" if "sealed" in request.fixturenames else "work")
    shop.git("worktree", "add", "-q", str(shop.path.parent / "target"), "main")
    return Repository(shop.path.parent / "target")


@pytest.fixture
def records() -> Callable[[Repository, str], list[dict[str, Any]]]:
    """Return the records that a repository keeps of a check, by tree."""

    def records(repository: Repository, name: str) -> list[dict[str, Any]]:
        common = repository.path / repository.git("rev-parse", "--git-common-dir")
        found = [json.loads(path.read_text()) for path in sorted(common.glob(f"groundrules/checks/*/{name}.json"))]
        fits, _ = handoff.FIELDS["checks"]
        assert fits(found)
        return found

    return records
