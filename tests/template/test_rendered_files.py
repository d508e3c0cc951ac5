"""Rendered files: each has one owner, every link and command in them exists, none is ignored, all parse."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from conftest import ROOT, Repository
from groundrules import schema
from groundrules.cli import COMMANDS
from groundrules_hooks import config, pre_commit
from groundrules_hooks.rules import NAMES
from template.conftest import OTHER, POSTGRES, contents, execute, from_yaml, start

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ANSWERS = pytest.mark.parametrize("answers", [{}, OTHER, POSTGRES], ids=["defaults", "other", "postgres"])
BESIDE = os.path.dirname(sys.executable)


def owners(page: str) -> dict[str, list[str]]:
    """Return the patterns of the classes managed and seeded, from the table in docs/agents/updates.md."""
    rows = {row.split("|")[1].strip(): row for row in page.splitlines() if row.startswith("| ")}
    exempt = re.findall(r"but for `([^`]+)`", rows["managed"])
    assert exempt == ["local.md"]
    found = {
        name: re.findall(r"`([^`]+)`", rows[name].rpartition("|")[0].split("|")[-1]) for name in ("managed", "seeded")
    }
    found["managed"].remove("local.md")
    return found


def settings() -> dict[str, list[str]]:
    found: dict[str, list[str]] = from_yaml(f"{ROOT}/copier.yml")
    return found


@ANSWERS
def test_every_rendered_path_has_exactly_one_owner(render: Callable[..., Path], answers: dict[str, str]) -> None:
    # UPD-25
    rendered = render(**answers)
    classes = owners((rendered / "docs/agents/updates.md").read_text())
    for path in contents(rendered):
        seeded = path in classes["seeded"]
        managed = not seeded and any(fnmatch.fnmatch(path, pattern) for pattern in classes["managed"])
        assert seeded != managed, path
        head = (rendered / path).read_text()[:200]
        assert "Managed:" not in head or managed, path
        assert "Seeded" not in head or seeded, path
    for pattern in (*classes["managed"], *classes["seeded"]):
        assert fnmatch.filter(contents(rendered), pattern), f"{pattern} is of no rendered file"


def test_seeded_paths_are_those_that_copier_skips_and_they_are_anchored(render: Callable[..., Path]) -> None:
    # UPD-25
    skipped = settings()["_skip_if_exists"]
    assert all(path.startswith("/") for path in skipped)
    assert sorted(owners((render() / "docs/agents/updates.md").read_text())["seeded"]) == sorted(p[1:] for p in skipped)


@ANSWERS
def test_rendered_files_pass_every_rule_that_a_commit_runs(
    render: Callable[..., Path],
    tmp_path: Path,
    answers: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    # agents-index, lockstep and guards see every file as added: the repository has no commit yet
    repository = Repository(start(render(**answers), tmp_path / "shop"))
    repository.git("update-ref", "-d", "HEAD")
    monkeypatch.chdir(repository.path)
    assert (pre_commit.main([]), capfd.readouterr().out) == (0, "")


@ANSWERS
def test_every_link_in_every_page_leads_somewhere(render: Callable[..., Path], answers: dict[str, str]) -> None:
    rendered = render(**answers)
    links = [
        (page, target)
        for page in rendered.rglob("*.md")
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text())
        if "://" not in target
    ]
    assert len(links) > 8
    dead = [(str(page), target) for page, target in links if not (page.parent / target.partition("#")[0]).exists()]
    assert not dead
    anchored = [(str(page), target) for page, target in links if "#" in target]
    assert not anchored, "then check the anchors too"


@ANSWERS
def test_every_command_in_every_page_exists(render: Callable[..., Path], answers: dict[str, str]) -> None:
    rendered = render(**answers)
    prose = "\n".join(page.read_text() for page in [*rendered.rglob("*.md"), rendered / "Makefile"])
    code = "\n".join([*re.findall(r"`([^`\n]+)`", prose), *re.findall(r"^ {4,}(.+)$", prose, re.MULTILINE)])
    for target in set(re.findall(r"^make ([a-z]+)", code, re.MULTILINE)):
        execute(["make", "-n", target], rendered, os.environ)
    called = set(re.findall(r"tools/groundrules ([a-z]+)", prose))
    assert called >= {"check", "gate", "handoff", "hooks", "ps", "rules", "slot", "up", "update"}
    assert called <= set(COMMANDS)
    assert set(re.findall(r"[Rr]ules? ([a-z]+(?:-[a-z]+)?)[).,;]", prose)) & set(NAMES)


def test_make_lists_its_own_targets_and_those_of_local_mk(project: Path) -> None:
    with (project / "local.mk").open("a") as file:
        file.write("seed: ## fill the database\n\ttrue\n")
    listed = execute(["make"], project, os.environ).splitlines()
    assert [line.split()[1] for line in listed] == [
        "setup",
        "hooks",
        "task",
        "slot",
        "up",
        "down",
        "ps",
        "logs",
        "check",
        "handoff",
        "gate",
        "update",
        "help",
        "seed",
    ]


@ANSWERS
def test_no_rendered_path_is_ignored(render: Callable[..., Path], tmp_path: Path, answers: dict[str, str]) -> None:
    # COPY-06: such a file would be overwritten by an update without a word
    folder = start(render(**answers), tmp_path / "shop")
    paths = "\0".join(contents(folder)).encode()
    argv = ["git", "check-ignore", "--verbose", "--no-index", "--stdin", "-z"]
    done = subprocess.run(argv, cwd=folder, input=paths, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (1, b""), "the pattern and the path it hides"


@pytest.mark.parametrize(
    "path", [".slot.env", ".claude/worktrees/a/f", ".cursor/worktrees/a/f", ".worktrees/a/f", "src/__pycache__/a.pyc"]
)
def test_state_and_nested_worktrees_are_ignored(project: Path, path: str) -> None:
    # WTC-06
    assert Repository(project).git("check-ignore", path) == path


@ANSWERS
def test_every_file_ends_with_one_newline(render: Callable[..., Path], answers: dict[str, str]) -> None:
    # UPD-16: without it, a newline that an editor adds would be a conflict
    for path, (content, _) in contents(render(**answers)).items():
        assert content.endswith(b"\n"), path
        assert not content.endswith(b"\n\n"), path
        assert b"\r" not in content, path
        assert not re.search(rb"[ \t]\n", content), path


@pytest.mark.parametrize("script", ["tools/groundrules", "guards/no-merge-debris"])
def test_scripts_are_executable_and_posix(render: Callable[..., Path], script: str) -> None:
    content, executable = contents(render())[script]
    assert executable
    assert content.startswith(b"#!/bin/sh\n")
    assert not re.search(rb"\[\[|\blocal \w|\bfunction |<\(|\$'", content)
    execute(["sh", "-n", script], render(), os.environ)


@pytest.mark.parametrize("skeleton", ["none", "sqlite"])
def test_commented_lines_of_the_configuration_show_the_defaults(render: Callable[..., Path], skeleton: str) -> None:
    text = (render(skeleton=skeleton) / "groundrules.toml").read_text()
    shown = re.sub(r"^# (\[|\w+ = )", r"\1", text, flags=re.MULTILINE)
    assert shown.count("\n") == text.count("\n")
    assert shown != text
    plain = config.of_text(b"[ports]\nweb = 3000\napi = 8000\ndb = 5432\n")
    assert config.of_text(shown.encode()) == config.of_text(text.encode())
    assert skeleton != "none" or config.of_text(text.encode()) == plain


def test_workflow_is_hardened_and_fits_the_schema(render: Callable[..., Path]) -> None:
    # CI-11, CI-12, CI-13: the linter must have read the file
    workflow = render() / ".github/workflows/ci.yml"
    argv = [
        f"{BESIDE}/zizmor",
        "--offline",
        "--persona",
        "pedantic",
        "--format",
        "json",
        "--no-progress",
        str(workflow),
    ]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert json.loads(done.stdout) == [], done.stdout
    assert done.returncode == 0, done.stderr
    schema = [f"{BESIDE}/check-jsonschema", "--builtin-schema", "vendor.github-workflows", str(workflow)]
    execute(schema, workflow.parent, os.environ)


def test_no_answer_is_rendered_into_a_workflow() -> None:
    # CI-13: linters do not read such a file, and an answer in it is a way in
    folders = [(folder, names) for folder, _, names in os.walk(f"{ROOT}/template") if ".github" in folder]
    assert folders
    assert not [name for _, names in folders for name in names if name.endswith(".jinja")]


def evaluated(expression: str, github: dict[str, object]) -> str:
    """Return what the forge puts in place of `${{ a.b || c.d }}`: the first of the values that is not empty."""
    for path in expression.removeprefix("${{").removesuffix("}}").split("||"):
        value: object = github
        for key in path.strip().split(".")[1:]:
            value = value.get(key) if isinstance(value, dict) else None
        if value:
            return str(value)
    return ""


@pytest.mark.parametrize("event", ["pull_request", "merge_group", "push", "new branch"])
def test_step_of_the_workflow_judges_the_commits_of_the_event(project: Path, event: str) -> None:
    repository = Repository(project)
    settings = (project / "groundrules.toml").read_text()
    base = repository.commit("groundrules.toml", f'{settings}\n[[check]]\nname = "unit"\nrun = ["true"]\n')
    repository.git("switch", "-q", "-c", "task/T1-first")
    head = repository.commit("src/cart.py", message="wip")
    (step,) = (step for step in workflow_steps(project) if "run" in step)
    events: dict[str, dict[str, object]] = {
        "pull_request": {
            "event": {"pull_request": {"number": 7, "base": {"sha": base}, "head": {"sha": head}}},
            "head_ref": "task/T1-first",
        },
        "merge_group": {"event": {"merge_group": {"base_sha": base, "head_sha": head}}, "sha": head},
        "push": {"event": {"before": base}, "sha": head},
        "new branch": {"event": {"before": "0" * 40}, "sha": head},  # PSH-06
    }
    env = {name: evaluated(text, events[event]) for name, text in step["env"].items()}
    ours = {"GROUNDRULES_COMMAND": f"{sys.executable} -m groundrules", "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder"}
    said = execute(["sh", "-e", "-c", step["run"]], project, {**os.environ, **ours, **env}, code=1)
    assert f"title=commit-message::{head[:10]}: the subject says only that work is in progress" in said
    assert ("title=handoff::" in said) == (event == "pull_request"), "only a pull request names the task's branch"
    assert ("✓ unit " in said) == (event in ("pull_request", "merge_group")), "where it was not merged yet"
    assert "1 commit, " in said


def workflow_steps(project: Path) -> list[dict[str, Any]]:
    workflow = from_yaml(project / ".github/workflows/ci.yml")
    assert list(workflow["jobs"]) == ["gate"]
    found: list[dict[str, Any]] = workflow["jobs"]["gate"]["steps"]
    return found


def test_schema_of_the_handoff_is_that_of_the_package(project: Path) -> None:
    rendered = (project / "docs/agents/handoff.schema.json").read_text()
    assert json.loads(rendered) == schema.handoff_schema()


def test_example_of_a_stack_is_one_that_the_configuration_accepts(render: Callable[..., Path]) -> None:
    text = (render(skeleton="none") / "groundrules.toml").read_text()
    example = "\n".join(re.findall(r"^#     (.*)$", text, re.MULTILINE))
    stack = config.of_text(f"[ports]\nweb = 3000\n{example}".encode()).stack
    assert (stack.database, stack.migrate) == ("sqlite", ("python3", "migrate.py"))
    assert [(service.name, service.port, service.ready) for service in stack.services] == [("web", "web", "http:/")]
    (check,) = config.of_text(f"[ports]\nweb = 3000\n{example}".encode()).checks
    assert check == config.Check("unit", ("make", "test"))
