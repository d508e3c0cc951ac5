"""Repositories with a stack of real processes on ports of their own, and nothing left running afterwards."""

from __future__ import annotations

import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.request import urlopen

import pytest

from groundrules.stack import identity, listener, program, record
from groundrules_hooks import registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import Repository

INSTALLED = bool(glob.glob("/usr/lib/postgresql/*/bin/postgres"))
FIRST, LAST, BLOCK = 20000, 32000, 100

# Answers with what it was given. BIND is the address, GO a file to wait for, NOISE a line for the log.
SERVE = """
import http.server, json, os, socket, socketserver, sqlite3, sys, time

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({"pid": os.getpid(), "data": data(), "env": dict(os.environ)}).encode()
        self.send_response(int(os.environ.get("STATUS", "200")))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass

class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    address_family = socket.AF_INET6 if ":" in os.environ.get("BIND", "") else socket.AF_INET

def data():
    path = os.environ["DATABASE_URL"].removeprefix("sqlite:///")
    return sqlite3.connect(path).execute("select text from data").fetchall() if os.path.exists(path) else []

print(os.environ.get("NOISE", "begins"), flush=True)
open("started", "w").close()
while os.environ.get("GO") and not os.path.exists(os.environ["GO"]):
    time.sleep(0.01)
Server((os.environ.get("BIND", "127.0.0.1"), int(os.environ["PORT"])), Handler).serve_forever()
"""
MIGRATE = """
import os, sqlite3
path = os.environ["DATABASE_URL"].removeprefix("sqlite:///")
with sqlite3.connect(path) as database:
    database.execute("create table if not exists data (text)")
    if not database.execute("select * from data").fetchall():
        database.execute("insert into data values (?)", [os.environ["SLOT"]])
print("migrated", os.environ["DATABASE_NAME"])
"""
_blocks = os.getpid()


def free_block() -> int:
    """Return the first port of a block that nobody uses and no other test process is given."""
    global _blocks  # noqa: PLW0603 (a counter of this process)
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    share = (LAST - FIRST) // BLOCK // workers
    for _ in range(share):
        _blocks += 1
        first = FIRST + (worker * share + _blocks % share) * BLOCK
        if all(is_unused(port) for port in range(first, first + BLOCK)):
            return first
    pytest.fail("no free ports")


def is_unused(port: int) -> bool:
    """Whether `port` is free for a claim, which skips what was closed a moment ago too."""
    try:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
    except OSError:
        return False
    return not listener.is_taken(port)


def kill(pid: int) -> None:
    """Kill process `pid` and return once the kernel is done with it: until then it may hold its ports."""
    os.kill(pid, signal.SIGKILL)
    while identity.of(pid):
        time.sleep(0.001)


class Site:
    """A repository with a stack: `web`, `api` and `db` are its ports in slot 0."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.first = free_block()
        self.web, self.api, self.db = self.first, self.first + 1, self.first + 2
        repository.write("serve.py", SERVE)
        repository.write("migrate.py", MIGRATE)

    @property
    def path(self) -> Path:
        return self.repository.path

    @property
    def common(self) -> str:
        return os.path.realpath(self.path / ".git")

    def configure(self, stack: str, where: Repository | None = None) -> None:
        """Write groundrules.toml with the port table and `stack`, and commit it."""
        ports = f"[ports]\nweb = {self.web}\napi = {self.api}\ndb = {self.db}\n"
        (where or self.repository).write("groundrules.toml", f"{ports}\n{stack}")
        if where is None:
            self.repository.write(".gitignore", "started\n.slot.env\n")
            self.repository.git("add", "-A")
            self.repository.git("commit", "-q", "--no-verify", "-m", "Describe the stack")

    def run(self, slot: int = 0) -> str:
        return record.folder(self.common, slot)

    def database(self, slot: int = 0) -> str:
        """Return the name of a slot's database."""
        return f"shop_{registry.key(self.common)}_s{slot}"

    def sqlite(self, slot: int = 0) -> str:
        return f"{self.common}/groundrules/data/{self.database(slot)}.sqlite3"

    def pid(self, name: str, slot: int = 0) -> int:
        """Return the process of a service that must live."""
        made = record.read(self.run(slot), name)
        assert made is not None, f"{name} has no record"
        assert made.is_alive, f"{name} is dead"
        return made.pid

    def kill(self, name: str, slot: int = 0) -> int:
        """Kill a service and return who it was, once the kernel is done with it."""
        pid = self.pid(name, slot)
        kill(pid)
        return pid

    def ask(self, port: int, host: str = "127.0.0.1") -> dict[str, Any]:
        """Return what the service on `port` was given."""
        with urlopen(f"http://{host}:{port}/", timeout=10) as answer:
            said: dict[str, Any] = json.load(answer)
        return said

    def living(self) -> list[int]:
        """Return every process that carries a mark of this repository."""
        return [
            int(name)
            for name in os.listdir("/proc")
            if name.isdigit() and identity.of(int(name)) and identity.mark_of(int(name)).startswith(f"{self.common}/")
        ]


def service(name: str, port: str = "", env: str = "", *more: str, table: str = "service") -> str:
    """Return the table of a service that runs serve.py."""
    pairs = f'PORT = "${{{port.upper()}_PORT}}"{env and f", {env}"}' if port else env
    rows = [f"[[stack.{table}]]", f'name = "{name}"', f'run = ["{sys.executable}", "serve.py"]', *more]
    rows += [f'port = "{port}"'] if port else []
    return "\n".join([*rows, f"env = {{ {pairs} }}", "", ""])


def command(name: str, *words: str, more: str = "") -> str:
    """Return the table of a service that runs any command."""
    return f'[[stack.service]]\nname = "{name}"\nrun = {json.dumps(list(words))}\n{more}\n\n'


WEB = service("web", "web", "", 'ready = "http:/"')
API = service("api", "api")
MIGRATIONS = f'[stack]\nmigrate = ["{sys.executable}", "migrate.py"]\n\n'


def end(site: Site) -> list[int]:
    """Stop every stack of the repository; return what lived on although it was to be stopped."""
    for slot in record.slots(site.common):
        for made in record.read_all(site.run(slot)):
            program.stop(site.run(slot), made)
    left = site.living()
    for pid in left:
        kill(pid)
    return left


@pytest.fixture
def site(shop: Repository) -> Iterator[Site]:
    found = Site(shop)
    yield found
    assert not end(found), "a process outlived its test"


@pytest.fixture
def foreign() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start a server that is none of ours on a port, and return when it listens."""
    started: list[subprocess.Popen[bytes]] = []
    script = (
        "import socket, sys; family = socket.AF_INET6 if ':' in sys.argv[1] else socket.AF_INET;"
        "server = socket.socket(family); server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1);"
        "server.bind((sys.argv[1], int(sys.argv[2]))); server.listen(); print('listens', flush=True);"
        "[server.accept() for _ in iter(int, 1)]"
    )

    def start(port: int, address: str = "127.0.0.1") -> subprocess.Popen[bytes]:
        process = subprocess.Popen([sys.executable, "-c", script, address, str(port)], stdout=subprocess.PIPE)
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == b"listens\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that every user can reach, for clusters below a private one."""
    folder = tempfile.mkdtemp(prefix="groundrules-test-", dir="/tmp")
    os.chmod(folder, 0o711)  # noqa: S103 (to be passed through)
    monkeypatch.setenv("GROUNDRULES_STATE", folder)
    yield Path(folder)
    shutil.rmtree(folder)


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


IPV6 = pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6 loopback")
