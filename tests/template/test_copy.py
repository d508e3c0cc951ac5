"""A copy: the same bytes from everywhere to everywhere, without trust, complete, and nothing of the template's own."""

from __future__ import annotations

import datetime as dt
import getpass
import os
import platform
import sys
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT, Repository
from template.conftest import GITLAB, OTHER, contents, execute, from_yaml

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from template.conftest import Template

RECORD_SOURCE = {".copier-answers.yml", ".pre-commit-config.yaml"}
# Local dates that differ at every moment: the two zones are 26 hours apart.
FIRST_DAY, LAST_DAY = {"TZ": "Etc/GMT+12"}, {"TZ": "Etc/GMT-14"}


def test_copies_are_equal_whatever_the_place_the_day_and_the_spelling_of_the_source(
    template: Template, render: Callable[..., Path], tmp_path: Path
) -> None:
    # COPY-01, COPY-11
    deep = tmp_path / "ein schöner" / "Ort"
    deep.mkdir(parents=True)
    env = {"LC_ALL": "C", **FIRST_DAY}  # the blank, the umlaut and the day change nothing
    template.copier("copy", "--quiet", "--defaults", str(template.path), "lädchen eins", cwd=deep, env=env)
    relative = os.path.relpath(template.path, tmp_path)
    template.copier("copy", "--quiet", "--defaults", relative, "b", cwd=tmp_path, env=LAST_DAY)
    expected = contents(render())
    assert contents(deep / "lädchen eins") == expected
    assert contents(tmp_path / "b") == expected


def test_next_steps_work_and_a_source_that_only_copier_understands_is_recorded_plainly(
    template: Template, tmp_path: Path
) -> None:
    # LOCK-04
    said = template.copier("copy", "--defaults", f"git+file://{template.path}", "a shop", cwd=tmp_path)
    steps = [line.strip().removeprefix("→ ") for line in said.splitlines() if line.strip().startswith("→ ")]
    assert [step.split(" ")[0] for step in steps] == ["cd", "git", "make", "git", "make", "less", "make", "cd"]
    # All but the one that installs hooks, the one that takes the usual ports, and the one that opens a pager.
    left = ("make hooks", "make up", "less")
    pasted = "\n".join(["set -e", *(step for step in steps if not step.startswith(left))])
    env = {**template.env, "GROUNDRULES_COMMAND": f"{sys.executable} -m groundrules"}
    execute(["sh"], tmp_path, env, stdin=pasted.encode())
    for name in RECORD_SOURCE:
        text = (tmp_path / "a shop.T1" / name).read_text()
        assert str(template.path) in text
        assert "git+" not in text


def test_template_needs_no_trust() -> None:
    # COPY-09, UPD-21, UPD-26
    settings = from_yaml(f"{ROOT}/copier.yml")
    needing = {"_tasks", "_migrations", "_jinja_extensions", "_external_data", "_secret_questions"}
    assert not needing & set(settings)
    assert settings["_envops"] == {"undefined": "jinja2.StrictUndefined"}
    assert settings["_min_copier_version"]


def test_nothing_of_the_templates_own_is_copied(render: Callable[..., Path]) -> None:
    # COPY-07
    with_workflow, without = set(contents(render(skeleton="none"))), set(contents(render(**OTHER)))
    with_pipeline = set(contents(render(**GITLAB)))
    assert with_workflow - without == {
        ".github/pull_request_template.md",
        ".github/workflows/audit.yml",
        ".github/workflows/ci.yml",
        ".github/workflows/deep.yml",
        ".github/workflows/deploy.yml",
        ".github/workflows/stack.yml",
        ".github/workflows/warm.yml",
        "tools/ci.py",
        ".claude/settings.json",
    }
    assert with_pipeline - without == {
        ".gitlab-ci.yml",
        ".gitlab/merge_request_templates/Default.md",
        "tools/ci.py",
        ".claude/settings.json",
    }
    assert without - (with_workflow & with_pipeline) == {"GEMINI.md", ".github/copilot-instructions.md"}
    own = (
        "copier.yml",
        "pyproject.toml",
        "CHANGELOG",
        "LICENSE",
        "tests/template",
        "hooks/",
        "scaffolder/",
        ".pre-commit-hooks",
    )
    assert not [
        path
        for path in with_workflow | set(contents(render()))
        if path.startswith(own) or ".jinja" in path or "{" in path
    ]


def test_no_place_machine_or_date_is_rendered(template: Template, render: Callable[..., Path]) -> None:
    # COPY-10, COPY-11
    rendered = render()
    today = dt.datetime.now(dt.UTC).date()
    days = [(today + dt.timedelta(days)).isoformat() for days in (-1, 0, 1)]
    hidden = [str(rendered.parent), str(template.env["HOME"]), *days, f"{today.year}", platform.node(), "kiosk"]
    if getpass.getuser() != "root":
        hidden.append(getpass.getuser())
    for path, (content, _) in contents(rendered).items():
        text = content.decode()
        assert not [word for word in hidden if len(word) > 3 and word in text], path
        assert path in RECORD_SOURCE or str(template.path) not in text, path


def test_make_runs_the_wrapper_whatever_its_mode(project: Path) -> None:
    # COPY-05
    (project / "tools/groundrules").chmod(0o644)
    assert execute(["make", "-s", "slot"], project, {**os.environ, "GROUNDRULES_COMMAND": "echo ran"}) == "ran slot"


def test_scripts_keep_their_line_ends_in_a_windows_checkout(project: Path, tmp_path: Path) -> None:
    # COPY-08
    clone = Repository(tmp_path / "clone")
    Repository(project).git("-c", "core.autocrlf=true", "clone", "-q", str(project), str(clone.path))
    clone.git("config", "core.autocrlf", "true")
    for script in ("tools/groundrules", "guards/no-merge-debris", "guards/no-keys-no-bulk", "Makefile"):
        assert b"\r" not in (clone.path / script).read_bytes(), script
    assert b"\r\n" in (clone.path / "README.md").read_bytes()
    for guard in ("no-merge-debris", "no-keys-no-bulk"):
        assert execute([f"./guards/{guard}"], clone.path, os.environ) == ""
    assert execute(["make", "-s", "gate"], clone.path, {**os.environ, "GROUNDRULES_COMMAND": "echo"}) == "gate"


@pytest.mark.parametrize("option", ["--trust", "--UNSAFE"])
def test_nothing_that_is_documented_asks_for_trust(render: Callable[..., Path], option: str) -> None:
    assert not [path for path, (content, _) in contents(render()).items() if option.encode() in content]
