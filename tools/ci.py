"""Managed: what a CI job has to know of this repository, from its committed files; kept current by `make update`.

plan  what groundrules.toml gives CI to do, as NAME=VALUE lines
ask   asks each service that `make up` started, and whether /capabilities says what capabilities.toml says
"""

from __future__ import annotations

import http.client
import json
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 10  # seconds for an answer


def plan() -> str | None:
    """Print whether there is a stack, whether it uses PostgreSQL, and which tiers beside the quick one have checks."""
    settings = read("groundrules.toml")
    used = {row.get("tier") for row in settings.get("check", [])}
    tiers = [tier for tier in ("deep", "integration") if tier in used]
    stack = "stack" in settings
    postgres = stack and settings["stack"].get("database") in ("postgres", "url")
    for name, value in (("work", stack or bool(tiers)), ("stack", stack), ("postgres", postgres)):
        print(f"{name}={str(value).lower()}")
    print(f"tiers={' '.join(tiers)}")
    return None


def ask() -> str | None:
    """Ask each service that is ready by HTTP for its own path and for /capabilities. Return what is wrong."""
    lines = (ROOT / ".slot.env").read_text(encoding="utf-8").splitlines()
    values = dict(line.split("=", 1) for line in lines if line[:1].isalpha())
    for service in read("groundrules.toml")["stack"].get("service", []):
        ready = service.get("ready", "")
        if not isinstance(ready, str) or not ready.startswith("http:"):
            continue
        port = int(values[f"{service['port'].upper()}_PORT"])
        path = ready.removeprefix("http:")
        status, body = get(port, path)
        wrong = None if 200 <= status < 400 else f"{path} answers {status} {body}"
        wrong = wrong or capabilities(port)
        if wrong:
            return f"{service['name']}: {wrong}"
    return None


def capabilities(port: int) -> str | None:
    """Return what is wrong with the answer to /capabilities. A service that offers none, or a page, is well."""
    status, body = get(port, "/capabilities")
    if status not in (200, 404):
        return f"/capabilities answers {status} {body}"
    try:
        said = {row["id"]: row["level"] for row in json.loads(body)["capabilities"]}
    except (KeyError, TypeError, ValueError):
        return None
    claimed = {row["id"]: row["level"] for row in read("capabilities.toml").get("capability", [])}
    return None if said == claimed else f"/capabilities says {said}, and capabilities.toml {claimed}"


def get(port: int, path: str) -> tuple[int, str]:
    """Return status and text of what listens on `port` of this machine; status 0 and the reason when nothing does."""
    connection = http.client.HTTPConnection("localhost", port, timeout=PATIENCE)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        status, body = answer.status, answer.read().decode(errors="replace").strip()
    except (OSError, http.client.HTTPException) as error:
        status, body = 0, str(error)
    finally:
        connection.close()
    print(f"http://localhost:{port}{path} {status}")
    return status, body


def read(name: str) -> dict[str, Any]:
    """Return the TOML document `name` at the root; an empty one when there is no such file."""
    path = ROOT / name
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


if __name__ == "__main__":
    commands = {"plan": plan, "ask": ask}
    chosen = commands.get(" ".join(sys.argv[1:]))
    sys.exit(chosen() if chosen else f"usage: ci.py {' | '.join(commands)}")
