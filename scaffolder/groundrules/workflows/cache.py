"""Caches: which steps restore one, which save one, under which key and of which paths."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundrules.workflows import builtin
from groundrules.workflows.expression import OPEN, parts
from groundrules_hooks.record import NamedTuple

if TYPE_CHECKING:
    from groundrules.workflows.expression import Facts, Value
    from groundrules.workflows.workflow import Job, Step
    from groundrules.yaml_document import Node

BOTH, RESTORE, SAVE = "actions/cache", "actions/cache/restore", "actions/cache/save"
EXPRESSION = re.compile(r"\$\{\{\s*env\.(\w+)\s*\}\}")
PRIMARY = re.compile(r"\$\{\{\s*steps\.([\w-]+)\.outputs\.cache-(?:primary|matched)-key\s*\}\}")
CONSTANT = re.compile(r"^(runner|matrix|strategy|job)\.[\w.-]+$|^github\.(job|workflow|repository\w*|action)$")


class Cache(NamedTuple):
    """One step's use of a cache; `key` is empty where an action of its own makes the key.

    `cross_os`: whether Windows shares it with other systems; None where the run decides.
    """

    job: Job
    step: Step
    key: str
    restore_keys: tuple[str, ...]
    paths: tuple[str, ...]
    cross_os: bool | None
    restores: bool
    saves: bool

    @property
    def line(self) -> int:
        """The line of its key, or of the step."""
        return self.step.inputs.line_of("key") if self.key else self.step.line

    def saves_in(self, event: str, facts: Facts) -> bool:
        """Whether a run of `event` may save it."""
        started = event in self.job.events and self.step.can_run(event)
        return self.saves and started and builtin.may_save(self.step, facts)


def caches_of(job: Job) -> list[Cache]:
    """Return the caches that the steps of `job` use."""
    return [cache for step in job.steps if (cache := _cache(job, step)) is not None]


def _cache(job: Job, step: Step) -> Cache | None:
    given = step.inputs
    if step.action in builtin.BUILT_IN and builtin.BUILT_IN[step.action].switch:
        on = builtin.caches(step) is True
        return Cache(job, step, "", (), (), cross_os=False, restores=True, saves=True) if on else None
    if step.action not in (BOTH, RESTORE, SAVE) or given.at("lookup-only").text == "true":
        return None
    key = resolved(given.at("key").text, job, step)
    keys = tuple(resolved(line, job, step) for line in lines(given.at("restore-keys")))
    asked = given.at("enableCrossOsArchive").text
    cross = None if OPEN in asked else asked == "true"
    paths = tuple(resolved(line, job, step) for line in lines(given.at("path")))
    return Cache(
        job, step, key, keys, paths, cross, restores=step.action in (BOTH, RESTORE), saves=step.action in (BOTH, SAVE)
    )


def lines(node: Node) -> list[str]:
    """Return the lines of an input that may be a list, without empty ones."""
    return [line.strip() for item in node.items for line in item.text.splitlines() if line.strip()]


def resolved(text: str, job: Job, step: Step) -> str:
    """Return `text` with the variables the workflow sets, and the keys of other steps of the job, written out."""
    keys = {each.id: each.inputs.at("key").text for each in job.steps if each.id}
    text = PRIMARY.sub(lambda found: keys.get(found[1]) or found[0], text)
    return EXPRESSION.sub(lambda found: step.env.get(found[1]) or found[0], text)


def atoms(key: str) -> list[str]:
    """Return the characters of `key`, each of its expressions as one."""
    return [atom for is_expression, text in parts(key) for atom in ([f"{{{text}}}"] if is_expression else list(text))]


def may_begin(pattern: str, key: str) -> bool:
    """Whether `key` may begin with `pattern`, whatever their expressions turn out to be."""
    wanted, held = atoms(pattern), atoms(key)
    for one, other in zip(wanted, held, strict=False):
        if one != other:
            return len(one) > 1 or len(other) > 1
    return len(wanted) <= len(held)


def begins(pattern: str, key: str) -> bool:
    """Whether `key` begins with `pattern` for certain: character by character, expression by expression."""
    wanted = atoms(pattern)
    return bool(wanted) and atoms(key)[: len(wanted)] == wanted


def reads(reader: Cache, key: str) -> bool:
    """Whether `reader` may find what was saved under `key`."""
    return any(may_begin(pattern, key) for pattern in (reader.key, *reader.restore_keys))


def expressions(key: str) -> list[str]:
    """Return the expressions in `key`."""
    return [text for is_expression, text in parts(key) if is_expression]


def is_constant(key: str) -> bool:
    """Whether nothing in `key` can change from run to run of the same job."""
    return all(CONSTANT.match(text) or text.startswith("'") for text in expressions(key))


def is_per_run(key: str) -> bool:
    """Whether `key` is a new one in each run or for each commit."""
    return any(re.search(r"github\.(run_id|run_number|run_attempt|sha)\b", text) for text in expressions(key))


def unique(held: Value) -> bool:
    """Whether a value is that of one run or one commit alone."""
    return is_per_run(f"${{{{ {getattr(held, 'name', '')} }}}}")
