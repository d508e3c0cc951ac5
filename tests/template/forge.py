"""What a forge does with its files, as far as ours use it: conditions, values, each script in a shell of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from conftest import IDENTITY, ROOT
from template.conftest import from_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# A name with dots, a text, a word of the expression language; what stands between is left alone.
TOKEN = re.compile(r"'([^']*)'|([a-z_]+(?:\.[\w*-]+|\['\w+'\])+)|(\|\|)|(&&)")
FOLDER = "template/{% if forge == 'github' %}.github{% endif %}/workflows"
OURS = {"GROUNDRULES_COMMAND": f"{sys.executable} -m groundrules", "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder"}


class Ran(NamedTuple):
    """A job that ended: `result` as the forge says it, what its scripts said, and its outputs."""

    result: str
    said: str = ""
    outputs: dict[str, str] = {}  # noqa: RUF012 (read only)


def document(name: str) -> dict[Any, Any]:
    """Return a workflow of the template, as YAML has it."""
    found: dict[Any, Any] = from_yaml(f"{ROOT}/{FOLDER}/{name}")
    return found


def evaluated(text: str, known: Mapping[str, Any]) -> Any:  # noqa: ANN401 (a value of the expression language)
    """Return the value of an expression over `known` contexts; a name that is nowhere is empty, as on the forge."""
    names: list[object] = []

    def python(match: re.Match[str]) -> str:
        literal, path, either, _ = match.groups()
        if literal is None and path is None:
            return " or " if either else " and "
        names.append(literal if path is None else find(known, re.findall(r"[\w*-]+", path)))
        return f" names[{len(names) - 1}] "

    functions = {
        "always": lambda: True,
        "failure": lambda: known.get("failed", False),
        "contains": lambda values, value: value in (values or ()),
        "join": lambda values, by: by.join(values),
        "hashFiles": lambda *paths: "-".join(paths),
    }
    value = eval(TOKEN.sub(python, text), {**functions, "names": names})  # noqa: S307 (our own files)
    return "" if value is None else value


def find(known: object, path: list[str]) -> Any:  # noqa: ANN401 (a value of the expression language)
    for index, key in enumerate(path):
        if key == "*":
            values = known.values() if isinstance(known, dict) else known or []
            return [find(value, path[index + 1 :]) for value in values]  # type: ignore[attr-defined]
        known = known.get(key) if isinstance(known, dict) else None
    return known


def filled(text: object, known: Mapping[str, Any]) -> str:
    """Return `text` with a value in place of each `${{ }}`."""
    return re.sub(r"\$\{\{(.*?)\}\}", lambda match: str(evaluated(match[1].strip(), known)), str(text))


def condition(text: object, known: Mapping[str, Any]) -> bool:
    return bool(evaluated(str(text).removeprefix("${{").removesuffix("}}").strip(), known))


def run_workflow(project: Path, name: str, event: Mapping[str, Any], **contexts: object) -> dict[str, Ran]:
    """Run the jobs of a workflow of GitHub in `project`, those with needs after them, and return how each ended.

    `contexts` are what jobs know beside the event and their needs, such as the servers beside them.
    """
    jobs = from_yaml(project / ".github/workflows" / name)["jobs"]
    ran: dict[str, Ran] = {}
    while waiting := [job for job in jobs if job not in ran]:
        job = next(each for each in waiting if not set(jobs[each].get("needs", [])) - set(ran))
        needs = {need: ran[need]._asdict() for need in jobs[job].get("needs", [])}
        ran[job] = run_job(project, jobs[job], {**contexts, "github": event, "needs": needs})
    return ran


def run_job(project: Path, job: dict[str, Any], known: dict[str, Any]) -> Ran:
    """Run the steps of a job that are scripts; an action stands for itself: there is nothing of ours in it."""
    usual = all(need["result"] == "success" for need in known["needs"].values())
    if not (condition(job["if"], known) if "if" in job else usual) or not (usual or "always()" in job.get("if", "")):
        return Ran("skipped")
    if "uses" in job:
        return run_called(project, job, known)
    said, failed = "", False
    known["steps"], files = {}, {name: project.parent / name for name in ("GITHUB_OUTPUT", "GITHUB_ENV")}
    for file in files.values():
        file.write_text("")
    for step in (step for step in job["steps"] if "run" in step):
        known["failed"] = failed
        wanted = condition(step["if"], known) if "if" in step else True
        if not wanted or (failed and "failure()" not in step.get("if", "")):
            continue
        env = {name: filled(text, known) for name, text in step.get("env", {}).items()}
        env |= {**pairs(files["GITHUB_ENV"]), **{name: str(path) for name, path in files.items()}}
        code, words = shell(["bash", "-e", "-c", step["run"]], project, env)
        said, failed = said + words, failed or code != 0
        known["steps"][step.get("id", "")] = {"outputs": pairs(files["GITHUB_OUTPUT"])}
    outputs = {name: filled(text, known) for name, text in job.get("outputs", {}).items()}
    return Ran("failure" if failed else "success", said, outputs)


def run_called(project: Path, job: dict[str, Any], known: dict[str, Any]) -> Ran:
    """Run the workflow of this repository that a job calls; it knows the event of its caller, and what it is given."""
    called = job["uses"].removeprefix("./.github/workflows/")
    declared = from_yaml(project / job["uses"])[True]["workflow_call"]["inputs"]  # `on` is a truth in YAML
    assert set(job["with"]) <= set(declared)
    assert {name for name, each in declared.items() if each.get("required")} <= set(job["with"])
    inputs = {name: each.get("default") for name, each in declared.items()}
    inputs |= {name: evaluated(text.strip("${ }"), known) for name, text in job["with"].items()}
    contexts = {name: value for name, value in known.items() if name not in ("github", "needs")}
    ran = run_workflow(project, called, known["github"], **{**contexts, "inputs": inputs})
    failed = any(each.result != "success" for each in ran.values())
    return Ran("failure" if failed else "success", "".join(each.said for each in ran.values()))


def pairs(file: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in file.read_text().splitlines())


def shell(argv: list[str], project: Path, env: Mapping[str, str]) -> tuple[int, str]:
    """Run a script as a runner does; return its exit code and all it said."""
    everything = {**os.environ, **IDENTITY, **OURS, **env}
    done = subprocess.run(
        argv, cwd=project, env=everything, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def gitlab_jobs(path: Path, variables: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the jobs of a pipeline of GitLab, and what their rules set; `changes` count as met.

    There are none where `workflow` starts no pipeline.
    """
    settings = from_yaml(path)
    if not any(holds(rule["if"], variables) for rule in settings["workflow"]["rules"]):
        return {}
    jobs = {name: job for name, job in settings.items() if isinstance(job, dict) and "script" in job}
    met = {name: [rule for rule in job["rules"] if holds(rule["if"], variables)] for name, job in jobs.items()}
    return {name: rules[0].get("variables", {}) for name, rules in met.items() if rules}


def holds(rule: str, variables: Mapping[str, str]) -> bool:
    """Whether a rule of GitLab holds: variables, texts, `==`, `=~ /expression/`, `&&` and `||`."""

    def one(part: str) -> bool:
        name, operator, value = part.strip().split(" ", 2)
        left = variables.get(name.removeprefix("$"))
        if operator == "=~":
            return left is not None and re.search(value.strip("/"), left) is not None
        assert operator == "=="
        return left == (variables.get(value[1:]) if value.startswith("$") else value.strip('"'))

    return any(all(one(part) for part in either.split("&&")) for either in rule.split("||"))


def run_gitlab(project: Path, job: str, **variables: str) -> tuple[int, str]:
    """Run the script of a job of GitLab as its runner does in an image with bash."""
    found = from_yaml(project / ".gitlab-ci.yml")[job]
    (project / "passed.env").unlink(missing_ok=True)  # a runner cleans the checkout
    return shell(["bash", "-eo", "pipefail", "-c", "\n".join(found["script"])], project, variables)
