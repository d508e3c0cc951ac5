"""PostgreSQL from local binaries: a cluster a worktree, on 127.0.0.1 and the slot's own port, without Unix sockets."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from groundrules import console
from groundrules.stack import environment, listener, record
from groundrules.stack.databases import binaries, client, cluster
from groundrules.stack.databases.server import EXISTS
from groundrules.stack.program import Program
from groundrules.stack.readiness import Answer
from groundrules_hooks import slot as slots
from groundrules_hooks.failure import FINDINGS, GroundrulesError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from groundrules.stack.databases.binaries import User
    from groundrules.stack.instance import Instance
    from groundrules.stack.startup import Startup
    from groundrules_hooks.config import Config

NAME = "database"
PORT = "db"  # its name in the port table
START_PATIENCE = 60.0  # seconds: a crash may have to be recovered from


def mapping(config: Config, values: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """Return nothing: the slot's own DATABASE_URL is that of its cluster."""
    del config, values, environ
    return {}


def bring_up(instance: Instance, startup: Startup) -> None:
    """Start the slot's cluster, made first if there is none, with the slot's database in it."""
    to = binaries.user()
    path = cluster.settle(instance, to)
    name = instance.values["DATABASE_NAME"]
    bin_dir = binaries.folder("postgres", cluster.version(path))
    if not os.path.exists(path):
        cluster.create(path, bin_dir, to, name)
        startup.changed = True
        console.step(console.DONE, NAME, f"made {path}")
        _remember(instance, path)
    startup.ensure([_server(instance, path, bin_dir, to)])
    if record.load(_note(instance)) != {"cluster": path, "database": name}:
        _create(instance, name)
        _remember(instance, path)


def _server(instance: Instance, path: str, bin_dir: str, to: User | None) -> Program:
    port = slots.ports(instance.config, instance.slot)[PORT]
    settings = ("listen_addresses=127.0.0.1", f"port={port}", "unix_socket_directories=", "fsync=off")
    options = [word for setting in settings for word in ("-c", setting)]
    env = environment.of_shell(os.environ)
    return Program(
        name=NAME,
        kind="database",
        argv=(*binaries.stepping_down(to), f"{bin_dir}/postgres", "-D", path, *options),
        cwd="/",
        env={name: value for name, value in env.items() if not name.startswith("PG")},
        own={},
        ready=_probe(path, port),
        port=port,
        asks_port=listener.is_known(),
        timeout=START_PATIENCE,
        before=lambda: cluster.clear(path),
        signal="INT",  # a fast shutdown: TERM would wait for clients
    )


def _probe(path: str, port: int) -> Callable[[], Answer]:
    def probe() -> Answer:
        ready = cluster.is_ready(path)
        return Answer(ready=ready, said=f"postgres 127.0.0.1:{port}" if ready else "the server is starting")

    return probe


def _note(instance: Instance) -> str:
    """Return the file that says which database was made in which cluster, so that nobody has to ask each time."""
    return os.path.join(instance.run, "made")


def _remember(instance: Instance, path: str) -> None:
    record.save(_note(instance), {"cluster": path, "database": instance.values["DATABASE_NAME"]})


def _create(instance: Instance, name: str) -> None:
    """Make the slot's database in a cluster that was made under another name of the repository."""
    url = client.on(instance.values["DATABASE_URL"], "postgres")
    said = client.ask(url, f'CREATE DATABASE "{name}"')
    if said.code and said.state != EXISTS:
        raise GroundrulesError(f"database: cannot make {name}", why=said.err, fix="tools/groundrules up", code=FINDINGS)


def drop(instance: Instance) -> list[str]:
    """Delete the cluster of the slot."""
    path = cluster.place(instance)
    cluster.clear(path)  # refuses below a server that lives without a record
    found = [each for each in (path, f"{path}.new") if os.path.lexists(each)]
    for each in found:
        shutil.rmtree(each)
    if os.path.lexists(_note(instance)):
        os.unlink(_note(instance))
    return found[:1]


def set_aside(instance: Instance) -> str:
    """Rename the cluster to one that ends in .old, which replaces an older one."""
    path = cluster.place(instance)
    if not os.path.lexists(path):
        return ""
    cluster.clear(path)
    if os.path.lexists(f"{path}.old"):
        shutil.rmtree(f"{path}.old")
    os.rename(path, f"{path}.old")
    return f"{path}.old"
