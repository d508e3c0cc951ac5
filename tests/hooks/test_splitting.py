"""Splitting: the printed commands make the commits that were asked for, and lose nothing that was staged or edited."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from conftest import Repository
from groundrules_hooks.change import Change, staged
from groundrules_hooks.splitting import Group, commands
from groundrules_hooks.worktree import locate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ODD = ["a b", "it's", 'quo"te', "*star", "[x]", "?", ":(top)y", "-dash", "new\nline", "tab\t%d", "back\\slash", "grüße"]


@pytest.fixture
def inside(shop: Repository, enter: Callable[[Repository], None]) -> Repository:
    enter(shop)
    return shop


def change() -> Change:
    worktree = locate()
    assert worktree is not None
    return staged(worktree, None)


def split(repository: Repository, *groups: set[str], into: str = "sh") -> str:
    """Paste the commands that commit the staged files whose names are in `groups`; return them."""
    now = change()
    made = [
        Group(f"Commit {number}", tuple(file for file in now.files if file.path in group))
        for number, group in enumerate(groups)
    ]
    lines = commands(now.tree.source, made)
    done = subprocess.run([into, "-ec", lines], cwd=repository.path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{lines}\n{done.stderr}"
    return lines


def named(repository: Repository, commit: str) -> set[str]:
    out = repository.git("diff-tree", "-r", "-z", "--no-renames", "--name-only", f"{commit}~1", commit)
    return set(out.rstrip("\0").split("\0"))


def test_names_of_every_kind_come_into_the_commit_they_were_meant_for(inside: Repository) -> None:
    # FIL-01
    for name in ODD:
        inside.write(name, f"{name}\n")
        inside.write(f"other/{name}", f"{name}\n")
    inside.git("add", "-A")
    tree = inside.git("write-tree")
    split(inside, set(ODD[::2]), set(ODD[1::2]), {f"other/{name}" for name in ODD})
    assert [named(inside, f"HEAD~{back}") for back in (2, 1)] == [set(ODD[::2]), set(ODD[1::2])]
    assert inside.git("rev-parse", "HEAD^{tree}") == tree
    assert inside.git("status", "--porcelain") == ""


def test_names_that_end_with_a_newline_can_be_pasted_into_bash(inside: Repository) -> None:
    names = {"a\n", "it's 100%\t\\\n\n"}
    for name in (*names, "a", "it's 100%\t\\"):
        inside.write(name, "new\n")
    inside.git("add", "-A")
    split(inside, names, {"a", "it's 100%\t\\"}, into="bash")
    assert named(inside, "HEAD~1") == names


def test_new_deleted_renamed_and_partly_staged_files_come_out_as_they_were_staged(inside: Repository) -> None:
    for name in ("gone", "old", "part", "mode"):
        inside.write(name, "".join(f"{name} {number}\n" for number in range(20)))
    inside.commit("last")
    inside.git("rm", "-q", "gone")
    inside.git("mv", "old", "moved")
    inside.write("part", "staged\n")
    inside.write("new", "new\n")
    (inside.path / "mode").chmod(0o755)
    inside.git("add", "-A")
    tree = inside.git("write-tree")
    inside.write("part", "edited since\n")
    inside.write("new", "edited since\n")
    inside.write("untracked")
    before = {path.name: path.read_bytes() for path in inside.path.iterdir() if path.is_file()}
    split(inside, {"gone", "part"}, {"moved", "new", "mode"})
    assert named(inside, "HEAD~1") == {"gone", "part"}
    assert named(inside, "HEAD") == {"old", "moved", "new", "mode"}
    assert inside.git("show", "HEAD:part") == "staged"
    assert inside.git("rev-parse", "HEAD^{tree}") == tree == inside.git("write-tree")
    assert {path.name: path.read_bytes() for path in inside.path.iterdir() if path.is_file()} == before


def test_a_folder_of_one_commit_is_named_once(inside: Repository) -> None:
    for number in range(50):
        inside.write(f"src/deep/{number}.py", f"{number}\n")
        inside.write(f"lib/{number}.py", f"{number}\n")
    inside.write("src/other.py")
    inside.git("add", "-A")
    lines = split(
        inside,
        {f"src/deep/{number}.py" for number in range(50)} | {"src/other.py"},
        *[{f"lib/{number}.py" for number in range(50)}],
    )
    assert lines.splitlines()[1].endswith("--staged -- src && git commit -m 'Commit 0'")
    assert len(named(inside, "HEAD~1")) == 51


def test_what_is_staged_beside_named_paths_stays_staged(inside: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    # `git commit PATHS`: the index that git names to the hook holds those alone, the real one more.
    for name in ("a", "b", "c*"):
        inside.commit(name, "old\n")
    for name in ("a", "b", "c*"):
        inside.write(name, "new\n")
    inside.write("kept", "staged\n")
    inside.git("add", "kept")
    inside.write("kept", "edited since\n")
    index = str(inside.path / ".git/next-index-1.lock")
    inside.git("read-tree", "HEAD", GIT_INDEX_FILE=index)
    inside.git("add", "-u", GIT_INDEX_FILE=index)
    with monkeypatch.context() as patched:
        patched.setenv("GIT_INDEX_FILE", index)
        files = {file.path: file for file in change().files}
        lines = commands("", [Group("First", (files["a"], files["c*"])), Group("Second", (files["b"],))])
    subprocess.run(["sh", "-ec", lines], cwd=inside.path, check=True, capture_output=True)
    assert [named(inside, f"HEAD~{back}") for back in (1, 0)] == [{"a", "c*"}, {"b"}]
    assert inside.git("diff", "--cached", "--name-only") == "kept"
    assert inside.git("show", ":kept") == "staged"


@pytest.mark.parametrize("form", ["staged", "named"])
def test_a_folder_that_takes_the_place_of_a_file_comes_with_it(
    inside: Repository, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    for number in range(4):
        inside.write(f"folder/{number}", f"folder {number}\n")
    inside.write("file", "file\n")
    inside.commit("last")
    inside.git("rm", "-rqf", "folder", "file")
    inside.write("folder", "now a file\n")
    for number in range(4):
        inside.write(f"file/{number}", f"file {number}\n")
    inside.git("add", "-A")
    tree = inside.git("write-tree")
    if form == "named":
        index = inside.path / ".git/next-index-1.lock"
        index.write_bytes((inside.path / ".git/index").read_bytes())
        monkeypatch.setenv("GIT_INDEX_FILE", str(index))
    files = {file.path: file for file in change().files}
    parts = ({"file", "folder/0"}, {"file/0", "file/1", "folder"}, {"folder/1", "folder/2"}, {"file/2"})
    groups = [Group("Commit", tuple(files.pop(path) for path in sorted(part))) for part in parts]
    lines = commands(tree, [*groups, Group("Commit", tuple(files.values()))])
    monkeypatch.delenv("GIT_INDEX_FILE", raising=False)
    subprocess.run(["sh", "-ec", lines], cwd=inside.path, check=True, capture_output=True)
    everything = {f"file/{number}" for number in range(2)} | {f"folder/{number}" for number in range(1, 4)}
    assert [named(inside, f"HEAD~{back}") for back in (3, 2, 1, 0)] == [
        {"folder/0"},
        everything | {"file", "folder"},
        {"file/2"},
        {"file/3"},
    ]
    assert inside.git("rev-parse", "HEAD^{tree}") == tree


def test_pasted_into_another_repository_the_commands_change_nothing(inside: Repository, tmp_path: Path) -> None:
    inside.write("a")
    inside.write("b")
    inside.git("add", "-A")
    now = change()
    lines = commands(now.tree.source, [Group("First", now.files[:1]), Group("Second", now.files[1:])])
    other = Repository(tmp_path / "other")
    other.path.mkdir()
    other.git("init", "-q")
    other.commit("last")
    other.write("staged")
    other.git("add", "-A")
    subprocess.run(["sh", "-c", lines], cwd=other.path, check=False, capture_output=True)
    assert other.git("diff", "--cached", "--name-only") == "staged"
    assert other.git("rev-list", "--count", "HEAD") == "1"
