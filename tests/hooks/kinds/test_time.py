"""Time: no text takes longer than its length explains, whatever it opens and does not close.

Nothing is measured: at this length a reader whose time grows with the square of it takes half an hour.
"""

from __future__ import annotations

import pytest

from groundrules_hooks.kinds.formatting import compare
from groundrules_hooks.kinds.verdict import UNKNOWN

MARKUP = [
    b"<p>a</p>\n" + b"\n" * 900_000 + b"<b>c</b>\n",
    b"a " + b"<!--" * 200_000,
    b"a " + b"\n/" * 400_000,
    b"a " + b" //" * 300_000,
]


def judged(path: str, before: bytes, after: bytes) -> str:
    verdict = compare(path, before, after)
    assert compare(path, after, before) == verdict
    return verdict


@pytest.mark.parametrize("path", ["a.html", "a.xml", "a.vue", "a.svelte"])
@pytest.mark.parametrize("text", MARKUP, ids=["lines", "comments", "slashes", "remarks"])
def test_markup(path: str, text: bytes) -> None:
    judged(path, text, text.replace(b"a", b" a\n", 1))


@pytest.mark.parametrize(
    ("path", "opening"),
    [
        ("a.lua", b"[["),
        ("a.lua", b"[=[ "),
        ("a.lua", b"--[[\n"),
        ("a.swift", b'#" '),
        ("a.swift", b'##" '),
        ("a.tf", b"<<E\n"),
        ("a.tf", b"<<-E\n"),
        ("a.rs", b'r#" '),
        ("a.rs", b'br##" '),
        ("a.cpp", b'R"a( '),
        ("a.cpp", b'u8R"( '),
        ("a.php", b"<<<A\n"),
        ("a.php", b"<<<'A'\n"),
        ("a.php", b'<<<"A"\n'),
        ("a.c", b"/* "),
    ],
)
def test_what_is_opened_many_times(path: str, opening: bytes) -> None:
    text = (b"<?php " if path == "a.php" else b"") + b"x = 1\n" + opening * (1_000_000 // len(opening))
    assert judged(path, text, text.replace(b"x = 1", b"x  =  1")) == UNKNOWN


@pytest.mark.parametrize("filling", [b"/-", b"=-+", b"'\n'", b"@ ", b"\n\t", b"1.0", b"--x\n"])
@pytest.mark.parametrize("path", ["a.sql", "a.css", "a.kt", "a.dart", "a.js", "a.cs"])
def test_what_may_be_a_doubt(path: str, filling: bytes) -> None:
    text = b"x = 1;\n" + filling * 50_000
    judged(path, text, text.replace(b"x = 1", b"x  =  1"))


@pytest.mark.parametrize(
    ("path", "filling"),
    [
        ("a.sql", b"--/*!"),
        ("a.sql", b"/*!\n"),
        ("a.yaml", b"!"),
        ("a.yaml", b"x&a=1"),
        ("a.ts", b"f(b >\n"),
        ("a.ts", b"b >\n"),
        ("a.kt", b"b >\n"),
        ("a.swift", b"#"),
    ],
)
def test_what_is_looked_for_again(path: str, filling: bytes) -> None:
    text = b"x: 1;\n" + filling * (300_000 // len(filling))
    judged(path, text, text.replace(b"x: 1", b"x:  1"))


def test_tags_that_all_differ() -> None:
    text = b"x = 1\n" + b"".join(b"$a%d$ " % number for number in range(100_000))
    judged("a.sql", text, text.replace(b"x = 1", b"x  =  1"))
