"""Script: what formatters of JavaScript and TypeScript do is formatting, what the language reads otherwise is not."""

from __future__ import annotations

import pytest

from groundrules_hooks.kinds.formatting import compare
from groundrules_hooks.kinds.verdict import COMMENTS, FORMATTING, FUNCTIONAL, UNKNOWN

FORMATTED = [
    # Statements end by themselves.
    ("a.js", "a\nb", "a;\nb;\n"),
    ("a.js", "a = {}\nb", "a = {};\nb;"),
    ("a.js", "x = function () {}\ny", "x = function () {};\ny;"),
    ("a.js", "if (a) b\nelse c", "if (a) b;\nelse c;"),
    ("a.js", "if (a) { b }", "if (a) {\n  b;\n}"),
    ("a.js", "function f() { return a }", "function f()\n{\n  return a;\n}"),
    ("a.js", "for (;;) { a }", "for (;;) {\n  a;\n}"),
    ("a.js", "a\n;[b].c()", "a;\n[b].c();"),
    ("a.js", "class A { x = 1\n y = 2 }", "class A {\n  x = 1;\n  y = 2;\n}"),
    ("a.js", "return\na", "return;\na;"),
    ("a.js", "return /* a\n */ b", "return; /* a */\nb"),
    ("a.js", "continue\na", "continue;\na;"),
    ("a.js", "a\n++b", "a;\n++b;"),
    # The line end after a word that ends there, and one that is in parentheses.
    ("a.js", "return (\n  a\n);", "return a;"),
    ("a.tsx", "return (\n  <A />\n);", "return <A />;"),
    ("a.js", "return\n(a)", "return;\n(a);"),
    ("a.js", "throw new A(\nb)", "throw (\n  new A(b)\n);"),
    ("a.js", "a.return\n(b)", "a.return(b)"),
    ("a.js", "a?.async\n(b)", "a?.async(b)"),
    ("a.js", "a =>\n{ b }", "a => { b }"),
    ("a.js", "a\n[b]", "a[b]"),
    ("a.ts", "let a: B;\nc\n[d]", "let a: B;\nc[d];"),
    ("a.js", "class A{get\n[x](){}}", "class A {\n  get [x]() {}\n}"),
    # Words that begin the member of a class, and fields named so.
    ("a.js", "class A{get\nx(){}}", "class A {\n  get x() {}\n}"),
    ("a.ts", "class A{a = 1\nstatic get\n'x'(){}}", "class A {\n  a = 1;\n  static get 'x'() {}\n}"),
    ("a.ts", "class A{@b() static\nx = 1}", "class A {\n  @b() static x = 1;\n}"),
    ("a.js", "class A{static\n*x(){}}", "class A {\n  static *x() {}\n}"),
    ("a.js", "class A{async\nx(){}}", "class A {\n  async;\n  x() {}\n}"),
    ("a.ts", "class A{accessor\nx}", "class A {\n  accessor;\n  x;\n}"),
    ("a.ts", "class A{readonly\nx}", "class A {\n  readonly;\n  x;\n}"),
    ("a.js", "x = {get\na(){}, set\na(b){}}", "x = { get a() {}, set a(b) {} };"),
    ("a.js", "x = set\ny = a.get\nz", "x = set;\ny = a.get;\nz;"),
    ("a.js", "if (a) { return set\n}", "if (a) {\n  return set;\n}"),
    ("a.js", "case a: return get\ncase b:", "case a: return get;\ncase b:"),
    ("a.js", "export default function () {};", "export default function () {}"),
    ("a.js", "x = a.default\ny", "x = a.default;\ny;"),
    # Wrapping.
    ("a.js", "a.b().c()", "a\n  .b()\n  .c()"),
    ("a.js", "a && b || c", "(a && b) ||\n  c"),
    ("a.js", "x = a ? b : c", "x = a\n  ? b\n  : c;"),
    ("a.js", "f(a, b)", "f(\n  a,\n  b,\n);"),
    ("a.js", "x = [a, b]", "x = [\n  a,\n  b,\n];"),
    ("a.js", "import {a,b} from 'c'", 'import {\n  a,\n  b,\n} from "c";'),
    # Quotes, numbers, parentheses.
    ("a.js", "x = 'it\\'s'", 'x = "it\'s";'),
    ("a.js", "x = 'a \"b\"'", 'x = "a \\"b\\""'),
    ("a.js", "x = {'a': 1, b: 2}", "x = { a: 1, b: 2 };"),
    ("a.js", "x = [.5, 5., 0XAB, 1E3, 1.50]", "x = [0.5, 5.0, 0xab, 1e3, 1.5];"),
    ("a.js", "f(a => a)", "f((a) => a);"),
    ("a.js", "x = (a)", "x = a"),
    ("a.js", "return (a.b)", "return a.b;"),
    ("a.js", "x = (a % b) + c", "x = a % b + c"),
    ("a.js", "x = a - (b * c)", "x = a - b * c"),
    ("a.js", "x = (a || b) ? c : d", "x = a || b ? c : d"),
    ("a.js", "x = `a${b}c`\ny", "x = `a${b}c`;\ny;"),
    ("a.js", "x = /a'b/.test(c)\ny", "x = /a'b/.test(c);\ny;"),
    ("a.js", "x = a / b / c", "x = a /\n  b /\n  c;"),
    ("a.js", "#!/usr/bin/node\na", "#!/usr/bin/node\na;\n"),
    ("a.js", "//a\nb", "// a\nb;"),
    ("a.js", "/* a\n b */ c", "/*\n * a\n * b\n */\nc"),
    # TypeScript.
    ("a.ts", "type A = 'b' | 'c'", 'type A =\n  | "b"\n  | "c";'),
    ("a.ts", "interface A { a: string, b: number }", "interface A {\n  a: string;\n  b: number;\n}"),
    ("a.ts", "interface A { a?: string\n b(): void }", "interface A {\n  a?: string;\n  b(): void;\n}"),
    ("a.ts", "type A = {'a'?: B}", "type A = { a?: B };"),
    ("a.ts", "type A = (B & C) | D", "type A = B & C | D"),
    ("a.ts", "const a = (b as C) as D", "const a = b as C as D"),
    ("a.ts", "f<A,B>(c)", "f<A, B>(c);"),
    ("a.ts", "const f = <T,>(a: T) => a", "const f = <T>(a: T) => a"),
    ("a.ts", "let a: B<C>\nlet d", "let a: B<C>;\nlet d;"),
    ("a.ts", "@a class B { @c d() {} }", "@a\nclass B {\n  @c\n  d() {}\n}"),
    ("a.ts", "x = a >\n  b", "x = a > b;"),
    ("a.ts", "let a = b!\nlet c", "let a = b!;\nlet c;"),
    ("a.ts", "class A { constructor(private a: B) {} }", "class A {\n  constructor(private a: B) {}\n}"),
    # Elements.
    ("a.jsx", "const a = <div>b <i>c</i></div>", "const a = (\n  <div>\n    b <i>c</i>\n  </div>\n);"),
    ("a.jsx", "a = <p>b <i>c</i></p>", 'a = (\n  <p>\n    b{" "}\n    <i>c</i>\n  </p>\n);'),
    ("a.jsx", "a = <p>b c</p>", "a = (\n  <p>\n    b\n    c\n  </p>\n);"),
    ("a.tsx", "a = <A b='c' d={e}/>", 'a = <A\n  b="c"\n  d={e}\n/>'),
    ("a.tsx", "a = <A b={'c'}/>", 'a = <A b="c" />'),
    ("a.tsx", "a = b && <C/>", "a = b && (\n  <C />\n);"),
    ("a.tsx", "a = b ? <C/> : <></>", "a = b ? (\n  <C />\n) : (\n  <></>\n);"),
    (
        "a.tsx",
        "a = <A>{b.map(c => <D e={c}/>)}</A>",
        "a = (\n  <A>\n    {b.map((c) => (\n      <D e={c} />\n    ))}\n  </A>\n);",
    ),
    ("a.tsx", "const f = <T,>(a: T) => <A<T>>", "const f = <T,>(a: T) => <A<T>>"),
    ("a.tsx", "a = b < c && d > e", "a = b < c\n  && d > e"),
]
# Never formatting; functional where it is certain.
CHANGED = [
    ("a.js", "return\na", "return a", UNKNOWN),
    ("a.ts", "break\na", "break a", UNKNOWN),
    ("a.ts", "yield\na", "yield a", UNKNOWN),
    ("a.js", "return /* a\n */ b", "return /* a */ b", UNKNOWN),
    *(
        ("a.tsx", f"{word}\n{operand}", f"{word} {operand}", UNKNOWN)
        for word in ("return", "throw", "break", "continue", "yield")
        for operand in (
            "(a)",
            "(\na)",
            "(a) => b",
            "[a]",
            "{ a }",
            "`a`",
            "`${a}`",
            "/a/",
            "<A/>",
            "+a",
            "-a",
            "!a",
            "a",
        )
    ),
    ("a.js", "return a;", "return\n  (a);", UNKNOWN),
    ("a.js", "return (\na\n);", "return\n  (a);", UNKNOWN),
    ("a.js", "yield (\na);", "yield\n (a);", UNKNOWN),
    ("a.js", "f(() => { return // a\n(b) })", "f(() => { return (b) // a\n})", UNKNOWN),
    ("a.js", "if (a) return /* b\n*/ (c)", "if (a) return (c) /* b */", UNKNOWN),
    ("a.js", "yield\n(a)", "yield;\n(a)", UNKNOWN),
    ("a.js", "async\n() => a", "async () => a", UNKNOWN),
    ("a.js", "async\n(a)", "async;\n(a)", UNKNOWN),
    ("a.js", "async\nfunction a() {}", "async function a() {}", UNKNOWN),
    ("a.js", "a\n++\nb", "a++\nb", UNKNOWN),
    ("a.js", "class A{async\n*x(){}}", "class A{async *x(){}}", UNKNOWN),
    ("a.js", "class A{async\n[x](){}}", "class A{async [x](){}}", UNKNOWN),
    ("a.ts", "class A{accessor\n[x]}", "class A{accessor [x]}", UNKNOWN),
    ("a.ts", "class A{readonly\n[x] = y}", "class A{readonly [x] = y}", UNKNOWN),
    *(
        ("a.ts", f"class A{{{word}\n*x(){{}}}}", f"class A{{{word} *x(){{}}}}", UNKNOWN)
        for word in ["accessor", "readonly", "declare", "abstract", "override", "public", "private", "protected"]
    ),
    ("a.ts", "let a: B\n[c] = d", "let a: B[c] = d", UNKNOWN),
    ("a.ts", "type A = B\n[c]", "type A = B[c]", UNKNOWN),
    ("a.ts", "a as B\n[c]", "a as B[c]", UNKNOWN),
    ("a.ts", "a satisfies B\n[c]", "a satisfies B[c]", UNKNOWN),
    ("a.ts", f"let a: {'B | ' * 99}C\n[d]", f"let a: {'B | ' * 99}C[d]", UNKNOWN),
    ("a.js", "a\n(b)", "a;\n(b)", UNKNOWN),
    ("a.js", "class A{get\nx(){}}", "class A{get;x(){}}", UNKNOWN),
    ("a.js", "class A{set\nx(a){}}", "class A{set;x(a){}}", UNKNOWN),
    ("a.ts", "class A{static\nx}", "class A{static;x}", UNKNOWN),
    ("a.ts", "class A{static\n#x}", "class A{static;#x}", UNKNOWN),
    ("a.js", "class A{a(){}\nstatic get\n'x'(){}}", "class A{a(){}\nstatic get;'x'(){}}", UNKNOWN),
    ("a.ts", "class A{@a static\nx}", "class A{@a static;x}", UNKNOWN),
    ("a.ts", "class A{private static\nx}", "class A{private static;x}", UNKNOWN),
    ("a.js", "class A{async\nx(){}}", "class A{async x(){}}", UNKNOWN),
    ("a.js", "class A{static async\nx(){}}", "class A{static async x(){}}", UNKNOWN),
    ("a.ts", "class A{accessor\nx}", "class A{accessor x}", UNKNOWN),
    ("a.js", "a\n[b]", "a;\n[b]", UNKNOWN),
    ("a.js", "a\n`b`", "a;\n`b`", UNKNOWN),
    ("a.js", "x = {}\n(f)()", "x = {};\n(f)()", UNKNOWN),
    ("a.js", "if (a);\nb", "if (a)\nb", UNKNOWN),
    ("a.js", "while (a);{ b }", "while (a) { b }", UNKNOWN),
    ("a.js", "else_;\nif (a) b; else; c", "else_;\nif (a) b; else c", UNKNOWN),
    ("a.js", "for (a; b;) c", "for (a; b; c);", UNKNOWN),
    ("a.js", "a ++\nb", "a\n++b", UNKNOWN),
    ("a.js", "a + +b", "a++ + b", UNKNOWN),
    ("a.js", "a - -b", "a -b", FUNCTIONAL),
    ("a.js", "x = [a,,]", "x = [a,]", UNKNOWN),
    ("a.js", "x = [,]", "x = []", UNKNOWN),
    ("a.js", "x = (a, b)", "x = a, b", UNKNOWN),
    ("a.js", "a - (b - c)", "a - b - c", UNKNOWN),
    ("a.js", "a * (b + c)", "a * b + c", UNKNOWN),
    ("a.js", "(a && b) ?? c", "a && (b ?? c)", UNKNOWN),
    ("a.js", "x = a && (b || c)", "x = a && b || c", UNKNOWN),
    ("a.js", "x = (a ? b : c) || d", "x = a ? b : c || d", UNKNOWN),
    ("a.js", "x = (a, b) => c", "x = a, b => c", UNKNOWN),
    ("a.js", "f(() => ({}))", "f(() => {})", UNKNOWN),
    ("a.js", "f((a, b))", "f(a, b)", UNKNOWN),
    ("a.js", "('use strict')", "'use strict'", UNKNOWN),
    ("a.js", "({ a })", "{ a }", UNKNOWN),
    ("a.js", "(function a() {})", "function a() {}", UNKNOWN),
    ("a.js", "a\n(b)", "a\nb", UNKNOWN),
    ("a.js", "new (a())()", "new a()()", UNKNOWN),
    ("a.js", "new a.b\nc", "new a.b();\nc", FORMATTING),
    ("a.js", "f(new A, new B)", "f(new A(), new B())", FORMATTING),
    ("a.js", "new a.b", "new a().b", UNKNOWN),
    ("a.js", "new a[b]", "new a()[b]", UNKNOWN),
    ("a.js", "new a`b`", "new a()`b`", UNKNOWN),
    ("a.js", "new a\n(b)", "new a()\n(b)", UNKNOWN),
    ("a.js", "x.new\na", "x.new\na()", UNKNOWN),
    ("a.js", "x = { new: a }", "x = { new: a() }", UNKNOWN),
    ("a.js", "(a?.b).c", "a?.b.c", UNKNOWN),
    ("a.js", "!(a in b)", "!a in b", UNKNOWN),
    ("a.js", "(-a) ** b", "-(a ** b)", UNKNOWN),
    ("a.js", "x = 'a b'", "x = 'a  b'", FUNCTIONAL),
    ("a.js", "x = 'a'", "x = `a`", UNKNOWN),
    ("a.js", "x = '\\\\n'", "x = '\\n'", UNKNOWN),
    ("a.js", "x = `a b`", "x = `a  b`", FUNCTIONAL),
    ("a.js", "x = `a\n b`", "x = `a\nb`", UNKNOWN),
    ("a.js", "x = css`\n  a: #FFF .5em;\n  b: c`", "x = css`\n  a: #fff 0.5em;\n  b: c;\n`", UNKNOWN),
    ("a.js", "x = `\n  a`", "x = `\n  b`", FUNCTIONAL),
    ("a.js", "x = css`a{b:c}`", "x = css`\n  a { b: c; }\n`", UNKNOWN),
    ("a.js", "x = /a b/", "x = /a  b/", UNKNOWN),
    ("a.js", "x = /a/g", "x = /a/i", FUNCTIONAL),
    ("a.js", "x = 010", "x = 10", FUNCTIONAL),
    ("a.js", "x = 1.5", "x = 15", FUNCTIONAL),
    ("a.js", "a == b", "a === b", FUNCTIONAL),
    ("a.js", "a && b", "a || b", FUNCTIONAL),
    ("a.js", "a < b", "a > b", FUNCTIONAL),
    ("a.js", "a => b", "a >= b", UNKNOWN),
    ("a.js", "f(a)", "f(b)", FUNCTIONAL),
    ("a.js", "a?.b", "a.b", FUNCTIONAL),
    ("a.js", "async () => a", "() => a", FUNCTIONAL),
    ("a.js", "{ 'a': 1 }; b", "{ a: 2 }; b", FUNCTIONAL),
    ("a.js", "switch (a) { case 'b': c }", "switch (a) { case b: c }", FUNCTIONAL),
    ("a.js", "import 'b'\nimport 'a'", "import 'a'\nimport 'b'", UNKNOWN),
    ("a.js", "import {a} from 'b'", "import {a} from 'c'", UNKNOWN),
    ("a.js", "a; b", "b; a", UNKNOWN),
    ("a.js", "a = b\nc = d", "a = b", FUNCTIONAL),
    ("a.ts", "type A = (B | C) & D", "type A = B | C & D", UNKNOWN),
    ("a.ts", "type A = (B | C)[]", "type A = B | C[]", UNKNOWN),
    ("a.ts", "let a: B", "let a?: B", FUNCTIONAL),
    ("a.ts", "let a = 1, b = 2", "let a = 1; b = 2", UNKNOWN),
    ("a.ts", "{ let a = 1, b = 2 }", "{ let a = 1; b = 2 }", UNKNOWN),
    ("a.jsx", "a = <p>b <i>c</i></p>", "a = <p>b<i>c</i></p>", UNKNOWN),
    ("a.jsx", "a = <p>b <i>c</i></p>", "a = <p>\n  b\n  <i>c</i>\n</p>", UNKNOWN),
    ("a.jsx", "a = <p>b c</p>", "a = <p>bc</p>", FUNCTIONAL),
    ("a.jsx", "a = <p>b; c</p>", "a = <p>b c</p>", UNKNOWN),
    ("a.jsx", "a = <p>b // c</p>", "a = <p>b // d</p>", FUNCTIONAL),
    ("a.jsx", "a = <A b='c d'/>", "a = <A b='c  d'/>", UNKNOWN),
    ("a.jsx", "a = <A b={c('d e')}/>", "a = <A b={c('e d')}/>", UNKNOWN),
    ("a.jsx", "a = <A b={'&amp;'}/>", "a = <A b='&amp;'/>", FUNCTIONAL),
    ("a.jsx", "a = <A>{b}</A>", "a = <A>b</A>", UNKNOWN),
    ("a.jsx", "a = <A b/>", "a = <A/>", FUNCTIONAL),
    # What is not closed, or means two things, is not read.
    ("a.js", "x = 'a\n", "x =  'a\n", UNKNOWN),
    ("a.js", "f(a]", "f( a]", UNKNOWN),
    ("a.js", "a = {}\n/b/.test(c)", "a = {} /b/.test(c)", UNKNOWN),
    ("a.tsx", "a = <A>", "a =  <A>", UNKNOWN),
    ("a.js", "a /* b", "a  /* b", UNKNOWN),
]
REMARKED = [
    ("// a\nb", "// c\nb;", COMMENTS),
    ("b // 'a", "b // 'c", COMMENTS),
    ("b", "/** a */ b", COMMENTS),
    ("x = 'http://a' // b", "x = 'http://a' // c", COMMENTS),
    ("x = `${a /* b */}`", "x = `${a /* c */}`", COMMENTS),
    ("// eslint-disable-next-line\nb", "b", UNKNOWN),
    ("// @ts-ignore\na\nb", "a\n// @ts-ignore\nb", UNKNOWN),
    ("/* istanbul ignore next */ a", "/* istanbul ignore next */\na;", FORMATTING),
    ("x = /* @__PURE__ */ a()", "x = a()", UNKNOWN),
]


def judged(path: str, before: str, after: str) -> str:
    verdict = compare(path, before.encode(), after.encode())
    assert compare(path, after.encode(), before.encode()) == verdict
    return verdict


@pytest.mark.parametrize(("path", "before", "after"), FORMATTED)
def test_what_formatters_do_is_formatting(path: str, before: str, after: str) -> None:
    assert judged(path, before, after) == FORMATTING


@pytest.mark.parametrize(("path", "before", "after", "verdict"), CHANGED)
def test_what_changes_the_meaning_is_never_formatting(path: str, before: str, after: str, verdict: str) -> None:
    assert judged(path, before, after) == verdict


# HYG-09
@pytest.mark.parametrize(("before", "after", "verdict"), REMARKED)
def test_comments_are_told_from_code(before: str, after: str, verdict: str) -> None:
    assert judged("a.js", before, after) == verdict
