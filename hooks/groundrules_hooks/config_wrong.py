"""What is wrong in groundrules.toml: the line, the key, what was expected, an example."""

from __future__ import annotations

from groundrules_hooks.config import FILE
from groundrules_hooks.failure import GroundrulesError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST = 60  # of a wrong value, as much as an error shows


def wrong(line: int, what: str, expected: str, example: str) -> GroundrulesError:
    """Return the error about `what` in `line`."""
    why = f"expected {expected}\nexample  {example}"
    return GroundrulesError(f"{FILE}:{line}: {what}", why=why, fix=f"${{EDITOR:-vi}} +{line} {FILE}")


def unknown(line: int, what: str, name: str, known: Iterable[str], example: str) -> GroundrulesError:
    """Return the error about `name`, which is none of the `known`."""
    closest = nearest(name, known)
    return wrong(line, f"{what} is unknown", f"one of {', '.join(known)}; the nearest is {closest}", example)


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the one of `known` that looks most like `name`."""
    import difflib

    known = list(known)
    return (difflib.get_close_matches(name, known, n=1, cutoff=0.0) or known)[0]


def shown(value: object) -> str:
    """Return `value` as TOML would write it, shortened."""
    try:
        written = str(value).lower() if isinstance(value, bool) else repr(value).replace("'", '"')
    except (ValueError, RecursionError):
        return "too large"
    return written if len(written) <= LONGEST else f"{written[:LONGEST]}..."


def line_of(text: str, table: str, key: str | None, index: int = 0) -> int:
    """Return the line where `key` stands in the `index`-th `table`, or of the table's header; 1 if neither is plain."""
    inside, seen, header = False, -1, 1
    path = f"{table}.{key}" if key else table
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        if line.startswith("["):
            name = line.split("]")[0].strip("[ \"'")
            inside = name == table
            seen += inside
            header = number if inside and seen == index else header
            below = name.startswith(f"{path}.") and (key is not None or seen < index)
            if max(seen, 0) == index and (below or (key and name == path)):
                return number
            continue
        name = line.split("=")[0].strip().strip("\"'")
        if "=" in line and (
            (inside and seen == index and name.split(".")[0] == key)
            or f"{name}.".startswith(f"{path}.")
            or (seen < 0 and name == table)
        ):
            return number
    return header
