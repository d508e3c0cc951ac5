"""Seeded: a database of a test's own, a file in a temporary folder."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from urllib.parse import quote

PREFIX = "sqlite:///"


def make() -> str:
    """Return the URL of a new database."""
    return f"{PREFIX}{quote(tempfile.mkdtemp())}/test.sqlite3"


def drop(url: str) -> None:
    """Delete the database."""
    shutil.rmtree(Path(url.removeprefix(PREFIX)).parent, ignore_errors=True)
