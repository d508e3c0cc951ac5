"""Seeded: the service `api`, begun by `make up` as `python3 services/api`.

GET /healthz       200 when the database answers from a table of the service, else 503 and the reason
GET /capabilities  what is wired and what is not, as capabilities.toml says at that moment

It uses the standard library alone, so that it runs before anything is installed. It listens on this machine only.
"""

from __future__ import annotations

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import database

try:
    import tomllib
except ModuleNotFoundError:
    sys.exit("api: it needs Python 3.11 or newer; `run` in groundrules.toml names which one is used")

CAPABILITIES = Path(__file__).resolve().parents[2] / "capabilities.toml"
LEVELS = ("absent", "stub", "compiles", "healthy", "wired", "proven")

Answer = tuple[int, dict[str, Any]]


def healthz() -> Answer:
    """Ask the database, and answer for this moment only."""
    try:
        starts = int(database.value("SELECT count(*) FROM starts"))
    except database.DatabaseError as error:
        return 503, {"status": "failed", "reason": str(error)}
    return 200, {"status": "ok", "database": os.environ.get("DATABASE_NAME", ""), "starts": starts}


def capabilities() -> Answer:
    """Answer with every capability of the file; a file that cannot be believed is an error, never a guess."""
    try:
        rows = tomllib.loads(CAPABILITIES.read_text(encoding="utf-8"))["capability"]
        found = [{"id": row["id"], "title": row["title"], **rank(row["level"])} for row in rows]
    except (OSError, KeyError, TypeError, ValueError) as error:
        return 500, {"error": f"capabilities.toml: {error}"}
    return 200, {"capabilities": found}


def rank(level: str) -> dict[str, Any]:
    """Return what `level` means. Raise ValueError when it is none."""
    if level not in LEVELS:
        raise ValueError(f"level {level!r} is none of {', '.join(LEVELS)}")
    return {"level": level, "wired": LEVELS.index(level) >= LEVELS.index("wired"), "available": level == "proven"}


ROUTES = {"/healthz": healthz, "/capabilities": capabilities}


class Handler(BaseHTTPRequestHandler):
    """Answers GET requests with JSON."""

    def do_GET(self) -> None:
        """Find the path in ROUTES and send what its function answers."""
        route = ROUTES.get(self.path.partition("?")[0])
        status, body = route() if route else (404, {"error": f"there is {', '.join(ROUTES)}"})
        content = json.dumps(body).encode() + b"\n"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def main() -> str | None:
    """Record the start, then serve until the process is ended. Return why it cannot begin."""
    port = os.environ.get("PORT", "")
    if not port.isdigit():
        return "api: PORT holds no number; `make up` sets it"
    try:
        database.value("INSERT INTO starts DEFAULT VALUES")
    except database.DatabaseError as error:
        return f"api: {error}"
    server = ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
    print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
    return None


if __name__ == "__main__":
    sys.exit(main())
