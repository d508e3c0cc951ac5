"""`.slot.env`: a view that can always be written again, never through a link, never into git, never another's."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from conftest import Repository
from groundrules_hooks import slot as slots
from groundrules_hooks.config import Config, of_text
from groundrules_hooks.slot_env import remove, render
from groundrules_hooks.worktree import Worktree, locate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CONFIG = Config({"web": 3000})


@pytest.fixture
def linked(shop: Repository) -> Repository:
    return shop.worktree("task/T1#x", "wt")


@pytest.fixture
def rendered(linked: Repository, tmp_path: Path, enter: Callable[[Repository], None]) -> Callable[[], str | None]:
    """Render the view of slot 1 in the linked worktree; its temporary folder is the test's own."""

    def rendered() -> str | None:
        worktree = here(linked, enter)
        rows = {**slots.values(worktree, CONFIG, 1), "TASK_TMPDIR": str(tmp_path / "private" / "s1")}
        return render(worktree, rows)

    return rendered


def here(repository: Repository, enter: Callable[[Repository], None]) -> Worktree:
    enter(repository)
    found = locate()
    assert found is not None
    return found


# FIL-05
def test_view_is_names_and_values_that_make_and_sh_read(linked: Repository, rendered: Callable[[], str | None]) -> None:
    assert rendered() is None
    lines = (linked.path / ".slot.env").read_text().splitlines()
    assert lines[0] == "# groundrules: slot of worktree wt; rendered, not for editing"
    assert lines[1:3] == ["SLOT=1", "WEB_PORT=3010"]
    names = [line.partition("=")[0] for line in lines[3:]]
    assert names == ["DATABASE_NAME", "DATABASE_URL", "COMPOSE_PROJECT_NAME", "TASK_TMPDIR", "REDIS_DATABASE"]
    assert not any("#" in line for line in lines[1:])


def test_view_is_ignored_by_git_in_every_worktree(
    shop: Repository, linked: Repository, rendered: Callable[[], str | None]
) -> None:
    shop.write(".git/info/exclude", "*.tmp")
    rendered()
    rendered()
    assert (shop.path / ".git" / "info" / "exclude").read_text() == "*.tmp\n/.slot.env*\n"
    assert linked.git("status", "--porcelain", "--untracked-files=all") == ""
    linked.git("add", "-A")
    assert linked.git("ls-files", ".slot.env") == ""


# SLT-17
def test_lost_view_and_lost_temporary_folder_come_back(
    linked: Repository, rendered: Callable[[], str | None], tmp_path: Path
) -> None:
    rendered()
    linked.git("clean", "-fdxq")
    assert not (linked.path / ".slot.env").exists()
    rendered()
    assert (linked.path / ".slot.env").exists()
    (tmp_path / "private" / "s1").rmdir()
    rendered()
    assert (tmp_path / "private" / "s1").is_dir()


def test_same_view_is_not_written_again(linked: Repository, rendered: Callable[[], str | None]) -> None:
    rendered()
    before = (linked.path / ".slot.env").stat().st_ino
    rendered()
    assert (linked.path / ".slot.env").stat().st_ino == before


# DAT-01
def test_copy_of_another_worktrees_view_is_noticed_and_replaced(
    shop: Repository, linked: Repository, rendered: Callable[[], str | None], enter: Callable[[Repository], None]
) -> None:
    main = here(shop, enter)
    render(main, slots.values(main, CONFIG, 0))
    view = (shop.path / ".slot.env").read_bytes()
    (linked.path / ".slot.env").write_bytes(view)
    assert rendered() == ".slot.env was a copy of another worktree's and is written anew"
    assert b"SLOT=1\n" in (linked.path / ".slot.env").read_bytes()
    assert rendered() is None


def test_edited_view_is_replaced_without_a_word(linked: Repository, rendered: Callable[[], str | None]) -> None:
    rendered()
    whole = (linked.path / ".slot.env").read_text()
    (linked.path / ".slot.env").write_text(whole + "WEB_PORT=1\n")
    assert rendered() is None
    assert (linked.path / ".slot.env").read_text() == whole


