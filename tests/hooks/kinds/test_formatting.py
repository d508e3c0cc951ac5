"""Formatting: the verdict on a file is right both ways, whatever the language, and honest where nothing is certain."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import ROOT
from groundrules_hooks.kinds.formatting import compare, glance
from groundrules_hooks.kinds.languages import BY_NAME, BY_SUFFIX
from groundrules_hooks.kinds.proof import is_candidate
from groundrules_hooks.kinds.verdict import COMMENTS, FORMATTING, FUNCTIONAL, OTHER_LETTERS, SAME_LETTERS, UNKNOWN


def judged(path: str, before: str | bytes, after: str | bytes) -> str:
    old, new = (text.encode() if isinstance(text, str) else text for text in (before, after))
    verdict = compare(path, old, new)
    assert compare(path, new, old) == verdict
    # What cannot be formatting is never called so, and costs no reading of a language.
    assert verdict != FORMATTING or old == new or (is_candidate(old, new) and glance(path, old, new) != OTHER_LETTERS)
    return verdict


# HYG-03
@pytest.mark.parametrize("path", ["a.py", "a.c", "a.yml", "a.md", "a.unknown", "LICENSE", "Makefile", "a.json"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a\nb\n", b"a\r\nb\r\n"),
        (b"a\nb\n", b"a\nb"),
        (b"a\nb\n", b"a\nb\n\n\n"),
        (b"a\nb\n", b"\xef\xbb\xbfa\nb\n"),
        (b"", b"\n"),
        (b"a\n", b"a\n"),
    ],
)
def test_line_ends_are_formatting_in_every_language(path: str, before: bytes, after: bytes) -> None:
    assert judged(path, before, after) == FORMATTING


# HYG-12
@pytest.mark.parametrize("path", ["a.png", "a.py", "a.c", "a.json", "noname"])
@pytest.mark.parametrize(("before", "after"), [(b"\0a", b"\0b"), (b"a b", b"a\0b"), (b"\0\r\n", b"\0\n")])
def test_binary_files_are_never_formatting(path: str, before: bytes, after: bytes) -> None:
    assert judged(path, before, after) == UNKNOWN


@pytest.mark.parametrize(
    "path", ["a.md", "a.rst", "a.txt", "a.hs", "a.nim", "a.fs", "a.coffee", "a.pug", "a.sass", "x"]
)
@pytest.mark.parametrize(("before", "after"), [("a b", "a  b"), ("a\n b", "a\nb"), ("a", "b"), ("- a", "* a")])
def test_nothing_is_certain_of_a_language_that_is_not_known(path: str, before: str, after: str) -> None:
    assert judged(path, before, after) == UNKNOWN


@pytest.mark.parametrize("path", ["Makefile", "Dockerfile", "a.mk", "a.ini", "a.html", "a.vue", "a.xml", "a.svelte"])
def test_where_blanks_mean_something_only_other_words_are_certain(path: str) -> None:
    assert judged(path, "a b\n", "a  b\n") == UNKNOWN
    assert judged(path, "a b\n", "a c\n") == FUNCTIONAL


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("Makefile", "a:  # b\n\tc\n", "a:  # d\n\tc\n"),
        ("a.ini", "[a]\n; b\nc=1\n", "[a]\n; d\nc=1\n"),
        ("a.html", "<p>a</p><!-- b -->", "<p>a</p>"),
        ("a.vue", "<script>\n// a\nb()\n</script>", "<script>\n// c\nb()\n</script>"),
        ("a.vue", "<style>\n/* a\n * b */\n</style>", "<style>\n/* c\n * d */\n</style>"),
    ],
)
def test_what_may_be_a_comment_is_not_called_functional(path: str, before: str, after: str) -> None:
    assert judged(path, before, after) == UNKNOWN


@pytest.mark.parametrize("name", [*BY_NAME, *(f"folder/a.{suffix}" for suffix in BY_SUFFIX), "a.JS"])
def test_each_known_language_tells_a_new_word(name: str) -> None:
    before, after = (
        ("1", "2") if name.endswith(("json", "ld", "manifest", "ipynb", "har", "rc")) else ("a = 1", "a = 2")
    )
    assert judged(name, before, after) == FUNCTIONAL


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", 'x = foo(  # note\n    d, "#aa",\n    e, "#cc")\n', 'x = foo(d, "#aa", e, "#cc")  # note\n'),
        ("a.c", "f(int a /* first */ , int b)", "f(int /* first */ a, int b)"),
        ("a.ts", "f(/* a */ x, y)", "f(x /* a */, y)"),
    ],
)
def test_a_remark_may_move_past_code(path: str, before: str, after: str) -> None:
    assert compare(path, before.encode(), after.encode()) == FORMATTING
    assert compare(path, after.encode(), before.encode()) == FORMATTING


@pytest.mark.parametrize(
    ("path", "before", "after", "seen"),
    [
        ("a.py", "x()\ny()\n", "y()\nx()\n", OTHER_LETTERS),
        ("a.py", "x()\n", "x( )\n", SAME_LETTERS),
        ("a.py", "x = y - z\n", "x = y + z\n", SAME_LETTERS),
        ("a.py", "import y\nimport x\n", "import x\nimport y\n", SAME_LETTERS),
        ("a.py", "from a import (\n    y,\n    x,\n)\n", "from a import (\n    x,\n    y,\n)\n", SAME_LETTERS),
        ("a.py", "x = 1  # a b\n", "# a b\nx = 1\n", SAME_LETTERS),
        ("a.py", "f('#a', d)  # c\n", "# c\nf(\n    '#a',\n    d,\n)\n", OTHER_LETTERS),  # not seen
        ("a.go", '// a).\nimport (\n"y"\n"x"\n)\n', '// a).\nimport (\n"x"\n"y"\n)\n', SAME_LETTERS),
        ("a.rs", "#[cfg(y)]\npub use y;\nmod x;\n", "mod x;\n#[cfg(y)]\npub use y;\n", SAME_LETTERS),
        ("a.go", 'import (\n\t"y"\n\t"x"\n)\n', 'import (\n\t"x"\n\t"y"\n)\n', SAME_LETTERS),
        ("a.json", '{"y": 1, "x": 2}', '{"x": 2, "y": 1}', SAME_LETTERS),
        ("a.html", "<a y x>", "<a x y>", SAME_LETTERS),
        ("a.rs", "f(&x)", "f(x)", OTHER_LETTERS),
        ("a.py", "from .x import y\n", "from ._x import y\n", OTHER_LETTERS),
        ("a.py", "x = 0XFFJ, 1E5, RB''\n", "x = 0xffj, 1e5, rb''\n", SAME_LETTERS),
        ("a.js", "f($x)", "f(x)", OTHER_LETTERS),
        ("a.rs", "JWT::f()", "Jwt::f()", OTHER_LETTERS),
        ("a.php", "f($x);", "f(x);", OTHER_LETTERS),
        ("a.ts", "type A =\n  | B & C\n", "type A = B & C\n", SAME_LETTERS),
        ("a.cs", "var x = 0XFFL;", "var x = 0xffL;", SAME_LETTERS),
        ("a.css", "a { color: #KGB }", "a { color: #kgb }", SAME_LETTERS),
        ("a.sql", "SELECT x", "select x", SAME_LETTERS),
    ],
)
def test_a_glance_tells_what_may_be_formatting(path: str, before: str, after: str, seen: str) -> None:
    assert glance(path, before.encode(), after.encode()) == seen


# A large file is answered, not read.
@pytest.mark.parametrize("path", ["a.py", "a.js", "a.go", "a.json", "a.toml", "a.css"])
def test_a_huge_file_is_unknown(path: str) -> None:
    text = b"a = [\n" + b"    1234567890,\n" * 280_000 + b"]\n"
    assert judged(path, text, text.replace(b"    ", b"  ")) == UNKNOWN


@pytest.mark.parametrize(
    "path", ["a.py", "a.js", "a.tsx", "a.rs", "a.go", "a.json", "a.toml", "a.kt", "a.css", "a.php"]
)
@pytest.mark.parametrize(
    "text",
    [
        b"x = " + b"(" * 2_000 + b"1" + b")" * 2_000,
        b"x = a" + b".a" * 5_000,
        b"x = 1" + b"+1" * 5_000,
        b"[" * 20_000,
        b'"' + b"\\" * 20_001,
        b"/*" * 20_000,
        b"<a>" * 5_000,
        b"`${" * 5_000,
    ],
    ids=["brackets", "members", "sum", "unclosed", "escapes", "comments", "tags", "templates"],
)
def test_no_text_is_too_deep(path: str, text: bytes) -> None:
    assert judged(path, text, text.replace(b"=", b" = ", 1)) in {FORMATTING, FUNCTIONAL, UNKNOWN, COMMENTS}


def test_a_typical_functional_change_imports_nothing_heavy() -> None:
    code = """
