"""Deviations that can be detected: what a reviewer should hear of, and the author must list."""

from __future__ import annotations

import os

from groundrules_hooks.finding import utf8
from groundrules_hooks.globs import matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from groundrules_hooks.contract import Contract

MANY = 3  # files outside the scope in one folder; more are listed as the folder


def outside(paths: Iterable[str], scope: Iterable[str], contract: str) -> Iterator[str]:
    """Yield the `paths` that lie outside of `scope`; the `contract` itself is nobody's work."""
    allowed = tuple(scope)
    strays = [path for path in sorted(paths) if allowed and path != contract and not matches(path, allowed)]
    folders = [os.path.dirname(path) for path in strays]
    for path, folder in zip(strays, folders, strict=True):
        crowded = folder != "" and folders.count(folder) > MANY
        yield f"outside the contract: {utf8(f'{folder}/' if crowded else path)}"


def touched(paths: Collection[str], contract: Contract) -> Iterator[str]:
    """Yield the contracts of which files changed although the task only uses them."""
    changed = {name for name, _ in contract.changes}
    for name, globs in contract.uses:
        if name not in changed and any(matches(path, globs) for path in paths):
            yield f"touches the contract {name}"


def unlisted(detected: Iterable[str], deviations: object) -> list[str]:
    """Return what of `detected` the author's `deviations` do not list: as it is, or with a colon and more behind it."""
    texts = deviations if isinstance(deviations, list) else []
    return [each for each in detected if not any(text == each or text.startswith(f"{each}: ") for text in texts)]
