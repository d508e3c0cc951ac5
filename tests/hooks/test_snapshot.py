"""snapshot: the tree of what is on disk, whatever git was told to overlook; index, HEAD and files stay."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from conftest import Repository
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.snapshot import snapshot
from groundrules_hooks.worktree import locate

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def work(shop: Repository, enter: Callable[[Repository], None]) -> Repository:
    shop.write(".gitignore", "*.log\n")
    shop.write("odd\nna\tme ü \udcff", "text")
    shop.write("src/run.sh").chmod(0o755)
    shop.commit("src/a.py", "a = 1\n")
    enter(shop)
    return shop


def taken() -> str:
    here = locate()
    assert here is not None
    return snapshot(here)


def committed(work: Repository) -> str:
    """Return the tree that git makes of the same files by its own way."""
    work.git("add", "-A")
    work.git("commit", "-q", "--no-verify", "--allow-empty", "-m", "All of it")
    return work.git("rev-parse", "HEAD^{tree}")


def edit(work: Repository) -> None:
    work.write("src/a.py", "a = 2\n")


def add(work: Repository) -> None:
    work.write("new/file.py")


def remove(work: Repository) -> None:
    (work.path / "src/a.py").unlink()


def chmod(work: Repository) -> None:
    (work.path / "src/a.py").chmod(0o755)


def link(work: Repository) -> None:
    (work.path / "src/a.py").unlink()
    (work.path / "src/a.py").symlink_to("../AGENTS.md")


def stage_and_edit(work: Repository) -> None:
    work.write("src/a.py", "a = 2\n")
    work.git("add", "-A")
    work.write("src/a.py", "a = 3\n")


def write_ignored(work: Repository) -> None:
    work.write("some.log")


def empty_the_index(work: Repository) -> None:
    (work.path / ".git/index").unlink()


CHANGES = [edit, add, remove, chmod, link, stage_and_edit, write_ignored, empty_the_index]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_it_is_the_tree_that_a_commit_of_everything_makes(
    work: Repository, change: Callable[[Repository], None]
) -> None:
    change(work)
    found = taken()
    assert found == committed(work)
    assert taken() == found


def test_index_head_and_files_stay_as_they_are(work: Repository) -> None:
    stage_and_edit(work)
    add(work)
    status = work.git("status", "--porcelain")
    index = (work.path / ".git/index").read_bytes()
    taken()
    assert (work.path / ".git/index").read_bytes() == index
    assert work.git("status", "--porcelain") == status
    assert not [name for name in os.listdir(work.path / ".git") if "index" in name and name != "index"]


def test_an_edit_of_the_same_size_at_the_same_time_is_seen(work: Repository) -> None:
    # git trusts size and time only of what is older than the index
    path = work.path / "src/a.py"
    stamp = path.stat()
    os.utime(work.path / ".git/index", ns=(stamp.st_mtime_ns, stamp.st_mtime_ns))
    path.write_text("a = 9\n")
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    found = taken()
    work.git("update-index", "--really-refresh", code=None)
    assert found == committed(work)


def test_a_file_that_git_assumes_unchanged_is_read_all_the_same(work: Repository) -> None:
    # HAND-07
    before = taken()
    work.git("update-index", "--assume-unchanged", "src/a.py")
    edit(work)
    assert work.git("status", "--porcelain") == ""
    assert taken() != before
    assert work.git("ls-files", "-v", "src/a.py").startswith("h "), "the flag stays"


def test_a_file_that_git_skips_is_refused(work: Repository) -> None:
    # HAND-07
    work.git("update-index", "--skip-worktree", "src/a.py")
    with pytest.raises(GroundrulesError, match=r"git was told to skip src/a\.py") as refused:
        taken()
    work.git("-c", f"alias.paste=!{refused.value.fix}", "paste")
    taken()


def test_a_sparse_checkout_is_refused(work: Repository) -> None:
    work.git("sparse-checkout", "set", "--no-cone", "/*", "!/src/")
    with pytest.raises(GroundrulesError, match="git was told to skip"):
        taken()


def test_unmerged_paths_are_refused(work: Repository) -> None:
    work.git("switch", "-qc", "other")
    work.commit("src/a.py", "a = 2\n")
    work.git("switch", "-q", "main")
    work.commit("src/a.py", "a = 3\n")
    work.git("merge", "other", code=1)
    with pytest.raises(GroundrulesError, match=r"src/a\.py is not merged yet"):
        taken()


def test_a_worktree_inside_the_checkout_is_refused_until_git_ignores_it(work: Repository) -> None:
    # HAND-08
    work.git("worktree", "add", "-q", "-b", "task/T2-x", "inner tree")
    with pytest.raises(GroundrulesError, match="inner tree is a repository of its own") as refused:
        taken()
    work.git("-c", f"alias.paste=!{refused.value.fix}", "paste")
    before = taken()
    Repository(work.path / "inner tree").commit("more")
    assert taken() == before


def test_a_submodule_counts_by_its_commit_and_must_be_clean(work: Repository) -> None:
    source = Repository(work.path.parent / "source")
    shutil.copytree(work.path, source.path)
    work.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(source.path), "module")
    before = taken()
    assert before == committed(work)
    Repository(work.path / "module").write("src/a.py", "a = 7\n")
    with pytest.raises(GroundrulesError, match="the submodule module has changes that no commit holds"):
        taken()
    Repository(work.path / "module").commit("src/a.py", "a = 7\n")
    assert taken() != before


def test_settings_that_hide_edits_change_nothing(work: Repository) -> None:
    edit(work)
    add(work)
    expected = taken()
    for setting in ("core.splitIndex=true", "core.untrackedCache=true", "add.ignoreErrors=true", "core.fsmonitor=true"):
        work.git("config", *setting.split("="))
    work.git("update-index", "--force-write-index", code=None)
    assert taken() == expected


@pytest.mark.parametrize("name", ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"])
def test_what_git_tells_a_hook_is_of_no_account(work: Repository, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    here = locate()
    assert here is not None
    expected = snapshot(here)
    monkeypatch.setenv(name, str(work.path / "nowhere"))
    assert snapshot(here) == expected
