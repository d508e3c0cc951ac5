"""Conflict: the analysis of a task's conflict with the target, and what a handoff must wait for until it is resolved.

`evidence/<task>/conflict.md` holds one page a conflict, the newest first. A page begins with a comment whose JSON is
written by the machine; what stands below Resolution and Sign-off is the author's.
"""

from __future__ import annotations

from groundrules_hooks.document import loads
from groundrules_hooks.finding import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

HEAD = "<!-- groundrules conflict/1 "
END = " -->\n"
RESOLUTION = "## Resolution"
SIGN_OFF = "## Sign-off"


def path_of(task: str) -> str:
    """Return the path of the analysis of `task`, from the root."""
    return f"evidence/{task}/conflict.md"


def pages(content: bytes) -> list[str]:
    """Return the pages of an analysis, newest first; what stands before the first head is a page without one."""
    first, *rest = content.decode("utf-8", "surrogateescape").split(HEAD)
    return [*([first] if first.strip() else []), *(HEAD + page for page in rest)]


def head(page: str) -> dict[str, Any] | None:
    """Return the facts of `page`, as the machine wrote them; None when they cannot be read."""
    if not page.startswith(HEAD):
        return None
    try:
        facts: dict[str, Any] = loads(page[len(HEAD) : page.find(END)].encode("utf-8", "surrogateescape"))
        texts = [facts["subject_tree"], facts["with"], *(row["path"] for row in facts["high_risk"])]
    except (ValueError, KeyError, TypeError):
        return None
    return facts if all(isinstance(text, str) for text in texts) else None


def body(page: str) -> str:
    """Return what stands below the head of `page`."""
    return page.partition(END)[2]


def section(page: str, title: str) -> str:
    """Return the text below the heading `title`, without comments."""
    _, _, rest = f"\n{page}".partition(f"\n{title}\n")
    lines = []
    for line in rest.split("\n"):
        if line.startswith("## "):
            break
        lines.append(line)
    kept, *parts = "\n".join(lines).split("<!--")
    return "".join([kept, *(part.partition("-->")[2] for part in parts)]).strip()


def problems(content: bytes, subject_tree: str) -> Iterator[str]:
    """Yield what an analysis still lacks before a handoff for `subject_tree` can be ready."""
    for page in pages(content):
        facts = head(page)
        if facts is None:
            yield "a page without a head that can be read; only the text below its headings is for editing"
            continue
        name = f"the conflict with {facts['with']}"
        if not section(page, RESOLUTION):
            yield f"{name} has no resolution"
        signed = dict(_signatures(section(page, SIGN_OFF)))
        for path in (row["path"] for row in facts["high_risk"]):
            if not signed.get(path):
                yield f"{name} is about {path}, which is high-risk, and nobody has signed it off"
        if facts["subject_tree"] == subject_tree:
            yield f"nothing has changed since {name}, so there are no new results"


def commands(content: bytes, subject_tree: str, task: str) -> list[str]:
    """Return what to type for an analysis that is not finished: to bring the other side in, and to write."""
    found = [head(page) for page in pages(content)]
    names = dict.fromkeys(facts["with"] for facts in found if facts and facts["subject_tree"] == subject_tree)
    return [*(f"git merge {quote(name)}" for name in names), f"${{EDITOR:-vi}} {path_of(task)}"]


def _signatures(text: str) -> Iterator[tuple[str, str]]:
    """Yield path and name of each line `- path: name`; a path may hold a colon."""
    for line in text.split("\n"):
        if line.startswith("- "):
            path, _, name = line[2:].rpartition(":")
            yield path.strip().strip("`"), name.strip()