# DAT-02
@pytest.mark.parametrize("target", ["main's", "nowhere", "the same"])
def test_link_is_replaced_and_never_written_through(
    shop: Repository, linked: Repository, rendered: Callable[[], str | None], target: str
) -> None:
    rendered()
    same = (linked.path / ".slot.env").read_text()
    (linked.path / ".slot.env").unlink()
    content = same if target == "the same" else "SLOT=0\n"
    kept = shop.write("kept", content)
    os.symlink("missing" if target == "nowhere" else kept, linked.path / ".slot.env")
    rendered()
    assert (kept.read_text(), (linked.path / ".slot.env").read_text()) == (content, same)
    assert not (linked.path / ".slot.env").is_symlink()
    assert not (linked.path / "missing").exists()


def test_linked_exclude_file_is_left_alone(
    shop: Repository, rendered: Callable[[], str | None], tmp_path: Path
) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_text("mine\n")
    exclude = shop.path / ".git" / "info" / "exclude"
    exclude.parent.mkdir(exist_ok=True)
    exclude.unlink(missing_ok=True)
    exclude.symlink_to(theirs)
    rendered()
    assert (theirs.read_text(), exclude.is_symlink()) == ("mine\n", True)


def test_removal_takes_our_view_only(
    linked: Repository, rendered: Callable[[], str | None], enter: Callable[[Repository], None]
) -> None:
    rendered()
    remove(here(linked, enter))
    assert not (linked.path / ".slot.env").exists()
    remove(here(linked, enter))
    linked.write(".slot.env", "MINE=1\n")
    remove(here(linked, enter))
    assert (linked.path / ".slot.env").exists()


# DAT-04 DAT-05
def test_names_come_from_repository_and_slot(shop: Repository, enter: Callable[[Repository], None]) -> None:
    linked = shop.worktree("task/T1-" + "long" * 40, "wt")
    rows = slots.values(here(linked, enter), Config({"web": 3000, "big_api": 8000}), 2)
    assert (rows["SLOT"], rows["WEB_PORT"], rows["BIG_API_PORT"]) == ("2", "3020", "8020")
    name = rows["DATABASE_NAME"]
    assert name.startswith("shop_")
    assert name.endswith("_s2")
    assert rows["DATABASE_URL"].startswith("sqlite:////")
    assert rows["DATABASE_URL"].endswith("/shop/.git/groundrules/data/" + name + ".sqlite3")
    assert len(rows["TASK_TMPDIR"]) < 50
    assert "long" not in str(rows)


def test_two_repositories_of_one_name_have_their_own_project_and_folder(
    shop: Repository, enter: Callable[[Repository], None]
) -> None:
    other = Repository(shop.path.parent / "elsewhere" / "shop")
    shop.git("clone", "-q", str(shop.path), str(other.path))
    rows = [slots.values(here(each, enter), CONFIG, 1) for each in (shop, other)]
    for name in ("DATABASE_URL", "COMPOSE_PROJECT_NAME", "TASK_TMPDIR"):
        assert rows[0][name] != rows[1][name]


# STACK-15
@pytest.mark.parametrize("name", ["Café shop", "a\nb", "#x%y", "---", "é", "-dash", "Long" * 50])
def test_values_are_plain_whatever_the_repository_is_called(
    shop: Repository, enter: Callable[[Repository], None], name: str
) -> None:
    os.rename(shop.path, shop.path.parent / name)
    rows = slots.values(here(Repository(shop.path.parent / name), enter), CONFIG, 0)
    for value in rows.values():
        assert value.isascii()
        assert not set(value) & set(" #\n'\"$`\\")
    assert rows["DATABASE_NAME"].replace("_", "").isalnum()
    whole = [slots.values(here(Repository(shop.path.parent / name), enter), CONFIG, slot) for slot in (0, 1, 10, 99999)]
    for key, most in (("DATABASE_NAME", 59), ("COMPOSE_PROJECT_NAME", 63), ("TASK_TMPDIR", 60)):
        # Unequal in the first characters that anybody keeps; four are left for `_old` beside a database.
        assert len({each[key][:most] for each in whole}) == len(whole)
        assert all(len(each[key]) <= most for each in whole)
    assert re.fullmatch(r"[a-z0-9][a-z0-9_-]*", rows["COMPOSE_PROJECT_NAME"])


def test_address_of_the_database_is_that_of_the_stack(linked: Repository, enter: Callable[[Repository], None]) -> None:
    config = of_text(b'[ports]\ndb = 5432\n\n[stack]\ndatabase = "postgres"\n')
    rows = slots.values(here(linked, enter), config, 2)
    assert rows["DATABASE_URL"] == f"postgresql://postgres@127.0.0.1:5452/{rows['DATABASE_NAME']}"
