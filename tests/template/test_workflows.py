"""Workflows as files: pinned, bounded, with the least rights, nothing to inject, and a cache with one writer."""

from __future__ import annotations

import json
import os
import re
import sys
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT
from template.conftest import execute, from_yaml
from template.forge import FOLDER, document
from template.validity import WORKFLOW, audit

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Make = Callable[..., Path]

BESIDE = os.path.dirname(sys.executable)
FILES = ("ci.yml", "deep.yml", "warm.yml", "audit.yml", "stack.yml", "deploy.yml")
AUDIT = {"checks": "read", "contents": "read", "issues": "write"}
ACTIONS = {"actions/checkout", "actions/cache/restore", "actions/cache/save"}


def read(name: str) -> str:
    with open(f"{ROOT}/{name}", encoding="utf-8") as file:
        return file.read()


def test_no_answer_is_rendered_into_a_workflow() -> None:
    # CI-13: linters do not read such a file, and an answer in it is a way in
    names = [os.path.join(folder, name) for folder, _, names in os.walk(f"{ROOT}/template") for name in names]
    found = [name for name in names if "forge == " in name and "/tools/" not in name]
    assert len(found) >= 6
    assert not [name for name in found if name.endswith(".jinja")]


@pytest.mark.parametrize("name", FILES)
def test_every_action_is_known_and_pinned_with_its_version_beside(name: str) -> None:
    # CI-11
    text = read(f"{FOLDER}/{name}")
    used = re.findall(r"uses: (\S+?)@(\S+)(.*)", text)
    assert len(used) + text.count("uses: ./") == text.count("uses: ") > 0
    for action, revision, comment in used:
        assert action in ACTIONS
        assert re.fullmatch("[0-9a-f]{40}", revision)
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment)


@pytest.mark.parametrize("name", FILES)
def test_every_job_is_named_bounded_and_has_the_least_rights(name: str) -> None:
    text, workflow = read(f"{FOLDER}/{name}"), document(name)
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert job["name"]
        assert job["permissions"] in ({}, {"contents": "read"}, *([AUDIT] if name == "audit.yml" else []))
        if "uses" in job:
            assert job["uses"] == "./.github/workflows/stack.yml"
            continue
        assert job["timeout-minutes"] <= 60
        assert job["runs-on"] == "ubuntu-24.04"
    assert text.count("contents: read") == text.count("contents: read # to check out")
    assert not re.search(r"run:.*\$\{\{", text)
    if name == "stack.yml":  # one that is called would be in the group of its caller, and wait for it
        assert "concurrency" not in workflow
        return
    cancel = workflow["concurrency"]["cancel-in-progress"]
    assert cancel in (False, "${{ github.event_name == 'pull_request' }}"), "the target is never cancelled"  # CI-18


def test_events_are_those_that_a_required_check_needs() -> None:
    # CI-01, CI-03
    ci, deep, warm, audit, stack, deploy = (document(name)[True] for name in FILES)  # `on` is a truth in YAML
    assert set(ci) == {"pull_request", "merge_group", "push"}
    assert "paths" not in str(ci)
    assert set(deep) == {"pull_request", "merge_group", "schedule", "workflow_dispatch"}
    assert {"labeled", "unlabeled", "synchronize", "opened"} <= set(deep["pull_request"]["types"])
    assert set(warm) == {"push", "schedule"}
    assert audit == {"push": ci["push"]}
    assert set(stack) == {"workflow_call"}
    assert set(deploy) == {"workflow_dispatch"}


def test_only_the_step_that_audits_can_write_and_no_push_drops_the_run_of_another() -> None:
    workflow = document("audit.yml")
    (job,) = workflow["jobs"].values()
    holders = [step["name"] for step in job["steps"] if "github.token" in str(step)]
    assert holders == ["Name what nobody tested"]
    assert read(f"{FOLDER}/audit.yml").count("github.token") == 1
    assert workflow["concurrency"]["group"].endswith("${{ github.sha }}")


