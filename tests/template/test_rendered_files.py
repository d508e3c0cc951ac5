"""Rendered files: what each promises. What holds of all, whatever the answers, is in test_matrix.py."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT, Repository
from groundrules import owners as owners_of
from groundrules import schema
from groundrules_hooks import config
from template.conftest import GITLAB, contents, execute, from_yaml
from template.validity import owners

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_seeded_paths_are_those_that_copier_skips_and_they_are_anchored(render: Callable[..., Path]) -> None:
    # UPD-25
    skipped = from_yaml(f"{ROOT}/copier.yml")["_skip_if_exists"]
    assert all(path.startswith("/") for path in skipped)
    rendered = render(tools="claude gemini copilot")
    assert sorted(owners((rendered / "docs/agents/updates.md").read_text())["seeded"]) == sorted(p[1:] for p in skipped)


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


@pytest.mark.parametrize(
    "path", [".slot.env", ".claude/worktrees/a/f", ".cursor/worktrees/a/f", ".worktrees/a/f", "src/__pycache__/a.pyc"]
)
def test_state_and_nested_worktrees_are_ignored(project: Path, path: str) -> None:
    # WTC-06
    assert Repository(project).git("check-ignore", path) == path


@pytest.mark.parametrize("script", ["tools/groundrules", "guards/no-merge-debris", "guards/no-keys-no-bulk"])
def test_scripts_are_executable_and_posix(render: Callable[..., Path], script: str) -> None:
    content, executable = contents(render())[script]
    assert executable
    assert not re.search(rb"\[\[|\blocal \w|\bfunction \w+ *(\(\) *)?\{|<\(|\$'", content)  # awk's have parameters


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
