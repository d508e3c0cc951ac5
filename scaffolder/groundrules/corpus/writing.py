"""Writing: a document with its head and the files beside it, as bytes; and proof that what was written reads back."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from groundrules.corpus import rows
from groundrules_hooks import mirror
from groundrules_hooks.failure import DEFECT, GroundrulesError
from groundrules_hooks.lock import held
from groundrules_hooks.mirror import Head, Part

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from groundrules.corpus.composition import Composed


class Stamp(NamedTuple):
    """When a sync runs, and which version of what."""

    synced: str
    tool: str


def written(made: Composed, old: Head | None, revision: int, stamp: Stamp) -> tuple[Head, dict[str, bytes]]:
    """Return the head of a document, which `old` was before, and all its files by path from `docs/product/`."""
    source = made.source
    beside = {f"{source.path.removesuffix('.md')}.{name}.csv": name for name in made.tables}
    files = {path: rows.to_csv(made.tables[name]) for path, name in beside.items()} | made.files
    before = {part.id or part.path: part for part in old.parts} if old else {}
    tables = []
    for path, name in beside.items():
        table = made.tables[name]
        part = _part(before.get(name), path, files[path])
        tables.append(part._replace(id=name, rows=len(table) - 1, columns=len(table[0])))
    revisions = {part.id: part.revision for part in tables}
    body = mirror.normal("\n".join(_lines(made, revisions)).strip("\n").encode("utf-8", "surrogateescape"))
    head = Head(
        *(source.kind, source.token, source.path, source.url, source.title, revision, *stamp, source.sha256),
        tables=tuple(tables),
        files=tuple(_part(before.get(path), path, content) for path, content in made.files.items()),
        losses=made.losses,
        is_given=source.revision is not None,
        body_sha256=mirror.digest(body),
    )
    return head, {source.path: mirror.render(head).encode("utf-8", "surrogateescape") + body, **files}


def _part(old: Part | None, path: str, content: bytes) -> Part:
    """Return the part at `path`: its revision is one more than before when its content is another."""
    sha256 = mirror.digest(content)
    revision = 1 if old is None else old.revision + (old.sha256 != sha256)
    return Part(revision, sha256, path)


def _lines(made: Composed, revisions: Mapping[str, int]) -> list[str]:
    """Return the lines of the body, in which one blank line sets off what is not text."""
    found: list[str] = []
    is_set_off = False
    for item in made.items:
        if isinstance(item, str):
            found += [item] if item.strip() or not is_set_off else []
            is_set_off = False
            continue
        found += [""] if found and found[-1].strip() else []
        if item.is_lost:
            found.append(f"{mirror.LOST}{item.id} -->")
        else:
            table = rows.to_markdown(made.tables[item.id])
            found += [f"{mirror.TABLE}{item.id} revision {revisions[item.id]} -->", "", *table]
            found += ["", f"{mirror.TABLE_END}{item.id} -->"]
        found.append("")
        is_set_off = True
    return found


def require_readable(folder: str, paths: list[str]) -> None:
    """Read every document at `paths` again, and each table in it both ways. Raise GroundrulesError if one differs."""
    for path in paths:
        content = held(os.path.join(folder, path))
        wrong = [words for _, words in mirror.problems(f"{mirror.FOLDER}{path}", content)]
        if not wrong:
            head, (_, body) = mirror.parse(content), mirror.split(content)
            wrong = [
                words for part in head.parts for words in _differs(part, body, held(os.path.join(folder, part.path)))
            ]
        if wrong:
            raise GroundrulesError(
                f"{path} does not read back as it was written: {wrong[0]}", why="nothing was changed", code=DEFECT
            )


def _differs(part: Part, body: str, content: bytes) -> Iterator[str]:
    """Yield what is wrong with a part beside a document of which `body` is the text."""
    if mirror.digest(content) != part.sha256:
        yield f"{part.path} is not what the head says"
    if part.id:
        _, _, rest = body.partition(f"{mirror.TABLE}{part.id} revision {part.revision} -->\n\n")
        table, end, _ = rest.partition(f"\n\n{mirror.TABLE_END}{part.id} -->\n")
        found = rows.of_markdown(table.split("\n"))
        if not end or "\n\n" in table or found != rows.of_csv(content):
            yield f"the table {part.id} in the text is not that of {part.path}"
        elif (len(found) - 1, len(found[0])) != (part.rows, part.columns):
            yield f"the table {part.id} has {len(found) - 1} rows and {len(found[0])} columns"
