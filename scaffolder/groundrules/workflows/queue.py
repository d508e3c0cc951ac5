"""The trap of the queue's range: what a run in the merge queue compares with is its group's base, not main."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundrules.workflows import event
from groundrules.workflows.expression import parts, value
from groundrules.workflows.repository import Hit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.workflows.repository import Repository
    from groundrules.workflows.workflow import Step

COMPARES = re.compile(r"\bgit\s+(\S+\s+)*?(diff|log|merge-base|rev-list|shortlog)\b|--(from-ref|base|since)[= ]")
TARGET = re.compile(r"\borigin/(main|master|trunk|develop|HEAD)\b|\b(main|master)(?=\.{2,3}(HEAD|\W|$))")
SHELL = re.compile(r"\$\{?(\w+)")


def queue_range(repository: Repository) -> Iterator[Hit]:
    """Yield each step that runs in the queue and compares with the target, or with a pull request that is not there."""
    for _, job in repository.jobs():
        if event.QUEUE not in job.events:
            continue
        for step in job.steps:
            if step.can_run(event.QUEUE) and not _knows_the_queue(step):
                for line in step.node.at("run").text.splitlines():
                    if COMPARES.search(line) and (what := _wrong_base(step, line)):
                        yield Hit(step.path, step.line, f"{what}, though in the queue the range starts at its base_sha")
                        break


def _knows_the_queue(step: Step) -> bool:
    texts = " ".join([*(node.text for node in step.node.texts()), *step.env.values()])
    return "merge_group" in texts or "gh-readonly-queue" in texts


def _wrong_base(step: Step, line: str) -> str:
    """Return what `line` compares with that is wrong in the queue; empty for nothing."""
    if target := TARGET.search(line):
        return f"compares with {target[0]}"
    known = event.facts(event.QUEUE)
    named = [step.env.get(match[1], "") for match in SHELL.finditer(line)]
    for text in [line, *named]:
        for is_expression, inside in parts(text):
            if is_expression and "github." in inside and value(inside, known) == "":
                return f"compares with {inside}, which is empty there"
    return ""
