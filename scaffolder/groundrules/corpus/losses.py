"""Losses: what an exporter left where it could not write a table, a picture or another block."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundrules_hooks.failure import FINDINGS, GroundrulesError

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Sequence

# HTML that Markdown may hold, and the containers of exporters whose content stands inside.
HARMLESS = (
    *("a", "abbr", "b", "big", "blockquote", "br", "caption", "center", "cite", "code", "col", "colgroup", "dd", "del"),
    *("details", "dfn", "div", "dl", "dt", "em", "figcaption", "figure", "font", "h1", "h2", "h3", "h4", "h5", "h6"),
    *("hr", "i", "img", "input", "ins", "kbd", "li", "mark", "nav", "ol", "p", "pre", "q", "ruby", "s", "samp"),
    *("section", "small", "span", "strike", "strong", "sub", "summary", "sup", "table", "tbody", "td", "tfoot", "th"),
    *("thead", "time", "tr", "tt", "u", "ul", "var", "wbr", "callout", "column", "grid", "quote-container", "text"),
)
EMBEDS = (
    *("base", "bitable", "board", "chart", "database", "diagram", "embed", "embedded_spreadsheet", "excel", "iframe"),
    *("mindnote", "reference_base", "sheet", "spreadsheet", "view", "whiteboard"),
)
TAG = re.compile(r"<([A-Za-z][A-Za-z0-9_-]*)((?:\s[^<>]*|/)?)>")
ATTRIBUTE = re.compile(r"""([A-Za-z_:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>/]+))""")
NAMING = ("token", "doc_token", "doc-token", "id", "src", "url", "href")
WITHIN = ("sheet_id", "sheet-id", "table_id", "table-id", "view_id", "view-id")
WORDS = (
    "sheet|spreadsheet|table|bitable|database|child_database|base|board|whiteboard|mindnote|diagram|chart|embed|iframe|"
    "excel|电子表格|多维表格|表格|数据表|画板|思维笔记"
)
LINE = r"^\s*(?:[-*+]\s+|\d+[.)]\s+|>\s*)?[*_`]*"
BRACKETS = re.compile(
    rf"{LINE}\[\s*(?:embedded\s+)?({WORDS})(?!\s+of\b)(?:\s*:\s*|\s+|(?=\]))([^\]\n]*)\][*_`]*\s*$", re.IGNORECASE
)
CANNOT = "(?:unsupported|not supported|不支持)"
UNSUPPORTED = re.compile(
    rf"{LINE}(?:<!--.*?{CANNOT}.*?-->|\[[^\]]*\]: # [(\"'].*?{CANNOT}.*|\W*unsupported (?:block|content|element)\b.*)$",
    re.IGNORECASE,
)
LONGEST = 80


def is_embed(tag: str) -> bool:
    """Whether a tag stands for something that is not there: one that is known for it, or holds no text of its own."""
    found = TAG.fullmatch(tag)
    if not found or found[1].lower() in HARMLESS:
        return False
    return found[1].lower() in EMBEDS or "=" in found[2] or found[2].endswith("/")


def taken(line: str, seen: Counter[str]) -> tuple[str, list[str]]:
    """Return `line` with words in place of each loss in it, and the names of the losses, `kind:name`.

    A loss that has no name of its own gets the number of those of its kind that were `seen`.
    """
    whole = BRACKETS.match(line)
    if whole:
        name = named(whole[1].lower(), whole[2], seen)
        return said(name), [name]
    if UNSUPPORTED.match(line):
        name = named("unsupported", "", seen)
        return said(name), [name]
    names: list[str] = []

    def replace(tag: re.Match[str]) -> str:
        if not is_embed(tag[0]):
            return tag[0]
        names.append(named(tag[1].lower(), _identity(tag[2]), seen))
        return said(names[-1])

    plain = re.sub(TAG, replace, line)
    for name in names:
        plain = re.sub(rf"</{re.escape(name.partition(':')[0])}\s*>", "", plain, flags=re.IGNORECASE)
    return plain, names


def named(kind: str, name: str, seen: Counter[str]) -> str:
    """Return the name of a loss on one line; without a `name` its number stands there."""
    seen[kind] += 1
    plain = re.sub(r"[\s<>]+", "-", name.strip()).strip("-")[:LONGEST].replace("--", "-")
    return f"{kind}:{plain if plain and plain.isprintable() else seen[kind]}"


def said(name: str) -> str:
    """Return what a reader of the mirror finds in place of a loss."""
    return f"(lost in export: {name})"


def require_accepted(lost: Iterable[str], accept: Sequence[str]) -> None:
    """Refuse what is `lost`, each named `document:kind:name`, unless it is accepted by name."""
    refused = list(dict.fromkeys(name for name in lost if name not in accept))
    if refused:
        listed = ", ".join(f'"{name}"'.replace("\\", "\\\\") for name in [*accept, *refused])
        raise GroundrulesError(
            f"{len(refused)} thing{'s' * (len(refused) != 1)} did not come through the export; nothing was written",
            why="\n".join(
                [*refused, "export them too, or accept each by name:", "  [mirror]", f"  accept = [{listed}]"]
            ),
            fix="${EDITOR:-vi} groundrules.toml",
            code=FINDINGS,
        )


def _identity(attributes: str) -> str:
    found = {each[1].lower(): each[2] or each[3] or each[4] or "" for each in ATTRIBUTE.finditer(attributes)}
    name = next((found[key] for key in NAMING if found.get(key)), "")
    return "_".join(filter(None, [name, next((found[key] for key in WITHIN if found.get(key)), "")]))
