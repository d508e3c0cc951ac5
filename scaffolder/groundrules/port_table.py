"""Port table: what is wrong with it before any slot is claimed, and the number that mends it."""

from __future__ import annotations

from groundrules_hooks.config import FILE
from groundrules_hooks.finding import Finding, edit
from groundrules_hooks.slot import HIGHEST_PORT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules_hooks.config import Config

NAME = "port-table"
EPHEMERAL = "/proc/sys/net/ipv4/ip_local_port_range"
USUAL_EPHEMERAL = (32768, 60999)  # Linux, where the file cannot be read


def lint(config: Config, content: bytes, ephemeral: tuple[int, int]) -> Iterator[Finding]:
    """Yield a finding for ports that meet across slots, run too high, or into the range the system hands out.

    `content` is the text of groundrules.toml, for the lines; `ephemeral` the first and last port of that range.
    """
    names = list(config.ports)
    for index, name in enumerate(names):
        for other in names[:index]:
            slots = _meeting(config, name, other)
            if slots:
                here, there = slots
                port = config.ports[name] + here * config.slots.stride
                what = f"{name} in slot {here} is {other} in slot {there}: {port}"
                yield _finding(config, content, name, what, ephemeral)
                break
        else:
            yield from _too_high(config, content, name, ephemeral)


def ephemeral_range() -> tuple[int, int]:
    """Return the first and the last port that this machine hands out to clients."""
    try:
        with open(EPHEMERAL, encoding="ascii") as file:
            first, last = map(int, file.read().split())
    except (OSError, ValueError):
        return USUAL_EPHEMERAL
    return first, last


def _meeting(config: Config, name: str, other: str) -> tuple[int, int] | None:
    """Return the lowest slots, up to the highest, in which `name` and `other` have one port."""
    distance = config.ports[other] - config.ports[name]
    slots, rest = divmod(abs(distance), config.slots.stride)
    if rest or slots > config.slots.max:
        return None
    return (slots, 0) if distance > 0 else (0, slots)


def _too_high(config: Config, content: bytes, name: str, ephemeral: tuple[int, int]) -> Iterator[Finding]:
    lowest, highest = config.ports[name], config.ports[name] + config.slots.stride * config.slots.max
    first, last = ephemeral
    if highest > HIGHEST_PORT:
        what = f"{name} in slot {config.slots.max} is {highest}, over {HIGHEST_PORT}"
        yield _finding(config, content, name, what, ephemeral)
    elif lowest <= last and highest >= first:
        what = f"{name} goes from {lowest} to {highest}, into {first} to {last}, which the system hands out"
        yield _finding(config, content, name, what, ephemeral)


def _finding(config: Config, content: bytes, name: str, what: str, ephemeral: tuple[int, int]) -> Finding:
    line = _line_of(content, name)
    better = _usable(config, name, ephemeral)
    fix = edit(FILE, f"{line}s/{config.ports[name]}/{better}/") if better else f"${{EDITOR:-vi}} +{line} {FILE}"
    return Finding(NAME, FILE, what, fix, line)


def _usable(config: Config, name: str, ephemeral: tuple[int, int]) -> int | None:
    """Return the port nearest to that of `name` which meets no other name's in any slot and stays in its range."""
    others = [port for other, port in config.ports.items() if other != name]
    stride, most = config.slots.stride, config.slots.max
    candidates = sorted(range(1024, HIGHEST_PORT - stride * most + 1), key=lambda port: abs(port - config.ports[name]))
    for port in candidates:
        clear = port > ephemeral[1] or port + stride * most < ephemeral[0]
        if clear and not any((port - other) % stride == 0 and abs(port - other) <= stride * most for other in others):
            return port
    return None


def _line_of(content: bytes, name: str) -> int:
    lines = content.decode("utf-8", "replace").split("\n")
    return next((number for number, line in enumerate(lines, 1) if line.partition("=")[0].strip(" \t\"'") == name), 1)
