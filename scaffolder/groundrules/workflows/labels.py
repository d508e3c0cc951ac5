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
    """Yield each `types:` with labeled and pushes, without unlabeled, where a label decides a check."""
    for workflow in repository.workflows:
        pull = workflow.triggers.get(event.PULL)
        types = {item.text for item in pull.at("types").items} if pull else set()
        if pull and {"labeled", "synchronize"} <= types and "unlabeled" not in types and _decides(repository, workflow):
            yield Hit(
                workflow.path,
                pull.line_of("types"),
                "labeled without unlabeled: what the label decided stays when it goes",
            )


def _decides(repository: Repository, workflow: Workflow) -> bool:
    """Whether a label decides what a check says: it skips a job, fails one, is read by one, or a gate judges that.

    A job that a label starts, and nothing else, says nothing about pull requests without it.
    """
    asks = [job for job in workflow.jobs if any(LABEL.search(node.text) for node in job.node.texts())]
    gated = any(gathers(job, repository.required) for job in workflow.jobs)
    return any(
        gated
        or _skips(job.condition)
        or _only_fails(job)
        or is_required(job, repository.required)
        or not LABEL.search(job.condition)
        for job in asks
    )


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
        for text, line in _conditions(workflow):
            if MOMENT in text and any(_closed(text, name) for name in _unlabelled_starts(workflow)):
                message = f"{MOMENT} is empty in every run that no label started, so the gate skips"
                yield Hit(workflow.path, line, message)


def _unlabelled_starts(workflow: Workflow) -> list[str]:
    """Return the events that start it for a pull request without a label being set, or by hand for nothing."""
    pull = workflow.triggers.get(event.PULL)
    types = [item.text for item in pull.at("types").items] if pull else []
    starts = [event.PULL] if pull and (not types or set(types) - set(event.LABELS)) else []
    by_hand = [name for name in (event.BY_HAND, event.QUEUE) if pull and name in workflow.triggers]
    return starts + [name for name in by_hand if all(_closed(job.condition, name) for job in workflow.jobs)]


def _closed(text: str, name: str) -> bool:
    """Whether the label just set, which a run of `name` has not, is all that keeps the condition from holding."""
    known = event.facts(name)

    def fact(path: str) -> Value:
        return "" if path == MOMENT else known(path)

    if MOMENT not in text or any(other in text for other in OTHERWISE):
        return False
    return truth(text, fact) is False and truth(text, known) is not False


def _conditions(workflow: Workflow) -> Iterator[tuple[str, int]]:
    """Yield text and line of the `if:` of each job and of each step that is written in the workflow."""
    for job in workflow.jobs:
        yield job.condition, job.node.line_of("if")
        for step in job.node.at("steps").items:
            yield step.at("if").text, step.line_of("if")
