"""Decision findings: numbers and words of decisions beside other sides; statuses, links and index in one tree."""

from __future__ import annotations

import posixpath

from groundrules_hooks import globs, series_tree
from groundrules_hooks.change import Tree
from groundrules_hooks.decision_log import contradictions, listed, parse
from groundrules_hooks.finding import Finding, quote, reword, shown
from groundrules_hooks.mending import edited
from groundrules_hooks.numbering import clashes, sides_of
from groundrules_hooks.objects import Objects
from groundrules_hooks.rules.commit_message import styled
from groundrules_hooks.rules.sequence_numbers import may_take

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groundrules_hooks.change import Change
    from groundrules_hooks.config import Config, Series
    from groundrules_hooks.decision_log import Contradiction, Decision
    from groundrules_hooks.numbering import Sides

NAME = "decision-log"
INDEX = "README.md"
MARKS = ("- ", "* ")  # an item of a list


def against_others(change: Change, config: Config, series: Series, touched: set[str]) -> Iterator[Finding]:
    """Yield a finding for each number that another side has, and each settled decision that is not what it was."""
    sides = sides_of(change, config)
    if sides is None:
        return
    if any(may_take(file, series) for file in change.files):
        yield from clashes(change, config, [series], sides, NAME)
    if not series.line:
        yield from _rewritten(change, config, series, touched, sides)


def among_themselves(change: Change, series: Series, touched: set[str]) -> Iterator[Finding]:
    """Yield a finding for each status and link of a touched decision that is wrong, and for an index that is."""
    if series.line:
        return
    log = _log(change.tree, series, len(change.files[0].new_id))
    moved = {file.old for file in change.files if file.status in "DR"} & touched
    for wrong in contradictions(log):
        if wrong.path in touched or wrong.because in touched or (moved and not wrong.because):
            fix = reword(change.commit) if change.commit else _mend(change, wrong)
            yield Finding(NAME, wrong.path, wrong.message, fix, wrong.line, change.commit)
    yield from _index(change, series, log, touched)


def _log(tree: Tree, series: Series, width: int, only: set[str] | None = None) -> dict[int, Decision]:
    """Return the decisions in `tree` by number, or those at the paths of `only`.

    Of files with one number the one with the shortest name is the decision, the others are translations or clashes.
    """
    objects = tree.objects or Objects()
    entries = series_tree.read(objects, [tree.source], series, width)[tree.source]
    first = {entry.number: entry for entry in sorted(entries, key=lambda entry: (-len(entry.path), entry.path))}
    wanted = {entry.path: entry.digits for entry in first.values() if only is None or entry.path in only}
    found = [parse(path, wanted[path], content) for path, content in Tree(tree.source, objects).read(*wanted).items()]
    return {decision.number: decision for decision in found}


def _rewritten(change: Change, config: Config, series: Series, touched: set[str], sides: Sides) -> Iterator[Finding]:
    """Yield a finding for each decision that was settled, on the target if there is one, and has other words now."""
    width = len(change.files[0].new_id)
    objects = change.tree.objects or Objects()
    before = _log(Tree(sides.old, objects), series, width, touched)
    settled = {number: each for number, each in before.items() if each.is_settled}
    now = _log(change.tree, series, width) if settled else {}
    changed = {number: each for number, each in settled.items() if number not in now or now[number].body != each.body}
    if not changed:
        return
    merged = [_log(Tree(ref, objects), series, width) for ref in sides.targets] or [before]
    for number, decision in changed.items():
        # What was accepted on this branch alone is still under review.
        if any(log[number].is_settled for log in merged if number in log):
            what = "rewritten" if number in now else "removed"
            message = f"{decision.digits} is {decision.status} and not {what}: a new decision supersedes it"
            yield Finding(NAME, decision.path, message, _restore(change, config, decision, now.get(number), sides.old))


def _restore(change: Change, config: Config, decision: Decision, now: Decision | None, old: str) -> str:
    """Return the command that brings the words back; while committing the edit stays on disk, to be made a new one."""
    paths = " ".join(dict.fromkeys(quote(each.path) for each in (decision, now) if each))
    if change.commit is None:
        return f"git restore --staged {paths} && tools/groundrules next decisions"
    moved = f"git mv {quote(now.path)} {quote(decision.path)} && " if now and now.path != decision.path else ""
    subject = styled(f"Restore decision {decision.digits}", config.commits.style)
    return f"{moved}git checkout {old[:12]} -- {quote(decision.path)} && git commit -m {quote(subject)}"


def _mend(change: Change, wrong: Contradiction) -> str:
    """Return the command that mends a status or adds a link, or opens the place to do so."""
    path = quote(wrong.path)
    if wrong.edit and wrong.line:
        script = f"{wrong.line}{wrong.edit}".split("\n")
        return edited(change, wrong.path, *script)
    return f"${{EDITOR:-vi}} +{wrong.line} {path}"


def _index(change: Change, series: Series, log: Mapping[int, Decision], touched: set[str]) -> Iterator[Finding]:
    """Yield a finding for each decision that the change leaves out of the index, and each it leaves there in vain."""
    path = posixpath.join(globs.folder(series.paths[0]), INDEX)
    content = change.tree.read(path).get(path, b"")
    links = listed(path, content)
    paths = {decision.path for decision in log.values()}
    for line, target in links:
        if target in touched - paths - {path}:
            message = f"{shown(posixpath.basename(target))} is listed and is no decision here"
            yield _of_index(change, path, message, edited(change, path, f"{line}d"), line)
    last = max((line for line, target in links if target in paths), default=0)
    due = (touched | _unlisted(change, path, links)) & paths if last else set()
    text = content.decode("utf-8", "replace").splitlines()[last - 1] if last else ""
    for decision in log.values():
        if decision.path in due - {target for _, target in links}:
            message = f"decision {decision.digits} is not listed"
            yield _of_index(change, path, message, _listing(change, decision, path, last, text), last)


def _unlisted(change: Change, path: str, links: Sequence[tuple[int, str]]) -> set[str]:
    """Return what the index at `path` listed before the change and does not list now."""
    edited = [file for file in change.files if file.path == path and file.status == "M"]
    before = {target for was, _ in change.contents(edited) for _, target in listed(path, was or b"")}
    return before - {target for _, target in links}


def _listing(change: Change, decision: Decision, path: str, line: int, text: str) -> str:
    """Return the command that lists `decision` below `line`, which holds `text`; or opens it if that is no item."""
    if not text.startswith(MARKS):
        return f"${{EDITOR:-vi}} +{line} {quote(path)}"
    title = decision.title.replace("\\", "").replace("[", "(").replace("]", ")")
    item = f"{text[:2]}[{title}]({posixpath.basename(decision.path).replace(' ', '%20')})"
    append = f"{line}a\\"
    return edited(change, path, append, item)


def _of_index(change: Change, path: str, message: str, fix: str, line: int) -> Finding:
    return Finding(NAME, path, message, reword(change.commit) if change.commit else fix, line, change.commit)
