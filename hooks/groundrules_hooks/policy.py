"""Policy: `review/policy.toml`, in which each key is stated, since what is not stated cannot be reviewed."""

from __future__ import annotations

from groundrules_hooks import globs
from groundrules_hooks.config_kind import Kind, number
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.review import LEVELS, Policy

FILE = "review/policy.toml"


def parse(content: bytes) -> Policy:
    """Return the policy that `content` states. Raise GroundrulesError, with line and example, where it states none."""
    import tomllib

    text = content.decode("utf-8", "replace")
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise wrong(FILE, 1, str(error)) from None
    for key in document:
        if key not in KEYS:
            raise wrong(FILE, _line(text, key), f"{key} is unknown; known are {', '.join(KEYS)}")
    for key, kind in KEYS.items():
        problem = "is missing" if key not in document else "" if kind.fits(document[key]) else "is wrong"
        if problem:
            why = f"expected {kind.expected}\nexample  {kind.example}"
            raise wrong(FILE, _line(text, key), f"{key} {problem}", why)
    for pattern in document["high_risk"]:
        problem = globs.problem(pattern) or ""
        if problem:
            raise wrong(FILE, _line(text, "high_risk"), f"high_risk: {pattern}: {problem}")
    return Policy(
        document["quiet_needed"],
        document["cap"],
        tuple(document["high_risk"]),
        tuple(document["owners"]),
        {word.lower(): level for word, level in document["severity"].items()},
    )


def wrong(path: str, line: int, what: str, why: str = "") -> GroundrulesError:
    """Return the error about a line of the policy or of an eval."""
    return GroundrulesError(f"{path}:{line}: {what}", why=why, fix=f"${{EDITOR:-vi}} +{line} {path}")


def _line(text: str, key: str) -> int:
    """Return the line in which `key` is set; 1 when that is not plain."""
    for line, words in enumerate(text.split("\n"), 1):
        if words.strip().strip("[").replace("]", "=").partition("=")[0].strip().strip("\"'") == key:
            return line
    return 1


def _are_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) and each.strip() for each in value)


def _is_map(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(each, str) and each in LEVELS for each in value.values())


KEYS = {
    "quiet_needed": number(1, 20, "quiet_needed = 2"),
    "cap": number(1, 100, "cap = 6"),
    "high_risk": Kind("a list of patterns of paths", 'high_risk = ["migrations/**"]', _are_names),
    "owners": Kind("a list of names", 'owners = ["ada@example.org"]', _are_names),
    "severity": Kind(f"a table of words, each one of {', '.join(LEVELS)}", '[severity]\ncritical = "P0"', _is_map),
}
