"""SQLite: one file a slot below the common git dir; the migrations make it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from groundrules import console
from groundrules_hooks.lock import make_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundrules.stack.instance import Instance
    from groundrules.stack.startup import Startup

BESIDE = ("", "-wal", "-shm", "-journal")  # what SQLite keeps beside a database belongs to it


def mapping(config: object, values: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """Return nothing: the slot's own DATABASE_URL is this file."""
    del config, values, environ
    return {}


def bring_up(instance: Instance, startup: Startup) -> None:
    """Make the folder of the database."""
    del startup
    path = file(instance)
    make_folder(os.path.dirname(path))
    there = os.path.exists(path)
    console.step(console.ALREADY if there else console.DONE, "database", f"sqlite {instance.values['DATABASE_NAME']}")


def drop(instance: Instance) -> list[str]:
    """Delete the file and what SQLite keeps beside it; a link is removed, never what it leads to."""
    path = file(instance)
    found = [f"{path}{end}" for end in BESIDE if os.path.lexists(f"{path}{end}")]
    for each in found:
        os.unlink(each)
    return found[:1]


def set_aside(instance: Instance) -> str:
    """Rename the file to one that ends in .old, which replaces an older one."""
    path = file(instance)
    if not os.path.lexists(path):
        return ""
    for end in BESIDE:
        if os.path.lexists(f"{path}{end}"):
            os.replace(f"{path}{end}", f"{path}.old{end}")
        elif os.path.lexists(f"{path}.old{end}"):
            os.unlink(f"{path}.old{end}")
    return f"{path}.old"


def file(instance: Instance) -> str:
    """Return the path of the database."""
    return os.fsdecode(unquote_to_bytes(instance.rendered["DATABASE_URL"].removeprefix("sqlite:///")))
