"""mirror: requirements are changed at their source, and come here by `groundrules mirror sync` alone."""

from __future__ import annotations

from groundrules_hooks.finding import Finding, quote, reword
from groundrules_hooks.kinds.generated import MIRROR as FOLDER
from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules_hooks.change import Change, File
    from groundrules_hooks.config import Config
    from groundrules_hooks.mirror import Head

NAME = "mirror"


class Corpus(NamedTuple):
    """The mirror in a tree: all its paths, the heads that can be read, and for each file beside them whose it is."""

    paths: frozenset[str]
    contents: dict[str, bytes]
    heads: dict[str, Head]
    owners: dict[str, tuple[str, str]]


def check(change: Change, config: Config) -> Iterator[Finding]:
    """Yield a finding for each file of the mirror that is not what a sync wrote, or went another way than forward.

    Whether a sync made the commit is in the message, so a staged change is judged by its files alone.
    """
    if any(file.path.startswith(FOLDER) or file.old.startswith(FOLDER) for file in change.files):
        for path, line, message, fix in _problems(change, config):
            yield Finding(NAME, path, message, reword(change.commit) if change.commit else fix, line, change.commit)


def _problems(change: Change, config: Config) -> Iterator[tuple[str, int, str, str]]:
    """Yield path, line, words and fix for each thing wrong with the mirror that `change` leaves."""
    from groundrules_hooks import mirror

    files = [file for file in change.files if mirror.is_mirrored(file.path) or mirror.is_mirrored(file.old)]
    now = _corpus(change)
    before = _before(change, files)
    for file in files:
        if file.path in now.contents:
            back = _back(file)
            yield from ((file.path, *problem, back) for problem in mirror.problems(file.path, now.contents[file.path]))
            head, old = now.heads.get(file.path), before.get(file.old)
            is_step = change.parents == 1 and file.path not in change.reverts
            words = mirror.step(old, head) if head and old and is_step else ""
            if words:
                yield file.path, 1, words, back
            yield from _unaccepted(file.path, head, config)
    yield from _beside(change, files, now, before)
    if change.message is not None and change.parents == 1 and not change.reverts:
        yield from _untold(change.message, files, now, before)


def _corpus(change: Change) -> Corpus:
    from groundrules_hooks import mirror

    paths = [path for path in change.tree.files(FOLDER) if mirror.is_mirrored(path)]
    contents = change.tree.read(*(path for path in paths if path.endswith(".md")))
    heads = _heads(contents)
    owners = {f"{FOLDER}{part.path}": (path, part.sha256) for path, head in heads.items() for part in head.parts}
    return Corpus(frozenset(paths), contents, heads, owners)


def _before(change: Change, files: list[File]) -> dict[str, Head]:
    """Return the heads that the changed documents had, of a merge those on the first side."""
    documents = [file for file in files if file.old.endswith(".md") and file.status != "A"]
    contents = zip(documents, change.contents(documents), strict=True)
    return _heads({file.old: old for file, (old, _) in contents if old is not None})


def _heads(contents: dict[str, bytes]) -> dict[str, Head]:
    from groundrules_hooks import mirror

    found = {}
    for path, content in contents.items():
        try:
            found[path] = mirror.parse(content)
        except ValueError:
            continue
    return found


def _unaccepted(path: str, head: Head | None, config: Config) -> Iterator[tuple[str, int, str, str]]:
    for loss in head.losses if head else ():
        name = f"{head.token}:{loss}" if head else loss
        if name not in config.mirror.accept:
            words = f"{loss} was lost in export, and [mirror] accept does not name {name}"
            yield path, 1, words, "${EDITOR:-vi} groundrules.toml"


def _beside(
    change: Change, files: list[File], now: Corpus, before: dict[str, Head]
) -> Iterator[tuple[str, int, str, str]]:
    """Yield what is wrong with the files beside documents, as far as the change has to do with them."""
    from groundrules_hooks import mirror

    changed = {path: file for file in files for path in (file.path, file.old)}
    named = [(path, head) for path, head in (*before.items(), *now.heads.items()) if path in changed]
    parts = {f"{FOLDER}{part.path}": path for path, head in named for part in head.parts}
    touched = {file.path for file in files} | {file.old for file in files if file.status in "DR"}
    asked = sorted(path for path in touched | set(parts) if path not in now.contents and mirror.is_mirrored(path))
    held = change.tree.read(*(path for path in asked if path in now.paths and path in now.owners))
    for path in asked:
        back = _back(changed.get(path) or changed[parts[path]])
        owner, sha256 = now.owners.get(path, ("", ""))
        if path not in now.paths:
            if owner:
                yield owner, 1, f"{path} is gone, which it names", back
        elif not owner:
            yield path, 1, "no mirrored document names it", back
        elif mirror.digest(held.get(path, b"")) != sha256:
            yield path, 1, f"edited by hand: not what {owner} names", back


def _untold(
    message: str, files: list[File], now: Corpus, before: dict[str, Head]
) -> Iterator[tuple[str, int, str, str]]:
    """Yield the documents that came, changed or went without a word of a sync in the message.

    Every line counts, not the last paragraph alone: a forge that squashes a branch joins messages.
    """
    from groundrules_hooks.mirror import GONE, TRAILER

    told = {line.partition(": ")[2].strip() for line in message.split("\n") if line.startswith(f"{TRAILER}: ")}
    tokens = {each.rpartition("@")[0] for each in told}
    for file in files:
        head, old = now.heads.get(file.path), before.get(file.old)
        if head and head != old:
            value = f"{head.token}@{head.revision}"
            if value not in told:
                yield file.path, 1, f"not from a sync: the message has no trailer {TRAILER}: {value}", ""
        elif file.status == "D" and old and old.token not in tokens:
            yield file.old, 1, f"removed without a sync: the message has no trailer {TRAILER}: {old.token}@{GONE}", ""


def _back(file: File) -> str:
    """Return the command that takes the change of `file` out of the commit."""
    lines = [] if file.status in "AC" else [f"git checkout HEAD -- {quote(file.old)}"]
    if file.status in "ACR":
        lines.insert(0, f"git rm --quiet --cached -- {quote(file.path)}")
    return "\n".join(lines)
