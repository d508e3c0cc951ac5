"""Databases of a stack: one module a kind, and the one function that says which is which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundrules.stack.instance import Instance
    from groundrules.stack.startup import Startup
    from groundrules_hooks.config import Config

GIVEN = "GROUNDRULES_POSTGRES_URL"  # a server that runs already


class Database(Protocol):
    """What a module of this package answers."""

    def mapping(self, config: Config, values: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
        """Return the values of the slot that this kind of database changes. Nothing is started or asked."""

    def bring_up(self, instance: Instance, startup: Startup) -> None:
        """Make the database of the slot ready, and tell it as one step."""

    def drop(self, instance: Instance) -> list[str]:
        """Delete the data of the slot and return what that was."""

    def set_aside(self, instance: Instance) -> str:
        """Move data of an earlier owner of the slot out of the way; return where to, or nothing."""


def of(config: Config) -> Database | None:
    """Return the database of a stack, or None. Its module is imported when it is asked for."""
    found: Database | None = None
    match config.stack.database:
        case "sqlite":
            from groundrules.stack.databases import sqlite as found
        case "postgres":
            from groundrules.stack.databases import postgres as found
        case "url":
            from groundrules.stack.databases import server as found
        case "compose":
            from groundrules.stack.databases import compose as found
    return found


def settled(config: Config, environ: Mapping[str, str]) -> Config:
    """Return `config` as it holds where `environ` gives a server: that one stands in for any other PostgreSQL."""
    if config.stack.database in ("postgres", "url") and environ.get(GIVEN):
        return config._replace(stack=config.stack._replace(database="url", server=GIVEN))
    return config


def mapping(config: Config, values: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """Return the values that replace the slot's own `values`: what names the database that the stack really has."""
    database = of(config)
    return database.mapping(config, values, environ) if database else {}
