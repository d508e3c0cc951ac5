"""The trap of concurrency: runs of the default branch or the queue that a newer one cancels."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundrules.workflows import event
from groundrules.workflows.cache import unique
from groundrules.workflows.expression import Unknown, parts, truth, value
from groundrules.workflows.repository import Hit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.workflows.expression import Facts
    from groundrules.workflows.repository import Repository
    from groundrules.workflows.workflow import Workflow
    from groundrules.yaml_document import Node

CANCEL = "cancel-in-progress"
# What makes something of the newest state alone: an older run is of no use to anybody.
DELIVERS = re.compile(r"publish|release|preview|canary|update|format|pages|\bdocs?\b", re.IGNORECASE)
DEPLOYS = re.compile(r"deploy|image|docker|push|write", re.IGNORECASE)


def cancel_main(repository: Repository) -> Iterator[Hit]:
    """Yield each `cancel-in-progress` that holds for pushes to the default branch, or in the merge queue."""
    for workflow in repository.workflows:
        if _delivers(workflow):
            continue
        for scope, started in _scopes(workflow):
            node = scope.at("concurrency")
            text = node.at(CANCEL).text
            if not text or text == "false":
                continue
            if event.PUSH in started and _cancels_default(workflow, node, text):
                message = "runs of the default branch cancel each other: a commit there may never be tested"
                yield Hit(workflow.path, node.line_of(CANCEL), message)
            elif event.QUEUE in started and _cancels(node, text, event.facts(event.QUEUE)):
                message = "runs of the merge queue cancel each other, and a cancelled check fails the queue"
                yield Hit(workflow.path, node.line_of(CANCEL), message)


def _delivers(workflow: Workflow) -> bool:
    """Whether it is there to deliver: by its name; where it judges no pull request, permissions and steps too."""
    names = f"{workflow.path.rpartition('/')[2]} {workflow.name}"
    permissions = " ".join(node.text for scope in _nodes(workflow) for node in scope.at("permissions").texts())
    actions = " ".join(step.action for job in workflow.jobs for step in job.steps)
    alone = not workflow.triggers.keys() & set(event.JUDGED)
    return bool(DELIVERS.search(names) or (alone and DEPLOYS.search(f"{names} {permissions} {actions}")))


def _nodes(workflow: Workflow) -> list[Node]:
    return [workflow.node, *(job.node for job in workflow.jobs)]


def _scopes(workflow: Workflow) -> Iterator[tuple[Node, frozenset[str]]]:
    yield workflow.node, frozenset(workflow.triggers)
    for job in workflow.jobs:
        yield job.node, job.events


def _cancels_default(workflow: Workflow, node: Node, text: str) -> bool:
    """Whether it cancels on every branch that may be the default one and starts this workflow."""
    push = workflow.triggers.get(event.PUSH)
    names = [name for name in event.branches(push) if name in event.DEFAULTS] if push else []
    return bool(names) and all(_cancels(node, text, event.facts(event.PUSH, name)) for name in names)


def _cancels(node: Node, text: str, known: Facts) -> bool:
    """Whether a newer run of the same kind is in the group of an older one, and surely cancels it."""
    held = True if text == "true" else truth(text, known)
    values = [value(inside, known) for is_expression, inside in parts(node.at("group").text) if is_expression]
    return held is True and not any(unique(each) or _is_entry(each) for each in values)


def _is_entry(held: object) -> bool:
    """Whether a value is the ref of one entry of the queue, which no other entry has."""
    return isinstance(held, Unknown) and (
        "gh-readonly-queue" in held.prefix or held.name.startswith("github.event.merge_group.head")
    )
