"""`groundrules new`: a repository whose first commit passed its own hooks, or a refusal that changed nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT, Repository
from scaffolder.stack.conftest import free_block

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from scaffolder.conftest import Answer
    from template.conftest import Template

pytestmark = pytest.mark.usefixtures("runner")


@pytest.fixture
def seed(run: Callable[..., Answer], template: Template, tmp_path: Path) -> Callable[..., Answer]:
    """Seed a repository from the release, with the default answers, below the folder `work`."""
    work = tmp_path / "work"
    work.mkdir()

    def seed(dest: str, *args: str) -> Answer:
        return run(work, "new", dest, "--defaults", "--source", str(template.path), *args)

    return seed


def test_new_repository_is_committed_through_its_own_hooks(
    seed: Callable[..., Answer], template: Template, tmp_path: Path
) -> None:
    ports = f"api={free_block()}"
    code, out, err = seed("my shop", *answers(default_branch="trunk", summary="Sells: things", ports=ports))
    assert code == 0, err
    shop = Repository(tmp_path / "work/my shop")
    assert shop.git("status", "--short", "--branch") == "## trunk"
    assert shop.git("log", "--format=%s %an") == "Adopt the ground rules Ada"
    assert shop.git("rev-list", "--count", "HEAD") == "1"
    assert (shop.path / "README.md").read_text().splitlines()[2] == "Sells: things"
    assert [line.split()[:2] for line in err.splitlines() if line.startswith("✓")] == [
        ["✓", "rendered"],
        ["✓", "git"],
        ["✓", "hooks"],
        ["✓", "first"],
    ]
    assert "template v0.1.0" in err
    assert (
        f"▲ the template is the folder {template.path}: on other machines it needs a URL" not in err
    )  # named by --source
    # The hooks are in force from now on.
    assert "commit-message" in shop.git("commit", "--allow-empty", "-m", "wip", code=1)
    steps = [line.removeprefix("→ ") for line in out.splitlines() if line.startswith("→ ")]
    assert len(steps) == 4
    steps.insert(2, "make down")
    env = {**os.environ, "PAGER": "cat", "LESS": "-E"}
    done = subprocess.run(
        ["sh", "-e"],
        cwd=tmp_path / "work",
        input="\n".join(steps),
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "✓ slot 0        up" in done.stderr
    assert "SLOT=1\n" in done.stdout
    assert (tmp_path / "work/my shop.T1/AGENTS.md").exists()


def answers(**given: str) -> list[str]:
    return [word for name, value in given.items() for word in ("--data", f"{name}={value}")]


def test_stack_is_not_named_where_there_is_none(seed: Callable[..., Answer]) -> None:
    assert "make up" not in seed("shop", *answers(skeleton="none")).out


def test_folder_names_the_project_where_it_can(seed: Callable[..., Answer], tmp_path: Path) -> None:
    empty = tmp_path / "work/Shop-2.0"
    empty.mkdir()
    assert seed("Shop-2.0", "--data", "commit_style=conventional").code == 0
    assert (empty / "AGENTS.md").read_text().startswith("# Shop-2.0\n")
    assert Repository(empty).git("log", "--format=%s") == "chore: adopt the ground rules"


@pytest.mark.parametrize("what", ["file", "folder", "hidden"])
def test_destination_that_is_not_empty_is_refused_and_unchanged(
    seed: Callable[..., Answer], tmp_path: Path, what: str
) -> None:
    dest = tmp_path / "work/shop"
    inside = dest if what == "file" else dest / (".env" if what == "hidden" else "notes")
    inside.parent.mkdir(exist_ok=True)
    inside.write_text("mine\n")
    code, out, err = seed("shop")
    assert (code, out) == (2, "")
    assert f"groundrules: {dest} exists and is not an empty folder\n  nothing was changed\n" in err
    assert inside.read_text() == "mine\n"
    assert what == "file" or os.listdir(dest) == [inside.name]


@pytest.mark.parametrize(
    ("data", "wrong"),
    [
        ("forge", "--data 'forge' is not KEY=VALUE"),
        ("forge=gitea", "'gitea' is not in ['github', 'gitlab', 'none']"),
        ("project_name=${{ secrets.X }}", "Letters, digits, blank, dot, underscore, hyphen"),
        ("project-name=shop", "nothing was rendered: no question is project-name"),
    ],
)
def test_bad_answer_is_refused_and_leaves_nothing(
    seed: Callable[..., Answer], tmp_path: Path, data: str, wrong: str
) -> None:
    # ANS-01
    code, out, err = seed("shop", "--data", data)
    assert (code, out) == (2, "")
    assert wrong in err
    assert "Traceback" not in err
    assert os.listdir(tmp_path / "work") == []


@pytest.mark.parametrize(
    ("source", "ref", "wrong"),
    [
        ("/nowhere", None, "nothing was rendered"),
        (None, "v9.9.9", "Unknown revision: 'v9.9.9'"),
        (
            "https://ada:secret@127.0.0.1:1/rules.git",
            None,
            "unable to access 'https://127.0.0.1:1/rules.git/'",
        ),  # UPD-22
    ],
)
def test_template_that_cannot_be_read_is_named_without_a_credential(
    run: Callable[..., Answer], template: Template, tmp_path: Path, source: str | None, ref: str | None, wrong: str
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    words = ["--ref", ref] if ref else []
    code, out, err = run(work, "new", "shop", "--defaults", "--source", source or str(template.path), *words)
    assert (code, out) == (2, "")
    assert wrong in err
    assert "secret" not in err
    assert os.listdir(work) == []


def test_nobody_is_no_reason_to_fail(
    seed: Callable[..., Answer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.delenv(f"GIT_{name}_NAME")
        monkeypatch.delenv(f"GIT_{name}_EMAIL")
    settings = tmp_path / "gitconfig"
    settings.write_text("[user]\nuseConfigOnly = true\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    code, _, err = seed("shop")
    assert code == 0, err
    assert "▲ git knows no user.name and user.email: the first commit is by groundrules" in err
    shop = Repository(tmp_path / "work/shop")
    assert shop.git("log", "--format=%an <%ae> %cn") == "groundrules <groundrules@localhost> groundrules"
    assert shop.git("config", "--get", "user.name", code=1) == "", "nothing is configured on the way"


def test_failing_runner_leaves_the_files_staged_and_the_next_command(
    seed: Callable[..., Answer], runner: Path, tmp_path: Path
) -> None:
    runner.write_text("#!/bin/sh\necho 'no space left' >&2\nexit 3\n")
    code, out, err = seed("my shop")
    assert (code, out) == (2, "")
    assert "groundrules: `prek install` failed; the hooks are as they were\n  no space left\n" in err
    assert "groundrules: the repository is rendered and staged, but its hooks are not installed" in err
    fix = err.rstrip().splitlines()[-1].strip()
    assert fix == f"cd '{tmp_path}/work/my shop' && make hooks && git commit -m 'Adopt the ground rules'"
    shop = Repository(tmp_path / "work/my shop")
    assert "A  AGENTS.md" in shop.git("status", "--short")
    assert "?? " not in shop.git("status", "--short")


def test_hooks_that_refuse_the_first_commit_are_quoted(
    seed: Callable[..., Answer], runner: Path, tmp_path: Path
) -> None:
    runner.write_text(
        runner.read_text() + "printf '#!/bin/sh\\necho no such luck >&2; exit 1\\n' >\"$hooks/commit-msg\"\n"
    )
    code, out, err = seed("shop")
    assert (code, out) == (2, "")
    assert "groundrules: the first commit was refused\n" in err
    assert "no such luck" in err
    assert err.rstrip().endswith(f"git -C {tmp_path}/work/shop commit")


def test_it_works_from_inside_a_hook_of_another_repository(
    seed: Callable[..., Answer], shop: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # ENV-03, WTC-08
    head, index = shop.git("rev-parse", "HEAD"), (shop.path / ".git/index").read_bytes()
    monkeypatch.setenv("GIT_DIR", str(shop.path / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(shop.path / ".git/index"))
    code, _, err = seed("other")
    monkeypatch.delenv("GIT_DIR", raising=False)
    monkeypatch.delenv("GIT_INDEX_FILE", raising=False)
    assert code == 0, err
    assert (tmp_path / "work/other/.git/index").exists()
    assert (shop.git("rev-parse", "HEAD"), (shop.path / ".git/index").read_bytes()) == (head, index)


def test_dirty_source_without_a_release_is_refused(program: Template, tmp_path: Path) -> None:
    # COPY-04: the recorded revision would exist nowhere
    checkout = Repository(tmp_path / "checkout")
    program.git("clone", "-q", "--no-tags", str(program.path), str(checkout.path))
    checkout.write("template/new.md")
    env = {**os.environ, "PYTHONPATH": f"{checkout.path}/hooks:{checkout.path}/scaffolder"}
    argv = [sys.executable, "-m", "groundrules", "new", "shop", "--defaults"]
    done = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"groundrules: the template in {checkout.path} has uncommitted changes\n" in done.stderr
    assert not (tmp_path / "shop").exists()
    checkout.git("add", "-A")
    checkout.git("commit", "-q", "-m", "Add a file")
    done = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"▲ the template is the folder {checkout.path}: on other machines it needs a URL" in done.stderr
    assert (tmp_path / "shop/new.md").exists()
    assert checkout.git("rev-parse", "--short", "HEAD") in (tmp_path / "shop/.copier-answers.yml").read_text()


def test_old_git_is_named_before_anything_is_made(seed: Callable[..., Answer], runner: Path, tmp_path: Path) -> None:
    old = runner.parent / "git"
    old.write_text("#!/bin/sh\necho git version 2.30.1\n")
    old.chmod(0o755)
    code, out, err = seed("shop")
    assert (code, out) == (2, "")
    assert err.startswith("groundrules: git 2.30.1 is too old; 2.39 or newer is needed")
    assert os.listdir(tmp_path / "work") == []
    assert ROOT not in err
