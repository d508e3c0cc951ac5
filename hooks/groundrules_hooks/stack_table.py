"""The table `[stack]` of groundrules.toml as values: what `up` brings up."""

from __future__ import annotations

from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Service(NamedTuple):
    """A program of the stack: how it is started, what it needs, and when it is ready within `timeout` seconds.

    `port` is a name of the port table. `ready` is "tcp", "http:/path", a command, or empty: alive is enough. `${NAME}`
    in `run`, `ready` and `env` stands for a value of the slot.
    """

    name: str
    run: tuple[str, ...]
    port: str = ""
    ready: str | tuple[str, ...] = ""
    needs: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    timeout: int = 30


class Stack(NamedTuple):
    """What `up` brings up, in this order: `database`, the command `migrate`, infrastructure, services.

    `server` names the variable that holds the URL of a database server, `compose` is a compose file.
    """

    database: str = "none"
    migrate: tuple[str, ...] = ()
    server: str = ""
    compose: str = ""
    infrastructure: tuple[Service, ...] = ()
    services: tuple[Service, ...] = ()


def stack(plain: dict[str, Any]) -> Stack:
    """Return the stack of the checked table, in which the database is SQLite unless it says otherwise."""
    rest = {"database": "sqlite", **plain}
    infrastructure = tuple(_service(row) for row in rest.pop("infrastructure", ()))
    services = tuple(_service(row) for row in rest.pop("service", ()))
    return Stack(infrastructure=infrastructure, services=services, **rest)


def _service(row: dict[str, Any]) -> Service:
    ready = "tcp" if "port" in row else ""
    return Service(**{"ready": ready, **row, "env": tuple(row.get("env", {}).items())})
