"""Databases in containers: the repository's own compose file, under the slot's own project name."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

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


def mapping(config: object, values: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """Return nothing: which database a container has is known to the repository alone."""
    del config, values, environ
    return {}


def command(instance: Instance, *words: str) -> tuple[str, ...]:
    """Return the command of compose: always with the slot's project, which wins over a name in the file (DAT-09)."""
    file = os.path.join(instance.worktree.root, instance.config.stack.compose)
    return ("docker", "compose", "-p", instance.values["COMPOSE_PROJECT_NAME"], "-f", file, *words)


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
    new = not os.path.exists(_note(instance))
    if new:
        startup.undoing.append(lambda: take_down(instance))
    record.save(_note(instance), {"file": file})
    _run(instance, "up", "-d", "--wait")
    sign = console.DONE if new else console.ALREADY
    console.step(sign, "database", f"compose {instance.values['COMPOSE_PROJECT_NAME']}   {progress.seconds:.1f} s")


def take_down(instance: Instance) -> str:
    """Remove the containers, if we started them; volumes stay."""
    if not os.path.exists(_note(instance)):
        return ""
    try:
        _run(instance, "down")
    except GroundrulesError as error:
        console.narrate(console.WARNING, f"{error.what}; its containers may still run")
        return ""
    os.unlink(_note(instance))
    return "compose"


def drop(instance: Instance) -> list[str]:
    """Remove the volumes of the slot's project."""
    _run(instance, "down", "-v")
    return [f"volumes of {instance.values['COMPOSE_PROJECT_NAME']}"]


def set_aside(instance: Instance) -> str:
    """Return nothing, and keep nothing: volumes cannot be renamed, so those of a removed worktree go."""
    if os.path.exists(_note(instance)):
        drop(instance)
        os.unlink(_note(instance))
    return ""


def _run(instance: Instance, *words: str) -> None:
    argv = command(instance, *words)
    env = {**environment.of_shell(os.environ), **instance.values}
    try:
        done = subprocess.run(
            argv, cwd=instance.worktree.root, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except FileNotFoundError:
        raise _no_engine("docker is not installed") from None
    if done.returncode:
        said = (done.stdout + done.stderr).decode("utf-8", "replace").strip()
        if any(words in said for words in NO_ENGINE):
            raise _no_engine("no container engine answers")
        raise GroundrulesError(
            f"database: `{' '.join(argv)}` ended with {done.returncode}",
            why="\n".join(said.splitlines()[-LINES:]),
            fix=" ".join((*argv[:6], "logs")),
            code=FINDINGS,
        )


def _no_engine(what: str) -> GroundrulesError:
    why = 'database = "compose" needs docker with compose; "postgres" and "sqlite" do not'
    return GroundrulesError(f"database: {what}", why=why, fix="docker version", code=FINDINGS)


def _note(instance: Instance) -> str:
    """Return the file that says that containers of the slot were started."""
    return os.path.join(instance.run, "compose")
