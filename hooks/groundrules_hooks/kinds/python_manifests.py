"""Manifests of Python: pyproject.toml, requirements files, setup.cfg, Pipfile."""

from __future__ import annotations

from groundrules_hooks.kinds.pins import FormError, Pins, array, below, gathered, lines, scalar, table, texts, without

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

NAME_CHARS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
PYPROJECT_PINS = (
    "project.dependencies",
    "project.optional-dependencies",
    "project.requires-python",
    "dependency-groups",
    "build-system.requires",
    "tool.poetry.dependencies",
    "tool.poetry.dev-dependencies",
    "tool.poetry.group.*.dependencies",
    "tool.pdm.dev-dependencies",
    "tool.rye.dev-dependencies",
    "tool.uv.dev-dependencies",
    "tool.uv.constraint-dependencies",
    "tool.uv.override-dependencies",
    "tool.uv.build-constraint-dependencies",
    "tool.uv.required-version",
    "tool.uv.sources",
    "tool.hatch.envs.*.dependencies",
    "tool.hatch.envs.*.extra-dependencies",
)
# Where requirements come from says nothing of which they are.
INDEXES = ("-i ", "--index-url", "--extra-index-url", "--trusted-host", "-f ", "--find-links")
PIPFILE_SETTINGS = ("source", "scripts", "pipenv", "requires")
REFERENCES = ("rev", "ref", "tag", "branch", "version", "url")


def pyproject(content: bytes) -> Pins:
    """Read pyproject.toml, with the tables of the tools that keep dependencies there."""
    import tomllib

    tables = tomllib.loads(content.decode("utf-8-sig"))
    project, poetry, uv = (below(tables, *keys) for keys in (("project",), ("tool", "poetry"), ("tool", "uv")))
    groups = [inner for entries in below(tables, "dependency-groups").values() for inner in array(entries)]
    environments = [table(held) for held in below(tables, "tool", "hatch", "envs").values()]
    asked: list[object] = [project.get("dependencies"), project.get("optional-dependencies")]
    asked += [inner for inner in groups if isinstance(inner, str)]
    asked += [below(tables, "build-system").get("requires")]
    asked += [below(tables, "tool", tool).get("dev-dependencies") for tool in ("pdm", "rye", "uv")]
    asked += [uv.get(f"{kind}-dependencies") for kind in ("constraint", "override", "build-constraint")]
    asked += [environment.get(f"{kind}dependencies") for environment in environments for kind in ("", "extra-")]
    pairs: list[tuple[str, str | None]] = [requirement(text) for text in texts(asked)]
    for held in _poetry(poetry):
        pairs += _table(held)
    pairs += _python(project.get("requires-python"))
    pairs += [("uv", text) for text in texts(uv.get("required-version"))]
    pairs += [(normal(name), text) for name, held in below(uv, "sources").items() for text in _reference(held)]
    own = {normal(scalar(held.get("name"))): held["version"] for held in (project, poetry) if "version" in held}
    included = [inner for inner in groups if not isinstance(inner, str)]
    rest = without(tables, *PYPROJECT_PINS), _settled(below(uv, "sources")), included
    return Pins(gathered(pairs), {name: scalar(version) for name, version in own.items()}, rest)


def requirements(content: bytes) -> Pins:
    """Read a file of requirements or constraints; options are the rest, hashes and comments nothing."""
    pairs: list[tuple[str, str | None]] = []
    rest = []
    for line in _joined(lines(content)):
        if line.startswith(INDEXES):
            continue
        if line.startswith("-") and not line.startswith(("-e", "--editable")):
            rest.append(line)
        else:
            plain = line.partition(" --")[0].partition(" ")[2] if line.startswith("-") else line.partition(" --")[0]
            pairs.append(requirement(plain.strip()))
    return Pins(gathered(pairs), {}, rest)


def setup_cfg(content: bytes) -> Pins:
    """Read setup.cfg as setuptools does."""
    import configparser

    text = "\n".join(lines(content))
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise FormError(str(error)) from None
    sections: dict[str, object] = {name: dict(parser.items(name)) for name in parser.sections()}
    options = below(sections, "options")
    asked = [str(options.get(key, "")) for key in ("install_requires", "setup_requires", "tests_require")]
    asked += [str(text) for text in below(sections, "options.extras_require").values()]
    pairs: list[tuple[str, str | None]] = [requirement(line) for text in asked for line in _joined(text.split("\n"))]
    pairs += _python(options.get("python_requires"))
    version = below(sections, "metadata").get("version")
    own = {"": str(version)} if version else {}
    sections.pop("options.extras_require", None)
    kept = ("install_requires", "setup_requires", "tests_require", "python_requires")
    return Pins(gathered(pairs), own, without(sections, *(f"options.{key}" for key in kept)))


