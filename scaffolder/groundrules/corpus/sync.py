"""Sync: what a source gives against what the mirror holds; refused as a whole, or written as a whole."""

from __future__ import annotations

import os
import time
from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple

from groundrules.corpus import exchange, losses, writing
from groundrules.corpus.composition import compose
from groundrules.corpus.drops import dropped
from groundrules_hooks import mirror
from groundrules_hooks.change import Tree
from groundrules_hooks.failure import FINDINGS, GroundrulesError
from groundrules_hooks.finding import quote
from groundrules_hooks.lock import Lock, held

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groundrules.corpus.composition import Composed, Source
    from groundrules_hooks.mirror import Head
    from groundrules_hooks.worktree import Worktree

NEW, CHANGED, SAME, RESTORED, REMOVED = "new", "changed", "unchanged", "restored", "removed"


class Step(NamedTuple):
    """What a sync did with one document: `state` is one of the five above.

    `dropped` names what the mirror held before and the export has no more.
    """

    head: Head
    state: str
    dropped: tuple[str, ...] = ()

    @property
    def lost(self) -> list[str]:
        """What of the document did not come through the export, with leave."""
        return [f"{self.head.token}:{name}" for name in (*self.head.losses, *self.dropped)]


class Outcome(NamedTuple):
    """The steps of a sync by path, and the trailers of the commit that is to hold them; none when HEAD has it all."""

    steps: tuple[Step, ...]
    trailers: tuple[str, ...]


def sync(worktree: Worktree, sources: Sequence[Source], accept: Sequence[str], remove: Sequence[str]) -> Outcome:
    """Bring the mirror of `worktree` to what `sources` hold now. Raise GroundrulesError, and write nothing, if unsure.

    `accept` names losses, `remove` the documents that may go because the source has them no more.
    """
    folder = os.path.join(worktree.root, mirror.FOLDER.rstrip("/"))
    if os.path.islink(folder):
        raise GroundrulesError(f"{mirror.FOLDER} is a link", why="it is replaced as a whole", fix=f"ls -ld {folder}")
    with Lock(worktree.git_dir, "mirror"):
        exchange.heal(folder)
        committed = _committed(worktree)
        there = _on_disk(folder, committed)
        old = {**committed, **there}
        made = [compose(source) for source in sources]
        less = {each.source.token: _dropped(worktree, folder, each, old.get(each.source.token)) for each in made}
        lost = [(each.source.token, name) for each in made for name in (*each.losses, *less[each.source.token])]
        losses.require_accepted([f"{token}:{name}" for token, name in lost], accept)
        _require_named(old, made, remove)
        known = {source.token for source in sources}
        gone = [Step(head, REMOVED) for token, head in old.items() if token not in known]
        steps, files = _steps(folder, made, old, there)
        owned = {path for head in old.values() for path in _paths(head)}
        _require_apart(folder, owned, files)
        kept = {path for step in steps for path in _paths(step.head)}
        if files or gone:
            documents = [step.head.path for step in steps]
            left = sorted(owned - kept)
            exchange.replaced(folder, files, left, lambda new: writing.require_readable(new, documents))
    steps = [step._replace(dropped=less[step.head.token]) for step in steps]
    told = [f"{s.head.token}@{s.head.revision}" for s in steps if committed.get(s.head.token) != s.head]
    went = [f"{token}@{mirror.GONE}" for token in committed if token not in known]
    return Outcome(tuple(sorted([*steps, *gone], key=lambda step: step.head.path)), (*told, *went))


def _committed(worktree: Worktree) -> dict[str, Head]:
    """Return the heads of the mirror in the last commit by token; during a merge the newer of both sides."""
    found: dict[str, Head] = {}
    merging = os.path.exists(os.path.join(worktree.git_dir, "MERGE_HEAD"))
    for source in [worktree.head, "MERGE_HEAD" if merging else None]:
        tree = Tree(source or "")
        paths = [path for path in tree.files(mirror.FOLDER) if path.endswith(".md")] if source else []
        for head in filter(None, map(_parsed, tree.read(*paths).values())):
            found[head.token] = max(found.get(head.token, head), head, key=lambda each: each.revision)
    return found


def _parsed(content: bytes) -> Head | None:
    try:
        return mirror.parse(content)
    except ValueError:
        return None


def _on_disk(folder: str, committed: dict[str, Head]) -> dict[str, Head]:
    """Return the heads of the mirror on disk by token. Raise GroundrulesError where it was edited by hand."""
    found: dict[str, Head] = {}
    for where, _, names in os.walk(folder):
        for path in (os.path.relpath(os.path.join(where, name), folder) for name in names if name.endswith(".md")):
            content = held(os.path.join(folder, path))
            head = _parsed(content)
            if head is None and b"<<<<<<< " not in content and any(path == each.path for each in committed.values()):
                raise _edited(path, "its head was edited", committed)
            if head:
                _require_untouched(folder, path, head, committed)
                found[head.token] = head
    return found


