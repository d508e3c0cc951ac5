"""Traps of reach: caches that are restored and never written where the reader looks, or not as the reader asks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundrules.workflows import event
from groundrules.workflows.cache import begins, expressions, reads
from groundrules.workflows.repository import Hit
from groundrules.workflows.workflow import called_path, needed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.workflows.cache import Cache
    from groundrules.workflows.repository import Repository
    from groundrules.workflows.workflow import Job, Workflow

LOCAL = re.compile(r"\b(env|steps|inputs|needs|matrix)\.")  # means something else in another job
LETTERS = re.compile(r"[A-Za-z]{3}")


def no_writer(repository: Repository) -> Iterator[Hit]:
    """Yield each restored cache that no run of the default branch writes."""
    if any(_is_foreign(repository, *each) for each in repository.jobs()):
        return
    warm = [cache for cache in repository.caches if _warms(cache)]
    for cache in repository.caches:
        started = cache.job.events - {event.CALL}
        if not cache.restores or not cache.key or not started & {*event.JUDGED, *event.WARMING}:
            continue
        if any(reads(cache, writer) for writer in warm if writer.key) or _is_passed_on(repository, cache):
            continue
        yield Hit(cache.step.path, cache.line, "no run of the default branch writes this key, so others find nothing")


def _is_foreign(repository: Repository, workflow: Workflow, job: Job) -> bool:
    """Whether a workflow of another repository runs on the default branch: what it caches is not known."""
    known = {each.path for each in repository.workflows}
    return bool(job.uses and job.events & set(event.WARMING)) and called_path(workflow, job) not in known


def _warms(cache: Cache) -> bool:
    """Whether a run of the default branch may save this cache."""
    return any(cache.saves_in(name, event.facts(name)) for name in event.WARMING)


def _is_passed_on(repository: Repository, cache: Cache) -> bool:
    """Whether a job that this one waits for, or this one itself, saves the key explicitly in the same run."""
    before = needed(repository.holder(cache.job), cache.job)
    return any(
        writer.saves and writer.job.path == cache.job.path and writer.job.id in before and reads(cache, writer)
        for writer in repository.caches
    )


def path_mismatch(repository: Repository) -> Iterator[Hit]:
    """Yield each restored cache whose writers list other paths, or the same in another order."""
    for cache in repository.caches:
        if not cache.restores or not cache.key or (cache.saves and _warms(cache)):
            continue
        writers = [other for other in repository.caches if other.saves and other.step != cache.step and other.key]
        certain = [writer for writer in writers if _certainly_reads(cache, writer)]
        same = [writer for writer in writers if _version(writer) == _version(cache) and reads(cache, writer)]
        if certain and not same:
            there = f"{certain[0].step.path}:{certain[0].line}"
            differs = "paths" if certain[0].paths != cache.paths else "enableCrossOsArchive"
            yield Hit(cache.step.path, cache.line, f"the writer of this key ({there}) has other {differs}")


def _version(cache: Cache) -> tuple[tuple[str, ...], bool]:
    return cache.paths, cache.cross_os


def _certainly_reads(reader: Cache, writer: Cache) -> bool:
    """Whether a pattern of `reader` that says what it is about begins the writer's key, whatever runs."""
    for pattern in (reader.key, *reader.restore_keys):
        plain = re.sub(r"\$\{\{.*?\}\}", "", pattern)
        local = LOCAL.search(" ".join(expressions(pattern))) and reader.job.path != writer.job.path
        if LETTERS.search(plain) and not local and begins(pattern, writer.key):
            return True
    return False
