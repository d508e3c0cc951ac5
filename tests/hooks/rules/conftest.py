"""What tests of rules share: judging the commit in progress as the hook does, and pasting the fix it prints."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, NamedTuple

import pytest

from groundrules_hooks import pre_commit

if TYPE_CHECKING:
    from collections.abc import Callable


class Verdict(NamedTuple):
    """What the hook printed: the lines of findings, and those of the block of fixes."""

    findings: list[str]
    fixes: list[str]


class Author:
    """A person who commits in the current directory and pastes what the hook prints."""

    def __init__(self, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.capfd = capfd
        self.monkeypatch = monkeypatch

    def commit(self) -> Verdict:
        """Run pre-commit as git would. Its exit code must fit what it prints."""
        self.capfd.readouterr()
        code = pre_commit.main([])
        said = self.capfd.readouterr().out
        assert code == (1 if said else 0), said
        above, _, below = said.partition("\n\nTo fix:\n")
        return Verdict(above.splitlines(), [line.removeprefix("    ") for line in below.splitlines()])

    def paste(self, command: str) -> None:
        """Run `command` in a shell and stay in the directory where it ends."""
        done = subprocess.run(["sh", "-c", f"set -e\n{command}\npwd"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        self.monkeypatch.chdir(done.stdout.rstrip("\n").rpartition("\n")[2])


@pytest.fixture
def author(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Author:
    return Author(capfd, monkeypatch)


@pytest.fixture
def mended(author: Author) -> Callable[[], str]:
    """Expect one finding, paste the last line of its fix, and expect the commit to pass; return the finding."""

    def mended() -> str:
        verdict = author.commit()
        (finding,) = verdict.findings
        author.paste(verdict.fixes[-1])
        assert author.commit() == Verdict([], [])
        return finding

    return mended
