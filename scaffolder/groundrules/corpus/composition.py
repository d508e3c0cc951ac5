"""Composition: an exported document as it stands in the mirror: its text, its tables, its files, its losses."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from groundrules.corpus import losses
from groundrules.corpus import rows as cells
from groundrules.corpus.blocks import CODE, PIPES, TEXT, blocks
from groundrules_hooks.markdown import links

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from groundrules.corpus.blocks import Block
    from groundrules.corpus.rows import Rows

TABULAR = re.compile(r"!?\[([^\]\n]*)\]\((?:<[^<>\n:]*\.csv>|[^()\s:]*\.csv)(?:\s+\"[^\"\n]*\")?\)", re.IGNORECASE)
PICTURE = re.compile(r"<img\b[^>]*?\bsrc\s*=\s*[\"']([^\"':#?]+)[\"']", re.IGNORECASE)
WHOLE = re.compile(r"(.*?)(<table\b.*</table\s*>)(.*)", re.IGNORECASE | re.DOTALL)
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$")
LONGEST = 40  # of an id


class Source(NamedTuple):
    """A document as its source gives it: `kind` of source, `token` there, `path` of its file in the mirror.

    `revision` is None where the source counts none. `sha256` covers what was read, `text` is what of that is for
    readers. `read` returns what stands beside it at a path from the root of the corpus. `lost` names what the source
    itself could not read whole.
    """

    kind: str
    token: str
    path: str
    url: str
    title: str
    revision: int | None
    sha256: str
    text: str
    read: Callable[[str], bytes | None]
    lost: tuple[str, ...] = ()


class Place(NamedTuple):
    """Where in a text a table stands, or where something was lost: `id` is that of the table, or the loss's name."""

    id: str
    is_lost: bool = False


class Composed(NamedTuple):
    """A document with its tables by id and the `files` beside it by path, all found in `items`, in order."""

    source: Source
    items: tuple[str | Place, ...]
    tables: dict[str, Rows]
    files: dict[str, bytes]

    @property
    def losses(self) -> tuple[str, ...]:
        """What did not come through the export."""
        return tuple(item.id for item in self.items if isinstance(item, Place) and item.is_lost)


def compose(source: Source) -> Composed:
    """Return `source` as it stands in the mirror. What a paragraph names, such as a CSV file, is set behind it."""
    made = Composed(source, (), {}, {})
    beside = _beside(source)
    seen: Counter[str] = Counter()
    items: list[str | Place] = [Place(name, is_lost=True) for name in source.lost]
    behind: list[Place] = []
    heading = source.title
    for block in blocks(source.text):
        if block.kind != TEXT or not block.lines[0].strip():
            items += behind
            behind.clear()
        found = HEADING.match(block.lines[0]) if block.kind == TEXT else None
        heading = found[1] if found and found[1] else heading
        targets = [target for n in range(len(block.lines)) for target in beside.get(block.first + n, ())]
        is_tabular = any(target.lower().endswith(".csv") for target in targets)
        for item in _items(block, made.tables, heading, seen):
            if isinstance(item, Place) and item.is_lost:
                behind.append(item)
            else:
                items.append(TABULAR.sub(r"\1", item) if is_tabular and isinstance(item, str) else item)
        for target in targets:
            behind += _named(made, target, seen)
    return made._replace(items=(*items, *behind))


def _items(block: Block, tables: dict[str, Rows], heading: str, seen: Counter[str]) -> Iterator[str | Place]:
    """Yield the lines and tables that `block` becomes, and what was lost in them."""
    if block.kind == CODE:
        yield from block.lines
    elif block.kind == TEXT:
        yield from _line(block.lines[0], seen)
    elif block.kind == PIPES:
        yield from _table(cells.of_markdown(block.lines), tables, heading, seen)
    else:
        whole = WHOLE.fullmatch("\n".join(block.lines))
        before, table, after = whole.groups() if whole else ("\n".join(block.lines), "", "")
        yield from (item for line in before.split("\n") if line.strip() for item in _line(line, seen))
        yield from _table(cells.of_html(table), tables, heading, seen)
        yield from (item for line in after.split("\n") if line.strip() for item in _line(line, seen))


def _line(line: str, seen: Counter[str]) -> Iterator[str | Place]:
    plain, names = losses.taken(line, seen)
    yield plain
    yield from (Place(name, is_lost=True) for name in names)


def _table(rows: Rows, tables: dict[str, Rows], name: str, seen: Counter[str]) -> Iterator[str | Place]:
    """Yield the place of a table, and what was lost in its cells; one without any text is lost itself."""
    if not any(map(any, rows)):
        lost = losses.named("table", "", seen)
        yield losses.said(lost)
        yield Place(lost, is_lost=True)
        return
    taken = [[losses.taken(cell, seen) for cell in row] for row in rows]
    yield _kept(tables, name, cells.square([[TABULAR.sub(r"\1", text) for text, _ in row] for row in taken]))
    yield from (Place(lost, is_lost=True) for row in taken for _, names in row for lost in names)


def _kept(tables: dict[str, Rows], name: str, rows: Rows) -> Place:
    """Keep `rows` under an id of their own, made of `name`, which can stand in the name of a file."""
    plain = re.sub(r"[\W_]+", "-", unicodedata.normalize("NFC", name).lower())[:LONGEST].strip("-") or "table"
    number = 1
    while (found := plain if number == 1 else f"{plain}-{number}") in tables:
        number += 1
    tables[found] = rows
    return Place(found)


def _named(made: Composed, target: str, seen: Counter[str]) -> list[Place]:
    """Return what stands for the file at `target`: its table, nothing for a file that is kept, or its loss."""
    stem, ending = posixpath.splitext(posixpath.basename(target))
    if ending.lower() == ".md" or not ending:
        return []
    content = made.source.read(target) if target.isprintable() else None
    if content is not None and ending.lower() != ".csv":
        made.files[target] = content
        return []
    try:
        rows = cells.of_csv(content or b"")
    except ValueError:
        rows = ()
    if content is None or not any(map(any, rows)):
        return [Place(losses.named("file", target, seen), is_lost=True)]
    return [_kept(made.tables, stem, rows)]


def _beside(source: Source) -> dict[int, list[str]]:
    """Return by line the files beside `source` that it names, each once."""
    found: dict[int, list[str]] = {}
    known: set[str] = set()
    named = [*links(source.path, source.text)]
    for number, line in enumerate(source.text.split("\n"), 1):
        places = (posixpath.normpath(posixpath.join(posixpath.dirname(source.path), p)) for p in PICTURE.findall(line))
        named += ((number, place) for place in places if not place.startswith(("../", "/")))
    for number, target in named:
        if target not in known:
            known.add(target)
            found.setdefault(number, []).append(target)
    return found
