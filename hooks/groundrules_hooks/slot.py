"""Slots: claim the lowest usable one under the lock, and the values that follow from it."""

from __future__ import annotations

import os
import sys
from time import gmtime, strftime

from groundrules_hooks import pin as pins
from groundrules_hooks import registry, temporary
from groundrules_hooks import task as tasks
from groundrules_hooks.ancestry import base_of, exists, is_ancestor
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.git import version
from groundrules_hooks.lock import Lock
from groundrules_hooks.pin import Pin
from groundrules_hooks.record import NamedTuple
from groundrules_hooks.worktree import STATE, require_original

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from groundrules_hooks.config import Config
    from groundrules_hooks.worktree import Worktree

OVERRIDE = "GROUNDRULES_SLOT"
HIGHEST_PORT = 65535
REDIS_DATABASES = 16  # as Redis is shipped; a higher slot gets none, since taking it modulo would alias one


class Claim(NamedTuple):
    """The slot a worktree works with; `new` when this call took it, `overridden` when the environment decides it."""

    slot: int
    pin: Pin | None
    new: bool = False
    overridden: bool = False


def claim(worktree: Worktree, config: Config) -> Claim:
    """Return the slot of `worktree`, taking the lowest usable one if it has none.

    The main worktree has slot 0. Raise GroundrulesError when every slot is taken or the claim cannot be recorded:
    a linked worktree never falls back to slot 0. An override answers instead of a slot, which is claimed all the same.
    """
    forced = _override(config)
    if not worktree.linked:
        return Claim(forced or 0, None, overridden=forced is not None)
    if forced == 0:
        raise GroundrulesError(f"{OVERRIDE} is 0, and slot 0 is the main worktree's", fix=f"unset {OVERRIDE}")
    require_original(worktree)
    if forced is None:
        return _claimed(worktree, config)
    try:
        pin = _claimed(worktree, config).pin
    except GroundrulesError:  # a sandbox, or no slot left: that is what an override is for
        pin = None
    return Claim(forced, pin, overridden=True)


def _claimed(worktree: Worktree, config: Config) -> Claim:
    pin = pins.read(worktree.git_dir)
    if pin:
        return Claim(pin.slot, pin)
    wanted = _facts(worktree, config)
    with Lock(worktree.common_dir), registry.Turn():
        pin = pins.read(worktree.git_dir)
        if pin:
            return Claim(pin.slot, pin)
        others = list(pins.siblings(worktree.common_dir, worktree.git_dir))
        slot = _lowest(config, others, worktree.common_dir)
        pin = wanted._replace(slot=slot, ports=_listed(config, slot), rival=_rival(wanted.task, others))
        registry.register(worktree.common_dir, config.ports.values())
        temporary.remove_but({other.slot for _, other in others}, worktree.common_dir)
        pins.write(worktree.git_dir, pin)
    return Claim(pin.slot, pin, new=True)


def reconcile(worktree: Worktree, config: Config, pin: Pin) -> Pin:
    """Return `pin` as it should read after a rename of its branch or a rebase off its base; record it if it changed.

    A renamed branch keeps its task, and the recorded name is gone. A branch that no longer contains its base was
    moved, and started anew where it left the target.
    """
    current, named_late = pin, False
    if worktree.branch and worktree.branch != pin.branch:
        task = tasks.of_branch(worktree.branch, config.tasks.branches) or ""
        named_late = not pin.task and task != ""
        if (task == pin.task and not exists(pin.branch)) or named_late:
            current = current._replace(branch=worktree.branch, task=task)
    if worktree.head and pin.base and worktree.branch == current.branch and not is_ancestor(pin.base, worktree.head):
        current = current._replace(base=base_of(worktree, config.tasks.target) or pin.base)
    current = current._replace(ports=_listed(config, pin.slot))  # the port table may have changed
    if current != pin:
        with Lock(worktree.common_dir):
            if named_late:
                others = pins.siblings(worktree.common_dir, worktree.git_dir)
                current = current._replace(rival=_rival(current.task, others))
            if pins.read(worktree.git_dir) == pin:  # not given back meanwhile
                pins.write(worktree.git_dir, current)
    return current


def _rival(task: str, others: Iterable[tuple[str, Pin]]) -> str:
    """Return the entry name of a worktree among `others` that has `task` already, or nothing."""
    return next((name for name, other in others if other.task and other.task == task), "")


def release(worktree: Worktree) -> bool:
    """Give the slot of `worktree` back; whether there was one. The next claim may take another."""
    with Lock(worktree.common_dir):
        try:
            os.unlink(os.path.join(worktree.git_dir, pins.FILE))
        except FileNotFoundError:
            return False
    return True


def _override(config: Config) -> int | None:
    given = os.environ.get(OVERRIDE, "")
    if not given:
        return None
    if not (given.isascii() and given.isdigit() and len(given) < 6) or int(given) > config.slots.max:
        raise GroundrulesError(
            f"{OVERRIDE} is {given!r}, not a number from 0 to {config.slots.max}", fix=f"unset {OVERRIDE}"
        )
    return int(given)


def _facts(worktree: Worktree, config: Config) -> Pin:
    """Return the pin to be, without its slot: the task and base of the branch, and the environment."""
    system = os.uname()
    return Pin(
        slot=0,
        ports="",
        task=tasks.of_branch(worktree.branch, config.tasks.branches) or "",
        branch=worktree.branch or "",
        base=base_of(worktree, config.tasks.target) or "",
        git=version(),
        python=".".join(map(str, sys.version_info[:3])),
        system=f"{system.sysname} {system.release} {system.machine}",
        created=strftime("%Y-%m-%dT%H:%M:%SZ", gmtime()),
    )


