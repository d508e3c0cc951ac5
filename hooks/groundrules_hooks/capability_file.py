"""capabilities.toml as text: what it may hold, and errors that name the line."""

from __future__ import annotations

from groundrules_hooks import config_kind as kinds
from groundrules_hooks.capability import FILE, LEVELS, PROVEN, Capability, proofs
from groundrules_hooks.config_wrong import line_of, nearest, shown
from groundrules_hooks.evidence import covers
from groundrules_hooks.failure import GroundrulesError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from groundrules_hooks.config import Config
    from groundrules_hooks.config_kind import Kind

TABLE = "capability"
KEYS: dict[str, Kind] = {
    "id": kinds.identifier('id = "orders"'),
    "title": kinds.text('title = "Orders can be placed"'),
    "level": kinds.one_of('level = "stub"', *LEVELS),
    "entrypoints": kinds.patterns('entrypoints = ["services/api/orders.py"]'),
    "proof": kinds.texts('proof = ["unit"]'),
    "acceptance": kinds.texts('acceptance = ["ORD-1"]'),
}
FORM = 1  # bumped with every change of what `parse` makes of a file
NEEDED = ("id", "title", "level")


def parse(content: bytes) -> tuple[Capability, ...]:
    """Return the capabilities that `content` states. Raise GroundrulesError about the first thing wrong with it."""
    import tomllib

    text = content.decode("utf-8", "replace")
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        _, _, place = str(error).partition("(at line ")
        raise _wrong(int(place.split(",")[0]) if place[:1].isdigit() else 1, f"not TOML: {error}") from None
    for key in document:
        if key != TABLE:
            raise _wrong(line_of(text, key, None), f"{key} is unknown", f"expected [[{TABLE}]]")
    rows = document.get(TABLE, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise _wrong(line_of(text, TABLE, None), f"{TABLE} is no list of tables", f"example  [[{TABLE}]]")
    found: dict[str, Capability] = {}
    for index, row in enumerate(rows):
        each = _capability(text, row, index)
        if each.id in found:
            raise _wrong(line_of(text, TABLE, "id", index), f"two capabilities have the id {each.id}")
        found[each.id] = each
    return tuple(found.values())


def kept(content: bytes, git_dir: str) -> tuple[Capability, ...]:
    """Return what `parse` returns: from the form kept in `git_dir` when it was made of the same bytes."""
    # Importing tomllib would cost a commit more than everything else about capabilities.
    import marshal
    import os
    import sys

    from groundrules_hooks.lock import make_folder, replace
    from groundrules_hooks.worktree import STATE

    place = os.path.join(git_dir, STATE, f"capabilities.{sys.implementation.cache_tag}")
    try:
        with open(place, "rb") as file:
            form, known, rows = marshal.loads(file.read())  # noqa: S302 (written by this module)
        if form == FORM and known == content:
            return tuple(Capability(*row) for row in rows)
    except (OSError, ValueError, EOFError, TypeError):
        pass  # not kept yet, or unreadable: it is only a copy
    found = parse(content)
    try:
        make_folder(os.path.dirname(place))
        replace(place, marshal.dumps((FORM, content, tuple(map(tuple, found)))))
    except GroundrulesError:
        pass  # a git dir that cannot be written costs the time of parsing, nothing else
    return found


def _capability(text: str, row: dict[str, object], index: int) -> Capability:
    for key, value in row.items():
        line = line_of(text, TABLE, key, index)
        if key not in KEYS:
            close = nearest(key, KEYS)
            raise _wrong(line, f"{key} is unknown", f"one of {', '.join(KEYS)}\nexample  {KEYS[close].example}")
        if not KEYS[key].fits(value):
            why = f"expected {KEYS[key].expected}\nexample  {KEYS[key].example}"
            raise _wrong(line, f"{key} is {shown(value)}", why)
    for key in NEEDED:
        if key not in row:
            raise _wrong(line_of(text, TABLE, None, index), f"no {key}", f"example  {KEYS[key].example}")
    fields = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    return Capability(**fields, line=line_of(text, TABLE, "level", index))  # type: ignore[arg-type] # as KEYS says


def _wrong(line: int, what: str, why: str = "") -> GroundrulesError:
    return GroundrulesError(f"{FILE}:{line}: {what}", why=why, fix=f"${{EDITOR:-vi}} +{line} {FILE}")


def needed(content: bytes | None, config: Config, paths: Iterable[str]) -> Iterator[str]:
    """Yield the checks that have to pass so that what `content` claims proven stays so after a change of `paths`.

    A file that cannot be read needs none here: the rule says what is wrong with it.
    """
    if content is None or PROVEN.encode() not in content:
        return
    try:
        names = proofs(parse(content))
    except GroundrulesError:
        return
    changed = list(paths)
    for check in config.checks:
        if check.name in names and (FILE in changed or covers(check, changed)):
            yield check.name
