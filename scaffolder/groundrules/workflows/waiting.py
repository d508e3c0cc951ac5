"""Traps of required checks: those that are waited for in vain, and those that pass by being skipped."""

from __future__ import annotations

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

FILTERS = ("paths", "paths-ignore")
# Not what decides a merge: where the repository lies, and drafts, which are not merged.
USUAL = ("github.repository", "github.repository_owner", "github.event.repository.fork")


def _waited_for(repository: Repository) -> Iterator[tuple[Workflow, Job]]:
    """Yield the required jobs; where none is declared, the aggregate ones too."""
    for workflow, job in repository.jobs():
        if is_required(job, repository.required) or (not repository.required and gathers(job, ())):
            yield workflow, job


def _called(repository: Repository, job: Job) -> str:
    """Return how a message calls `job`: nothing says that it is required where nothing is declared."""
    return f"the required check {job.name}" if repository.required else f"{job.id}, if that check is required"


def path_filter(repository: Repository) -> Iterator[Hit]:
    """Yield each path filter of a workflow with a required check, unless another workflow makes the same check."""
    for workflow, job in _waited_for(repository):
        pull = workflow.triggers.get(event.PULL)
        twin = any(
            other.name == job.name and where.path != workflow.path and event.PULL in where.triggers
            for where, other in repository.jobs()
        )
        for name in FILTERS:
            if pull and name in pull.keys and not twin:
                message = f"pull requests outside this filter wait for ever for {_called(repository, job)}"
                yield Hit(workflow.path, pull.line_of(name), message)


def queue_missing(repository: Repository) -> Iterator[Hit]:
    """Yield each workflow that makes a required check for pull requests and not for the merge queue."""
    queued = any(event.QUEUE in workflow.triggers for workflow in repository.workflows)
    for workflow, job in _waited_for(repository):
        known = is_required(job, repository.required) or queued
        if known and event.PULL in workflow.triggers and event.QUEUE not in workflow.triggers:
            message = f"without merge_group a merge queue waits for ever for {_called(repository, job)}"
            yield Hit(workflow.path, workflow.event_line(), message)


def skip_as_pass(repository: Repository) -> Iterator[Hit]:
    """Yield each `if:` of a required job that may skip it for a pull request or in the queue."""
    for workflow, job in repository.jobs():
        if not is_required(job, repository.required):
            continue
        judged = [name for name in event.JUDGED if name in workflow.triggers]
        skipped = [name for name in judged if not _surely_runs(job, name)]
        if job.condition and skipped:
            message = f"{job.id} may be skipped by its if: in {' and '.join(skipped)}, and skipped passes"
            yield Hit(job.path, job.node.line_of("if"), message)


def _surely_runs(job: Job, name: str) -> bool:
    """Whether the condition holds in every run of `name` that could end in a merge, failures among the needs too."""
    known = event.facts(name)
    settled: dict[str, Value] = {"failure()": True, "cancelled()": False, "github.event.pull_request.draft": False}

    def fact(path: str) -> Value:
        return settled[path] if path in settled else known(path)

    held = truth(job.condition, fact)
    return held is True or (held is None and any(path in job.condition for path in USUAL))
