"""The head of a mirrored document: what is written reads back, and what was edited is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundrules_hooks import mirror
from groundrules_hooks.mirror import Head, Part

HASH = "0123456789abcdef" * 4
LINE = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=30).map(str.strip)
WORD = st.text("abcäöü表格:-_/.0", min_size=1, max_size=12)
NUMBER = st.integers(0, 10**18)
PARTS = st.lists(st.builds(Part, NUMBER, st.just(HASH), WORD, st.just(""), st.just(0), st.just(0)), max_size=3).map(
    tuple
)
TABLES = st.lists(st.builds(Part, NUMBER, st.just(HASH), WORD, WORD, NUMBER, NUMBER), max_size=3).map(tuple)
HEADS = st.builds(
    Head,
    *(WORD, WORD, WORD, LINE, LINE, NUMBER, WORD, WORD, st.just(HASH), TABLES, PARTS),
    losses=st.lists(WORD, max_size=3).map(tuple),
    body_sha256=st.just(HASH),
    is_given=st.booleans(),
)
TABLE = Part(3, HASH, "orders.fees.csv", "fees", 2, 2)
BODY = f"# Orders\n\n{mirror.TABLE}fees revision 3 -->\n\n{mirror.LOST}sheet:1 -->\n".encode()
HEAD = Head(
    *("folder", "orders", "orders.md", "", "Orders", 7, "2026-01-02T03:04:05Z", "groundrules 0", HASH),
    tables=(TABLE,),
    losses=("sheet:1",),
    body_sha256=mirror.digest(BODY),
)
PATH = "docs/product/orders.md"
WHOLE = mirror.render(HEAD).encode() + BODY


@given(HEADS, st.text(max_size=40))
def test_head_reads_back_whatever_it_holds_and_whatever_follows(head: Head, body: str) -> None:
    content = mirror.render(head).encode() + body.encode("utf-8", "surrogatepass")
    assert mirror.parse(content) == head
    assert mirror.parse(content.replace(b"\r", b"").replace(b"\n", b"\r\n")) == head
    assert "-->" not in mirror.render(head).removesuffix("-->\n")  # or the comment would end early


def test_title_with_the_end_of_a_comment_in_it_stays_in_the_head() -> None:
    head = HEAD._replace(title="a --> b \\ c \\> d", url="https://example.org/?a=b&c=%3E#d")
    assert mirror.parse(mirror.render(head).encode()) == head


@pytest.mark.parametrize(
    ("content", "same"),
    [(b"a\nb\n", True), (b"a\r\nb\r\n", True), (b"a\nb", True), (b"a\nb\n\n", True), (b"a\nb \n", False), (b"", False)],
)
def test_ends_of_lines_do_not_change_the_hash(content: bytes, same: bool) -> None:  # noqa: FBT001
    assert (mirror.digest(content) == mirror.digest(b"a\nb\n")) is same


@pytest.mark.parametrize("content", [WHOLE, WHOLE.replace(b"\n", b"\r\n"), WHOLE.rstrip(b"\n")])
def test_document_as_a_sync_wrote_it_has_no_problem(content: bytes) -> None:
    assert list(mirror.problems(PATH, content)) == []


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        (b"# Orders", b"# Order", 15, "edited by hand: the text is not that of revision 7"),
        (b"body_sha256: ", b"body_sha256: 0", 15, "edited by hand: the text is not that of revision 7"),
        (b"<!-- A copy", b"<!-- My copy", 1, "no head: it is no copy made by"),
        (b"-->\n# Orders", b"# Orders", 1, "no head"),
        (b"url:\n", b"", 1, "the head has no url"),
        (b"url:\n", b"urls:\n", 5, "a head has no urls here"),
        (b"url:\n", b"url:\nurl:\n", 6, "a head has no url here"),
        (b"url:\n", b"\n", 5, "a head has no empty line here"),
        (b"revision: 7", b"revision: seven", 1, "the head was edited: a number"),
        (b"source_sha256", b"given: revision\nsource_sha256", 11, "a head has no source_sha256 here"),
        (b"table: fees 3", b"given: title\ntable: fees 3", 1, "the head was edited: a number"),
        (b"revision: 7", b"revision: -7", 1, "the head was edited: a number"),
        (b"table: fees 3", b"table: fees", 1, "the head was edited: a number"),
        (b"loss: sheet:1\n", b"", 14, "the tables and losses that the head lists are not those in the text"),
        (b"table: fees", b"table: fines", 15, "the tables and losses that the head lists are not those in the text"),
        (b"path: orders.md", b"path: other.md", 1, "moved by hand: its head says docs/product/other.md"),
    ],
)
def test_edit_is_told_with_its_line(old: bytes, new: bytes, line: int, words: str) -> None:
    assert old in WHOLE
    ((found, said), *rest) = mirror.problems(PATH, WHOLE.replace(old, new, 1))
    assert (found, said[: len(words)], rest) == (line, words, [])


def test_markers_count_even_where_the_hash_was_made_to_fit() -> None:
    body = BODY.replace(b"fees", b"fines")
    forged = mirror.render(HEAD._replace(body_sha256=mirror.digest(body))).encode() + body
    assert [line for line, _ in mirror.problems(PATH, forged)] == [15]


RISEN = TABLE._replace(revision=4, sha256="f" * 64)
MOVED = HEAD._replace(path="old/orders.md", tables=(TABLE._replace(path="old/orders.fees.csv"),), synced="later")


@pytest.mark.parametrize(
    ("new", "words"),
    [
        (HEAD, ""),
        (HEAD._replace(revision=8, body_sha256="f" * 64), ""),
        (HEAD._replace(revision=8, tables=()), ""),
        (HEAD._replace(tables=(RISEN,), body_sha256="f" * 64), ""),  # MIRR-03: a sheet moves by itself
        (MOVED, ""),
        (HEAD._replace(body_sha256="f" * 64), "edited by hand: it changed, and revision 7 did not"),
        (HEAD._replace(title="Other"), "edited by hand: it changed, and revision 7 did not"),
        (HEAD._replace(synced="later"), "edited by hand: it changed, and revision 7 did not"),
        (
            HEAD._replace(tables=(TABLE._replace(sha256="f" * 64),)),
            "edited by hand: it changed, and revision 7 did not",
        ),
        (MOVED._replace(body_sha256="f" * 64), "edited by hand: it changed, and revision 7 did not"),
        (HEAD._replace(revision=6), "its revision goes back from 7 to 6"),
        (HEAD._replace(revision=8, tables=(TABLE._replace(revision=2),)), "the revision of orders.fees.csv goes back"),
    ],
)
def test_step_from_one_head_to_the_next(new: Head, words: str) -> None:
    found = mirror.step(HEAD, new)
    assert found.startswith(words) if words else found == ""


@pytest.mark.parametrize(
    ("path", "mirrored"),
    [
        ("docs/product/a.md", True),
        ("docs/product/a/README.md", True),
        ("docs/product/README.md", False),
        ("docs/a.md", False),
    ],
)
def test_mirror_is_its_folder_without_its_own_page(path: str, mirrored: bool) -> None:  # noqa: FBT001
    assert mirror.is_mirrored(path) is mirrored
