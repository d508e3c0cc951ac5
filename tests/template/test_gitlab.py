"""The pipeline of GitLab: which jobs run when, each script of them run here, and a cache with one writer."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

import pytest

from conftest import Repository
from template.conftest import GITLAB, NEEDS_POSTGRES, execute, from_yaml, prove, start
from template.forge import gitlab_jobs, pairs, run_gitlab

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Make = Callable[..., Path]

BESIDE = os.path.dirname(sys.executable)
REQUEST = {"CI_PIPELINE_SOURCE": "merge_request_event", "CI_MERGE_REQUEST_LABELS": "bug"}
MAIN = {"CI_COMMIT_BRANCH": "trunk", "CI_DEFAULT_BRANCH": "trunk"}
UNJUDGED = {"gate", "warm", "audit", "deploy"}  # the gate, and what it asks nothing of
DEEP = '\n[[check]]\nname = "e2e"\ntier = "deep"\nrun = ["{}"]\n'


def test_image_of_the_pipeline_is_pinned(render: Make) -> None:
    path = render(**GITLAB) / ".gitlab-ci.yml"
    assert re.fullmatch(r"python:[\w.-]+@sha256:[0-9a-f]{64}", from_yaml(path)["default"]["image"])


@pytest.mark.parametrize(
    ("variables", "jobs"),
    [
        (REQUEST, {"quick", "gate"}),
        ({**REQUEST, "CI_MERGE_REQUEST_LABELS": "bug,deep"}, {"quick", "deep", "gate"}),
        ({**REQUEST, "CI_MERGE_REQUEST_LABELS": "deeper"}, {"quick", "gate"}),
        ({"CI_PIPELINE_SOURCE": "push", **MAIN}, {"quick after push", "audit", "gate", "warm"}),
        ({"CI_PIPELINE_SOURCE": "schedule", **MAIN}, {"deep", "gate", "warm"}),
        ({"CI_PIPELINE_SOURCE": "web", **MAIN}, {"deep", "gate"}),
        ({"CI_PIPELINE_SOURCE": "web", **MAIN, "CI_COMMIT_BRANCH": "next"}, {"deep", "gate"}),
        ({"CI_PIPELINE_SOURCE": "web", **MAIN, "DEPLOY_TO": "development-1"}, {"deep", "gate", "deploy"}),
        ({"CI_PIPELINE_SOURCE": "push", **MAIN, "CI_COMMIT_BRANCH": "task/T1"}, set()),  # its request has a pipeline
        ({"CI_PIPELINE_SOURCE": "push", "CI_COMMIT_TAG": "v1", "CI_DEFAULT_BRANCH": "trunk"}, set()),
    ],
)
def test_each_event_has_one_pipeline_and_these_jobs(render: Make, variables: dict[str, str], jobs: set[str]) -> None:
    path = render(**GITLAB) / ".gitlab-ci.yml"
    found = gitlab_jobs(path, variables)
    assert set(found) == jobs
    if jobs:  # the gate waits for exactly those that can stop it
        told = {from_yaml(path)[name]["script"][-1].partition(">")[0] for name in jobs - UNJUDGED}
        assert told == {f"echo GROUNDRULES_{name}=passed " for name in found["gate"]["JOBS"].split()}


def test_merge_requests_read_the_cache_and_only_the_default_branch_writes_it(render: Make) -> None:
    # CI-07, CI-16, CI-17
    path = render(**GITLAB) / ".gitlab-ci.yml"
    cached = {name: job["cache"] for name, job in from_yaml(path).items() if isinstance(job, dict) and job.get("cache")}
    assert {name: cache["policy"] for name, cache in cached.items()} == {"quick": "pull", "warm": "push"}
    for key in ("key", "paths", "unprotect"):
        assert cached["quick"][key] == cached["warm"][key]
    assert "warm" not in gitlab_jobs(path, REQUEST)
    assert "quick" not in gitlab_jobs(path, {"CI_PIPELINE_SOURCE": "push", **MAIN})
    uncached = {name for name, job in from_yaml(path).items() if isinstance(job, dict) and job.get("cache") == []}
    assert uncached == {"quick after push", "audit", "deep", "gate", "deploy"}


def test_gate_comes_after_every_job_that_can_stop_it_and_runs_whatever_became_of_them(render: Make) -> None:
    settings = from_yaml(render(**GITLAB) / ".gitlab-ci.yml")
    jobs = {name: job for name, job in settings.items() if isinstance(job, dict) and "script" in job}
    before = settings["stages"][: settings["stages"].index("gate")]
    assert {name for name, job in jobs.items() if job["stage"] in before} == set(jobs) - {"gate", "deploy", "warm"}
    assert {name for name in jobs if jobs[name].get("allow_failure")} == {"warm", "audit"}
    assert "needs" not in jobs["gate"], "without it, the jobs of all stages before it tell it that they have passed"
    assert {rule["when"] for rule in jobs["gate"]["rules"]} == {"always"}
    telling = {name for name, job in jobs.items() if job.get("artifacts") == {"reports": {"dotenv": "passed.env"}}}
    assert telling == set(jobs) - UNJUDGED


@pytest.mark.parametrize(
    ("jobs", "passed", "code"),
    [
        ("quick", "quick", 0),
        ("quick deep", "quick deep", 0),
        ("deep", "deep", 0),
        ("quick", "", 1),
        ("quick deep", "quick", 1),
        ("quick deep", "deep", 1),
        ("deep", "quick", 1),
    ],
)
def test_gate_passes_only_when_every_job_of_its_pipeline_has(
    render: Make, tmp_path: Path, jobs: str, passed: str, code: int
) -> None:
    project = start(render(**GITLAB), tmp_path / "shop")
    told = {f"GROUNDRULES_{name}": "passed" for name in passed.split()}
    assert run_gitlab(project, "gate", JOBS=jobs, **told)[0] == code


def told(project: Path) -> dict[str, str]:
    """Return what the job that ran last hands to the gate."""
    path = project / "passed.env"
    return pairs(path) if path.exists() else {}


def cloned(project: Path, folder: Path, commit: str, *refs: str) -> Path:
    """Return a checkout as the runner makes it: one commit, detached, with its history; `refs` are all that it has."""
    execute(["git", "init", "-q", "--template=", str(folder)], project, os.environ)
    clone = Repository(folder)
    clone.git("fetch", "-q", str(project), *(f"{commit}:{ref}" for ref in ("refs/pipelines/7", *refs)))
    clone.git("checkout", "-q", "--detach", commit)
    return folder


@pytest.mark.parametrize("event", ["branch", "merged result", "train", "push"])
def test_quick_judges_the_commits_of_the_event(render: Make, tmp_path: Path, event: str) -> None:
    project = start(render(**GITLAB), tmp_path / "shop")
    repository = Repository(project)
    settings = (project / "groundrules.toml").read_text()
    base = repository.commit("groundrules.toml", f'{settings}\n[[check]]\nname = "unit"\nrun = ["true"]\n')
    repository.git("switch", "-q", "-c", "task/T1-first")
    head = repository.commit("src/cart.py", message="wip")
    repository.git("switch", "-q", "--detach", base)
    repository.git("merge", "-q", "--no-ff", "-m", "Merge the cart", head)
    merged = repository.git("rev-parse", "HEAD")
    known = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "task/T1-first"}
    job, commit, variables = {
        "branch": ("quick", head, known),
        "merged result": ("quick", merged, {**known, "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": head}),
        "train": (
            "quick",
            merged,
            {**known, "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": head, "CI_MERGE_REQUEST_EVENT_TYPE": "merge_train"},
        ),
        "push": ("quick after push", head, {"CI_COMMIT_BEFORE_SHA": base}),
    }[event]
    refs = () if job == "quick" else ("refs/remotes/origin/main",)
    checkout = cloned(project, tmp_path / "builds", commit, *refs)
    code, said = run_gitlab(checkout, job, CI_COMMIT_SHA=commit, **variables)
    assert (code, told(checkout)) == (1, {})
    assert f"commit-message: {head[:10]}: the subject says only that work is in progress" in said
    assert ("task T1 has work and no handoff" in said) == (event in ("branch", "merged result"))
    assert "✓ unit " in said
    assert ("2 commits, " if event == "train" else "1 commit, ") in said, "the forge's own merge counts in a train"


def test_first_push_of_the_default_branch_passes(render: Make, tmp_path: Path) -> None:
    # PSH-06
    project = start(render(**GITLAB), tmp_path / "shop")
    head = Repository(project).git("rev-parse", "HEAD")
    checkout = cloned(project, tmp_path / "builds", head, "refs/remotes/origin/main")
    for job, expected in (("quick after push", "0 findings"), ("audit", "a new branch: nothing landed on it")):
        code, said = run_gitlab(checkout, job, CI_COMMIT_SHA=head, CI_COMMIT_BEFORE_SHA="0" * 40)
        assert code == 0, said
        assert expected in said
        assert told(checkout) == ({} if job == "audit" else {"GROUNDRULES_quick": "passed"})


def test_tree_that_nobody_tested_fails_after_the_push(render: Make, tmp_path: Path) -> None:
    # MERGE-10: a job has no right to open an issue there, so it fails
    project = start(render(**GITLAB), tmp_path / "shop")
    settings = (project / "groundrules.toml").read_text()
    base = Repository(project).commit("groundrules.toml", f'{settings}\n[[check]]\nname = "unit"\nrun = ["true"]\n')
    head = Repository(project).commit("src/cart.py")
    checkout = cloned(project, tmp_path / "builds", head, "refs/remotes/origin/main")
    code, said = run_gitlab(checkout, "audit", CI_COMMIT_SHA=head, CI_COMMIT_BEFORE_SHA=base)
    assert code == 1
    assert f"✗ {head[:7]}       unit MISSING: never ran" in said


def test_warm_runs(render: Make, tmp_path: Path) -> None:
    project = start(render(**GITLAB), tmp_path / "shop")
    code, said = run_gitlab(project, "warm")
    assert code == 0
    assert "commit-size" in said


@pytest.mark.parametrize(("program", "code"), [("true", 0), ("false", 1)])
def test_deep_checks_run_without_a_stack(render: Make, tmp_path: Path, program: str, code: int) -> None:
    project = start(render(**GITLAB), tmp_path / "shop")
    settings = (project / "groundrules.toml").read_text()
    Repository(project).commit("groundrules.toml", settings + DEEP.format(program))
    ended, said = run_gitlab(project, "deep")
    assert ended == code
    assert " e2e " in said
    assert told(project) == ({} if code else {"GROUNDRULES_deep": "passed"})


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that an installer of packages notes its words in; what it would install is here."""
    installer = tmp_path / "bin/apt-get"
    installer.parent.mkdir()
    installer.write_text(f'#!/bin/sh\necho "$@" >>{tmp_path}/installed\n')
    installer.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    return tmp_path / "installed"


