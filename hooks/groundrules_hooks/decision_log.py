"""Decision log: what the head of a decision says of its status, and where two decisions contradict each other."""

from __future__ import annotations

import posixpath

from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

STATUSES = ("proposed", "accepted", "rejected", "deprecated", "superseded")
# What was in force once is read by those who follow it, so it stays as it was.
SETTLED = ("accepted", "deprecated", "superseded")
STATUS = "status:"
REPLACED = ("superseded by", "superseded-by:")
REPLACES = ("supersedes",)


class Decision(NamedTuple):
    """One decision: its status, written at `line` behind `lead`; 0 where it has none.

    `by` are the numbers of those that supersede it, `replaces` of those it supersedes, `body` is all other text
    without blank lines and targets of links.
    """

    path: str
    digits: str
    title: str
    status: str
    line: int
    lead: str
    by: tuple[int, ...]
    replaces: tuple[int, ...]
    body: tuple[str, ...]

    @property
    def number(self) -> int:
        """The number, whatever zeros stand before it."""
        return int(self.digits)

    @property
    def is_settled(self) -> bool:
        """Whether it is, or was, in force."""
        return self.status in SETTLED


class Contradiction(NamedTuple):
    """What is wrong with the decision at `path`, `because` of the one at another path; empty when that is not there.

    `edit` is what sed does to `line` to mend it, in lines.
    """

    path: str
    line: int
    message: str
    because: str
    edit: str = ""


def parse(path: str, digits: str, content: bytes) -> Decision:
    """Return the decision in the file at `path`, whose name holds `digits`.

    A status is a line `Status: accepted`, in front matter too, or the first line below a heading Status.
    """
    lines = content.decode("utf-8", "replace").splitlines()
    title = next((line[2:].strip() for line in lines if line.startswith("# ")), digits)
    found = Decision(path, digits, title, "", 0, "", (), (), ())
    body = []
    head, below = True, False
    for number, line in enumerate(lines, 1):
        words = _plain(line)
        if words.startswith("## "):
            below = words == "## status"
            head = below
        said = words.removeprefix(STATUS).strip(" \"'")
        if head and not found.line and (words.startswith(STATUS) or (below and words and words[0] != "#")):
            found = found._replace(status=_first_word(said), line=number, lead=_lead(line))
            if said.startswith(REPLACED):
                found = found._replace(by=_numbers(line.lower().partition("by")[2]))
        elif head and words.startswith(REPLACED):
            found = found._replace(status="superseded", by=_numbers(line.lower().partition("by")[2]))
        elif head and words.startswith(REPLACES):
            found = found._replace(replaces=found.replaces + _numbers(line.lower().partition("supersedes")[2]))
        elif words:
            body.append(_without_targets(line.strip()))
    return found._replace(body=tuple(body))


def contradictions(log: Mapping[int, Decision]) -> Iterator[Contradiction]:
    """Yield what is wrong with the statuses of `log`, the decisions by their number, and between two of them."""
    for decision in log.values():
        yield from _status(decision, log)
        if decision.status == "superseded":
            yield from _replaced(decision, log)
        yield from _replacing(decision, log)


def _status(decision: Decision, log: Mapping[int, Decision]) -> Iterator[Contradiction]:
    if decision.status not in STATUSES:
        said = f"status {decision.status} is not known" if decision.line else "no line `Status:`"
        message = f"{said}; it is one of {', '.join(STATUSES)}"
        yield Contradiction(decision.path, decision.line or 1, message, decision.path)
    elif decision.status == "superseded" and not decision.by and not _newer(decision, log):
        message = "superseded, and not by which: `Status: superseded by NNNN`"
        yield Contradiction(decision.path, decision.line, message, decision.path)


def _newer(decision: Decision, log: Mapping[int, Decision]) -> list[Decision]:
    """Return the decisions that say they supersede `decision` and are in force."""
    return [each for each in log.values() if decision.number in each.replaces and each.is_settled]


def _replaced(decision: Decision, log: Mapping[int, Decision]) -> Iterator[Contradiction]:
    """Yield what is wrong with those that supersede `decision`: they exist, are in force, and say so."""
    for number in decision.by:
        newer = log.get(number)
        if newer is None or newer is decision:
            message = f"superseded by {number:04}, which is no {'other ' * (newer is decision)}decision here"
            yield Contradiction(decision.path, decision.line, message, "")
        elif not newer.is_settled:
            message = f"superseded by {newer.digits}, which is {newer.status or 'without a status'}"
            yield Contradiction(decision.path, decision.line, message, newer.path)
        elif decision.number not in newer.replaces:
            message = f"{decision.digits} says it is superseded by this, and no line here says `Supersedes:`"
            edit = f"a\\\n\\\nSupersedes: {decision.digits}"
            yield Contradiction(newer.path, newer.line, message, decision.path, edit)


def _replacing(decision: Decision, log: Mapping[int, Decision]) -> Iterator[Contradiction]:
    """Yield what is wrong with those that `decision` supersedes: they exist, and say so once it is in force."""
    for number in decision.replaces:
        older = log.get(number)
        if older is None or older is decision:
            message = f"supersedes {number:04}, which is no {'other ' * (older is decision)}decision here"
            yield Contradiction(decision.path, decision.line or 1, message, "")
        elif decision.is_settled and decision.number not in older.by:
            others = [f"{other:04}" for other in older.by]
            message = f"{decision.digits} supersedes it, and its status is {older.status} {' '.join(others)}".rstrip()
            edit = f"s/.*/{older.lead}superseded by {' and '.join([*others, decision.digits])}/"
            yield Contradiction(older.path, older.line or 1, message, decision.path, edit if older.line else "")


def _lead(line: str) -> str:
    """Return what stands before the status in `line`: the word and its colon, if they are there."""
    before, colon, after = line.partition(":")
    bold = "**" if after.startswith("**") else ""
    return f"{before}:{bold} " if colon and _plain(before + colon) == STATUS else ""


def _plain(line: str) -> str:
    """Return `line` in small letters without what Markdown puts around words."""
    return line.strip().lower().replace("**", "").replace("__", "").lstrip("*-+> ").strip()


def _first_word(text: str) -> str:
    return (text.replace("[", " ").split() or [""])[0].strip(".,;:*_")


def _numbers(text: str) -> tuple[int, ...]:
    """Return the numbers of the decisions that `text` names, by number or by a link to its file."""
    import re

    named = re.sub(r"\[[^\]]*\]\(<?([^)\s>]*)[^)]*\)", lambda link: f" {posixpath.basename(link[1])} ", text)
    return tuple(int(found) for found in re.findall(r"(?<![\w.-])(?:adr[- ]?)?(\d{1,18})(?!\d)", named))


def _without_targets(line: str) -> str:
    """Return `line` without the targets of its links: what they lead to may have moved."""
    import re

    return re.sub(r"\]\([^)]*\)", "]", line)


def listed(path: str, content: bytes) -> Sequence[tuple[int, str]]:
    """Return line and target of the links in the index at `path`, those to files beside it."""
    from groundrules_hooks.markdown import links

    folder = posixpath.dirname(path)
    found = links(path, content.decode("utf-8", "replace"))
    return [(line, target) for line, target in found if posixpath.dirname(target) == folder]
