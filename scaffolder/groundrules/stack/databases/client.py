"""The door to psql: one statement, its SQLSTATE, and the password where no other user can read it."""

from __future__ import annotations

import os
import subprocess
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from groundrules.stack.databases import binaries

PATIENCE = "10"  # seconds for a connection


class Said(NamedTuple):
    """What the server answered: `state` is its SQLSTATE, empty when all went well or it was not reached."""

    code: int
    out: str
    err: str

    @property
    def state(self) -> str:
        """The SQLSTATE of an error, such as 42P04."""
        line = self.err.rpartition("ERROR:")[2].split()
        return line[0].rstrip(":") if "ERROR:" in self.err and line else ""


def ask(url: str, statement: str) -> Said:
    """Run `statement` on the database that `url` names."""
    parts = urlsplit(url)
    name, _, place = parts.netloc.rpartition("@")
    user, _, password = name.partition(":")
    bare = parts._replace(netloc=f"{user}@{place}" if user else place).geturl()
    secret = {"PGPASSWORD": unquote(password)} if password else {}
    env = {**os.environ, "LC_ALL": "C", "PGCONNECT_TIMEOUT": PATIENCE, **secret}
    argv = [os.path.join(binaries.folder("psql"), "psql"), "-X", "-A", "-t", "-w", "-q"]
    argv += ["-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=verbose", "-d", bare, "-c", statement]
    done = subprocess.run(argv, env=env, capture_output=True, text=True, errors="replace", check=False)
    return Said(done.returncode, done.stdout.strip(), done.stderr.strip())


def on(url: str, database: str) -> str:
    """Return `url` with another database."""
    return urlsplit(url)._replace(path=f"/{database}").geturl()
