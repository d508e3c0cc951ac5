"""The table `[stack]`: its values, its defaults, and what may not stand together."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from groundrules_hooks.config import of_text
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.stack_table import Service, Stack

PORTS = "[ports]\nweb = 3000\ndb = 5432\n"
WHOLE = (
    PORTS
    + """
[stack]
database = "postgres"
migrate = ["python3", "migrate.py"]

[[stack.infrastructure]]
name = "cache"
run = ["redis-server"]

[[stack.service]]
name = "web"
run = ["python3", "-m", "shop"]
port = "web"
ready = "http:/healthz"
needs = ["cache", "worker"]
timeout = 5
[stack.service.env]
PORT = "${WEB_PORT}"

[[stack.service]]
name = "worker"
run = ["python3", "-m", "shop.worker"]
ready = ["test", "-e", "ready"]
"""
)


def test_stack_is_read_as_values() -> None:
    stack = of_text(WHOLE.encode()).stack
    assert (stack.database, stack.migrate) == ("postgres", ("python3", "migrate.py"))
    assert stack.infrastructure == (Service("cache", ("redis-server",)),)
    web, worker = stack.services
    assert (web.port, web.ready, web.needs, web.timeout) == ("web", "http:/healthz", ("cache", "worker"), 5)
    assert (web.env, worker.env) == ((("PORT", "${WEB_PORT}"),), ())
    assert (worker.ready, worker.timeout) == (("test", "-e", "ready"), 30)


def test_defaults_are_no_database_without_the_table_sqlite_with_it_and_tcp_with_a_port() -> None:
    assert of_text(PORTS.encode()).stack == Stack() == Stack(database="none")
    assert of_text(b"[stack]\n").stack == Stack(database="sqlite")
    service = '[[stack.service]]\nname = "web"\nrun = ["a"]\nport = "web"\n'
    assert of_text((PORTS + service).encode()).stack.services[0].ready == "tcp"


class Wrong(NamedTuple):
    """A table, the line of what is wrong in it, and the words and the example that its error must hold."""

    text: str
    line: int
    words: str
    example: str


A = '[[stack.service]]\nname = "a"\nrun = ["a"]\n'
B = A.replace('"a"', '"b"')
WRONG = [
    Wrong("[stack]\ndatabase = 'mysql'\n", 2, 'database is "mysql"', 'database = "sqlite"'),
    Wrong("[stack]\ndatabse = 'none'\n", 2, "the nearest is database", 'database = "sqlite"'),
    Wrong("[[stack.servce]]\nname = 'a'\n", 1, "the nearest is service", "[[stack.service]]"),
    Wrong("[stack]\nservice = 3\n", 2, "service is 3", "[[stack.service]]"),
    Wrong("[stack.service]\nname = 'a'\n", 1, "service is", "[[stack.service]]"),
    Wrong("[stack]\nmigrate = 'make'\n", 2, 'migrate is "make"', "migrate = ["),
    Wrong("[stack]\nmigrate = ['']\n", 2, "a command", "migrate = ["),
    Wrong("[stack]\ndatabase = 'url'\n", 2, "[stack] has no server", "server ="),
    Wrong("[stack]\ndatabase = 'compose'\n", 2, "[stack] has no compose", "compose ="),
    Wrong("[stack]\nserver = 'A'\n", 2, "server has no use", 'database = "url"'),
    Wrong("[stack]\ndatabase = 'url'\nserver = 'A-B'\n", 3, "server is", "server ="),
    Wrong("[stack]\ndatabase = 'postgres'\n", 2, "no db for PostgreSQL", "db = 5432"),
    Wrong(f"{A}{B}nam = 'c'\n", 7, "the nearest is name", 'name = "web"'),
    Wrong(f"{A}[[stack.service]]\nrun = ['b']\n", 4, "[[stack.service]] has no name", 'name = "web"'),
    Wrong("[[stack.infrastructure]]\nname = 'a'\n", 1, "[[stack.infrastructure]] has no run", "run = ["),
    Wrong(f"{A}{A}", 5, "two services are named a", 'name = "web"'),
    Wrong(f"[[stack.infrastructure]]\nname = 'a'\nrun = ['a']\n{A}", 5, "two services are named a", 'name = "web"'),
    Wrong("[[stack.service]]\nname = 'database'\nrun = ['a']\n", 2, "other than database", 'name = "web"'),
    Wrong("[[stack.service]]\nname = '../a'\nrun = ['a']\n", 2, "small letters", 'name = "web"'),
    Wrong(f"[ports]\nweb = 1\n{A}port = 'wbe'\n", 6, 'port is "wbe"', 'port = "web"'),
    Wrong(f"[ports]\nweb = 1\n{A}port = 'web'\n{B}port = 'web'\n", 10, "a and b have one port, web", "port ="),
    Wrong(
        f"[ports]\ndb = 1\n[stack]\ndatabase = 'postgres'\n{A}port = 'db'\n",
        8,
        "database and a have one port",
        "port =",
    ),
    Wrong(f"{A}port = 'web'\n", 4, "none yet", "[ports]"),
    Wrong(f"{A}ready = 'tcp'\n", 4, "without a port", "port ="),
    Wrong(f"{A}ready = 'soon'\n", 4, 'ready is "soon"', "ready ="),
    Wrong(f"{A}ready = []\n", 4, "ready is []", "ready ="),
    Wrong(f"{A}needs = ['b']\n", 4, 'needs has "b"', "needs = []"),
    Wrong(f"{A}{B}needs = ['aa']\n", 7, 'needs has "aa"', 'needs = ["a"]'),
    Wrong(f"{A}needs = ['a']\n", 4, "in a circle: a", "needs = []"),
    Wrong(f"{A}needs = ['b']\n{B}needs = ['a']\n", 4, "in a circle: a, b", "needs = []"),
    Wrong(f"[[stack.infrastructure]]\nname = 'c'\nrun = ['c']\nneeds = ['a']\n{A}", 4, 'needs has "a"', "needs = []"),
    Wrong(f"{A}env = {{ 'A-B' = 'x' }}\n", 4, "a table of texts", "env ="),
    Wrong(f"{A}env = {{ A = 1 }}\n", 4, "a table of texts", "env ="),
    Wrong(f"{A}{B}[stack.service.env]\nA = 1\n", 7, "a table of texts", "env ="),
    Wrong(f"{A}timeout = 0\n", 4, "timeout is 0", "timeout = 30"),
]


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: repr(wrong.text[-40:]))
def test_wrong_stack_names_line_key_expectation_and_example(wrong: Wrong) -> None:
    with pytest.raises(GroundrulesError) as caught:
        of_text(wrong.text.encode())
    said = str(caught.value)
    assert said.startswith(f"groundrules: groundrules.toml:{wrong.line}: "), said
    assert wrong.words in said
    assert "expected " in said
    assert f"example  {wrong.example}" in said
