"""Uncommitted work: a commit of what a worktree holds, equal to what `git add` makes of it, and nothing touched."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundrules.uncommitted import Content, contents
from groundrules_hooks.trial import Trial
from groundrules_hooks.worktree import Worktree

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Repository


def place(repository: Repository) -> Worktree:
    git_dir = repository.git("rev-parse", "--absolute-git-dir")
    common = repository.git("rev-parse", "--path-format=absolute", "--git-common-dir")
    return Worktree(str(repository.path), git_dir, common, None, repository.git("rev-parse", "HEAD"))


def held(repository: Repository) -> tuple[Content, str]:
    """Return what a repository holds, and the tree of it."""
    where = place(repository)
    with Trial(where.common_dir, where.head or "") as trial:
        (found,) = contents(trial, [where])
        tree = trial.git("rev-parse", f"{found.commit}^{{tree}}").decode().strip() if found.commit else ""
    return found, tree


def added(repository: Repository, tmp_path: Path) -> str:
    """Return the tree that `git add --all` would give, by an index that starts empty."""
    index = {"GIT_INDEX_FILE": str(tmp_path / "another-index")}
    repository.git("read-tree", "HEAD", code=0, **index)
    repository.git("-c", "advice.addEmbeddedRepo=false", "add", "--all", code=0, **index)
    return repository.git("write-tree", code=0, **index)


@pytest.fixture
def work(shop: Repository) -> Repository:
    """A repository with a few committed files."""
    for name in ("kept", "changed", "staged", "removed", "dropped", "folder/file", "to link", "mode"):
        shop.write(name, f"{name}\n")
    shop.commit("last")
    return shop


def test_clean_worktree_is_its_head(work: Repository) -> None:
    found, _ = held(work)
    assert found == Content(work.git("rev-parse", "HEAD"))


# BAS-04
def test_every_kind_of_change_is_held_and_nothing_is_touched(work: Repository, tmp_path: Path) -> None:
    work.write("changed", "more\n")
    work.write("staged", "staged\n")
    work.write("added", "added\n")
    work.git("add", "staged", "added")
    work.write("staged", "and changed again\n")
    (work.path / "removed").unlink()
    work.git("rm", "-q", "--cached", "dropped")
    shutil.rmtree(work.path / "folder")
    work.write("folder", "a file now\n")
    (work.path / "to link").unlink()
    (work.path / "to link").symlink_to("nowhere\nelse")
    (work.path / "mode").chmod(0o755)
    work.write("new/deep/file", "x\n")
    work.write('od"d\n\tname \udce9', "x\n")
    work.write(".gitignore", "ignored\n")
    work.write("ignored", "x\n")
    before = (work.path / ".git" / "index").read_bytes(), work.git("for-each-ref"), work.git("count-objects", "-v")
    found, tree = held(work)
    assert (found.files, found.reason) == (12, "")
    after = (work.path / ".git" / "index").read_bytes(), work.git("for-each-ref"), work.git("count-objects", "-v")
    assert after == before
    assert tree == added(work, tmp_path)
    assert not (work.path / ".git" / "index.lock").exists()


def test_content_is_what_filters_make_of_it(work: Repository, tmp_path: Path) -> None:
    work.write(".gitattributes", "*.txt text eol=crlf\n")
    work.write("a.txt", "one\r\ntwo\r\n")
    work.write("b.txt", "one\r\ntwo\n")
    work.git("config", "core.autocrlf", "input")
    work.git("config", "core.safecrlf", "true")
    found, tree = held(work)
    work.git("config", "core.safecrlf", "false")
    assert (found.files, tree) == (3, added(work, tmp_path))


def test_file_that_git_was_told_to_leave_alone_stays_as_committed(work: Repository) -> None:
    work.git("update-index", "--skip-worktree", "kept")
    work.write("kept", "local\n")
    assert held(work)[0] == Content(work.git("rev-parse", "HEAD"))


def test_sparse_checkout_lacks_nothing(work: Repository, tmp_path: Path) -> None:
    work.git("sparse-checkout", "set", "--no-cone", "/changed")
    assert not (work.path / "kept").exists()
    work.write("changed", "more\n")
    assert held(work)[1] == added(work, tmp_path)


def test_submodule_counts_by_its_commit(work: Repository, tmp_path: Path) -> None:
    work.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(work.path / ".git"), "lib")
    work.git("commit", "-q", "-m", "Add a library")
    library = type(work)(work.path / "lib")
    library.write("untracked")
    assert held(work)[0].files == 0
    moved = library.commit("last", "moved\n")
    found, tree = held(work)
    assert (found.files, tree) == (1, added(work, tmp_path))
    assert moved in work.git("diff")


def test_repository_inside_that_git_does_not_ignore_is_no_part_of_the_work(work: Repository) -> None:
    work.worktree("task/T9", "shop/inside")
    assert held(work)[0] == Content(work.git("rev-parse", "HEAD"))


def test_merge_in_progress_has_both_parents(work: Repository) -> None:
    work.git("switch", "-q", "-c", "side")
    side = work.commit("side")
    work.git("switch", "-q", "main")
    head = work.commit("changed", "ours\n")
    work.git("merge", "-q", "--no-commit", "side")
    where = place(work)
    with Trial(where.common_dir, head) as trial:
        (found,) = contents(trial, [where])
        parents = trial.git("rev-parse", f"{found.commit}^@").decode().split()
    assert parents == [head, side]


@pytest.mark.parametrize("what", ["merge", "rebase", "folder", "unborn"])
def test_what_cannot_be_told_has_a_reason(work: Repository, what: str) -> None:
    # BAS-08
    linked = work.worktree("task/T1", "wt")
    linked.commit("changed", "theirs\n")
    work.commit("changed", "ours\n")
    where = place(linked)
    expected = {"rebase": "a rebase or bisect is going on", "merge": "files are unmerged"}
    if what in expected:
        linked.git(what, "main", code=1)
    elif what == "folder":
        shutil.move(linked.path, work.path.parent / "elsewhere")
    else:
        linked.git("switch", "-q", "--orphan", "empty")
    with Trial(where.common_dir, where.head or "") as trial:
        first, second = contents(trial, [where, place(work)])
    assert expected.get(what, {"folder": "cannot change to", "unborn": "no commit yet"}.get(what, "?")) in first.reason
    assert second == Content(work.git("rev-parse", "HEAD"))


def test_file_that_cannot_be_read_is_a_reason_not_clean(work: Repository) -> None:
    os.mkfifo(work.path / "pipe")  # git lists no such thing
    assert held(work)[0].files == 0
    work.write(".gitattributes", "*.bad filter=bad\n")
    work.git("config", "filter.bad.clean", "false")
    work.git("config", "filter.bad.required", "true")
    work.write("a.bad")
    assert "clean filter 'bad' failed" in held(work)[0].reason


NAMES = ("a", "b", "d/a", "d/b", "d", "e f")
STEPS = st.lists(
    st.tuples(st.sampled_from(("write", "remove", "add", "unstage", "link")), st.sampled_from(NAMES)), max_size=8
)


@settings(max_examples=20, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(steps=STEPS)
def test_any_sequence_of_edits_equals_what_add_makes_of_it(
    work: Repository, tmp_path: Path, steps: list[tuple[str, str]]
) -> None:
    work.git("reset", "-q", "--hard")
    work.git("clean", "-q", "-ffdx")
    for number, (action, name) in enumerate(steps):
        path = work.path / name
        if (action in ("write", "link", "remove") and path.exists()) or path.is_symlink():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        if action in ("write", "link") and (path.parent.is_dir() or not os.path.lexists(path.parent)):
            path.parent.mkdir(exist_ok=True)
            path.symlink_to(f"{number}") if action == "link" else path.write_text(f"{number}\n")
        if action == "add":
            work.git("add", "--all", "--", name, code=None)
        if action == "unstage":
            work.git("rm", "-rq", "--cached", "--", name, code=None)
    found, tree = held(work)
    assert tree == added(work, tmp_path), found
