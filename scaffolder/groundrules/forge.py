"""The forge, through its own command `gh`: which checks passed on a commit, and issues. The one door to it."""

from __future__ import annotations

import json
import os
import subprocess
from typing import NamedTuple

from groundrules_hooks.failure import GroundrulesError

# Of each, without pull requests, which the forge counts among the issues; a line each, since pages are arrays.
ROWS = '.[] | select(.pull_request == null) | [.number // .id, .body // "", .user.type, .author_association] | @json'
INSIDERS = ("OWNER", "MEMBER", "COLLABORATOR")
PLAIN = {"GH_PROMPT_DISABLED": "1", "GH_NO_UPDATE_NOTIFIER": "1", "NO_COLOR": "1"}


class Issue(NamedTuple):
    """An open issue: its number, and the text that it was opened with."""

    number: int
    body: str


def passed(commit: str, check: str) -> bool:
    """Whether the newest runs of `check` on exactly `commit` succeeded; one that was skipped did not."""
    path = f"repos/{{owner}}/{{repo}}/commits/{commit}/check-runs"
    found = json.loads(_gh("api", path, "--method", "GET", "--raw-field", f"check_name={check}"))
    return [run["conclusion"] for run in found["check_runs"]] == ["success"] * (found["total_count"] or 1)


def issues() -> list[Issue]:
    """Return the open issues that no stranger wrote, the oldest first."""
    return sorted(_rows("issues", "--raw-field", "state=open"))


def comments(number: int) -> list[str]:
    """Return the texts of the comments on an issue that no stranger wrote."""
    return [row.body for row in _rows(f"issues/{number}/comments")]


def _rows(path: str, *fields: str) -> list[Issue]:
    """Return what is at `path`, all pages of it, but for what strangers wrote: anybody can write what ours would say.

    A job's token, like that of any installed app, is a bot, of which the forge says no more than that; people are known
    by what they are to the repository.
    """
    page = ("--paginate", "--method", "GET", "--raw-field", "per_page=100", *fields, "--jq", ROWS)
    rows = map(json.loads, filter(None, _gh("api", f"repos/{{owner}}/{{repo}}/{path}", *page).split("\n")))
    return [Issue(number, body) for number, body, kind, known in rows if kind == "Bot" or known in INSIDERS]


def open_issue(title: str, body: str) -> int:
    """Open an issue and return its number."""
    url = _gh("issue", "create", "--title", title, "--body-file", "-", stdin=body).split()[-1]
    return int(url.rpartition("/")[2])


def comment(number: int, body: str) -> None:
    """Comment on an issue."""
    _gh("issue", "comment", str(number), "--body-file", "-", stdin=body)


def close(number: int, why: str) -> None:
    """Close an issue with a comment that says why."""
    _gh("issue", "close", str(number), "--comment", why)


def _gh(*args: str, stdin: str = "") -> str:
    """Run `gh ARGS` and return its stdout. Raise GroundrulesError with its own words when it fails."""
    try:
        done = subprocess.run(
            ["gh", *args], input=stdin.encode(), env={**os.environ, **PLAIN}, capture_output=True, check=False
        )
    except FileNotFoundError:
        why = "the forge is asked and told through it"
        raise GroundrulesError("gh is not on the PATH", why=why, fix="groundrules merge audit") from None
    if done.returncode:
        why = done.stderr.decode("utf-8", "replace").strip()
        raise GroundrulesError(f"`gh {' '.join(args[:2])}` failed", why=why, fix="gh auth status")
    return done.stdout.decode("utf-8", "replace")
