"""lockstep: the hooks and the template's files are one version, moved by one update."""

from __future__ import annotations

from groundrules_hooks.finding import Finding, reword
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

    A file without the shape that the template renders cannot be judged, which is a finding too.
    """
    if not change.paths & {ANSWERS, HOOKS}:
        return
    files = change.tree.read(ANSWERS, HOOKS)
    if ANSWERS not in files:
        return  # not made from the template
    for path, line, message in _problems(files):
        moved = "\nmake update" if line > 1 else ""  # a revision was moved: the update moves both
        back = f"git checkout HEAD -- {path}{moved}"
        yield Finding(NAME, path, message, reword(change.commit) if change.commit else back, line, change.commit)


def _problems(files: dict[str, bytes]) -> Iterator[tuple[str, int, str]]:
    """Yield path, line and words for each thing wrong with the two files."""
    answers = _answers(files[ANSWERS].decode("utf-8", "replace"))
    source, version = answers.get("_src_path", ""), answers.get("_commit", "")
    if not source or not version:
        yield ANSWERS, 1, "no plain `_commit:` and `_src_path:` lines, so it cannot be judged"
        return
    yield from ((ANSWERS, 1, message) for message in _source_problems(source, version))
    if HOOKS not in files:
        yield HOOKS, 1, "no hooks run here: the file is missing"
        return
    ours = [entry for entry in _entries(files[HOOKS].decode("utf-8", "replace")) if same_repository(entry.repo, source)]
    if not ours:
        yield HOOKS, 1, f"no `- repo:` entry with a `rev:` for the template's source {_without_token(source)}"
    for entry in ours:
        if entry.rev != version:
            yield HOOKS, entry.line, f"hooks are at {entry.rev}, the template's files at {version}"


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
    """Return the top-level scalars of the answers file."""
    pairs = (line.partition(": ") for line in text.splitlines() if line[:1] not in ("", " ", "#", "-"))
    return {key: _scalar(value) for key, _, value in pairs}


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
    return found


def _scalar(value: str) -> str:
    """Return the text of a YAML scalar on one line, plain or quoted; a comment may follow."""
    value = value.strip()
    if value.startswith("'"):
        return value[1:].replace("''", "\0").partition("'")[0].replace("\0", "'")
    if value.startswith('"'):
        import json

        try:
            return str(json.JSONDecoder().raw_decode(value)[0])
        except ValueError:  # escapes that YAML has and JSON has not
            return value[1:].partition('"')[0]
    return value.partition(" #")[0].rstrip()
