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
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

ROWS = '.[] | select(.pull_request == null) | [.number // .id, .body // "", .user.type, .author_association] | @json'
PAGE = ["--paginate", "--method", "GET", "--raw-field", "per_page=100"]
OPEN = [*PAGE, "--raw-field", "state=open", "--jq", ROWS]
BOT = ["Bot", "NONE"]  # what the forge says of who has a job's token
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
        case ["api", "repos/{owner}/{repo}/issues", *rest] if rest == [
            *PAGE,
            "--raw-field",
            "state=open",
            "--jq",
            ROWS,
        ]:
            return _rows(each for each in reversed(known["issues"]) if each["state"] == "open")  # newest first
        case ["api", path, *rest] if path.endswith("/comments") and rest == [*PAGE, "--jq", ROWS]:
            number = path.removeprefix("repos/{owner}/{repo}/issues/").removesuffix("/comments")
            texts = _issue(known, number)["comments"]
            return _rows(each if isinstance(each, dict) else {"number": 7, "body": each} for each in texts)
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


def _rows(issues: Iterable[Mapping[str, Any]]) -> str:
    """Return what ROWS makes of issues or comments; what says nothing of who wrote it is ours."""
    rows = ([each["number"], each["body"], *each.get("by", BOT)] for each in issues)
    return "".join(f"{json.dumps(row)}\n" for row in rows)


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
