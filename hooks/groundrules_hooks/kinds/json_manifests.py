"""Manifests in JSON: package.json, composer.json, and those of the .NET tools."""

from __future__ import annotations

from groundrules_hooks.kinds.pins import FormError, Pins, below, gathered, scalar, table, texts, without

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PACKAGE_GROUPS = (
    "dependencies",
    "devDependencies",
    "peerDependencies",
    "optionalDependencies",
    "resolutions",
    "overrides",
    "pnpm.overrides",
    "workspaces.catalog",
    "catalog",
)
CATALOGS = ("workspaces.catalogs", "catalogs")
TOOLS = ("volta", "devEngines")
OUTSIDE = ("workspace:", "file:", "link:", "portal:", "catalog:")  # the version is settled elsewhere


def document(content: bytes) -> dict[str, object]:
    """Return the object that `content` is. Raise FormError when it is none."""
    import json

    return table(json.loads(content))


def package(content: bytes) -> Pins:
    """Read package.json: every group of dependencies, what overrides them, and the tools it is worked on with."""
    held = document(content)
    pairs: list[tuple[str, str | None]] = []
    for group in PACKAGE_GROUPS:
        pairs += _flat(_at(held, group))
    for catalog in CATALOGS:
        for versions in _at(held, catalog).values():
            pairs += _flat(table(versions))
    for tool in TOOLS:
        pairs += [(f"{tool}.{name}", " ".join(texts(value))) for name, value in below(held, tool).items()]
    pairs += [(f"engines.{name}", None) for name in _at(held, "engines")]
    manager, at, version = scalar(held.get("packageManager", "")).partition("@")
    pairs += [(manager, version)] if at else []
    own = {scalar(held.get("name", "")): scalar(held["version"])} if "version" in held else {}
    return Pins(gathered(pairs), own, without(held, *PACKAGE_GROUPS, *CATALOGS, *TOOLS, "engines", "packageManager"))


def composer(content: bytes) -> Pins:
    """Read composer.json, in which `php` and its extensions are what the project runs on."""
    held = document(content)
    groups = (below(held, "require"), below(held, "require-dev"), below(held, "config", "platform"))
    pairs: list[tuple[str, str | None]] = []
    for name, version in [pair for group in groups for pair in _flat(group)]:
        pairs.append((name, version if "/" in name else None))
    own = {scalar(held.get("name", "")): scalar(held["version"])} if "version" in held else {}
    return Pins(gathered(pairs), own, without(held, "require", "require-dev", "config.platform"))


def global_json(content: bytes) -> Pins:
    """Read global.json: the version of the .NET SDK and of the SDKs of MSBuild."""
    held = document(content)
    pairs = [*_flat(below(held, "msbuild-sdks"))]
    pairs += [("dotnet-sdk", version) for version in texts(below(held, "sdk").get("version"))]
    return Pins(gathered(pairs), {}, without(held, "msbuild-sdks", "sdk.version"))


def dotnet_tools(content: bytes) -> Pins:
    """Read dotnet-tools.json: a version a tool."""
    held = document(content)
    tools = below(held, "tools")
    pairs = [(name, version) for name, tool in tools.items() for version in texts(table(tool).get("version"))]
    rest = {name: without(table(tool), "version", "commands") for name, tool in tools.items()}
    return Pins(gathered(pairs), {}, (without(held, "tools"), {name: kept for name, kept in rest.items() if kept}))


def _at(held: dict[str, object], path: str) -> dict[str, object]:
    """Return the table at `path`, empty where something else stands: `workspaces` is a list, too."""
    value: object = held
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _flat(group: dict[str, object]) -> Iterator[tuple[str, str | None]]:
    """Yield name and version; an override may hold overrides below a name, and stand for itself as `.`."""
    waiting = [("", group)]
    while waiting:
        outer, group = waiting.pop()
        for name, value in group.items():
            if isinstance(value, dict):
                waiting.append((name, value))
            elif isinstance(value, str):
                yield outer if name == "." else name, None if value.startswith(OUTSIDE) else value
            else:
                raise FormError("a version that is no text")


READERS: dict[str, Callable[[bytes], Pins]] = {
    "package.json": package,
    "composer.json": composer,
    "global.json": global_json,
    "dotnet-tools.json": dotnet_tools,
}
