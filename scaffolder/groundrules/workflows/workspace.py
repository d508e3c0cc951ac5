"""The trap of the workspace: a tool's cache moved to where every run starts empty, and not cached there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundrules.workflows import builtin
from groundrules.workflows.cache import lines
from groundrules.workflows.repository import Hit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.workflows.repository import Repository
    from groundrules.workflows.workflow import Job, Workflow

# The variables, and the actions that cache wherever their tool says its cache is.
TOOLS = {
    "GOCACHE": ("actions/setup-go",),
    "GOMODCACHE": ("actions/setup-go",),
    "PIP_CACHE_DIR": ("actions/setup-python",),
    "UV_CACHE_DIR": ("astral-sh/setup-uv",),
    "npm_config_cache": ("actions/setup-node",),
    "CCACHE_DIR": (),
}
SET = re.compile(rf"\b({'|'.join(TOOLS)})=[\"']?([^\s\"';&|>]+)")
INSIDE = re.compile(r"^(\$\{\{\s*github\.workspace\s*\}\}|\$\{?(GITHUB_WORKSPACE|PWD|CI_PROJECT_DIR)\}?|\$\(pwd\)|\.)/")
RELATIVE = re.compile(r"^\.?\w[\w./-]*/[\w./-]*$|^\.\w[\w./-]*$")


def workspace(repository: Repository) -> Iterator[Hit]:
    """Yield each place that moves a cache into the workspace of a job that does not cache it."""
    for workflow, job in repository.jobs():
        for name, folder, path, line in _moved(workflow, job):
            if not _is_cached(job, name, folder) and not _elsewhere(workflow, job, name, folder, line):
                yield Hit(path, line, f"{name} is in the workspace, which every run starts without, and is not cached")


def _moved(workflow: Workflow, job: Job) -> Iterator[tuple[str, str, str, int]]:
    """Yield variable, folder, path and line of each cache that is moved into the workspace."""
    for scope in (workflow.node, job.node, *(step.node for step in job.steps)):
        env = scope.at("env")
        for name in TOOLS:
            if folder := inside(env.at(name).text):
                path = next((step.path for step in job.steps if step.node is scope), workflow.path)
                yield name, folder, path, env.line_of(name)
    for step in job.steps:
        for match in SET.finditer(step.node.at("run").text):
            if folder := inside(match[2]):
                yield match[1], folder, step.path, step.line


def inside(text: str) -> str:
    """Return the folder in the workspace that `text` names; empty for one that lies elsewhere."""
    found = INSIDE.sub("", text.strip())
    return found.strip("/") if found != text.strip() or RELATIVE.match(found) else ""


def _elsewhere(workflow: Workflow, job: Job, name: str, folder: str, line: int) -> bool:
    """Whether the variable is the whole workflow's and another of its jobs caches the folder."""
    shared = workflow.node.at("env").lines.get(name) == line
    return shared and any(_is_cached(other, name, folder) for other in workflow.jobs if other.id != job.id)


def _is_cached(job: Job, name: str, folder: str) -> bool:
    """Whether a step caches `folder`: by path, by the variable, by the tool's own action, or by one not known here."""
    for step in job.steps:
        if step.action in TOOLS[name] and builtin.caches(step) is not False:
            return True
        paths = lines(step.inputs.at("path"))
        if any(name in path or covers(path, folder) for path in paths if "cache" in step.action):
            return True
        if "cache" in step.action and not step.action.startswith("actions/cache"):
            return True
    return False


def covers(path: str, folder: str) -> bool:
    """Whether the cached `path` holds `folder`."""
    held = INSIDE.sub("", path.strip()).rstrip("/*")
    return folder == held or folder.startswith(f"{held}/") or held in ("", ".")
