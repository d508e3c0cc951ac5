"""Attributes: what a commit's own tree declares to be generated, whoever asks and whatever the checkout holds."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from conftest import Repository
from groundrules_hooks.change import Tree
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.history import commits
from groundrules_hooks.kinds.attributes import above, by_attribute, declared

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def inside(shop: Repository, enter: Callable[[Repository], None], monkeypatch: pytest.MonkeyPatch) -> Repository:
    (shop.path.parent / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(shop.path.parent / "tmp"))
    enter(shop)
    return shop


def asked(*paths: str) -> dict[str, bool]:
    return by_attribute(Tree("HEAD"), paths)


FORMS = [
    ("*.pb.go linguist-generated", "api/cart.pb.go", True),
    ("*.pb.go linguist-generated=true", "api/cart.pb.go", True),
    ("*.pb.go linguist-generated=yes", "api/cart.pb.go", True),
    ("*.pb.go -linguist-generated", "api/cart.pb.go", False),
    ("*.pb.go linguist-generated=false", "api/cart.pb.go", False),
    ("*.pb.go !linguist-generated", "api/cart.pb.go", None),
    ("*.pb.go linguist-generated", "api/cart.go", None),
    ("/api/** linguist-generated\n/api/own.go -linguist-generated", "api/own.go", False),
    ("* linguist-generated\n*.go !linguist-generated", "own.go", None),
    ("[attr]made linguist-generated -diff\n/dist/** made", "dist/deep/site.js", True),
    ("dist/* linguist-generated", "dist/deep/site.js", None),
    ('"a b*" linguist-generated', "a b.txt", True),
    ("gr\u00fc\u00dfe.txt linguist-generated", "gr\u00fc\u00dfe.txt", True),
    ("*.GO linguist-generated", "cart.go", None),
    ("# *.go linguist-generated", "cart.go", None),
    ("\ufeff*.go linguist-generated", "cart.go", True),
    (" \t*.go linguist-generated\r", "cart.go", True),
    ("caf\udcc3* linguist-generated", "caf\u00e9.py", True),
    ("\u00a0 linguist-generated", "\u00a0", True),
    ("\u3000#x linguist-generated", "\u3000#x", True),
    ("a/**/b.go linguist-generated", "a/b.go", True),
    ("a/**/b.go linguist-generated", "a/x/y/b.go", True),
    ("**/b.go linguist-generated", "b.go", True),
    ("a*c?.go linguist-generated", "abcd.go", True),
    ("[ab]*.go linguist-generated", "b.go", True),
    ("cart\\*.go linguist-generated", "cart*.go", True),
    ("* text=auto", "cart.go", None),
]


@pytest.mark.usefixtures("inside")
@pytest.mark.parametrize(("text", "path", "expected"), FORMS)
def test_every_form_of_an_attribute_is_read(text: str, path: str, expected: bool | None) -> None:  # noqa: FBT001
    found = declared({".gitattributes": os.fsencode(f"{text}\n")}, [path, "other"])
    assert found.get(path) is expected


@pytest.mark.usefixtures("inside")
def test_git_is_asked_only_of_paths_that_a_line_can_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {".gitattributes": b"*.lock -diff\ndist/*/made.js linguist-generated\n", "web/.gitattributes": b"* text\n"}
    assert declared(files, ["src/made.js", "dist/site/made.js"]) == {"dist/site/made.js": True}
    monkeypatch.setenv("PATH", "")
    assert declared(files, ["src/made.js", "dist/own.js", "a.lock"]) == {}
    with pytest.raises(GroundrulesError, match="git is not on PATH"):
        declared(files, ["dist/site/made.js"])


@pytest.mark.usefixtures("inside")
def test_another_name_for_the_attribute_is_known_in_every_folder() -> None:
    files = {".gitattributes": b"[attr]made linguist-generated\n", "web/.gitattributes": b"*.js made\n"}
    assert declared(files, ["web/site.js", "site.js"]) == {"web/site.js": True}


def test_a_deeper_file_decides(inside: Repository) -> None:
    inside.write(".gitattributes", "*.ts linguist-generated\n")
    inside.write("web/.gitattributes", "own.ts -linguist-generated\n")
    inside.write("web/src/.gitattributes", "own.ts linguist-generated=true\n")
    inside.commit()
    assert asked("own.ts", "web/own.ts", "web/src/own.ts", "web/x.ts", "web/x.py") == {
        "own.ts": True,
        "web/own.ts": False,
        "web/src/own.ts": True,
        "web/x.ts": True,
    }


def test_the_tree_counts_and_nothing_around_it(inside: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    inside.commit(".gitattributes", "*.pb.go linguist-generated\n")
    wrong = "*.pb.go -linguist-generated\n*.py linguist-generated\n"
    inside.write(".gitattributes", wrong)
    inside.write("sub/.gitattributes", wrong)
    inside.git("add", "-A")
    inside.write(".git/info/attributes", wrong)
    home = inside.write("../home/.config/git/attributes", wrong).parents[2]
    inside.git("config", "core.attributesFile", str(home / ".config/git/attributes"))
    monkeypatch.setenv("HOME", str(home))
    for name, value in {
        "GIT_CONFIG_GLOBAL": str(
            inside.write("../gitconfig", f"[core]\nattributesFile = {home}/.config/git/attributes\n")
        ),
        "GIT_ATTR_SOURCE": "HEAD~1",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_INDEX_FILE": str(inside.path / "none"),
        "GIT_DIR": str(inside.path / ".git"),
        "GIT_WORK_TREE": str(inside.path / "sub"),
    }.items():
        monkeypatch.setenv(name, value)
    assert asked("a.pb.go", "sub/a.pb.go", "sub/a.py") == {"a.pb.go": True, "sub/a.pb.go": True}


def test_every_commit_has_its_own(inside: Repository) -> None:
    first = inside.commit(".gitattributes", "*.a linguist-generated\n")
    second = inside.commit(".gitattributes", "*.b linguist-generated\n")
    assert by_attribute(Tree(first), ["x.a", "x.b"]) == {"x.a": True}
    assert by_attribute(Tree(second), ["x.a", "x.b"]) == {"x.b": True}
    assert by_attribute(Tree(f"{first}^{{tree}}"), ["x.a", "x.b"]) == {"x.a": True}


def test_commits_that_keep_what_is_declared_share_one_reading(inside: Repository) -> None:
    inside.commit(".gitattributes", "*.a linguist-generated\n")
    start = inside.commit("web/.gitattributes", "*.b linguist-generated\n")
    inside.commit("kept")
    inside.commit("kept too")
    side = inside.commit("web/.gitattributes", "*.c linguist-generated\n")
    inside.git("reset", "-q", "--hard", start)
    inside.commit("other")
    inside.git("merge", "-q", "--no-ff", "-m", "Merge", side)
    inside.git("mv", "web", "api")
    inside.commit("kept as well")
    (inside.path / ".gitattributes").unlink()
    inside.commit("last")
    found = commits("HEAD", [f"{start}~1"])
    paths = [f"{folder}x.{end}" for folder in ("", "web/", "api/") for end in "abc"]
    for change in found:
        assert by_attribute(change.tree, paths) == by_attribute(Tree(change.tree.source), paths)
    assert len(found) == 8
    assert len({change.tree.declaring for change in found}) == 5


def test_linked_worktrees_and_bare_repositories_are_asked_alike(
    inside: Repository, enter: Callable[[Repository], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    inside.commit("api/.gitattributes", "*.go linguist-generated\n")
    inside.git("clone", "-q", "--bare", ".", "../bare.git")
    linked = inside.worktree("task/T1", "wt")
    for place in (inside, linked, Repository(inside.path.parent / "bare.git")):
        enter(place)
        assert asked("api/x.go", "x.go") == {"api/x.go": True}
    monkeypatch.chdir(inside.path / "api")
    assert asked("api/x.go", "x.go") == {"api/x.go": True}


@pytest.mark.usefixtures("inside")
@pytest.mark.parametrize(
    "path",
    ["a b.go", "new\nline.go", 'quo"te.go', ":(glob)x.go", "-dash.go", "latin-\udce9.go", "d \udce9/x.go", "*.go"],
)
def test_odd_names_are_asked_as_they_are(path: str) -> None:
    # FIL-01
    assert declared({".gitattributes": b"*.go linguist-generated\n"}, [path, "x.py"]) == {path: True}
    folder = path.rpartition("/")[0]
    assert declared(
        {f"{folder}/.gitattributes" if folder else ".gitattributes": b"* linguist-generated\n"}, [path]
    ) == {path: True}


def test_nothing_is_left_behind(inside: Repository) -> None:
    before = inside.git("status", "--porcelain", "--ignored"), sorted(os.listdir(inside.path / ".git"))
    objects = inside.git("count-objects", "-v")
    assert declared({"a/b/.gitattributes": b"* linguist-generated\n"}, ["a/b/c"]) == {"a/b/c": True}
    assert os.listdir(os.environ["TMPDIR"]) == []
    assert (inside.git("status", "--porcelain", "--ignored"), sorted(os.listdir(inside.path / ".git"))) == before
    assert inside.git("count-objects", "-v") == objects


def test_without_the_attribute_git_is_not_asked(inside: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    inside.commit(".gitattributes", "* -text\n*.png binary\n")
    files = Tree("HEAD").read(*above(["a/b/c"]))
    monkeypatch.setenv("PATH", "")
    assert declared(files, ["a/b/c"]) == {}
    assert declared({".gitattributes": b"* linguist-generated\n"}, []) == {}
    with pytest.raises(GroundrulesError, match="git is not on PATH"):
        declared({".gitattributes": b"* linguist-generated\n"}, ["a"])
    assert os.listdir(os.environ["TMPDIR"]) == []


def test_a_folder_that_is_taken_is_left_alone(inside: Repository) -> None:
    taken = inside.path.parent / "tmp" / f"groundrules-attributes-{os.getpid()}-0"
    taken.symlink_to(inside.path)
    assert declared({".gitattributes": b"* linguist-generated\n"}, ["a"]) == {"a": True}
    assert taken.is_symlink()


def test_without_a_folder_for_temporary_files_another_is_used(
    inside: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "gone"))
    inside.commit(".gitattributes", "* linguist-generated\n")
    assert asked("a") == {"a": True}


def test_attributes_can_stand_in_each_folder_on_the_way() -> None:
    assert above(["a/b/c", "a/d", "e"]) == [".gitattributes", "a/b/.gitattributes", "a/.gitattributes"]


def test_git_itself_agrees(inside: Repository) -> None:
    inside.write(
        ".gitattributes", "*.go linguist-generated\n/web/** -linguist-generated\n[attr]m linguist-generated\n*.x m\n"
    )
    inside.write("web/.gitattributes", "*.ts linguist-generated=true\na/*.ts !linguist-generated\n")
    inside.commit()
    paths = ["a.go", "web/a.go", "web/a.ts", "web/a/b.ts", "web/a/b/c.ts", "b.x", "web/b.x", "c"]
    done = subprocess.run(
        ["git", "check-attr", "--cached", "linguist-generated", "--", *paths],
        capture_output=True,
        text=True,
        check=True,
    )
    values = {"set": True, "true": True, "unset": False}
    told = dict(line.split(": linguist-generated: ") for line in done.stdout.splitlines())
    assert asked(*paths) == {path: values[value] for path, value in told.items() if value in values}
