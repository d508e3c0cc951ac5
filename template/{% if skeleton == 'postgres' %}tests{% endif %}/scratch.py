"""Seeded: a database of a test's own, beside this worktree's on the server that `make up` starts."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

VIEW = Path(__file__).resolve().parents[1] / ".slot.env"


def make() -> str:
    """Return the URL of a new database."""
    name = f"test_{uuid4().hex}"
    _psql(f"CREATE DATABASE {name}")
    return urlsplit(_server())._replace(path=f"/{name}").geturl()


def drop(url: str) -> None:
    """Delete the database, connections to it included."""
    _psql(f"DROP DATABASE IF EXISTS {urlsplit(url).path[1:]} WITH (FORCE)")


def _psql(statement: str) -> None:
    env = {**os.environ, "PGOPTIONS": "-c client_min_messages=warning"}
    subprocess.run(["psql", "-X", "-w", "-q", "-d", _server(), "-c", statement], env=env, check=True)


def _server() -> str:
    """Return the URL of this worktree's database: from the environment, else from the view of its slot."""
    if url := os.environ.get("DATABASE_URL"):
        return url
    rows = dict(line.split("=", 1) for line in VIEW.read_text().splitlines() if "=" in line)
    return rows["DATABASE_URL"]
