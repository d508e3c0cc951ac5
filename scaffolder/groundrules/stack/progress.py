"""Progress of a step that takes time: one line that a terminal redraws, nothing anywhere else."""

from __future__ import annotations

import os
import sys
import time

from groundrules_hooks.finding import say

QUIET = 0.3  # seconds that a step may take without a word


class Progress:
    """The line of one step, gone when the step ends."""

    def __init__(self, name: str, doing: str) -> None:
        self.text = f"  {name:<13} {doing}"
        self.start = time.monotonic()
        self.shown = 0

    @property
    def seconds(self) -> float:
        """How long the step has taken so far."""
        return time.monotonic() - self.start

    def tick(self) -> None:
        """Redraw the line, when a person looks and something changed."""
        tenths = int(self.seconds * 10)
        if self.seconds > QUIET and tenths != self.shown and sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            self.shown = tenths
            say(f"\r{self.text}, {tenths / 10:.1f} s\x1b[K", 2)

    def clear(self) -> None:
        """Take the line away."""
        if self.shown:
            say("\r\x1b[K", 2)
            self.shown = 0
