"""Composition: tables where they stand, files beside, and nothing lost without a name."""

from __future__ import annotations

from collections import Counter

import pytest

from groundrules.corpus import losses
from groundrules.corpus.composition import Composed, Place, Source, compose

FILES = {"plans.csv": b"Plan,Fee\nbasic,3\n", "empty.csv": b",\n", "a/flow.png": b"\x89PNG", "bad.csv": b"\xff"}


def composed(text: str, path: str = "orders.md") -> Composed:
    return compose(Source("folder", "orders", path, "", "Orders", None, "0", text, FILES.get))


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ('<sheet token="tok_1"/>', ["sheet:tok_1"]),
        ('<sheet token="tok" sheet-id="s1"></sheet>', ["sheet:tok_s1"]),
        ('see <embedded_spreadsheet doc_token="xxx" rows="3" /> here', ["embedded_spreadsheet:xxx"]),
        ("<bitable></bitable>", ["bitable:1"]),
        ('<whiteboard token="w"/> and <add_ons token="v"/>', ["whiteboard:w", "add_ons:v"]),
        ("<iframe src='https://example.org/a b'></iframe>", ["iframe:https://example.org/a-b"]),
        ("<whatever/>", ["whatever:1"]),
        ("[sheet]", ["sheet:1"]),
        ("- **[Spreadsheet: abc]**", ["spreadsheet:abc"]),
        ("[embedded table]", ["table:1"]),
        ("[电子表格]", ["电子表格:1"]),
        ("[表格: tblX]", ["表格:tblX"]),
        ("<!-- unsupported block: database -->", ["unsupported:1"]),
        ("[//]: # (child_database is not supported)", ["unsupported:1"]),
        ("Unsupported block type: 30", ["unsupported:1"]),
        ("a <b>bold</b> word<br>and a <span style='x'>span</span>", []),
        ("<callout emoji='x'>mind</callout>", []),
        ("GET /orders/<id> and List<String>", []),
        ("[table of contents]", []),
        ("[sheet](plans.html)", []),
        ("[sheet]: https://example.org", []),
        ("[x] the sheet is done", []),
        ("<https://example.org> 1 < 2 > 0", []),
    ],
)
def test_what_an_exporter_leaves_in_place_of_a_block_has_a_name(line: str, names: list[str]) -> None:
    plain, found = losses.taken(line, Counter())
    assert found == names
    assert all(losses.said(name) in plain for name in names)
    assert names or plain == line


def test_losses_without_a_name_are_counted_and_those_in_code_are_none() -> None:
    made = composed('[sheet]\n\n[sheet]\n\n```\n[sheet]\n```\n\n<sheet token="a"/>\n\n<sheet token="a"/>\n')
    assert made.losses == ("sheet:1", "sheet:2", "sheet:a", "sheet:a")
    assert "[sheet]" in made.items


@pytest.mark.parametrize("text", ["| | |\n|---|---|\n", "<table></table>", "<table>\n<tr><td>", "|  |\n|--|\n|  |"])
def test_table_of_nothing_is_lost(text: str) -> None:
    assert composed(f"# Fees\n\n{text}").losses == ("table:1",)


def test_loss_in_a_cell_is_named_behind_the_table() -> None:
    made = composed('| a | b |\n|---|---|\n| 1 | <sheet token="t"/> |\n\nend\n')
    assert made.tables == {"orders": (("a", "b"), ("1", "(lost in export: sheet:t)"))}
    assert made.items[:3] == (Place("orders"), Place("sheet:t", is_lost=True), "")
    made = composed('<table><tr><td><sheet token="t"/></td></tr></table>\n')
    assert (made.losses, list(made.tables)) == (("sheet:t",), ["orders"])


def test_tables_are_named_after_their_headings() -> None:
    table = "| a |\n|---|\n| 1 |\n\n"
    made = composed(f"{table}## The Fees!\n\n{table}{table}## 费用 / 表\n\n{table}## ...\n\n{table}")
    assert list(made.tables) == ["orders", "the-fees", "the-fees-2", "费用-表", "table"]


def test_linked_csv_file_becomes_a_table_behind_its_paragraph() -> None:
    # MIRR-01
    made = composed("The [Plans](plans.csv) are\nthese.\n\nNext.\n")
    assert made.items == ("The Plans are", "these.", Place("plans"), "", "Next.", "")
    assert made.tables == {"plans": (("Plan", "Fee"), ("basic", "3"))}


@pytest.mark.parametrize("name", ["empty.csv", "missing.csv", "bad.csv", "a/missing.png", "spec.pdf"])
def test_linked_file_that_is_not_there_or_holds_nothing_is_lost(name: str) -> None:
    # MIRR-11: a database that the export left out
    made = composed(f"[Fees]({name})\n")
    assert (made.losses, made.tables, made.files) == ((f"file:{name}",), {}, {})


@pytest.mark.parametrize("text", ["![flow](flow.png)", '<img width="3" src="flow.png">', "[flow](../a/flow.png)"])
def test_picture_is_kept_beside(text: str) -> None:
    made = composed(text, "a/orders.md")
    assert (made.files, made.losses, made.items) == ({"a/flow.png": b"\x89PNG"}, (), (text,))


@pytest.mark.parametrize(
    "text", ["[x](https://example.org/a.csv)", "[x](other.md)", "[x](folder)", "`[x](a.csv)`", "[x](#a)"]
)
def test_other_links_are_left_alone(text: str) -> None:
    made = composed(text)
    assert (made.items, made.losses, made.tables, made.files) == ((text,), (), {}, {})


def test_words_around_an_html_table_stay() -> None:
    made = composed("before <table><tr><td>a</td></tr></table> after\n")
    assert made.items == ("before ", Place("orders"), " after", "")
