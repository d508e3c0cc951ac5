"""capability-claims: what is said of the product is what can be shown of it, no more and no less."""

from __future__ import annotations

from groundrules_hooks.finding import Finding, quote
from groundrules_hooks.globs import matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from groundrules_hooks.capability import Capability
    from groundrules_hooks.change import Change, Tree
    from groundrules_hooks.config import Config
    from groundrules_hooks.glance import Standing
    from groundrules_hooks.standing import Survey

NAME = "capability-claims"
FILE = "capabilities.toml"
PAGES = README, INDEX = "README.md", "AGENTS.md"
MANIFESTS = ("pyproject.toml", "package.json", "Cargo.toml", "Procfile", "groundrules.toml")
STARTED = ("__main__.py", "main.go", ".rs")
RENDER = f"tools/groundrules capability render && git add -- {README} {FILE}"


def check(change: Change, config: Config) -> Iterator[Finding]:
    """Yield a finding for each level that cannot be shown or is stale, and for words that say more than the levels.

    A staged change is judged by what it touches: the claims, the pages that repeat them, an entry point, a program. Of
    a branch all claims are.
    """
    paths = change.paths
    if not paths:
        return
    content = change.tree.read(FILE).get(FILE)
    if content is None:
        if any(file.old == FILE and file.status in "DR" for file in change.files):
            yield from _taken(change, FILE, "the claims are gone")
        return
    is_whole = change.worktree is None and any(not path.endswith(".md") for path in paths)
    is_full = FILE in paths or is_whole
    is_about = is_full or _may_start(change) or any(map(_says_other, _pages(change)))
    if is_about or _names_one(content, paths):
        found = _judged(change, config, content, is_full=is_full)
        yield from found if change.worktree else _own(change, config, list(found))


def _own(change: Change, config: Config, findings: list[Finding]) -> Iterator[Finding]:
    """Yield those of `findings` that are not there already where the branch began."""
    from groundrules_hooks import inherited

    known = inherited.wrong(change, config) if findings else frozenset()
    yield from (each for each in findings if (each.path, each.message) not in known)


def everything(found: Survey, tree: Tree) -> Iterator[Finding]:
    """Yield all that is wrong with the claims of `tree`, of which `found` tells what it shows."""
    yield from overclaims(found.standings, tree)
    yield from _said([each.capability for each in found.standings], tree)
    yield from (unnamed_program(path, tree) for path in found.unnamed)


def _pages(change: Change) -> Iterator[tuple[bytes, bytes]]:
    """Yield what each changed page said before and says now."""
    files = [file for file in change.files if file.path in PAGES or file.old in PAGES]
    for file, (old, new) in zip(files, change.contents(files) if files else (), strict=True):
        yield (old if file.old in PAGES else None) or b"", (new if file.path in PAGES else None) or b""


def _says_other(sides: tuple[bytes, bytes]) -> bool:
    """Whether a page says something else of capabilities than before: in the table, or by the word for it."""
    old, new = ([part for part in side.split(b"\n\n") if b"available" in part.lower()] for side in sides)
    return old != new or _table(sides[0]) != _table(sides[1])


def _table(page: bytes) -> bytes:
    return page.partition(b"<!-- begin capabilities")[2].rpartition(b"<!-- end capabilities")[0]


def _may_start(change: Change) -> bool:
    """Whether the change may bring a program: a file of such a name, or another version of a manifest."""
    return any(
        file.path.endswith(MANIFESTS) or (file.status in "ACR" and file.path.endswith(STARTED)) for file in change.files
    )


def _names_one(content: bytes, paths: Iterable[str]) -> bool:
    """Whether one of `paths` is an entry point; TOML is not parsed for that, so what is not plain is taken for one."""
    patterns = []
    for part in content.split(b"entrypoints")[1:]:
        listed, _, _ = part.partition(b"[")[2].partition(b"]")
        if b"[" in listed or b"\\" in listed or b"#" in listed:
            return True
        words = listed.replace(b"'", b'"').split(b'"')[1::2]
        patterns += [word.decode("utf-8", "replace") for word in words if word]
    try:
        return any(matches(path, patterns) for path in paths)
    except ValueError:
        return True


def _judged(change: Change, config: Config, content: bytes, *, is_full: bool) -> Iterator[Finding]:
    capabilities = parsed(content, change.worktree.git_dir if change.worktree else "")
    if isinstance(capabilities, Finding):
        yield capabilities
        return
    yield from _levels(change, config, capabilities, is_full=is_full)
    if is_full or change.paths & set(PAGES):
        yield from _said(capabilities, change.tree)
    if README in change.paths:
        yield from _lost(change)
    if change.worktree is None:
        from groundrules_hooks.proof_records import unproven

        yield from (Finding(NAME, FILE, *said) for said in unproven(change, config, capabilities))


def parsed(content: bytes, git_dir: str = "") -> Sequence[Capability] | Finding:
    """Return the claims in `content`, or what is wrong with it."""
    from groundrules_hooks import capability_file
    from groundrules_hooks.failure import GroundrulesError

    try:
        return capability_file.kept(content, git_dir) if git_dir else capability_file.parse(content)
    except GroundrulesError as error:
        path, line, what = error.what.split(":", 2)
        message = f"{what.strip()}{'; ' if error.why else ''}{error.why.partition(chr(10))[0]}"
        return Finding(NAME, path, message, error.fix, int(line))


