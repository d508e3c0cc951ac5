"""Workflows at work: their jobs run here as the forge would run them, and a job that is left out is no pass."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from conftest import Repository
from gh import Forge
from template.conftest import NEEDS_POSTGRES, prove
from template.forge import Ran, document, run_job, run_workflow

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Make = Callable[..., Path]

DEEP = '\n[[check]]\nname = "{}"\ntier = "{}"\nrun = ["{}"]\n'


def results(ran: dict[str, Ran]) -> dict[str, str]:
    return {name: job.result for name, job in ran.items()}


def pushed(branch: str, before: str, head: str) -> dict[str, object]:
    """Return the event of a push to a branch of a repository whose default branch is `trunk`."""
    event = {"before": before, "repository": {"default_branch": "trunk"}}
    return {"event_name": "push", "ref_name": branch, "sha": head, "event": event}


@pytest.mark.parametrize(
    ("event", "result"),
    [
        ({"event_name": "schedule", "ref_name": "trunk", "event": {}}, "success"),
        (
            {"event_name": "push", "ref_name": "trunk", "event": {"repository": {"default_branch": "trunk"}}},
            "success",
        ),
        ({"event_name": "push", "ref_name": "next", "event": {"repository": {"default_branch": "trunk"}}}, "skipped"),
    ],
)
def test_environment_is_built_on_the_default_branch_alone(project: Path, event: dict[str, object], result: str) -> None:
    ran = run_workflow(project, "warm.yml", event)["warm"]
    assert ran.result == result
    assert ("commit-size" in ran.said) == (result == "success")


@pytest.mark.parametrize("event", ["pull_request", "merge_group", "push", "new branch"])
def test_quick_judges_the_commits_of_the_event_and_runs_what_they_need(project: Path, event: str) -> None:
    repository = Repository(project)
    settings = (project / "groundrules.toml").read_text()
    base = repository.commit("groundrules.toml", f'{settings}\n[[check]]\nname = "unit"\nrun = ["true"]\n')
    repository.git("switch", "-q", "-c", "task/T1-first")
    head = repository.commit("src/cart.py", message="wip")
    events: dict[str, dict[str, object]] = {
        "pull_request": {
            "event": {"pull_request": {"number": 7, "base": {"sha": base}, "head": {"sha": head}}},
            "head_ref": "task/T1-first",
        },
        "merge_group": {"event": {"merge_group": {"base_sha": base, "head_sha": head}}, "sha": head},
        "push": pushed("trunk", base, head),
        "new branch": pushed("trunk", "0" * 40, head),  # PSH-06
    }
    ran = run_workflow(project, "ci.yml", events[event])
    said = ran["quick"].said
    assert f"title=commit-message::{head[:10]}: the subject says only that work is in progress" in said
    assert ("title=handoff::" in said) == (event == "pull_request"), "only a pull request names the task's branch"
    assert "✓ unit " in said
    assert "1 commit, " in said
    assert results(ran) == {"quick": "failure", "deep": "skipped", "gate": "failure"}
    repository.git("commit", "-q", "--amend", "-m", "Add the cart")
    repository.git("branch", "-q", "-m", "cart")
    clean = str(events[event]).replace(head, repository.git("rev-parse", "HEAD")).replace("task/T1-first", "cart")
    ran = run_workflow(project, "ci.yml", eval(clean))  # noqa: S307 (our own table)
    assert results(ran) == {"quick": "success", "deep": "skipped", "gate": "success"}


def test_push_to_another_branch_runs_nothing(project: Path) -> None:
    head = Repository(project).commit("src/cart.py", message="wip")
    ran = run_workflow(project, "ci.yml", pushed("next", head, head))
    assert results(ran) == {"quick": "skipped", "deep": "skipped", "gate": "skipped"}


@pytest.mark.parametrize("branch", ["trunk", "next"])
def test_push_of_an_untested_tree_to_the_default_branch_opens_an_issue(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, branch: str
) -> None:
    # MERGE-10
    forge = Forge(tmp_path / "bin")
    monkeypatch.setenv("PATH", forge.path)
    repository = Repository(project)
    settings = (project / "groundrules.toml").read_text()
    base = repository.commit("groundrules.toml", f'{settings}\n[[check]]\nname = "unit"\nrun = ["true"]\n')
    head = repository.commit("src/cart.py", message="Add the cart")
    event, first = pushed(branch, base, head), pushed(branch, "0" * 40, head)
    ended = [run_workflow(project, "audit.yml", event)["audit"].result for _ in range(2)]
    assert ended == ["failure" if branch == "trunk" else "skipped"] * 2
    assert len(forge["issues"]) == (branch == "trunk")
    assert run_workflow(project, "audit.yml", first)["audit"].result == ("success" if branch == "trunk" else "skipped")


@pytest.mark.parametrize(
    ("quick", "deep", "later", "ended"),
    [
        ("success", "success", "api", "success"),
        ("success", "skipped", "", "success"),
        ("success", "skipped", "api", "failure"),
        ("success", "failure", "api", "failure"),
        ("success", "cancelled", "api", "failure"),
        ("failure", "skipped", "", "failure"),
        ("failure", "skipped", "api", "failure"),
        ("cancelled", "skipped", "", "failure"),
        ("skipped", "skipped", "", "failure"),
        ("skipped", "success", "", "failure"),
    ],
)
@pytest.mark.parametrize("more", ["", "success", "skipped", "failure"])
def test_gate_passes_only_when_every_need_succeeded_or_had_nothing_to_do(
    project: Path, quick: str, deep: str, later: str, ended: str, more: str
) -> None:
    # CI-02: a need that was skipped would count as passed; `more` is a job that a repository adds
    job = document("ci.yml")["jobs"]["gate"]
    assert set(job["needs"]) == set(document("ci.yml")["jobs"]) - {"gate"} == {"quick", "deep"}
    needs: dict[str, object] = {"quick": {"result": quick, "outputs": {"later": later}}, "deep": {"result": deep}}
    needs |= {"tests": {"result": more}} if more else {}
    expected = ended if more in ("", "success") else "failure"
    assert run_job(project, job, {"needs": needs}).result == expected


def pull_request(repository: Repository, base: str) -> dict[str, object]:
    """Return the event of a pull request with what `repository` has checked out."""
    head, branch = repository.git("rev-parse", "HEAD"), repository.git("branch", "--show-current")
    asked = {"number": 7, "base": {"sha": base}, "head": {"sha": head}}
    return {"event_name": "pull_request", "head_ref": branch, "event": {"pull_request": asked}}


@pytest.mark.parametrize(("program", "result"), [("true", "success"), ("false", "failure")])
def test_deep_check_that_a_contract_names_decides_over_the_merge(make: Make, program: str, result: str) -> None:
    project = make(skeleton="none")
    repository = Repository(project)
    settings = (project / "groundrules.toml").read_text()
    rows = DEEP.format("e2e", "deep", program) + DEEP.format("pair", "integration", "true")
    base = repository.commit("groundrules.toml", settings + rows + DEEP.format("slow", "deep", "false"))
    repository.git("switch", "-q", "-c", "task/T1-cart")
    repository.commit("tasks/T1.toml", 'checks = ["e2e", "pair"]\n', "Agree on the cart")
    repository.commit("src/cart.py", message="Add the cart\n\nGround-rules-allow: handoff (a spike)")
    ran = run_workflow(project, "ci.yml", pull_request(repository, base))
    assert results(ran) == {"quick": "success", "deep": result, "gate": result}
    assert "→ e2e           LATER    deep, needed, and not run here" in ran["quick"].said
    assert "PASSED" not in ran["quick"].said
    assert ("✓ e2e " in ran["deep"].said) == ("✓ pair " in ran["deep"].said) == (program == "true")
    assert " slow " not in ran["quick"].said + ran["deep"].said


@pytest.mark.parametrize(
    ("event", "labels", "ended"),
    [
        ("workflow_dispatch", [], "success"),
        ("pull_request", ["deep"], "success"),
        ("pull_request", [], "skipped"),
        ("merge_group", [], "skipped"),
        ("pull_request", ["deeper", "not-deep"], "skipped"),
    ],
)
def test_deep_runs_where_it_is_asked_for_and_its_gate_always(
    make: Make, event: str, labels: list[str], ended: str
) -> None:
    # CI-03, CI-04: the labels that are there count, not the one of the event
    project = make(skeleton="none")
    settings = (project / "groundrules.toml").read_text()
    Repository(project).commit("groundrules.toml", settings + DEEP.format("e2e", "deep", "true"))
    named = [{"name": label} for label in labels]
    github = {"event_name": event, "event": {"label": {"name": "deep"}, "pull_request": {"labels": named}}}
    ran = run_workflow(project, "deep.yml", github)
    assert results(ran) == {"plan": ended, "deep": ended, "gate": "success"}
    assert ("✓ e2e" in ran["deep"].said) == (ended == "success")


@pytest.mark.parametrize(
    ("more", "result"),
    [
        ("", "skipped"),
        (DEEP.format("e2e", "deep", "false"), "failure"),
        (DEEP.format("e2e", "deep", "true") + DEEP.format("pair", "integration", "true"), "success"),
    ],
)
def test_deep_does_what_there_is_and_nothing_is_no_failure(make: Make, more: str, result: str) -> None:
    project = make(skeleton="none")
    settings = (project / "groundrules.toml").read_text()
    Repository(project).commit("groundrules.toml", settings + more)
    ran = run_workflow(project, "deep.yml", {"event_name": "schedule"})
    gate = "failure" if result == "failure" else "success"
    assert [ran[name].result for name in ("plan", "deep", "gate")] == ["success", result, gate]


def test_plan_that_fails_fails_the_gate_of_deep(make: Make) -> None:
    project = make(skeleton="none")
    (project / "groundrules.toml").write_text("[ports\n")
    ran = run_workflow(project, "deep.yml", {"event_name": "schedule"})
    assert [ran[name].result for name in ("plan", "deep", "gate")] == ["failure", "skipped", "failure"]


@pytest.mark.parametrize("deep", ["failure", "cancelled", "skipped"])
def test_gate_of_deep_fails_when_work_was_not_done(project: Path, deep: str) -> None:
    job = document("deep.yml")["jobs"]["gate"]
    assert set(job["needs"]) == set(document("deep.yml")["jobs"]) - {"gate"}
    needs = {"plan": {"result": "success", "outputs": {"work": "true"}}, "deep": {"result": deep}}
    assert run_job(project, job, {"needs": needs}).result == "failure"


SERVICE = "services/api/__main__.py"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("", "", "/capabilities 200\n"),
        ('"level": level', '"level": "proven"', "api: /capabilities says {'health': 'proven'"),
    ],
)
def test_smoke_asks_the_service_and_hears_what_is_wrong(make: Make, old: str, new: str, said: str) -> None:
    project = make()
    text = (project / SERVICE).read_text()
    assert old in text
    Repository(project).commit(SERVICE, text.replace(old, new) if old else text)
    ran = run_workflow(project, "deep.yml", {"event_name": "schedule"})
    assert said in ran["deep"].said
    assert ran["gate"].result == ("failure" if old else "success")
    assert ("listening on http://" in ran["deep"].said) == bool(old), "a failure shows what the services wrote"


@NEEDS_POSTGRES
def test_stack_on_postgresql_gets_the_one_server_of_the_job(make: Make) -> None:
    service = document("stack.yml")["jobs"]["checks"]["services"]["postgres"]
    assert re.search(r"inputs.postgres && 'postgres:[\w.-]+@sha256:[0-9a-f]{64}' \|\| ''", service["image"])
    assert "pg_isready" in service["options"]
    project, job = make(skeleton="postgres"), server(make)
    ran = run_workflow(project, "deep.yml", {"event_name": "schedule"}, job=job)
    assert ran["plan"].outputs == {"work": "true", "stack": "true", "postgres": "true", "tiers": "deep"}
    assert "on GROUNDRULES_POSTGRES_URL" in ran["deep"].said
    assert "/healthz 200\n" in ran["deep"].said
    assert "✓ api           PASSED" in ran["deep"].said
    assert {each.result for each in ran.values()} == {"success"}


def server(make: Make) -> dict[str, object]:
    """Start a PostgreSQL beside the repository that is tested, and return what a job knows of it."""
    beside = make(skeleton="postgres")
    assert "✓ slot 0" in Repository(beside).command("up")
    (port,) = re.findall(r"DB_PORT=(\d+)", (beside / ".slot.env").read_text())
    return {"services": {"postgres": {"ports": {"5432": port}}}}


@pytest.mark.parametrize("skeleton", ["sqlite", pytest.param("postgres", marks=NEEDS_POSTGRES)])
def test_what_proves_a_capability_is_run_again_where_it_can_run(make: Make, skeleton: str) -> None:
    project = make(skeleton=skeleton)
    event = pull_request(Repository(project), prove(project))
    job = server(make) if skeleton == "postgres" else {}
    ran = run_workflow(project, "ci.yml", event, job=job)
    said = {name: "✓ api           PASSED" in each.said for name, each in ran.items()}
    if skeleton == "sqlite":
        assert results(ran) == {"quick": "success", "deep": "skipped", "gate": "success"}
        assert said == {"quick": True, "deep": False, "gate": False}
        return
    assert results(ran) == {"quick": "success", "deep": "success", "gate": "success"}, ran["quick"].said
    assert said == {"quick": False, "deep": True, "gate": False}
    assert "→ api           LATER    deep, needed, and not run here" in ran["quick"].said
    assert "on GROUNDRULES_POSTGRES_URL" in ran["deep"].said


@NEEDS_POSTGRES
def test_proof_that_no_server_lets_run_stops_the_merge_though_its_handoff_says_passed(make: Make) -> None:
    project = make(skeleton="postgres")
    event = pull_request(Repository(project), prove(project))
    ran = run_workflow(project, "ci.yml", event, job={"services": {"postgres": {"ports": {"5432": "1"}}}})
    assert "ready, 1 check; true of this commit" in ran["quick"].said
    assert results(ran) == {"quick": "success", "deep": "failure", "gate": "failure"}


@pytest.mark.parametrize(("target", "result"), [("deploy:\n\t@echo to $(DEPLOY_TO)\n", "success"), ("", "failure")])
def test_deployment_is_what_the_repository_says_and_none_fails(make: Make, target: str, result: str) -> None:
    project = make(skeleton="none")
    (project / "local.mk").write_text(target)
    ran = run_workflow(project, "deploy.yml", {}, inputs={"environment": "development-1"})["deploy"]
    assert ran.result == result
    assert ("to development-1" in ran.said, "No rule to make target" in ran.said) == (target != "", target == "")


def test_nothing_is_deployed_to_an_environment_without_a_name(make: Make) -> None:
    assert (
        run_workflow(make(skeleton="none"), "deploy.yml", {}, inputs={"environment": ""})["deploy"].result == "skipped"
    )
