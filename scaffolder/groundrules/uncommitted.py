"""Uncommitted work: what worktrees hold now, as commits that exist in a trial only. Nothing in them is touched."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

from groundrules_hooks.git import FIXED, elsewhere
from groundrules_hooks.process import run
from groundrules_hooks.worktree import in_progress

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundrules_hooks.trial import Trial
    from groundrules_hooks.worktree import Worktree

STATUS = (
    "-c",
    "core.preloadIndex=false",  # many worktrees at once are parallel enough
    "status",
    "--porcelain=v2",
    "-z",
    "--branch",
    "--no-ahead-behind",
    "--no-renames",
    "--untracked-files=all",
    "--ignore-submodules=dirty",
)
NOWHERE = "000000"
LINK = "120000"
SUBMODULE = "160000"
ATTEMPTS = 3  # others write files while they are read


class Content(NamedTuple):
    """The content of one worktree as `commit`, of which `files` paths are not committed; or why it cannot be told."""

    commit: str
    files: int = 0
    reason: str = ""


class State(NamedTuple):
    """What a worktree holds beyond its `head`: mode and blob of each changed path, no mode for one that is gone."""

    head: str
    files: dict[str, tuple[str, str]]
    parents: tuple[str, ...] = ()
    reason: str = ""


def contents(trial: Trial, worktrees: Sequence[Worktree]) -> list[Content]:
    """Return what each of `worktrees` holds, read without a lock and without a change of its index."""
    with ThreadPoolExecutor(max_workers=min(8, os.cpu_count() or 1)) as pool:
        states = list(pool.map(lambda each: _state(trial, each), worktrees))
    dirty = [state for state in states if state.files]
    commits = iter(_commits(trial, dirty) if dirty else [])
    return [Content(next(commits) if state.files else state.head, len(state.files), state.reason) for state in states]


def _state(trial: Trial, worktree: Worktree) -> State:
    for _ in range(ATTEMPTS):
        found = _read(trial, worktree)
        if not found.reason:
            break
    return found


def _read(trial: Trial, worktree: Worktree) -> State:
    """Return the state of `worktree`, with a reason and no files where it cannot be told."""
    if in_progress(worktree) is not None:
        return State(worktree.head or "", {}, reason="a rebase or bisect is going on")
    done = run(["git", "-C", worktree.root, *STATUS], {**elsewhere(), **FIXED})
    if done.code:
        return State(worktree.head or "", {}, reason=_last(done.err) or f"git status ended with {done.code}")
    records = [os.fsdecode(record) for record in done.out.split(b"\0") if record]
    head = next((record.split(" ")[2] for record in records if record.startswith("# branch.oid ")), "")
    if any(record.startswith("u ") for record in records):
        return State(head, {}, reason="files are unmerged")
    if head == "(initial)":
        return State("", {}, reason="it has no commit yet")
    return _written(trial, worktree, head, records)


def _written(trial: Trial, worktree: Worktree, head: str, records: Sequence[str]) -> State:
    """Write the changed files into the trial, as git would store them, and return the state."""
    modes = dict(_modes(worktree.root, records))
    plain = [path for path, mode in modes.items() if mode not in (NOWHERE, LINK, SUBMODULE)]
    asked = b"".join(_quoted(path) + b"\n" for path in plain)
    environment = {**elsewhere(), **FIXED, "GIT_OBJECT_DIRECTORY": trial.objects}
    git = ["git", "-C", worktree.root, "-c", "core.looseCompression=0", "-c", "core.safecrlf=false"]
    done = run([*git, "hash-object", "-w", "--stdin-paths"], environment, asked) if plain else None
    blobs = dict(zip(plain, done.out.decode().split(), strict=False)) if done else {}
    if len(blobs) < len(plain):
        return State(head, {}, reason=_last(done.err) if done else "")
    blobs |= {path: _module(worktree.root, path) for path, mode in modes.items() if mode == SUBMODULE}
    files = {path: (mode, blobs.get(path, "")) for path, mode in modes.items()}
    links = {path: (LINK, os.readlink(os.path.join(worktree.root, path))) for path in modes if modes[path] == LINK}
    return State(head, {**files, **links}, _merging(worktree.git_dir))


def _modes(root: str, records: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield path and mode in the work tree of each changed file; what is untracked comes last, so it counts."""
    for record in records:
        if record.startswith("1 "):
            fields = record.split(" ", 8)
            yield fields[8], fields[5]
        elif record.startswith("? ") and not record.endswith("/"):  # a folder here is another repository
            try:
                found = os.lstat(os.path.join(root, record[2:])).st_mode
            except OSError:  # gone again
                continue
            yield record[2:], LINK if stat.S_ISLNK(found) else "100755" if found & stat.S_IXUSR else "100644"


def _module(root: str, path: str) -> str:
    """Return the commit that the submodule at `path` has checked out."""
    done = run(["git", "-C", os.path.join(root, path), "rev-parse", "HEAD"], {**elsewhere(), **FIXED})
    return done.out.decode().strip()


def _merging(git_dir: str) -> tuple[str, ...]:
    """Return the commits that a merge in progress brings."""
    try:
        with open(os.path.join(git_dir, "MERGE_HEAD"), encoding="ascii") as file:
            return tuple(file.read().split())
    except OSError:
        return ()


def _commits(trial: Trial, states: Sequence[State]) -> list[str]:
    """Write a commit for each of `states` into the trial, all by one process, and return their ids."""
    stream = b"".join(part for number, state in enumerate(states, 1) for part in _commit(number, state))
    return trial.git("fast-import", "--quiet", stdin=stream).decode().split()


def _commit(number: int, state: State) -> Iterator[bytes]:
    """Yield the commands of fast-import for one commit; deletions first, since a folder may stand where a file did."""
    yield b"commit refs/heads/content-%d\nmark :%d\ncommitter groundrules <> 0 +0000\ndata 0\n" % (number, number)
    yield b"".join(b"%s %s\n" % (word, oid.encode()) for word, oid in _parents(state))
    for path, (mode, _) in state.files.items():
        if mode == NOWHERE:
            yield b"D %s\n" % _quoted(path)
    for path, (mode, content) in state.files.items():
        if mode == LINK:
            target = os.fsencode(content)
            yield b"M %s inline %s\ndata %d\n%s\n" % (mode.encode(), _quoted(path), len(target), target)
        elif mode != NOWHERE:
            yield b"M %s %s %s\n" % (mode.encode(), content.encode(), _quoted(path))
    yield b"\nget-mark :%d\n" % number


def _parents(state: State) -> Iterator[tuple[bytes, str]]:
    yield b"from", state.head
    yield from ((b"merge", parent) for parent in state.parents)


def _quoted(path: str) -> bytes:
    """Return `path` in the quotes that git's line-based input takes, whatever characters it holds."""
    escaped = os.fsencode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + escaped + b'"'


def _last(said: bytes) -> str:
    return (said.decode("utf-8", "replace").strip().splitlines() or [""])[-1].removeprefix("fatal: ")
