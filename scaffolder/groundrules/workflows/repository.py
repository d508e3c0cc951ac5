"""Repository: all its workflows as one picture, since a cache that one reads another has to write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.workflows.cache import caches_of
from groundrules.workflows.workflow import with_events, workflow_of
from groundrules_hooks.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groundrules.workflows.cache import Cache
    from groundrules.workflows.workflow import Actions, Job, Workflow
    from groundrules.yaml_document import Node


class Repository(NamedTuple):
    """`required` are the declared checks, none when nothing is declared."""

    workflows: tuple[Workflow, ...]
    caches: tuple[Cache, ...]
    required: tuple[str, ...] = ()

    def jobs(self) -> list[tuple[Workflow, Job]]:
        """Return every job with its workflow."""
        return [(workflow, job) for workflow in self.workflows for job in workflow.jobs]

    def holder(self, job: Job) -> Workflow:
        """Return the workflow that `job` is in."""
        return next(each for each in self.workflows if each.path == job.path)


class Hit(NamedTuple):
    """A trap at its place, and what is wrong there."""

    path: str
    line: int
    message: str


def repository_of(documents: Mapping[str, Node], actions: Actions, required: Sequence[str] = ()) -> Repository:
    """Return the workflows in `documents`, by path, and what they cache; `actions` are the local ones by folder."""
    workflows = with_events(tuple(workflow_of(path, node, actions) for path, node in documents.items()))
    caches = tuple(cache for workflow in workflows for job in workflow.jobs for cache in caches_of(job))
    return Repository(workflows, caches, tuple(required))
