"""`groundrules ci lint` in real repositories: which files, which place, which exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT
from groundrules.workflows.traps import TRAPS

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository
    from scaffolder.conftest import Answer

SOUND = "on: [pull_request, merge_group]\njobs:\n  test:\n    steps: [{run: make}]\n"
CANCELS = "on: push\nconcurrency:\n  group: x\n  cancel-in-progress: true\njobs:\n  test:\n    steps: [{run: make}]\n"
RESTORES = """on: pull_request
jobs:
  test:
    steps:
      - uses: ./.github/actions/deps
"""
ACTION = """runs:
  using: composite
  steps:
    - uses: actions/cache/restore@v4
      with: {path: a, key: "deps-${{ hashFiles('a') }}"}
"""
WRITES = RESTORES.replace("pull_request", "push").replace("./.github/actions/deps", "actions/cache/save@v4") + (
    "        with: {path: a, key: \"deps-${{ hashFiles('a') }}\"}\n"
)
CI = ".github/workflows/ci.yml"


@pytest.fixture
def lint(shop: Repository, run: Callable[..., Answer]) -> Callable[..., Answer]:
    def lint(*argv: str, where: str = ".") -> Answer:
        return run(shop.path / where, "ci", "lint", *argv)

    return lint


def test_sound_workflow_says_nothing_on_stdout(shop: Repository, lint: Callable[..., Answer]) -> None:
    shop.write(CI, SOUND)
    code, out, err = lint()
    assert (code, out) == (0, "")
    assert err.splitlines() == [
        "○ required      checks are not declared; a job named gate counts as one",
        "✓ ci lint       1 file, 18 traps, 0 findings",
    ]


def test_finding_names_place_trap_and_mend_in_every_form(shop: Repository, lint: Callable[..., Answer]) -> None:
    shop.write(CI, CANCELS)
    code, out, _ = lint()
    assert code == 1
    assert out.splitlines()[0].startswith(f"{CI}:4: cancel-main: runs of the default branch cancel each other")
    assert out.splitlines()[-1] == f"    ${{EDITOR:-vi}} +4 {CI}"
    (finding,) = json.loads(lint("--format", "json").out)["findings"]
    assert (finding["rule"], finding["path"], finding["line"]) == ("cancel-main", CI, 4)
    assert "# cancel-main: cancel-in-progress: ${{" in finding["fix"]
    assert lint("--format", "github").out.startswith(f"::error file={CI},line=4,title=cancel-main::")


def test_mend_can_be_pasted_from_a_folder_below(
    shop: Repository, lint: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "echo")
    shop.write("below/name", "x")
    shop.write(CI, CANCELS)
    block = lint(where="below").out.partition("To fix:\n")[2]
    assert block.splitlines()[0] == f"    cd {shop.path}"
    shop.write("below/mend.sh", block)
    assert f"+4 {CI}" in shop.git("-c", "alias.mend=!cd below && sh mend.sh", "mend")


def test_workflows_beside_are_read_and_not_reported(shop: Repository, lint: Callable[..., Answer]) -> None:
    shop.write(".github/actions/deps/action.yml", ACTION)
    shop.write(CI, RESTORES)
    assert lint(CI).out.startswith(".github/actions/deps/action.yml:5: cache-no-writer: ")
    shop.write(".github/workflows/warm.yaml", WRITES + CANCELS.partition("\n")[2].partition("jobs")[0])
    assert lint(CI).code == 0
    assert ".github/workflows/warm.yaml:" in lint().out


@pytest.mark.parametrize("path", [".", ".github/workflows", CI])
def test_path_is_a_root_a_folder_or_a_file(shop: Repository, lint: Callable[..., Answer], path: str) -> None:
    shop.write(CI, CANCELS)
    assert lint(path).out.startswith(f"{CI}:4: cancel-main")


def test_file_of_gitlab_is_read_too(shop: Repository, lint: Callable[..., Answer]) -> None:
    shop.write(".gitlab-ci.yml", "t:\n  cache:\n    policy: pull\n    key: a\n    paths: [x]\n")
    code, out, err = lint()
    assert code == 1
    assert out.startswith(".gitlab-ci.yml:3: cache-no-writer: ")
    assert "1 file" in err


def test_outside_a_repository_a_folder_will_do(run: Callable[..., Answer], tmp_path: Path) -> None:
    (tmp_path / ".github/workflows").mkdir(parents=True)
    (tmp_path / CI).write_text(CANCELS)
    assert run(tmp_path, "ci", "lint").out.startswith(f"{CI}:4: cancel-main")


def test_required_checks_are_those_of_the_configuration(shop: Repository, lint: Callable[..., Answer]) -> None:
    # CI-01
    shop.write(CI, SOUND.replace("[pull_request, merge_group]", "pull_request"))
    assert lint().code == 0
    shop.write("groundrules.toml", '[ci]\nrequired = ["test", "smoke"]\n')
    code, out, err = lint()
    assert (code, out.splitlines()[0].split(": ")[1]) == (1, "merge-group-missing")
    assert "▲ required      no job makes the check smoke" in err
    assert "not declared" not in err


@pytest.mark.parametrize(
    ("name", "content", "place", "why"),
    [
        (CI, "on: push\non: pull_request\njobs: {}\n", f"{CI}:2", "the key on is here and in line 1"),
        (CI, "a: [", f"{CI}:1", "expected"),
        (CI, "", f"{CI}:1", "no mapping"),
        (CI, "on: push\n", f"{CI}:1", "no jobs: or no on:"),
        (CI, "- a\n", f"{CI}:1", "no mapping"),
        (".gitlab-ci.yml", "a: *b\n", ".gitlab-ci.yml:1", "undefined alias"),
    ],
)
def test_unreadable_file_ends_with_2_and_its_place(
    shop: Repository, lint: Callable[..., Answer], name: str, content: str, place: str, why: str
) -> None:
    shop.write(name, content)
    code, out, err = lint()
    assert (code, out) == (2, "")
    assert err.startswith(f"groundrules: {place}: cannot read this file")
    assert why in err


@pytest.mark.parametrize(("path", "what"), [(".", "has no workflow"), ("none", "does not exist")])
def test_without_a_workflow_it_ends_with_2(shop: Repository, lint: Callable[..., Answer], path: str, what: str) -> None:
    shop.write("compose.yml", "services: {}\n")
    code, out, err = lint(path)
    assert (code, out) == (2, "")
    assert what in err


def test_unreadable_action_is_named(shop: Repository, lint: Callable[..., Answer]) -> None:
    shop.write(CI, RESTORES)
    assert lint().code == 0
    shop.write(".github/actions/deps/action.yml", "a: [")
    assert lint().err.startswith("groundrules: .github/actions/deps/action.yml:1: ")


def test_page_describes_every_trap_and_the_workflows_here_have_none(run: Callable[..., Answer]) -> None:
    page = Path(ROOT, "docs/commands/ci.md").read_text(encoding="utf-8")
    assert [trap.name for trap in TRAPS if f"| `{trap.name}` | " not in page] == []
    assert run(Path(ROOT), "ci", "lint").code == 0
