"""Files of workflows: which a folder holds, and the local actions that they use."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from groundrules.yaml_document import documents, unreadable
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import quote, shown
from groundrules_hooks.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from groundrules.yaml_document import Node

FOLDER = ".github/workflows"
GITLAB = ".gitlab-ci.yml"
ENDS = (".yml", ".yaml")


class Files(NamedTuple):
    """What was asked about, as absolute paths: workflows, of which `folders` hold all, and files of GitLab's."""

    workflows: tuple[str, ...]
    gitlab: tuple[str, ...]

    @property
    def folders(self) -> list[str]:
        """The folders of the workflows: those beside them are read too, since caches go from one to another."""
        return list(dict.fromkeys(os.path.dirname(path) for path in self.workflows))


def files_of(paths: Iterable[str]) -> Files:
    """Return the files that `paths` name. Raise GroundrulesError where one holds no workflow."""
    workflows: list[str] = []
    gitlab: list[str] = []
    for path in paths:
        found = list(_files(os.path.abspath(path)))
        if not found:
            what = "has no workflow" if os.path.isdir(path) else "does not exist"
            why = f"looked for {FOLDER}/*.yml and {GITLAB}" if os.path.isdir(path) else ""
            raise GroundrulesError(f"{shown(path)} {what}", why=why, fix=f"ls -d {quote(path)}/.git*")
        for name in found:
            (gitlab if GITLAB in os.path.basename(name) else workflows).append(name)
    return Files(tuple(dict.fromkeys(workflows)), tuple(dict.fromkeys(gitlab)))


def _files(path: str) -> Iterator[str]:
    if os.path.isfile(path):
        yield path
        return
    # A repository has them in one place; another folder is one of them itself.
    is_root = os.path.exists(os.path.join(path, ".git")) or os.path.isdir(os.path.join(path, FOLDER))
    yield from listed(os.path.join(path, FOLDER) if is_root else path)
    if os.path.isfile(os.path.join(path, GITLAB)):
        yield os.path.join(path, GITLAB)


def listed(folder: str) -> list[str]:
    """Return the workflows in `folder`, by name."""
    if not os.path.isdir(folder):
        return []
    names = sorted(name for name in os.listdir(folder) if name.endswith(ENDS) and GITLAB not in name)
    return [path for name in names if os.path.isfile(path := os.path.join(folder, name))]


def root_of(folder: str) -> str:
    """Return the root of the repository whose workflows are in `folder`."""
    return os.path.dirname(os.path.dirname(folder))


def read(path: str, root: str) -> Node:
    """Return the last document of the file at `path`, named from `root` where it cannot be read."""
    name = os.path.relpath(path, root)
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise unreadable(name, 1, error.strerror or "") from None
    found = documents(name, content)
    if not found or not found[-1].keys:
        raise unreadable(name, 1, "it holds no mapping")
    return found[-1]


def workflow(path: str, root: str) -> Node:
    """Return the workflow in the file at `path`. Raise GroundrulesError where it is none."""
    found = read(path, root)
    if not found.at("jobs").keys or not found.at("on").value:
        raise unreadable(os.path.relpath(path, root), 1, "no workflow: it has no jobs: or no on:")
    return found


def actions(workflows: Iterable[Node], top: str, root: str) -> dict[str, tuple[str, Node]]:
    """Return the local composite actions that `workflows` use, and those that these use, by folder from `top`."""
    found: dict[str, tuple[str, Node]] = {}
    waiting = [name for node in workflows for job in node.at("jobs").keys.values() for name in _used(job)]
    while waiting:
        name = waiting.pop()
        path = next(filter(os.path.isfile, (os.path.join(top, name, f"action{end}") for end in ENDS)), "")
        if path and name not in found:
            node = read(path, root)
            found[name] = os.path.relpath(path, root), node
            waiting += _used(node.at("runs"))
    return found


def _used(holder: Node) -> list[str]:
    """Return the folders of the local actions among the steps of a job or of an action."""
    uses = [step.at("uses").text for step in holder.at("steps").items]
    return [text.removeprefix("./").rstrip("/") for text in uses if text.startswith("./")]
