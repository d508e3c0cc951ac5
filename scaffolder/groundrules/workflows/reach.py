"""Traps of reach: caches that are restored and never written where the reader looks, or not as the reader asks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundrules.workflows import builtin, event
from groundrules.workflows.cache import begins, expressions, reads
from groundrules.workflows.repository import Hit
from groundrules.workflows.workflow import called_path, needed, runners

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundrules.workflows.cache import Cache
    from groundrules.workflows.repository import Repository
    from groundrules.workflows.workflow import Job, Step, Workflow

READING = (*event.JUDGED, *event.WARMING)
LOCAL = re.compile(r"\b(env|steps|inputs|needs|matrix)\.")  # means something else in another job
SYSTEM = re.compile(r"(windows)|ubuntu|macos|linux", re.IGNORECASE)
OWN_SYSTEM = re.compile(r"\b(runner|matrix|env)\.")  # may say the system: then the key differs before the version does
LETTERS = re.compile(r"[A-Za-z]{3}")


def no_writer(repository: Repository) -> Iterator[Hit]:
    """Yield each restored cache that no run of the default branch writes."""
    if any(_is_foreign(repository, *each) for each in repository.jobs()):
        return
    steps = [(job, step) for _, job in repository.jobs() for step in job.steps]
    tools = [step for job, step in steps if builtin.caches(step) is not False and _saves(job, step)]
    keys = [cache.key for cache in repository.caches if cache.key and cache.saves and _saves(cache.job, cache.step)]
    keys += [f"{builtin.BUILT_IN[step.action].prefix}${{{{ * }}}}" for step in tools]
    for cache in repository.caches:
        if not cache.restores or not cache.key or not _starts(cache.job, cache.step, READING):
            continue
        if any(reads(cache, key) for key in keys) or _is_passed_on(repository, cache):
            continue
        yield Hit(cache.step.path, cache.line, "no run of the default branch writes this key, so others find nothing")
    for job, step in steps:
        written = any(builtin.are_alike(step, tool) for tool in tools)
        if builtin.caches(step) and not written and _starts(job, step, READING):
            message = f"no run of the default branch saves the cache of {step.action}, so others find nothing"
            yield Hit(step.path, step.line, message)


def _is_foreign(repository: Repository, workflow: Workflow, job: Job) -> bool:
    """Whether a workflow of another repository runs on the default branch: what it caches is not known."""
    known = {each.path for each in repository.workflows}
    return bool(job.uses and job.events & set(event.WARMING)) and called_path(workflow, job) not in known


def _starts(job: Job, step: Step, events: Sequence[str]) -> list[str]:
    """Return those of `events` in which `step` may run."""
    return [name for name in events if name in job.events and step.can_run(name)]


def _saves(job: Job, step: Step) -> bool:
    """Whether a run of the default branch may save what `step` caches."""
    return any(builtin.may_save(step, event.facts(name)) for name in _starts(job, step, event.WARMING))


def _is_passed_on(repository: Repository, cache: Cache) -> bool:
    """Whether a job that this one waits for, or this one itself, saves the key explicitly in the same run."""
    before = needed(repository.holder(cache.job), cache.job)
    return any(
        writer.saves and writer.job.path == cache.job.path and writer.job.id in before and reads(cache, writer.key)
        for writer in repository.caches
    )


def path_mismatch(repository: Repository) -> Iterator[Hit]:
    """Yield each restored cache whose writers list other paths, or the same in another order."""
    for cache in repository.caches:
        if not cache.restores or not cache.key or (cache.saves and _saves(cache.job, cache.step)):
            continue
        writers = [other for other in repository.caches if other.saves and other.step != cache.step and other.key]
        certain = [writer for writer in writers if _certainly_reads(cache, writer)]
        same = [writer for writer in writers if not _differs(cache, writer) and reads(cache, writer.key)]
        if certain and not same:
            there = f"{certain[0].step.path}:{certain[0].line}"
            yield Hit(cache.step.path, cache.line, f"the writer of this key ({there}) {_differs(cache, certain[0])}")


def _differs(reader: Cache, writer: Cache) -> str:
    """Return why `writer` makes another version of the cache than `reader` asks for; empty where it may be the same."""
    if reader.paths != writer.paths:
        return "has other paths"
    if OWN_SYSTEM.search(reader.key) or _windows_only(reader) & _windows_only(writer):
        return ""
    return "or this step is on Windows, whose caches are its own without enableCrossOsArchive"


def _windows_only(cache: Cache) -> set[bool]:
    """Return whether Windows alone can read the cache; both where the run decides. No other system has its own."""
    systems = [SYSTEM.search(name) for name in runners(cache.job)]
    windows = {is_it for found in systems for is_it in ([found[1] is not None] if found else [True, False])}
    shared = [True, False] if cache.cross_os is None else [cache.cross_os]
    return {is_it and not is_shared for is_it in windows for is_shared in shared}


def _certainly_reads(reader: Cache, writer: Cache) -> bool:
    """Whether a pattern of `reader` that says what it is about begins the writer's key, whatever runs."""
    for pattern in (reader.key, *reader.restore_keys):
        plain = re.sub(r"\$\{\{.*?\}\}", "", pattern)
        local = LOCAL.search(" ".join(expressions(pattern))) and reader.job.path != writer.job.path
        if LETTERS.search(plain) and not local and begins(pattern, writer.key):
            return True
    return False
