"""Progress: a line that a terminal redraws and that is gone afterwards; nothing in a file or a pipe."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from conftest import ROOT
from groundrules.stack.progress import Progress

CODE = """
from groundrules.stack import progress
progress.QUIET = -1.0
step = progress.Progress("web", "starting")
step.start -= 1.23
step.tick()
step.tick()
step.clear()
step.clear()
"""


@pytest.mark.parametrize(
    ("term", "expected"), [("xterm", b"\r  web           starting, 1.2 s\x1b[K\r\x1b[Kend"), ("dumb", b"end")]
)
def test_terminal_sees_one_line_that_goes_away(term: str, expected: bytes) -> None:
    master, terminal = pty.openpty()
    env = {**os.environ, "TERM": term, "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder"}
    subprocess.run([sys.executable, "-c", CODE], env=env, stderr=terminal, check=True)
    os.write(terminal, b"end")
    os.close(terminal)
    seen = b""
    while not seen.endswith(b"end"):
        seen += os.read(master, 1000)
    assert seen == expected
    os.close(master)


def test_pipe_sees_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    progress = Progress("web", "starting")
    progress.start -= 5
    progress.tick()
    progress.clear()
    assert capfd.readouterr() == ("", "")
    assert progress.seconds > 4
