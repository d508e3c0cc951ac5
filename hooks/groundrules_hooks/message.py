"""Commit messages: the text git will store, read from the file it hands to commit-msg, and its trailers."""

from __future__ import annotations

import os

from groundrules_hooks.git import git, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SCISSORS = "------------------------ >8 ------------------------"
TASK = "Task"
AUTO = "auto"
# What `core.commentChar=auto` picks from, in git's order.
CANDIDATES = "#;@!$%^&|:"


def cleaned(content: bytes, environ: Mapping[str, str] = os.environ) -> str:
    """Return the message that git will store for the message file `content`.

    git's default cleanup is `strip` after an editor and `whitespace` without one, when it sets GIT_EDITOR to `:`. A
    `--cleanup` on the command line cannot be seen from a hook.
    """
    raw = content.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    mode, char = _settings(raw)
    if mode == "default":
        mode = "whitespace" if environ.get("GIT_EDITOR") == ":" else "strip"
    if mode == "verbatim":
        return raw
    lines = raw.split("\n")
    if char and f"{char} {SCISSORS}" in lines and mode != "whitespace":
        lines = lines[: lines.index(f"{char} {SCISSORS}")]
    if char and mode == "strip":
        lines = [line for line in lines if not line.startswith(char)]
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def _settings(raw: str) -> tuple[str, str]:
    """Return commit.cleanup and the comment character; the character is empty when it cannot be told."""
    asked = git("config", "-z", "--get-regexp", r"^(commit\.cleanup|core\.comment(char|string))$", ok=(0, 1))
    pairs = dict(os.fsdecode(pair).partition("\n")[::2] for pair in asked.split(b"\0") if pair)
    char = pairs.get("core.commentstring", pairs.get("core.commentchar", "#"))
    if char == AUTO:
        # git took the first candidate that began no line of the message, and its own hints begin with it.
        last = raw.rstrip("\n").rpartition("\n")[2][:1]
        char = last if last and last in CANDIDATES else ""
    return pairs.get("commit.cleanup", "default"), char


def add_trailers(path: str, wanted: Iterable[tuple[str, str]]) -> None:
    """Add trailers (key, value) to the message file at `path` by git's own editor of trailers; other bytes stay.

    A commit has one task, so that trailer is replaced; of the others each different value is kept.
    """
    options: list[str] = []
    for key, value in wanted:
        options += ["--if-exists", "replace" if key == TASK else "addIfDifferent", "--trailer", f"{key}: {value}"]
    git("interpret-trailers", "--in-place", "--where", "end", "--if-missing", "add", *options, path)


def trailers(message: str, key: str) -> list[str]:
    """Return the values of the trailer `key` in the last paragraph of `message`."""
    paragraph = message.rstrip("\n").rpartition("\n\n")[2].split("\n") if "\n\n" in message else []
    head = f"{key}: ".lower()
    return [line[len(head) :].strip() for line in paragraph if line.lower().startswith(head)]


def default_file() -> str:
    """Return the path of the message file when the caller names none."""
    return text("rev-parse", "--git-path", "COMMIT_EDITMSG")
