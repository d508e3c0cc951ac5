"""Folder: a source of requirement documents that an exporter wrote as Markdown files."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from groundrules.corpus.composition import HEADING, Source
from groundrules_hooks import mirror
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import quote, shown

if TYPE_CHECKING:
    from collections.abc import Callable

KIND = "folder"
EDGE = "---"
KNOWN = ("title", "url", "revision", "token")
MARKERS = (mirror.FIRST, mirror.TABLE, mirror.TABLE_END, mirror.LOST)
LONGEST = 18  # digits of a revision
CUT = "fields:cut"  # the loss of what follows fields that do not end
# Fields that do not end, with values of several lines; the last line may be half a field, or half an edge.
FIELD = r"\n[A-Za-z_][\w-]*[ \t]*:.*(?:\n(?:[ \t]+\S|- |#).*)*"
FIELDS = re.compile(rf"---[ \t]*(?:{FIELD})*(?:\n(?:-{{1,2}}|[A-Za-z_][\w-]*))?\n*")


def read(folder: str) -> list[Source]:
    """Return the documents of the exported Markdown in `folder`, by path. Raise GroundrulesError if one is none."""
    if not os.path.isdir(folder):
        raise GroundrulesError(
            f"{folder} is no folder", why="an export is expected there", fix=f"ls -ld {quote(folder)}"
        )
    found = [_document(folder, path) for path in _paths(folder)]
    if not found:
        raise GroundrulesError(f"{folder} holds no Markdown", why="files that end in .md", fix=f"ls -R {quote(folder)}")
    for key, values in {
        "token": [source.token for source in found],
        "path": [source.path.casefold() for source in found],
    }.items():
        for value in values:
            if values.count(value) > 1:
                raise GroundrulesError(
                    f"two documents have the {key} {value}",
                    why=", ".join(source.path for source in found if value in (source.token, source.path.casefold())),
                    fix=f"ls -R {quote(folder)}",
                )
    return found


def _paths(folder: str) -> list[str]:
    """Return the Markdown files below `folder`; what begins with a dot is no document."""
    found = []
    for where, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths = (os.path.relpath(os.path.join(where, name), folder) for name in names if not name.startswith("."))
        found += [path for path in paths if path.lower().endswith(".md")]
    return sorted(found)


def _document(folder: str, path: str) -> Source:
    place = os.path.join(folder, path)
    if not path.isprintable() or not path.endswith(".md") or f"{mirror.FOLDER}{path}" == mirror.README:
        raise GroundrulesError(
            f"{shown(place)} cannot be mirrored under that name",
            why="README.md is the page of the mirror itself; a name ends in .md and holds no control characters",
            fix=f"ls -l {quote(place)}",
        )
    _require_within(folder, place)
    content = _content(place)
    try:
        text = mirror.normal(content.removeprefix(b"\xef\xbb\xbf")).decode("utf-8")
    except UnicodeDecodeError as error:
        raise _wrong(place, content[: error.start].count(b"\n") + 1, "not UTF-8") from None
    if "\0" in text:
        raise _wrong(place, text[: text.index("\0")].count("\n") + 1, "holds a NUL, so it is no text")
    is_cut = FIELDS.fullmatch(text) is not None
    fields, text = _front(place, text)
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith(MARKERS):
            raise _wrong(place, number, "a marker of the mirror: is this a copy of its own?")
    title = fields.get("title") or _title(text) or os.path.basename(path).removesuffix(".md")
    revision = int(fields["revision"]) if "revision" in fields else None
    token = fields.get("token") or path.removesuffix(".md").strip()
    return Source(
        *(KIND, token, path, fields.get("url", ""), title, revision, mirror.digest(content), text, _reader(folder)),
        lost=(CUT,) if is_cut else (),
    )


def _require_within(folder: str, place: str) -> None:
    """Refuse a document that is a link to somewhere else: what lies there was never exported."""
    if not _is_within(folder, place):
        raise GroundrulesError(
            f"{shown(place)} is a link that leads out of the export",
            why=f"it leads to {shown(os.path.realpath(place))}, which would be copied into the repository",
            fix=f"ls -l {quote(place)}",
        )


def _is_within(folder: str, place: str) -> bool:
    root = os.path.realpath(folder)
    return os.path.commonpath([root, os.path.realpath(place)]) == root


def _content(place: str) -> bytes:
    try:
        with open(place, "rb") as file:
            return file.read()
    except OSError as error:
        raise GroundrulesError(f"cannot read {place}: {error.strerror}", fix=f"ls -l {quote(place)}") from None


def _reader(folder: str) -> Callable[[str], bytes | None]:
    """Return how a file beside the documents is read; None for what is not there, or lies outside."""

    def read(path: str) -> bytes | None:
        place = os.path.join(folder, path)
        return _content(place) if _is_within(folder, place) and os.path.isfile(place) else None

    return read


def _front(place: str, text: str) -> tuple[dict[str, str], str]:
    """Return the known fields in front of `text`, between two lines of hyphens, and what follows them."""
    lines = text.split("\n")
    if lines[0].rstrip() != EDGE or EDGE not in [line.rstrip() for line in lines[1:]]:
        return {}, text
    end = [line.rstrip() for line in lines].index(EDGE, 1)
    fields: dict[str, str] = {}
    for number, line in enumerate(lines[1:end], 2):
        key, _, value = line.partition(":")
        if key in KNOWN:
            fields[key] = " ".join(value.strip().strip("\"'").split())
            if not fields[key].isprintable():
                raise _wrong(place, number, f"{key} holds control characters")
        if key == "revision" and not (value.strip().isascii() and _is_number(fields[key])):
            raise _wrong(place, number, f"revision is {value.strip()}, no whole number")
    return fields, "\n".join(lines[end + 1 :]).lstrip("\n")


def _is_number(text: str) -> bool:
    return text.isdigit() and len(text) <= LONGEST


def _title(text: str) -> str:
    found = next((match[1] for line in text.split("\n") if (match := HEADING.match(line))), "")
    return " ".join(found.split()) if found.isprintable() else ""


def _wrong(place: str, line: int, words: str) -> GroundrulesError:
    return GroundrulesError(f"{shown(place)}:{line}: {words}", fix=f"${{EDITOR:-vi}} +{line} {quote(place)}")
