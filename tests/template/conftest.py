"""A released template made of this checkout's files, and what the real `copier copy` renders from it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import jinja2
import pytest
import yaml

from conftest import IDENTITY, ROOT, Repository, forget
from scaffolder.stack.conftest import INSTALLED, free_block

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

COPIER = os.path.join(os.path.dirname(sys.executable), "copier")

# Every answer other than the default; without a port there is no skeleton.
OTHER = {
    "forge": "none",
    "commit_style": "conventional",
    "ports": "",
    "default_branch": "trunk",
    "tools": "gemini copilot",
}
POSTGRES = {"skeleton": "postgres"}
GITLAB = {"forge": "gitlab", "skeleton": "none"}
NEEDS_POSTGRES = pytest.mark.skipif(not INSTALLED, reason="PostgreSQL is not installed; .ci/run installs it")


@pytest.fixture(scope="module")
def quick_copier() -> Iterator[None]:
    """Spare Copier what hundreds of fresh copies need once or never.

    It makes a new environment for each and compiles the same expressions in it, and asks git for each file whether
    there is an index that would have to hear of its mode.
    """
    known: dict[object, object] = {}
    translate = jinja2.Environment.compile

    def compile_once(self: jinja2.Environment, *words: Any, **named: Any) -> object:  # noqa: ANN401 (as they come)
        key = (words, *named.items())
        if key not in known:
            known[key] = translate(self, *words, **named)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jinja2.Environment, "compile", compile_once)
        patch.setattr("copier._main.Worker._sync_git_index_executable_bit", lambda *_: None, raising=False)
        yield


class Template(NamedTuple):
    """A repository with releases of the template, and a machine of its own for everything that is done with it."""

    path: Path
    env: dict[str, str]

    def copier(self, *args: str, cwd: Path, code: int = 0, env: Mapping[str, str] | None = None) -> str:
        """Run the copier command line in `cwd`; return all it prints and assert its exit code."""
        return execute([COPIER, *args], cwd, {**self.env, **(env or {})}, code)

    def git(self, *args: str, cwd: Path | None = None) -> str:
        return execute(["git", *args], cwd or self.path, self.env)

    def change(self, changes: Mapping[str, str], version: str = "") -> None:
        """Write files of the template and commit them; release them as `version` if there is one."""
        for name, content in changes.items():
            (self.path / name).parent.mkdir(parents=True, exist_ok=True)
            (self.path / name).write_text(content)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "Change the template")
        if version:
            self.git("tag", "-a", "-m", version, version)


def with_guard(folder: Path, guard: str) -> Repository:
    """Make a repository in `folder` with that guard of the template and one clean commit."""
    repository = Repository(folder)
    (folder / "guards").mkdir(parents=True)
    shutil.copy2(f"{ROOT}/template/{guard}", folder / guard)
    repository.git("init", "-q", "-b", "main", "--template=")
    repository.commit("file", "one\ntwo\nthree\n")
    return repository


def execute(argv: list[str], cwd: Path, env: Mapping[str, str], code: int = 0, stdin: bytes = b"") -> str:
    done = subprocess.run(argv, cwd=cwd, env=env, input=stdin, capture_output=True, check=False)
    said = (done.stdout + done.stderr).decode("utf-8", "surrogateescape")
    assert done.returncode == code, f"{argv}: {done.returncode}\n{said}"
    return said.rstrip("\n")


def make_template(folder: Path, *paths: str) -> Template:
    """Make a repository in `folder` of this checkout's template as it is, or of its `paths`, released as v0.1.0."""
    home = folder / "home"
    home.mkdir(parents=True)
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GIT_", "XDG_", "COPIER_", "GROUNDRULES"))
    }
    env = {
        **kept,
        **IDENTITY,
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "COPIER_CACHE_DIR": str(home / "copier"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "NO_COLOR": "1",
        "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder",
    }
    template = Template(folder / "release", env)
    copy_checkout(template.path, *(paths or ("copier.yml", "template")))
    template.git("init", "-q", "-b", "main", "--template=")
    template.change({}, "v0.1.0")
    return template


def copy_checkout(folder: Path, *paths: str) -> None:
    """Copy this checkout's tracked files, and those that nobody ignores, to `folder`: all, or those below `paths`."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard", "--", *paths],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        capture_output=True,
        check=True,
    )
    for name in filter(None, os.fsdecode(listed.stdout).split("\0")):
        if os.path.lexists(os.path.join(ROOT, name)):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(os.path.join(ROOT, name), folder / name, follow_symlinks=False)


def from_yaml(path: str | Path) -> Any:  # noqa: ANN401 (as YAML gives it)
    """Return the document in the file at `path`."""
    with open(path, encoding="utf-8") as file:
        return yaml.safe_load(file)


def contents(folder: Path) -> dict[str, tuple[bytes, bool]]:
    """Return content and executable bit of every file below `folder`, by its path there; git's own are left out."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), os.access(path, os.X_OK))
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    """The template as it is in this checkout, released as v0.1.0."""
    return make_template(tmp_path_factory.mktemp("template"))


@pytest.fixture(scope="session")
def render(template: Template, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Path]]:
    """Render the template with `copier copy --defaults`, once for each set of answers; tests only read the result."""
    known: dict[tuple[tuple[str, str], ...], Path] = {}
    files: dict[Path, set[Path]] = {}

    def render(**answers: str) -> Path:
        key = tuple(sorted(answers.items()))
        if key not in known:
            folder = tmp_path_factory.mktemp("rendered")
            data = [word for name, value in key for word in ("--data", f"{name}={value}")]
            template.copier("copy", "--quiet", "--defaults", *data, str(template.path), "kiosk", cwd=folder)
            known[key] = folder / "kiosk"
            files[known[key]] = set(known[key].rglob("*"))
        return known[key]

    yield render
    assert {path for folder, held in files.items() for path in set(folder.rglob("*")) ^ held} == set()


