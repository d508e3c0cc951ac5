"""Traps of labels: gates that stay green when the label goes, or that open at the moment of labelling alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundrules.workflows import event
from groundrules.workflows.repository import Hit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.workflows.repository import Repository
    from groundrules.workflows.workflow import Workflow
    from groundrules.yaml_document import Node

LABELS = re.compile(r"pull_request\.labels|github\.event\.label\b")
MOMENT = re.compile(r"github\.event\.label\.name")
GUARDED = re.compile(r"github\.event\.action|pull_request\.labels")


def unlabeled(repository: Repository) -> Iterator[Hit]:
    """Yield each `types:` with labeled and pushes, without unlabeled, where a label decides what runs."""
    for workflow in repository.workflows:
        pull = workflow.triggers.get(event.PULL)
        types = {item.text for item in pull.at("types").items} if pull else set()
        asks = any(LABELS.search(text) for text, _ in _conditions(workflow))
        if pull and asks and "labeled" in types and "unlabeled" not in types and "synchronize" in types:
            yield Hit(
                workflow.path, pull.line_of("types"), "labeled without unlabeled: what the label allowed stays green"
            )


def event_name(repository: Repository) -> Iterator[Hit]:
    """Yield each `if:` that asks for the label just set, in a workflow that starts on other occasions too."""
    for workflow in repository.workflows:
        if not _starts_unlabeled(workflow):
            continue
        for text, line in _conditions(workflow):
            if MOMENT.search(text) and not GUARDED.search(text):
                message = "github.event.label.name is empty in every run that no label started, so the gate skips"
                yield Hit(workflow.path, line, message)


def _starts_unlabeled(workflow: Workflow) -> bool:
    """Whether pull requests or people start it without setting a label."""
    pulls = [held for name, held in workflow.triggers.items() if name in event.ABOUT_PULLS[:2]]
    types = {item.text for held in pulls for item in held.at("types").items}
    others = {event.QUEUE, event.PUSH, "workflow_dispatch"} & set(workflow.triggers)
    return bool(pulls) and (bool(others) or any(_by_default(held) for held in pulls) or bool(types - {*event.LABELS}))


def _by_default(held: Node) -> bool:
    return not held.at("types").items


def _conditions(workflow: Workflow) -> Iterator[tuple[str, int]]:
    """Yield text and line of the `if:` of each job and of each step that is written in the workflow."""
    for job in workflow.jobs:
        yield job.condition, job.node.line_of("if")
        for step in job.node.at("steps").items:
            yield step.at("if").text, step.line_of("if")
