"""Traps of the gate: an aggregate job that passes when it is skipped, does not look, or does not wait."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundrules.workflows import event, verdict
from groundrules.workflows.expression import has_status
from groundrules.workflows.repository import Hit
from groundrules.workflows.required import gathers, gathers_all, is_required
from groundrules.workflows.workflow import needed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.workflows.repository import Repository
    from groundrules.workflows.workflow import Job, Workflow

# The results of a need that ought to stop a merge, as messages say them.
BAD = {"failure": "fails", "cancelled": "is cancelled or out of time"}
# What tells of the work rather than judging it.
TELLS = re.compile(r"comment|coverage|bench|report|notif|label|preview|deploy|publish|release|upload", re.IGNORECASE)


def not_always(repository: Repository) -> Iterator[Hit]:
    """Yield each aggregate job that passes, skipped or not, though a job it needs has not succeeded."""
    for _, job in repository.jobs():
        if not gathers(job, repository.required):
            continue
        ended = next((why for result, why in BAD.items() if verdict.is_skipped(job, result)), "")
        if ended:
            line = job.node.line_of("if") if job.condition else job.line
            yield Hit(job.path, line, f"{job.id} is skipped when a job it needs {ended}, and skipped passes")
        elif what := _blindness(job):
            yield Hit(job.path, job.line, f"{job.id} {what}")


def _blindness(job: Job) -> str:
    """Return how `job` passes whatever the results are, or some of them; empty for not at all."""
    looks = not verdict.is_skipped(job, "success")  # else that it runs says that something is wrong
    if looks and (blind := verdict.unseen(job)):
        return f"does not look at the result of {', '.join(blind)}"
    if verdict.only_tells(job):
        return "prints the results, and no step of it can fail"
    if looks and verdict.only_failures(job):
        return f"looks for failure alone, so it passes when a job it needs {BAD['cancelled']}"
    return ""


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
