"""Built-in caches: what the actions that set up a tool restore and save on their own, under keys of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundrules.workflows.expression import OPEN, truth
from groundrules_hooks.record import NamedTuple

if TYPE_CHECKING:
    from groundrules.workflows.expression import Facts
    from groundrules.workflows.workflow import Step


class BuiltIn(NamedTuple):
    """One action's cache: `asks` is the input that turns it on or names what is cached, `prefix` begins its keys.

    `default`: whether it is on unasked, None where the version or the runner decides. `switch`: the input that turns
    saving off, empty where nothing does.
    """

    asks: str
    default: bool | None
    prefix: str
    switch: str = ""


BUILT_IN = {
    "actions/setup-go": BuiltIn("cache", default=None, prefix="setup-go-"),
    "actions/setup-java": BuiltIn("cache", default=False, prefix="setup-java-"),
    "actions/setup-node": BuiltIn("cache", default=None, prefix="node-cache-"),
    "actions/setup-python": BuiltIn("cache", default=False, prefix="setup-python-"),
    "astral-sh/setup-uv": BuiltIn("enable-cache", default=None, prefix="setup-uv-", switch="save-cache"),
    "ruby/setup-ruby": BuiltIn("bundler-cache", default=False, prefix="setup-ruby-bundler-cache-"),
    "swatinem/rust-cache": BuiltIn("", default=True, prefix="v0-rust-", switch="save-if"),
}


def caches(step: Step) -> bool | None:
    """Return whether the action of `step` caches on its own; None where that is not known."""
    built_in = BUILT_IN.get(step.action)
    if built_in is None:
        return False
    asked = step.inputs.at(built_in.asks).text
    if not asked:
        return built_in.default
    return None if OPEN in asked or asked == "auto" else asked != "false"


def may_save(step: Step, facts: Facts) -> bool:
    """Whether the action of `step` may save its cache; always, where nothing turns that off."""
    switch = BUILT_IN[step.action].switch if step.action in BUILT_IN else ""
    return not switch or truth(step.inputs.at(switch).text or "true", facts) is not False


def are_alike(one: Step, other: Step) -> bool:
    """Whether both cache the same kind of thing, as far as is known."""
    if one.action != other.action:
        return False
    kinds = {step.inputs.at(BUILT_IN[step.action].asks).text for step in (one, other)}
    return len(kinds - {"", "auto"}) < 2 or any(OPEN in kind for kind in kinds)