@pytest.fixture
def project(render: Callable[..., Path], tmp_path: Path) -> Path:
    """A repository of its own with one commit, rendered with the default answers."""
    return start(render(), tmp_path / "shop")


def start(rendered: Path, folder: Path) -> Path:
    """Make a repository with one commit in `folder` of a copy of `rendered`."""
    shutil.copytree(rendered, folder)
    env = {**os.environ, **IDENTITY, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    for args in (
        ("init", "-q", "-b", "main", "--template="),
        ("add", "-A"),
        ("commit", "-q", "-m", "Adopt the ground rules"),
    ):
        execute(["git", *args], folder, env)
    return folder


@pytest.fixture
def make(render: Callable[..., Path], tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """Make a repository of its own on ports that are free; its stack is stopped afterwards."""
    made: list[Path] = []

    def make(**answers: str) -> Path:
        folder = tmp_path / f"shop {len(made)}"
        made.append(start(render(**answers), folder))
        first = free_block()
        settings = folder / "groundrules.toml"
        for index, usual in enumerate(("3000", "8000", "5432")):
            settings.write_text(settings.read_text().replace(f" = {usual}\n", f" = {first + index}\n"))
        Repository(folder).commit()
        return folder

    yield make
    for folder in made:
        if "[stack]" in (folder / "groundrules.toml").read_text().splitlines():
            Repository(folder).command("down", "--data", "--yes")
        forget(folder / ".git")


def prove(project: Path) -> str:
    """Claim the health of the skeleton proven in a task, whose handoff is sealed; return where the task began.

    Nothing of the stack runs afterwards.
    """
    repository = Repository(project)
    base = repository.git("rev-parse", "HEAD")
    repository.git("switch", "-q", "-c", "task/T1-health")
    for name, old, new in (
        ("capabilities.toml", '"wired"', '"proven"'),
        ("capabilities.toml", "acceptance = []", 'acceptance = ["OPS-1"]'),
        ("tests/test_api.py", "    def test_health_follows", "    # acceptance: OPS-1\n    def test_health_follows"),
    ):
        text = (project / name).read_text()
        assert old in text
        repository.write(name, text.replace(old, new, 1))
    repository.command("capability", "render")
    repository.commit("docs/health.md", "# Health\n", "Prove the health of the service")
    repository.command("up")
    assert "✓ api           PASSED" in repository.command("check", "run")
    repository.command("handoff", "seal", "--unresolved", "none", "--deviations", "none", "--commit")
    repository.command("down", "--data", "--yes")
    return base
