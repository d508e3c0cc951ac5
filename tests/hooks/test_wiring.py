"""Wiring: files that a program uses by any way there is in code, and those that are only spoken of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groundrules_hooks.acceptance import cited
from groundrules_hooks.change import Tree
from groundrules_hooks.config import Config
from groundrules_hooks.wiring import Wiring, keys

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository

    Reached = Callable[[dict[str, str], str, str], tuple[bool, bool]]

YES, MAYBE, NO = (True, True), (False, True), (False, False)


@pytest.fixture
def reached(shop: Repository, enter: Callable[[Repository], None]) -> Reached:
    """Commit files, and tell whether the first argument's program reaches a path for certain, and perhaps."""
    enter(shop)

    def reached(files: dict[str, str], program: str, path: str) -> tuple[bool, bool]:
        for name, content in {path: "x = 1\n", **files}.items():
            shop.write(name, content)
        shop.commit("later")
        tree = Tree("HEAD")
        wiring = Wiring(tree, tree.files(), {program}, Config({}))
        return wiring.reaches({path}, certain=True), wiring.reaches({path}, certain=False)

    return reached


PYTHON = [
    ({"app/__main__.py": "import orders\n"}, "app/orders.py", YES),
    ({"app/__main__.py": "from app.orders import place\n"}, "app/orders.py", YES),
    ({"app/__main__.py": "from app import orders\n"}, "app/orders.py", YES),
    ({"app/__main__.py": "from .deep.orders import place\n"}, "app/deep/orders.py", YES),
    ({"app/__main__.py": "from . import orders\n"}, "app/orders.py", YES),
    ({"app/__main__.py": "import app.deep.orders\n"}, "app/deep/__init__.py", YES),
    ({"app/__main__.py": "from .orders import place\n", "app/orders.py": "y = 1\n"}, "app/__init__.py", YES),
    (
        {"app/__main__.py": "from . import a\n", "app/a.py": "def f():\n    from . import orders\n"},
        "app/orders.py",
        YES,
    ),
    (
        {"app/__main__.py": "import core\n", "app/core/__init__.py": "from .orders import x\n"},
        "app/core/orders.py",
        YES,
    ),
    ({"app/__main__.py": "from other.orders import place\n"}, "lib/other/orders.py", MAYBE),
    ({"app/__main__.py": "import orders\n"}, "src/orders.py", MAYBE),
    ({"app/__main__.py": "load('app.orders')\n"}, "app/orders.py", MAYBE),
    ({"app/__main__.py": "run(['python3', 'jobs/orders.py'])\n"}, "jobs/orders.py", MAYBE),
    ({"app/__main__.py": "open('templates/orders.html')\n"}, "web/templates/orders.html", MAYBE),
    (
        {"app/__main__.py": "TABLE = {'orders': 1}\nfor name in TABLE:\n    load(f'app.{name}')\n"},
        "app/orders.py",
        MAYBE,
    ),
    ({"app/__main__.py": "TABLE = {'orders': 1}\nprint(f'other.{TABLE}')\n"}, "app/orders.py", NO),
    ({"app/__main__.py": "NAMES = ['orders']\nload(f'.{NAMES[0]}', __name__)\n"}, "app/orders.py", MAYBE),
    ({"app/__main__.py": "NAMES = ['orders']\nload(f'.{NAMES[0]}', __name__)\n"}, "lib/orders.py", NO),
    # HAND-25
    ({"app/__main__.py": "# import orders\n"}, "app/orders.py", NO),
    ({"app/__main__.py": "'''Uses app.orders.'''\n"}, "app/orders.py", NO),
    ({"app/__main__.py": "if TYPE_CHECKING:\n    import orders\n"}, "app/orders.py", NO),
    ({"app/__main__.py": "orders = 1\n", "README.md": "app/orders.py"}, "app/orders.py", NO),
    ({"app/__main__.py": "route('/app/orders')\n"}, "app/orders.py", NO),
    ({"app/__main__.py": "print('orders')\n"}, "app/orders.py", NO),
    ({"app/__main__.py": "import other.orders\n"}, "app/orders.py", NO),
    ({"app/__main__.py": "import orders\n"}, "tools/deep/orders.py", NO),
    ({"app/__main__.py": "x = 1\n", "tests/test_a.py": "import app.orders\n"}, "app/orders.py", NO),
    ({"app/__main__.py": "x = 1\n", "app/dead.py": "import orders\n"}, "app/orders.py", NO),
    ({"app/__main__.py": "x = 1\n", "app/orders.py": "import b\n", "app/b.py": "import orders\n"}, "app/orders.py", NO),
    ({"app/__main__.py": "import settings\n", "conf.yaml": "app/orders.py"}, "app/orders.py", NO),
    ({"app/__main__.py": "import tests.a\n", "tests/a.py": "import app.orders\n"}, "app/orders.py", NO),
    # the claims themselves name every entry point
    (
        {"app/__main__.py": "open('capabilities.toml')\n", "capabilities.toml": 'entrypoints = ["app/orders.py"]\n'},
        "app/orders.py",
        NO,
    ),
]


