"""Programs: found by their names, by what the usual manifests start, and by configuration."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundrules_hooks import config
from groundrules_hooks.change import Tree
from groundrules_hooks.program import begun, command, is_conventional, programs, resolved, words

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("services/api/__main__.py", True),
        ("__main__.py", True),
        ("main.go", True),
        ("cmd/api/main.go", True),
        ("tools/cmd/api/main.go", True),
        ("internal/api/main.go", False),
        ("src/main.rs", True),
        ("crates/api/src/main.rs", True),
        ("src/bin/api.rs", True),
        ("src/api.rs", False),
        ("main.py", False),
        ("a__main__.py", False),
    ],
)
def test_some_names_alone_say_that_a_file_is_started(path: str, expected: bool) -> None:  # noqa: FBT001
    assert is_conventional(path) == expected


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        ("pyproject.toml", '[project.scripts]\na = "shop.cli:main"\n', {"-m shop.cli"}),
        (
            "pyproject.toml",
            '[project.gui-scripts]\na = "shop.gui"\n[tool.poetry.scripts]\nb = "x:y"\n',
            {"-m shop.gui", "-m x"},
        ),
        ("pyproject.toml", '[project.entry-points."shop.plugins"]\na = "shop.a:A"\n', {"-m shop.a"}),
        ("pyproject.toml", '[project]\nname = "scripts"\n', set()),
        ("pyproject.toml", "scripts = [", set()),
        ("pyproject.toml", "[project]\nscripts = 1\n", set()),
        ("pyproject.toml", "project = 1\n[tool]\npoetry.scripts = {a = 2, b = 'x:y'}\n", {"-m x"}),
        ("package.json", '{"bin": "cli.js"}', {"cli.js"}),
        ("package.json", '{"bin": {"a": "a.js"}, "main": "b.js"}', {"a.js", "b.js"}),
        ("package.json", '{"scripts": {"start": "node --inspect server.js", "test": "x"}}', {"node", "server.js"}),
        ("package.json", "[]", set()),
        ("package.json", '{"main": 5, "bin": {"a": 3, "b": "b.js"}}', {"b.js"}),
        ("package.json", '{"main": true, "bin": ["x"], "scripts": {"start": 1}}', set()),
        ("package.json", '{"main": "a.js", "scripts": []}', {"a.js"}),
        (
            "Cargo.toml",
            '[[bin]]\nname = "rg"\npath = "crates/core/main.rs"\n[[bin]]\nname = "b"\n',
            {"crates/core/main.rs"},
        ),
        ("Cargo.toml", '[package]\nname = "a"\n', set()),
        ("Cargo.toml", '[package]\nname = "a"\n# no [[bin]] here\n', set()),
        ("Cargo.toml", 'bin = 1\nname = "[[bin]]"\n', set()),
        ("Cargo.toml", "[[bin]]\npath = 1\n[[bin]]\npath = 'b.rs'\n", {"b.rs"}),
        ("package.json", "{", set()),
        (
            "Procfile",
            "web: gunicorn shop.web:app\nworker: python -m shop.work\n",
            {"gunicorn", "-m shop.web", "python", "-m shop.work"},
        ),
        (
            "Procfile",
            "# old: node src/alpha.js\n  # old: node a.js\n// b: node b.js\n\nweb-1: node c.js # node d.js\nnote\n",
            {"node", "c.js"},
        ),
        ("Procfile", "web_a: sh -c 'node a.js #x' b#c.js\\# # d.js\n", {"sh", "'node", "a.js", "#x'", "b#c.js\\#"}),
        ("package.json", '{"scripts": {"start": "node a.js # node b.js"}}', {"node", "a.js"}),
        (
            "groundrules.toml",
            '[[stack.service]]\nname = "a"\nrun = ["sh", "-c", """node a.js # b.js\nnode c.js"""]\n',
            {"sh", "node", "a.js", "c.js"},
        ),
        ("groundrules.toml", "[ports]\nx = 3000\n", set()),
        ("groundrules.toml", "[no such table]\n", set()),
        ("groundrules.toml", "[nosuch]\n", set()),
        (
            "groundrules.toml",
            '[stack]\nmigrate = ["sh", "-c", "python3 m.py"]\n[[stack.service]]\nname = "a"\nrun = ["node", "a"]\n',
            {"sh", "python3", "m.py", "node", "a"},
        ),
    ],
)
def test_manifests_name_what_is_started(path: str, content: str, expected: set[str]) -> None:
    assert words(path, content.encode()) == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (None, '{"main": "a.js"}', {"a.js"}),
        ('{"main": "a.js"}', '{"main": "a.js", "bin": "b.js"}', {"b.js"}),
        ('{"main": "a.js"}', None, set()),
        ("{", '{"main": "a.js"}', set()),
        ('{"main": "a.js"}', "{", set()),
    ],
)
def test_manifest_begins_to_name_what_its_last_readable_version_did_not(
    old: str | None, new: str | None, expected: set[str]
) -> None:
    sides = [None if side is None else side.encode() for side in (old, new)]
    assert begun("package.json", *sides) == expected


