"""Pin: the record of a claim is whole or absent, readable by a person, and holds any name git allows."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundrules_hooks.pin import FILE, Pin, folder, read, siblings, write

if TYPE_CHECKING:
    from pathlib import Path

PIN = Pin(3, "T1", "task/T1-x", "a" * 40, "2.39.5", "3.11.7", "Linux 6.1 x86_64", "2026-11-29T22:37:31Z", "3030,8030")


def test_pin_is_lines_that_a_person_can_read(tmp_path: Path) -> None:
    write(str(tmp_path), PIN)
    lines = (tmp_path / FILE).read_text().splitlines()
    assert lines[:4] == ["slot=3", "task=T1", "branch=task/T1-x", f"base={'a' * 40}"]
    assert read(str(tmp_path)) == PIN


# FIL-05
@pytest.mark.parametrize("branch", ["task/T1#x", "a=b=c", "caf\udce9", "zoë", "it's", '"q"', "a;b|c&d", ""])
def test_any_branch_name_survives(tmp_path: Path, branch: str) -> None:
    pin = PIN._replace(branch=branch, rival="wt\udcff=1")
    write(str(tmp_path), pin)
    assert read(str(tmp_path)) == pin


def test_no_pin(tmp_path: Path) -> None:
    assert read(str(tmp_path)) is None
    (tmp_path / "groundrules").write_text("a file where the folder should be")
    assert read(str(tmp_path)) is None


def test_pin_of_another_version_holds_its_slot(tmp_path: Path) -> None:
    # A pin is replaced whole, so a missing field is an older version's and an unknown one a newer's.
    (tmp_path / "groundrules").mkdir()
    (tmp_path / FILE).write_text("slot=3\ntask=T1\nmood=good\n")
    assert read(str(tmp_path)) == Pin(3, "T1")
    (tmp_path / FILE).write_text("task=T1\n")
    assert read(str(tmp_path)) is None


@pytest.mark.parametrize("slot", ["", "x", "-1", "1.5", " 1", "²", "٣", "9" * 5000])
def test_pin_without_a_number_for_its_slot_is_no_pin(tmp_path: Path, slot: str) -> None:
    write(str(tmp_path), PIN)
    content = (tmp_path / FILE).read_text().replace("slot=3", f"slot={slot}")
    (tmp_path / FILE).write_text(content)
    assert read(str(tmp_path)) is None


@settings(deadline=None)
@given(
    content=st.binary(max_size=200)
    | st.text(st.sampled_from("slot=1²٣\ntaskbrnchegipyom"), max_size=200).map(str.encode)
)
def test_any_bytes_are_a_pin_or_none(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    git_dir = tmp_path_factory.mktemp("entry")
    write(str(git_dir), PIN)
    (git_dir / FILE).write_bytes(content)
    assert read(str(git_dir)) is None
    (git_dir / FILE).write_bytes(b"slot=\xc2\xb2\n" + content)
    assert read(str(git_dir)) is None


# TOP-06 TOP-13
def test_siblings_are_gits_entries_whatever_state_they_are_in(tmp_path: Path) -> None:
    entries = tmp_path / "worktrees"
    for index, name in enumerate(("own", "other", "caf\udce9"), 1):
        write(str(entries / name), PIN._replace(slot=index))
    (entries / "half-made").mkdir()
    (entries / "a-file").write_text("")
    write(str(entries / "broken"), PIN)
    (entries / "broken" / FILE).write_text("")
    found = dict(siblings(str(tmp_path), str(entries / "own")))
    assert {name: pin.slot for name, pin in found.items()} == {"other": 2, "caf\udce9": 3}
    assert not list(siblings(str(tmp_path / "elsewhere"), ""))


def test_folder_is_what_git_recorded(tmp_path: Path) -> None:
    entry = tmp_path / "worktrees" / "wt"
    entry.mkdir(parents=True)
    assert folder(str(tmp_path), "wt") == ""
    (entry / "gitdir").write_bytes(b"/somewhere/caf\xe9\nx/.git\n")
    assert os.fsencode(folder(str(tmp_path), "wt")) == b"/somewhere/caf\xe9\nx"
