"""subject: the key of all evidence follows the content of a commit and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conftest import Repository
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.subject import subject_tree

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

EMPTY = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


@pytest.fixture
def work(shop: Repository, enter: Callable[[Repository], None]) -> Repository:
    shop.write("src/deep/evidence/kept.txt")
    shop.write("evidence.txt")
    shop.write("odd\nna\tme \u00fc", "text")
    shop.commit("src/a.py")
    enter(shop)
    return shop


def test_evidence_is_left_out_and_nothing_else_is(work: Repository) -> None:
    before = subject_tree("HEAD")
    assert before == work.git("rev-parse", "HEAD^{tree}")
    work.commit("evidence/T1/handoff.json")
    assert subject_tree("HEAD") == before != work.git("rev-parse", "HEAD^{tree}")
    work.commit("src/deep/evidence/kept.txt", "changed\n")
    assert subject_tree("HEAD") != before


def test_rewording_changes_nothing(work: Repository) -> None:
    # HAND-01
    before = subject_tree("HEAD")
    work.git("commit", "-q", "--amend", "-m", "Say it another way")
    assert subject_tree("HEAD") == before


@pytest.mark.parametrize("option", ["--filter=blob:none", "--filter=tree:0", "--depth=1"])
def test_a_partial_clone_gives_the_same(
    work: Repository, enter: Callable[[Repository], None], tmp_path: Path, option: str
) -> None:
    # HAND-02 HAND-03
    work.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    work.git("commit", "-qm", "Add a module that is nowhere checked out")
    work.git("config", "uploadpack.allowFilter", "true")
    work.git("config", "uploadpack.allowAnySHA1InWant", "true")
    work.git("commit", "-q", "--allow-empty", "-m", "One more")
    expected = subject_tree("HEAD")
    work.git("clone", "-q", "--no-checkout", option, f"file://{work.path}", str(tmp_path / "clone"))
    enter(Repository(tmp_path / "clone"))
    assert subject_tree("HEAD") == expected


def test_a_replace_ref_does_not_touch_the_real_commit(work: Repository) -> None:
    # HAND-04
    real = work.git("rev-parse", "HEAD")
    before = subject_tree(real)
    other = work.commit("src/a.py", "another\n")
    work.git("replace", real, other)
    assert work.git("rev-parse", f"{real}^{{tree}}") == work.git("rev-parse", f"{other}^{{tree}}")
    assert subject_tree(real) == before


def test_nothing_but_evidence_is_the_empty_tree(work: Repository) -> None:
    # HAND-05
    work.git("rm", "-rq", ".")
    work.commit("evidence/T1/handoff.json")
    assert subject_tree("HEAD") == EMPTY


@pytest.mark.parametrize("name", ["evidence", "Evidence/T1/handoff.json", "EVIDENCE"])
def test_another_use_of_the_name_is_refused(work: Repository, name: str) -> None:
    work.commit(name)
    with pytest.raises(GroundrulesError, match=f"{name.partition('/')[0]}: the name evidence is kept"):
        subject_tree("HEAD")


def test_a_link_or_module_of_that_name_is_refused(work: Repository) -> None:
    (work.path / "evidence").symlink_to("src")
    work.commit("file")
    with pytest.raises(GroundrulesError, match="kept for a folder"):
        subject_tree("HEAD")


def test_it_is_the_same_from_a_subdirectory(work: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    work.commit("evidence/T1/handoff.json")
    expected = subject_tree("HEAD")
    monkeypatch.chdir(work.path / "src/deep")
    assert subject_tree("HEAD") == expected


def test_index_and_files_stay_as_they_are(work: Repository) -> None:
    index = (work.path / ".git/index").read_bytes()
    subject_tree("HEAD")
    assert (work.path / ".git/index").read_bytes() == index
    assert work.git("status", "--porcelain") == ""


def test_a_sha256_repository_has_ids_of_its_own(tmp_path: Path, enter: Callable[[Repository], None]) -> None:
    (tmp_path / "long").mkdir()
    long = Repository(tmp_path / "long")
    long.git("init", "-q", "--object-format=sha256")
    long.commit("a")
    enter(long)
    tree = long.git("rev-parse", "HEAD^{tree}")
    long.commit("evidence/T1/handoff.json")
    assert subject_tree("HEAD") == tree
    assert len(tree) == 64
