"""The table of traps: what each is called, who finds it, and how it is mended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.workflows import concurrency, gates, gitlab, keys, labels, queue, reach, saving, waiting, workspace
from groundrules_hooks.finding import Finding, quote
from groundrules_hooks.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from groundrules.workflows.repository import Hit, Repository
    from groundrules.yaml_document import Node

    Find = Callable[[Repository], Iterable[Hit]]


class Trap(NamedTuple):
    """One trap: `find` yields its places, `mend` says in a line what to do there."""

    name: str
    find: Find
    mend: str


TRAPS = (
    Trap(
        "cache-writer-pr", saving.writer_pr, "restore only here; save in a job that runs on push to the default branch"
    ),
    Trap("cache-no-writer", reach.no_writer, "save this key in a job that runs on push to the default branch"),
    Trap("cache-constant-key", keys.constant, "put a hashFiles() of what fills the cache into the key"),
    Trap("cache-no-restore-keys", keys.no_restore_keys, "add restore-keys: the key up to its hash"),
    Trap(
        "cache-path-mismatch",
        reach.path_mismatch,
        "list the same paths in the same order on both sides, and on Windows enableCrossOsArchive: true",
    ),
    Trap("cache-workspace", workspace.workspace, "leave the cache where the tool puts it, or cache this folder"),
    Trap(
        "cache-warm-reads",
        saving.warm_reads,
        "save only: no restore step, actions/cache/save in place of actions/cache",
    ),
    Trap("cache-runner", keys.runner, "put runner.os, or the matrix value of runs-on, into the key"),
    Trap("cache-untrusted-save", saving.untrusted, "restore only here; save in a job that runs on push"),
    Trap("required-path-filter", waiting.path_filter, "drop the filter; decide by path inside a job that always ends"),
    Trap("gate-not-always", gates.not_always, "if: always(), and fail unless every needs.*.result is success"),
    Trap("gate-missing-need", gates.missing_need, "add the job to the gate's needs"),
    Trap("merge-group-missing", waiting.queue_missing, "add merge_group to on:"),
    Trap("label-unlabeled", labels.unlabeled, "add unlabeled to types:"),
    Trap("label-event-name", labels.event_name, "contains(github.event.pull_request.labels.*.name, 'the-label')"),
    Trap("cancel-main", concurrency.cancel_main, "cancel-in-progress: ${{ github.event_name == 'pull_request' }}"),
    Trap("queue-range", queue.queue_range, "start at github.event.merge_group.base_sha in the queue"),
    Trap("skip-as-pass", waiting.skip_as_pass, "move the if: to the steps, so that the job itself always ends"),
)
MENDS = {trap.name: trap.mend for trap in TRAPS}
GITLAB_MENDS = {"cache-no-restore-keys": "add fallback_keys:"}


def in_workflows(repository: Repository) -> list[Finding]:
    """Return the traps in the workflows of `repository`, by place."""
    return _sorted(_finding(trap.name, hit, trap.mend) for trap in TRAPS for hit in trap.find(repository))


def in_gitlab(documents: Mapping[str, Node]) -> list[Finding]:
    """Return the traps in files of GitLab's, by place."""
    return _sorted(
        _finding(name, hit, GITLAB_MENDS.get(name, MENDS[name]))
        for path, document in documents.items()
        for name, find in gitlab.TRAPS.items()
        for hit in find(path, document)
    )


def _sorted(findings: Iterable[Finding]) -> list[Finding]:
    """Return each finding once: a local action that several jobs use is one place."""
    found = {(finding.path, finding.line, finding.rule): finding for finding in findings}
    return [found[place] for place in sorted(found)]


def _finding(name: str, hit: Hit, mend: str) -> Finding:
    fix = f"# {name}: {mend}\n${{EDITOR:-vi}} +{hit.line} {quote(hit.path)}"
    return Finding(rule=name, path=hit.path, message=hit.message, fix=fix, line=hit.line)
