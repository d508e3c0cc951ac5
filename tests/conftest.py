"""Fixtures for all tests: an isolated machine, and repositories that are built once and copied."""

from __future__ import annotations

import glob
import os
import shutil
import signal
import subprocess
import sys
from itertools import count
from typing import TYPE_CHECKING
from zlib import crc32

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HOOKS = f"{ROOT}/tests/hooks"
IDENTITY = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
}
HOMES = count()
CONFIG = '[ports]\nweb = 3000\napi = 8000\n\n[tasks]\ntarget = "main"\n'


# A shell starts what runs behind it with Ctrl-C ignored, which programs inherit: those that tests interrupt obey it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--every", action="store_true", help="take each combination of answers through its first day")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Hand the many short tests of the hooks out by file: to hand out one takes as long as most of them do."""
    for item in items:
        if item.path.is_relative_to(HOOKS) and not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name a long value after its argument: pytest writes the name of a test into the environment, which has limits."""
    return argname if isinstance(val, (str, bytes)) and len(val) > 1000 else None


@pytest.fixture(autouse=True)
def _machine(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test a home of its own, and git no settings but those of the test."""
    home = tmp_path_factory.getbasetemp() / "homes" / str(next(HOMES))  # `mktemp` would look at all that there are
    home.mkdir(parents=True)
    ambient = ("GIT_", "MAKE", "MFLAGS", "PRE_COMMIT", "PREK_", "GROUNDRULES", "XDG_")
    for name in [name for name in os.environ if name.startswith(ambient)]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("ALLOW", raising=False)
    for name, value in {
        **IDENTITY,
        "HOME": str(home),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_EDITOR": "true",
        "NO_COLOR": "1",
        "PYTHONPATH": "",
    }.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="session", autouse=True)
def _real_home() -> Iterator[None]:
    """Fail when a test leaves something of ours in the real home or the real repository's git dir."""
    home = os.path.expanduser("~")
    watched = [os.path.join(home, ".cache", "groundrules"), os.path.join(home, ".gitconfig")]
    before = [_stamp(path) for path in watched]
    yield
    assert [_stamp(path) for path in watched] == before, f"a test touched {watched}"


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


class Repository:
    """A worktree on disk and the few things that tests do in it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def git(self, *args: str, code: int | None = 0, **env: str) -> str:
        """Run git here and return stdout and stderr together; assert its exit code unless `code` is None."""
        done = subprocess.run(
            ["git", *args], cwd=self.path, env={**os.environ, **env}, capture_output=True, check=False
        )
        said = (done.stdout + done.stderr).decode("utf-8", "surrogateescape")
        assert code is None or done.returncode == code, f"git {args}: {done.returncode}\n{said}"
        return said.rstrip("\n")

    def write(self, name: str, content: str | bytes = "content\n") -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape"))
        return path

    def commit(self, name: str = "file", content: str | bytes = "content\n", message: str = "Change a file") -> str:
        """Write and commit one file without hooks; return the commit's id."""
        self.write(name, content)
        self.git("add", "-A")
        self.git("commit", "--no-verify", "--quiet", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def worktree(self, branch: str, where: str | None = None, **env: str) -> Repository:
        """Add a linked worktree on the new `branch` beside this one."""
        path = self.path.parent / (where or f"{self.path.name}.{branch.replace('/', '-')}")
        self.git("worktree", "add", "-q", "-b", branch, str(path), code=0, **env)
        return Repository(path)

    def hook(self, stage: str, *args: str, code: int | None = 0, stdin: bytes = b"", **env: str) -> str:
        """Run one of our stages as git does, in a process of its own; return what it prints."""
        return run_module(f"groundrules_hooks.{stage}", *args, cwd=self.path, code=code, stdin=stdin, **env)

    def command(self, *args: str, code: int | None = 0, **env: str) -> str:
        """Run `groundrules ARGS` here; return stdout and stderr together."""
        return run_module("groundrules", *args, cwd=self.path, code=code, stdin=b"", **env)

    def stdout(self, *args: str, **env: str) -> str:
        """Run `groundrules ARGS` here and return stdout alone."""
        done = subprocess.run(
            [sys.executable, "-m", "groundrules", *args],
            cwd=self.path,
            env=_env(env),
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout

    def install_hooks(self) -> None:
        """Install our stages as plain git hooks, in the version of this checkout."""
        for stage in ("post-checkout", "pre-commit", "commit-msg", "pre-push"):
            path = self.path / self.git("rev-parse", "--git-path", f"hooks/{stage}")
            path.parent.mkdir(parents=True, exist_ok=True)
            module = f"groundrules_hooks.{stage.replace('-', '_')}"
            path.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}/hooks" exec "{sys.executable}" -m {module} "$@"\n')
            path.chmod(0o755)


def _env(env: dict[str, str]) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder", **env}


def run_module(module: str, *args: str, cwd: Path, code: int | None = 0, stdin: bytes = b"", **env: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", module, *args], cwd=cwd, env=_env(env), input=stdin, capture_output=True, check=False
    )
    said = (done.stdout + done.stderr).decode("utf-8", "surrogateescape")
    assert code is None or done.returncode == code, f"{module} {args}: {done.returncode}\n{said}"
    return said


@pytest.fixture(scope="session")
def _built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the repository that every test copies: configuration, index, one commit on main."""
    path = tmp_path_factory.mktemp("built") / "shop"
    env = {**os.environ, **IDENTITY, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "init", "-q", "-b", "main", "--template=", str(path)], env=env, check=True)
    (path / "groundrules.toml").write_text(CONFIG)
    (path / "AGENTS.md").write_text("# shop\n\nNothing yet.\n")
    (path / "CLAUDE.md").write_text("@AGENTS.md\n")
    subprocess.run(["git", "add", "-A"], cwd=path, env=env, check=True)
    subprocess.run(["git", "commit", "-q", "-m", "Adopt the ground rules"], cwd=path, env=env, check=True)
    return path


@pytest.fixture
def shop(_built: Path, tmp_path: Path) -> Iterator[Repository]:
    """A repository with our configuration and one commit, and no hooks installed."""
    shutil.copytree(_built, tmp_path / "shop", symlinks=True)
    yield Repository(tmp_path / "shop")
    forget(tmp_path / "shop" / ".git")


def forget(common_dir: Path) -> None:
    """Remove the temporary folders of the slots of a repository that a test made: they lie outside of it."""
    key = f"{crc32(os.fsencode(common_dir.resolve())):08x}"
    for path in glob.glob(f"/tmp/groundrules-{os.getuid()}/{key}-s*"):
        shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)


@pytest.fixture
def hooked(shop: Repository) -> Repository:
    """The same with our four stages installed as plain git hooks."""
    shop.install_hooks()
    return shop


@pytest.fixture
def enter(monkeypatch: pytest.MonkeyPatch) -> Callable[[Repository], None]:
    """Make a repository the current directory, for functions that are called in process."""

    def enter(repository: Repository) -> None:
        monkeypatch.chdir(repository.path)

    return enter