SKELETONS = pytest.mark.parametrize("skeleton", ["sqlite", pytest.param("postgres", marks=NEEDS_POSTGRES)])


@SKELETONS
def test_deep_brings_the_stack_up_and_asks_it(make: Make, installed: Path, skeleton: str) -> None:
    code, said = run_gitlab(make(forge="gitlab", skeleton=skeleton), "deep")
    assert code == 0, said
    assert "/healthz 200\n" in said
    assert "/capabilities 200\n" in said
    words = installed.read_text() if skeleton == "postgres" else "postgresql"
    assert words.split()[-1] == "postgresql"
    assert installed.exists() == (skeleton == "postgres")


@SKELETONS
def test_what_proves_a_capability_is_run_again_on_the_head(make: Make, installed: Path, skeleton: str) -> None:
    project = make(forge="gitlab", skeleton=skeleton)
    repository = Repository(project)
    base = prove(project)
    head = repository.git("rev-parse", "HEAD")
    repository.git("switch", "-q", "--detach", base)
    repository.commit("docs/other.md")  # the target moved, and the forge tests what both merge to
    repository.git("merge", "-q", "--no-ff", "-m", "Merge the task", head)
    known = {
        "CI_COMMIT_SHA": repository.git("rev-parse", "HEAD"),
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": base,
        "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "task/T1-health",
        "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": head,
    }
    code, said = run_gitlab(project, "quick", **known)
    assert (code, told(project)) == (0, {"GROUNDRULES_quick": "passed"}), said
    deep = skeleton == "postgres"
    assert ("→ api           LATER    deep, needed, and not run here" in said) == deep
    assert said.count("✓ api           PASSED") == 1
    assert ("/healthz 200\n" in said) == installed.exists() == deep
    assert (repository.git("rev-parse", "HEAD") == head) == deep, "the stack is that of the files that are tested"


