"""Commit messages: the text git will store, read from the file it hands to commit-msg, and its trailers."""

from __future__ import annotations

import os

from groundrules_hooks.git import git, text
from groundrules_hooks.record import NamedTuple
from groundrules_hooks.task import is_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SCISSORS = "------------------------ >8 ------------------------"
TASK = "Task"
REVERTS = "Reverts"
AUTO = "auto"
# What `core.commentChar=auto` picks from, in git's order.
CANDIDATES = "#;@!$%^&|:"
NO_COMMENT = "\x01"


class Cleanup(NamedTuple):
    """What git will do to a message: `mode` of commit.cleanup, whether an editor was started, the comment character.

    `char` is empty when it cannot be told. A `--cleanup` on the command line cannot be seen from a hook.
    """

    mode: str
    edited: bool
    char: str


def cleanup(content: bytes, environ: Mapping[str, str] = os.environ) -> Cleanup:
    """Return how git will clean up the message file `content`: without an editor it sets GIT_EDITOR to `:`."""
    edited = environ.get("GIT_EDITOR") != ":"
    mode, char = _settings(content)
    if mode == "default":
        mode = "strip" if edited else "whitespace"
    return Cleanup(mode, edited, char)


def cleaned(content: bytes, how: Cleanup) -> str:
    """Return the message that git will store for the message file `content`, without the newline at its end."""
    lines = content.decode("utf-8", "surrogateescape").split("\n")
    if how.edited and how.char and f"{how.char} {SCISSORS}" in lines:
        lines = lines[: lines.index(f"{how.char} {SCISSORS}")]
    if how.mode == "verbatim":
        return "\n".join(lines)
    if how.char and how.mode == "strip":
        lines = [line for line in lines if not line.startswith(how.char)]
    lines = [line.rstrip(" \t\r") for line in lines]
    return "\n".join(line for line, before in zip(lines, ["", *lines], strict=False) if line or before).strip("\n")


def _settings(content: bytes) -> tuple[str, str]:
    """Return commit.cleanup and the comment character."""
    asked = git("config", "-z", "--get-regexp", r"^(commit\.cleanup|core\.comment(char|string))$", ok=(0, 1))
    pairs = dict(os.fsdecode(pair).partition("\n")[::2] for pair in asked.split(b"\0") if pair)
    char = pairs.get("core.commentstring", pairs.get("core.commentchar", "#"))
    if char == AUTO:
        # git took the first candidate that began no line of the message, and its own hints begin with it.
        lines = content.decode("utf-8", "surrogateescape").rstrip("\n").split("\n")
        cut = [line[:1] for line in lines if line[1:] == f" {SCISSORS}"]
        char = (cut or [lines[-1][:1]])[0]
        char = char if char and char in CANDIDATES else ""
    return pairs.get("commit.cleanup", "default"), char


def add_trailers(path: str, wanted: Sequence[tuple[str, str]], how: Cleanup) -> None:
    """Add trailers (key, value) to the message file at `path` by git's own editor of trailers; other bytes stay.

    A commit has one task, so that trailer is replaced; of the others each different value is kept.
    """
    options: list[str] = []
    with open(path, "rb") as file:
        written = trailers(file.read().decode("utf-8", "surrogateescape"), TASK)
    for key, value in wanted:
        # Only an id is ours to replace: a sentence that begins with "Task:" is the author's.
        replaced = key == TASK and written and is_id(written[-1])
        options += ["--if-exists", "replace" if replaced else "addIfDifferent", "--trailer", f"{key}: {value}"]
    with open(path, "rb+") as file:
        if not file.read().endswith(b"\n"):
            file.write(b"\n")  # else git would set the trailers against the subject
    # Trailers stand before the comments at the end; what git will not take for a comment must not count as one.
    char = how.char if how.char and (how.edited or how.mode == "strip") else NO_COMMENT
    settings = {"core.commentChar": char, "trailer.separators": ":", **{f"trailer.{key}.key": key for key, _ in wanted}}
    pinned = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    command = (*pinned, "interpret-trailers", "--in-place", "--no-divider")
    git(*command, "--where", "end", "--if-missing", "add", *options, path)


def trailers(message: str, key: str) -> list[str]:
    """Return the values of the trailer `key` in the last paragraph of `message`."""
    paragraph = message.rstrip("\n").rpartition("\n\n")[2].split("\n") if "\n\n" in message else []
    head = f"{key}: ".lower()
    return [line[len(head) :].strip() for line in paragraph if line.lower().startswith(head)]


def tasks(message: str) -> list[str]:
    """Return the task that the trailers of `message` name, the last one that is an id; empty when none does."""
    return [value for value in trailers(message, TASK) if is_id(value)][-1:]


def again(scope: str = "", *paths: str) -> str:
    """Return the command that commits again with the refused message in the editor; `paths` are shell words."""
    words = ["git", "commit", scope, "--edit", '--file="$(git rev-parse --git-path COMMIT_EDITMSG)"']
    return " ".join(filter(None, [*words, *(["--", *paths] if paths else [])]))


def default_file() -> str:
    """Return the path of the message file when the caller names none."""
    return text("rev-parse", "--git-path", "COMMIT_EDITMSG")
