"""lockstep: the hooks and the template's files are one version, moved by one update."""

from __future__ import annotations

from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import Finding
from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules_hooks.change import Change
    from groundrules_hooks.config import Config

NAME = "lockstep"
ANSWERS = ".copier-answers.yml"
HOOKS = ".pre-commit-config.yaml"
SHORT_FORGES = {"gh:": "https://github.com/", "gl:": "https://gitlab.com/"}


class Entry(NamedTuple):
    """A `repo` of the hook configuration, its `rev`, and the line where that stands."""

    repo: str
    rev: str
    line: int


def check(change: Change, config: Config) -> Iterator[Finding]:
    """Yield a finding when template version and hook revision differ, or name something that moves or will not travel.

    Raise GroundrulesError when a file does not have the shape that the template renders: it cannot be judged.
    """
    if not change.paths & {ANSWERS, HOOKS}:
        return
    files = change.tree.read(ANSWERS, HOOKS)
    if ANSWERS not in files:
        return  # not made from the template
    answers = _answers(files[ANSWERS].decode("utf-8", "replace"))
    source, version = answers["_src_path"], answers["_commit"]
    for message in _source_problems(source, version):
        yield Finding(
            NAME, ANSWERS, message, "git checkout HEAD -- .copier-answers.yml\nmake update", commit=change.commit
        )
    if HOOKS not in files:
        yield Finding(
            NAME, HOOKS, "no hooks run here: the file is missing", f"git checkout HEAD -- {HOOKS}", commit=change.commit
        )
        return
    entries = _entries(files[HOOKS].decode("utf-8", "replace"))
    ours = [entry for entry in entries if same_repository(entry.repo, source)]
    if not ours:
        message = f"no hooks of the template's source {_without_token(source)}"
        yield Finding(NAME, HOOKS, message, f"git checkout HEAD -- {HOOKS}\nmake update", commit=change.commit)
    for entry in ours:
        if entry.rev != version:
            message = f"hooks are at {entry.rev}, the template's files at {version}"
            fix = f"git checkout HEAD -- {HOOKS} {ANSWERS}\nmake update"
            yield Finding(NAME, HOOKS, message, fix, entry.line, change.commit)


def _source_problems(source: str, version: str) -> Iterator[str]:
    plain = plain_url(source)
    if "@" in plain.partition("://")[2].split("/")[0] and not plain.startswith("ssh://"):
        yield f"_src_path carries a credential; without it: {_without_token(plain)}"
    elif plain != source:
        yield f"_src_path is {source}, which update bots do not understand; the plain form: {plain}"
    elif ":" not in source and not source.startswith("/"):
        yield f"_src_path is {source}, relative: an update cannot find it"
    if not is_fixed(version):
        yield f"_commit is {version}, neither a release vX.Y.Z nor a commit id"


def is_fixed(version: str) -> bool:
    """Whether `version` names one content for ever: a release tag `vX.Y.Z`, or a commit id."""
    numbers = version.removeprefix("v").split(".")
    is_release = version.startswith("v") and len(numbers) == 3 and all(number.isdigit() for number in numbers)
    return is_release or (7 <= len(version) <= 64 and not set(version) - set("0123456789abcdef"))


def plain_url(source: str) -> str:
    """Return `source` in the form that git itself understands."""
    for short, long in SHORT_FORGES.items():
        if source.startswith(short):
            return f"{long}{source.removeprefix(short).removesuffix('.git')}.git"
    return source.removeprefix("git+")


def same_repository(one: str, other: str) -> bool:
    """Whether two sources are one repository: ssh and scp-like and https spellings of a place are."""
    return _place(one) == _place(other)


def _place(source: str) -> str:
    url = plain_url(source).removesuffix("/").removesuffix(".git")
    scheme, found, rest = url.partition("://")
    if not found:
        host, colon, path = url.partition(":")
        return f"{host.rpartition('@')[2]}/{path.lstrip('/')}" if colon and "/" not in host else url
    if scheme == "file":
        return rest
    host, _, path = rest.partition("/")
    return f"{host.rpartition('@')[2].partition(':')[0].lower()}/{path}"


def _without_token(source: str) -> str:
    scheme, found, rest = source.partition("://")
    return f"{scheme}{found}{rest.rpartition('@')[2]}" if found else source


def _answers(text: str) -> dict[str, str]:
    """Return the top-level scalars of the answers file; both of ours must be there."""
    pairs = (line.partition(": ") for line in text.splitlines() if line[:1] not in ("", " ", "#", "-"))
    found = {key: _scalar(value) for key, _, value in pairs}
    for key in ("_commit", "_src_path"):
        if not found.get(key):
            raise GroundrulesError(
                f"{ANSWERS}: no plain `{key}:` line, so lockstep cannot be judged", fix=f"git diff HEAD -- {ANSWERS}"
            )
    return found


def _entries(text: str) -> list[Entry]:
    """Return the entries of the hook configuration, in the one shape the template renders: `- repo:`, then `rev:`."""
    found: list[Entry] = []
    repo = ""
    for number, line in enumerate(text.splitlines(), 1):
        words = line.strip().removeprefix("- ").strip()
        if words.startswith("repo: "):
            repo = _scalar(words.removeprefix("repo: "))
        elif words.startswith("rev: ") and repo:
            found.append(Entry(repo, _scalar(words.removeprefix("rev: ")), number))
            repo = ""
    if "repos" in text and not found and "repo: local" not in text:
        raise GroundrulesError(
            f"{HOOKS}: no `- repo:` entry with a `rev:` line, so lockstep cannot be judged",
            fix=f"git diff HEAD -- {HOOKS}",
        )
    return found


def _scalar(value: str) -> str:
    value = value.strip()
    if value[:1] in ("'", '"') and value[:1] in value[1:]:
        return value[1:].partition(value[0])[0]  # a comment may follow
    return value.partition(" #")[0].rstrip()
