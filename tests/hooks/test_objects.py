"""Objects: contents come as they are stored, many at once, through one process that ends with its reader."""

from __future__ import annotations

import os
import random
import signal
import zlib
from typing import TYPE_CHECKING

import pytest

from groundrules_hooks.git import GitError
from groundrules_hooks.objects import Objects

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Repository


@pytest.fixture
def inside(shop: Repository, enter: Callable[[Repository], None]) -> Repository:
    enter(shop)
    return shop


def test_contents_larger_than_any_pipe_come_in_the_order_asked(inside: Repository) -> None:
    # HYG-13
    texts = [bytes([number % 256]) * (number * 997 % 300_000) + b"\n" for number in range(400)]
    for number, text in enumerate(texts):
        inside.write(f"f{number}", text)
    inside.commit("last")
    names = [f"HEAD:f{number}".encode() for number in range(400)]
    objects = Objects()
    assert objects.read(names) == texts
    assert objects.read(names[::-1]) == texts[::-1]
    assert objects.read([]) == []


def test_what_was_read_is_kept_for_the_next_that_asks(inside: Repository) -> None:
    name = inside.git("rev-parse", "HEAD:CLAUDE.md")
    objects = Objects()
    assert objects.read([name.encode()] * 2) == [b"@AGENTS.md\n"] * 2
    (inside.path / ".git/objects" / name[:2] / name[2:]).unlink()
    assert objects.read([name.encode()]) == [b"@AGENTS.md\n"]
    assert objects.read([name.encode()], b"tree") == [None], "kept by kind"


@pytest.fixture
def loose(inside: Repository) -> tuple[Objects, bytes, Path]:
    """A reader of loose objects, the id of a blob, and the file that holds it."""
    oid = inside.git("rev-parse", "HEAD:CLAUDE.md")
    return Objects(f"{inside.path}/.git/objects"), oid.encode(), inside.path / ".git/objects" / oid[:2] / oid[2:]


def test_loose_objects_are_read_without_git(loose: tuple[Objects, bytes, Path], inside: Repository) -> None:
    objects, oid, _ = loose
    tree = inside.git("rev-parse", "HEAD^{tree}").encode()
    assert objects.read([oid, tree]) == [b"@AGENTS.md\n", None]
    assert objects.read([oid, tree], b"tree")[0] is None
    assert (objects.read([tree], b"tree")[0] or b"").startswith(b"100644 AGENTS.md\0")
    assert not objects._git._pid  # noqa: SLF001 (the child that was not needed)


def test_packed_objects_and_paths_are_read_by_git_in_between(loose: tuple[Objects, bytes, Path]) -> None:
    objects, oid, file = loose
    names = [b"HEAD:CLAUDE.md", oid, b"0" * 40, oid, b"HEAD:none", oid]
    expected = [b"@AGENTS.md\n" if name in (names[0], oid) else None for name in names]
    assert objects.read(names) == expected
    file.unlink()
    assert objects.read(names) == expected, "kept"


def test_object_that_is_packed_meanwhile_is_read_by_git(loose: tuple[Objects, bytes, Path], inside: Repository) -> None:
    objects, oid, file = loose
    some = objects.each([oid])
    inside.git("repack", "-adq")
    file.unlink(missing_ok=True)
    assert list(some) == [b"@AGENTS.md\n"]


def test_damaged_object_is_git_s_to_tell(loose: tuple[Objects, bytes, Path]) -> None:
    objects, oid, file = loose
    file.chmod(0o644)
    file.write_bytes(b"no object")
    assert objects.read([oid]) == [None], "missing, says git"
    noise = random.Random(1).randbytes(30_000)  # noqa: S311 (what does not compress)
    file.write_bytes(zlib.compress(b"blob 30000\0" + noise)[:20_000])
    fresh = Objects(str(file.parent.parent))
    with pytest.raises(GitError, match="ended early"):
        fresh.read([oid])


