"""Killing: a script in a process of its own, which ends children before the n-th call that reaches the disk."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path
    from types import FrameType

SYSTEM = ("posix", "fcntl", "_io", "io", "_posixsubprocess")
KILLED = 9


def stop_before(step: int, writers: Collection[str]) -> Callable[[FrameType, str, object], None]:
    """Return a profile function that ends the process before call number `step` to the system by files of `writers`."""
    left = [step]

    def profile(frame: FrameType, event: str, called: object) -> None:
        if event == "c_call" and frame.f_code.co_filename in writers and _reaches_disk(called):
            left[0] -= 1
            if not left[0]:
                os._exit(KILLED)

    return profile


def _reaches_disk(called: object) -> bool:
    on_file = isinstance(getattr(called, "__self__", None), io.IOBase)
    return on_file or getattr(called, "__module__", None) in SYSTEM


def rows(script: str, *args: str, cwd: Path | None = None) -> list[Any]:
    """Run `script`, which prints one JSON document a line and can import what tests can; return them."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(
        [sys.executable, "-c", script, *args], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
