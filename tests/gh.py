"""Stands in for `gh`, the forge's own command, on PATH: takes the calls that ours makes, keeps issues in a file.

What is replaced is the tool at the border. It refuses what it does not know, so a call that changes shows.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

EMPTY: dict[str, Any] = {"issues": [], "checks": {}, "failing": "", "meanwhile": [], "calls": []}


class Forge:
    """The forge as the program below sees it: a file beside it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder, self.file = folder, folder / "forge.json"
        self.change(**EMPTY)
        program = folder / "gh"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I "{__file__}" "{self.file}" "$@"\n')
        program.chmod(0o755)

    @property
    def path(self) -> str:
        """PATH with the program first."""
        return f"{self.folder}{os.pathsep}{os.environ['PATH']}"

    def change(self, **values: object) -> None:
        known = json.loads(self.file.read_text()) if self.file.exists() else {}
        self.file.write_text(json.dumps({**known, **values}))

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 (JSON)
        return json.loads(self.file.read_text())[name]

    @property
    def open(self) -> list[dict[str, Any]]:
        return [each for each in self["issues"] if each["state"] == "open"]


def main(file: str, argv: Sequence[str]) -> int:
    known = _read(file)
    known["calls"].append(argv)
    meanwhile, known["meanwhile"] = (
        (known["meanwhile"], []) if argv[:2] == ["issue", "create"] else ([], known["meanwhile"])
    )
    _write(file, known)
    if meanwhile:  # another run gets between what this one saw and what it does
        subprocess.run(meanwhile, check=False, stdout=sys.stderr)
        known = _read(file)
    if " ".join(argv[:2]) == known["failing"]:
        sys.stderr.write("GraphQL: Resource not accessible by integration\n")
        return 1
    answer = _answer(known, argv)
    _write(file, known)
    sys.stdout.write(answer)
    return 0


def _answer(known: dict[str, Any], argv: Sequence[str]) -> str:
    match list(argv):
        case ["api", path, "--method", "GET", "--raw-field", field]:
            commit = path.removeprefix("repos/{owner}/{repo}/commits/").removesuffix("/check-runs")
            ended = known["checks"].get(commit, {}).get(field.removeprefix("check_name="), [])
            return json.dumps({"total_count": len(ended), "check_runs": [{"conclusion": each} for each in ended]})
        case ["issue", "list", "--state", "open", "--limit", "1000", "--json", "number,body"]:
            rows = [each for each in reversed(known["issues"]) if each["state"] == "open"]  # newest first
            return json.dumps([{"number": each["number"], "body": each["body"]} for each in rows])
        case ["issue", "view", number, "--json", "comments"]:
            return json.dumps({"comments": [{"body": text} for text in _issue(known, number)["comments"]]})
        case ["issue", "create", "--title", title, "--body-file", "-"]:
            number = str(len(known["issues"]) + 1)
            made: dict[str, Any] = {
                "number": int(number),
                "title": title,
                "body": sys.stdin.read(),
                "state": "open",
                "comments": [],
            }
            known["issues"].append(made)
            return f"https://forge.example/o/r/issues/{number}\n"
        case ["issue", "comment", number, "--body-file", "-"]:
            _issue(known, number)["comments"].append(sys.stdin.read())
            return ""
        case ["issue", "close", number, "--comment", why]:
            _issue(known, number)["comments"].append(why)
            _issue(known, number)["state"] = "closed"
            return ""
    raise SystemExit(f"gh: unknown call {argv}")


def _issue(known: Mapping[str, Any], number: str) -> dict[str, Any]:
    found: dict[str, Any] = known["issues"][int(number) - 1]
    return found


def _read(file: str) -> dict[str, Any]:
    with open(file, encoding="utf-8") as source:
        found: dict[str, Any] = json.load(source)
    return found


def _write(file: str, known: Mapping[str, Any]) -> None:
    with open(file, "w", encoding="utf-8") as target:
        json.dump(known, target)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
