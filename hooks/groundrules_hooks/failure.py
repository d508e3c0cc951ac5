"""The one exception of this product: what happened, why, and what to type."""

from __future__ import annotations

import os

FINDINGS = 1
BAD_USE = 2
DEFECT = 70


def _callable(command: str) -> str:
    """Return `command` as it can be typed here: a repository's own wrapper says how it was called."""
    name = os.environ.get("GROUNDRULES_CALLED", "groundrules")
    parts = command.split(" && ")
    return " && ".join(f"{name}{part[11:]}" if part.startswith("groundrules ") else part for part in parts)


class GroundrulesError(Exception):
    """A state that a person can mend. Printed once, at the top; `code` is the exit code of the process."""

    def __init__(self, what: str, *, why: str = "", fix: str = "", code: int = BAD_USE) -> None:
        super().__init__(what)
        self.what = what
        self.why = why
        self.fix = fix
        self.code = code

    def __str__(self) -> str:
        lines = [f"groundrules: {self.what}"]
        lines += [f"  {line}" for line in self.why.splitlines()]
        if self.fix:
            lines += ["", "To fix:", *(f"    {_callable(line)}" for line in self.fix.splitlines())]
        return "\n".join(lines)
