"""handoff: a task's branch carries the account of the task: present, whole, and about this task and base."""

from __future__ import annotations

from groundrules_hooks import handoff
from groundrules_hooks import task as tasks
from groundrules_hooks.ancestry import is_ancestor
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import Finding, quote
from groundrules_hooks.git import LOG, text
from groundrules_hooks.subject import EVIDENCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules_hooks.change import Change
    from groundrules_hooks.config import Config

NAME = "handoff"
FIX = "tools/groundrules handoff draft{} --deviations none --commit"


def check(change: Change, config: Config) -> Iterator[Finding]:
    """Yield a finding when the branch of a task has work and no handoff, or one of another shape, task or base.

    A handoff in state ready must also be true: its facts those of the commits, its checks passed for their tree.
    """
    if not change.task or not any(not path.startswith(f"{EVIDENCE}/") for path in change.paths):
        return
    path = handoff.path_of(change.task)
    content = change.tree.read(path).get(path)
    if content is None:
        yield Finding(NAME, path, f"task {change.task} has work and no handoff", _fix(change))
        return
    wrong = list(handoff.problems(content))
    if wrong:
        yield from (Finding(NAME, path, problem, _fix(change)) for problem in wrong)
        return
    document = handoff.load(content)
    if document["task"] != change.task:
        yield Finding(NAME, path, f"it is about task {document['task']}, the branch about {change.task}", _fix(change))
    wrong_base = list(_base(change, path, document["base"]))
    yield from wrong_base
    if document["state"] == handoff.READY and document["task"] == change.task and not wrong_base:
        tip = _tip(change, config, path, document["head"])
        if tip:
            from groundrules_hooks.truth import lies

            yield from (Finding(NAME, path, lie.message, lie.fix) for lie in lies(document, tip, change.target, config))


def _fix(change: Change) -> str:
    """Return the command that writes the handoff; it lists what the review leaves open, or it would be refused."""
    from groundrules_hooks.leftover import leftovers, log_of
    from groundrules_hooks.policy import FILE

    log = log_of(change.task or "")
    held = change.tree.read(log, FILE)
    try:
        texts = leftovers(held.get(log, b""), log, held.get(FILE, b""))
    except GroundrulesError:  # the draft says what is wrong with the log or the policy
        texts = []
    return FIX.format("".join(f" --unresolved {quote(text)}" for text in texts or ["none"]))


def _tip(change: Change, config: Config, path: str, head: str) -> str | None:
    """Return the commit that a sealed handoff is compared with: what its branch ends in now.

    In a merge queue and on the target the commits of others are there too: then the one that brought the handoff; None
    where a squash or a rebase made other commits of its own.
    """
    if change.commit is None or tasks.of_branch(change.branch, config.tasks.branches) == change.task:
        return change.commit
    brought = text(*LOG, "--no-follow", "-1", "--format=%H", change.commit, "--", f":(top){path}")
    return brought if is_ancestor(head, brought) else None


def _base(change: Change, path: str, base: str) -> Iterator[Finding]:
    if change.base and base != change.base:
        yield Finding(NAME, path, f"its base is {base[:7]}, the task started from {change.base[:7]}", _fix(change))
    elif change.commit and not is_ancestor(base, change.commit):
        yield Finding(NAME, path, f"its base {base[:7]} is no ancestor of {change.commit[:7]}", _fix(change))