@pytest.mark.parametrize("room", [0, 5, 30, 1 << 20])
def test_what_was_read_long_ago_is_read_again(inside: Repository, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    monkeypatch.setattr("groundrules_hooks.objects.HELD", room)
    for number in range(9):
        inside.write(f"f{number}", "x" * number)
    inside.git("add", "-A")
    oids = [inside.git("rev-parse", f":f{number}").encode() for number in range(9)]
    for objects in (Objects(), Objects(f"{inside.path}/.git/objects")):
        for _ in range(2):
            assert objects.read([*oids, *oids[::-1]]) == [b"x" * number for number in (*range(9), *range(8, -1, -1))]
            assert objects.read(oids[:2]) == [b"", b"x"]


def test_what_is_kept_has_bounds(inside: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("groundrules_hooks.objects.HELD", 200)
    for number in range(20):
        inside.write(f"f{number}", "x" * 100)
    inside.git("add", "-A")
    objects = Objects()
    for number in range(20):
        name = f":f{number}".encode()
        assert objects.read([name]) == objects.read([name]) == [b"x" * 100]
        assert len(objects._held) <= 2  # noqa: SLF001 (what must not grow)


def test_who_stops_early_or_asks_meanwhile_mixes_nothing_up(inside: Repository) -> None:
    inside.write("other", "other\n")
    inside.commit("last")
    index = (inside.path / "AGENTS.md").read_bytes()
    objects = Objects()
    some = objects.each([b"HEAD:CLAUDE.md", b"HEAD:last"])
    assert next(some) == b"@AGENTS.md\n"
    assert objects.read([b"HEAD:other"]) == [b"other\n"]
    assert len(list(some)) == 1
    assert any(objects.each([b"HEAD:CLAUDE.md", b"HEAD:other", b"HEAD:last"]))
    assert objects.read([b"HEAD:AGENTS.md"]) == [index]


def test_many_that_ask_in_turn_never_wait_for_each_other(inside: Repository) -> None:
    texts = [b"%d" % number * 5000 for number in range(150)]
    for number, text in enumerate(texts):
        inside.write(f"f{number}", text)
    inside.commit("later")
    objects = Objects()
    names = [f"HEAD:f{number}".encode() for number in range(150)]
    askers = [objects.each(names[start:]) for start in range(0, 150, 5)]
    for asker, start in zip(askers, range(0, 150, 5), strict=True):
        assert next(asker) == texts[start]
    assert [list(asker) for asker in askers] == [texts[start + 1 :] for start in range(0, 150, 5)]


def test_git_that_ends_early_is_told_to_all_that_asked(inside: Repository) -> None:
    inside.write("large", b"large\n" * 1_000_000)
    inside.commit("last")
    objects = Objects()
    some = objects.each([b"HEAD:CLAUDE.md", b"HEAD:large"])
    assert next(some) == b"@AGENTS.md\n"
    os.kill(objects._git._pid, signal.SIGKILL)  # noqa: SLF001 (the child that ends)
    with pytest.raises(GitError):
        objects.read([b"HEAD:AGENTS.md"])
    with pytest.raises(GitError):
        next(some)


def test_what_is_missing_or_no_blob_is_none(inside: Repository) -> None:
    long = f"HEAD:{'x/' * 3000}x".encode()
    names = [b"HEAD:AGENTS.md", b"0" * 40, b"HEAD:no\nsuch\nfile", long, b"HEAD:", b"HEAD:AGENTS.md"]
    found = Objects().read(names)
    assert found[1:5] == [None] * 4
    assert found[0] == found[5] == (inside.path / "AGENTS.md").read_bytes()


def test_the_reader_leaves_no_process_and_no_descriptor(inside: Repository) -> None:
    before = os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else []
    objects = Objects()
    assert objects.read([b"HEAD:CLAUDE.md"]) == [b"@AGENTS.md\n"]
    pid = objects._git._pid  # noqa: SLF001 (the child that must be gone)
    del objects
    with pytest.raises(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
    assert (os.listdir("/proc/self/fd") if before else []) == before
    assert inside.git("status", "--porcelain") == ""


def test_a_place_without_a_repository_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GitError, match="ended early"):
        Objects().read([b"HEAD:x"])


def test_trees_are_read_where_they_are_asked_for(inside: Repository) -> None:
    tree, blob = Objects().read([b"HEAD:", b"HEAD:AGENTS.md"], b"tree")
    assert (tree or b"").startswith(b"100644 AGENTS.md\0")
    assert blob is None
    assert inside.git("cat-file", "-t", "HEAD:") == "tree"
