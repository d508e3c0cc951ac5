"""Traps of saving: caches that nobody can read, that the forge refuses, that grow with every run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundrules.workflows import event
from groundrules.workflows.cache import is_constant
from groundrules.workflows.repository import Hit
from groundrules.workflows.workflow import needed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.workflows.cache import Cache
    from groundrules.workflows.repository import Repository
    from groundrules.workflows.workflow import Workflow

WARM = re.compile(
    r"\b(pre-?)?warm(s|er|ing|up)?\b|\b(prime|populate|refresh|seed|update|save)\w*[-_ ]+(\w+[-_ ]+)?caches?\b",
    re.IGNORECASE,
)


def writer_pr(repository: Repository) -> Iterator[Hit]:
    """Yield each cache that a run for a pull request or a merge queue saves."""
    for cache in repository.caches:
        saved = [name for name in event.JUDGED if cache.saves_in(name, event.facts(name))]
        if saved and not _is_handed_over(repository, cache) and not _is_there(cache):
            who = "only re-runs of that pull request" if saved == [event.PULL] else "no later run"
            yield Hit(
                cache.step.path, cache.line, f"a cache is saved by {' and '.join(saved)}, where {who} can read it"
            )


def _is_handed_over(repository: Repository, cache: Cache) -> bool:
    """Whether a job that waits for this one restores exactly this key: it is how the run passes files on."""
    workflow = repository.holder(cache.job)
    return any(
        other.key == cache.key and other.restores and other.job.path == cache.job.path and cache.key
        for other in repository.caches
        if cache.job.id in needed(workflow, other.job)
    )


def _is_there(cache: Cache) -> bool:
    """Whether the default branch has saved this very key before any pull request can: nothing in it changes."""
    return (
        bool(cache.key)
        and is_constant(cache.key)
        and any(cache.saves_in(name, event.facts(name)) for name in event.WARMING)
    )


def untrusted(repository: Repository) -> Iterator[Hit]:
    """Yield each cache that is saved by events alone whose cache token only reads."""
    # CI-14
    for cache in repository.caches:
        saved = {
            name
            for other in repository.caches
            if (other.step.path, other.line)
            == (cache.step.path, cache.line)  # a local action, in every job that uses it
            for name in other.job.events
            if other.saves_in(name, event.facts(name))
        }
        if saved and saved <= set(event.UNTRUSTED):
            who = ", ".join(sorted(saved))
            yield Hit(cache.step.path, cache.line, f"a cache is saved by {who} alone, where saving is silently denied")


def warm_reads(repository: Repository) -> Iterator[Hit]:
    """Yield each step of a warm job that restores an older cache before a new one is saved."""
    for workflow in repository.workflows:
        for cache in repository.caches:
            if cache.job.path != workflow.path or not cache.restores or not cache.restore_keys:
                continue
            saves = [other for other in repository.caches if other.job == cache.job and other.saves]
            if _is_warm(workflow, cache) and any(not is_constant(other.key) for other in saves):
                yield Hit(
                    cache.step.path, cache.line, "the warm job restores what it saves, so the cache grows for ever"
                )


def _is_warm(workflow: Workflow, cache: Cache) -> bool:
    """Whether the job is there to write caches: by its name, and by no event that is judged."""
    names = (workflow.path.rpartition("/")[2], workflow.name, cache.job.id, cache.job.name)
    return any(WARM.search(name.replace("_", "-")) for name in names) and not cache.job.events & set(event.JUDGED)
