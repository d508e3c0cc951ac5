"""Lock files in TOML, as uv, Poetry, PDM and Cargo write them: read line by line, since parsing all takes a second."""

from __future__ import annotations

from groundrules_hooks.kinds.pins import CONFLICT, FormError, Pins, gathered, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PACKAGE = b"\n[[package"  # so a package begins, in all of them
# Where a package is a part of the project: what stands in its source, by the tool that writes so.
INSIDE = ("editable =", "virtual =", "directory =", "path =")


def uv(content: bytes) -> Pins:
    """Read uv.lock, pylock.toml or pdm.lock: a package with a folder for its source is the project."""
    pairs: list[tuple[str, str | None]] = []
    own: dict[str, str] = {}
    for held in _packages(content):
        name, version = _text(held.get("name", "")), _text(held.get("version", ""))
        source = held.get("source", "")
        if "path" in held or "directory" in held or any(word in source for word in INSIDE):
            own[name] = version
        else:
            revision = held.get("revision", "") + _after(held.get("vcs", ""), "commit-id")
            revision += _after(source, "#") if "git =" in source else ""
            pairs.append((name, f"{version} {_text(revision)}".strip()))
    return Pins(gathered(pairs), own)


def poetry(content: bytes) -> Pins:
    """Read poetry.lock, in which the project itself is not listed, and paths are parts of it."""
    pairs: list[tuple[str, str | None]] = []
    own: dict[str, str] = {}
    for held in _packages(content):
        name, version = _text(held.get("name", "")), _text(held.get("version", ""))
        if _text(held.get("source.type", "")) in ("directory", "file"):
            own[name] = version
        else:
            revision = _text(held.get("source.resolved_reference", ""))
            pairs.append((name.lower(), f"{version} {revision}".strip()))
    return Pins(gathered(pairs), own)


def cargo(content: bytes) -> Pins:
    """Read Cargo.lock, in which a package without a source is a part of the project."""
    pairs: list[tuple[str, str | None]] = []
    own: dict[str, str] = {}
    for held in _packages(content):
        name, version = _text(held.get("name", "")), _text(held.get("version", ""))
        source = _text(held.get("source", ""))
        if not source:
            own[name] = version
        else:
            revision = source.partition("#")[2] if source.startswith("git+") else ""
            pairs.append((name, f"{version} {revision}".strip()))
    return Pins(gathered(pairs), own)


def changed(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """Return both texts without the packages of whose name nothing changes, which are nearly all.

    Texts that are not of the usual form are returned whole, for the reader to refuse.
    """
    before, after = old.split(PACKAGE), new.split(PACKAGE)
    if not all(part.startswith((b"]]", b"s]]")) for part in (*before[1:], *after[1:])) or not _is_clean(old + new):
        return old, new
    names = set(map(_name, set(before) ^ set(after)))
    kept = [[parts[0], *(part for part in parts[1:] if _name(part) in names)] for parts in (before, after)]
    return PACKAGE.join(kept[0]), PACKAGE.join(kept[1])


def _is_clean(text: bytes) -> bool:
    return b"\0" not in text and CONFLICT.encode() not in text


def _name(package: bytes) -> bytes:
    return package.partition(b"\nname = ")[2].partition(b"\n")[0].strip().lower()


def _packages(content: bytes) -> Iterator[dict[str, str]]:
    """Yield the keys of each package with their values as written; those of its source as `source.key`.

    Raise FormError for a text that is not of this form.
    """
    held: dict[str, str] = {}
    prefix: str | None = None
    for line in lines(content):
        if line.startswith("["):
            name = line.strip("[] ")
            if name in ("package", "packages", "root"):
                if "name" in held:
                    yield held
                held = {}
            prefix = {"package": "", "packages": "", "root": "", "package.source": "source."}.get(name)
        elif line[:1] not in ("", "#", " ", "\t", "]", "}"):
            key, equals, value = line.partition(" = ")
            if not equals:
                raise FormError(f"not a line of a lock file: {line[:40]}")
            if prefix is not None:
                held.setdefault(prefix + key, value)
    if "name" in held:
        yield held


def _after(value: str, mark: str) -> str:
    """Return what stands behind `mark` in an inline table, up to the end of its text."""
    return value.partition(mark)[2].lstrip(' ="').partition('"')[0]


def _text(value: str) -> str:
    return value.strip().strip("\"'")


READERS: dict[str, Callable[[bytes], Pins]] = {
    "uv.lock": uv,
    "pdm.lock": uv,
    "pylock.toml": uv,
    "poetry.lock": poetry,
    "Cargo.lock": cargo,
}
