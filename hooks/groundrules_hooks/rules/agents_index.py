"""agents-index: AGENTS.md stays a short index whose links and commands exist and that reaches every page."""

from __future__ import annotations

import os
import posixpath

from groundrules_hooks.bridge import BRIDGES, INDEX, problem
from groundrules_hooks.finding import Finding, quote, reword

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules_hooks.change import Change
    from groundrules_hooks.config import Config

NAME = "agents-index"
PAGES = "docs/agents"
LONGEST = 120  # lines
HEAVIEST = 8 * 1024  # bytes
CHAIN = 24 * 1024  # bytes of the indexes from the root to a folder: some tools stop reading not far above
RECIPES = ("Makefile", "local.mk")
BELOW = f"/{INDEX}"
# What `tools/groundrules` takes. A page of another version of ours is brought along by the update to it.
COMMANDS = frozenset(
    (
        *("new", "update", "rules", "hooks", "task", "slot", "up", "down", "ps", "logs", "next"),
        *("check", "handoff", "review", "gate", "merge", "mirror", "ci", "capability"),
    )
)


def check(change: Change, config: Config) -> Iterator[Finding]:
    """Yield a finding for each way in which the index is too long, leads nowhere, or is out of a reader's reach."""
    if not _concerns(change):
        return
    files = change.tree.read(INDEX, *BRIDGES, *RECIPES)
    index = files.get(INDEX)
    if index is None:
        yield from _missing(change, files)
        return
    from groundrules_hooks.markdown import links

    found = [*_size(index), *_chains(change, index), *_bridges(files)]
    pages = {path: b"" for path in change.tree.files(PAGES) if path.endswith(".md")}
    pages = {INDEX: index, **change.tree.read(*pages)}
    texts = {path: content.decode("utf-8", "replace") for path, content in pages.items()}
    linked = {path: list(links(path, text)) for path, text in texts.items()}
    found += _dead(change, linked)
    found += _unreached(linked)
    found += _commands(change, texts, files)
    yield from (finding._replace(commit=change.commit) for finding in found)


def _concerns(change: Change) -> bool:
    """Whether the change can break the index: it touches a part of it, or takes a file away that it may link to."""
    parts = (INDEX, *BRIDGES, *RECIPES)
    return any(
        file.status in "DR" or file.path in parts or file.path.startswith(f"{PAGES}/") or file.path.endswith(BELOW)
        for file in change.files
    )


def _missing(change: Change, files: dict[str, bytes]) -> Iterator[Finding]:
    """Yield a finding when the change takes the index away, or a bridge leads to one that nobody can read."""
    if any(file.status in "DR" and file.old == INDEX for file in change.files):
        yield Finding(NAME, INDEX, "the index is missing", _back(change, INDEX, INDEX, 1), commit=change.commit)
        return
    for path in BRIDGES:
        if path in files and problem(path, files[path]) is None:
            here = change.worktree and os.path.exists(os.path.join(change.worktree.root, INDEX))
            fix = f"git add --force {INDEX}" if here else _open(change, path, 1)
            yield Finding(NAME, path, f"it leads to {INDEX}, which is not committed", fix, commit=change.commit)


def _size(index: bytes) -> Iterator[Finding]:
    lines = index.count(b"\n") + (not index.endswith(b"\n"))
    fix = f"${{EDITOR:-vi}} {INDEX} {PAGES}/local.md"
    if lines > LONGEST:
        yield Finding(
            NAME, INDEX, f"{lines} lines, at most {LONGEST}: move detail to a page in {PAGES}/", fix, LONGEST + 1
        )
    if len(index) > HEAVIEST:
        yield Finding(NAME, INDEX, f"{len(index)} bytes, at most {HEAVIEST}: move detail to a page in {PAGES}/", fix)


def _chains(change: Change, index: bytes) -> Iterator[Finding]:
    """Yield a finding for each touched index in a folder with which what a tool reads there is too long."""
    for file in change.files:
        if file.status != "D" and file.path.endswith(BELOW):
            folders = file.path.split("/")[:-1]
            above = ["/".join([*folders[:depth], INDEX]) for depth in range(1, len(folders) + 1)]
            sizes = {path: len(content) for path, content in change.tree.read(*above).items()}
            total, largest = len(index) + sum(sizes.values()), max(sizes, key=sizes.__getitem__, default=file.path)
            if total > CHAIN:
                message = f"{total} bytes of {INDEX} from the root to here, at most {CHAIN}: shorten {largest}"
                yield Finding(NAME, file.path, message, _open(change, largest, 1))


