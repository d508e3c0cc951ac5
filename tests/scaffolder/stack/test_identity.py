"""Processes are known by number and start, zombies are dead, and strays are found by their mark."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

from groundrules.stack import identity
from groundrules.stack.identity import Identity

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

MARK = "/a folder/web"


def start(*argv: str, session: bool = False, **env: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        argv, start_new_session=session, env={**os.environ, **env}, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


def test_another_process_with_the_same_number_is_somebody_else() -> None:
    own = identity.of(os.getpid())
    assert own is not None
    assert identity.is_alive(own)
    assert not identity.is_alive(Identity(own.pid, "1"))
    assert "python" in identity.command(own.pid) or "pytest" in identity.command(own.pid)


def test_zombie_is_dead() -> None:
    child = start("cat")
    found = identity.of(child.pid)
    assert found is not None
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    seen = identity.look(child.pid)
    assert seen is not None
    assert (seen.state, identity.of(child.pid), identity.is_alive(found)) == ("Z", None, False)
    child.communicate()
    assert identity.look(child.pid) is None


def test_name_of_a_program_may_hold_parentheses_and_spaces(tmp_path: Path) -> None:
    path = tmp_path / "a) S 1 (b"
    shutil.copy(shutil.which("cat") or "", path)
    child = start(str(path))
    seen = identity.look(child.pid)
    assert seen is not None
    assert (seen.parent, seen.group) == (os.getpid(), os.getpgrp())
    child.communicate()


def test_without_proc_the_same_is_asked_of_ps(monkeypatch: pytest.MonkeyPatch) -> None:
    child = start("cat", session=True)
    monkeypatch.setattr(identity, "PROC", "/nowhere")
    found = identity.of(child.pid)
    assert found is not None
    assert identity.is_alive(found)
    assert list(identity.members(found, MARK)) == [child.pid]
    child.communicate()
    assert not identity.is_alive(found)
    assert (identity.command(child.pid), identity.mark_of(child.pid)) == ("", "")


def test_members_are_the_session_and_what_carries_the_mark() -> None:
    # A child of the leader, and one that left for a session of its own; a stranger has neither session nor mark.
    script = (
        "import subprocess; [subprocess.Popen(['cat'], start_new_session=new) for new in (0, 1)];"
        "print(1, flush=True); input()"
    )
    leader = start(sys.executable, "-c", script, session=True, **{identity.MARK: MARK})
    stranger = start("cat")
    assert leader.stdout is not None
    leader.stdout.readline()
    found = identity.of(leader.pid)
    assert found is not None
    everyone = set(identity.members(found, MARK))
    assert len(everyone) == 3
    assert leader.pid in everyone
    assert stranger.pid not in everyone
    assert len(set(identity.members(found, ""))) == 2, "without the mark only the session"
    leader.kill()
    leader.wait()
    orphans = set(identity.members(found, MARK))
    assert orphans == everyone - {leader.pid}
    assert not list(identity.members(found, "")), "the session of a dead leader may be somebody else's"
    for pid in orphans:
        os.kill(pid, signal.SIGKILL)
    leader.communicate()
    stranger.communicate()