@pytest.mark.parametrize(("files", "path", "expected"), PYTHON)
def test_python_is_used_by_imports_and_perhaps_by_names(
    reached: Reached, files: dict[str, str], path: str, expected: tuple[bool, bool]
) -> None:
    assert reached(files, "app/__main__.py", path) == expected


OTHERS = [
    ("web/server.js", {"web/server.js": "import x from './orders';\n"}, "web/orders.ts", YES),
    ("web/server.js", {"web/server.js": 'const x = require("./orders.js");\n'}, "web/orders.js", YES),
    ("web/server.ts", {"web/server.ts": "export * from './orders.js';\n"}, "web/orders.ts", YES),
    ("web/server.js", {"web/server.js": "import('./orders')\n"}, "web/orders/index.tsx", YES),
    ("web/server.js", {"web/server.js": "import x from '@/lib/orders';\n"}, "web/src/lib/orders.ts", MAYBE),
    ("web/server.js", {"web/server.js": "import x from '@shop/orders';\n"}, "packages/orders/src/index.ts", MAYBE),
    (
        "web/server.js",
        {"web/server.js": "// import './orders'\nx('orders'); fetch('/api/orders');\n"},
        "web/orders.js",
        NO,
    ),
    (
        "cmd/api/main.go",
        {"cmd/api/main.go": 'package main\nimport "example.org/shop/internal/orders"\n'},
        "internal/orders/list.go",
        YES,
    ),
    ("cmd/api/main.go", {"cmd/api/main.go": "package main\n"}, "cmd/api/orders.go", YES),
    ("cmd/api/main.go", {"cmd/api/main.go": "package main\n// orders\n"}, "internal/orders/list.go", NO),
    ("src/main.rs", {"src/main.rs": "mod orders;\nfn main() {}\n"}, "src/orders.rs", MAYBE),
    ("src/main.rs", {"src/main.rs": "mod orders;\nfn main() {}\n"}, "src/orders/mod.rs", MAYBE),
    ("src/main.rs", {"src/main.rs": "/* mod orders; */\nfn main() {}\n"}, "src/orders.rs", NO),
    ("app/Main.java", {"app/Main.java": "class Main { Orders orders; }\n"}, "app/Orders.java", MAYBE),
    ("run.rb", {"run.rb": 'require "order_list"\n'}, "lib/order_list.rb", MAYBE),
    ("run.rb", {"run.rb": "OrderList.new\n"}, "lib/order_list.rb", MAYBE),
    ("run.rb", {"run.rb": "# OrderList\n"}, "lib/order_list.rb", NO),
    ("bin/shop", {"bin/shop": "#!/usr/bin/env node\nrequire('../lib/orders');\n"}, "lib/orders.js", YES),
    ("bin/shop", {"bin/shop": "#!/usr/bin/env -S python3.12 -u\nimport bin.orders\n"}, "bin/orders.py", YES),
    ("bin/shop", {"bin/shop": "#!/usr/bin/python3\n# import orders\n"}, "bin/orders.py", NO),
    ("bin/shop", {"bin/shop": "#!/bin/sh\nexec python3 jobs/orders.py\n"}, "jobs/orders.py", MAYBE),
    ("bin/shop", {"bin/shop": "#!/bin/sh\n# jobs/orders.py\n"}, "jobs/orders.py", NO),
    ("bin/[shop", {"bin/[shop": "#!/bin/sh\nexec python3 jobs/orders.py\n"}, "jobs/orders.py", MAYBE),
    ("bin/shop", {"bin/shop": "\0orders\0", "bin/notes": "orders\n"}, "orders.rb", NO),
    ("run.sh", {"run.sh": "exec python3 jobs/orders.py\n"}, "jobs/orders.py", MAYBE),
]


