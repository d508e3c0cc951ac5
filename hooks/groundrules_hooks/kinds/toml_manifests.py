"""Manifests in TOML: Cargo.toml, Gradle's version catalogs, rust-toolchain.toml, mise.toml."""

from __future__ import annotations

from groundrules_hooks.kinds.pins import Pins, below, gathered, scalar, table, texts, without

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CARGO_GROUPS = ("dependencies", "dev-dependencies", "build-dependencies")
REFERENCES = ("version", "git", "rev", "tag", "branch")


def document(content: bytes) -> dict[str, object]:
    """Return the tables that `content` holds. Raise ValueError when it is no TOML."""
    import tomllib

    return tomllib.loads(content.decode("utf-8-sig"))


def cargo(content: bytes) -> Pins:
    """Read Cargo.toml; a dependency with a path is a part of the project, whose version is the rest's."""
    held = document(content)
    package, shared = below(held, "package"), below(held, "workspace", "package")
    pairs: list[tuple[str, str | None]] = []
    inner = {}
    for place, group in _cargo_groups(held):
        for name, value in group.items():
            if isinstance(value, dict) and "path" in value:
                inner[f"{place}.{name}"] = value
            else:
                pairs.append(_crate(name, value))
    pairs += [("rust", None) for source in (package, shared) if "rust-version" in source]
    own = {
        scalar(source.get("name", "")): source["version"]
        for source in (package, shared)
        if isinstance(source.get("version"), str)
    }
    keys = [*CARGO_GROUPS, "workspace.dependencies", "patch", "replace", "package.rust-version"]
    keys += [f"target.*.{group}" for group in CARGO_GROUPS]
    rest = without(held, *keys, "workspace.package.rust-version"), inner
    return Pins(gathered(pairs), {name: scalar(version) for name, version in own.items()}, rest)


def _cargo_groups(held: dict[str, object]) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield place and table of each group of dependencies, those of targets and patches too."""
    for group in CARGO_GROUPS:
        yield group, below(held, group)
        for target, inner in below(held, "target").items():
            yield f"{target}.{group}", below(inner, group)
    yield "workspace", below(held, "workspace", "dependencies")
    yield "replace", below(held, "replace")
    for source, inner in below(held, "patch").items():
        yield source, table(inner)


def _crate(name: str, value: object) -> tuple[str, str | None]:
    """Return the crate's own name, whatever it is called here, and what pins it; the workspace may do so."""
    if isinstance(value, str):
        return name, value
    held = table(value)
    version = " ".join(scalar(held[key]) for key in REFERENCES if key in held)
    return scalar(held.get("package", name)), None if held.get("workspace") else version or "*"


def catalog(content: bytes) -> Pins:
    """Read a version catalog: versions by their alias, libraries and plugins by what they are."""
    held = document(content)
    pairs = [_library(value) for group in ("libraries", "plugins") for value in below(held, group).values()]
    pairs += [(f"version {name}", " ".join(texts(value))) for name, value in below(held, "versions").items()]
    return Pins(gathered(pairs), {}, without(held, "versions", "libraries", "plugins", "bundles"))


def _library(value: object) -> tuple[str, str | None]:
    """Return name and version of `group:name:version`, or of a table whose version may be a reference."""
    if isinstance(value, str):
        name, _, version = value.rpartition(":")
        return name, version
    held = table(value)
    name = scalar(held.get("module") or held.get("id") or f"{held.get('group')}:{held.get('name')}")
    asked = held.get("version")
    is_reference = asked is None or (isinstance(asked, dict) and "ref" in asked)
    return name, None if is_reference else " ".join(texts(asked))


def toolchain(content: bytes) -> Pins:
    """Read rust-toolchain.toml, whose channel is the version."""
    held = document(content)
    pairs = [("rust", channel) for channel in texts(below(held, "toolchain").get("channel"))]
    return Pins(gathered(pairs), {}, without(held, "toolchain.channel"))


def mise(content: bytes) -> Pins:
    """Read mise.toml: versions of tools."""
    held = document(content)
    pairs = [(name, " ".join(texts(value))) for name, value in below(held, "tools").items()]
    return Pins(gathered(pairs), {}, without(held, "tools"))


READERS: dict[str, Callable[[bytes], Pins]] = {
    "Cargo.toml": cargo,
    "libs.versions.toml": catalog,
    "rust-toolchain.toml": toolchain,
    "mise.toml": mise,
}