def test_only_the_default_branch_writes_the_cache_and_what_it_writes_is_what_is_read() -> None:
    # CI-05, CI-06, CI-07, CI-08, CI-16, CI-17
    steps = [
        (name, step["uses"].partition("@")[0].rpartition("/")[2], step["with"])
        for name in FILES
        for job in document(name)["jobs"].values()
        for step in job.get("steps", ())
        if "actions/cache" in step.get("uses", "")
    ]
    assert [(name, action) for name, action, _ in steps] == [
        ("ci.yml", "restore"),
        ("warm.yml", "save"),
        ("audit.yml", "restore"),
        ("stack.yml", "restore"),
    ]
    (written,) = (settings for _, action, settings in steps if action == "save")
    for _, _, settings in steps:
        assert settings["path"] == written["path"]
        assert settings["key"] == written["key"]
        assert written["key"].startswith(settings.get("restore-keys", ""))
    assert "ubuntu-24.04" in written["key"]
    assert "hashFiles('.copier-answers.yml', 'tools/groundrules')" in written["key"]
    assert written["key"].endswith("${{ github.run_id }}")


def test_branch_that_writes_nothing_replaces_no_waiting_run_of_the_one_that_does() -> None:
    # a job's `if` is judged after its run has entered the group
    assert document("warm.yml")["concurrency"]["group"].endswith("${{ github.ref }}")
    assert read(".github/workflows/warm.yml") == read(f"{FOLDER}/warm.yml")


def test_two_tasks_are_never_deployed_to_one_environment_at_once() -> None:
    workflow = document("deploy.yml")
    assert workflow[True]["workflow_dispatch"]["inputs"]["environment"]["type"] == "environment"
    (job,) = workflow["jobs"].values()
    assert workflow["concurrency"] == {"group": "deploy-${{ inputs.environment }}", "cancel-in-progress": False}
    assert job["environment"] == "${{ inputs.environment }}"


def test_this_repository_adds_its_tests_to_the_workflow_and_to_its_gate() -> None:
    # CI-02
    own, shipped = from_yaml(f"{ROOT}/.github/workflows/ci.yml"), document("ci.yml")
    added = own["jobs"].pop("tests")
    assert [step["run"] for step in added["steps"] if "run" in step] == ["bash .ci/run"]
    assert own["jobs"]["gate"].pop("needs") == [*shipped["jobs"]["gate"].pop("needs"), "tests"]
    assert own == shipped
    audit(f"{ROOT}/.github/workflows/ci.yml", WORKFLOW)


def test_own_command_is_built_once_where_the_workflow_keeps_it(tmp_path: Path) -> None:
    root = tmp_path / "checkout"
    for name in ("tools/groundrules", "tools/environment", "pyproject.toml"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(read(name))
    # What it installs is the network's; that it asks once, in the place that is kept, is ours.
    (root / "tools/environment").write_text(
        'echo built >>log\nmkdir -p "$1/bin"\nprintf \'#!/bin/sh\\necho "$@"\' >"$1/bin/python"\n'
        'cp "$1/bin/python" "$1/bin/groundrules"\nchmod +x "$1"/bin/*\n'
    )
    env = {**os.environ, "HOME": str(tmp_path)}
    for _ in range(2):
        said = execute(["sh", f"{root}/tools/groundrules", "gate", "--rerun"], tmp_path, env)
        assert said == "-I -m groundrules gate --rerun"
    assert (root / "log").read_text() == "built\n"
    kept = document("warm.yml")["jobs"]["warm"]["steps"][-1]["with"]["path"].replace("~", str(tmp_path))
    assert len(os.listdir(kept)) == 1


def test_update_bot_sees_every_pin_that_the_template_ships() -> None:
    # CI-15
    settings = json.loads(read("renovate.json"))
    for manager, pin in (("github-actions", r"uses: \S+@[0-9a-f]{40}"), ("gitlabci", r"image: \S+@sha256:")):
        (pattern,) = settings[manager]["managerFilePatterns"]
        pinned = [
            path
            for folder, _, names in os.walk(f"{ROOT}/template")
            for path in (os.path.relpath(os.path.join(folder, name), ROOT) for name in names)
            if "workflows/" in path or "gitlab-ci" in path
            if re.search(pin, read(path))
        ]
        assert pinned
        assert all(re.search(pattern.strip("/"), path) for path in pinned)
    (images,) = settings["customManagers"]
    (expression,) = images["matchStrings"]
    found = re.findall(expression.replace("(?<", "(?P<"), read(f"{FOLDER}/stack.yml"))
    assert [(name, version) for name, version, _ in found] == [("postgres", "17-bookworm")]
    assert re.search(images["managerFilePatterns"][0].strip("/"), f"{FOLDER}/stack.yml")