def _levels(change: Change, config: Config, capabilities: Sequence[Capability], *, is_full: bool) -> Iterator[Finding]:
    """Yield findings about the levels, and about programs that the change brings and no capability names."""
    if is_full:
        from groundrules_hooks.standing import survey, surveyed

        found = (survey if change.worktree else surveyed)(capabilities, change.tree, config)
        yield from overclaims(found.standings, change.tree)
        unnamed: list[str] | None = found.unnamed
    else:
        from groundrules_hooks.glance import glance

        touched = [each for each in capabilities if any(matches(path, each.entrypoints) for path in change.paths)]
        yield from overclaims(glance(touched, change.tree, config), change.tree)
        unnamed = None
    if not change.is_one and (is_full or _may_start(change)):
        yield from _brought(change, config, capabilities, unnamed)


def afterwards(tree: Tree) -> str:
    """Return what to type once the claims are edited: they are rendered where README.md has a place for them."""
    from groundrules_hooks.capability_table import BEGIN

    return RENDER if BEGIN.encode() in tree.read(README).get(README, b"") else f"git add -- {FILE}"


def overclaims(standings: Iterable[Standing], tree: Tree) -> Iterator[Finding]:
    """Yield a finding for each capability of `tree` whose level is not what is shown."""
    from groundrules_hooks.capability import PROVEN, WIRED, wrong

    for each in standings:
        words = wrong(each.capability, each.shown)
        if words:
            line = each.capability.line
            fix = f"${{EDITOR:-vi}} +{line} {FILE} && {afterwards(tree)}"
            if each.capability.level == PROVEN and each.shown.most == WIRED and each.open:
                fix = f"tools/groundrules check run {' '.join(each.open)}"
            yield Finding(NAME, FILE, words, fix, line)


def unnamed_program(path: str, tree: Tree) -> Finding:
    """Return the finding about a program of `tree` that no capability names."""
    message = f"it is started, and no capability in {FILE} names it"
    return Finding(NAME, path, message, f"${{EDITOR:-vi}} {FILE} && {afterwards(tree)}")


def _brought(
    change: Change, config: Config, capabilities: Iterable[Capability], unnamed: list[str] | None
) -> Iterator[Finding]:
    from groundrules_hooks import program

    patterns = tuple(pattern for each in capabilities for pattern in each.entrypoints)
    new = {file.path for file in change.files if file.status in "ACR"}
    manifests = [file for file in change.files if program.is_manifest(file.path) and program.is_code(file.path, config)]
    started = {path for path in new if program.is_conventional(path)}
    named: dict[str, set[str]] = {}
    for file, (old, now) in zip(manifests, change.contents(manifests), strict=True):
        named.setdefault(file.path, set()).update(program.begun(file.path, old, now))
    if any(named.values()):
        files = set(change.tree.files())
        started |= {path for place, each in named.items() for path in program.resolved(place, each, files)}
    started = {path for path in started if program.is_code(path, config)}
    there = started if unnamed is None else started | new & set(unnamed)
    for path in sorted(there & change.tree.has(*there)) if there else ():
        if not matches(path, patterns) and (unnamed is None or path in unnamed):
            yield unnamed_program(path, change.tree)


def _said(capabilities: Sequence[Capability], tree: Tree) -> Iterator[Finding]:
    """Yield a finding when the table in README.md is another, and where a page calls available what is not proven."""
    from groundrules_hooks import capability_table as tables

    pages = {path: page.decode("utf-8", "replace") for path, page in tree.read(*PAGES).items()}
    readme = pages.get(README, "")
    wrong = tables.problem(readme)
    if wrong:
        yield Finding(NAME, README, wrong, f"${{EDITOR:-vi}} {README}\n{RENDER}")
    elif not tables.is_current(readme, capabilities):
        line = (tables.place(readme) or (1, 1))[0]
        yield Finding(NAME, README, f"the table of capabilities is not that of {FILE}", RENDER, line)
    for path, page in pages.items():
        if "available" not in page.lower():
            continue
        from groundrules_hooks.boast import boasts

        for line, each in boasts(page, capabilities):
            message = f"it calls {each.id} available, which is {each.level}; only what is proven is available"
            yield Finding(NAME, path, message, f"${{EDITOR:-vi}} +{line} {quote(path)}", line)


def _lost(change: Change) -> Iterator[Finding]:
    """Yield a finding when the change takes the table out of README.md; one that never had it is left alone."""
    from groundrules_hooks.capability_table import BEGIN, END

    now = change.tree.read(README).get(README, b"")
    if BEGIN.encode() not in now and END.encode() not in now:
        yield from _taken(change, README, "the table of capabilities is gone", BEGIN)


def _taken(change: Change, path: str, message: str, text: str = "") -> Iterator[Finding]:
    """Yield the finding `message` when the file at `path` was there, with `text` in it, where the change began."""
    from groundrules_hooks import origin

    for began in origin.of(change):
        before = began.read(path).get(path)
        if before is not None and text.encode() in before:
            yield Finding(NAME, path, message, origin.restore(change, began, path))
            return
