"""review: a policy that its evals confirm, and review logs that only grow."""

from __future__ import annotations

from groundrules_hooks.finding import Finding, quote, reword

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules_hooks.change import Change
    from groundrules_hooks.config import Config

NAME = "review"


def check(change: Change, config: Config) -> Iterator[Finding]:
    """Yield a finding for each eval that the policy does not lead to, and for each log that loses a line.

    Evals run when the policy or one of them changes.
    """
    logs = [file for file in change.files if _is_log(file.old)]
    for file, (old, new) in zip(logs, change.contents(logs), strict=True):
        if file.status == "D" or not _is_log(file.path) or not _grows(old, new):
            message = "a review log only grows: lines of it are changed or gone"
            back = f"git checkout HEAD -- {quote(file.old)}"
            yield Finding(NAME, file.old, message, reword(change.commit) if change.commit else back, 1, change.commit)
    if any(path.startswith("review/") for path in change.paths):
        yield from (finding._replace(commit=change.commit) for finding in _contradictions(change))


def _is_log(path: str) -> bool:
    return path.startswith("evidence/") and path.endswith("/review.jsonl")


def _grows(old: bytes | None, new: bytes | None) -> bool:
    """Whether `new` has each line of `old`, in the same order. git would count none in what it takes for binary."""
    lines = iter(new.split(b"\n") if new is not None else ())
    return old is None or all(line in lines for line in old.split(b"\n"))


def _contradictions(change: Change) -> Iterator[Finding]:
    from groundrules_hooks.evals import FOLDER, expected, results
    from groundrules_hooks.failure import GroundrulesError
    from groundrules_hooks.policy import FILE, parse

    paths = [path for path in change.tree.files(FOLDER) if path.endswith(".toml")]
    files = change.tree.read(FILE, *paths)
    content = files.pop(FILE, None)
    if content is None:
        if paths or any(file.status in "DR" and file.old == FILE for file in change.files):
            yield Finding(NAME, FILE, "the policy is missing", _open(change, FILE, 1))
        return
    try:
        found = list(results(parse(content), files))
    except GroundrulesError as error:
        path, line, what = error.what.split(":", 2)
        message = f"{what.strip()}{'; ' if error.why else ''}{error.why.partition(chr(10))[0]}"
        yield Finding(NAME, path, message, _open(change, path, int(line)), int(line))
        return
    if not found:
        yield Finding(NAME, FILE, f"no eval in {FOLDER}/ shows what it leads to", _open(change, FOLDER, 1))
    for result in found:
        if not result.is_met:
            row = result.row
            message = f"{row.name}: the policy leads to {result.found}, this row expects {expected(row)}"
            yield Finding(NAME, row.path, message, _open(change, row.path, row.line), row.line)


def _open(change: Change, path: str, line: int) -> str:
    """Return the command that opens the place, in the commit that has it, or brings back what the change took away."""
    if change.commit:
        return reword(change.commit)
    if any(file.status in "DR" and f"{file.old}/".startswith(f"{path}/") for file in change.files):
        return f"git checkout HEAD -- {quote(path)}"
    return f"${{EDITOR:-vi}} +{line} {quote(path)}"