def _require_untouched(folder: str, path: str, head: Head, committed: dict[str, Head]) -> None:
    """Refuse to go on where a sync would lose an edit that was made by hand."""
    content = held(os.path.join(folder, path))
    wrong = [(path, words) for _, words in mirror.problems(f"{mirror.FOLDER}{path}", content)]
    for part in head.parts:
        place = os.path.join(folder, part.path)
        if os.path.lexists(place) and mirror.digest(held(place)) != part.sha256:
            wrong.append((part.path, "edited by hand"))
    for place, words in wrong:
        raise _edited(place, words, committed)


def _edited(path: str, words: str, committed: dict[str, Head]) -> GroundrulesError:
    name = quote(f"{mirror.FOLDER}{path}")
    is_known = any(path in _paths(each) for each in committed.values())
    return GroundrulesError(
        f"{mirror.FOLDER}{path}: {words}; a sync would lose that",
        why="what it says belongs to the source, or to another folder",
        fix=f"git checkout HEAD -- {name}" if is_known else f"rm {name}",
    )


def _dropped(worktree: Worktree, folder: str, made: Composed, old: Head | None) -> tuple[str, ...]:
    """Return what `made` lacks of what the mirror holds, on disk or else in the last commit."""
    if old is None:
        return ()
    path = f"{mirror.FOLDER}{old.path}"
    content = held(os.path.join(folder, old.path)) or Tree(worktree.head or "").read(path).get(path, b"")
    return dropped(made, old, mirror.split(content)[1])


def _require_named(old: dict[str, Head], made: Sequence[Composed], remove: Sequence[str]) -> None:
    """Refuse that documents vanish because an export has them no more, unless each is named."""
    tokens = {each.source.token for each in made}
    for token in remove:
        if token in tokens or token not in old:
            where = "is in the source" if token in tokens else "is in no mirrored document"
            raise GroundrulesError(f"--remove {token}: {token} {where}", fix="groundrules mirror sync")
    gone = [token for token in old if token not in tokens and token not in remove]
    if gone:
        options = " ".join(f"--remove {quote(token)}" for token in [*remove, *gone])
        raise GroundrulesError(
            f"{len(gone)} document{'s' * (len(gone) != 1)} are gone from the source; nothing was written".replace(
                "1 document are", "1 document is"
            ),
            why="\n".join([*gone, "if the export is whole and they are to go:"]),
            fix=f"groundrules mirror sync {options}",
            code=FINDINGS,
        )


def _steps(
    folder: str, made: Sequence[Composed], old: dict[str, Head], there: dict[str, Head]
) -> tuple[list[Step], dict[str, bytes]]:
    """Return the step of each document, and the files to write; what did not change keeps its bytes."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    stamp = writing.Stamp(now, f"groundrules {version('groundrules')}")
    steps: list[Step] = []
    files: dict[str, bytes] = {}
    for each in made:
        before = old.get(each.source.token)
        revision = _revision(each.source, before)
        head, written = writing.written(each, before, revision, stamp)
        state = CHANGED if before else NEW
        if before and _is_same(before, head):
            if each.source.token in there and all(
                os.path.lexists(os.path.join(folder, path)) for path in _paths(before)
            ):
                steps.append(Step(before, SAME))
                continue
            state = RESTORED
            head, written = writing.written(each, before, revision, writing.Stamp(before.synced, before.tool))
        steps.append(Step(head, state))
        for path, content in written.items():
            if files.setdefault(path, content) != content:
                raise GroundrulesError(f"two documents would write {path}", fix="groundrules mirror sync --help")
    return steps, files


def _revision(source: Source, old: Head | None) -> int:
    """Return the revision that the source gives; one more than before where it gives none and the text is another."""
    is_other = old is None or old.source_sha256 != source.sha256
    if source.revision is None:
        return (old.revision if old else 0) + is_other
    if old and source.revision < old.revision:
        words = f"its revision goes back from {old.revision} to {source.revision}"
    elif old and source.revision == old.revision and is_other:
        words = f"its text is another, and its revision is {old.revision} as before"
    else:
        return source.revision
    raise GroundrulesError(
        f"{source.token}: {words}; nothing was written",
        why="an older export, or one whose revisions do not count; a newer one raises the number",
        fix=f"git log --oneline -- {quote(mirror.FOLDER + source.path)}",
        code=FINDINGS,
    )


def _is_same(old: Head, new: Head) -> bool:
    """Whether the mirror has the document already: the text as it was read, and what stands beside it."""
    return (old.path, old.revision, old.source_sha256) == (
        new.path,
        new.revision,
        new.source_sha256,
    ) and old.parts == new.parts


def _paths(head: Head) -> list[str]:
    return [head.path, *(part.path for part in head.parts)]


def _require_apart(folder: str, owned: set[str], files: Iterable[str]) -> None:
    """Refuse to write over a file that is not of the mirror."""
    for path in files:
        if path not in owned and os.path.lexists(os.path.join(folder, path)):
            name = quote(f"{mirror.FOLDER}{path}")
            raise GroundrulesError(
                f"{mirror.FOLDER}{path} is there and was not written by a sync; nothing was written",
                why="the export has a document or a file of that name",
                fix=f"mv {name} docs/",
            )
