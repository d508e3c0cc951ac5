"""Databases in containers: the repository's own compose file, under the slot's own project name."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, NamedTuple

from groundrules import console
from groundrules.stack import environment, record
from groundrules.stack.progress import Progress
from groundrules_hooks.failure import FINDINGS, GroundrulesError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundrules.stack.instance import Instance
    from groundrules.stack.startup import Startup

LINES = 20  # of what compose said, as much as an error shows
NO_ENGINE = ("Cannot connect to the Docker daemon", "is the docker daemon running", "permission denied while trying")


class NoEngineError(GroundrulesError):
    """Nobody here runs containers."""


class Project(NamedTuple):
    """What compose is called with: the slot's project name, the compose file, the values that stand in it."""

    name: str
    file: str
    values: dict[str, str]


def mapping(config: object, values: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """Return nothing: which database a container has is known to the repository alone."""
    del config, values, environ
    return {}


def bring_up(instance: Instance, startup: Startup) -> None:
    """Start the containers and return when all are running or healthy."""
    file = os.path.join(instance.worktree.root, instance.config.stack.compose)
    if not os.path.isfile(file):
        raise GroundrulesError(
            f"database: there is no {instance.config.stack.compose}", fix="git status", code=FINDINGS
        )
    if shutil.which("docker") is None:
        raise _no_engine("docker is not installed")
    progress = Progress("database", "docker compose up")
    project = _project(instance)
    new = started(instance.run) is None
    if new:
        startup.undoing.append(lambda: take_down(instance.run))
    record.save(_note(instance.run), {**project._asdict(), "run": instance.run})
    try:
        _run(project, "up", "-d", "--wait")
    except NoEngineError:
        if new:  # so nothing was started
            os.unlink(_note(instance.run))
        raise
    sign = console.DONE if new else console.ALREADY
    console.step(sign, "database", f"compose {project.name}   {progress.seconds:.1f} s")


def started(run: str) -> Project | None:
    """Return what was started in the slot with the folder `run` and not taken down. A copy of a repository has none."""
    held = record.load(_note(run))
    place = held.pop("run", "") if held else ""
    if held is None or (place != run and os.path.exists(_note(place))):
        return None
    return Project(**held)


def take_down(run: str) -> bool:
    """Remove the containers that were started, whether their worktree is there or not; whether there were any.

    Volumes stay. Raise GroundrulesError when compose does not do it: they may still run.
    """
    project = started(run)
    if project:
        _run(project, "down")
        os.unlink(_note(run))
    return project is not None


def states(project: Project) -> dict[str, str] | None:
    """Return the state of each container by its service, as compose says it; None when no engine answers."""
    try:
        said = _run(project, "ps", "-a", "--format", "json").strip()
    except GroundrulesError:
        return None
    # Up to compose 2.20 one list, later one object a line.
    rows = json.loads(said) if said.startswith("[") else [json.loads(line) for line in said.splitlines()]
    return {row["Service"]: row["State"] for row in rows}


def drop(instance: Instance) -> list[str]:
    """Remove the volumes of the slot's project."""
    project = _project(instance)
    _run(project, "down", "-v")
    return [f"volumes of {project.name}"]


def set_aside(instance: Instance) -> str:
    """Return nothing, and keep nothing: volumes cannot be renamed, so those of a removed worktree go."""
    drop(instance)
    return ""


def _project(instance: Instance) -> Project:
    file = os.path.join(instance.worktree.root, instance.config.stack.compose)
    return Project(instance.values["COMPOSE_PROJECT_NAME"], file, instance.values)


def _run(project: Project, *words: str) -> str:
    """Return what compose says: always with the slot's project, which wins over a name in the file (DAT-09).

    Where the file went with its worktree, compose finds by that name what it started.
    """
    there = os.path.isfile(project.file)
    argv = ("docker", "compose", "-p", project.name, *(("-f", project.file) if there else ()), *words)
    env = {**environment.of_shell(os.environ), **project.values}
    folder = os.path.dirname(project.file) if there else "/"
    try:
        done = subprocess.run(argv, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except FileNotFoundError:
        raise _no_engine("docker is not installed") from None
    if done.returncode:
        said = (done.stdout + done.stderr).decode("utf-8", "replace").strip()
        if any(words in said for words in NO_ENGINE):
            raise _no_engine("no container engine answers")
        raise GroundrulesError(
            f"database: `{' '.join(argv)}` ended with {done.returncode}",
            why="\n".join(said.splitlines()[-LINES:]),
            fix=f"docker compose -p {project.name} logs",
            code=FINDINGS,
        )
    return done.stdout.decode("utf-8", "replace")


def _no_engine(what: str) -> NoEngineError:
    why = 'database = "compose" needs docker with compose; "postgres" and "sqlite" do not'
    return NoEngineError(f"database: {what}", why=why, fix="docker version", code=FINDINGS)


def _note(run: str) -> str:
    """Return the file that says which containers of the slot were started."""
    return os.path.join(run, "compose")
