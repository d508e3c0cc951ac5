"""Whether Python that does not parse is broken, or newer than the Python at hand."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from groundrules_hooks import config
from groundrules_hooks.capability_file import parse
from groundrules_hooks.change import Tree
from groundrules_hooks.code import look
from groundrules_hooks.glance import glance
from groundrules_hooks.interpreter import is_broken

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository

CLAIM = '[[capability]]\nid = "a"\ntitle = "A"\nlevel = "wired"\nentrypoints = ["shop/**"]\n'
NEWER = "frozen class Id = int\n"  # no Python has it, and none can be sure that none will
MINOR = sys.version_info.minor


@pytest.mark.parametrize(
    "source",
    [
        b"def place(:\n",
        b"x = [1, 2\n",
        b"x = (1]\n",
        b"x = 1)\n",
        b"def place():\nreturn 1\n  x\n y\n",
        b"x = '\x00'\n",
        b"\xff\xfe",
        b"# coding: none-such\nx y\n",
        b"<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> other\n",
        b'x = """not ended\n',
        b"x = 1\ny = 2\nz = '\xff'\n",
    ],
)
def test_what_no_python_parses_is_broken(source: bytes) -> None:
    assert not look("a.py", source).parses
    assert is_broken(source)


@pytest.mark.parametrize(
    "source",
    [
        NEWER.encode(),
        b"type Id = int\n",
        b"def first[T](x: list[T]) -> T:\n    return x[0]\n",
        b"print(f'{a['(']}')\n",
        b"print(t'{a['(']}')\n",
        b"x = a?.b\n",
        b"match x:\n    case newer y:\n        pass\n",
        b"try:\n    pass\nexcept A, B:\n    pass\n",
    ],
)
def test_what_a_newer_python_may_parse_is_not_broken(source: bytes) -> None:
    assert not is_broken(source)


@pytest.mark.parametrize(
    ("path", "manifest", "expected"),
    [
        ("other.toml", "", ("stub", "proven")),
        ("pyproject.toml", '[project]\nname = "shop"\n', ("stub", "proven")),
        ("pyproject.toml", f'[project]\nrequires-python = ">=3.{MINOR + 1}"\n', ("stub", "proven")),
        ("pyproject.toml", f'[project]\nrequires-python = ">=3.{MINOR}"\n', ("stub", "stub")),
        ("pyproject.toml", '[project]\nrequires-python = "<4,>=3.9.1"\n', ("stub", "stub")),
        ("shop/pyproject.toml", '[project]\nrequires-python = "~=3.9"\n', ("stub", "stub")),
        ("pyproject.toml", '[tool.poetry.dependencies]\npython = "^3.9"\n', ("stub", "stub")),
    ],
)
def test_what_does_not_parse_is_broken_where_the_project_admits_this_python(
    shop: Repository, enter: Callable[[Repository], None], path: str, manifest: str, expected: tuple[str, str]
) -> None:
    shop.write("shop/id.py", NEWER)
    shop.commit(path, manifest)
    enter(shop)
    (found,) = glance(parse(CLAIM.encode()), Tree("HEAD"), config.of_text(b""))
    assert (found.shown.least, found.shown.most) == expected


def test_nearest_manifest_counts(shop: Repository, enter: Callable[[Repository], None]) -> None:
    shop.write("shop/id.py", NEWER)
    shop.write("pyproject.toml", '[project]\nrequires-python = ">=3.9"\n')
    shop.commit("shop/pyproject.toml", f'[project]\nrequires-python = ">=3.{MINOR + 1}"\n')
    enter(shop)
    (found,) = glance(parse(CLAIM.encode()), Tree("HEAD"), config.of_text(b""))
    assert found.shown.most == "proven"
