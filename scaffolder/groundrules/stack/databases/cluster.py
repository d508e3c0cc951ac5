"""A PostgreSQL cluster on disk: where it may be, made whole or not at all, with the database of its slot in it."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from typing import TYPE_CHECKING

from groundrules.stack import identity, owner
from groundrules.stack.databases import binaries
from groundrules_hooks.failure import FINDINGS, GroundrulesError
from groundrules_hooks.lock import make_folder
from groundrules_hooks.worktree import STATE

if TYPE_CHECKING:
    import subprocess

    from groundrules.stack.databases.binaries import User
    from groundrules.stack.instance import Instance

ELSEWHERE = "GROUNDRULES_STATE"  # a folder that the stepped-down user can reach
ROLE = "postgres"
ACCESS = "host all all 127.0.0.1/32 trust\n"
PATIENCE = 10.0  # seconds for the children of a killed server to notice


def place(instance: Instance) -> str:
    """Return where the cluster of the slot is, or would be by default; nothing is made."""
    known = owner.read(instance.run)
    common = instance.worktree.common_dir
    return (known.cluster if known else "") or os.path.join(common, STATE, "data", str(instance.slot), "cluster")


def settle(instance: Instance, to: User | None) -> str:
    """Return where the cluster is to be, its parent made and reachable; a place outside the git dir is recorded."""
    path = place(instance)
    make_folder(os.path.dirname(path))
    if binaries.reaches(to, os.path.dirname(path)):
        return path
    key = hashlib.sha256(os.fsencode(instance.worktree.common_dir)).hexdigest()[:16]
    bases = (os.environ.get(ELSEWHERE, ""), "/var/lib/groundrules", f"/var/tmp/groundrules-{os.getuid()}")  # noqa: S108 (of this user)
    for base in bases:
        parent = os.path.join(base, f"{key}-s{instance.slot}")
        if base and _is_ours(base) and _is_ours(parent) and binaries.reaches(to, parent):
            path = os.path.join(parent, "cluster")
            known = owner.read(instance.run) or owner.of(instance.worktree)
            owner.write(instance.run, known._replace(cluster=path))
            return path
    raise GroundrulesError(
        f"the user {to.name if to else ''} cannot reach {os.path.dirname(path)}",
        why="PostgreSQL runs as that user, and a folder above is private",
        fix=f"export {ELSEWHERE}=/path/that/{to.name if to else 'everybody'}/can/reach",
        code=FINDINGS,
    )


def _is_ours(folder: str) -> bool:
    """Whether `folder` is, or can be made, a folder of this user's that others may pass through."""
    try:
        os.makedirs(folder, mode=0o711, exist_ok=True)
        return os.lstat(folder).st_uid == os.getuid() and not os.path.islink(folder)
    except OSError:
        return False


def create(path: str, bin_dir: str, to: User | None, database: str) -> None:
    """Make the cluster at `path` with `database` in it. It appears under its name when it is whole."""
    new = f"{path}.new"
    if os.path.lexists(new):
        shutil.rmtree(new)
    os.mkdir(new, 0o700)
    if to:
        os.chown(new, to.uid, to.gid)
    down = binaries.stepping_down(to)
    settings = ("--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", f"--username={ROLE}")
    _checked(binaries.run((*down, f"{bin_dir}/initdb", "-D", new, *settings)), "initdb")
    with open(os.path.join(new, "pg_hba.conf"), "w", encoding="ascii") as file:
        file.write(ACCESS)
    single = (*down, f"{bin_dir}/postgres", "--single", "-F", "-D", new, "postgres")
    _checked(binaries.run(single, f'CREATE DATABASE "{database}"\n'), "postgres --single")
    os.rename(new, path)


def _checked(done: subprocess.CompletedProcess[str], name: str) -> None:
    if done.returncode:
        said = (done.stdout + done.stderr).strip().splitlines()
        raise GroundrulesError(
            f"database: {name} ended with {done.returncode}", why="\n".join(said[-20:]), code=FINDINGS
        )


def version(path: str) -> str:
    """Return the version of PostgreSQL that made the cluster; empty when there is none."""
    try:
        with open(os.path.join(path, "PG_VERSION"), encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def is_ready(path: str) -> bool:
    """Whether the server of the cluster says that it takes connections: the last line of its pid file, as pg_ctl."""
    return _pid_file(path)[7:8] == ["ready"]


def clear(path: str) -> None:
    """Return when no process of an earlier server is left, its pid file gone: its number may be somebody's by now.

    Raise GroundrulesError when a server runs that we have no record of.
    """
    lines = _pid_file(path)
    if not lines or not os.path.isdir(f"{identity.PROC}/self"):
        return
    deadline = time.monotonic() + PATIENCE
    while workers := _workers(path):
        if lines[0] in map(str, workers):
            raise GroundrulesError(
                f"database: process {lines[0]} serves {path}, and its record is lost",
                why=identity.command(int(lines[0])),
                fix=f"kill -INT {lines[0]}",
                code=FINDINGS,
            )
        if time.monotonic() > deadline:
            raise GroundrulesError(
                f"database: processes of a killed server do not end: {workers}",
                fix=f"ps -fp {','.join(map(str, workers))}",
                code=FINDINGS,
            )
        time.sleep(0.02)
    os.unlink(os.path.join(path, "postmaster.pid"))


def _workers(path: str) -> list[int]:
    """Return the processes whose folder is the cluster: a server and its children work there, a zombie nowhere."""
    found = []
    for name in os.listdir(identity.PROC):
        try:
            if name.isdigit() and os.readlink(f"{identity.PROC}/{name}/cwd") == path:
                found.append(int(name))
        except OSError:
            continue
    return found


def _pid_file(path: str) -> list[str]:
    try:
        with open(os.path.join(path, "postmaster.pid"), encoding="utf-8", errors="replace") as file:
            return [line.strip() for line in file.read().split("\n")]
    except OSError:
        return []
