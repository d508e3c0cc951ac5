"""The door to Copier: render the template, and update what was rendered from it."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.git import elsewhere

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from groundrules.clones import Source

ANSWERS = ".copier-answers.yml"

# Settings of the user's under which Copier loses local edits without a word, or runs hooks in its scratch repositories.
PINNED = {
    "apply.whitespace": "nowarn",
    "core.hooksPath": os.devnull,
    "core.quotePath": "true",
    "merge.conflictStyle": "merge",
    "status.showUntrackedFiles": "normal",
}


class Rendered(NamedTuple):
    """What a rendering recorded: the template's `version` and all `answers`."""

    version: str
    answers: dict[str, object]


@contextmanager
def _pinned(environment: Mapping[str, str]) -> Iterator[None]:
    """Give Copier an environment without variables of a hook, with the pinned settings and `environment`.

    Copier takes its environment when it is first imported, so the import stands inside of this.
    """
    before = dict(os.environ)
    settings = {**elsewhere(), **environment}
    count = int(settings.get("GIT_CONFIG_COUNT", "0"))
    for index, (key, value) in enumerate(PINNED.items(), count):
        settings |= {f"GIT_CONFIG_KEY_{index}": key, f"GIT_CONFIG_VALUE_{index}": value}
    settings["GIT_CONFIG_COUNT"] = str(count + len(PINNED))
    try:
        _become(settings)
        yield
    finally:
        _become(before)


def _become(environment: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)


def copy(source: Source, ref: str | None, folder: str, data: Mapping[str, str], *, ask: bool) -> Rendered:
    """Render `ref` of the template into the new `folder`, asking what `data` does not answer if `ask`.

    Raise GroundrulesError when an answer is refused or the template cannot be read; then there is no folder.
    """
    with _pinned(source.environment()):
        import copier
        from copier.errors import CopierError

        try:
            worker = copier.run_copy(source.url, folder, data=dict(data), defaults=not ask, vcs_ref=ref, quiet=True)
        except (CopierError, ValueError) as error:
            raise GroundrulesError("nothing was rendered", why=str(error), fix="groundrules new --help") from None
    return Rendered(str(worker.template.commit or ""), dict(worker.answers.combined))


def update(folder: str, ref: str | None) -> None:
    """Bring the rendered files in `folder` to `ref` of their template, or to its newest release."""
    with _pinned({}):
        import copier
        from copier.errors import CopierError

        try:
            copier.run_update(folder, defaults=True, skip_answered=True, overwrite=True, vcs_ref=ref, quiet=True)
        except (CopierError, ValueError) as error:
            raise GroundrulesError("nothing was updated", why=str(error), fix="git status --short") from None


def version(folder: str) -> str:
    """Return the template version that `folder` records."""
    try:
        with open(os.path.join(folder, ANSWERS), encoding="utf-8") as file:
            lines = [line.partition(":") for line in file]
    except FileNotFoundError:
        raise GroundrulesError(
            f"{folder} has no {ANSWERS}: it was not made from a template", fix="git log --oneline -1"
        ) from None
    return next((value.strip().strip("'\"") for key, _, value in lines if key == "_commit"), "unknown")
