"""The table `[stack]` of groundrules.toml: its keys, and what must hold between them."""

from __future__ import annotations

from groundrules_hooks import config_kind as kinds
from groundrules_hooks.config_kind import Kind
from groundrules_hooks.config_wrong import line_of, nearest, wrong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

ROWS = ("stack.infrastructure", "stack.service")
RESERVED = ("database", "migrations")  # names of steps of `up`, and of their logs
LONGEST_WAIT = 3600  # seconds


def _is_service_name(value: object) -> bool:
    if not isinstance(value, str) or not value.isascii() or len(value) > 40 or value in RESERVED:
        return False
    return value[:1].isalpha() and value == value.lower() and value.replace("-", "").replace("_", "").isalnum()


def _is_readiness(value: object) -> bool:
    if isinstance(value, str):
        return value == "tcp" or (value.startswith("http:/") and value.isprintable() and " " not in value)
    return kinds.is_command(value)


def _is_environment(value: object) -> bool:
    return isinstance(value, dict) and all(
        is_variable(name) and isinstance(text, str) and "\0" not in text for name, text in value.items()
    )


def is_variable(name: str) -> bool:
    """Whether `name` can be the name of an environment variable in every shell."""
    return name.isascii() and name.isidentifier()


def _are_tables(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(row, dict) for row in value)


SERVICE: dict[str, Kind] = {
    "name": Kind(
        f"a name of small letters, digits, - and _, other than {' and '.join(RESERVED)}",
        'name = "web"',
        _is_service_name,
    ),
    "run": kinds.command('run = ["python3", "-m", "shop"]'),
    "port": kinds.text('port = "web"'),
    "ready": Kind('"tcp", "http:/path" or a command as a list of words', 'ready = "http:/healthz"', _is_readiness),
    "needs": kinds.texts('needs = ["cache"]'),
    "env": Kind("a table of texts", 'env = { PORT = "${WEB_PORT}" }', _is_environment),
    "timeout": kinds.number(1, LONGEST_WAIT, "timeout = 30"),
}
TABLES: dict[str, dict[str, Kind]] = {
    "stack": {
        "database": kinds.one_of('database = "sqlite"', "none", "sqlite", "postgres", "url", "compose"),
        "migrate": kinds.command('migrate = ["python3", "migrate.py"]'),
        "server": Kind(
            "the name of an environment variable",
            'server = "POSTGRES_SERVER_URL"',
            lambda value: isinstance(value, str) and is_variable(value),
        ),
        "compose": kinds.text('compose = "compose.yaml"'),
        "infrastructure": Kind("tables", "[[stack.infrastructure]]", _are_tables),
        "service": Kind("tables", "[[stack.service]]", _are_tables),
    },
    "stack.infrastructure": SERVICE,
    "stack.service": SERVICE,
}


def check(text: str, tables: dict[str, Any]) -> None:
    """Raise GroundrulesError on the first thing in `[stack]` that does not fit the rest; each key fits by itself."""
    stack = tables.get("stack")
    if stack is None:
        return
    ports = tables.get("ports", {})
    _check_database(text, stack, ports)
    known: set[str] = set()
    users = {"db": "database"} if stack.get("database") == "postgres" else {}
    for table in ROWS:
        rows = stack.get(table.partition(".")[2], [])
        for index, row in enumerate(rows):
            _check_row(text, table, index, row, ports)
            if row["name"] in known:
                line = line_of(text, table, "name", index)
                raise wrong(line, f"two services are named {row['name']}", "a name of its own", 'name = "web"')
            known.add(row["name"])
            user = users.setdefault(row.get("port", f" {row['name']}"), row["name"])
            if user != row["name"]:
                line = line_of(text, table, "port", index)
                what = f"{user} and {row['name']} have one port, {row['port']}"
                raise wrong(line, what, "a port of its own", SERVICE["port"].example)
        _check_needs(text, table, rows, known)


def _check_database(text: str, stack: dict[str, Any], ports: dict[str, int]) -> None:
    kind = stack.get("database", "sqlite")
    for key, wanted in (("server", "url"), ("compose", "compose")):
        if kind == wanted and key not in stack:
            example = TABLES["stack"][key].example
            raise wrong(line_of(text, "stack", "database"), f"[stack] has no {key}", f'{key} with "{kind}"', example)
        if kind != wanted and key in stack:
            line = line_of(text, "stack", key)
            raise wrong(line, f"[stack] {key} has no use", f'it with "{wanted}" only', f'database = "{wanted}"')
    if kind == "postgres" and "db" not in ports:
        line = line_of(text, "stack", "database")
        raise wrong(line, "[ports] has no db for PostgreSQL to listen on", "a port named db", "db = 5432")


def _check_row(text: str, table: str, index: int, row: dict[str, Any], ports: dict[str, int]) -> None:
    for key in ("name", "run"):
        if key not in row:
            line = line_of(text, table, None, index)
            raise wrong(line, f"[[{table}]] has no {key}", f"a {key}", SERVICE[key].example)
    port = row.get("port")
    if port is not None and port not in ports:
        line = line_of(text, table, "port", index)
        known = ", ".join(ports) or "none yet"
        example = f'port = "{nearest(port, ports)}"' if ports else "[ports]"
        raise wrong(line, f'port is "{port}"', f"a name of [ports]: {known}", example)
    if port is None and isinstance(row.get("ready"), str):
        line = line_of(text, table, "ready", index)
        raise wrong(line, f'ready is "{row["ready"]}" without a port', "a port to ask", SERVICE["port"].example)


def _check_needs(text: str, table: str, rows: list[dict[str, Any]], known: Iterable[str]) -> None:
    """Refuse needs that name nothing known, and rows that wait for each other. Infrastructure never needs services."""
    for index, row in enumerate(rows):
        for need in row.get("needs", []):
            if need not in known:
                line = line_of(text, table, "needs", index)
                others = [name for name in known if name != row["name"]]
                example = f'needs = ["{nearest(need, others)}"]' if others else "needs = []"
                raise wrong(line, f'needs has "{need}"', f"names of this stack: {', '.join(sorted(others))}", example)
    waiting = {row["name"]: set(row.get("needs", [])) for row in rows}
    while waiting:
        free = {name for name, needs in waiting.items() if not needs & set(waiting)}
        if not free:
            index = next(index for index, row in enumerate(rows) if row["name"] in waiting)
            line = line_of(text, table, "needs", index)
            circle = ", ".join(sorted(waiting))
            raise wrong(line, f"needs go round in a circle: {circle}", "an order", "needs = []")
        waiting = {name: needs for name, needs in waiting.items() if name not in free}
