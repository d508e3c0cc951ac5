"""Inherited: what is wrong with the claims where a branch began, so that it is asked to mend what it did alone."""

from __future__ import annotations

from groundrules_hooks import config as configs
from groundrules_hooks import origin
from groundrules_hooks.capability import FILE
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import Finding
from groundrules_hooks.rules import capability_claims as rule
from groundrules_hooks.standing import survey

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules_hooks.change import Change, Tree
    from groundrules_hooks.config import Config

_known: dict[str, frozenset[tuple[str, str]]] = {}  # by commit: each task of a range asks for the same one


def wrong(change: Change, config: Config) -> frozenset[tuple[str, str]]:
    """Return path and message of each finding about the claims of the commits where `change` began."""
    return frozenset().union(*(_of(began, config) for began in origin.of(change)))


def _of(tree: Tree, config: Config) -> frozenset[tuple[str, str]]:
    if tree.source not in _known:
        _known[tree.source] = frozenset((each.path, each.message) for each in _findings(tree, config))
    return _known[tree.source]


def _findings(tree: Tree, config: Config) -> Iterator[Finding]:
    """Yield all findings about `tree`, by its own configuration, or by `config` if that cannot be read."""
    files = tree.read(FILE, configs.FILE)
    capabilities = rule.parsed(files.get(FILE, b""))
    if isinstance(capabilities, Finding):
        yield capabilities
        return
    try:
        own = configs.of_text(files.get(configs.FILE, b""))
    except GroundrulesError:
        own = config
    yield from rule.everything(survey(capabilities, tree, own), tree)
