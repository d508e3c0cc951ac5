"""The lock of a repository, and files that are replaced whole or not at all."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.lock import Lock, make_folder, replace

if TYPE_CHECKING:
    from pathlib import Path

HOLD = """
import sys
from groundrules_hooks.lock import Lock
with Lock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def hold(common: Path) -> subprocess.Popen[bytes]:
    """Start a process that holds the lock until its stdin ends; return when it does."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(common)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    return holder


def end(holder: subprocess.Popen[bytes]) -> None:
    assert holder.stdin is not None
    assert holder.stdout is not None
    holder.stdin.close()
    holder.stdout.close()
    holder.wait()


# SLT-10
def test_waiting_ends_with_an_error_that_names_the_holder(tmp_path: Path) -> None:
    holder = hold(tmp_path)
    with pytest.raises(GroundrulesError) as caught, Lock(str(tmp_path), patience=0.02):
        pytest.fail("two processes hold the lock")
    assert str(holder.pid) in caught.value.why
    assert "nothing was changed" in caught.value.why
    assert caught.value.fix == f"ps -fp {holder.pid}"
    assert caught.value.what.startswith("waited 0 s for the lock")
    end(holder)
    with Lock(str(tmp_path), patience=0.0):
        assert (tmp_path / "groundrules" / "lock").read_text().strip() == str(os.getpid())


# SLT-16
def test_lock_of_a_killed_holder_is_free_at_once(tmp_path: Path) -> None:
    holder = hold(tmp_path)
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    with Lock(str(tmp_path), patience=0.0):
        pass
    end(holder)


def test_child_of_the_holder_does_not_keep_the_lock(tmp_path: Path) -> None:
    with Lock(str(tmp_path)):
        child = subprocess.Popen(["cat"], stdin=subprocess.PIPE, close_fds=False)
    with Lock(str(tmp_path), patience=0.0):
        pass
    child.communicate()


def test_lock_is_given_back_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), Lock(str(tmp_path)):
        raise ZeroDivisionError
    with Lock(str(tmp_path), patience=0.0):
        pass


def test_waiter_goes_on_when_the_holder_lets_go(tmp_path: Path) -> None:
    with Lock(str(tmp_path)):
        waiter = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(tmp_path)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
    assert waiter.communicate()[0] == b"held\n"


def test_replace_never_leaves_half_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "state"
    path.write_bytes(b"old")
    seen = []

    def rename(source: str, target: str) -> None:
        with open(source, "rb") as file:
            seen.append((file.read(), path.read_bytes(), target))
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "rename", rename)
    with pytest.raises(GroundrulesError, match="cannot write"):
        replace(str(path), b"new")
    assert seen == [(b"new", b"old", str(path))]
    assert (path.read_bytes(), os.listdir(tmp_path)) == (b"old", ["state"])


# DAT-02
def test_replace_does_not_follow_a_link(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_bytes(b"theirs")
    os.symlink(tmp_path / "theirs", tmp_path / "ours")
    replace(str(tmp_path / "ours"), b"ours")
    assert (tmp_path / "theirs").read_bytes() == b"theirs"
    assert not (tmp_path / "ours").is_symlink()


@pytest.mark.parametrize("name", ["file/inside", "folder"])
def test_unwritable_place_names_the_folder_to_open(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    with pytest.raises(GroundrulesError) as caught:
        replace(str(tmp_path / name), b"x")
    assert caught.value.what.startswith(f"cannot write {tmp_path / name}")
    assert "must be writable" in caught.value.why
    assert caught.value.fix == f"ls -ld {(tmp_path / name).parent}"
    with pytest.raises(GroundrulesError, match="cannot write"):
        make_folder(str(tmp_path / "file" / "inside"))
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


def test_lock_is_an_exclusive_flock_that_other_programs_can_test(tmp_path: Path) -> None:
    with Lock(str(tmp_path)), open(tmp_path / "groundrules" / "lock", "rb") as file, pytest.raises(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
