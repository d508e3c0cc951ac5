"""Wiring: whether something that runs uses a file, followed backwards from the file to a program, in code alone."""

from __future__ import annotations

import os
import posixpath

from groundrules_hooks import code as codes
from groundrules_hooks.git import GREP, git
from groundrules_hooks.program import is_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from groundrules_hooks.change import Tree
    from groundrules_hooks.code import Code
    from groundrules_hooks.config import Config

LONGEST = 200  # of a string that may be a name
MOST = 500  # files of code that a gate is kept waiting for; a file takes 2 to 10 ms
# Files that stand for their folder.
INDEXES = frozenset(("__init__", "__main__", "index", "mod", "main", "lib"))
SOURCES = frozenset(("src", "lib", "app"))
SCRIPTS = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte")
GO = ".go"  # the files of one folder are one


class Wiring:
    """The files of a tree, what they say, and which of them are known to be reached; each is read once.

    No more than `most` are read. Where that does not suffice nobody can tell: a program may use the file.
    """

    def __init__(
        self, tree: Tree, files: Iterable[str], programs: Iterable[str], config: Config, most: int = MOST
    ) -> None:
        self._tree = tree
        self._files = frozenset(files)
        self._config = config
        self._programs = frozenset(programs)
        self._most = most
        # One pattern for each ending: most files of a repository are no code. A program is, whatever it is called.
        endings = {f":(top)*.{path.rpartition('.')[2]}" for path in self._files if codes.is_source(path)}
        others = {f":(top,literal){path}" for path in self._programs if not codes.is_source(path)}
        self._where = sorted(endings | others)
        self._codes: dict[str, Code] = {}
        self._called: dict[str, str] = {}  # the name by which a file is read
        self._mentioned: dict[bytes, set[str]] = {}  # the files that hold names, by the names
        self._names: dict[str, frozenset[str]] = {}  # all that may be the name of a file, by the file that says it

    def reaches(self, paths: Iterable[str], *, certain: bool) -> bool:
        """Whether a program uses one of `paths`, directly or by others; every step of it `certain` if asked."""
        seen: set[str] = set()
        frontier = self._with_package(set(paths)) if self._programs else set()
        while frontier:
            if frontier & self._programs:
                return True
            if len(frontier) > self._most:
                return not certain
            seen |= frontier
            named: dict[str, list[str]] = {}
            for each in frontier:
                for key in keys(each):
                    named.setdefault(key, []).append(each)
            mentioned = self._mentions(named)
            if not self._read(mentioned):
                return not certain
            mentioned &= self._codes.keys() - seen
            users = {user for user in mentioned if self._is_user(user, named, certain=certain)}
            frontier = self._with_package(users) - seen
        return False

    def _is_user(self, user: str, named: dict[str, list[str]], *, certain: bool) -> bool:
        """Whether the file `user` uses one of those that are `named`; only what it has the name of is looked at."""
        met = {path for name in self._names[user] & named.keys() for path in named[name]}
        return any(uses(self._called[user], self._codes[user], path, certain=certain) for path in met)

    def _with_package(self, paths: set[str]) -> set[str]:
        """Return `paths`, all files of their packages of Go, and the programs in their packages of Python.

        Who imports from a package of Python names it, unless it is in there itself.
        """
        go = {posixpath.dirname(path) for path in paths if path.endswith(GO)}
        python = tuple(f"{posixpath.dirname(path)}/" for path in paths if path.endswith("/__init__.py"))
        if not go and not python:
            return paths
        beside = {each for each in self._files if each.endswith(GO) and posixpath.dirname(each) in go}
        beside |= {each for each in self._programs if each.endswith(".py") and each.startswith(python)}
        return paths | {each for each in beside if is_code(each, self._config)}

    def _mentions(self, names: Iterable[str]) -> set[str]:
        """Return the files of code that hold one of `names`, anywhere."""
        if not self._where:
            return set()
        named = os.fsencode("".join(f"{name}\n" for name in sorted(names)))
        if named in self._mentioned:
            return set(self._mentioned[named])
        words = (*GREP, "-l", "-w", "-f", "-", self._tree.source, "--", *self._where)
        said = git(*words, stdin=named, ok=(0, 1)).split(b"\0")
        paths = {os.fsdecode(path).partition(":")[2] for path in said if path}
        found = {path for path in paths if path in self._programs or codes.is_source(path)}
        self._mentioned[named] = {path for path in found if is_code(path, self._config)}
        return set(self._mentioned[named])

    def _read(self, paths: set[str]) -> bool:
        """Read those of `paths` that are not read yet; return whether that was not too much."""
        new = sorted(paths - self._codes.keys())
        if len(self._codes) + len(new) > self._most:
            return False
        for path, content in self._tree.read(*new).items():
            self._called[path] = codes.named(path, content)
            self._codes[path] = code = codes.read(path, content)
            self._names[path] = code.words | codes.parts(code.texts) | codes.parts(name for _, name in code.imports)
        return True


