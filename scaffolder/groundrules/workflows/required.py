"""Required checks: the jobs that a merge waits for, as declared or by their names, and the jobs that gather others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundrules.workflows.event import PULL, facts
from groundrules.workflows.expression import parts, value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundrules.workflows.workflow import Job, Workflow

GATE = "gate"
GATHERS = re.compile(
    r"^(.*[-_ ])?gate$"
    r"|^(.*[-_ ])?all[-_ ](green|checks?|tests?|jobs?|required)?[-_ ]?(pass(ed|es)?|green|good|ok|done|success(ful)?)?$"
    r"|^(ci|tests?|checks?|build|required|status)[-_ ](ok|pass(ed|es)?|success(ful)?|done|complete[d]?|green|gate|"
    r"status|result|conclusion|required)$"
    r"|^required([-_ ](checks?|jobs?|status|ci))?$|^(checks?|alls)[-_ ]?green$|^(success|conclusion|ci-?pass)$",
    re.IGNORECASE,
)
NARROW = re.compile(r"(tests?|builds?)[-_ ]", re.IGNORECASE)
ALLS_GREEN = "re-actors/alls-green"


def answers_to(job: Job, check: str) -> bool:
    """Whether `check`, as the forge shows it for a pull request, is `job`, one of its matrix, or one that it calls."""
    head = check.partition(" / ")[0] if job.uses else check
    known = [value(text, facts(PULL)) if is_expression else text for is_expression, text in parts(job.name)]
    if not any(isinstance(each, str) and each.strip() for each in known):
        return job.id == head  # the whole name is the run's to say
    pattern = "".join(re.escape(each) if isinstance(each, str) else ".*" for each in known)
    return bool(re.fullmatch(rf"{pattern}( \(.*\))?", head))


def is_required(job: Job, declared: Sequence[str]) -> bool:
    """Whether a merge waits for `job`: it is `declared`, or named gate where nothing is."""
    if declared:
        return any(answers_to(job, check) for check in declared)
    return GATE in (job.id.lower(), job.name.lower())


def gathers(job: Job, declared: Sequence[str]) -> bool:
    """Whether `job` stands for others: it needs some, does no work of its own, and is required or named like it."""
    if not job.needs or any(step.action == "actions/checkout" for step in job.steps) or job.uses:
        return False
    named = is_required(job, declared) or GATHERS.match(job.id) or GATHERS.match(job.name)
    return bool(named) or any(step.action == ALLS_GREEN for step in job.steps)


def gathers_all(job: Job, declared: Sequence[str]) -> bool:
    """Whether it stands for all jobs of its workflow: as the required check, or by a name that leaves none out."""
    if not gathers(job, declared):
        return False
    whole = len(job.needs) > 1 and not NARROW.match(job.name) and not NARROW.match(job.id)
    return whole or is_required(job, declared)


def missing(workflows: Sequence[Workflow], declared: Sequence[str]) -> list[str]:
    """Return the `declared` checks that no job makes."""
    jobs = [job for workflow in workflows for job in workflow.jobs]
    return [check for check in declared if not any(answers_to(job, check) for job in jobs)]
