"""The console: narration on stderr, answers on stdout, colour for a person at a terminal only."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT
from groundrules import console

if TYPE_CHECKING:
    from pathlib import Path


def test_narration_is_one_line_on_stderr_without_colour(capfd: pytest.CaptureFixture[str]) -> None:
    console.narrate(console.WARNING, "take care")
    console.step(console.DONE, "git", "done")
    assert capfd.readouterr() == ("", "▲ take care\n✓ git           done\n")


def test_answer_is_one_json_document_on_stdout(capfd: pytest.CaptureFixture[str]) -> None:
    console.answer({"schema_version": 1, "name": "größe"})
    out, err = capfd.readouterr()
    assert (json.loads(out), err) == ({"schema_version": 1, "name": "größe"}, "")
    assert "größe" in out


def test_answer_is_json_whatever_bytes_a_path_has(capfd: pytest.CaptureFixture[str]) -> None:
    console.answer({"path": os.fsdecode(b"gr\xf6\xdfe \\xf6")})
    assert json.loads(capfd.readouterr().out) == {"path": r"gr\xf6\xdfe \xf6"}


@pytest.mark.parametrize(
    ("setting", "expected"), [("", b"\x1b[33m\xe2\x96\xb2\x1b[0m look"), ("1", b"\xe2\x96\xb2 look")]
)
def test_colour_is_for_a_terminal_and_no_color_is_honoured(setting: str, expected: bytes) -> None:
    master, terminal = pty.openpty()
    code = "from groundrules import console; console.narrate(console.WARNING, 'look')"
    env = {**os.environ, "NO_COLOR": setting, "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder"}
    subprocess.run([sys.executable, "-c", code], env=env, stderr=terminal, check=True)
    os.close(terminal)
    assert os.read(master, 1000).rstrip(b"\r\n") == expected
    os.close(master)


def test_reader_that_went_away_changes_no_exit_code(tmp_path: Path) -> None:
    # PCO-04
    read, write = os.pipe()
    os.close(read)
    env = {**os.environ, "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder"}
    argv = [sys.executable, "-m", "groundrules", "rules"]
    done = subprocess.run(argv, cwd=tmp_path, env=env, stdout=write, stderr=write, check=False)
    os.close(write)
    assert done.returncode == 0
