"""registry: two repositories on one machine never hand out one port, and what is gone holds nothing."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from conftest import CONFIG, Repository
from groundrules_hooks import registry
from groundrules_hooks.config import of_text
from groundrules_hooks.slot import claim
from groundrules_hooks.worktree import locate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from groundrules_hooks.slot import Claim


@pytest.fixture
def other(shop: Repository) -> Repository:
    """A second repository with the same port table."""
    shutil.copytree(shop.path, shop.path.parent / "other", symlinks=True)
    return Repository(shop.path.parent / "other")


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Callable[[Repository], Claim]:
    def claim_there(place: Repository) -> Claim:
        monkeypatch.chdir(place.path)
        worktree = locate()
        assert worktree is not None
        return claim(worktree, of_text(CONFIG.encode()))

    return claim_there


def test_another_repository_is_respected(
    shop: Repository, other: Repository, taken: Callable[[Repository], Claim]
) -> None:
    assert taken(shop.worktree("task/T1")).slot == 1
    assert taken(other.worktree("task/T1")).slot == 2
    assert taken(shop.worktree("task/T2")).slot == 3


def test_main_worktree_of_another_repository_is_respected(
    shop: Repository, taken: Callable[[Repository], Claim], tmp_path: Path
) -> None:
    registry.register(str(make_elsewhere(tmp_path)), [3010, 9000])
    assert taken(shop.worktree("task/T1")).slot == 2


def make_elsewhere(folder: Path) -> Path:
    elsewhere = Repository(folder / "elsewhere")
    elsewhere.path.mkdir()
    elsewhere.git("init", "-q")
    return elsewhere.path / ".git"


def test_repository_that_is_gone_holds_nothing(
    shop: Repository, other: Repository, taken: Callable[[Repository], Claim]
) -> None:
    taken(other.worktree("task/T1"))
    shutil.rmtree(other.path)
    assert taken(shop.worktree("task/T1")).slot == 1
    assert len(os.listdir(os.path.join(registry.home(), "groundrules", "repositories"))) == 1


def test_repository_that_cannot_be_seen_from_here_is_kept(
    shop: Repository, other: Repository, taken: Callable[[Repository], Claim]
) -> None:
    # TOP-13: a container that mounts this repository alone
    taken(other.worktree("task/T1"))
    registry.register("/not/mounted/here/shop/.git", [3020])
    assert taken(shop.worktree("task/T1")).slot == 3
    assert "/not/mounted/here/shop/.git" in {path for _, path, _ in registry._records()}  # noqa: SLF001 (nothing tells)


def test_worktree_removed_from_another_repository_frees_its_ports(
    shop: Repository, other: Repository, taken: Callable[[Repository], Claim]
) -> None:
    linked = other.worktree("task/T1")
    taken(linked)
    other.git("worktree", "remove", "--force", str(linked.path))
    assert taken(shop.worktree("task/T1")).slot == 1


def test_state_folder_that_cannot_be_written_stops_no_claim(
    shop: Repository, taken: Callable[[Repository], Claim], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # SLT-13: a sandbox without a home; a file stands where the folder should be, which stops root too
    (tmp_path / "state").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert taken(shop.worktree("task/T1")).slot == 1


@pytest.mark.parametrize("content", [b"", b"\0", b"/no/such\0", b"\xff\xfe\0abc,1,\xb2"])
def test_damaged_record_stops_no_claim(shop: Repository, taken: Callable[[Repository], Claim], content: bytes) -> None:
    folder = os.path.join(registry.home(), "groundrules", "repositories")
    os.makedirs(folder)
    with open(os.path.join(folder, "damaged"), "wb") as file:
        file.write(content)
    assert taken(shop.worktree("task/T1")).slot == 1
