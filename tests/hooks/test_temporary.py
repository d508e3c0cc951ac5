"""Temporary folders: private, noted, and removed when nobody has the slot; nothing is removed that is not ours."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from groundrules_hooks import temporary
from groundrules_hooks.failure import GroundrulesError

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository


@pytest.fixture
def shop(shop: Repository) -> Repository:
    """A repository without ports: one that another process holds for a moment would decide which slot is the lowest."""
    shop.commit("groundrules.toml", '[tasks]\ntarget = "main"\n')
    return shop


def folder(repository: Repository) -> Path:
    """Claim in `repository` and return the temporary folder of its slot."""
    said = repository.command("slot")
    return Path(said.partition("TASK_TMPDIR=")[2].partition("\n")[0])


def remove(shop: Repository, linked: Repository) -> None:
    """Remove a worktree as git's users do."""
    shop.git("worktree", "remove", "--force", str(linked.path))


def test_folder_is_private(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        temporary.make(str(tmp_path / "private" / "s1"), str(tmp_path))
    finally:
        os.umask(old)
    for path in (tmp_path / "private", tmp_path / "private" / "s1"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700


def test_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    os.symlink(tmp_path / "real", tmp_path / "link")
    with pytest.raises(GroundrulesError, match="belongs to somebody else"):
        temporary.make(str(tmp_path / "link" / "s1"), str(tmp_path))
    assert os.listdir(tmp_path / "real") == []


def test_folder_that_cannot_be_made_is_an_error_for_people(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(GroundrulesError, match="cannot make"):
        temporary.make(str(tmp_path / "file" / "deeper" / "s1"), str(tmp_path))


# TRD-09
@pytest.mark.parametrize("how", ["git worktree remove", "rm -rf and prune"])
def test_next_claim_removes_what_a_vanished_worktree_left(shop: Repository, how: str) -> None:
    first, second, third = (shop.worktree(f"task/T{number}-x") for number in (1, 2, 3))
    gone, kept = folder(first), folder(second)
    for each in (gone, kept):
        (each / "deep").mkdir()
        (each / "deep" / "file").write_text("of the earlier owner\n")
    if "prune" in how:
        shutil.rmtree(first.path)
        shop.git("worktree", "prune")
    else:
        remove(shop, first)
    heir = folder(third)
    assert (heir, list(heir.iterdir())) == (gone, [])
    assert (kept / "deep" / "file").exists()


def test_folders_of_all_vanished_worktrees_go_with_their_notes(shop: Repository) -> None:
    everyone = [shop.worktree(f"task/T{number}-x") for number in (1, 2, 3)]
    main, *places = folder(shop), *map(folder, everyone)
    for linked in everyone[:2]:
        remove(shop, linked)
    shop.command("slot", "claim")
    assert [place.exists() for place in places] == [True] * 3, "only a claim looks"
    shop.worktree("task/T4-x").command("slot", "claim")  # it takes slot 1
    assert [place.exists() for place in (main, *places)] == [True, True, False, True]
    assert not os.path.exists(f"{places[1]}{temporary.NOTE}")


def _replaced(place: Path) -> None:
    place.rename(place.with_name("earlier"))  # both at once, so that the new one cannot be given the number of the old
    place.mkdir()
    shutil.rmtree(place.with_name("earlier"))


def _without_note(place: Path) -> None:
    os.unlink(f"{place}{temporary.NOTE}")


def _of_another_repository(place: Path) -> None:
    Path(f"{place}{temporary.NOTE}").write_text(f"/elsewhere/.git\n1 {place.stat().st_ino}\n")


def _link(place: Path) -> None:
    place.rename(place.with_name(f"{place.name}-moved"))
    place.symlink_to(f"{place.name}-moved")


# TRD-09: the same path in another container is another repository, under one name
@pytest.mark.parametrize("change", [_replaced, _without_note, _of_another_repository, _link])
def test_what_is_not_provably_ours_is_left_alone(shop: Repository, change: Callable[[Path], None]) -> None:
    linked, other = shop.worktree("task/T1-x"), shop.worktree("task/T2-x")
    blocked = folder(linked)
    change(blocked)
    (blocked / "file").write_text("somebody's\n")
    remove(shop, linked)
    temporary.sweep(os.path.realpath(shop.path / ".git"))
    assert (blocked / "file").read_text() == "somebody's\n"
    if change is _link:
        blocked.unlink()
    assert folder(other) == blocked


def test_worktree_whose_folder_is_away_keeps_its_own(shop: Repository) -> None:
    # TOP-13
    linked = shop.worktree("task/T1-x")
    place = folder(linked)
    (place / "file").write_text("")
    linked.path.rename(linked.path.with_name("away"))
    folder(shop.worktree("task/T2-x"))
    assert (place / "file").exists()


def test_what_cannot_be_removed_stops_no_claim(shop: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    linked = shop.worktree("task/T1-x")
    place = folder(linked)
    (place / "file").write_text("")
    remove(shop, linked)
    monkeypatch.setattr("os.unlink", _refuse)  # a file that a container's root made, which stops root in no test
    temporary.sweep(os.path.realpath(shop.path / ".git"))
    monkeypatch.undo()
    assert os.path.exists(f"{place}{temporary.NOTE}")


def _refuse(*args: object, **more: object) -> None:
    raise PermissionError(args, more)
