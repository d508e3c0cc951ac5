"""Seeded: the door to the database, for SQLite. What the service and its migrations ask goes through here."""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFIX = "sqlite:///"
PATIENCE = 5  # seconds to wait for another writer
LONG_PATIENCE = 60  # the same for another run of the migrations


class DatabaseError(Exception):
    """The database did not do what it was asked."""


def value(statement: str) -> str:
    """Run one statement and return the first value that it yields, or nothing.

    It takes no parameters, so nothing that a caller sent may be part of it.
    """
    try:
        with closing(_connect("rw", PATIENCE)) as connection, connection:
            row = connection.execute(statement).fetchone()
    except sqlite3.Error as error:
        raise DatabaseError(str(error)) from None
    return str(row[0]) if row else ""


def apply(migrations: list[tuple[str, str, str]]) -> list[str]:
    """Apply each (name, digest, SQL) that is not applied yet, all or none, and return their names.

    A second run waits for the first and finds nothing to do.
    """
    try:
        with closing(_connect("rwc", LONG_PATIENCE)) as connection:
            connection.isolation_level = None  # the transaction is ours alone
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, digest TEXT NOT NULL)")
            known = set(connection.execute("SELECT name, digest FROM migrations"))
            if changed := sorted(name for name, _ in known - {(name, digest) for name, digest, _ in migrations}):
                raise DatabaseError(f"changed or removed after it was applied: {', '.join(changed)}")
            new = [(name, digest, text) for name, digest, text in migrations if (name, digest) not in known]
            for name, digest, text in new:
                _run(connection, name, text)
                connection.execute("INSERT INTO migrations VALUES (?, ?)", (name, digest))
            connection.execute("COMMIT")
    except sqlite3.Error as error:
        raise DatabaseError(str(error)) from None
    return [name for name, _, _ in new]


def _run(connection: sqlite3.Connection, name: str, text: str) -> None:
    """Run the statements of a migration one by one, since `executescript` would commit before the first."""
    try:
        for statement in _statements(text):
            connection.execute(statement)
    except sqlite3.Error as error:
        raise DatabaseError(f"{name}: {error}") from None
    if not connection.in_transaction:
        raise DatabaseError(f"{name}: it ends the transaction that it runs in")


def _statements(text: str) -> Iterator[str]:
    statement = ""
    for part in re.split("(?<=;)", text):
        statement += part
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip():
        yield statement


def _connect(mode: str, patience: float) -> sqlite3.Connection:
    """Connect to the file that DATABASE_URL names; with mode `rw` it must be there."""
    url = os.environ.get("DATABASE_URL", "")
    if not url.startswith(PREFIX):
        raise DatabaseError(f"DATABASE_URL is not {PREFIX}PATH; `make up` sets it")
    return sqlite3.connect(f"file:{url.removeprefix(PREFIX)}?mode={mode}", uri=True, timeout=patience)
