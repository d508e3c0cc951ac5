"""The stack of one worktree in one slot: its settings and values, and the folder of what runs of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from groundrules.stack import databases, environment, readiness, record
from groundrules.stack.program import Program
from groundrules_hooks import pin as pins
from groundrules_hooks import slot as slots

if TYPE_CHECKING:
    from groundrules_hooks.config import Config
    from groundrules_hooks.stack_table import Service
    from groundrules_hooks.worktree import Worktree


class Instance(NamedTuple):
    """`values` are the slot's with the database that the stack really has; `rendered` are those of `.slot.env`."""

    worktree: Worktree
    config: Config
    slot: int
    rendered: dict[str, str]
    values: dict[str, str]
    run: str


def of(worktree: Worktree, config: Config, slot: int) -> Instance:
    """Return the stack of `worktree` in `slot`. Nothing is started or written."""
    rendered = slots.values(worktree, config, slot)
    given = databases.settled(config, os.environ)
    values = {**rendered, **databases.mapping(given, rendered, os.environ)}
    return Instance(worktree, given, slot, rendered, values, record.folder(worktree.common_dir, slot))


def standing(worktree: Worktree, config: Config) -> Instance | None:
    """Return the stack of `worktree` in the slot that it has; None when it has none. Nothing is claimed."""
    if worktree.linked and not os.environ.get(slots.OVERRIDE) and pins.read(worktree.git_dir) is None:
        return None
    return of(worktree, config, slots.claim(worktree, config).slot)


def shell(instance: Instance) -> dict[str, str]:
    """Return the environment that migrations and services share."""
    return {**environment.of_shell(os.environ), **instance.values}


def programs(instance: Instance, kind: str, services: tuple[Service, ...]) -> list[Program]:
    """Return what to start for `services`, in the order of the configuration."""
    return [_program(instance, kind, service) for service in services]


def _program(instance: Instance, kind: str, service: Service) -> Program:
    values = instance.values
    own = {name: environment.expanded(text, values, f"env of {service.name}") for name, text in service.env}
    env = {**shell(instance), **own}
    root = instance.worktree.root
    port = slots.ports(instance.config, instance.slot)[service.port] if service.port else 0
    if isinstance(service.ready, tuple):
        ready = readiness.of_command(environment.filled(service.ready, values), root, env)
    elif service.ready.startswith("http:"):
        ready = readiness.of_http(port, service.ready.removeprefix("http:"))
    else:
        ready = readiness.of_tcp(port) if service.ready else readiness.alive
    return Program(
        name=service.name,
        kind=kind,
        argv=environment.filled(service.run, values),
        cwd=root,
        env=env,
        own={**values, **own},
        ready=ready,
        port=port,
        asks_port=isinstance(service.ready, str) and service.ready != "",
        needs=service.needs,
        timeout=service.timeout,
    )


def filled(instance: Instance, words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a command with the slot's values in place."""
    return environment.filled(words, instance.values)
