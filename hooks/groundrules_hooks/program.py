"""Program: a file that something outside of the code starts, as the usual manifests and names say."""

from __future__ import annotations

import posixpath

from groundrules_hooks import comments
from groundrules_hooks import config as configs
from groundrules_hooks.config import NEUTRAL
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.globs import matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from groundrules_hooks.change import Tree
    from groundrules_hooks.config import Config

PYTHON, NODE, RUST, PROCFILE = "pyproject.toml", "package.json", "Cargo.toml", "Procfile"
MANIFESTS = frozenset((configs.FILE, PYTHON, NODE, RUST, PROCFILE))
# What is no part of the product, beside documentation and tests.
FOREIGN = ("**/examples/**", "**/example/**", "**/vendor/**", "**/third_party/**", "**/node_modules/**")
INSIDE = ("", "/__main__.py", "/main.go", "/index.js", "/index.ts", "/index.mjs", ".js", ".ts", ".py")
ROOTS = ("", "src/")


def is_code(path: str, config: Config) -> bool:
    """Whether the file at `path` may be part of the product: not documentation, a test, or somebody else's."""
    return not matches(path, (*NEUTRAL, *config.commits.neutral, *FOREIGN))


def is_manifest(path: str) -> bool:
    """Whether the file at `path` is one that may say what is started."""
    return path.rpartition("/")[2] in MANIFESTS


def is_conventional(path: str) -> bool:
    """Whether the name of `path` alone says that it is started."""
    folders, _, name = f"/{path}".rpartition("/")
    if name == "__main__.py":
        return True
    if name == "main.go":
        return not folders or posixpath.dirname(folders).rpartition("/")[2] == "cmd"
    return name.endswith(".rs") and (f"{folders}/{name}".endswith("/src/main.rs") or "/src/bin/" in f"{folders}/")


def programs(paths: Iterable[str], tree: Tree, config: Config) -> set[str]:
    """Return those of `paths`, all files of `tree`, that are started: by name, by a manifest, by configuration."""
    files = set(paths)
    manifests = [path for path in files if is_manifest(path) and is_code(path, config)]
    started = {path for path in files if is_conventional(path) or matches(path, config.capabilities.programs)}
    for path, content in tree.read(*sorted(manifests)).items():
        started |= resolved(path, words(path, content), files)
    return {path for path in started if is_code(path, config)}


def words(path: str, content: bytes) -> set[str]:
    """Return what the manifest at `path` names to be started: paths, and modules with `-m ` in front."""
    return _words(path, content) or set()


def begun(path: str, old: bytes | None, new: bytes | None) -> set[str]:
    """Return what another version of the manifest at `path` begins to name; nothing if the `old` is not to be read."""
    known = _words(path, old or b"")
    return words(path, new or b"") - known if known is not None else set()


def _words(path: str, content: bytes) -> set[str] | None:
    name = path.rpartition("/")[2]
    reader = {PYTHON: _of_python, NODE: _of_node, RUST: _of_rust, PROCFILE: _of_lines}.get(name, _of_stack)
    try:
        return {word for word in reader(content) if word} if content else set()
    except (ValueError, RecursionError, GroundrulesError):
        return None  # not what its name says: others say so


def services(config: Config) -> Iterator[tuple[str, bool, tuple[str, ...]]]:
    """Yield name, whether it is asked for its health, and command of all that the stack starts."""
    for service in (*config.stack.infrastructure, *config.stack.services):
        yield service.name, bool(service.ready), service.run
    if config.stack.migrate:
        yield "migrate", False, config.stack.migrate


def command(run: Iterable[str]) -> Iterator[str]:
    """Yield the words of a command that may name what it starts; what a shell takes for a comment starts nothing."""
    split = [word for text in run for word in comments.of_shell(text).split()]
    for before, word in zip(["", *split], split, strict=False):
        if word.startswith("-") or "$" in word or "=" in word:
            continue
        is_module = before == "-m" or (":" in word and "/" not in word)
        yield f"-m {word.partition(':')[0]}" if is_module else word


def resolved(manifest: str, named: Iterable[str], files: set[str]) -> set[str]:
    """Return the files that the words of `manifest` mean."""
    folder = posixpath.dirname(manifest)
    found = set()
    for word in named:
        module = word.removeprefix("-m ")
        if module != word:
            found |= _modules(folder, module.replace(".", "/"), files)
            continue
        place = posixpath.normpath(posixpath.join(folder, word))
        found |= {posixpath.normpath(f"{place}{end}") for end in INSIDE} & files
    return found


def _modules(folder: str, path: str, files: set[str]) -> set[str]:
    """Return the files of a module: below the manifest or its `src`, else wherever a path ends like it."""
    ends = (f"{path}.py", f"{path}/__main__.py", f"{path}/__init__.py")
    near = {posixpath.normpath(posixpath.join(folder, root, end)) for root in ROOTS for end in ends} & files
    return near or {file for file in files if file.endswith(tuple(f"/{end}" for end in ends))}


def _of_stack(content: bytes) -> Iterator[str]:
    for _, _, run in services(configs.of_text(content)):
        yield from command(run)


def _of_lines(content: bytes) -> Iterator[str]:
    for line in content.decode("utf-8", "replace").splitlines():
        name, _, run = line.partition(":")
        if name.replace("-", "").replace("_", "").isalnum():  # others start nothing: a comment, or prose
            yield from command([run])


def _of_python(content: bytes) -> Iterator[str]:
    if b"scripts" not in content and b"entry-points" not in content:
        return
    import tomllib

    document = tomllib.loads(content.decode("utf-8"))
    project = _table(document.get("project"))
    tables = [project.get("scripts"), project.get("gui-scripts")]
    tables += [_table(_table(document.get("tool")).get("poetry")).get("scripts")]
    tables += _table(project.get("entry-points")).values()
    for table in tables:
        yield from (f"-m {value.partition(':')[0].strip()}" for value in _texts(_table(table).values()))


def _of_rust(content: bytes) -> Iterator[str]:
    if b"[[bin]]" in content:
        import tomllib

        rows = tomllib.loads(content.decode("utf-8")).get("bin")
        yield from _texts(_table(row).get("path") for row in rows) if isinstance(rows, list) else ()


def _of_node(content: bytes) -> Iterator[str]:
    from groundrules_hooks.document import loads

    document = _table(loads(content))
    named = document.get("bin")
    yield from _texts([named, document.get("main"), *_table(named).values()])
    yield from command(_texts([_table(document.get("scripts")).get("start")]))


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _texts(values: Iterable[object]) -> Iterator[str]:
    return (value for value in values if isinstance(value, str))
