"""`groundrules slot`: the answer on stdout, narration on stderr; it claims, and a linked worktree is never slot 0."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from conftest import Repository
from groundrules.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

PORTS = "[ports]\nweb = 23000\napi = 28000\n[slots]\nmax = 2\n"


@pytest.fixture
def linked(shop: Repository) -> Repository:
    shop.commit("groundrules.toml", PORTS)
    return shop.worktree("task/T1-x", "wt")


class Slot:
    """Calls the command in process, in a repository."""

    def __init__(self, enter: Callable[[Repository], None], capfd: pytest.CaptureFixture[str]) -> None:
        self.enter = enter
        self.capfd = capfd

    def __call__(self, repository: Repository, *args: str, code: int = 0) -> tuple[str, str]:
        """Return stdout and stderr."""
        self.enter(repository)
        self.capfd.readouterr()
        assert main(["slot", *args]) == code
        said = self.capfd.readouterr()
        return said.out, said.err

    def document(self, repository: Repository) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self(repository, "--json")[0])
        return found


@pytest.fixture
def slot(enter: Callable[[Repository], None], capfd: pytest.CaptureFixture[str]) -> Slot:
    return Slot(enter, capfd)


def test_document_is_that_of_the_specification(linked: Repository, slot: Slot) -> None:
    found = slot.document(linked)
    values = found.pop("values")
    assert found == {
        "schema_version": 1,
        "slot": 1,
        "ports": {"web": 23010, "api": 28010},
        "worktree": os.path.realpath(linked.path),
        "task": "T1",
        "base": linked.git("rev-parse", "main"),
        "overridden": False,
    }
    names = ["SLOT", "WEB_PORT", "API_PORT", "DATABASE_NAME", "DATABASE_URL", "COMPOSE_PROJECT_NAME", "TASK_TMPDIR"]
    names.append("REDIS_DATABASE")
    assert list(values) == names
    assert all(isinstance(value, str) for value in values.values())


def test_main_worktree_answers_0_and_the_table_itself(shop: Repository, linked: Repository, slot: Slot) -> None:
    found = slot.document(shop)
    assert (found["slot"], found["ports"], found["task"], found["base"]) == (
        0,
        {"web": 23000, "api": 28000},
        None,
        None,
    )
    assert "SLOT=0\n" in (shop.path / ".slot.env").read_text()
    assert linked.git("status", "--porcelain") == shop.git("status", "--porcelain") == ""


# SLT-12
def test_worktree_made_without_hooks_is_claimed_by_the_question(linked: Repository, slot: Slot) -> None:
    assert not (linked.path / ".slot.env").exists()
    out, err = slot(linked)
    assert out.splitlines()[:2] == ["SLOT=1", "WEB_PORT=23010"]
    assert err == ""
    # The view holds what was answered, below one line that names its worktree.
    assert (linked.path / ".slot.env").read_text().partition("\n")[2] == out


def test_answer_is_what_a_shell_can_read(linked: Repository, slot: Slot) -> None:
    slot(linked)
    said = subprocess.run(
        ["sh", "-c", '. ./.slot.env && echo "$SLOT $WEB_PORT"'], cwd=linked.path, capture_output=True, check=True
    )
    assert said.stdout == b"1 23010\n"


def test_claim_narrates_what_it_did(linked: Repository, slot: Slot) -> None:
    first, again = slot(linked, "claim"), slot(linked, "claim")
    base = linked.git("rev-parse", "--short=7", "main")
    assert first == ("", f"✓ task T1, slot 1 (web 23010, api 28010), base {base}\n")
    assert again == ("", first[1].replace("✓", "○"))


def test_release_gives_slot_and_view_back(shop: Repository, linked: Repository, slot: Slot) -> None:
    slot(linked)
    assert slot(linked, "release") == ("", "✓ slot released\n")
    assert not (linked.path / ".slot.env").exists()
    assert slot(linked, "release") == ("", "○ no slot was held\n")
    assert slot.document(shop.worktree("task/T2-x"))["slot"] == 1
    assert slot.document(linked)["slot"] == 2
    out, err = slot(shop, "release", code=2)
    assert (out, err.splitlines()[0]) == ("", "groundrules: the main worktree is slot 0 for good")


# SLT-13
def test_sandboxed_git_dir_is_exit_2_and_the_override_still_answers(
    linked: Repository, slot: Slot, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = linked.git("rev-parse", "--absolute-git-dir")
    with open(os.path.join(entry, "groundrules"), "w", encoding="utf-8"):
        pass  # a file where the folder should be
    out, err = slot(linked, code=2)
    assert out == ""
    assert f"{entry}/groundrules" in err
    assert "must be writable" in err
    monkeypatch.setenv("GROUNDRULES_SLOT", "2")
    assert slot.document(linked)["ports"] == {"web": 23020, "api": 28020}


def test_override_is_said_and_changes_no_file(linked: Repository, slot: Slot, monkeypatch: pytest.MonkeyPatch) -> None:
    slot(linked)
    view = (linked.path / ".slot.env").read_text()
    monkeypatch.setenv("GROUNDRULES_SLOT", "2")
    out, err = slot(linked, "--json")
    assert (json.loads(out)["slot"], json.loads(out)["overridden"]) == (2, True)
    assert err == "▲ GROUNDRULES_SLOT decides: slot 2\n"
    assert (linked.path / ".slot.env").read_text() == view
    monkeypatch.setenv("GROUNDRULES_SLOT", "²")
    assert "not a number from 0 to 2" in slot(linked, code=2)[1]


# DAT-01
def test_copied_view_is_reported(shop: Repository, linked: Repository, slot: Slot) -> None:
    slot(shop)
    (linked.path / ".slot.env").write_bytes((shop.path / ".slot.env").read_bytes())
    out, err = slot(linked)
    assert err == "▲ .slot.env was a copy of another worktree's and is written anew\n"
    assert out.startswith("SLOT=1\n")
    assert slot(linked)[1] == ""


# ROL-04
def test_changed_port_table_is_rendered_again_with_the_same_slot_and_names(linked: Repository, slot: Slot) -> None:
    before = slot.document(linked)["values"]
    linked.write("groundrules.toml", PORTS.replace("23000", "24000"))
    assert slot.document(linked)["values"] == {**before, "WEB_PORT": "24010"}
    assert "WEB_PORT=24010\n" in (linked.path / ".slot.env").read_text()


# SLT-15
def test_no_slot_left_is_exit_2_with_the_owners(shop: Repository, linked: Repository, slot: Slot) -> None:
    slot(linked)
    slot(shop.worktree("task/T2-x", "two"))
    out, err = slot(shop.worktree("task/T3-x", "three"), "--json", code=2)
    assert out == ""
    assert [f"slot {n}" in err for n in (1, 2)] == [True, True]
    assert os.path.realpath(linked.path) in err
    assert err.splitlines()[-1].strip() == "git worktree list"


# TOP-08
@pytest.mark.parametrize("inherited", [False, True])
def test_inside_a_submodule_the_superproject_decides(
    shop: Repository, linked: Repository, slot: Slot, monkeypatch: pytest.MonkeyPatch, *, inherited: bool
) -> None:
    linked.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(shop.path), "lib")
    inner = Repository(linked.path / "lib")
    inner.write("deep/file")
    if inherited:  # as git sets it for an alias and for a hook
        monkeypatch.setenv("GIT_DIR", inner.git("rev-parse", "--absolute-git-dir"))
    found = slot.document(Repository(inner.path / "deep"))
    assert (found["slot"], found["worktree"]) == (1, os.path.realpath(linked.path))
    assert not (inner.path / ".slot.env").exists()


# ENV-05
def test_alias_in_a_subdirectory_answers_the_same(
    linked: Repository, slot: Slot, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = slot.document(linked)
    linked.write("sub/file")
    monkeypatch.setenv("GIT_DIR", os.path.relpath(linked.git("rev-parse", "--absolute-git-dir"), linked.path / "sub"))
    assert slot.document(Repository(linked.path / "sub")) == expected


@pytest.mark.parametrize("where", ["outside", "bare", "unconfigured"])
def test_place_without_a_slot_is_exit_2_in_one_line(shop: Repository, slot: Slot, where: str) -> None:
    path = shop.path.parent / where
    path.mkdir()
    if where == "bare":
        Repository(path).git("init", "-q", "--bare")
    if where == "unconfigured":
        Repository(path).git("init", "-q")
    out, err = slot(Repository(path), code=2)
    words = {"outside": "no git repository", "bare": "a bare repository", "unconfigured": "has no groundrules.toml"}
    assert (out, words[where] in err.splitlines()[0]) == ("", True)
    assert "Traceback" not in err


def test_unknown_action_is_refused(shop: Repository, enter: Callable[[Repository], None]) -> None:
    enter(shop)
    with pytest.raises(SystemExit) as caught:
        main(["slot", "steal"])
    assert caught.value.code == 2
