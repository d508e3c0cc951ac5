"""Rendered files: each has one owner, every link and command in them exists, none is ignored, all parse."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT, Repository
from groundrules import owners as owners_of
from groundrules import schema
from groundrules.cli import COMMANDS
from groundrules_hooks import config, pre_commit
from groundrules_hooks.rules import NAMES
from template.conftest import GITLAB, OTHER, POSTGRES, contents, execute, from_yaml, start

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ANSWERS = pytest.mark.parametrize(
    "answers", [{}, OTHER, POSTGRES, GITLAB], ids=["defaults", "other", "postgres", "gitlab"]
)


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
    rendered = render(tools="claude gemini copilot")
    assert sorted(owners((rendered / "docs/agents/updates.md").read_text())["seeded"]) == sorted(p[1:] for p in skipped)


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


@ANSWERS
def test_every_never_names_the_rules_that_refuse_it(render: Callable[..., Path], answers: dict[str, str]) -> None:
    index = (render(**answers) / "AGENTS.md").read_text()
    rows = index.partition("## Never\n")[2].partition("\n## ")[0].strip().splitlines()[2:]
    refusers = [row.strip("| ").split(" | ")[1] for row in rows]
    assert len(rows) > 8
    *rules, last = refusers
    assert last.startswith("the gate,")
    named = {name for refuser in rules for name in refuser.split(", ")}
    assert named <= set(NAMES)
    assert set(NAMES) - named <= {"commit-message", "fixed-ports"}, "these stand among what is always done"
    for name in ("commit-message", "fixed-ports"):
        assert f"({name})" in index


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


def test_owners_name_nobody_until_somebody_is_named(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = (project / "CODEOWNERS").read_text().splitlines()
    assert all(line.startswith("#") for line in lines)
    shown = [line.removeprefix("#").split() for line in lines if "@name" in line]
    assert [row[0] for row in shown][:2] == ["/groundrules.toml", "/CODEOWNERS"]
    monkeypatch.chdir(project)
    Repository(project).commit("CODEOWNERS", "".join(f"{path} @ada\n" for path, _ in shown))
    found = owners_of.high_risk(config.of_text(b""), "HEAD", ["groundrules.toml", "guards/mine", "src/cart.py"])
    assert found == [owners_of.Risk("groundrules.toml", ("@ada",)), owners_of.Risk("guards/mine", ("@ada",))]


def test_update_bot_moves_template_and_hooks_together(render: Callable[..., Path]) -> None:
    # LOCK-02
    path = render() / "renovate.json"
    check = [f"{os.path.dirname(sys.executable)}/check-jsonschema", "--builtin-schema", "vendor.renovate", str(path)]
    execute(check, path.parent, os.environ)
    hooks, managed, actions = json.loads(path.read_text())["packageRules"]
    assert (hooks["matchManagers"], hooks["matchPackageNames"]) == (["pre-commit"], ["**/release"])
    assert (hooks["enabled"], managed["enabled"]) == (False, False)
    assert actions["minimumReleaseAge"] == "7 days"
    shipped = {path for answers in ({}, GITLAB) for path in contents(render(**answers))}
    assert set(managed["matchFileNames"]) == {path for path in shipped if path.endswith(".yml") and path[0:4] == ".git"}


@pytest.mark.parametrize(
    ("answers", "page"),
    [({}, ".github/pull_request_template.md"), (GITLAB, ".gitlab/merge_request_templates/Default.md")],
)
def test_page_of_a_request_asks_for_the_handoff(
    render: Callable[..., Path], answers: dict[str, str], page: str
) -> None:
    text = (render(**answers) / page).read_text()
    assert text.startswith("<!--")
    assert text.endswith("-->\n"), "what is left in place is not shown"
    assert "    tools/groundrules handoff show\n" in text
