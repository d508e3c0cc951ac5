"""Drops: what the mirror held of a document and a new export has no more, where the exporter left no trace of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundrules.corpus import rows
from groundrules.corpus.composition import HEADING
from groundrules_hooks import mirror

if TYPE_CHECKING:
    from groundrules.corpus.composition import Composed
    from groundrules_hooks.mirror import Head

COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def dropped(made: Composed, old: Head | None, body: str) -> tuple[str, ...]:
    """Return the names, `kind:name`, of what `made` lacks of the document that had the head `old` with `body` below."""
    if old is None:
        return ()
    # Fields that were cut before already are no text that goes now.
    is_bare = bool(set(made.source.lost) - set(old.losses)) or _is_bare(made.source.text)
    found = ["text:all"] if is_bare and not _is_bare(body) else []
    if old.is_given and made.source.revision is None:
        found.append(f"revision:{old.revision}")
    return (*found, *(f"table:{name}" for name in _tables(made, old)))


def _is_bare(text: str) -> bool:
    """Whether `text` says nothing: an exporter that stops early has often written the title."""
    return all(not line.strip() or HEADING.match(line) for line in COMMENT.sub("", text).split("\n"))


def _tables(made: Composed, old: Head) -> list[str]:
    """Return the ids of the tables of `old` that no table of `made` stands for.

    A table is known by what it holds, then by its id: that is made of a heading and of a number, which moves when
    another table goes.
    """
    new = {name: mirror.digest(rows.to_csv(table)) for name, table in made.tables.items()}
    left = {part.id: part.sha256 for part in old.tables}
    for parts in (slice(0, 2), slice(1, 2), slice(0, 1)):  # of id and hash: both, the hash, the id
        for was in [*left.items()]:
            found = next((name for name, sha256 in new.items() if (name, sha256)[parts] == was[parts]), None)
            if found is not None:
                del left[was[0]], new[found]
    return list(left)
