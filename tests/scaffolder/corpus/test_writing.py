"""Writing: what was written is read again before it counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groundrules.corpus import writing
from groundrules.corpus.composition import Source, compose
from groundrules_hooks import mirror
from groundrules_hooks.failure import DEFECT, GroundrulesError

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "# Fees\n\n| Plan | Fee |\n|---|---|\n| basic | 3 |\n"


def put(root: Path, old: bytes = b"", new: bytes = b"") -> None:
    """Write a document whose body was changed behind its back, with a hash that fits."""
    made = compose(Source("folder", "a", "a.md", "", "A", None, "0", TEXT, lambda _: None))
    head, files = writing.written(made, None, 1, writing.Stamp("now", "groundrules 0"))
    body = mirror.split(files["a.md"])[1].encode().replace(old, new, 1)
    files["a.md"] = mirror.render(head._replace(body_sha256=mirror.digest(body))).encode() + body
    for name, content in files.items():
        (root / name).write_bytes(content)


def test_document_that_reads_back_passes(tmp_path: Path) -> None:
    put(tmp_path)
    writing.require_readable(str(tmp_path), ["a.md"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"| basic | 3 |", b"| basic | 4 |"),
        (b"| basic | 3 |", b"| basic | 3 | 4 |"),  # MIRR-05
        (b"| basic | 3 |", b"| basic\n\n | 3 |"),  # MIRR-04
        (b"| basic | 3 |\n", b""),
        (b"end of table fees", b"end of table fines"),
        (b"table fees revision 1", b"table fees revision 2"),
    ],
)
def test_table_that_does_not_read_back_is_a_defect(tmp_path: Path, old: bytes, new: bytes) -> None:
    put(tmp_path, old, new)
    with pytest.raises(GroundrulesError) as caught:
        writing.require_readable(str(tmp_path), ["a.md"])
    assert caught.value.what.startswith("a.md does not read back as it was written: the table fees in the text")
    assert caught.value.code == DEFECT


def test_file_beside_that_is_another_is_a_defect(tmp_path: Path) -> None:
    put(tmp_path)
    (tmp_path / "a.fees.csv").write_text("Plan,Fee\n")
    with pytest.raises(GroundrulesError, match=r"a.fees.csv is not what the head says"):
        writing.require_readable(str(tmp_path), ["a.md"])
