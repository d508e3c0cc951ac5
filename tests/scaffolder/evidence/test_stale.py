"""No sequence of commits, edits and rewritten history makes a result count for content that it did not run on."""

from __future__ import annotations

import io
import itertools
import os
import shutil
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from conftest import Repository, forget
from groundrules.evidence import store
from groundrules.evidence.run import run_check
from groundrules_hooks import account, slot
from groundrules_hooks.config import of_worktree
from groundrules_hooks.evidence import PASSED
from groundrules_hooks.worktree import Worktree, locate

if TYPE_CHECKING:
    import pytest

Contents = dict[str, tuple[bool, bytes]]
FILES = ("a.py", "src/b.py", "new.txt")


class History(RuleBasedStateMachine):
    """A task's branch, and what its check has really run on: compared file by file, without a hash."""

    built: Path

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="history-"))
        shutil.copytree(self.built, self.folder / "shop", symlinks=True)
        self.repository = Repository(self.folder / "shop")
        self.repository.git("switch", "-qc", "task/T1-x")
        self.repository.commit("a.py", "0\n")
        os.chdir(self.repository.path)
        self.proved: list[Contents] = []
        self.numbers = itertools.count(1)

    def teardown(self) -> None:
        os.chdir("/")
        forget(self.repository.path / ".git")
        shutil.rmtree(self.folder)

    def here(self) -> Worktree:
        found = locate()
        assert found is not None
        return found

    def commits(self) -> int:
        return int(self.repository.git("rev-list", "--count", "main..HEAD"))

    def settled(self) -> bool:
        """Whether every edit is committed, hidden ones too, so that history can be rewritten."""
        return self.on_disk() == self.committed()

    def committed(self) -> Contents:
        """Return what the commit holds, read from an archive of it."""
        path = self.folder / "archive.tar"
        self.repository.git("archive", "--format=tar", "-o", str(path), "HEAD")
        with tarfile.open(fileobj=io.BytesIO(path.read_bytes())) as archive:
            files = [(each, archive.extractfile(each)) for each in archive.getmembers() if each.isfile()]
            found = {each.name: (bool(each.mode & 0o100), file.read()) for each, file in files if file}
        return {name: content for name, content in found.items() if not name.startswith("evidence/")}

    def on_disk(self) -> Contents:
        """Return what lies on disk, read file by file."""
        root = self.repository.path
        paths = [path for path in root.rglob("*") if path.is_file() and ".git" not in path.relative_to(root).parts]
        found = {str(path.relative_to(root)): (os.access(path, os.X_OK), path.read_bytes()) for path in paths}
        return {name: content for name, content in found.items() if not name.startswith(("evidence/", ".slot.env"))}

    @rule(name=st.sampled_from(FILES), content=st.integers(0, 2))
    def edit(self, name: str, content: int) -> None:
        self.repository.write(name, f"{content}\n")

    @rule(name=st.sampled_from(FILES))
    def remove(self, name: str) -> None:
        (self.repository.path / name).unlink(missing_ok=True)

    @rule(name=st.sampled_from(FILES))
    def make_executable(self, name: str) -> None:
        if (self.repository.path / name).exists():
            (self.repository.path / name).chmod(0o755)

    @rule(name=st.sampled_from(FILES))
    def hide_the_next_edits(self, name: str) -> None:
        self.repository.git("update-index", "--assume-unchanged", name, code=None)

    @rule(everything=st.booleans())
    def commit(self, everything: bool) -> None:  # noqa: FBT001 (hypothesis passes by name)
        self.repository.git("update-index", "--really-refresh", code=None)
        self.repository.git("add", "-A" if everything else "a.py", code=None)
        self.repository.git("commit", "-q", "--allow-empty", "-m", f"Change {next(self.numbers)}")

    @rule()
    def amend(self) -> None:
        self.repository.git("commit", "-qa", "--amend", "--allow-empty", "-m", f"Amend {next(self.numbers)}")

    @rule()
    def add_evidence(self) -> None:
        self.repository.write("evidence/T1/note.md", f"{next(self.numbers)}\n")
        self.repository.git("add", "evidence")
        self.repository.git("commit", "-q", "-m", "Add a note", "--", "evidence")

    @precondition(settled)
    @rule()
    def revert(self) -> None:
        self.repository.git("reset", "-q")
        self.repository.git("revert", "--no-edit", "HEAD", code=None)
        self.repository.git("reset", "-q", "--hard")  # where it conflicts or is empty

    @precondition(lambda self: self.settled() and self.commits() > 1)
    @rule()
    def squash(self) -> None:
        self.repository.git("reset", "-q", "--soft", "HEAD~2")
        self.repository.git("commit", "-q", "--allow-empty", "-m", f"Squash {next(self.numbers)}")

    @precondition(settled)
    @rule(name=st.sampled_from((*FILES[1:], "other")))
    def rebase(self, name: str) -> None:
        self.repository.git("reset", "-q", "--hard")
        self.repository.git("switch", "-q", "main")
        self.repository.commit(name, f"{next(self.numbers)}\n")
        self.repository.git("switch", "-q", "task/T1-x")
        if "CONFLICT" in self.repository.git("rebase", "-q", "main", code=None):
            self.repository.git("rebase", "--abort")

    @rule()
    def check(self) -> None:
        here = self.here()
        config = of_worktree(here)
        assert config is not None
        record = run_check(config.checks[0], here, slot.values(here, config, 0))
        assert record["result"] == PASSED
        self.proved.append(self.on_disk())

    @invariant()
    def a_result_counts_for_what_it_ran_on_and_nothing_else(self) -> None:
        here = self.here()
        config = of_worktree(here)
        assert config is not None
        main = self.repository.git("merge-base", "main", "HEAD")
        told = account.of("T1", here.head or "", main, main, config, store.records(here))
        for result in told.required:
            assert (result.outcome == PASSED) == (self.committed() in self.proved), result


def test_no_stale_result_counts(shop: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shop.path)
    shop.commit("groundrules.toml", '[[check]]\nname = "unit"\nrun = ["true"]\n')
    machine: Any = type("Machine", (History,), {"built": shop.path})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=8, stateful_step_count=14, deadline=None, database=None, phases=[Phase.generate]
        ),
    )
