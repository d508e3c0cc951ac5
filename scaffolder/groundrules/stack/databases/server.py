"""A PostgreSQL server by URL: one database a slot, made and dropped through psql."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from groundrules import console
from groundrules.stack import record
from groundrules.stack.databases import client
from groundrules_hooks.failure import FINDINGS, GroundrulesError
from groundrules_hooks.lock import make_folder
from groundrules_hooks.worktree import STATE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundrules.stack.instance import Instance
    from groundrules.stack.startup import Startup
    from groundrules_hooks.config import Config

MAINTENANCE = "postgres"  # the database to be connected to while others are made
EXISTS, IN_USE, MISSING = "42P04", "55006", "3D000"
PATIENCE = 10.0  # seconds for others to leave a template


def mapping(config: Config, values: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """Return DATABASE_URL on the server; nothing while the variable with its URL is not set."""
    url = environ.get(config.stack.server, "")
    return {"DATABASE_URL": client.on(url, values["DATABASE_NAME"])} if url else {}


def bring_up(instance: Instance, startup: Startup) -> None:
    """Make the slot's database unless it is there."""
    name = instance.values["DATABASE_NAME"]
    made = create(instance, name)
    startup.changed |= made
    console.step(console.DONE if made else console.ALREADY, "database", f"{name} on {instance.config.stack.server}")


def drop(instance: Instance) -> list[str]:
    """Drop the slot's database, connections to it included."""
    name = instance.rendered["DATABASE_NAME"]
    there = _is_there(instance, name)
    if there:
        _required(_ask(instance, f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'), f"cannot drop {name}")
    return [f"{name} on {instance.config.stack.server}"] if there else []


def set_aside(instance: Instance) -> str:
    """Rename the database to one that ends in _old, which replaces an older one."""
    name = instance.rendered["DATABASE_NAME"]
    if not _is_there(instance, name):
        return ""
    for statement in (
        f'DROP DATABASE IF EXISTS "{name}_old" WITH (FORCE)',
        f'ALTER DATABASE "{name}" RENAME TO "{name}_old"',
    ):
        _required(_ask(instance, statement), f"cannot set {name} aside")
    return f"{name}_old on {instance.config.stack.server}"


def create(instance: Instance, name: str) -> bool:
    """Make the database `name` unless it is there; whether it was made. One at a time in this repository."""
    if _is_there(instance, name):
        return False
    folder = os.path.join(instance.worktree.common_dir, STATE, "data")
    make_folder(folder)
    deadline = time.monotonic() + PATIENCE
    with record.Turn(folder):
        while True:
            said = _ask(instance, f'CREATE DATABASE "{name}" TEMPLATE template0')
            if said.state != IN_USE or time.monotonic() > deadline:
                break
            time.sleep(0.1)
    if said.state == EXISTS:
        return False
    _required(said, f"cannot make {name}")
    return True


def _is_there(instance: Instance, name: str) -> bool:
    said = _ask(instance, f"SELECT 1 FROM pg_database WHERE datname = '{name}'")  # noqa: S608 (letters, digits and _)
    _required(said, "cannot ask the server")
    return said.out == "1"


def _ask(instance: Instance, statement: str) -> client.Said:
    variable = instance.config.stack.server
    url = os.environ.get(variable, "")
    if not url:
        raise GroundrulesError(
            f"database: {variable} is not set",
            why="it holds the URL of the server on which each slot has a database",
            fix=f"export {variable}=postgresql://USER:PASSWORD@HOST:5432/postgres",
        )
    return client.ask(client.on(url, MAINTENANCE), statement)


def _required(said: client.Said, what: str) -> None:
    if said.code:
        raise GroundrulesError(f"database: {what}", why=said.err, fix="tools/groundrules up", code=FINDINGS)
