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
    from groundrules.workflows.workflow import Workflow

LABEL = re.compile(r"pull_request\.labels|github\.event\.label\b")
WITHOUT = re.compile(r"!\s*\(?\s*contains\(\s*github\.event\.pull_request\.labels", re.IGNORECASE)
MOMENT = "github.event.label.name"
OTHERWISE = ("github.event.action", "pull_request.labels")  # then other occasions are thought of


def unlabeled(repository: Repository) -> Iterator[Hit]:
    """Yield each `types:` with labeled and pushes, without unlabeled, where a label lets a check pass."""
    for workflow in repository.workflows:
        pull = workflow.triggers.get(event.PULL)
        types = {item.text for item in pull.at("types").items} if pull else set()
        if (
            pull
            and {"labeled", "synchronize"} <= types
            and "unlabeled" not in types
            and _lets_pass(repository, workflow)
        ):
            yield Hit(
                workflow.path, pull.line_of("types"), "labeled without unlabeled: what the label allowed stays green"
            )


def _lets_pass(repository: Repository, workflow: Workflow) -> bool:
    """Whether a label decides what a check says: a job runs without it alone, reads it, or is judged by a gate.

    A job that a label starts, and nothing else, says nothing about pull requests without it.
    """
    asks = [job for job in workflow.jobs if any(LABEL.search(node.text) for node in job.node.texts())]
    gated = any(gathers(job, repository.required) for job in workflow.jobs)
    return any(
        gated
        or WITHOUT.search(job.condition)
        or is_required(job, repository.required)
        or not LABEL.search(job.condition)
        for job in asks
    )


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
