"""Folder: what an export says of its documents, and exports that cannot be mirrored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groundrules.corpus import folder
from groundrules_hooks import mirror
from groundrules_hooks.failure import GroundrulesError

if TYPE_CHECKING:
    from pathlib import Path


def put(root: Path, name: str, content: str | bytes) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.md", "# A title #\n\nText\n", ("a", "A title", None, "# A title #\n\nText\n")),
        ("b/c d.md", "Text\n", ("b/c d", "c d", None, "Text\n")),
        ("a.md", "---\ntitle: 'T: x'\nrevision: 12\ntoken: doc1\n---\n\nText\n", ("doc1", "T: x", 12, "Text\n")),
        ("a.md", '---\nrevision: "3"\nowner: ada\n---\n# A\n', ("a", "A", 3, "# A\n")),
        ("a.md", "---\nrevision: 3\n", ("a", "a", None, "---\nrevision: 3\n")),
        ("a.md", b"\xef\xbb\xbf# A\r\nText", ("a", "A", None, "# A\nText\n")),
        ("a.md", "", ("a", "a", None, "")),
    ],
)
def test_document_is_read_with_what_it_says_of_itself(
    tmp_path: Path, name: str, content: str | bytes, expected: tuple[str, str, int | None, str]
) -> None:
    put(tmp_path, name, content)
    (source,) = folder.read(str(tmp_path))
    assert source.path == name
    assert (source.token, source.title, source.revision, source.text) == expected


@pytest.mark.parametrize(
    ("content", "is_cut"),
    [
        ("---\nrevision: 8\n", True),
        ("---\nrevision: 8\ntags:\n  - a\n- b\n# note\nurl: https://exa", True),
        ("---\nrevision: 8\nti", True),
        ("---\nrevision: 8\n--", True),
        ("---\n", True),
        ("---\nrevision: 8\n---\n", False),
        ("---\nrevision: 8\n---\n---\n", False),
        ("---\n\nText\n", False),
        ("---\n- a\n- b\n", False),
        ("---\nrevision: 8\n\n# Orders\n", False),
        ("revision: 8\n", False),
    ],
)
def test_fields_that_do_not_end_are_a_loss(tmp_path: Path, content: str, is_cut: bool) -> None:  # noqa: FBT001
    put(tmp_path, "a.md", content)
    (source,) = folder.read(str(tmp_path))
    assert source.lost == (("fields:cut",) if is_cut else ())


def test_document_that_is_a_link_out_of_the_export_is_refused(tmp_path: Path) -> None:
    put(tmp_path, "secret.txt", "secret")
    put(tmp_path, "export/orders.md", "# Orders\n")
    (tmp_path / "export/copy.md").symlink_to("orders.md")
    assert [source.path for source in folder.read(str(tmp_path / "export"))] == ["copy.md", "orders.md"]
    (tmp_path / "export-2").mkdir()
    for target in (tmp_path / "secret.txt", "../secret.txt", tmp_path / "export-2/none"):
        (tmp_path / "export/p.md").unlink(missing_ok=True)
        (tmp_path / "export/p.md").symlink_to(target)
        with pytest.raises(GroundrulesError, match=r"p\.md is a link that leads out of the export"):
            folder.read(str(tmp_path / "export"))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("README.md", "# Export\n", "README.md cannot be mirrored under that name"),
        ("upper.MD", "# Export\n", "upper.MD cannot be mirrored under that name"),
        ("a\nb.md", "# A\n", 'a\\012b.md" cannot be mirrored under that name'),
        ("bad.md", b"# A\n\ncaf\xe9\n", "bad.md:3: not UTF-8"),
        ("nul.md", "a\n\0", "nul.md:2: holds a NUL, so it is no text"),
        ("r.md", "---\nrevision: new\n---\n", "r.md:2: revision is new, no whole number"),
        ("r.md", "---\nrevision: ²\n---\n", "r.md:2: revision is ², no whole number"),
        ("r.md", "---\nrevision: 1234567890123456789\n---\n", "r.md:2: revision is 1234567890123456789, no"),
        ("t.md", "---\ntitle: a\x1bb\n---\n", "t.md:2: title holds control characters"),
        ("t.md", "---\ntoken: orders\n---\n", "two documents have the token orders"),
        ("Orders.md", "# Orders\n", "two documents have the path orders.md"),
        ("copy.md", f"a\n{mirror.TABLE}x revision 1 -->\n", "copy.md:2: a marker of the mirror"),
        ("copy.md", f"{mirror.FIRST}\n", "copy.md:1: a marker of the mirror"),
    ],
)
def test_document_that_cannot_be_mirrored_is_named(tmp_path: Path, name: str, content: str | bytes, words: str) -> None:
    put(tmp_path, "orders.md", "# Orders\n")
    put(tmp_path, name, content)
    with pytest.raises(GroundrulesError) as caught:
        folder.read(str(tmp_path))
    assert words in caught.value.what
    assert caught.value.fix


def test_dotted_files_and_what_lies_outside_are_not_read(tmp_path: Path) -> None:
    put(tmp_path, "secret.png", b"secret")
    for name in ("orders.md", ".cache/notes.md", ".hidden.md", "flow.png"):
        put(tmp_path, f"export/{name}", "x")
    (tmp_path / "export/link.png").symlink_to(tmp_path / "secret.png")
    (source,) = folder.read(str(tmp_path / "export"))
    assert source.read("flow.png") == b"x"
    assert [source.read(path) for path in ("link.png", "../secret.png", "none.png", "")] == [None] * 4
