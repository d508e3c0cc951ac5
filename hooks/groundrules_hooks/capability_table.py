"""The table of capabilities in README.md, between two markers; and the word "available" for what is not proven."""

from __future__ import annotations

from groundrules_hooks.capability import PROVEN
from groundrules_hooks.markdown import prose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

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
# A sentence with one of these does not claim that something is available now.
DOUBT = (
    "not no nothing never none cannot isn't aren't unless until once when if will would soon later planned yet only"
    " unavailable"
)
DOUBTS = frozenset(DOUBT.split())


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


def boasts(text: str, capabilities: Iterable[Capability]) -> Iterator[tuple[int, Capability]]:
    """Yield line and capability where prose outside the table calls available by name what is not claimed proven."""
    if "vailable" not in text:
        return
    import re

    unproven = [each for each in capabilities if each.level != PROVEN]
    first, last = place(text) or (0, 0)
    for number, line in enumerate(prose(text), 1):
        if first < number <= last:
            continue
        for sentence in re.split(r"(?<=[.;!?])\s", line):
            said = re.findall(r"[\w'-]+", sentence.lower())
            if "available" in said and not DOUBTS & set(said):
                yield from ((number, each) for each in unproven if _is_named(each, sentence))


def _is_named(capability: Capability, sentence: str) -> bool:
    """Whether `sentence` speaks of `capability`: its title, or its id as code or in bold."""
    import re

    title = re.escape(capability.title.rstrip("."))
    name = re.escape(capability.id)
    return re.search(rf"(?i:(?<!\w){title}(?!\w))|[`*]{name}[`*]", sentence) is not None