def _lowest(config: Config, others: list[tuple[str, Pin]], common_dir: str) -> int:
    """Return the lowest slot whose ports meet no sibling's and are free. Raise GroundrulesError when there is none."""
    taken = {other.slot for _, other in others}
    held = {port for slot in taken | {0} for port in ports(config, slot).values()} | registry.foreign_ports(common_dir)
    for slot in range(1, config.slots.max + 1):
        wanted = ports(config, slot).values()
        # Asked twice, since the probe of another repository's claim holds a port for a moment.
        if slot not in taken and held.isdisjoint(wanted) and all(_is_free(port) or _is_free(port) for port in wanted):
            return slot
    other = "every other one has a port that a sibling, another repository or a program holds, or that is too high"
    owners = [_owner(common_dir, name, pin) for name, pin in sorted(others, key=lambda row: row[1].slot)]
    raise GroundrulesError(
        f"no slot from 1 to {config.slots.max} is usable",
        why="\n".join(owners if len(taken) >= config.slots.max else [*owners, other]),
        fix="git worktree list",
    )


def _listed(config: Config, slot: int) -> str:
    return ",".join(map(str, ports(config, slot).values()))


def _owner(common_dir: str, name: str, pin: Pin) -> str:
    """Return a line about the worktree that holds a slot: its task, since when, its folder."""
    since = pin.created[:16].replace("T", " ")
    return f"slot {pin.slot:<3} {pin.task or 'no task'}, since {since}: {pins.folder(common_dir, name) or name}"


def ports(config: Config, slot: int) -> dict[str, int]:
    """Return the port table shifted to `slot`."""
    return {name: port + config.slots.stride * slot for name, port in config.ports.items()}


def _is_free(port: int) -> bool:
    """Whether nothing holds `port` on IPv4, IPv6 or their wildcards; a family this machine lacks holds nothing."""
    import _socket
    from errno import EADDRINUSE

    if port > HIGHEST_PORT:
        return False
    inet, inet6 = _socket.AF_INET, _socket.AF_INET6
    for family, address in ((inet, "127.0.0.1"), (inet, "0.0.0.0"), (inet6, "::1"), (inet6, "::")):  # noqa: S104 (a probe)
        probe = None
        try:
            probe = _socket.socket(family, _socket.SOCK_STREAM)
            if family == inet6:
                probe.setsockopt(_socket.IPPROTO_IPV6, _socket.IPV6_V6ONLY, 1)
            probe.bind((address, port))
        except OSError as error:
            if error.errno == EADDRINUSE:
                return False
        finally:
            if probe is not None:
                probe.close()
    return True


def values(worktree: Worktree, config: Config, slot: int) -> dict[str, str]:
    """Return the variables of `slot`: ports, and names for what else the worktree must not share."""
    key = registry.key(worktree.common_dir)
    repository = _repository(worktree)
    database = f"{repository}_{key}_s{slot}"
    file = os.path.join(worktree.common_dir, STATE, "data", f"{database}.sqlite3")
    return {
        "SLOT": str(slot),
        **{f"{name.upper()}_PORT": str(port) for name, port in ports(config, slot).items()},
        "DATABASE_NAME": database,
        "DATABASE_URL": _database_url(config, ports(config, slot), file, database),
        "COMPOSE_PROJECT_NAME": f"{repository}-{key}-s{slot}",
        "TASK_TMPDIR": temporary.path_of(worktree.common_dir, slot),
        **({"REDIS_DATABASE": str(slot)} if slot < REDIS_DATABASES else {}),
    }


def _database_url(config: Config, table: dict[str, int], file: str, database: str) -> str:
    """Return the address of the slot's database: its cluster where the stack has one, else a file of its own.

    A server by URL stands in the environment of the stack only: its URL may hold a password.
    """
    if config.stack.database == "postgres" and "db" in table:
        return f"postgresql://postgres@127.0.0.1:{table['db']}/{database}"
    return f"sqlite:///{_url_path(file)}"


def _repository(worktree: Worktree) -> str:
    common = worktree.common_dir
    # `.git` in a checkout, `.bare` in a bare layout: the folder around it has the name.
    folder = os.path.dirname(common) if os.path.basename(common).startswith(".") else common.removesuffix(".git")
    name = os.path.basename(folder).lower()
    kept = "".join(char if char.isascii() and char.isalnum() else "_" for char in name).strip("_")
    return kept[:40] or "repository"


def _url_path(path: str) -> str:
    safe = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-"
    return "".join(chr(byte) if byte in safe else f"%{byte:02X}" for byte in os.fsencode(path))


def summary(claimed: Claim, config: Config) -> str:
    """Return the one line that tells a newcomer where it is."""
    table = ", ".join(f"{name} {port}" for name, port in ports(config, claimed.slot).items())
    task = f"task {claimed.pin.task}" if claimed.pin and claimed.pin.task else "no task"
    base = f", base {claimed.pin.base[:7]}" if claimed.pin and claimed.pin.base else ""
    return f"groundrules: {task}, slot {claimed.slot}{f' ({table})' if table else ''}{base}"
