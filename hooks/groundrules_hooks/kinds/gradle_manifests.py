"""Manifests of Gradle: build scripts and properties. A script is a program; what names a version in it is a pin."""

from __future__ import annotations

from groundrules_hooks.kinds.pins import Pins, gathered, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

Pair = tuple[str, "str | None"]
LONGEST = 2000  # characters of a line that a person may have written
OWN = ("version", "versionname", "versioncode", "version_name", "version_code", "projectversion", "project_version")


def script(content: bytes) -> Pins:
    """Read a build script: coordinates, plugins with a version, and variables named for a version."""
    import re

    coordinate = re.compile(r"[\"']([\w.\-]+:[\w.\-]+)(?::([^\"':@]*))?(?:[:@][^\"']*)?[\"']")
    mapped = re.compile(
        r"group *[:=] *[\"']([^\"']+)[\"'], *name *[:=] *[\"']([^\"']+)[\"'](?:, *version *[:=] *[\"']([^\"']+)[\"'])?"
    )
    plugin = re.compile(r"(?:id|kotlin)[ (]+[\"']([^\"']+)[\"']\)? *version[ (]+[\"']([^\"']+)[\"']")
    # From the begin of a word alone: tried from within it too, long words would take long.
    assigned = re.compile(r"(?<![\w.])([\w.]+)[\"']?\]? *[=,:] *[\"']([^\"']+)[\"']")
    declares = re.compile(r"[\w.]+ *[ (=:]")
    pairs: list[Pair] = []
    own: dict[str, str] = {}
    rest = []
    for line in map(str.strip, lines(content)):
        if not line or line.startswith(("//", "*", "/*")):
            continue
        if len(line) > LONGEST:
            rest.append(line)
        elif found := plugin.match(line):
            pairs.append((found[1], _plain(found[2])))
        elif found := mapped.search(line):
            pairs.append((f"{found[1]}:{found[2]}", _plain(found[3])))
        elif (found := coordinate.search(line)) and declares.match(line):
            pairs.append((found[1], _plain(found[2])))
        elif found := next((one for one in assigned.finditer(line) if "version" in one[1].lower()), None):
            kept = line[: found.start(2)] + line[found.end(2) :]
            rest.append(line if found[1].lower() in OWN else kept)
            if found[1].lower() in OWN:
                own[found[1]] = found[2]
            else:
                pairs.append((found[1], found[2]))
        else:
            rest.append(line)
    return Pins(gathered(pairs), own, rest)


def _plain(version: str | None) -> str | None:
    """Return `version` unless a variable stands in it: then that is what moves."""
    return version if version and "$" not in version else None


def properties(content: bytes) -> Pins:
    """Read gradle.properties: a key named for a version is a pin, unless the version is the project's own."""
    pairs: list[Pair] = []
    own: dict[str, str] = {}
    rest = []
    for key, value in _properties(content):
        if key.lower() in OWN:
            own[key] = value
            rest.append((key, value))
        elif "version" in key.lower() and value[:1].isdigit():
            pairs.append((key, value))
        else:
            rest.append((key, value))
    return Pins(gathered(pairs), own, rest)


def wrapper(content: bytes) -> Pins:
    """Read the properties of a wrapper of Gradle or Maven: the file that it downloads names the version."""
    pairs: list[Pair] = []
    rest = []
    for key, value in _properties(content):
        if key in ("distributionUrl", "wrapperUrl"):
            archive = value.rpartition("/")[2]
            pairs.append((archive.partition("-")[0], archive))
        elif not key.lower().endswith(("sha256sum", "version")):
            rest.append((key, value))
    return Pins(gathered(pairs), {}, sorted(rest))


def _properties(content: bytes) -> list[tuple[str, str]]:
    found = (line.strip().partition("=") for line in lines(content) if line.strip()[:1] not in ("", "#", "!"))
    return [(key.strip(), value.strip()) for key, _, value in found]


READERS: dict[str, Callable[[bytes], Pins]] = {
    "build.gradle": script,
    "gradle.properties": properties,
    "gradle-wrapper.properties": wrapper,
}
