"""Seeded: the door to the database, for PostgreSQL. What the service and its migrations ask goes through here.

Python has no driver for PostgreSQL, so each question is a process of `psql`, which comes with PostgreSQL itself.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
PREFIX = "postgresql://"
PATIENCE = 5  # seconds for a question
LOCK = 7004  # any number, the same for every run of the migrations


class DatabaseError(Exception):
    """The database did not do what it was asked."""


def value(statement: str) -> str:
    """Run one statement and return the first value that it yields, or nothing.

    It takes no parameters, so nothing that a caller sent may be part of it.
    """
    return _psql(statement, PATIENCE).partition("\n")[0]


def apply(migrations: list[tuple[str, str, str]]) -> list[str]:
    """Apply each (name, digest, SQL) that is not applied yet, all or none, and return their names.

    A second run waits for the first and finds nothing to do.
    """
    said = [line.partition(" ") for line in _psql("\n".join(_script(migrations))).splitlines()]
    if changed := [name for word, _, name in said if word == "changed"]:
        raise DatabaseError(f"changed or removed after it was applied: {', '.join(changed)}")
    return [name for word, _, name in said if word == "applied"]


def _script(migrations: list[tuple[str, str, str]]) -> Iterator[str]:
    """Yield the lines of one transaction for psql. Names and digests hold nothing to quote; files are read by psql."""
    yield "BEGIN;"
    yield "SET LOCAL client_min_messages = warning;"
    yield f"SELECT pg_advisory_xact_lock({LOCK});"
    yield "CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, digest text NOT NULL);"
    yield "CREATE TEMPORARY TABLE wanted (name text, digest text) ON COMMIT DROP;"
    for name, digest, _ in migrations:
        yield f"INSERT INTO wanted VALUES ('{name}', '{digest}');"
    changed = "FROM (TABLE migrations EXCEPT TABLE wanted) AS changed"
    yield f"SELECT 'changed ' || name {changed} ORDER BY name;"
    yield f"SELECT count(*) = 0 AS unchanged {changed} \\gset"
    yield "\\if :unchanged"
    for name, digest, _ in migrations:
        yield f"SELECT count(*) = 0 AS new FROM migrations WHERE name = '{name}' \\gset"
        yield f"\\if :new\n\\o /dev/null\n\\i migrations/{name}\n\\o"
        yield f"INSERT INTO migrations VALUES ('{name}', '{digest}');"
        yield f"\\echo applied {name}\n\\endif"
    yield "\\endif"
    yield "COMMIT;"


def _psql(script: str, patience: float | None = None) -> str:
    """Return what psql prints for `script`, rows without decoration. A password never stands in its command line."""
    url = urlsplit(os.environ.get("DATABASE_URL", ""))
    if url.scheme != "postgresql":
        raise DatabaseError(f"DATABASE_URL does not begin with {PREFIX}; `make up` sets it")
    user, _, place = url.netloc.rpartition("@")
    bare = url._replace(netloc=f"{user.partition(':')[0]}@{place}" if user else place).geturl()
    env = {**os.environ, "PGCLIENTENCODING": "UTF8", "PGCONNECT_TIMEOUT": str(PATIENCE)}
    if url.password:
        env["PGPASSWORD"] = unquote(url.password)
    path = os.pathsep.join(filter(None, (os.environ.get("GROUNDRULES_POSTGRES"), os.environ.get("PATH"))))
    program = shutil.which("psql", path=path)
    if program is None:
        raise DatabaseError("there is no psql on PATH")
    argv = [program, "-X", "-w", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", bare, "-f", "-"]
    try:
        done = subprocess.run(
            argv, cwd=ROOT, env=env, input=script.encode(), capture_output=True, timeout=patience, check=False
        )
    except subprocess.TimeoutExpired:
        raise DatabaseError(f"no answer after {patience} s") from None
    if done.returncode:
        raise DatabaseError(done.stderr.decode("utf-8", "replace").strip())
    return done.stdout.decode("utf-8", "replace").strip()
