"""The skeleton at work, on both databases: migrations run once, whole, one at a time; the service tells the truth."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.error import HTTPError
from urllib.request import urlopen
from uuid import uuid4

import pytest

from conftest import forget
from groundrules.stack.databases import client
from scaffolder.stack.conftest import INSTALLED, free_block
from template.conftest import execute, start

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from template.conftest import Template

MIGRATE = (sys.executable, "services/api/migrate.py")
ASK = "import sys; sys.path.insert(0, 'services/api'); import database; print(database.value(sys.argv[1]))"
GOOD = "-- A table; and a row\nCREATE TABLE orders (note text);\r\nINSERT INTO orders VALUES ('a; b -- c')"
COUNT = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000) SELECT count(*) FROM n"
SLOW = f"INSERT INTO orders {COUNT};"
KINDS = [
    "sqlite",
    pytest.param(
        "postgres",
        marks=[
            pytest.mark.skipif(not INSTALLED, reason="PostgreSQL is not installed; .ci/run installs it"),
            pytest.mark.xdist_group("skeleton-postgres"),
        ],
    ),
]


class Seeded(NamedTuple):
    """A rendered repository and an environment with a database of its own."""

    root: Path
    env: dict[str, str]

    def write(self, name: str, content: str) -> None:
        (self.root / name).write_text(content, newline="")

    def migrate(self, code: int = 0, **env: str) -> str:
        return execute([*MIGRATE], self.root, {**self.env, **env}, code)

    def value(self, statement: str) -> str:
        """Return what the database answers, through the skeleton's own door."""
        done = self._ask(statement)
        assert done.returncode == 0, done.stderr
        return done.stdout.removesuffix("\n")

    def has(self, *tables: str) -> list[bool]:
        """Return for each table whether the database has it."""
        return [self._ask(f"SELECT 1 FROM {table}").returncode == 0 for table in tables]  # noqa: S608 (names of tests)

    def _ask(self, statement: str) -> subprocess.CompletedProcess[str]:
        argv = [sys.executable, "-c", ASK, statement]
        return subprocess.run(argv, cwd=self.root, env=self.env, capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def server(
    template: Template, render: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Callable[..., str]]]:
    """The URL of a server that `groundrules up` started, and a way to type further commands."""
    first = free_block()
    rendered = render(skeleton="postgres", ports=f"api={first} db={first + 1}")
    shop = start(rendered, tmp_path_factory.mktemp("server") / "shop")
    state = tempfile.mkdtemp(prefix="groundrules-test-", dir="/tmp")
    os.chmod(state, 0o711)  # noqa: S103 (to be passed through)
    env = {**template.env, "GROUNDRULES_STATE": state}

    def command(*words: str) -> str:
        return execute([sys.executable, "-m", "groundrules", *words], shop, env)

    try:
        command("up")
        rows = dict(line.split("=", 1) for line in (shop / ".slot.env").read_text().splitlines() if "=" in line)
        yield rows["DATABASE_URL"], command
    finally:
        command("down", "--data", "--yes")
        shutil.rmtree(state)
        forget(shop / ".git")


@pytest.fixture(params=KINDS)
def seeded(request: pytest.FixtureRequest, render: Callable[..., Path], tmp_path: Path) -> Seeded:
    shutil.copytree(render(skeleton=request.param), tmp_path / "a 'shop' 100%")
    url = f"sqlite:///{tmp_path}/data%20%C3%A4.sqlite3"
    if request.param == "postgres":
        maintenance, _ = request.getfixturevalue("server")
        name = f"test_{uuid4().hex}"
        assert client.ask(maintenance, f"CREATE DATABASE {name}").code == 0
        url = client.on(maintenance, name)
    return Seeded(tmp_path / "a 'shop' 100%", {**os.environ, "DATABASE_URL": url, "PORT": "0"})


