"""What code says and does: stubs by their usual signs, imports and strings outside comments and documentation."""

from __future__ import annotations

import pytest

from groundrules_hooks.code import is_source, look, named, read

STUBS = {
    "empty.py": "",
    "docs.py": '"""To come."""\n# TODO\n',
    "pass.py": "import os\n\ndef place() -> None:\n    pass\n",
    "dots.py": "def place():\n    ...\n\nclass Order:\n    '''An order.'''\n",
    "raises.py": "class A:\n    def b(self):\n        raise NotImplementedError('later')\n",
    "none.py": "VERSION = '1'\n__all__ = ['a']\n\nasync def a():\n    return None\n",
    "main.py": "import sys\ndef main(): raise NotImplementedError\nif __name__ == '__main__':\n    sys.exit(main())\n",
    "empty.js": "// to come\n",
    "throws.ts": 'import { a } from "./a";\nexport function place(): void { throw new Error("Not implemented"); }\n',
    "arrow.js": "export const place = () => {};\n",
    "panics.go": 'package main\n\nfunc main() {\n\tpanic("not implemented") // later\n}\n',
    "todo.rs": 'use a::{b, c};\nfn place() { todo!() }\nfn pay() { unimplemented!("pay") }\n',
    "Throws.cs": "class A { void B() { throw new NotImplementedException(); } }\n",
    "Todo.kt": 'fun place() { TODO("later") }\n',
    "empty.sh": "#!/bin/sh\n# later\n",
    "empty.html": "<!-- later -->\n",
}
WORKS = {
    "adds.py": "def add(a, b):\n    return a + b\n",
    "one.py": "def a(): raise NotImplementedError\ndef b(): return 1\n",
    "shape.py": "class Order:\n    id: int\n",
    "colours.py": "import enum\nclass Colour(enum.Enum):\n    RED = 1\n",
    "routes.py": "ROUTES = {'/a': print}\n",
    "handson.py": "from .core import run\n",
    "calls.py": "print('hello')\n",
    "adds.ts": "export const add = (a: number, b: number) => a + b;\n",
    "todos.js": "export function add(x) { return todo(x); }\n",
    "one.go": 'package a\n\nfunc A() { panic("not implemented") }\nfunc B() int { return 1 }\n',
    "type.rs": "pub struct A { pub b: u32 }\n",
    "runs.sh": "#!/bin/sh\nexec true\n",
    "page.html": "<p>hello</p>\n",
    "data.unknown": "anything",
}


@pytest.mark.parametrize("name", STUBS)
def test_stub_is_told_from_what_works(name: str) -> None:
    assert look(name, STUBS[name].encode()) == (True, False)


@pytest.mark.parametrize("name", WORKS)
def test_what_works_is_no_stub(name: str) -> None:
    assert look(name, WORKS[name].encode()) == (True, True)


@pytest.mark.parametrize("source", [b"def place(:\n", b"x = '\x00'\n", b"\xff\xfe"])
def test_python_that_does_not_parse_does_not_work(source: bytes) -> None:
    assert look("a.py", source) == (False, False)
    assert read("a.py", source).imports == frozenset()


def test_python_says_its_imports_and_strings_but_for_types_and_documentation() -> None:
    found = read(
        "a/b.py",
        b'"""Uses shop.docs."""\n'
        b"# import shop.comment\n"
        b"import os, shop.one as one\n"
        b"from shop import two, three\n"
        b"from . import near\n"
        b"from .. import *\n"
        b"if TYPE_CHECKING:\n    import shop.types\nelse:\n    import shop.other\n"
        b"def f():\n    'shop.text'\n    import shop.inner\n    load('shop.dynamic', f'{x} and')\n"
        b"x = '\\d'\n",
    )
    assert found.imports == {
        (0, "os"),
        (0, "shop.one"),
        (0, "shop"),
        (0, "shop.two"),
        (0, "shop.three"),
        (1, "near"),
        (1, ""),
        (2, ""),
        (0, "shop.other"),
        (0, "shop.inner"),
    }
    assert found.texts == {"shop.dynamic", " and", "\\d"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.ts", "import x from './said';\n// ./comment\n/* './comment' */\ncall(`t`, named);\n"),
        ("a.go", 'package a\n\nimport "./said" // comment\n\nvar named = `comments`\n'),
        ("a.rs", 'mod named; /* comment /* comment */ */\nconst A: &str = "./said";\n'),
        ("a.sh", '. "./said" # comment\nnamed\n'),
        ("a.php", "<?php # comment\nrequire './said'; named();\n"),
        ("broken.ts", "import x from './said';\n// comment\nnamed(]\n/* comment */\n"),
        ("a.vue", '<!-- comment -->\n<script>import named from "./said"</script>\n'),
    ],
)
def test_comments_of_other_languages_say_nothing(name: str, content: str) -> None:
    # HAND-25
    found = read(name, content.encode())
    assert "./said" in found.texts
    assert "named" in found.words
    assert "said" not in found.words
    assert "comment" not in found.words
    assert "./comment" not in found.texts


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.py", True),
        ("a/b.test.tsx", True),
        ("a.rb", True),
        ("a.vue", True),
        ("a.json", False),
        ("capabilities.toml", False),
        ("compose.yaml", False),
        ("a.css", False),
        ("Makefile", False),
        ("README.md", False),
        ("LICENSE", False),
        ("py", False),
    ],
)
def test_source_is_told_by_its_name(path: str, expected: bool) -> None:  # noqa: FBT001
    assert is_source(path) == expected


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        ("bin/a", b"#!/usr/bin/env python3.12\n", "bin/a.py"),
        ("bin/a", b"#! /usr/bin/env -S A=1 node --inspect\n", "bin/a.js"),
        ("bin/a", b"#!/bin/sh -e\n", "bin/a.sh"),
        ("bin/a", b"#!/usr/bin/ruby", "bin/a.rb"),
        ("bin/a", b"#!/usr/bin/env\nnode\n", "bin/a"),
        ("bin/a", b"#!\n", "bin/a"),
        ("bin/a", b"#!/bin/other\n", "bin/a"),
        ("bin/a", b"node\n", "bin/a"),
        ("bin.d/a", b"#!/bin/sh\n", "bin.d/a.sh"),
        ("bin/a.py", b"#!/bin/sh\n", "bin/a.py"),
    ],
)
def test_file_without_a_suffix_is_read_as_its_first_line_tells(path: str, content: bytes, expected: str) -> None:
    assert named(path, content) == expected


def test_program_without_a_suffix_does_nothing_yet() -> None:
    assert look("bin/a", b"#!/usr/bin/env python3\ndef main(): ...\n") == (True, False)
    assert look("bin/a", b"#!/usr/bin/env python3\ndef (\n") == (False, False)
