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
    "inherits.py": "class A(B):\n    def c(self):\n        raise NotImplementedError\n    def d(self): ...\n",
    "route.py": "@app.get('/')\ndef a():\n    raise NotImplementedError\n",
    "main.py": "import sys\ndef main(): raise NotImplementedError\nif __name__ == '__main__':\n    sys.exit(main())\n",
    "empty.js": "// to come\n",
    "throws.ts": 'import { a } from "./a";\nexport function place(): void { throw new Error("Not implemented"); }\n',
    "arrow.js": "export const place = () => {};\n",
    "panics.go": 'package main\n\nfunc main() {\n\tpanic("not implemented") // later\n}\n',
    "todo.rs": 'use a::{b, c};\nfn place() { todo!() }\nfn pay() { unimplemented!("pay") }\n',
    "Throws.cs": "class A { void B() { throw new NotImplementedException(); } }\n",
    "Todo.kt": 'fun place() { TODO("later") }\n',
    "Empty.java": "package a;\npublic class Orders {\n  public void place() {}\n  void pay() { return; }\n}\n",
    "typed.ts": "interface A { b: string }\nexport class C {\n  private d = 1;\n"
    "  e(a: A): A { throw new Error('Not implemented yet'); }\n}\nexport default C;\n",
    "exports.js": "function place() { throw new Error('not implemented'); }\nmodule.exports = { place };\n",
    "answers.ts": "export async function POST(a, res) { return res.status(501).json({ error: 'not implemented' }); }\n",
    "fields.go": "package a\n\ntype S struct{ db *DB }\n\nfunc (s *S) A() (int, error) {\n"
    '\treturn 0, errors.New("not implemented")\n}\n\nfunc B() error { return nil }\n',
    "none.rs": "//! Later.\npub fn a() -> Option<u8> { None }\nfn b() {}\n",
    "impl.rs": 'pub struct A;\nimpl B for A { fn c(&self) -> u8 { todo!("{}", 1) } }\n',
    "Throws.php": "<?php\nnamespace A;\nclass B { function c(): void { throw new \\Exception('Not implemented'); } }\n",
    "Arrow.cs": "\ufeffusing A;\nnamespace B;\nclass C : D { int E() => throw new NotImplementedException(); }\n",
    "empty.cpp": "#include <a>\nnamespace b { void place(int) { } }\n",
    "Todo.swift": 'func place() -> Int { fatalError("not implemented") }\n',
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
    "errors.py": "class Missing(Exception):\n    '''A thing is missing.'''\n\nclass Other(Missing):\n    pass\n",
    "protocol.py": "from typing import Protocol\nclass A(Protocol[T]):\n    def b(self) -> int: ...\n",
    "abstract.py": "class A(abc.ABC):\n    @abc.abstractmethod\n    def b(self):\n        raise NotImplementedError\n",
    "meta.py": "class A(metaclass=ABCMeta):\n    def b(self):\n        raise NotImplementedError\n",
    "group.py": "@click.group()\ndef cli():\n    pass\n",
    "version.py": "VERSION = '1'\n",
    "calls.py": "print('hello')\n",
    "adds.ts": "export const add = (a: number, b: number) => a + b;\n",
    "todos.js": "export function add(x) { return todo(x); }\n",
    "one.go": 'package a\n\nfunc A() { panic("not implemented") }\nfunc B() int { return 1 }\n',
    "prints.rs": 'fn main() { let a = 1; println!("{}", a); }\n',
    "Logs.java": 'class A { void b(int x) { log.info("got {}", x); } }\n',
    "formats.cpp": '#include <format>\nstd::string a(int x) { return std::format("{}", x); }\n',
    "serves.go": "package main\n\nfunc main() { server.New(server.Options{}).Run() }\n",
    "options.ts": "export function main() { run({}); }\n",
    "runs.ts": "run({});\n",
    "element.tsx": "export const A = () => <Chart options={{}} />;\n",
    "express.js": "const app = express();\napp.use(express.urlencoded({}));\napp.listen(1);\n",
    "defaults.js": "const opts = {};\nexport default opts;\n",
    "struct.c": "struct s { int a; };\nint main(void) { struct s a = {}; return a.a; }\n",
    "value.c": "struct s a = {};\n",
    "context.go": "package a\n\nfunc A() error { return place(context.TODO()) }\n",
    "error.ts": "export class Missing extends Error { constructor() { super('not implemented'); } }\n",
    "Error.cs": 'class A : Exception { public A() : base("not implemented") { } }\n',
    "marker.ts": "export class NotFound extends Error {}\n",
    "hook.ts": "export class A extends B { onInit(): void {} }\n",
    "inject.ts": "export class A { constructor(private readonly b: B) {} }\n",
    "initial.cpp": "class A { public: A(int b) : b_(b) {} };\n",
    "interface.ts": "export interface A { b(): void }\nexport const none = () => {};\n",
    "Constants.java": 'class A { static final String B = "{}"; }\n',
    "reexports.ts": 'export { a } from "./a";\nexport const b = () => {};\n',
    "imports.ts": 'import "./server";\nexport const none = () => {};\n',
    "Trait.php": "<?php\nuse A\\B;\nreturn [B::class];\n",
    "Default.java": "public interface A { default void b() {} }\n",
    "Listener.kt": "abstract class A { open fun b(c: C) {} }\n",
    "contract.rs": "pub trait A { fn b(&self) { unimplemented!() } fn c(&self) -> u8; }\n",
    "listens.cpp": "class A { public: virtual void b() {} };\n",
    "Failure.php": "<?php\nclass NotImplemented { static function a() { return new self('not implemented'); } }\n",
    "failure.go": 'package a\n\nfunc NotImplemented() error { return errors.New("not implemented") }\n',
    "env.d.ts": '/// <reference types="vite/client" />\n',
    "module.rs": "mod a;\nfn b() {}\n",
    "exported.rs": "pub use a::{b, c};\nfn d() {}\n",
    "macro.rs": "fn a() {}\nregister!(a);\n",
    "iife.js": "(function () {})();\nfunction a() {}\nstart(() => { throw new Error('not implemented'); });\n",
    "partly.ts": "export function a(x) { if (!x) { throw new Error('not implemented'); } return x + 1; }\n",
    "chooses.kt": 'fun a(b: Int?): Int { return b ?: TODO("later") }\n',
    "two.ts": "export function a() { save(); throw new Error('not implemented'); }\n",
    "builds.gradle.kts": 'plugins { }\ndependencies { implementation("a") }\n',
    "test.cc": "TEST(a, b) {}\n",
    "Annotated.java": "@Module\nclass A { @Provides void b() {} }\n",
    "unread.ts": "function place( {}\n",
    "type.rs": "pub struct A { pub b: u32 }\n",
    "runs.sh": "#!/bin/sh\nexec true\n",
    "page.html": "<p>hello</p>\n",
    "data.unknown": "anything",
}