def pipfile(content: bytes) -> Pins:
    """Read a Pipfile, in which each table that holds no settings is a category."""
    import tomllib

    tables = tomllib.loads(content.decode("utf-8-sig"))
    pairs: list[tuple[str, str | None]] = []
    for name, held in tables.items():
        if name not in PIPFILE_SETTINGS:
            pairs += _table(table(held))
    pairs += _python(below(tables, "requires").get("python_version"))
    settings = {name: held for name, held in tables.items() if name in PIPFILE_SETTINGS}
    return Pins(gathered(pairs), {}, without(settings, "requires.python_version"))


def requirement(text: str) -> tuple[str, str]:
    """Return name and version of one requirement (PEP 508): `a[x]>=1,<2; marker`, `a @ url`, or a url or path alone.

    Extras and markers are left out: with another one the version is the same.
    """
    plain = text.partition(";")[0].strip()
    end = next((at for at, char in enumerate(plain) if char not in NAME_CHARS), len(plain))
    name, rest = plain[:end], plain[end:].strip()
    if rest.startswith("["):
        rest = rest.partition("]")[2].strip()
    if rest.startswith("@"):
        return normal(name), rest[1:].strip()
    if not name or rest[:1] not in ("", "=", "<", ">", "~", "!", "("):
        return _url(text.strip())
    bounds = sorted("".join(bound.split()) for bound in rest.strip("()").split(","))
    return normal(name), ",".join(bounds)


def normal(name: str) -> str:
    """Return the form of a distribution's name in which all spellings are one (PEP 503)."""
    return name.lower().replace("_", "-").replace(".", "-")


def _url(text: str) -> tuple[str, str]:
    """Return the name that a url gives by its egg, else the url without what follows its last @."""
    address, _, fragment = text.partition("#")
    if "egg=" in fragment:
        return normal(fragment.partition("egg=")[2].partition("&")[0].partition("[")[0]), address
    place, at, reference = address.rpartition("@")
    return (place, reference) if at and "/" not in reference else (address, address)


def _joined(found: Iterable[str]) -> Iterator[str]:
    """Yield lines of requirements with continued ones joined, without comments and blank ones."""
    parts: list[str] = []
    for line in found:
        plain = "" if line.lstrip().startswith("#") else line.partition(" #")[0].strip()
        parts.append(plain.removesuffix("\\").strip())
        if not plain.endswith("\\"):
            whole = " ".join(part for part in parts if part)
            parts = []
            if whole:
                yield whole
    yield from (part for part in [" ".join(filter(None, parts))] if part)


def _poetry(poetry: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """Yield the tables of dependencies that Poetry knows."""
    yield below(poetry, "dependencies")
    yield below(poetry, "dev-dependencies")
    for group in below(poetry, "group").values():
        yield below(group, "dependencies")


def _table(held: dict[str, object]) -> Iterator[tuple[str, str | None]]:
    """Yield the pins of a table of names whose values are a range, a table with one, or a list of such tables."""
    for name, value in held.items():
        if name == "python":
            yield from _python(value)
        else:
            yield from ((normal(name), text) for text in list(_reference(value)) or ["*"])


def _reference(value: object) -> Iterator[str]:
    """Yield what `value` pins: itself, or the reference in its table; of a path nothing."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        parts = [scalar(value[key]) for key in REFERENCES if key in value]
        if parts:
            yield " ".join(parts)
    elif isinstance(value, list):
        for inner in value:
            yield from _reference(inner) if isinstance(inner, dict) else ()


def _settled(sources: Mapping[str, object]) -> object:
    """Return those of uv's `sources` that pin nothing: paths, workspaces, indexes."""
    return {name: held for name, held in sources.items() if not list(_reference(held))}


def _python(version: object) -> list[tuple[str, str | None]]:
    """Return the pair that stands for the Python the project runs on, whatever the range: see Pins."""
    return [("python", None)] if isinstance(version, str) else []


READERS: dict[str, Callable[[bytes], Pins]] = {
    "pyproject.toml": pyproject,
    "requirements.txt": requirements,
    "setup.cfg": setup_cfg,
    "Pipfile": pipfile,
}