def _bridges(files: dict[str, bytes]) -> Iterator[Finding]:
    for path, line in BRIDGES.items():
        content = files.get(path)
        wrong = problem(path, content)
        if wrong:
            newline = "" if content is None or content.endswith(b"\n") else f"echo >> {path} && "
            fix = f"{newline}echo {quote(line)} >> {path} && git add {path}"
            yield Finding(NAME, path, f"{path} {wrong}, so tools that read it miss {INDEX}", fix)


def _dead(change: Change, links: dict[str, list[tuple[int, str]]]) -> Iterator[Finding]:
    targets = {target for found in links.values() for _, target in found}
    there = change.tree.has(*sorted(targets))
    for path, found in links.items():
        for line, target in found:
            if target not in there and target != ".":
                fix = _back(change, target, path, line)
                yield Finding(NAME, path, f"the link to {target} leads nowhere", fix, line)


def _back(change: Change, target: str, path: str, line: int) -> str:
    """Return the command that brings back what the change took away, or opens the place that names it."""
    gone = {file.old for file in change.files if file.status in "DR"}
    if change.commit is None and any(old == target or old.startswith(f"{target}/") for old in gone):
        return f"git checkout HEAD -- {quote(target)}"
    return _open(change, path, line)


def _open(change: Change, path: str, line: int) -> str:
    """Return the command that opens the place to mend, in the commit that has it."""
    if change.commit is not None:
        return reword(change.commit)
    return f"${{EDITOR:-vi}} +{line} {quote(path)}"


def _unreached(links: dict[str, list[tuple[int, str]]]) -> Iterator[Finding]:
    reached, waiting = set(), [INDEX]
    while waiting:
        path = waiting.pop()
        if path not in reached:
            reached.add(path)
            waiting += [target for _, target in links.get(path, ())]
    for path in sorted(set(links) - reached):
        target = path if quote(path) == path else f"<{path}>"
        fix = f"echo {quote(f'- [{posixpath.basename(path)}]({target})')} >> {INDEX} && git add {INDEX}"
        yield Finding(NAME, path, f"{INDEX} does not lead here", fix)


def _commands(change: Change, texts: dict[str, str], files: dict[str, bytes]) -> Iterator[Finding]:
    """Yield a finding for each `make` target, script or command of ours that a page names and the repository lacks."""
    import re

    from groundrules_hooks.markdown import code

    made = _targets(files)
    named: dict[tuple[str, str], int] = {}
    for path, text in texts.items():
        for number, span in code(text):
            target = re.fullmatch(r"make ([a-z][\w.-]*)( [\w-]+=.*| -.*| *#.*)*", span)
            own = re.match(r"(?:sh )?(?:\./)?tools/groundrules ([a-z]\w*)(?: |$)", span)
            script = re.match(r"(?:\./)?((?:tools|guards)/[\w./-]+)(?: |$)", span)
            if target and made and target[1] not in made:
                yield Finding(NAME, path, f"`make {target[1]}` does not exist", _open(change, path, number), number)
            elif own and own[1] not in COMMANDS:
                message = f"`tools/groundrules {own[1]}` does not exist"
                yield Finding(NAME, path, message, _open(change, path, number), number)
            elif script:
                named.setdefault((script[1], path), number)
    there = change.tree.has(*(script_path for script_path, _ in named))
    for (script_path, path), number in sorted(named.items()):
        if script_path not in there:
            fix = _back(change, script_path, path, number)
            yield Finding(NAME, path, f"the command {script_path} does not exist", fix, number)


def _targets(files: dict[str, bytes]) -> set[str]:
    """Return the targets that `make` knows; nothing where they cannot be told without running it."""
    found: set[str] = set()
    for recipe in RECIPES:
        for line in files.get(recipe, b"").decode("utf-8", "replace").splitlines():
            names, colon, rest = line.partition(":")
            others = line.lstrip("-s").startswith("include ") and line.split()[1:] != [RECIPES[-1]]
            if others or ("%" in names and colon):
                return set()
            if colon and not line.startswith(("\t", "#", ".", " ")) and not rest.startswith("=") and "=" not in names:
                found |= set(names.split())
    return found
