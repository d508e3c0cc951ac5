"""agents-index: AGENTS.md stays a short index whose links and commands exist and that reaches every page."""

from __future__ import annotations

import posixpath

from groundrules_hooks.finding import Finding, quote, reword
from groundrules_hooks.markdown import code, links, prose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules_hooks.change import Change
    from groundrules_hooks.config import Config

NAME = "agents-index"
INDEX = "AGENTS.md"
BRIDGE = "CLAUDE.md"
BRIDGE_LINE = "@AGENTS.md"
PAGES = "docs/agents"
LONGEST = 120  # lines
HEAVIEST = 8 * 1024  # bytes
RECIPES = ("Makefile", "local.mk")


def check(change: Change, config: Config) -> Iterator[Finding]:
    """Yield a finding for each way in which the index is too long, leads nowhere, or is out of a reader's reach."""
    if not _concerns(change):
        return
    files = change.tree.read(INDEX, BRIDGE, *RECIPES)
    index = files.get(INDEX)
    if index is None:
        if not any(file.status in "DR" and file.old == INDEX for file in change.files):
            return  # there was none before either
        yield Finding(NAME, INDEX, "the index is missing", _back(change, INDEX, INDEX, 1), commit=change.commit)
        return
    found = [*_size(index), *_bridge(files.get(BRIDGE))]
    pages = {path: b"" for path in change.tree.files(PAGES) if path.endswith(".md")}
    pages = {INDEX: index, **change.tree.read(*pages)}
    linked = {path: list(links(path, content.decode("utf-8", "replace"))) for path, content in pages.items()}
    found += _dead(change, linked)
    found += _unreached(linked)
    found += _commands(change, index.decode("utf-8", "replace"), files)
    yield from (finding._replace(commit=change.commit) for finding in found)


def _concerns(change: Change) -> bool:
    """Whether the change can break the index: it touches a part of it, or takes a file away that it may link to."""
    parts = (INDEX, BRIDGE, *RECIPES)
    return any(file.status in "DR" or file.path in parts or file.path.startswith(f"{PAGES}/") for file in change.files)


def _size(index: bytes) -> Iterator[Finding]:
    lines = index.count(b"\n") + (not index.endswith(b"\n"))
    fix = f"${{EDITOR:-vi}} {INDEX} {PAGES}/local.md"
    if lines > LONGEST:
        yield Finding(
            NAME, INDEX, f"{lines} lines, at most {LONGEST}: move detail to a page in {PAGES}/", fix, LONGEST + 1
        )
    if len(index) > HEAVIEST:
        yield Finding(NAME, INDEX, f"{len(index)} bytes, at most {HEAVIEST}: move detail to a page in {PAGES}/", fix)


def _bridge(bridge: bytes | None) -> Iterator[Finding]:
    """Yield a finding unless the bridge imports the index on a line of its own (inert in backticks) or links to it."""
    lines = [] if bridge is None else [line.strip() for line in prose(bridge.decode("utf-8", "replace"))]
    if BRIDGE_LINE not in lines and bridge != INDEX.encode():
        problem = "is missing" if bridge is None else f"has no line {BRIDGE_LINE}"
        newline = "" if bridge is None or bridge.endswith(b"\n") else "echo >> CLAUDE.md && "
        fix = f"{newline}echo {BRIDGE_LINE} >> {BRIDGE} && git add {BRIDGE}"
        yield Finding(NAME, BRIDGE, f"{BRIDGE} {problem}, so tools that read it miss {INDEX}", fix)


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


def _commands(change: Change, text: str, files: dict[str, bytes]) -> Iterator[Finding]:
    """Yield a finding for each `make` target or script that the index names and the repository lacks."""
    import re

    made = _targets(files)
    named: dict[str, int] = {}
    for number, span in code(text):
        target = re.fullmatch(r"make ([a-z][\w.-]*)( [\w-]+=.*| -.*| *#.*)*", span)
        script = re.match(r"(?:\./)?((?:tools|guards)/[\w./-]+)(?: |$)", span)
        if target and made and target[1] not in made:
            yield Finding(NAME, INDEX, f"`make {target[1]}` does not exist", _open(change, INDEX, number), number)
        elif script:
            named.setdefault(script[1], number)
    for script_path in sorted(set(named) - change.tree.has(*named)):
        fix = _back(change, script_path, INDEX, named[script_path])
        yield Finding(NAME, INDEX, f"the command {script_path} does not exist", fix, named[script_path])


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
