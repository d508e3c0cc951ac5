"""`groundrules hooks`: by the real runners, believed only when a hook has run, refused where none ever would."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Repository
    from scaffolder.conftest import Answer

BESIDE = os.path.dirname(sys.executable)
RUNNERS = ("prek", "pre-commit")
STAGES = ("post-checkout", "pre-commit", "commit-msg", "pre-push")
# Hooks that need no environment: the runners are real, and nothing is fetched.
CONFIG = """default_install_hook_types: [pre-commit, commit-msg, post-checkout, pre-push]
repos:
  - repo: local
    hooks:
      - {id: seen, name: seen, language: system, entry: sh -c 'echo "$PWD" >>"$SEEN"', always_run: true,
         pass_filenames: false, stages: [pre-commit, post-checkout]}
"""


@pytest.fixture
def only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Put no other hook runner on PATH than the one named."""

    def only(name: str) -> None:
        folder = tmp_path / f"tools {name}"
        folder.mkdir(exist_ok=True)
        if name:
            (folder / name).unlink(missing_ok=True)
            (folder / name).symlink_to(f"{BESIDE}/{name}")
        rest = [
            path
            for path in os.environ["PATH"].split(os.pathsep)
            if not any(os.path.exists(f"{path}/{other}") for other in RUNNERS)
        ]
        monkeypatch.setenv("PATH", os.pathsep.join([str(folder), *rest]))
        assert all((shutil.which(other) is not None) == (other == name) for other in RUNNERS)

    monkeypatch.setenv("SEEN", str(tmp_path / "seen"))
    return only


@pytest.fixture
def local(shop: Repository) -> Repository:
    """A repository whose hook configuration holds a local hook only."""
    shop.commit(".pre-commit-config.yaml", CONFIG, "Add a hook")
    return shop


@pytest.mark.parametrize("name", [*RUNNERS, ""])
def test_installed_once_the_hooks_run_in_every_worktree(
    run: Callable[..., Answer], local: Repository, only: Callable[[str], None], tmp_path: Path, name: str
) -> None:
    # WTC-04, ENV-06
    only(name)
    code, out, err = run(local, "hooks")
    assert (code, out) == (0, "")
    assert err == f"✓ hooks         {', '.join(STAGES)} ({name or 'pre-commit'})\n"
    assert set(os.listdir(local.path / ".git/hooks")) >= set(STAGES)
    assert (tmp_path / "seen").read_text().splitlines() == [os.path.realpath(local.path)], "one has really run"
    work = local.worktree("task/T1-cart", where="wörk tree")
    work.write("new")
    work.git("add", "-A")
    work.git("commit", "-q", "-m", "Add a file")
    assert set((tmp_path / "seen").read_text().splitlines()[1:]) == {os.path.realpath(work.path)}
    assert run(work, "hooks").code == 0, "again, and from a linked worktree"


@pytest.mark.parametrize("name", RUNNERS)
def test_a_checkout_of_files_sets_no_edit_aside_and_fails_in_no_conflict(
    run: Callable[..., Answer], local: Repository, only: Callable[[str], None], tmp_path: Path, name: str
) -> None:
    only(name)
    for path in ("edited", "clash"):
        local.commit(path, "ours\n")
    assert run(local, "hooks").code == 0
    local.git("switch", "-q", "-c", "theirs", "HEAD~1")
    local.commit("clash", "theirs\n")
    local.git("switch", "-q", "main")
    seen = (tmp_path / "seen").read_text().count("\n")
    local.write("edited", "since\n")
    before = (local.path / "edited").stat()
    local.write("clash", "more\n")
    local.git("add", "clash")
    assert local.git("restore", "--staged", "--worktree", "clash") == ""
    assert (local.path / "edited").stat().st_mtime_ns == before.st_mtime_ns
    local.git("merge", "-q", "theirs", code=1)
    local.git("checkout", "--theirs", "clash")
    assert (local.path / "clash").read_text() == "theirs\n"
    assert (tmp_path / "seen").read_text().count("\n") == seen


