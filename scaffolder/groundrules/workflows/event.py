"""Events: what starts a workflow, and what its expressions are known to be then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.workflows.expression import Unknown, truth

if TYPE_CHECKING:
    from groundrules.workflows.expression import Facts, Value
    from groundrules.yaml_document import Node

PULL, QUEUE, PUSH = "pull_request", "merge_group", "push"
OTHER_PUSH = "push to other branches or tags"
CALL, BY_HAND = "workflow_call", "workflow_dispatch"
JUDGED = (PULL, QUEUE)  # what a required check answers
# Runs of these have a cache of the default branch's scope, or may have.
WARMING = (PUSH, "schedule", "workflow_dispatch", "repository_dispatch")
# Since 2026-06-26 their cache tokens only read.
UNTRUSTED = ("pull_request_target", "issue_comment", "issues", "workflow_run", "discussion", "discussion_comment")
ABOUT_PULLS = (PULL, "pull_request_target", "pull_request_review", "pull_request_review_comment")
DEFAULTS = ("main", "master", "trunk", "develop", "dev", "canary", "next")
LABELS = ("labeled", "unlabeled")


def triggers(on: Node) -> dict[str, Node]:
    """Return what `on:` says, by event; a push that no default branch can give is of another name."""
    found = on.keys or {item.text: on.at(item.text) for item in on.items}
    return {OTHER_PUSH if name == PUSH and not branches(held) else name: held for name, held in found.items()}


def branches(push: Node) -> list[str]:
    """Return the branches that may be the default one and start this `push:`; the usual names where any may."""
    if "branches" in push.keys:
        given = [item.text for item in push.at("branches").items if not item.text.startswith("!")]
        if any(text in ("*", "**", "$default-branch") for text in given):
            return list(DEFAULTS)
        return [text for text in given if "*" not in text]
    if "branches-ignore" in push.keys:
        ignored = [item.text for item in push.at("branches-ignore").items]
        return [] if {"**", *DEFAULTS} & set(ignored) else list(DEFAULTS)
    return [] if {"tags", "tags-ignore"} & set(push.keys) else list(DEFAULTS)


def facts(event: str, branch: str = "") -> Facts:
    """Return what is known of a context or function in a run of `event`; `branch` is the pushed one."""
    known = {**_COMMON, **_about(event, branch)}

    def fact(path: str) -> Value:
        if path in known:
            return known[path]
        if event not in ABOUT_PULLS and path.startswith(("github.event.pull_request", "github.event.number")):
            return ""
        if event != QUEUE and path.startswith("github.event.merge_group"):
            return ""
        return Unknown(path, truth=True if path in _ALWAYS_SOMETHING else None)

    return fact


_ALWAYS_SOMETHING = ("github.sha", "github.run_id", "github.run_number", "github.event.pull_request.number")
_COMMON: dict[str, Value] = {"always()": True, "success()": True}


def _about(event: str, branch: str) -> dict[str, Value]:
    if event in ABOUT_PULLS:
        own = {} if event == "pull_request_target" else {"github.ref": Unknown("github.ref", "refs/pull/")}
        there = {f"github.{side}_ref": Unknown(f"github.{side}_ref", truth=True) for side in ("head", "base")}
        pull = Unknown("github.event.pull_request", truth=True)
        return {"github.event_name": event, "github.event.pull_request": pull, **there, **own}
    gone: dict[str, Value] = {"github.head_ref": "", "github.base_ref": ""}
    if event == QUEUE:
        queue = Unknown("github.ref", "refs/heads/gh-readonly-queue/")
        name = Unknown("github.ref_name", "gh-readonly-queue/")
        group = Unknown("github.event.merge_group", truth=True)
        known = {"github.ref": queue, "github.ref_name": name, "github.event.merge_group": group}
        return {**gone, "github.event_name": event, **known}
    if event == PUSH and branch:
        default: dict[str, Value] = {"github.ref": f"refs/heads/{branch}", "github.ref_name": branch}
        known_push = {**default, "github.event.repository.default_branch": branch, "github.ref_type": "branch"}
        return {**gone, "github.event_name": PUSH, **known_push}
    if event == PUSH:
        gone["github.ref"] = Unknown("github.ref", "refs/heads/")
    return {**gone, "github.event_name": PUSH if event == OTHER_PUSH else event}


def can_run(condition: str, event: str) -> bool:
    """Whether an `if:` may hold in a run of `event`."""
    return truth(condition, facts(event)) is not False
