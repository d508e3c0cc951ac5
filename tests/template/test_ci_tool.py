"""tools/ci.py: what there is to do by groundrules.toml, and what a service may answer."""

from __future__ import annotations

import http.server
import os
import shutil
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHECK = '[[check]]\nname = "{}"\ntier = "{}"\nrun = ["true"]\n'
TABLE = '[[capability]]\nid = "health"\nlevel = "healthy"\n'
TRUE = '{"capabilities": [{"id": "health", "level": "healthy"}]}'
FALSE = '{"capabilities": [{"id": "health", "level": "proven"}]}'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with the tool and no more."""
    (tmp_path / "tools").mkdir()
    shutil.copy(f"{ROOT}/tools/ci.py", tmp_path / "tools")
    return tmp_path


@pytest.fixture
def answers() -> Iterator[tuple[int, dict[str, tuple[int, str]]]]:
    """A server on a port of its own, and what it answers by path; 404 for the others."""
    known: dict[str, tuple[int, str]] = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = known.get(self.path, (404, ""))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server.server_port, known
    server.shutdown()
    server.server_close()
    thread.join()


def tool(root: Path, *words: str) -> tuple[int, str, str]:
    argv = [sys.executable, "tools/ci.py", *words]
    done = subprocess.run(argv, cwd=root, env=os.environ, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("settings", "work", "stack", "postgres", "tiers"),
    [
        ("", "false", "false", "false", ""),
        (CHECK.format("unit", "quick"), "false", "false", "false", ""),
        ('[[check]]\nname = "unit"\nrun = ["true"]\n', "false", "false", "false", ""),
        (CHECK.format("a", "integration") + CHECK.format("b", "deep"), "true", "false", "false", "deep integration"),
        ("[stack]\n", "true", "true", "false", ""),
        ('[stack]\ndatabase = "postgres"\n', "true", "true", "true", ""),
        ('[stack]\ndatabase = "url"\nserver = "SHOP"\n', "true", "true", "true", ""),
        ('[stack]\ndatabase = "a\\nwork=no"\n', "true", "true", "false", ""),  # CI-12: no line of its own
    ],
)
def test_plan_says_what_there_is_to_do(
    root: Path, settings: str, work: str, stack: str, postgres: str, tiers: str
) -> None:
    (root / "groundrules.toml").write_text(settings)
    said = f"work={work}\nstack={stack}\npostgres={postgres}\ntiers={tiers}\n"
    assert tool(root, "plan") == (0, said, "")


@pytest.mark.parametrize(
    ("ready", "health", "capabilities", "wrong"),
    [
        ("http:/ok", (200, "well"), (200, TRUE), ""),
        ("http:/ok", (302, ""), (404, ""), ""),
        ("http:/ok", (200, ""), (200, "<html>"), ""),
        ("http:/ok", (200, ""), (200, "[1]"), ""),
        ("http:/ok", (503, "no database"), (200, TRUE), "web: /ok answers 503 no database"),
        ("http:/ok", (404, ""), (200, TRUE), "web: /ok answers 404"),
        ("http:/ok", (200, ""), (500, "no file"), "web: /capabilities answers 500 no file"),
        ("http:/ok", (200, ""), (200, FALSE), "web: /capabilities says {'health': 'proven'}, and capabilities.toml"),
        ("tcp", (503, ""), (500, ""), ""),
    ],
)
def test_service_is_heard(
    root: Path,
    answers: tuple[int, dict[str, tuple[int, str]]],
    ready: str,
    health: tuple[int, str],
    capabilities: tuple[int, str],
    wrong: str,
) -> None:
    port, known = answers
    known |= {"/ok": health, "/capabilities": capabilities}
    service = f'[[stack.service]]\nname = "web"\nrun = ["web"]\nport = "web_1"\nready = "{ready}"\n'
    (root / "groundrules.toml").write_text(f"[stack]\n{service}")
    (root / "capabilities.toml").write_text(TABLE)
    (root / ".slot.env").write_text(f"# rendered\n\nSLOT=0\nWEB_1_PORT={port}\n")
    code, out, err = tool(root, "ask")
    assert (code, err[: len(wrong)]) == ((1, wrong) if wrong else (0, ""))
    assert bool(err) == bool(wrong)
    assert (f"http://localhost:{port}/ok {health[0]}\n" in out) == ready.startswith("http:")


def test_service_that_is_not_there_is_told_and_so_is_how_to_call_it(root: Path) -> None:
    (root / "groundrules.toml").write_text(
        '[stack]\n[[stack.service]]\nname = "web"\nrun = ["web"]\nport = "web"\nready = "http:/"\n'
    )
    (root / ".slot.env").write_text("WEB_PORT=1\n")
    code, _, err = tool(root, "ask")
    assert (code, err.partition("[")[0]) == (1, "web: / answers 0 ")
    assert tool(root) == (1, "", "usage: ci.py plan | ask\n")