def keys(path: str) -> set[str]:
    """Return the names by which code may speak of the file at `path`."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0] or name
    parents = [part for part in folder.split("/") if part and part not in SOURCES]
    found = {stem} if stem not in INDEXES or not parents else {parents[-1]}
    if path.endswith(GO) and parents:
        found = {parents[-1]}
    # Ruby, PHP and others load `order_list.rb` for OrderList; a crate `order-list` is order_list in code.
    camel = {"".join(part[:1].upper() + part[1:] for part in key.replace("-", "_").split("_")) for key in found}
    return found | camel | {key.replace("-", "_") for key in found}


def uses(user: str, code: Code, path: str, *, certain: bool) -> bool:
    """Whether `code`, that of the file `user`, uses the file at `path`; not `certain` is a name that fits."""
    if path.endswith(".py") and any(imports(user, dots, name, path, certain=certain) for dots, name in code.imports):
        return True
    if any(_is_import_of(user, text, path) for text in code.texts):
        return True
    if certain:
        return False
    return (
        bool(keys(path) & code.words)
        or any(_names(user, text, path) for text in code.texts)
        or _is_chosen(user, code, path)
    )


def imports(user: str, dots: int, name: str, path: str, *, certain: bool) -> bool:
    """Whether an import of `name` in the Python file `user`, with `dots` in front, runs the file at `path`.

    An import runs the packages on the way too. It is certain where the search begins in a folder above `user`.
    """
    module = path.removesuffix(".py").split("/")
    is_package = module[-1] == "__init__"
    module = module[:-1] if is_package else module
    wanted = name.split(".") if name else []
    if dots:
        start = user.split("/")[:-dots]
        return module in [[*start, *wanted[:end]] for end in range(len(wanted) + 1)]
    for end in range(len(wanted), 0, -1):
        root = module[:-end]
        if module[-end:] == wanted[:end]:
            is_above = user.split("/")[:-1][: len(root)] == root
            return is_above or (not certain and (end > 1 or is_package or root[-1:] == ["src"]))
    return False


def _is_import_of(user: str, text: str, path: str) -> bool:
    """Whether a string in the file `user` is how scripts or Go import the file at `path`."""
    if user.endswith(GO) and path.endswith(GO):
        folder = posixpath.dirname(path)
        return "/" in text and folder != "" and f"/{text}".endswith(f"/{folder}")
    if not user.endswith(SCRIPTS) or not text.startswith("."):
        return False
    place, bare = posixpath.normpath(posixpath.join(posixpath.dirname(user), text)), path.rpartition(".")[0]
    # TypeScript writes the name that the file has once it is compiled.
    return path == place or bare in (place, f"{place}/index", place.rpartition(".")[0] or place)


def _names(user: str, text: str, path: str) -> bool:
    """Whether a string may name the file at `path`: by the end of its path, by its module, by a package of its name.

    What begins with a slash is an address that a program answers, not a file of the repository.
    """
    plain = text.lstrip("@~./")
    if not plain or len(text) > LONGEST or text.startswith("/") or "://" in text:
        return False
    bare, _, suffix = path.rpartition(".")
    if "/" in plain or "." in plain:
        ends = (f"/{plain}", f"/{plain}.{suffix}") if "/" in plain else (f"/{plain}",)
        dotted = plain.partition(":")[0].replace(".", "/")
        if f"/{path}".endswith(ends) or (path.endswith(".py") and "/" in dotted and f"/{bare}".endswith(f"/{dotted}")):
            return True
    is_path = "/" in plain and not user.endswith(".py")
    return (is_path or not user.endswith((*SCRIPTS, GO, ".py"))) and posixpath.basename(plain).partition(".")[
        0
    ] in keys(path)


def _is_chosen(user: str, code: Code, path: str) -> bool:
    """Whether Python code may put the name of a module together: `f"shop.{name}"`, or `f".{name}"` in its package."""
    package, _, name = path.removesuffix(".py").rpartition("/")
    if name not in code.texts or not path.endswith(".py"):
        return False
    if "." in code.texts and package == posixpath.dirname(user):
        return True
    starts = [text.replace(".", "/") for text in code.texts if text.endswith(".")]
    return any(start.strip("/") and f"/{package}/".endswith(f"/{start}") for start in starts)
