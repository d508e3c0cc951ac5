"""Traps of the gate: an aggregate job that passes when it is skipped, does not look, or does not wait."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundrules.workflows import event
from groundrules.workflows.expression import has_status
from groundrules.workflows.repository import Hit
from groundrules.workflows.required import gathers, gathers_all, is_required, unseen
from groundrules.workflows.workflow import needed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.workflows.repository import Repository
    from groundrules.workflows.workflow import Job, Workflow

AFTER_ALL = re.compile(r"\balways\s*\(|!\s*(cancelled|success)\s*\(", re.IGNORECASE)
AFTER_FAILURE = re.compile(r"(?<!!)\b(failure|cancelled)\s*\(", re.IGNORECASE)
AFTER_SUCCESS = re.compile(r"!\s*failure\s*\(", re.IGNORECASE)
# What tells of the work rather than judging it.
TELLS = re.compile(r"comment|coverage|bench|report|notif|label|preview|deploy|publish|release|upload", re.IGNORECASE)


def not_always(repository: Repository) -> Iterator[Hit]:
    """Yield each aggregate job that is skipped when a need fails, or that runs and does not look."""
    for _, job in repository.jobs():
        if not gathers(job, repository.required):
            continue
        always = AFTER_ALL.search(job.condition) and not AFTER_SUCCESS.search(job.condition)
        if not always and not AFTER_FAILURE.search(job.condition):
            line = job.node.line_of("if") if job.condition else job.line
            yield Hit(job.path, line, f"{job.id} is skipped when a job it needs fails, and skipped passes")
        elif always and (blind := unseen(job)):
            yield Hit(job.path, job.line, f"{job.id} does not look at the result of {', '.join(blind)}")


def missing_need(repository: Repository) -> Iterator[Hit]:
    """Yield each job that runs for a pull request or a queue beside an aggregate job that does not wait for it."""
    for workflow in repository.workflows:
        gates = [job for job in workflow.jobs if gathers_all(job, repository.required)]
        waited = {name for gate in gates for name in needed(workflow, gate)} | {gate.id for gate in gates}
        events = {name for gate in gates for name in gate.events} & set(event.JUDGED)
        for job in workflow.jobs:
            if job.id in waited or not job.events & events or not _counts(repository, workflow, job, gates):
                continue
            yield Hit(job.path, job.line, f"{gates[0].id} does not need {job.id}, so it passes when that fails")


def _counts(repository: Repository, workflow: Workflow, job: Job, gates: list[Job]) -> bool:
    """Whether a failure of `job` ought to stop a merge: not if it may fail, comes later, reports, or is required."""
    after = needed(workflow, job) & {gate.id for gate in gates}
    reports = bool(job.needs) and has_status(job.condition)
    tells = TELLS.search(job.id) or TELLS.search(job.name)
    alone = bool(repository.required) and is_required(job, repository.required)
    return not (job.node.at("continue-on-error").text or after or reports or tells or alone)
