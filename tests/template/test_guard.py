"""guards/no-merge-debris as a program: what it reads is the tree to judge, whatever is checked out and configured."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from template.conftest import execute, with_guard

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Repository

GUARD = "guards/no-merge-debris"
MARKED = "one\n<<<<<<< HEAD\ntwo\n=======\nthree\n>>>>>>> topic\n"


@pytest.fixture
def guarded(tmp_path: Path) -> Repository:
    """A repository with the guard and one clean commit."""
    return with_guard(tmp_path / "shop", GUARD)


def by_hand(repository: Repository, code: int, cwd: str = ".", **env: str) -> str:
    return execute([str(repository.path / GUARD)], repository.path / cwd, {**os.environ, **env}, code)


@pytest.mark.parametrize("name", ["file", "new", "two words", "it's", "größe", ":(top)x", "-e", "a:1: b", "*"])
def test_conflict_marker_is_named_with_path_and_line(guarded: Repository, name: str) -> None:
    # UPD-11, FIL-01
    guarded.write(name, MARKED)
    guarded.git("add", "-A")
    assert by_hand(guarded, 1).splitlines() == [f"{name}:2: conflict marker", f"{name}:6: conflict marker"]


@pytest.mark.parametrize("name", ["with\nnewline", '"quoted"', "b\udcffd"])
def test_marker_in_a_file_whose_name_git_has_to_quote_is_refused(guarded: Repository, name: str) -> None:
    guarded.write(name, MARKED)
    guarded.git("add", "-A")
    assert "2: conflict marker" in by_hand(guarded, 1)


@pytest.mark.parametrize("name", ["file.rej", "src/file.orig", "two words.rej"])
def test_leftover_beside_a_file_is_refused(guarded: Repository, name: str) -> None:
    # UPD-12
    guarded.write(name, "anything\n")
    guarded.git("add", "-A")
    assert by_hand(guarded, 1) == f"{name}:1: left over from a merge"


@pytest.mark.parametrize(
    "content",
    [
        "Heading\n=======\n",
        "quoted: <<<<<<< HEAD\n    >>>>>>> topic\n",
        "<<<<<<<no blank\n<<<<<<<< eight\n",
        b"\0\n<<<<<<< HEAD\n>>>>>>> topic\n",
        "",
    ],
)
def test_what_only_looks_like_debris_passes_in_silence(guarded: Repository, content: str | bytes) -> None:
    # AGADR-08: a guard that refuses everything would fail here
    guarded.write("page.md", content)
    guarded.write("original", "an .orig in the name only\n")
    guarded.git("add", "-A")
    assert by_hand(guarded, 0) == ""


def test_removing_debris_passes_and_old_debris_is_not_this_changes(guarded: Repository) -> None:
    guarded.commit("file", MARKED)
    guarded.commit("old.rej", "left\n")
    guarded.write("other", "fine\n")
    guarded.git("add", "-A")
    assert by_hand(guarded, 0) == ""
    guarded.write("file", "one\ntwo\nthree\n")
    (guarded.path / "old.rej").unlink()
    guarded.git("add", "-A")
    assert by_hand(guarded, 0) == ""


def test_staged_text_is_judged_and_not_the_file_on_disk(guarded: Repository) -> None:
    guarded.write("file", MARKED)
    assert by_hand(guarded, 0) == "", "nothing is staged"
    guarded.git("add", "-A")
    guarded.write("file", "mended on disk only\n")
    assert "file:2: conflict marker" in by_hand(guarded, 1)


def test_given_tree_is_judged_against_the_given_base(guarded: Repository) -> None:
    base = guarded.git("rev-parse", "HEAD")
    bad = guarded.commit("file", MARKED)
    worse = guarded.commit("notes.rej", "left\n")
    guarded.commit("file", "clean\n")
    env = {"GROUNDRULES_BASE": base, "GROUNDRULES_TREE": f"{worse}^{{tree}}"}
    assert len(by_hand(guarded, 1, **env).splitlines()) == 3
    assert by_hand(guarded, 1, **{**env, "GROUNDRULES_BASE": bad}) == "notes.rej:1: left over from a merge"


def test_works_from_a_subdirectory_and_before_the_first_commit(guarded: Repository) -> None:
    guarded.git("update-ref", "-d", "HEAD")
    guarded.write("deep/down/file", MARKED)
    assert by_hand(guarded, 0, "deep/down") == ""
    guarded.git("add", "-A")
    assert "deep/down/file:2: conflict marker" in by_hand(guarded, 1, "deep/down")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("color.ui", "always"),
        ("grep.lineNumber", "true"),
        ("grep.column", "true"),
        ("grep.patternType", "fixed"),
        ("grep.fullName", "true"),
        ("core.quotePath", "true"),
        ("diff.noprefix", "true"),
        ("diff.external", "false"),
        ("core.attributesFile", "/dev/null"),
    ],
)
def test_no_setting_of_the_user_changes_the_answer(guarded: Repository, key: str, value: str) -> None:
    guarded.git("config", key, value)
    guarded.write("größe", MARKED)
    guarded.git("add", "-A")
    assert by_hand(guarded, 1).splitlines()[0] == "größe:2: conflict marker"


def test_unreadable_tree_is_an_error_and_not_a_pass(guarded: Repository) -> None:
    said = by_hand(guarded, 2, GROUNDRULES_TREE="0" * 40)
    assert "conflict marker" not in said


def test_many_files_are_one_answer(guarded: Repository) -> None:
    for number in range(3000):
        guarded.write(f"src/a-rather-long-name-for-a-file-{number:04}", MARKED if number % 1000 == 0 else "fine\n")
    guarded.git("add", "-A")
    assert len(by_hand(guarded, 1).splitlines()) == 6


def test_it_explains_itself(guarded: Repository) -> None:
    said = execute([str(guarded.path / GUARD), "--explain"], guarded.path, os.environ)
    assert "conflict markers" in said
    assert len(said.splitlines()) < 6
