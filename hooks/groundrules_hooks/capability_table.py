"""The table of capabilities in README.md, between two markers."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundrules_hooks.capability import Capability

README = "README.md"
BEGIN, END = "<!-- begin capabilities", "<!-- end capabilities"
MARKERS = f"{BEGIN}: written from capabilities.toml, not by hand -->\n{END} -->\n"
MEANINGS = {
    "absent": "does not exist yet",
    "stub": "its place is kept, nothing is done",
    "compiles": "code that nothing which runs uses",
    "healthy": "code beside a service that runs, which does not use it",
    "wired": "used by what runs, not proven",
    "proven": "available: its checks pass for each acceptance item",
}
NOTHING = "No capability is claimed."
PLAIN = str.maketrans({char: f"\\{char}" for char in "\\|<[]*`"})


def table(capabilities: Sequence[Capability]) -> str:
    """Return what stands between the markers."""
    rows = [
        f"| {each.title.translate(PLAIN)} | `{each.id}` | {each.level} | {MEANINGS[each.level]} |\n"
        for each in capabilities
    ]
    return "".join(["| capability | id | level | that is |\n|---|---|---|---|\n", *rows]) if rows else f"{NOTHING}\n"


def place(text: str) -> tuple[int, int] | None:
    """Return the lines, counted from 0, from which to which the table reaches; None without two markers in order."""
    lines = text.split("\n")
    begins = [index for index, line in enumerate(lines) if line.startswith(BEGIN)]
    ends = [index for index, line in enumerate(lines) if line.startswith(END)]
    return (begins[0] + 1, ends[0]) if len(begins) == len(ends) == 1 and begins[0] < ends[0] else None


def problem(text: str) -> str:
    """Return what is wrong with the markers in `text`; empty where they are right, or where there are none."""
    if place(text) or (BEGIN not in text and END not in text):
        return ""
    return "the table of capabilities has not one marker before it and one behind it, each at the start of a line"


def render(text: str, capabilities: Sequence[Capability]) -> str:
    """Return `text` with the table between its markers, if it has them; ends of lines stay as they are."""
    found = place(text)
    if found is None:
        return text
    lines = text.split("\n")
    end = "\r" if lines[found[0] - 1].endswith("\r") else ""
    rows = [f"{row}{end}" for row in table(capabilities).removesuffix("\n").split("\n")]
    return "\n".join([*lines[: found[0]], *rows, *lines[found[1] :]])


def is_current(text: str, capabilities: Sequence[Capability]) -> bool:
    """Whether the table in `text`, if it has one, is that of `capabilities`."""
    return render(text, capabilities) == text
