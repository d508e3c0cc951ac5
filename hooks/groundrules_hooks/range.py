"""Range: the commits of a branch, judged one by one and as a whole, for pre-push and for the gate."""

from __future__ import annotations

from groundrules_hooks import allow, handoff
from groundrules_hooks.change import Change, Tree
from groundrules_hooks.history import apart, commits
from groundrules_hooks.message import tasks
from groundrules_hooks.record import NamedTuple
from groundrules_hooks.rules import BRANCH, COMMIT, judge, load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from groundrules_hooks.config import Config
    from groundrules_hooks.finding import Finding
    from groundrules_hooks.objects import Objects

MANY = 100  # commits; fewer are judged before another process could help


class Range(NamedTuple):
    """The commits that `head` contains and none of `without` does.

    `task` and `branch` are None when nobody knows whose commits they are: then their trailers name the tasks. `base`
    is where the task started, if a worktree recorded it; `target` are the refs of the branch to merge into, and `based`
    tells that they are known to contain the base.
    """

    head: str
    without: tuple[str, ...]
    target: tuple[str, ...] = ()
    task: str | None = None
    branch: str | None = None
    base: str | None = None
    based: bool = False


class Verdict(NamedTuple):
    """What a range holds, what is wrong with it, and the exceptions it records with the commit that does."""

    commits: list[Change]
    findings: list[Finding]
    allowed: list[tuple[str, allow.Allowed]]


def judged(
    asked: Range, config: Config, moments: Sequence[str] = (BRANCH,), found: list[Change] | None = None
) -> Verdict:
    """Judge every commit of the range, then at `moments` the branch of every task; recorded exceptions are honoured.

    `found` are the commits where they are known already.
    """
    strict = config.rules.strict
    found = commits(asked.head, asked.without, prepare) if found is None else found
    allowed = [(change, allow.from_message(change.message or "")) for change in found]
    recorded = [(change.commit or "", each) for change, some in allowed for each in some if each.rule not in strict]
    findings = [
        finding
        for (_, some), against in zip(allowed, _one_by_one(asked, found, config), strict=True)
        for finding in allow.not_allowed(against, some, strict)
    ]
    # What concerns the branch as a whole has no commit of its own, so any commit may record the exception.
    everywhere = [each for _, each in recorded]
    judged_whole = [
        finding for whole in wholes(asked, found) for moment in moments for finding in judge(whole, config, moment)
    ]
    # Two tasks in one range have its files in common.
    findings += allow.not_allowed(dict.fromkeys(judged_whole), everywhere, strict)
    return Verdict(found, findings, recorded)


def prepare(objects: Objects) -> None:
    """Do what takes some milliseconds and is needed to judge: for while git compares."""
    objects.start()
    load(COMMIT)


def _one_by_one(asked: Range, found: Sequence[Change], config: Config) -> Iterable[list[Finding]]:
    """Return what is wrong with each commit by itself; of many, each core judges some."""
    checks = load(COMMIT)

    def judged_one(change: Change) -> list[Finding]:
        targeted = change._replace(target=asked.target)
        return [finding for check in checks for finding in check(targeted, config)]

    if len(found) < MANY:
        return map(judged_one, found)
    from groundrules_hooks.workers import mapped

    def begin() -> Callable[[Change], list[Finding]]:
        read = apart()
        return lambda change: judged_one(read(change))

    return mapped(found, begin)


def wholes(asked: Range, found: list[Change]) -> Iterator[Change]:
    """Yield the change that the branch makes as a whole, once for each task in it, or once for no task."""
    files = tuple(file for change in found for file in change.files)
    named: list[str | None] = [asked.task] if asked.task else [*_named(found)]
    tree = Tree(asked.head, found[-1].tree.objects if found else None)
    for task in named or [None]:
        yield Change(
            files,
            tree,
            commit=asked.head,
            task=task,
            branch=asked.branch,
            base=asked.base or _declared_base(asked.head, task),
            target=asked.target,
            based=asked.based,
        )


def _named(found: list[Change]) -> list[str]:
    """Return the tasks that the commits name: those with evidence in the range, or all of them if none has.

    A commit picked from another task's branch names that task, whose handoff is not asked for here.
    """
    named = list(dict.fromkeys(task for change in found for task in tasks(change.message or "")))
    paths = [path for change in found for path in change.paths]
    return [task for task in named if handoff.path_of(task) in paths] or named


def _declared_base(head: str, task: str | None) -> str | None:
    """Return the base that the handoff of `task` states; None when there is no handoff of the right shape."""
    if task is None:
        return None
    path = handoff.path_of(task)
    content = Tree(head).read(path).get(path)
    if content is None or next(handoff.problems(content), None):
        return None
    return str(handoff.load(content)["base"])
