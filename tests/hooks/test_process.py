"""process.run: both pipes are drained at once, whatever a program writes or refuses to read."""

from __future__ import annotations

import os
import sys

import pytest

from groundrules_hooks.process import run

BIG = 300_000


def test_full_stderr_and_stdout_at_once_do_not_block() -> None:
    code = f"import os; os.write(2, b'e' * {BIG}); os.write(1, b'o' * {BIG}); raise SystemExit(3)"
    outcome = run([sys.executable, "-c", code], os.environ)
    assert (outcome.code, len(outcome.out), len(outcome.err)) == (3, BIG, BIG)


def test_program_that_echoes_more_than_a_pipe_holds() -> None:
    outcome = run(["cat"], os.environ, b"x" * BIG)
    assert outcome.out == b"x" * BIG


def test_program_that_reads_nothing_decides_by_its_code() -> None:
    assert run(["true"], os.environ, b"x" * BIG).code == 0


def test_killed_program_has_a_negative_code() -> None:
    assert run(["sh", "-c", "kill -9 $$"], os.environ).code == -9


def test_missing_program_leaks_no_descriptor() -> None:
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(FileNotFoundError):
        run(["no-such-program-of-ours"], os.environ)
    assert len(os.listdir("/proc/self/fd")) == before
