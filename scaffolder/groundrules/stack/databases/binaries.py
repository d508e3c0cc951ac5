"""PostgreSQL's programs on this machine, and the user they may run as."""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import subprocess
from typing import NamedTuple

from groundrules_hooks.failure import FINDINGS, GroundrulesError

EXPLICIT = "GROUNDRULES_POSTGRES"  # a folder with PostgreSQL's programs
PACKAGED = "/usr/lib/postgresql"  # where Debian and its children keep a folder a version
USERS = ("postgres", "nobody")  # whom to step down to: PostgreSQL does not run as root


class User(NamedTuple):
    """A user of this machine."""

    name: str
    uid: int
    gid: int


def folder(program: str, version: str = "") -> str:
    """Return the folder that has `program`: an explicit one, the newest packaged one, or one on PATH.

    With `version` a packaged one must be of that version. Raise GroundrulesError when there is none.
    """
    explicit = os.environ.get(EXPLICIT, "")
    if explicit:
        if os.access(os.path.join(explicit, program), os.X_OK):
            return explicit
        raise GroundrulesError(f"{EXPLICIT} is {explicit}, which has no {program}", fix=f"unset {EXPLICIT}")
    packaged = [path for path in _packaged(program) if not version or version == _version(path)]
    found = packaged or ([] if version and _packaged(program) else _on_path(program))
    if not found:
        which = f" of PostgreSQL {version}, which made this cluster," if version else ""
        raise GroundrulesError(
            f"there is no {program}{which} on this machine",
            why=f'PostgreSQL is not installed; SQLite needs nothing: database = "sqlite"\n{EXPLICIT} can name a folder',
            fix="apt-get install postgresql",
            code=FINDINGS,
        )
    return found[0]


def _packaged(program: str) -> list[str]:
    """Return the packaged folders that have `program`, newest version first."""
    found = [os.path.dirname(path) for path in glob.glob(f"{PACKAGED}/*/bin/{program}") if os.access(path, os.X_OK)]
    return sorted(found, key=lambda path: [int(n) for n in _version(path).split(".") if n.isdigit()], reverse=True)


def _version(path: str) -> str:
    return os.path.basename(os.path.dirname(path))


def _on_path(program: str) -> list[str]:
    found = shutil.which(program)
    return [os.path.dirname(os.path.realpath(found))] if found else []


def user() -> User | None:
    """Return whom to step down to when we are root; None when we are not."""
    if os.getuid() != 0:
        return None
    for name in USERS:
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        return User(name, found.pw_uid, found.pw_gid)
    raise GroundrulesError(
        "PostgreSQL does not run as root, and there is no other user to run it as",
        why=f'looked for {", ".join(USERS)}; SQLite runs as anybody: database = "sqlite"',
        fix="useradd --system postgres",
        code=FINDINGS,
    )


def stepping_down(to: User | None) -> tuple[str, ...]:
    """Return the words before a command that run it as `to`, without another process in between."""
    if to is None:
        return ()
    if shutil.which("setpriv"):
        return ("setpriv", f"--reuid={to.uid}", f"--regid={to.gid}", "--clear-groups", "--")
    if shutil.which("runuser"):
        return ("runuser", "-u", to.name, "--")
    raise GroundrulesError(
        "PostgreSQL does not run as root, and neither setpriv nor runuser is here to step down",
        why='SQLite runs as anybody: database = "sqlite"',
        fix="apt-get install util-linux",
        code=FINDINGS,
    )


def reaches(to: User | None, path: str) -> bool:
    """Whether the user to step down to can work below `path`."""
    return not to or run((*stepping_down(to), "test", "-x", path)).returncode == 0


def run(argv: tuple[str, ...], stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run one of PostgreSQL's programs from `/`, which every user can read."""
    env = {**{name: value for name, value in os.environ.items() if not name.startswith("PG")}, "LC_ALL": "C"}
    return subprocess.run(argv, cwd="/", env=env, input=stdin, capture_output=True, text=True, check=False)
