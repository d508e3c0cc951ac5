"""worktree.locate: root, git dir, branch and head are right wherever a command stands and whatever git inherited."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from conftest import Repository
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.worktree import Worktree, in_progress, locate, require, superproject

if TYPE_CHECKING:
    from collections.abc import Callable

# Bytes that a path may hold: blank, apostrophe, newline inside and at the end, quotes, letters that are not UTF-8.
AWKWARD = [b"a b", b"it's", b"a\nb", b"end\n", b'"q"', b"caf\xe9", "zoë".encode(), b"modules", b"#1"]


def located() -> Worktree:
    found = locate()
    assert found is not None
    return found


def describe(found: Worktree, top: Path) -> tuple[str, str, str, str | None]:
    """Return root, git dir and common dir below `top`, and the branch."""
    real = os.path.realpath(top)
    root, git_dir, common = (os.path.relpath(path, real) if path else "" for path in found[:3])
    return root, git_dir, common, found.branch


@pytest.fixture
def top(shop: Repository) -> Path:
    return Path(shop.path.parent)


def test_main_worktree(shop: Repository, top: Path, enter: Callable[[Repository], None]) -> None:
    enter(shop)
    found = located()
    assert describe(found, top) == ("shop", "shop/.git", "shop/.git", "main")
    assert (found.head, found.linked, found.name) == (shop.git("rev-parse", "HEAD"), False, "main")


# ENV-06
def test_linked_worktree_and_a_folder_deep_in_it(shop: Repository, top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    linked = shop.worktree("task/T1-x", "wt")
    deep = linked.write("a/b/file").parent
    for place in (linked.path, deep):
        monkeypatch.chdir(place)
        found = located()
        assert describe(found, top) == ("wt", "shop/.git/worktrees/wt", "shop/.git", "task/T1-x")
        assert (found.linked, found.name) == (True, "wt")


def test_detached_head_has_no_branch(shop: Repository, enter: Callable[[Repository], None]) -> None:
    shop.git("switch", "-q", "--detach")
    enter(shop)
    assert (located().branch, located().head) == (None, shop.git("rev-parse", "HEAD"))


@pytest.mark.parametrize("name", ["HEAD", "main", "refs/heads/x"])
def test_file_or_branch_with_a_confusing_name_changes_nothing(
    shop: Repository, name: str, enter: Callable[[Repository], None]
) -> None:
    shop.write(name)
    shop.git("switch", "-q", "-c", "task/T1-x")
    shop.git("update-ref", f"refs/heads/{name}", "HEAD")
    enter(shop)
    assert (located().branch, located().head) == ("task/T1-x", shop.git("rev-parse", "refs/heads/main"))


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_before_and_after_the_first_commit_in_both_object_formats(
    form: str, tmp_path: Path, enter: Callable[[Repository], None]
) -> None:
    subprocess.run(["git", "init", "-q", "-b", "trunk", f"--object-format={form}", str(tmp_path / "r")], check=True)
    new = Repository(tmp_path / "r")
    enter(new)
    assert describe(located(), tmp_path) == ("r", "r/.git", "r/.git", "trunk")
    assert located().head is None
    oid = new.commit()
    assert (located().head, len(oid)) == (oid, 40 if form == "sha1" else 64)
    linked = new.worktree("task/T1-x", "wt")
    enter(linked)
    assert (located().head, located().linked) == (oid, True)


def test_bare_layout_with_worktrees(shop: Repository, top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.git("clone", "-q", "--bare", str(shop.path), str(top / "project" / ".bare"))
    bare = Repository(top / "project" / ".bare")
    bare.git("worktree", "add", "-q", "-b", "task/T1-x", str(top / "project" / "one"), "main")
    monkeypatch.chdir(top / "project" / "one")
    entry = "project/.bare/worktrees/one"
    assert describe(located(), top) == ("project/one", entry, "project/.bare", "task/T1-x")
    monkeypatch.chdir(bare.path)
    assert describe(located(), top) == ("", "project/.bare", "project/.bare", "main")
    with pytest.raises(GroundrulesError, match="a bare repository, not in a worktree"):
        require()


def test_outside_any_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert locate() is None
    with pytest.raises(GroundrulesError, match="no git repository"):
        require()


class Nested(NamedTuple):
    inner: Repository
    outer: Repository
    git_dir: str


@pytest.fixture(params=["main", "linked"])
def nested(request: pytest.FixtureRequest, shop: Repository, top: Path) -> Nested:
    """A submodule of the main or of a linked worktree."""
    library = Repository(top / "library")
    subprocess.run(["git", "init", "-q", "-b", "main", str(library.path)], check=True)
    library.commit()
    outer = shop if request.param == "main" else shop.worktree("task/T1-x", "wt")
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library.path), "lib")
    holder = "shop/.git" if request.param == "main" else "shop/.git/worktrees/wt"
    return Nested(Repository(outer.path / "lib"), outer, f"{holder}/modules/lib")


# TOP-08
def test_submodule_is_not_linked_and_names_its_superproject(
    nested: Nested, top: Path, enter: Callable[[Repository], None]
) -> None:
    enter(nested.inner)
    found = located()
    assert found.git_dir == found.common_dir == os.path.realpath(top / nested.git_dir)
    assert (found.root, found.linked) == (os.path.realpath(nested.inner.path), False)
    assert superproject(found) == os.path.realpath(nested.outer.path)


@pytest.mark.parametrize("where", ["lib", "lib/deep"])
@pytest.mark.parametrize("relative", [False, True])
def test_superproject_is_found_although_git_dir_is_inherited(
    nested: Nested, where: str, monkeypatch: pytest.MonkeyPatch, *, relative: bool
) -> None:
    nested.inner.write("deep/file")
    git_dir = nested.inner.git("rev-parse", "--absolute-git-dir")
    monkeypatch.chdir(nested.outer.path / where)
    monkeypatch.setenv("GIT_DIR", os.path.relpath(git_dir) if relative else git_dir)
    assert superproject(located()) == os.path.realpath(nested.outer.path)


def test_path_that_only_contains_modules_has_no_superproject(
    shop: Repository, top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.git("clone", "-q", str(shop.path), str(top / "modules" / "x"))
    monkeypatch.chdir(top / "modules" / "x")
    assert superproject(located()) is None


# TOP-11
def test_git_dir_that_is_a_symlink_is_resolved(
    shop: Repository, top: Path, enter: Callable[[Repository], None]
) -> None:
    os.rename(shop.path / ".git", top / "kept")
    os.symlink(top / "kept", shop.path / ".git")
    enter(shop)
    assert describe(located(), top)[:3] == ("shop", "kept", "kept")
    linked = shop.worktree("task/T1-x", "wt")
    enter(linked)
    assert describe(located(), top)[:3] == ("wt", "kept/worktrees/wt", "kept")


# TOP-12
def test_relative_worktree_paths(shop: Repository, top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    linked = shop.worktree("task/T1-x", "wt")
    linked.write(".git", "gitdir: ../shop/.git/worktrees/wt\n")
    (shop.path / ".git/worktrees/wt/gitdir").write_text("../../../../wt/.git\n")
    monkeypatch.chdir(linked.path)
    expected = ("wt", "shop/.git/worktrees/wt", "shop/.git")
    assert describe(located(), top)[:3] == expected
    monkeypatch.setenv("GIT_DIR", "../shop/.git/worktrees/wt")
    assert describe(located(), top)[:3] == expected


# PCO-08
@pytest.mark.parametrize("name", AWKWARD, ids=ascii)
@pytest.mark.parametrize("linked", [False, True])
def test_awkward_paths(
    shop: Repository, top: Path, name: bytes, monkeypatch: pytest.MonkeyPatch, *, linked: bool
) -> None:
    folder = os.fsdecode(name)
    if linked:
        shop.worktree("task/T1-x", folder)
    else:
        os.rename(shop.path, top / folder)
    monkeypatch.chdir(top / folder)
    found = located()
    assert found.root == os.path.join(os.path.realpath(top), folder)
    assert (found.linked, found.branch) == (linked, "task/T1-x" if linked else "main")
    assert os.path.samefile(found.common_dir, top / ("shop" if linked else folder) / ".git")
    assert os.path.isfile(os.path.join(found.git_dir, "HEAD"))


class Inherited(NamedTuple):
    """Where a hook starts (below `top`), what it inherits, and whether it is about the linked worktree."""

    where: str
    env: dict[str, str]
    linked: bool


# ENV-01 ENV-05 ENV-09 ENV-19
@pytest.mark.parametrize(
    "case",
    [
        Inherited("wt", {"GIT_DIR": "{top}/shop/.git/worktrees/wt"}, linked=True),
        Inherited("wt/sub", {"GIT_DIR": "{top}/shop/.git/worktrees/wt"}, linked=True),
        Inherited("wt/sub", {"GIT_DIR": "../../shop/.git/worktrees/wt", "GIT_WORK_TREE": ".."}, linked=True),
        Inherited("shop", {"GIT_DIR": ".git"}, linked=False),
        Inherited("shop/sub", {"GIT_DIR": "../.git"}, linked=False),
        Inherited("shop/sub", {"GIT_DIR": "../.git", "GIT_WORK_TREE": ".."}, linked=False),
        Inherited("shop", {"GIT_DIR": ".git", "GIT_WORK_TREE": "."}, linked=False),
        Inherited("shop/.git", {"GIT_DIR": "."}, linked=False),
        Inherited("shop/.git", {"GIT_DIR": ".", "GIT_WORK_TREE": ".."}, linked=False),
        Inherited("elsewhere", {"GIT_DIR": "{top}/shop/.git", "GIT_WORK_TREE": "{top}/shop"}, linked=False),
        Inherited("shop/sub", {"GIT_PREFIX": "sub/", "GIT_INDEX_FILE": ".git/index"}, linked=False),
    ],
    ids=str,
)
def test_directories_are_right_whatever_git_inherited(
    shop: Repository, top: Path, case: Inherited, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.worktree("task/T1-x", "wt")
    for folder in ("wt/sub", "shop/sub", "elsewhere"):
        (top / folder).mkdir()
    monkeypatch.chdir(top / case.where)
    for name, value in case.env.items():
        monkeypatch.setenv(name, value.replace("{top}", str(top)))
    expected = (
        ("wt", "shop/.git/worktrees/wt", "shop/.git", "task/T1-x")
        if case.linked
        else ("shop", "shop/.git", "shop/.git", "main")
    )
    assert describe(located(), top) == expected


def test_receiving_bare_repository_has_no_root(shop: Repository, top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.git("clone", "-q", "--bare", str(shop.path), str(top / "hub.git"))
    monkeypatch.chdir(top / "hub.git")
    monkeypatch.setenv("GIT_DIR", ".")
    assert describe(located(), top) == ("", "hub.git", "hub.git", "main")


@pytest.mark.parametrize("how", ["rebase", "bisect", "am", "nothing"])
def test_branch_of_a_replay_in_progress(shop: Repository, how: str, enter: Callable[[Repository], None]) -> None:
    shop.git("switch", "-q", "-c", "task/T1-x")
    shop.commit("file", "one\n")
    if how == "rebase":
        shop.git("rebase", "--exec", "false", "main", "--force-rebase", code=1)
    if how == "bisect":
        shop.git("bisect", "start", "HEAD", "HEAD~1")
    if how == "am":
        patch = shop.git("format-patch", "--stdout", "-1")
        shop.write("patch", patch.replace("+one", "+two"))
        shop.git("am", "-q", "patch", code=128)
        assert (shop.path / ".git/rebase-apply").is_dir()
    enter(shop)
    assert in_progress(located()) == ("task/T1-x" if how in ("rebase", "bisect") else None)
    assert located().branch == (None if how == "rebase" else "task/T1-x")
