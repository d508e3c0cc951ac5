"""Traps in `.gitlab-ci.yml`, as far as its caches are like those of GitHub Actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.workflows.keys import STORE
from groundrules.workflows.repository import Hit
from groundrules.workflows.workspace import TOOLS, covers, inside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.yaml_document import Node

# Top-level keys that are no jobs.
GLOBAL = ("default", "include", "stages", "variables", "workflow", "cache", "image", "services", "spec")


def caches(document: Node) -> list[tuple[Node, Node]]:
    """Return each cache with the job, or the `default`, that says it."""
    jobs = [document, *(node for name, node in document.keys.items() if name == "default" or name not in GLOBAL)]
    found = []
    for job in jobs:
        held = job.at("cache")
        found += [(job, node) for node in (held.items if isinstance(held.value, list) else [held]) if node.keys]
    return found


def no_restore_keys(path: str, document: Node) -> Iterator[Hit]:
    """Yield each key of files' hashes without keys to fall back to."""
    shared = "CACHE_FALLBACK_KEY" in document.at("variables").keys
    for job, cache in caches(document):
        store = any(STORE.search(item.text) for item in cache.at("paths").items)
        own = "CACHE_FALLBACK_KEY" in job.at("variables").keys
        if cache.at("key", "files").items and not cache.at("fallback_keys").items and store and not (own or shared):
            message = "no fallback_keys: every change of these files starts from nothing"
            yield Hit(path, cache.line_of("key"), message)


def no_writer(path: str, document: Node) -> Iterator[Hit]:
    """Yield each cache that is only pulled, where no job of the file pushes its key; includes may."""
    held = caches(document)
    if document.at("include").value:
        return
    pushed = [_key(cache) for _, cache in held if cache.at("policy").text != "pull"]
    for _, cache in held:
        if cache.at("policy").text == "pull" and _key(cache) not in pushed:
            yield Hit(path, cache.line_of("policy"), "no job writes this key, so nothing is ever pulled")


def _key(cache: Node) -> tuple[str, ...]:
    return tuple(node.text for node in cache.at("key").texts())


def workspace(path: str, document: Node) -> Iterator[Hit]:
    """Yield each variable that moves a tool's cache into the project's folder, where no cache covers it."""
    if document.at("include").value:
        return
    paths = [item.text for _, cache in caches(document) for item in cache.at("paths").items]
    for job in [document, *(node for name, node in document.keys.items() if name not in GLOBAL)]:
        variables = job.at("variables")
        for name in TOOLS:
            folder = inside(variables.at(name).text)
            if folder and not any(name in each or covers(each, folder) for each in paths):
                message = f"{name} is in the workspace, which every run starts without, and is not cached"
                yield Hit(path, variables.line_of(name), message)


TRAPS = {"cache-no-restore-keys": no_restore_keys, "cache-no-writer": no_writer, "cache-workspace": workspace}
