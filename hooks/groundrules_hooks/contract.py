"""Contract: what a task was asked to do and where it may work, in `tasks/<id>.toml`."""

from __future__ import annotations

from groundrules_hooks import config_kind as kinds
from groundrules_hooks.config_kind import Kind
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Named = tuple[tuple[str, tuple[str, ...]], ...]


class Contract(NamedTuple):
    """One task's contract. `changes` and `uses` pair names, such as `schema:orders`, with the globs of their files."""

    title: str = ""
    acceptance: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    risk: str = ""
    checks: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    changes: Named = ()
    uses: Named = ()


def path_of(task: str) -> str:
    """Return the path of the contract of `task`, from the root."""
    return f"tasks/{task}.toml"


def parse(content: bytes, path: str) -> Contract:
    """Return the contract that `content` holds. Raise GroundrulesError naming the first thing wrong with it."""
    import tomllib

    try:
        tables = tomllib.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise _wrong(path, f"not TOML: {error}") from None
    fields: dict[str, Any] = {}
    for name, value in _flat(tables).items():
        if name not in KEYS:
            raise _wrong(path, f"{name} is unknown", f"known are {', '.join(KEYS)}")
        if not KEYS[name].fits(value):
            raise _wrong(path, f"{name} is not {KEYS[name].expected}", f"example  {KEYS[name].example}")
        key = name.rpartition(".")[2]
        fields[key] = _named(value) if KEYS[name] is CONTRACTS else tuple(value) if isinstance(value, list) else value
    return Contract(**fields)


def _are_contracts(value: object) -> bool:
    if isinstance(value, dict):
        return all(map(WRITES.fits, value.values()))
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


WRITES = kinds.patterns('writes = ["services/cart/**"]')
CONTRACTS = Kind("a table of names with patterns of paths", '"schema:orders" = ["db/orders/**"]', _are_contracts)
KEYS = {
    "title": kinds.text('title = "Sell things"'),
    "acceptance": kinds.texts('acceptance = ["CART-1"]'),
    "after": kinds.texts('after = ["T1"]'),
    "risk": kinds.text('risk = "high"'),
    "checks": kinds.texts('checks = ["unit"]'),
    "paths.writes": WRITES,
    "paths.reads": kinds.patterns('reads = ["docs/**"]'),
    "contracts.changes": CONTRACTS,
    "contracts.uses": CONTRACTS,
}


def _flat(tables: dict[str, Any]) -> dict[str, Any]:
    """Return every key by its full name."""
    found: dict[str, Any] = {}
    for name, value in tables.items():
        inner = value if name in ("paths", "contracts") and isinstance(value, dict) else None
        found |= {name: value} if inner is None else {f"{name}.{key}": held for key, held in inner.items()}
    return found


def _named(value: dict[str, list[str]] | list[str]) -> Named:
    """Return the contracts of a table, or of a list of bare names, whose files nobody knows."""
    pairs = value.items() if isinstance(value, dict) else ((name, []) for name in value)
    return tuple((name, tuple(globs)) for name, globs in pairs)


def _wrong(path: str, what: str, why: str = "") -> GroundrulesError:
    return GroundrulesError(f"{path}: {what}", why=why, fix=f"${{EDITOR:-vi}} {path}")
