"""The door to Copier: render the template, and update what was rendered from it."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from typing import TYPE_CHECKING, NamedTuple

from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import quote
from groundrules_hooks.git import elsewhere
from groundrules_hooks.rules.lockstep import is_fixed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

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


def given(pairs: Iterable[str]) -> dict[str, str]:
    """Return the answers that are given as KEY=VALUE."""
    split = [pair.partition("=") for pair in pairs]
    for key, equals, _ in split:
        if not equals:
            raise GroundrulesError(f"--data {key!r} is not KEY=VALUE", fix="groundrules new DEST --data ports=web=3000")
    return {key: value for key, _, value in split}


def copy(source: Source, ref: str | None, folder: str, data: Mapping[str, str], *, ask: bool) -> Rendered:
    """Render `ref` of the template into the new `folder`, asking what `data` does not answer if `ask`.

    Raise GroundrulesError when an answer is refused or the template cannot be read; then there is no folder.
    """
    with _pinned(source.environment()):
        import copier
        from copier.errors import CopierError

        try:
            worker = copier.run_copy(source.url, folder, data=dict(data), defaults=not ask, vcs_ref=ref, quiet=True)
        except (CopierError, ValueError, OSError) as error:
            raise GroundrulesError("nothing was rendered", why=_reason(error), fix="groundrules new --help") from None
        rendered = Rendered(str(worker.template.commit or ""), dict(worker.answers.combined))
        questions = worker.template.questions_data
    # What Copier takes and the new repository would suffer from.
    if unknown := ", ".join(sorted(set(data) - set(questions))):
        shutil.rmtree(folder)
        why = f"questions are {', '.join(questions)}"
        raise GroundrulesError(f"nothing was rendered: no question is {unknown}", why=why, fix="groundrules new --help")
    if not is_fixed(rendered.version):
        shutil.rmtree(folder)
        why = "hooks and template are kept at one version, a release vX.Y.Z or a commit id"
        raise GroundrulesError(
            f"nothing was rendered: {rendered.version} is no version", why=why, fix=f"git ls-remote --tags {source.url}"
        )
    return rendered


def update(folder: str, ref: str | None, data: Mapping[str, str]) -> None:
    """Bring the rendered files in `folder` to `ref` of their template, or to its newest release, with `data` answered.

    Raise GroundrulesError when an answer is refused or the template cannot be read; then nothing is changed.
    """
    answers = recorded(folder)
    known = [key for key in answers if not key.startswith("_")]
    if unknown := ", ".join(sorted(set(data) - set(known))):
        why = f"questions are {', '.join(known)}"
        raise GroundrulesError(f"nothing was updated: no question is {unknown}", why=why, fix=f"cat {ANSWERS}")
    with _pinned({}):
        import copier
        from copier.errors import CopierError

        try:
            with redirect_stderr(StringIO()):  # it repeats for each of its copies that there is no release
                copier.run_update(
                    folder, data=dict(data), defaults=True, skip_answered=True, overwrite=True, vcs_ref=ref, quiet=True
                )
        except (CopierError, ValueError, OSError) as error:
            is_answer = data and isinstance(error, ValueError)
            fix = f"cat {ANSWERS}" if is_answer else f"git ls-remote --tags {quote(answers.get('_src_path', ''))}"
            raise GroundrulesError("nothing was updated", why=_reason(error), fix=fix) from None


def _reason(error: Exception) -> str:
    """Return what `error` says; git's own words, which hold no credential, when git failed on a source."""
    return str(getattr(error, "stderr", "") or error).strip()


def version(folder: str) -> str:
    """Return the template version that `folder` records."""
    return recorded(folder).get("_commit", "unknown")


def recorded(folder: str) -> dict[str, str]:
    """Return what `folder` records of its template and of the answers, each as the text of its line."""
    try:
        with open(os.path.join(folder, ANSWERS), encoding="utf-8") as file:
            lines = [line.partition(":") for line in file if line[:1].isalnum() or line[:1] == "_"]
    except FileNotFoundError:
        raise GroundrulesError(
            f"{folder} has no {ANSWERS}: it was not made from a template", fix="git log --oneline -1"
        ) from None
    return {key: value.strip().strip("'\"") for key, _, value in lines}
