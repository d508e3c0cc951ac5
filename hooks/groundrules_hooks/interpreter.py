"""Interpreter: whether Python code that the one at hand does not parse is broken, or may be newer than that."""

from __future__ import annotations

import posixpath
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from groundrules_hooks.change import Tree

MANIFEST = "pyproject.toml"
CONFLICT = rb"(?ms)^<<<<<<< .*^=======$.*^>>>>>>> "
LEAST = rb"(?m)^[ \t]*(?:requires-python|python)[ \t]*=[ \t]*[\"'][^\"'\n]*?(?:>=|~=|==|\^|~)[ \t]*3\.(\d+)"
# Strings in which newer Pythons read code that older ones take for the end of the string.
FORMATTED = rb"(?i)\b(?:[ft]r?|r[ft])[\"']"
OPENERS = {"(": ")", "[": "]", "{": "}"}
UNCLOSED = ("EOF", "never closed", "unmatched", "does not match", "unterminated triple-quoted")
CLOSERS = frozenset(OPENERS.values())


def broken(paths: Iterable[str], tree: Tree) -> set[str]:
    """Return those of `paths`, Python files that do not parse, of which no newer Python would either, or has to.

    A project that admits the Python at hand, or an older one, has to parse with it.
    """
    contents = tree.read(*paths)
    homes = {path: list(_manifests(path)) for path in contents}
    manifests = tree.read(*{each for near in homes.values() for each in near})
    return {
        path
        for path, content in contents.items()
        if is_broken(content) or _is_admitted(next((manifests[each] for each in homes[path] if each in manifests), b""))
    }


def is_broken(content: bytes) -> bool:
    """Whether no Python parses `content`: it holds a conflict, zeros, brackets that do not match, or a wrong indent."""
    import io
    import re
    import tokenize

    if b"\0" in content or re.search(CONFLICT, content):
        return True
    if re.search(FORMATTED, content):
        return False
    try:
        opened = []
        for token in tokenize.tokenize(io.BytesIO(content).readline):
            if token.type == tokenize.OP and token.string in OPENERS:
                opened.append(OPENERS[token.string])
            elif token.type == tokenize.OP and token.string in CLOSERS and (not opened or opened.pop() != token.string):
                return True
    except tokenize.TokenError as error:  # Pythons from 3.12 on also of a sign that a newer one may know
        return any(word in str(error) for word in UNCLOSED)
    except (SyntaxError, ValueError):  # an indent, or a coding that does not fit
        return True
    return bool(opened)


def _manifests(path: str) -> Iterable[str]:
    """Yield where the manifest of `path` may be, the nearest first."""
    while path:
        path = posixpath.dirname(path)
        yield posixpath.join(path, MANIFEST)


def _is_admitted(manifest: bytes) -> bool:
    """Whether a manifest names a least Python, which is not newer than the one at hand."""
    import re

    found = re.search(LEAST, manifest)
    return found is not None and int(found[1]) <= sys.version_info.minor
