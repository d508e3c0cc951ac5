"""Seeded: applies migrations/*.sql in the order of their names, begun by each `make up`.

A migration is applied once, in one transaction with the others of that run, so it has no BEGIN and no COMMIT of its
own. An applied one is never edited or removed: the next change is the next file.
"""

from __future__ import annotations

import re
import sys
from hashlib import sha256
from pathlib import Path

import database

FOLDER = Path(__file__).resolve().parents[2] / "migrations"
NAME = re.compile(r"[0-9]{4}_[a-z0-9_]+\.sql")


def main() -> str | None:
    """Apply what is new and name it. Return what is wrong."""
    paths = sorted(FOLDER.glob("*.sql"))
    if wrong := [path.name for path in paths if not NAME.fullmatch(path.name)]:
        return f"migrations: {wrong[0]} is not named like 0002_add_orders.sql"
    texts = {path.name: path.read_text(encoding="utf-8") for path in paths}
    try:
        applied = database.apply([(name, sha256(text.encode()).hexdigest(), text) for name, text in texts.items()])
    except database.DatabaseError as error:
        return f"migrations: {error}"
    print("\n".join(f"applied {name}" for name in applied) or "nothing to do")
    return None


if __name__ == "__main__":
    sys.exit(main())