@contextmanager
def serving(seeded: Seeded) -> Iterator[Callable[[str], tuple[int, dict[str, Any]]]]:
    """Run the service and give a way to ask it."""
    argv = [sys.executable, "services/api"]
    service = subprocess.Popen(
        argv, cwd=seeded.root, env=seeded.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert service.stdout is not None
    base = service.stdout.readline().removeprefix("listening on ").strip()
    assert base.startswith("http://127.0.0.1:")

    def ask(path: str) -> tuple[int, dict[str, Any]]:
        try:
            with urlopen(base + path, timeout=10) as answer:  # noqa: S310 (of this machine)
                return answer.status, json.load(answer)
        except HTTPError as error:
            with error:
                return error.code, json.load(error)

    try:
        yield ask
    finally:
        service.terminate()
        service.communicate()


def test_its_own_tests_pass(seeded: Seeded) -> None:
    execute([sys.executable, "-W", "error", "-m", "unittest", "discover", "-s", "tests"], seeded.root, seeded.env)


def test_many_runs_at_once_apply_each_migration_once(seeded: Seeded) -> None:
    assert seeded.migrate() == "applied 0001_starts.sql"
    seeded.write("migrations/0002_orders.sql", GOOD)
    seeded.write("migrations/0003_slow.sql", SLOW)  # the others begin before it ends
    runs = [
        subprocess.Popen(MIGRATE, cwd=seeded.root, env=seeded.env, stdout=subprocess.PIPE, text=True) for _ in range(6)
    ]
    said = sorted(run.communicate()[0] for run in runs)
    assert [run.returncode for run in runs] == [0] * 6
    assert said == ["applied 0002_orders.sql\napplied 0003_slow.sql\n", *["nothing to do\n"] * 5]
    assert seeded.value("SELECT note FROM orders") == "a; b -- c"
    seeded.write("migrations/0004_more.sql", "INSERT INTO orders VALUES ('two');\n-- the end; really")
    assert seeded.migrate() == "applied 0004_more.sql"
    assert seeded.value("SELECT count(*) FROM orders") == "3"


def test_failing_migration_leaves_nothing_of_its_run(seeded: Seeded) -> None:
    seeded.write("migrations/0002_orders.sql", GOOD)
    seeded.write("migrations/0003_bad.sql", "CREATE TABLE half (a int);\nINSERT INTO absent VALUES (1);\n")
    said = seeded.migrate(code=1)
    assert said.startswith("migrations: ")
    assert "0003_bad.sql" in said
    assert "absent" in said
    assert seeded.has("starts", "orders", "half") == [False] * 3
    seeded.write("migrations/0003_bad.sql", "CREATE TABLE whole (a int);")
    assert seeded.migrate().count("applied") == 3
    assert seeded.has("starts", "orders", "half", "whole") == [True, True, False, True]


@pytest.mark.parametrize("change", ["edited", "removed"])
def test_applied_migration_may_not_change(seeded: Seeded, change: str) -> None:
    seeded.migrate()
    seeded.write("migrations/0002_orders.sql", GOOD)
    path = seeded.root / "migrations/0001_starts.sql"
    before = path.read_text()
    path.write_text(f"{before}-- edited\n") if change == "edited" else path.unlink()
    assert seeded.migrate(code=1) == "migrations: changed or removed after it was applied: 0001_starts.sql"
    assert seeded.has("starts", "orders") == [True, False]
    path.write_text(before, newline="\r\n")  # line ends of another checkout are no edit
    assert seeded.migrate() == "applied 0002_orders.sql"


def test_name_that_has_no_place_in_the_order_is_refused(seeded: Seeded) -> None:
    seeded.write("migrations/2_orders.sql", GOOD)
    assert seeded.migrate(code=1) == "migrations: 2_orders.sql is not named like 0002_add_orders.sql"
    assert seeded.has("starts") == [False]


@pytest.mark.parametrize("url", ["", "mysql://127.0.0.1/shop"])
def test_address_of_another_database_is_refused(seeded: Seeded, url: str) -> None:
    said = seeded.migrate(code=1, DATABASE_URL=url)
    assert said.startswith("migrations: DATABASE_URL ")
    assert said.endswith("`make up` sets it")


def test_service_counts_its_starts_and_does_not_begin_without_its_table(seeded: Seeded) -> None:
    said = execute([sys.executable, "services/api"], seeded.root, seeded.env, code=1)
    assert said.startswith("api: ")
    assert "Traceback" not in said
    said = execute([sys.executable, "services/api"], seeded.root, {**seeded.env, "PORT": ""}, code=1)
    assert said == "api: PORT holds no number; `make up` sets it"
    seeded.migrate()
    for starts in (1, 2):
        with serving(seeded) as ask:
            assert ask("/healthz?verbose") == (
                200,
                {"status": "ok", "database": os.environ.get("DATABASE_NAME", ""), "starts": starts},
            )
            assert ask("/")[0] == ask("/capabilities/")[0] == 404


def test_old_python_is_named_as_the_reason(render: Callable[..., Path]) -> None:
    old = "import runpy, sys; sys.modules['tomllib'] = None; runpy.run_path('services/api', run_name='__main__')"
    said = execute([sys.executable, "-B", "-c", old], render(), os.environ, code=1)
    assert said == "api: it needs Python 3.11 or newer; `run` in groundrules.toml names which one is used"


def test_capabilities_are_read_anew_and_never_guessed(seeded: Seeded) -> None:
    seeded.migrate()
    row = '[[capability]]\nid = "cart"\ntitle = "Größe"\nlevel = "{}"\n'
    with serving(seeded) as ask:
        status, body = ask("/capabilities")
        assert status == 200
        levels = {each["id"]: (each["level"], each["wired"], each["available"]) for each in body["capabilities"]}
        assert levels == {"health": ("wired", True, False), "product": ("absent", False, False)}
        seeded.write("capabilities.toml", row.format("proven"))
        told = {"id": "cart", "title": "Größe", "level": "proven", "wired": True, "available": True}
        assert ask("/capabilities") == (200, {"capabilities": [told]})
        for content, wrong in (
            (row.format("done"), "level 'done' is none of absent, stub, "),
            ("[[capability]]\n", "'id'"),
            ("capability = 1\n", "not iterable"),
            ("[[capability\n", "line 1"),
            ("", "'capability'"),
        ):
            seeded.write("capabilities.toml", content)
            status, body = ask("/capabilities")
            assert (status, "capabilities" in body) == (500, False)
            assert body["error"].startswith("capabilities.toml: ")
            assert wrong in body["error"]
        (seeded.root / "capabilities.toml").unlink()
        assert ask("/capabilities")[0] == 500
        assert ask("/healthz")[0] == 200


def test_health_ends_with_the_database_file(render: Callable[..., Path], tmp_path: Path) -> None:
    shutil.copytree(render(skeleton="sqlite"), tmp_path / "shop")
    seeded = Seeded(tmp_path / "shop", {**os.environ, "DATABASE_URL": f"sqlite:///{tmp_path}/data", "PORT": "0"})
    seeded.migrate()
    with serving(seeded) as ask:
        (tmp_path / "data").rename(tmp_path / "elsewhere")
        assert ask("/healthz") == (503, {"status": "failed", "reason": "unable to open database file"})
        assert not (tmp_path / "data").exists(), "a question makes no database"
        (tmp_path / "elsewhere").rename(tmp_path / "data")
        assert ask("/healthz")[0] == 200


def test_sqlite_migration_may_hold_a_trigger_but_not_end_its_transaction(
    render: Callable[..., Path], tmp_path: Path
) -> None:
    shutil.copytree(render(skeleton="sqlite"), tmp_path / "shop")
    seeded = Seeded(tmp_path / "shop", {**os.environ, "DATABASE_URL": f"sqlite:///{tmp_path}/data"})
    trigger = "CREATE TRIGGER t AFTER INSERT ON starts BEGIN DELETE FROM starts; SELECT 1; END; CREATE TABLE b (a);"
    seeded.write("migrations/0002_trigger.sql", trigger)
    seeded.migrate()
    assert seeded.has("b") == [True]
    seeded.write("migrations/0003_commit.sql", "COMMIT;")
    assert seeded.migrate(code=1) == "migrations: 0003_commit.sql: it ends the transaction that it runs in"


@pytest.mark.skipif(not INSTALLED, reason="PostgreSQL is not installed; .ci/run installs it")
@pytest.mark.xdist_group("skeleton-postgres")
def test_password_never_stands_in_a_command_line(
    server: tuple[str, Callable[..., str]], render: Callable[..., Path], tmp_path: Path
) -> None:
    found = shutil.which("psql")
    (tmp_path / "psql").write_text(f'#!/bin/sh\necho "$PGPASSWORD" "$@" >>{tmp_path}/said\nexec {found} "$@"\n')
    (tmp_path / "psql").chmod(0o755)
    url = server[0].replace("postgres@", "postgres:se%20cret@")
    env = {**os.environ, "GROUNDRULES_POSTGRES": str(tmp_path), "DATABASE_URL": url}
    seeded = Seeded(shutil.copytree(render(skeleton="postgres"), tmp_path / "shop"), env)
    assert seeded.value("SELECT 'two\nlines'") == "two"
    password, _, words = (tmp_path / "said").read_text().partition(" -X")
    assert password == "se cret"  # noqa: S105 (of nobody)
    assert "postgresql://postgres@127.0.0.1:" in words
    assert "cret" not in words
    assert seeded.migrate(code=1, GROUNDRULES_POSTGRES="", PATH="/nowhere") == "migrations: there is no psql on PATH"


@pytest.mark.skipif(not INSTALLED, reason="PostgreSQL is not installed; .ci/run installs it")
@pytest.mark.xdist_group("skeleton-postgres")
def test_health_ends_with_the_server(
    server: tuple[str, Callable[..., str]], render: Callable[..., Path], tmp_path: Path
) -> None:
    url, command = server
    shutil.copytree(render(skeleton="postgres"), tmp_path / "shop")
    seeded = Seeded(tmp_path / "shop", {**os.environ, "DATABASE_URL": url, "PORT": "0"})
    with serving(seeded) as ask:
        assert ask("/healthz")[0] == 200
        command("down")
        status, body = ask("/healthz")
        assert (status, body["status"]) == (503, "failed")
        assert "connection" in body["reason"].lower()
        command("up")
        assert ask("/healthz")[0] == 200
