"""Leftovers: what the review of a task leaves open, as the texts that its handoff has to list."""

from __future__ import annotations

from groundrules_hooks.finding import utf8

TYPE_CHECKING = False
if TYPE_CHECKING:
    from groundrules_hooks.review import Finding


def log_of(task: str) -> str:
    """Return the path of the review log of `task`, from the root."""
    return f"evidence/{task}/review.jsonl"


def leftovers(log: bytes, path: str, agreed: bytes) -> list[str]:
    """Return the open findings of the review log `log` at `path` by the policy `agreed`, the worst first.

    Raise GroundrulesError where one of the two is wrong; without an event no policy is needed.
    """
    if not log:
        return []
    from groundrules_hooks import policy, review, review_log  # most pushes have no review to read

    events = review_log.events(log, path)
    found = review.open_findings(policy.parse(agreed), events) if events else []
    return [_text(each) for _, each in found]


def _text(each: Finding) -> str:
    words = (str(each.severity), each.id, each.path and f"{each.path}:{each.line}", each.title)
    return utf8(" ".join(filter(None, words)).strip())