def test_prek_is_preferred(
    run: Callable[..., Answer], local: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEEN", str(tmp_path / "seen"))
    monkeypatch.setenv("PATH", f"{BESIDE}{os.pathsep}{os.environ['PATH']}")
    assert run(local, "hooks").err.endswith("(prek)\n")


@pytest.mark.parametrize("name", RUNNERS)
@pytest.mark.parametrize("scope", ["local", "global"])
def test_hooks_path_that_leads_nowhere_is_refused_with_its_value_and_the_way_out(
    run: Callable[..., Answer],
    local: Repository,
    only: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    scope: str,
) -> None:
    # ENV-12, ENV-14, ENV-16
    only(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(local.path.parent / "gitconfig"))
    value = ".husky/_" if scope == "local" else "/no/such/folder"
    local.git("config", f"--{scope}", "core.hooksPath", value)
    code, out, err = run(local, "hooks")
    assert (code, out) == (2, "")
    assert f"core.hooksPath is {value}" in err.splitlines()[0]
    assert err.rstrip().endswith(f"git config --{scope} --unset-all core.hooksPath\n    tools/groundrules hooks")
    assert not (local.path / ".husky").exists()
    assert not set(STAGES) & set(os.listdir(local.path / ".git/hooks") if (local.path / ".git/hooks").exists() else [])
    local.git("config", f"--{scope}", "--unset-all", "core.hooksPath")
    assert run(local, "hooks").code == 0


def test_folder_of_hooks_that_every_worktree_sees_is_used(
    run: Callable[..., Answer], local: Repository, only: Callable[[str], None], tmp_path: Path
) -> None:
    # ENV-14: prek installs into a path that the repository itself configures
    only("prek")
    local.git("config", "core.hooksPath", str(tmp_path / "hooks"))
    assert run(local, "hooks").code == 0
    assert set(os.listdir(tmp_path / "hooks")) == set(STAGES)


def test_stage_that_is_not_installed_is_named(
    run: Callable[..., Answer], local: Repository, only: Callable[[str], None]
) -> None:
    only("prek")
    local.commit(".pre-commit-config.yaml", CONFIG.replace(", pre-push]\nrepos", "]\nrepos"))
    code, out, err = run(local, "hooks")
    assert (code, out) == (2, "")
    assert err.startswith("groundrules: the installed hooks do not run: pre-push not installed")


def test_runner_that_installs_nothing_that_runs_is_not_believed(
    run: Callable[..., Answer], local: Repository, runner: Path
) -> None:
    # ENV-14
    runner.write_text(runner.read_text() + 'printf "#!/bin/sh\\necho broken >&2; exit 3\\n" >"$hooks/post-checkout"\n')
    code, out, err = run(local, "hooks")
    assert (code, out) == (2, "")
    assert "the installed hooks do not run: post-checkout ended with 3\n  broken\n" in err
    assert "✓" not in err


def test_configuration_that_the_runner_cannot_read_is_quoted(
    run: Callable[..., Answer], local: Repository, only: Callable[[str], None]
) -> None:
    # ROL-03
    only("pre-commit")
    local.write(".pre-commit-config.yaml", "repos: [\n")
    code, _, err = run(local, "hooks")
    assert code == 2
    assert err.startswith("groundrules: `pre-commit install")
    assert "the hooks are as they were" in err
    assert "InvalidConfigError" in err


def test_repository_without_hook_configuration_is_named(run: Callable[..., Answer], shop: Repository) -> None:
    code, _, err = run(shop, "hooks")
    assert code == 2
    assert err.startswith(f"groundrules: {os.path.realpath(shop.path)} has no .pre-commit-config.yaml")


@pytest.mark.parametrize(("first", "second"), [("prek", "pre-commit"), ("pre-commit", "prek")])
def test_another_runner_takes_over_and_hooks_of_a_person_stay(
    run: Callable[..., Answer], local: Repository, only: Callable[[str], None], first: str, second: str
) -> None:
    own = local.path / ".git" / "hooks" / "pre-commit"
    own.parent.mkdir(exist_ok=True)
    own.write_text("#!/bin/sh\necho mine >> said\n")
    own.chmod(0o755)
    for runner in (first, second, first):
        only(runner)
        code, _, err = run(local, "hooks")
        assert (code, err.rstrip().endswith(f"({runner})")) == (0, True), err
    local.git("commit", "-q", "--allow-empty", "-m", "Change")
    assert (local.path / "said").read_text() == "mine\n"
