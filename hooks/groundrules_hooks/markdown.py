"""Markdown as far as rules read it: the prose outside of code and comments, and the relative links in it."""

from __future__ import annotations

import posixpath

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

FENCES = ("```", "~~~")


def links(path: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield line and target, from the root, of every relative link in `text`, the content of the file at `path`.

    Links within the page, to other sites and out of the repository are left out.
    """
    import re

    plain = re.sub(r"<!--.*?-->|`[^`\n]*`", _blank, "\n".join(prose(text)), flags=re.DOTALL)
    # What a link says may hold lines, images and brackets, so it is known by the end of that: `](` and a target.
    inline = r"\]\(\s*(?:<([^<>\n]+)>|([^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*))"
    reference = r"^ {0,3}\[(?!\^)[^\]\n]+\]:\s*(?:<([^<>\n]+)>|(\S+))"
    for found in re.finditer(f"{inline}|{reference}", plain, flags=re.MULTILINE):
        target = _decoded(next(filter(None, found.groups()), "").partition("#")[0])
        if target and ":" not in target:
            folder = "" if target.startswith("/") else posixpath.dirname(path)
            place = posixpath.normpath(posixpath.join(folder, target.lstrip("/")))
            if place != ".." and not place.startswith("../"):
                yield plain.count("\n", 0, found.start()) + 1, place


def prose(text: str) -> list[str]:
    """Return the lines of `text` with those of fenced and indented code emptied."""
    lines, fenced, before = [], False, ""
    for line in text.split("\n"):
        fence = line.lstrip().startswith(FENCES)
        # An indented line is code after a blank one or other code; elsewhere it goes on a paragraph or a list.
        indented = line.startswith(("    ", "\t")) and not before.strip()
        lines.append("" if fenced or fence or indented else line)
        fenced ^= fence
        before = "" if indented else line
    return lines


def code(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and content of every span of code and every line of fenced code in `text`."""
    import re

    kept = prose(text)
    for number, (line, left) in enumerate(zip(text.split("\n"), kept, strict=True), 1):
        if left:
            yield from ((number, span) for span in re.findall(r"`([^`]+)`", left))
        elif line.strip() and not line.lstrip().startswith(FENCES):
            yield number, line.strip().removeprefix("$ ")


def _blank(found: re.Match[str]) -> str:
    """Return what stands in for a match: nothing but its newlines, so that lines keep their numbers."""
    return "\n" * found[0].count("\n")


def _decoded(target: str) -> str:
    """Return the path that the link's `target` means: blanks and the like may stand there as `%20`."""
    if "%" not in target:
        return target
    from urllib.parse import unquote

    return unquote(target, errors="surrogateescape")