def test_options_and_variables_of_a_command_name_nothing() -> None:
    run = ["env", "A=1", "uvicorn", "--port", "${PORT}", "shop.api:app", "c:/x"]
    assert list(command(run)) == ["env", "uvicorn", "-m shop.api", "c:/x"]


@pytest.mark.parametrize(
    ("manifest", "word", "expected"),
    [
        ("groundrules.toml", "services/api", {"services/api/__main__.py"}),
        ("groundrules.toml", "./cmd/x", {"cmd/x/main.go"}),
        ("web/package.json", "./server.js", {"web/server.js"}),
        ("package.json", ".", {"index.js"}),
        ("web/package.json", "..", {"index.js"}),
        ("web/package.json", "../..", set()),
        ("web/package.json", "server", {"web/server.js"}),
        ("package.json", "server.js", set()),
        ("pyproject.toml", "-m shop.cli", {"src/shop/cli.py"}),
        ("pyproject.toml", "-m shop", {"src/shop/__init__.py", "src/shop/__main__.py"}),
        ("pyproject.toml", "-m tool.run", {"scaffolder/tool/run.py"}),
        ("pyproject.toml", "-m none.such", set()),
        ("Procfile", "python3", set()),
    ],
)
def test_words_of_a_manifest_are_files_beside_it(manifest: str, word: str, expected: set[str]) -> None:
    files = {
        "index.js",
        "services/api/__main__.py",
        "cmd/x/main.go",
        "web/server.js",
        "src/shop/cli.py",
        "src/shop/__init__.py",
        "src/shop/__main__.py",
        "scaffolder/tool/run.py",
    }
    assert resolved(manifest, [word], files) == expected


def test_programs_of_a_tree_are_none_of_its_tests_or_examples(
    shop: Repository, enter: Callable[[Repository], None]
) -> None:
    for path in ("app/__main__.py", "tests/x/__main__.py", "examples/a/__main__.py", "web/app/cart/page.tsx", "lib.py"):
        shop.write(path)
    shop.write("web/package.json", '{"main": "index.js"}')
    shop.commit("web/index.js")
    enter(shop)
    tree = Tree("HEAD")
    settings = config.of_text(b'[capabilities]\nprograms = ["web/app/**/page.tsx"]\n')
    assert programs(tree.files(), tree, settings) == {"app/__main__.py", "web/app/cart/page.tsx", "web/index.js"}


KEYS = ["bin", "main", "scripts", "start", "path", "project", "tool", "poetry", "entry-points", "gui-scripts"]
values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["", "a.js", "-m", "node .", "x:y"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=8,
)


@given(values)
def test_any_document_names_nothing_but_text(document: object) -> None:
    contents = {
        "package.json": json.dumps(document),
        **dict.fromkeys(("pyproject.toml", "Cargo.toml"), as_toml(document)),
    }
    for path, content in contents.items():
        found = words(path, content.encode())
        assert {type(word) for word in found if word} == ({str} if found else set())
        assert resolved(path, found, {"a.js"}) <= {"a.js"}


def as_toml(value: object) -> str:
    """Return a document of TOML: a table at the top, everything below it inline."""
    rows = value.items() if isinstance(value, dict) else [("bin", value)]
    return "".join(f'"{key}" = {inline(each)}\n' for key, each in rows) + "# [[bin]] entry-points scripts\n"


def inline(value: object) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key} = {inline(each)}' for key, each in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(inline, value))}]"
    return json.dumps(value or 0)
