"""Lock files in JSON: npm, Pipenv, Composer, NuGet, Nix, Swift."""

from __future__ import annotations

from groundrules_hooks.kinds.pins import Pins, array, below, gathered, scalar, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MODULES = "node_modules/"


def document(content: bytes) -> dict[str, object]:
    """Return the object that `content` is. Raise ValueError when it is none."""
    import json

    return table(json.loads(content))


def npm(content: bytes) -> Pins:
    """Read package-lock.json of any version; what lies outside of node_modules is the project's own."""
    held = document(content)
    own = {"": scalar(held["version"])} if "version" in held else {}
    if "packages" not in held:
        return Pins(gathered(_nested(held)), own)
    pairs: list[tuple[str, str | None]] = []
    for place, value in table(held["packages"]).items():
        package = table(value)
        _, inside, name = place.rpartition(MODULES)
        if not inside:
            own[place] = scalar(package.get("version", ""))
        elif not package.get("link"):
            resolved = scalar(package.get("resolved", ""))
            revision = resolved.partition("#")[2] if resolved.startswith("git") else ""
            pairs.append((scalar(package.get("name", name)), f"{scalar(package.get('version'))} {revision}".strip()))
    return Pins(gathered(pairs), own)


def _nested(held: dict[str, object]) -> Iterator[tuple[str, str | None]]:
    """Yield the packages of the first form, in which each holds those that only it sees."""
    waiting = [held]
    while waiting:
        for name, value in below(waiting.pop(), "dependencies").items():
            package = table(value)
            version = scalar(package.get("version", ""))
            if not version.startswith(("file:", "link:")):
                place, hash_, revision = version.partition("#")
                yield name, f"{place} {revision}" if hash_ else version.rpartition("@")[2]
            waiting.append(package)


def pipfile(content: bytes) -> Pins:
    """Read Pipfile.lock: a table a category."""
    pairs: list[tuple[str, str | None]] = []
    for category, value in document(content).items():
        for name, package in table(value).items() if category != "_meta" else ():
            held = table(package)
            if "path" not in held:
                pairs.append((name, " ".join(scalar(held[key]) for key in ("version", "ref") if key in held)))
    return Pins(gathered(pairs), {})


def composer(content: bytes) -> Pins:
    """Read composer.lock; a version that is a branch counts with its revision."""
    held = document(content)
    pairs: list[tuple[str, str | None]] = []
    for value in (*array(held.get("packages")), *array(held.get("packages-dev"))):
        package = table(value)
        version = scalar(package.get("version", ""))
        is_branch = version.startswith("dev-") or version.endswith("-dev")
        revision = scalar(below(package, "source").get("reference", "")) if is_branch else ""
        pairs.append((scalar(package.get("name")), f"{version} {revision}".strip()))
    return Pins(gathered(pairs), {})


def nuget(content: bytes) -> Pins:
    """Read packages.lock.json: a table a framework; a project is a part of this one."""
    pairs: list[tuple[str, str | None]] = []
    for framework in below(document(content), "dependencies").values():
        for name, value in table(framework).items():
            package = table(value)
            if "resolved" in package:
                pairs.append((name.lower(), scalar(package["resolved"])))
    return Pins(gathered(pairs), {})


def flake(content: bytes) -> Pins:
    """Read flake.lock: an input a node, at a revision or with a hash."""
    pairs: list[tuple[str, str | None]] = []
    for name, node in below(document(content), "nodes").items():
        locked = below(node, "locked")
        if locked:
            pairs.append((name, scalar(locked.get("rev") or locked.get("narHash"))))
    return Pins(gathered(pairs), {})


def swift(content: bytes) -> Pins:
    """Read Package.resolved of any version."""
    held = document(content)
    pairs: list[tuple[str, str | None]] = []
    for value in array(held["pins"] if "pins" in held else below(held, "object").get("pins")):
        package = table(value)
        name = scalar(package.get("identity") or package.get("package")).lower()
        state = below(package, "state")
        pairs.append((name, scalar(state.get("version") or state.get("revision"))))
    return Pins(gathered(pairs), {})


READERS: dict[str, Callable[[bytes], Pins]] = {
    "package-lock.json": npm,
    "Pipfile.lock": pipfile,
    "composer.lock": composer,
    "packages.lock.json": nuget,
    "flake.lock": flake,
    "Package.resolved": swift,
}
