"""Seeded: the service as a process of its own, on a free port and a database of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import unittest
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import scratch

ROOT = Path(__file__).resolve().parents[1]
API = ROOT / "services" / "api"


class Api(unittest.TestCase):
    """What the service answers."""

    def setUp(self) -> None:
        """Make a database, migrate it, and start the service."""
        self.url = scratch.make()
        self.addCleanup(scratch.drop, self.url)
        self.env = {**os.environ, "DATABASE_URL": self.url, "PORT": "0"}
        self.migrate()
        service = subprocess.Popen([sys.executable, str(API)], env=self.env, stdout=subprocess.PIPE, text=True)
        self.addCleanup(service.communicate)
        self.addCleanup(service.terminate)
        said = service.stdout.readline() if service.stdout else ""
        self.assertIn("listening on http://", said)
        self.base = said.split()[-1]

    def migrate(self) -> str:
        """Run the migrations and return what they say."""
        argv = [sys.executable, str(API / "migrate.py")]
        return subprocess.run(argv, env=self.env, stdout=subprocess.PIPE, text=True, check=True).stdout

    def ask(self, path: str) -> tuple[int, dict[str, Any]]:
        """Return status and body of the answer."""
        try:
            with urlopen(self.base + path, timeout=10) as answer:
                return answer.status, json.load(answer)
        except HTTPError as error:
            with error:
                return error.code, json.load(error)

    def test_health_follows_the_database(self) -> None:
        """Healthy while the database is there, and not a moment longer."""
        status, body = self.ask("/healthz")
        self.assertEqual((status, body["status"], body["starts"]), (200, "ok", 1))
        self.assertEqual(self.migrate(), "nothing to do\n")
        scratch.drop(self.url)
        self.assertEqual(self.ask("/healthz")[0], 503)

    def test_capabilities_are_those_of_the_file(self) -> None:
        """Each capability of the file is told, with its level."""
        status, body = self.ask("/capabilities")
        rows = tomllib.loads((ROOT / "capabilities.toml").read_text(encoding="utf-8"))["capability"]
        self.assertEqual(status, 200)
        told = [(row["id"], row["level"], row["wired"]) for row in body["capabilities"]]
        self.assertEqual(told, [(row["id"], row["level"], row["level"] in ("wired", "proven")) for row in rows])

    def test_other_paths_do_not_exist(self) -> None:
        """Nothing answers for what is not there."""
        self.assertEqual(self.ask("/")[0], 404)


if __name__ == "__main__":
    unittest.main()
