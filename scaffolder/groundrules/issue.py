"""The issue that says that the target holds trees which nobody tested: one at a time, and each tree told once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules import console, forge
from groundrules_hooks.finding import shown, utf8

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groundrules.forge import Issue
    from groundrules.landing import Landing

TITLE = "{} holds a tree that nobody tested"
HEAD, END = "<!-- groundrules audit ", " -->"
MOST = 20  # landings that one text shows
TREES = 500  # that its first line names
LONGEST = 200  # characters of a title, a subject, a reason: a forge takes no text without an end


def tell(target: str, untested: Sequence[Landing]) -> None:
    """Have the forge's one open issue about the branch `target` name each of `untested`, opening it if there is none.

    Two that open one at the same time both look again: the older issue stays, the other is closed.
    """
    stands = _standing()
    if stands:
        _add(stands, untested, target)
        return
    ours = forge.open_issue(TITLE.format(_cut(target)), text(target, untested))
    first = _standing()
    if first is None or first.number >= ours:
        console.step(console.DONE, "issue", f"#{ours} opened")
        return
    _add(first, untested, target)
    forge.close(ours, f"#{first.number} was opened at the same time and says the same.")


def _standing() -> Issue | None:
    """Return the oldest open issue that an audit opened."""
    return next((each for each in forge.issues() if each.body.startswith(HEAD)), None)


def _add(stands: Issue, untested: Sequence[Landing], target: str) -> None:
    """Tell an issue that stands of those of `untested` that neither it nor a comment on it names."""
    told = _trees([stands.body, *forge.comments(stands.number)])
    new = [each for each in untested if each.step.tree not in told]
    if new:
        forge.comment(stands.number, text(target, new))
        console.step(console.DONE, "issue", f"#{stands.number} is open and was told")
    else:
        console.step(console.ALREADY, "issue", f"#{stands.number} is open and says so")


def _trees(texts: Iterable[str]) -> set[str]:
    """Return the subject trees that `texts` of ours name in their first lines."""
    heads = (text.partition(END)[0] for text in texts if text.startswith(HEAD))
    return {tree for head in heads for tree in head.removeprefix(HEAD).split()}


def text(target: str, untested: Sequence[Landing]) -> str:
    """Return what an issue or a comment says. Its first line is for the next audit; subjects are quoted as code."""
    shows, count = untested[:MOST], len(untested)
    more = [f"- and {count - len(shows)} more"] if count > len(shows) else []
    what = "a tree that is" if count == 1 else f"{count} trees that are"
    return "\n".join(
        [
            HEAD + " ".join(each.step.tree for each in untested[:TREES]) + END,
            f"`{target}` holds {what} not known to have been tested before landing there.",
            "",
            *(f"- {each.step.commit} {_code(each.step.subject)} {_cut(each.why)}" for each in shows),
            *more,
            "",
            "To test the newest one as it is:",
            "",
            f"    git fetch && git switch --detach {untested[0].step.commit}",
            "    tools/groundrules merge prove --target HEAD",
            "",
            "While this issue is open, further ones are told here. Close it when what landed is known to work.",
            "",
        ]
    )


def _code(words: str) -> str:
    """Return `words` as code, in which nothing is a mention, a link or a comment."""
    return f"`{utf8(_cut(shown(words))).replace('`', chr(39))}`:"


def _cut(words: str) -> str:
    return words if len(words) <= LONGEST else f"{words[:LONGEST]}…"