@pytest.mark.parametrize(("program", "files", "path", "expected"), OTHERS)
def test_other_languages_are_used_as_they_import(
    reached: Reached, program: str, files: dict[str, str], path: str, expected: tuple[bool, bool]
) -> None:
    assert reached(files, program, path) == expected


@pytest.mark.parametrize(("most", "expected"), [(2, YES), (1, MAYBE)])
def test_use_that_takes_too_long_to_follow_may_be_one(
    shop: Repository, enter: Callable[[Repository], None], most: int, expected: tuple[bool, bool]
) -> None:
    enter(shop)
    for name, content in {"run.py": "import a\n", "a.py": "import orders\n", "orders.py": "x = 1\n"}.items():
        shop.write(name, content)
    shop.commit("later")
    tree = Tree("HEAD")
    wiring = Wiring(tree, tree.files(), {"run.py"}, Config({}), most)
    assert (wiring.reaches({"orders.py"}, certain=True), wiring.reaches({"orders.py"}, certain=False)) == expected


@pytest.mark.parametrize(
    "setting",
    ["color.ui=always", "color.grep=always", "grep.column=true", "grep.lineNumber=true", "grep.patternType=perl"],
)
def test_settings_of_git_change_nothing(shop: Repository, reached: Reached, setting: str) -> None:
    shop.git("config", *setting.split("="))
    shop.write("tests/test_a.py", "# acceptance: A-1\n")
    assert reached({"app/__main__.py": "import orders\n"}, "app/__main__.py", "app/orders.py") == YES
    assert cited(Tree("HEAD")) == {"A-1": {"tests/test_a.py"}}


def test_all_files_of_a_pattern_are_followed_at_once(shop: Repository, enter: Callable[[Repository], None]) -> None:
    enter(shop)
    for name, content in {"run.py": "import b\n", "b.py": "import two\n", "one.py": "x = 1\n", "two.py": ""}.items():
        shop.write(name, content)
    shop.commit("later")
    tree = Tree("HEAD")
    wiring = Wiring(tree, tree.files(), {"run.py"}, Config({}))
    assert wiring.reaches({"one.py", "two.py"}, certain=True)
    assert not wiring.reaches({"one.py", "later"}, certain=False)
    few = Wiring(tree, tree.files(), {"run.py"}, Config({}), most=1)
    assert few.reaches({"one.py", "run.py"}, certain=True)
    assert (few.reaches({"one.py", "later"}, certain=True), few.reaches({"one.py", "later"}, certain=False)) == MAYBE


def test_nothing_is_reached_where_nothing_is_started(shop: Repository, enter: Callable[[Repository], None]) -> None:
    enter(shop)
    wiring = Wiring(Tree("HEAD"), [], set(), Config({}), most=0)
    assert not wiring.reaches({"orders.py"}, certain=False)


def test_program_reaches_itself(reached: Reached) -> None:
    assert reached({}, "app/__main__.py", "app/__main__.py") == YES


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("app/orders.py", {"orders", "Orders"}),
        ("app/order-list.ts", {"order-list", "order_list", "OrderList"}),
        ("app/orders/__init__.py", {"orders", "Orders"}),
        ("packages/orders/src/index.ts", {"orders", "Orders"}),
        ("index.ts", {"index", "Index"}),
        ("internal/orders/list.go", {"orders", "Orders"}),
        ("Procfile", {"Procfile"}),
    ],
)
def test_names_of_a_file_are_those_that_code_uses(path: str, expected: set[str]) -> None:
    assert keys(path) == expected
