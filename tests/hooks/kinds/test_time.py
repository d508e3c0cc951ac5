"""Time: no text takes longer than its length explains, whatever it opens and does not close."""

from __future__ import annotations

import time

import pytest

from groundrules_hooks.kinds.formatting import compare

MARKUP = [
    b"<p>a</p>\n" + b"\n" * 20_000 + b"<b>c</b>\n",
    b"a " + b"<!--" * 15_000,
    b"a " + b"\n/" * 30_000,
    b"a " + b" //" * 20_000,
]


def judged_in_time(path: str, before: bytes, after: bytes) -> None:
    started = time.process_time()
    assert compare(path, before, after) == compare(path, after, before)
    assert time.process_time() - started < 1


@pytest.mark.parametrize("path", ["a.html", "a.xml", "a.vue", "a.svelte"])
@pytest.mark.parametrize("text", MARKUP, ids=["lines", "comments", "slashes", "remarks"])
def test_markup(path: str, text: bytes) -> None:
    judged_in_time(path, text, text.replace(b"a", b" a\n", 1))
