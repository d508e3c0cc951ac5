"""Finding: one broken rule, at one place; and the one printer that turns findings into text, JSON or annotations."""

from __future__ import annotations

import os

from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

FORMATS = ("text", "json", "github")
SCHEMA_VERSION = 1


class Finding(NamedTuple):
    """`fix` is lines of which the last is a command; `line` counts from 1; `commit` is None while committing.

    Where a staged change has to be split, `split` makes the fix: that takes a while, and of several one is enough.
    """

    rule: str
    path: str
    message: str
    fix: str
    line: int = 1
    commit: str | None = None
    split: Callable[[], str] | None = None


def to_split(rule: str, path: str, message: str, commit: str | None, split: Callable[[], str]) -> Finding:
    """Return the finding that a change has to be split: a commit by a rebase, a staged change by what `split` makes."""
    if commit:
        return Finding(rule, path, message, again(commit), commit=commit)
    return Finding(rule, path, message, "", split=split)


def render(findings: Sequence[Finding], form: str = "text", root: str = "", go_on: str = "") -> str:
    """Return `findings` in one of `FORMATS`. Text and annotations of nothing are empty; JSON is always a document.

    Fixes are commands for the `root`, so for a person who stands below it they begin with the way there. `go_on` is
    the command that resumes what the refusal interrupted; it ends the block.
    """
    if form == "json":
        return as_json(findings)
    if form == "github":
        return "".join(f"{_annotation(finding)}\n" for finding in findings)
    if not findings:
        return ""
    lines = [_line(finding) for finding in findings]
    fixes = dict.fromkeys([_way_up(root), *(finding.fix for finding in findings), go_on])
    lines += ["", "To fix:", *(f"    {line}" for fix in fixes if fix for line in fix.split("\n"))]
    return "\n".join(lines) + "\n"


def _way_up(root: str) -> str:
    """Return the command that goes to `root` from below; empty for a person who stands there already.

    A hook runs in the root, and git tells it in GIT_PREFIX where the command was given.
    """
    below = os.environ.get("GIT_PREFIX") or os.getcwd() != root
    return f"cd {quote(root)}" if root and below else ""


def as_json(findings: Iterable[Finding]) -> str:
    """Return the document of spec §11 that holds `findings`."""
    import json

    rows = [
        {
            "rule": finding.rule,
            "path": utf8(finding.path),
            "line": finding.line,
            "message": utf8(finding.message),
            "fix": utf8(finding.fix),
            "commit": finding.commit,
        }
        for finding in findings
    ]
    return json.dumps({"schema_version": SCHEMA_VERSION, "findings": rows}, indent=2, ensure_ascii=False) + "\n"


def utf8(text: str) -> str:
    """Return `text` with undecodable bytes escaped: a JSON document is UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def say(text: str, descriptor: int = 1) -> None:
    """Write `text`; a reader that went away changes nothing, and undecodable names keep their bytes."""
    content = memoryview(text.encode("utf-8", "surrogateescape"))
    try:
        while content:
            content = content[os.write(descriptor, content) :]
    except OSError:
        return


def reword(commit: str) -> str:
    """Return the command that opens `commit` for a change: a finding about history is mended in history."""
    return f"git rebase --interactive --rebase-merges {commit[:12]}~1"


def again(commit: str) -> str:
    """Return the command that takes `commit` back in a rebase and commits it again, which the hook answers."""
    name = commit[:12]
    edit = f"GIT_SEQUENCE_EDITOR=\"sed -i.before -e 's/^p[ick]* {name}/edit {name}/'\""
    rebase = f"git -c core.abbrev=12 rebase --interactive --rebase-merges {name}~1"
    return f"{edit} {rebase} && git reset --soft HEAD~1 && git commit -C ORIG_HEAD"


def shown(path: str) -> str:
    """Return `path` on one line: control characters escaped and the whole quoted, as git does, if there are any."""
    if all(char >= " " and char != "\x7f" for char in path):
        return path
    escaped = "".join(char if char >= " " and char not in '"\\\x7f' else f"\\{ord(char):03o}" for char in path)
    return f'"{escaped}"'


def quote(word: str) -> str:
    """Return `word` as one shell word (`shlex.quote`, without the regular expressions it imports)."""
    plain = word and all(char.isascii() and (char.isalnum() or char in "@%+=:,./_-") for char in word)
    return word if plain else "'" + word.replace("'", "'\"'\"'") + "'"


def word(path: str) -> str:
    """Return `path` as one word of one line of a POSIX shell, control characters included.

    A substitution drops the newline at the end of a name, so there it takes what bash, zsh and POSIX since 2024 have.
    """
    if all(char >= " " and char != "\x7f" for char in path):
        return quote(path)
    escaped = "".join(char if char >= " " and char not in "\\%'\x7f" else f"\\{ord(char):03o}" for char in path)
    return f"$'{escaped}'" if path.endswith("\n") else f"\"$(printf '{escaped}')\""


def edit(path: str, *script: str) -> str:
    """Return the command that edits `path` by the lines of `script`, as GNU's sed and that of BSD both take them."""
    words = " ".join(f"-e {quote(line)}" for line in script)
    place = relative(path)
    return f"sed -i.before {words} {word(place)} && rm {word(f'{place}.before')}"


def relative(path: str) -> str:
    """Return `path` so that no program takes it for an option."""
    return f"./{path}" if path.startswith("-") else path


def _line(finding: Finding) -> str:
    place = shown(finding.path) if finding.path == "." else f"{shown(finding.path)}:{finding.line}"
    commit = f"{finding.commit[:10]}: " if finding.commit else ""
    return f"{place}: {finding.rule}: {commit}{finding.message}"


def _annotation(finding: Finding) -> str:
    """Return a workflow command of GitHub Actions, whose escapes are those of its documentation."""
    commit = f"{finding.commit[:10]}: " if finding.commit else ""
    message = f"{commit}{finding.message}\nTo fix: {finding.fix}"
    for char, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        message = message.replace(char, code)
    place = finding.path
    for char, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"), (":", "%3A"), (",", "%2C")):
        place = place.replace(char, code)
    return f"::error file={place},line={finding.line},title={finding.rule}::{message}"
