"""The door to PyYAML: a document as texts, lists and mappings that know their lines. Nothing is ever constructed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import quote, shown
from groundrules_hooks.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
MOST_NODES = 200_000  # with every alias written out: a few lines can stand for more than a machine holds
MERGE = "<<"


class Node(NamedTuple):
    """One value: a text (null is empty), a list, or a mapping; `lines` are those of the mapping's keys, from 1."""

    value: str | list[Node] | dict[str, Node]
    line: int
    lines: dict[str, int]

    @property
    def text(self) -> str:
        """The scalar's text; empty for a list or a mapping."""
        return self.value if isinstance(self.value, str) else ""

    @property
    def items(self) -> list[Node]:
        """The list's items; a scalar that is not empty is a list of itself."""
        if isinstance(self.value, list):
            return self.value
        return [self] if self.text else []

    @property
    def keys(self) -> dict[str, Node]:
        """The mapping; empty for anything else."""
        return self.value if isinstance(self.value, dict) else {}

    def at(self, *path: str) -> Node:
        """Return the value below these keys, an empty text where there is none."""
        found = self
        for key in path:
            found = found.keys.get(key, Node("", found.line, {}))
        return found

    def line_of(self, key: str) -> int:
        """Return the line of `key`, or of the whole where it has none."""
        return self.lines.get(key, self.line)

    def texts(self) -> Iterator[Node]:
        """Yield every scalar below."""
        below = self.value if isinstance(self.value, list) else self.keys.values()
        if isinstance(self.value, str):
            yield self
        for node in below:
            yield from node.texts()


def documents(path: str, content: bytes) -> list[Node]:
    """Return the documents of a file. Raise GroundrulesError with the place of what cannot be read."""
    try:
        return [Reading(path).node(node) for node in yaml.compose_all(content, LOADER)]
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = min(mark.line if mark else 0, content.rstrip(b"\n").count(b"\n")) + 1  # the end is on the last line
        raise unreadable(path, line, error.problem or "no YAML") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        reason = getattr(error, "reason", "") or "no YAML"
        raise unreadable(path, 1, f"not text: {reason}") from None
    except RecursionError:
        raise unreadable(path, 1, "nested too deep") from None


def unreadable(path: str, line: int, why: str) -> GroundrulesError:
    """Return the error about `line` of the file at `path`."""
    return GroundrulesError(
        f"{shown(path)}:{line}: cannot read this file", why=why, fix=f"${{EDITOR:-vi}} +{line} {quote(path)}"
    )


class Reading:
    """One file being read: each node once, however many aliases lead to it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._made: dict[int, tuple[Node, int]] = {}
        self._open: set[int] = set()

    def node(self, raw: yaml.Node) -> Node:
        """Return `raw` as a Node."""
        return self._sized(raw)[0]

    def _sized(self, raw: yaml.Node) -> tuple[Node, int]:
        """Return `raw` as a Node, and how many nodes it is with every alias written out."""
        known = self._made.get(id(raw))
        if known:
            return known
        line = raw.start_mark.line + 1
        if id(raw) in self._open:
            raise unreadable(self.path, line, "an alias that leads into itself")
        self._open.add(id(raw))
        if isinstance(raw, yaml.MappingNode):
            made, size = self._mapping(raw)
        elif isinstance(raw, yaml.SequenceNode):
            below = [self._sized(item) for item in raw.value]
            made, size = Node([node for node, _ in below], line, {}), 1 + sum(size for _, size in below)
        else:
            text = "" if raw.tag == "tag:yaml.org,2002:null" else str(raw.value)
            made, size = Node(text, line, {}), 1
        if size > MOST_NODES:
            raise unreadable(self.path, line, "aliases that stand for more than a file may hold")
        self._open.discard(id(raw))
        self._made[id(raw)] = made, size
        return made, size

    def _mapping(self, raw: yaml.MappingNode) -> tuple[Node, int]:
        values: dict[str, Node] = {}
        lines: dict[str, int] = {}
        merged: list[Node] = []
        size = 1
        for key, held in raw.value:
            node, more = self._sized(held)
            size += more
            name, line = str(key.value), key.start_mark.line + 1
            if name == MERGE:
                merged += node.items if isinstance(node.value, list) else [node]
                continue
            if name in lines:
                raise unreadable(self.path, line, f"the key {name} is here and in line {lines[name]}")
            values[name], lines[name] = node, line
        for node in merged:  # what the mapping says itself goes before what it merges in
            values = {**node.keys, **values}
            lines = {**node.lines, **lines}
        return Node(values, raw.start_mark.line + 1, lines), size
