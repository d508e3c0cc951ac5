"""Traps of labels: gates that stay green when the label goes, or that open at the moment of labelling alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundrules.workflows import event
from groundrules.workflows.expression import truth
from groundrules.workflows.repository import Hit
from groundrules.workflows.required import gathers, is_required

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.workflows.expression import Value
    from groundrules.workflows.repository import Repository
    from groundrules.workflows.workflow import Job, Workflow

LABEL = re.compile(r"pull_request\.labels|github\.event\.label\b")
# The question whether a label is there, with the labels in one text too.
HAS_LABEL = re.compile(
    r"contains\(\s*(?:(?:toJSON|join)\(\s*github\.event\.pull_request\.labels[^()]*\)|"
    r"github\.event\.pull_request\.labels)[^()]*\)",
    re.IGNORECASE,
)
LIKELY = (False, None, True)
MOMENT = "github.event.label.name"
OTHERWISE = ("github.event.action", "pull_request.labels")  # then other occasions are thought of


def unlabeled(repository: Repository) -> Iterator[Hit]:
    """Yield each `types:` with labeled, without unlabeled, where a label decides a check.

    Without pushes, a label starts what nobody waits for, such as a preview, unless a merge waits for it.
    """
    for workflow in repository.workflows:
        pull = workflow.triggers.get(event.PULL)
        types = {item.text for item in pull.at("types").items} if pull else set()
        if not pull or "labeled" not in types or "unlabeled" in types:
            continue
        waited_for = any(_asks(job) for job in _waited_for(repository, workflow))
        if waited_for or ("synchronize" in types and _decides(workflow)):
            yield Hit(
                workflow.path,
                pull.line_of("types"),
                "labeled without unlabeled: what the label decided stays when it goes",
            )


def _decides(workflow: Workflow) -> bool:
    """Whether a label decides what a check says: it skips a job, fails one, or is read by one.

    A job that a label starts, and nothing else, says nothing about pull requests without it.
    """
    asking = [job for job in workflow.jobs if _asks(job)]
    return any(_skips(job.condition) or _only_fails(job) or not LABEL.search(job.condition) for job in asking)


def _asks(job: Job) -> bool:
    """Whether anything in `job` asks for a label."""
    return any(LABEL.search(node.text) for node in job.node.texts())


def _waited_for(repository: Repository, workflow: Workflow) -> list[Job]:
    """Return the jobs that a merge waits for: the required ones, those that gather others, and all that they need."""
    found = [job for job in workflow.jobs if is_required(job, repository.required) or gathers(job, repository.required)]
    for job in found:  # grows on the way
        found += [each for each in workflow.jobs if each.id in job.needs and each not in found]
    return found


def _skips(text: str) -> bool:
    """Whether a label may keep the condition from holding for a pull request, which else may hold."""
    known = event.facts(event.PULL)
    there, gone = (truth(HAS_LABEL.sub(has, text), known) for has in ("true", "false"))
    return LIKELY.index(there) < LIKELY.index(gone)


def _only_fails(job: Job) -> bool:
    """Whether `job` is there to fail: a step that always runs ends so."""
    ends = [step.node.at("run").text.strip().splitlines()[-1:] for step in job.steps if not any(step.conditions)]
    return ["exit 1"] in ends


def event_name(repository: Repository) -> Iterator[Hit]:
    """Yield each `if:` that only the label just set can fulfil, in a workflow that starts on other occasions too."""
    for workflow in repository.workflows:
        waited_for = _waited_for(repository, workflow)
        for job, text, line in _conditions(workflow):
            if MOMENT in text and any(_closed(text, name) for name in _starts(workflow, job, waited_for)):
                message = f"{MOMENT} is empty in every run that no label started, so the gate skips"
                yield Hit(workflow.path, line, message)


def _starts(workflow: Workflow, job: Job, waited_for: list[Job]) -> list[str]:
    """Return the events that start it with no label being set, and to no end without `job`, which asks for one.

    Beside labels alone, another event may be for other jobs, unless there is none or a merge waits for this one.
    """
    pull = workflow.triggers.get(event.PULL)
    if not pull:
        return []
    types = {item.text for item in pull.at("types").items}
    by_pull = [] if types and types <= set(event.LABELS) else [event.PULL]
    beside = [event.BY_HAND, event.QUEUE, *([] if by_pull else [event.PUSH])]
    return by_pull + [
        name
        for name in beside
        if name in workflow.triggers
        if (job in waited_for and name != event.BY_HAND) or all(_closed(each.condition, name) for each in workflow.jobs)
    ]


def _closed(text: str, name: str) -> bool:
    """Whether the label just set, which a run of `name` has not, is all that keeps the condition from holding."""
    known = event.facts(name)

    def fact(path: str) -> Value:
        return "" if path == MOMENT else known(path)

    if MOMENT not in text or any(other in text for other in OTHERWISE):
        return False
    return truth(text, fact) is False and truth(text, known) is not False


def _conditions(workflow: Workflow) -> Iterator[tuple[Job, str, int]]:
    """Yield job, text and line of the `if:` of each job and of each step that is written in the workflow."""
    for job in workflow.jobs:
        yield job, job.condition, job.node.line_of("if")
        for step in job.node.at("steps").items:
            yield job, step.at("if").text, step.line_of("if")
