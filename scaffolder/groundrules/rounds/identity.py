"""Identity: a finding keeps its id when its lines move, and its evidence leads somewhere or does not."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from groundrules.rounds.report import inside
from groundrules_hooks.git import answer
from groundrules_hooks.review import Finding

if TYPE_CHECKING:
    from groundrules.rounds.report import Reported
    from groundrules_hooks.change import Tree

LENGTH = 10  # of an id, in hexadecimal digits


def identified(reported: tuple[Reported, ...], tree: Tree, root: str) -> tuple[Finding, ...]:
    """Return the findings of a report about `tree`, with ids that do not depend on line numbers."""
    placed = [each._replace(path=inside(each.path, root)) for each in reported]
    files = tree.read(*{each.path for each in placed if each.path})
    return tuple(_finding(each, files.get(each.path, b""), tree) for each in placed)


def _finding(each: Reported, content: bytes, tree: Tree) -> Finding:
    around = each.symbol or _lines(content, each.line)
    words = "\0".join((each.rule or _normal(each.title), each.path, around))
    oid = hashlib.sha256(words.encode("utf-8", "surrogateescape")).hexdigest()[:LENGTH]
    evidence = tuple(shown._replace(resolved=_leads(shown.reference, tree)) for shown in each.evidence)
    return Finding(oid, each.severity, each.title, each.path, each.line, each.high_risk, evidence)


def _lines(content: bytes, line: int) -> str:
    """Return the three lines around `line`, blanks apart; nothing when the file has no such line."""
    lines = content.decode("utf-8", "replace").splitlines()
    if not 0 < line <= len(lines):
        return ""
    return "\n".join(" ".join(words.split()) for words in lines[max(0, line - 2) : line + 1])


def _normal(title: str) -> str:
    """Return `title` by which two reports of one thing are compared: words in small letters, numbers apart."""
    return " ".join(re.sub(r"[\W\d_]+", " ", title.lower()).split())


def _leads(reference: str, tree: Tree) -> bool:
    """Whether a reference leads somewhere: to a file of the tree, to a commit here, to an address (not visited)."""
    if re.match(r"https?://[^\s/]+", reference):
        return True
    if "\0" in reference:
        return False
    path = reference.partition(":")[0].strip()
    if path and tree.has(path):
        return True
    is_commit = re.fullmatch(r"[0-9a-f]{7,64}", reference)
    return bool(is_commit) and answer("cat-file", "-e", f"{reference}^{{commit}}", ok=(0, 1, 128))[0] == 0
