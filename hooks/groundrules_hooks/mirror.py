"""Mirror: the head of a mirrored document, read and written, and what is wrong with a document by its own account.

A head is one comment at the very top: lines `key: value` in a fixed order, nothing else, no blank lines. `title` and
`url` may hold anything on one line, so `>` and a backslash carry a backslash there. Times are UTC.
"""

from __future__ import annotations

from groundrules_hooks.kinds.generated import MIRROR as FOLDER
from groundrules_hooks.kinds.generated import README, is_mirrored
from groundrules_hooks.record import NamedTuple

__all__ = ["FOLDER", "README", "is_mirrored"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TRAILER = "Mirror-Sync"
GONE = "gone"  # in a trailer, in place of a revision
FIRST = "<!-- A copy, written by `groundrules mirror sync`; it is changed at its source and never here."
LAST = "-->"
TABLE, TABLE_END, LOST = "<!-- table ", "<!-- end of table ", "<!-- lost "  # what begins a marker in the body


class Part(NamedTuple):
    """A file that belongs to a document: a table's CSV, with what it holds, or a picture, whose `id` is empty.

    `path` is from `docs/product/`, `sha256` the `digest` of the file.
    """

    revision: int
    sha256: str
    path: str
    id: str = ""
    rows: int = 0
    columns: int = 0


class Head(NamedTuple):
    """What a mirrored document says of itself. `source` is a kind, `token` the document's name there.

    `path` is from `docs/product/`; `source_sha256` covers the text as it was read, `body_sha256` all below the head.
    `losses` name what did not come through the export, as `kind:name`. `is_given` says that the source counts the
    revisions, so that one without a number is cut.
    """

    source: str
    token: str
    path: str
    url: str
    title: str
    revision: int
    synced: str
    tool: str
    source_sha256: str
    tables: tuple[Part, ...] = ()
    files: tuple[Part, ...] = ()
    losses: tuple[str, ...] = ()
    body_sha256: str = ""
    is_given: bool = False

    @property
    def parts(self) -> tuple[Part, ...]:
        """The files beside the document."""
        return self.tables + self.files


ONCE = ("source", "token", "path", "url", "title", "revision", "synced", "tool", "source_sha256")
ORDER = (*ONCE, "given", "table", "file", "loss", "body_sha256")
MANY = ("table", "file", "loss")
GIVEN = "revision"  # what stands behind `given`, a line that only some heads have


def normal(content: bytes) -> bytes:
    """Return `content` as it is hashed: whatever a checkout does to ends of lines, it stays one text."""
    text = content.replace(b"\r\n", b"\n")
    return text.rstrip(b"\n") + b"\n" if text else text


def digest(content: bytes) -> str:
    """Return the SHA-256 of `content` in its normal form."""
    from hashlib import sha256

    return sha256(normal(content)).hexdigest()


def render(head: Head) -> str:
    """Return the comment that holds `head`."""
    values = head._asdict()
    lines = [FIRST]
    for key in ORDER:
        if key == "table":
            lines += [f"table: {p.id} {p.revision} {p.rows} {p.columns} {p.sha256} {p.path}" for p in head.tables]
        elif key == "file":
            lines += [f"file: {part.revision} {part.sha256} {part.path}" for part in head.files]
        elif key == "loss":
            lines += [f"loss: {loss}" for loss in head.losses]
        elif key == "given":
            lines += [f"given: {GIVEN}"] if head.is_given else []
        else:
            lines.append(f"{key}: {_escaped(str(values[key]))}".rstrip())
    return "\n".join([*lines, LAST]) + "\n"


def split(content: bytes) -> tuple[str, str]:
    """Return head and body of a document; the head is empty where there is none."""
    text = normal(content).decode("utf-8", "surrogateescape")
    end = text.find(f"\n{LAST}\n")
    if not text.startswith(f"{FIRST}\n") or end < 0:
        return "", text
    return text[: end + len(LAST) + 2], text[end + len(LAST) + 2 :]


def parse(content: bytes) -> Head:
    """Return the head of a document. Raise ValueError with line and words when it has none, or not as written here."""
    head, _ = split(content)
    if not head:
        raise ValueError(1, "no head: it is no copy made by `groundrules mirror sync`")
    values: dict[str, str] = {}
    many: dict[str, list[str]] = {key: [] for key in MANY}
    at = 0
    for number, line in enumerate(head.split("\n")[1:-2], 2):
        key, colon, value = line.partition(":")
        if not colon or key not in ORDER[at:] or (key in values and key not in MANY):
            raise ValueError(number, f"a head has no {key or 'empty line'} here")
        at = ORDER.index(key)
        values[key] = value.removeprefix(" ")
        if key in many:
            many[key].append(values[key])
    missing = [key for key in ORDER if key not in values and key not in (*MANY, "given")]
    if missing:
        raise ValueError(1, f"the head has no {missing[0]}")
    try:
        return _head(values, many)
    except ValueError:
        raise ValueError(1, "the head was edited: a number or a hash in it is none") from None


def _head(values: dict[str, str], many: dict[str, list[str]]) -> Head:
    tables = []
    for row in many["table"]:
        name, revision, rows, columns, sha256, path = row.split(" ", 5)
        tables.append(Part(_number(revision), sha256, path, name, _number(rows), _number(columns)))
    files = []
    for row in many["file"]:
        revision, sha256, path = row.split(" ", 2)
        files.append(Part(_number(revision), sha256, path))
    plain = {key: _plain(values[key]) for key in ONCE if key != "revision"}
    if values.get("given", GIVEN) != GIVEN:
        raise ValueError(values["given"])
    parts = {"tables": tuple(tables), "files": tuple(files), "losses": tuple(many["loss"])}
    once = {"body_sha256": values["body_sha256"], "is_given": "given" in values}
    return Head(revision=_number(values["revision"]), **plain, **parts, **once)  # type: ignore[arg-type]


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise ValueError(text)
    return int(text)


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace(">", "\\>")


def _plain(value: str) -> str:
    return value.replace("\\>", ">").replace("\\\\", "\\")


def problems(path: str, content: bytes) -> Iterator[tuple[int, str]]:
    """Yield line and words for each thing wrong with the document at `path`, from the root, taken by itself."""
    try:
        head = parse(content)
    except ValueError as error:
        yield error.args
        return
    above, body = split(content)
    if f"{FOLDER}{head.path}" != path:
        yield 1, f"moved by hand: its head says {FOLDER}{head.path}"
    line = above.count("\n") + 1
    if digest(body.encode("utf-8", "surrogateescape")) != head.body_sha256:
        yield line, f"edited by hand: the text is not that of revision {head.revision}"
        return
    tables, losses = _markers(body)
    if (tables, losses) != ([part.id for part in head.tables], list(head.losses)):
        yield line, "the tables and losses that the head lists are not those in the text"


def _markers(body: str) -> tuple[list[str], list[str]]:
    """Return the tables and the losses that the markers in `body` name, in order."""
    lines = body.split("\n")
    tables = [line.removeprefix(TABLE).split(" ")[0] for line in lines if line.startswith(TABLE)]
    losses = [line.removeprefix(LOST).removesuffix(" -->") for line in lines if line.startswith(LOST)]
    return tables, losses


def step(old: Head, new: Head) -> str:
    """Return what is wrong with the step from `old` to `new`, two heads of one document; empty when it goes forward."""
    if new.revision < old.revision:
        return f"its revision goes back from {old.revision} to {new.revision}"
    before = {_name(part): part.revision for part in old.parts}
    steps = [(before[_name(part)], part) for part in new.parts if _name(part) in before]
    for revision, part in steps:
        if part.revision < revision:
            return f"the revision of {part.path} goes back from {revision} to {part.revision}"
    forward = new.revision > old.revision or any(part.revision > revision for revision, part in steps)
    is_same = old == new if old.path == new.path else _without_place(old) == _without_place(new)
    return "" if forward or is_same else f"edited by hand: it changed, and revision {old.revision} did not"


def _name(part: Part) -> str:
    """Return what stays the same of `part` when its document moves."""
    return part.id or part.path.rpartition("/")[2]


def _without_place(head: Head) -> Head:
    """Return `head` as far as it does not depend on where and when it was written."""
    tables = tuple(part._replace(path="") for part in head.tables)
    files = tuple(part._replace(path=_name(part)) for part in head.files)
    return head._replace(path="", synced="", tool="", tables=tables, files=files)