import sys
sys.path.insert(0, "hooks")
before = set(sys.modules)
from groundrules_hooks.kinds.formatting import compare, glance
from groundrules_hooks.kinds.verdict import FUNCTIONAL
text = b'import os\\n\\n\\ndef f():\\n    \"\"\"Say.\"\"\"\\n    return 1\\n'
for path in ("a.py", "a.js", "a.go", "a.rs", "a.java", "a.css"):
    assert compare(path, text, text.replace(b"return 1", b"return g(2)  # why")) == FUNCTIONAL
print(*sorted(set(sys.modules) - before))
"""
    done = subprocess.run(
        [sys.executable, "-S", "-I", "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert not {"ast", "collections", "functools", "json", "re", "tokenize", "tomllib"} & set(done.stdout.split())


texts = st.text(st.sampled_from("ab1 \n\t\"'`(){}[]<>/*#,;:=+-.\\|&$@!?\0é"), max_size=40)


@given(st.sampled_from([*(f"a.{suffix}" for suffix in BY_SUFFIX), "a.unknown"]), texts, texts)
def test_any_two_texts_have_a_verdict_that_is_the_same_both_ways(path: str, before: str, after: str) -> None:
    assert judged(path, before, after) in {FORMATTING, COMMENTS, FUNCTIONAL, UNKNOWN}
    assert judged(path, before, before) == FORMATTING
