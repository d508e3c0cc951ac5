"""Tree: index and commit answer alike what files they hold, whatever the names and wherever they are asked from."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundrules_hooks.change import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import Repository


@pytest.fixture
def inside(shop: Repository, enter: Callable[[Repository], None]) -> Repository:
    enter(shop)
    return shop


@pytest.mark.parametrize("name", ["x blob", "oid blob 5", "a\nb blob 3\nc", "a missing"])
def test_a_missing_file_never_shifts_the_next_one(inside: Repository, name: str) -> None:
    inside.commit("there", "text\n")
    for tree in (Tree("HEAD"), Tree("HEAD^{tree}")):
        assert tree.read(name, "there", f"{name}2", "CLAUDE.md") == {"there": b"text\n", "CLAUDE.md": b"@AGENTS.md\n"}


def test_the_index_is_read_from_the_root_wherever_the_command_was_called(
    inside: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    # ENV-01
    inside.commit("docs/agents/page.md")
    monkeypatch.chdir(inside.path / "docs")
    for tree in (Tree("HEAD"), Tree("HEAD^{tree}")):
        assert tree.files("docs/agents") == ["docs/agents/page.md"]
        assert "AGENTS.md" in tree.files()
        assert tree.has("docs/agents", "AGENTS.md", "agents") == {"docs/agents", "AGENTS.md"}
        assert tree.read("CLAUDE.md", "agents/page.md") == {"CLAUDE.md": b"@AGENTS.md\n"}


@pytest.mark.usefixtures("inside")
@pytest.mark.parametrize("path", ["../outside", "../../issues", "/etc/passwd", ".", "/", "docs/../../x"])
def test_what_lies_outside_the_root_is_not_there(path: str) -> None:
    for tree in (Tree("HEAD"), Tree("HEAD^{tree}")):
        assert tree.has(path, "AGENTS.md") == {"AGENTS.md"}


PART = st.binary(min_size=1, max_size=6).filter(lambda part: not set(part) & set(b"\0/")).map(os.fsdecode)
SIMPLE = st.text('ab.-:* \n"\udce9', min_size=1, max_size=3)
NAME = st.lists(PART | SIMPLE | SIMPLE, min_size=1, max_size=3).filter(
    lambda parts: not any(part in (".", "..") or part.lower() == ".git" for part in parts)
)


def _agreeing(paths: list[str]) -> Iterator[str]:
    """Yield those paths that can exist together: none is a folder of another."""
    taken: set[str] = set()
    for path in paths:
        if not any(path == other or path.startswith(f"{other}/") or other.startswith(f"{path}/") for other in taken):
            taken.add(path)
            yield path


@settings(max_examples=40, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(parts=st.lists(NAME, max_size=6))
def test_index_and_commit_agree_with_a_slow_reading(inside: Repository, parts: list[list[str]]) -> None:
    files = {
        path: f"{path}\nof {path}".encode("utf-8", "surrogateescape") for path in _agreeing(list(map("/".join, parts)))
    }
    _fill(inside, files)
    folders = {path.rsplit("/", cut)[0] for path in files for cut in (1, 2)}
    asked = sorted({*files, *folders, *(f"{path}x" for path in files), *(path[:-1] for path in files), "x blob"} - {""})
    asked = [path for path in asked if not path.startswith("/") and not path.endswith("/")]
    there = {path for path in asked if any(file == path or file.startswith(f"{path}/") for file in files)}
    for tree in (Tree(inside.git("write-tree")),):
        assert tree.read(*asked) == {path: files[path] for path in asked if path in files}
        assert tree.has(*asked) == {path for path in there if not {".", ".."} & set(path.split("/"))}
        assert sorted(tree.files()) == sorted(files)
        for folder in sorted(folders)[:2]:
            below = [file for file in files if file == folder or file.startswith(f"{folder}/")]
            assert sorted(tree.files(folder)) == sorted(below)


def _fill(repository: Repository, files: dict[str, bytes]) -> None:
    """Make the index hold exactly `files`, without a disk that may refuse the names."""
    repository.git("-c", "core.protectNTFS=false", "read-tree", "--empty")
    marks = repository.path.parent / "marks"
    blobs = b"".join(b"blob\nmark :%d\ndata %d\n%s\n" % (n, len(c), c) for n, c in enumerate(files.values(), 1))
    if files:
        _feed(repository, blobs, "fast-import", "--quiet", f"--export-marks={marks}")
        oids = dict(line.split() for line in marks.read_text().splitlines())
        rows = [b"100644 %s\t%s\0" % (oids[f":{n}"].encode(), os.fsencode(path)) for n, path in enumerate(files, 1)]
        _feed(repository, b"".join(rows), "-c", "core.protectNTFS=false", "update-index", "-z", "--index-info")


def _feed(repository: Repository, stdin: bytes, *args: str) -> None:
    subprocess.run(["git", *args], cwd=repository.path, input=stdin, check=True, capture_output=True)