@pytest.mark.parametrize(("program", "code"), [("true", 0), ("false", 123)])
@pytest.mark.parametrize("job", ["quick", "quick after push"])
def test_deep_check_that_a_contract_names_decides_over_the_job(
    render: Make, tmp_path: Path, job: str, program: str, code: int
) -> None:
    project = start(render(**GITLAB), tmp_path / "shop")
    repository = Repository(project)
    settings = (project / "groundrules.toml").read_text()
    pair = '\n[[check]]\nname = "pair"\ntier = "integration"\nrun = ["true"]\n'
    base = repository.commit("groundrules.toml", settings + DEEP.format(program) + pair)
    repository.commit("tasks/T1.toml", 'checks = ["e2e", "pair"]\n', "Agree on the cart\n\nTask: T1")
    head = repository.commit("src/cart.py", message="Add the cart\n\nTask: T1\nGround-rules-allow: handoff (a spike)")
    known = {"CI_COMMIT_SHA": head, "CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "CI_COMMIT_BEFORE_SHA": base}
    ended, said = run_gitlab(project, job, **known)
    assert (ended, told(project)) == (code, {} if code else {"GROUNDRULES_quick": "passed"}), said
    assert "→ e2e           LATER    deep, needed, and not run here" in said
    assert "✓ pair " in said


def test_a_stack_that_does_not_come_up_fails_the_job(make: Make) -> None:
    project = make(forge="gitlab")
    settings = (project / "groundrules.toml").read_text()
    broken = re.sub("^migrate = .*$", 'migrate = ["false"]', settings, flags=re.MULTILINE)
    assert broken != settings
    Repository(project).commit("groundrules.toml", broken + DEEP.format("true"))
    code, said = run_gitlab(project, "deep")
    assert code != 0
    assert "migrations failed" in said


def test_no_line_of_a_script_goes_on_after_a_failure(render: Make) -> None:
    jobs = from_yaml(render(**GITLAB) / ".gitlab-ci.yml")
    lines = [line for job in jobs.values() if isinstance(job, dict) for line in job.get("script", ())]
    assert len(lines) > 5
    assert [line for line in lines if "&&" in line or "||" in line] == []


def test_cached_folder_is_below_the_project_and_no_part_of_it(render: Make, tmp_path: Path) -> None:
    project = start(render(**GITLAB), tmp_path / "shop")
    settings = from_yaml(project / ".gitlab-ci.yml")
    home = settings["variables"]["GROUNDRULES_HOME"].replace("$CI_PROJECT_DIR", str(project))
    assert settings["warm"]["cache"]["paths"] == [f"{os.path.relpath(home, project)}/env"]
    Repository(project).write(".cache/groundrules/env/v1/bin/python")
    assert Repository(project).git("status", "--short") == ""


@pytest.mark.parametrize("name", ["", "development 1", "a;b", "$HOME", "é"])
def test_only_a_plain_name_of_an_environment_is_deployed_to(render: Make, name: str) -> None:
    path = render(**GITLAB) / ".gitlab-ci.yml"
    assert "deploy" not in gitlab_jobs(path, {"CI_PIPELINE_SOURCE": "web", "DEPLOY_TO": name, **MAIN})
    assert "deploy" not in gitlab_jobs(path, {**REQUEST, "DEPLOY_TO": "development-1"})


def test_two_tasks_are_never_deployed_to_one_environment_at_once(render: Make) -> None:
    settings = from_yaml(render(**GITLAB) / ".gitlab-ci.yml")
    job = settings["deploy"]
    assert (job["resource_group"], job["environment"]) == ("deploy-$DEPLOY_TO", "$DEPLOY_TO")
    assert not job["interruptible"]
    assert settings["variables"]["DEPLOY_TO"]["value"] == ""


@pytest.mark.parametrize(("target", "code"), [("deploy:\n\t@echo to $(DEPLOY_TO)\n", 0), ("", 2)])
def test_deployment_is_what_the_repository_says_and_none_fails(make: Make, target: str, code: int) -> None:
    project = make(**GITLAB)
    (project / "local.mk").write_text(target)
    done, said = run_gitlab(project, "deploy", DEPLOY_TO="development-1")
    assert done == code
    assert ("to development-1" in said, "No rule to make target" in said) == (code == 0, code == 2)
