"""Manifests in which a line declares a dependency: go.mod, mix.exs, pubspec.yaml, pnpm-workspace.yaml."""

from __future__ import annotations

from groundrules_hooks.kinds.pins import Pins, gathered, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Pair = tuple[str, "str | None"]
LONGEST = 2000  # characters of a line that a person may have written
PUB_GROUPS = ("dependencies", "dev_dependencies", "dependency_overrides", "environment")
PNPM_GROUPS = ("catalog", "catalogs", "overrides")
# Which dependencies are trusted and mended: this changes with them.
PNPM_LISTS = (
    "minimumReleaseAgeExclude",
    "trustPolicyExclude",
    "onlyBuiltDependencies",
    "allowBuilds",
    "patchedDependencies",
)
SECTIONS = (*PUB_GROUPS, *PNPM_GROUPS, *PNPM_LISTS)
PUB_VERSIONS = ("version", "ref", "sdk")


def go_mod(content: bytes) -> Pins:
    """Read go.mod: what it requires and replaces, the version of Go and of its toolchain."""
    pairs: list[Pair] = []
    rest = []
    for words in _directives(lines(content)):
        match words:
            case ["require", name, version]:
                pairs.append((name, version))
            case ["go", _]:
                pairs.append(("go", None))
            case ["toolchain", version]:
                pairs.append(("toolchain", version))
            case ["replace", name, *_, "=>", target, version]:
                pairs.append((name, f"{target} {version}"))
            case _:
                rest.append(words)
    return Pins(gathered(pairs), {}, rest)


def _directives(found: Iterable[str]) -> Iterator[list[str]]:
    """Yield the words of each directive, those in a block with the word of the block in front."""
    block: list[str] = []
    for line in found:
        words = line.partition("//")[0].replace('"', "").split()
        if words == [")"]:
            block = []
        elif words[-1:] == ["("]:
            block = words[:-1]
        elif words:
            yield [*block, *words]


def mix(content: bytes) -> Pins:
    """Read mix.exs: a line `{:name, "range", …}` is a dependency, all else is code."""
    import re

    entry = re.compile(r"\{:(\w+), *(?:\"([^\"]*)\")?(.*)$")
    reference = re.compile(r"\b(?:ref|tag|branch): *\"([^\"]*)\"")
    elixir = re.compile(r"elixir: *\"[^\"]*\"")
    pairs: list[Pair] = []
    rest = []
    for line in _code(lines(content), "#"):
        found = entry.match(line.strip()) if len(line) < LONGEST else None
        if found and (found[2] or "git" in found[3]):
            pairs.append((found[1], " ".join(filter(None, [found[2], *reference.findall(found[3])])) or "*"))
        elif found := elixir.search(line[:LONGEST]):
            pairs.append(("elixir", None))
        else:
            rest.append(line.strip())
    return Pins(gathered(pairs), {}, rest)


def pubspec(content: bytes) -> Pins:
    """Read pubspec.yaml: its groups of dependencies, and the versions of the SDKs."""
    pairs: list[Pair] = []
    own: dict[str, str] = {}
    rest = []
    for group, name, deeper, line in _sections(_code(lines(content), "#")):
        key, _, value = _pair(line)
        if group == "environment":
            pairs.append((name, None))
        elif group in PUB_GROUPS:
            if not deeper:
                pairs.append((name, value or None))
            elif key in PUB_VERSIONS:
                pairs.append((name, value))
        else:
            rest.append(line)
            if key == "version" and not group:
                own[""] = value
    return Pins(gathered(pairs), own, rest)


def pnpm_workspace(content: bytes) -> Pins:
    """Read pnpm-workspace.yaml: its catalogs and overrides."""
    pairs: list[Pair] = []
    rest = []
    for group, name, deeper, line in _sections(_code(lines(content), "#")):
        key, _, value = _pair(line)
        if group in PNPM_GROUPS:
            pairs.append((key if deeper else name, value or None))
        elif group not in PNPM_LISTS:
            rest.append(line)
    return Pins(gathered(pairs), {}, rest)


def _sections(found: Iterable[str]) -> Iterator[tuple[str, str, bool, str]]:
    """Yield for each line of YAML its section, the key in that, whether it stands below this key, and the line.

    A line at the top has neither, unless it only opens a section: then it is not yielded for those that may be empty.
    """
    section = name = ""
    indent = 0
    for line in found:
        depth = len(line) - len(line.lstrip())
        key, colon, value = _pair(line)
        if depth == 0:
            section = key if colon and not value else ""
            name, indent = "", 0
            if section not in SECTIONS:
                yield "", "", False, line
            continue
        indent = indent or depth
        if depth <= indent:
            name = key
        yield section, name, depth > indent, line


def _pair(line: str) -> tuple[str, str, str]:
    """Return key, colon and value of a line of YAML, without quotes and a comment."""
    key, colon, value = line.strip().partition(": ")
    if not colon:
        key, colon = (key[:-1], ":") if key.endswith(":") else (key, "")
    return key.strip("'\""), colon, value.partition(" #")[0].strip().strip("'\"")


def _code(found: Iterable[str], comment: str) -> Iterator[str]:
    """Yield the lines that say something, with the blanks in front of them."""
    for line in found:
        plain = line.strip()
        if plain and not plain.startswith(comment):
            yield line.rstrip()


READERS: dict[str, Callable[[bytes], Pins]] = {
    "go.mod": go_mod,
    "mix.exs": mix,
    "pubspec.yaml": pubspec,
    "pnpm-workspace.yaml": pnpm_workspace,
}
