"""Workflow, job and step: what a file of GitHub Actions says, with the steps of local composite actions in place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundrules.workflows import event
from groundrules.workflows.expression import has_status
from groundrules_hooks.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from groundrules.yaml_document import Node

    # The composite actions of the repository, by folder: path and document of each.
    Actions = Mapping[str, tuple[str, Node]]

MATRIX = re.compile(r"\$\{\{\s*matrix\.([\w-]+)\s*\}\}")
DEEPEST = 10  # actions in actions, as the forge allows


class Step(NamedTuple):
    """A step at its own place; `conditions` are its `if:` and those of the actions it is in, `env` all it sees."""

    path: str
    line: int
    id: str
    uses: str
    inputs: Node
    node: Node
    conditions: tuple[str, ...]
    env: dict[str, str]

    @property
    def action(self) -> str:
        """What it uses, without the version, in small letters."""
        return self.uses.partition("@")[0].lower()

    def can_run(self, name: str) -> bool:
        """Whether it may run in a job that the event `name` started."""
        return all(event.can_run(text, name) for text in self.conditions)


class Job(NamedTuple):
    """A job; `events` are those that may start it. `uses` is the workflow it calls, if it is one."""

    path: str
    line: int
    id: str
    name: str
    node: Node
    needs: tuple[str, ...]
    condition: str
    steps: tuple[Step, ...]
    uses: str
    events: frozenset[str] = frozenset()


class Workflow(NamedTuple):
    """A workflow; `triggers` is what its `on:` says of each event."""

    path: str
    name: str
    node: Node
    triggers: dict[str, Node]
    jobs: tuple[Job, ...]

    def event_line(self) -> int:
        """Return the line of its `on:`."""
        return self.node.line_of("on")


def workflow_of(path: str, document: Node, actions: Actions) -> Workflow:
    """Return the workflow in `document`; the events of its jobs are not known yet."""
    env = _env(document)
    jobs = tuple(_job(path, name, document.at("jobs"), env, actions) for name in document.at("jobs").keys)
    return Workflow(path, document.at("name").text, document, event.triggers(document.at("on")), jobs)


def _env(node: Node) -> dict[str, str]:
    return {name: held.text for name, held in node.at("env").keys.items()}


def _job(path: str, name: str, jobs: Node, env: dict[str, str], actions: Actions) -> Job:
    node = jobs.at(name)
    needs = tuple(item.text for item in node.at("needs").items)
    steps = tuple(_steps(path, node.at("steps"), {**env, **_env(node)}, (), actions))
    title = node.at("name").text or name
    return Job(path, jobs.line_of(name), name, title, node, needs, node.at("if").text, steps, node.at("uses").text)


def _steps(
    path: str, listed: Node, env: dict[str, str], outer: tuple[str, ...], actions: Actions, depth: int = 0
) -> Iterator[Step]:
    """Yield the steps of a list, those of a local action in its place."""
    for node in listed.items:
        seen = {**env, **_env(node)}
        conditions = (*outer, node.at("if").text)
        uses = node.at("uses").text
        action = actions.get(uses.removeprefix("./").rstrip("/")) if uses.startswith("./") else None
        if action and depth < DEEPEST:
            inner = action[1].at("runs", "steps")
            yield from _steps(action[0], inner, seen, conditions, actions, depth + 1)
        else:
            line = node.line_of("uses" if uses else "run")
            yield Step(path, line, node.at("id").text, uses, node.at("with"), node, conditions, seen)


def runners(job: Job) -> list[str]:
    """Return the runners that `job` asks for, those of its matrix each; the labels of one as one text."""
    asked = " ".join(node.text for node in job.node.at("runs-on").texts())
    if not (match := MATRIX.search(asked)):
        return [asked]
    matrix = job.node.at("strategy", "matrix")
    named = [*matrix.at(match[1]).items, *(item.at(match[1]) for item in matrix.at("include").items)]
    return list(dict.fromkeys(asked.replace(match[0], node.text) for node in named if node.text)) or [asked]


def with_events(workflows: tuple[Workflow, ...]) -> tuple[Workflow, ...]:
    """Return `workflows` with the events of every job: its own workflow's, or those of who calls it."""
    started = {each.path: frozenset(each.triggers) for each in workflows}
    while True:
        made = tuple(
            each._replace(jobs=tuple(_reached(each, job, started[each.path]) for job in each.jobs))
            for each in workflows
        )
        called = dict(started)
        for each in made:
            for job in each.jobs:
                there = called_path(each, job)
                if there in called:
                    called[there] |= job.events - {event.CALL}
        if called == started:
            return made
        started = called


def called_path(workflow: Workflow, job: Job) -> str:
    """Return the path of the local workflow that `job` calls; empty for none."""
    name = job.uses.removeprefix("./.github/workflows/")
    return f"{workflow.path.rpartition('/')[0]}/{name}" if name != job.uses else ""


def _reached(workflow: Workflow, job: Job, started: frozenset[str]) -> Job:
    jobs = {each.id: each for each in workflow.jobs}

    def starts(name: str, which: str, above: tuple[str, ...] = ()) -> bool:
        found = jobs.get(which)
        if found is None or which in above:
            return True
        if not event.can_run(found.condition, name):
            return False
        if has_status(found.condition):
            return True  # however those it needs have ended
        return all(starts(name, need, (*above, which)) for need in found.needs)

    return job._replace(events=frozenset(name for name in started if starts(name, job.id)))


def needed(workflow: Workflow, job: Job) -> frozenset[str]:
    """Return the ids of the jobs that `job` waits for, directly or not."""
    jobs = {each.id: each for each in workflow.jobs}
    found: set[str] = set()
    waiting = list(job.needs)
    while waiting:
        name = waiting.pop()
        if name in jobs and name not in found:
            found.add(name)
            waiting += jobs[name].needs
    return frozenset(found)
