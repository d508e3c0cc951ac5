"""The table of rules: which there are, and when each runs. A rule is the module of its name with one `check`."""

from __future__ import annotations

from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from groundrules_hooks.change import Change
    from groundrules_hooks.config import Config
    from groundrules_hooks.finding import Finding

    Check = Callable[[Change, Config], Iterator[Finding]]

STAGED = "staged"  # pre-commit: the change in the index
MESSAGE = "message"  # commit-msg: the message alone
COMMIT = "commit"  # pre-push and gate: every commit of the range
BRANCH = "branch"  # pre-push and gate: the branch as a whole
GATE = "gate"  # gate: the branch as a whole, by what takes longer than a push may
TREE = "tree"  # gate: programs of the repository, on its files


class Rule(NamedTuple):
    """A rule's name, the moments at which it runs, and what it refuses, in one line."""

    name: str
    moments: tuple[str, ...]
    refuses: str


RULES = (
    Rule("one-task", (STAGED, BRANCH), "a commit in a worktree that belongs to another task, branch or base"),
    Rule("commit-concerns", (STAGED, COMMIT), "a commit that mixes a change, a reformat, an upgrade, a regeneration"),
    Rule("commit-size", (STAGED, COMMIT), "a commit of more lines or files by hand than a reviewer can hold in mind"),
    Rule("commit-message", (MESSAGE, COMMIT), "a message that a reader of the log cannot use"),
    Rule("agents-index", (STAGED, COMMIT), "an AGENTS.md that is too long, leads nowhere or leaves a page out"),
    Rule("lockstep", (STAGED, COMMIT), "hooks of another version than the template's"),
    Rule("decision-log", (STAGED, COMMIT, BRANCH), "a decision with another's number, a wrong status, or new words"),
    Rule("sequence-numbers", (STAGED, BRANCH), "a number of a series that something else has already"),
    Rule("fixed-ports", (STAGED, COMMIT), "a port of the table written as a number where its variable belongs"),
    Rule("mirror", (STAGED, COMMIT), "a requirement edited here instead of at its source"),
    Rule("capability-claims", (STAGED, GATE), "a capability claimed above or below what can be shown of it"),
    Rule("review", (STAGED, COMMIT), "a review policy that its evals contradict, or a review log that loses a line"),
    Rule("guards", (STAGED, TREE), "a change that a script in guards/ refuses"),
    Rule("handoff", (BRANCH,), "a task's branch without a valid handoff"),
)
NAMES = tuple(rule.name for rule in RULES)


def load(moment: str) -> list[Check]:
    """Import the rules that run at `moment`, which takes some milliseconds, and return the check of each."""
    return [_module(rule.name).check for rule in RULES if moment in rule.moments]


def judge(change: Change, config: Config, moment: str) -> Iterator[Finding]:
    """Yield the findings about `change` of every rule that runs at `moment`."""
    for found in [check(change, config) for check in load(moment)]:  # what works beside others is started first
        yield from found


def _module(name: str) -> Any:  # noqa: ANN401 (a rule)
    return __import__(f"{__name__}.{name.replace('-', '_')}", fromlist=["check"])