@pytest.mark.parametrize("name", STUBS)
def test_stub_is_told_from_what_works(name: str) -> None:
    assert look(name, STUBS[name].encode())[:2] == (True, False)


@pytest.mark.parametrize("name", WORKS)
def test_what_works_is_no_stub(name: str) -> None:
    assert look(name, WORKS[name].encode())[:2] == (True, True)


@pytest.mark.parametrize("source", [b"def place(:\n", b"x = '\x00'\n", b"\xff\xfe"])
def test_of_python_that_does_not_parse_nobody_can_tell_whether_it_works(source: bytes) -> None:
    assert look("a.py", source) == (False, True, True)
    assert read("a.py", source).imports == frozenset()


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.py", 'def place():\n    return {"error": "not implemented"}, 501\n', True),
        ("a.py", "def a(b):\n    if b:\n        raise NotImplementedError\n    return 1\n", True),
        ("a.py", "def a():\n    return shop.NotImplementedYet()\n", True),
        ("a.py", '"""Not implemented."""\ndef a():\n    return 1  # not implemented\n', False),
        ("a.go", 'package a\n\nfunc A() { save(); http.Error(w, "Not implemented", 501) }\n', True),
        ("a.go", "package a\n\nfunc A() error { return place(context.TODO()) }\n", False),
        ("a.rs", "fn a() -> u8 { 1 }\nfn b() { todo!() }\n", True),
        ("a.ts", "// not implemented\nexport const a = () => implemented(1);\n", False),
        ("a.rb", "def a\n  raise NotImplementedError\nend\n", True),
        ("a.rb", "# not implemented\ndef a\n  1\nend\n", False),
    ],
)
def test_file_that_says_that_something_is_missing_is_told(name: str, content: str, expected: bool) -> None:  # noqa: FBT001
    assert look(name, content.encode()) == (True, True, expected)


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
        ("a.rb", "require './said'\nnamed\n=begin\n'./comment'\n=end\nx\n__END__\n'./comment'\n"),
        ("Rakefile", "require './said'\nnamed\n=begin\n'./comment'\n"),
        ("a.pl", "require './said';\nnamed;\n\n=head1 A\n\n'./comment'\n\n=cut\n\nx;\n__DATA__\ncomment\n"),
        ("a.ps1", '. "./said" <# comment\n"./comment" #> ; named # comment\n'),
        ("a.hs", 'import X -- comment\n{- comment\n"./comment" -}\nx = named --> "./said" --comment\n'),
        ("a.clj", '(load "./said");comment\n; "./comment"\n(named "a;b")\n'),
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
    found = look("bin/a", b"#!/usr/bin/env python3\ndef main(): ...\n")
    assert (found.parses, found.works) == (True, False)
    assert not look("bin/a", b"#!/usr/bin/env python3\ndef (\n").parses
