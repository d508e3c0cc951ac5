"""Splitting: the commands that turn one staged change into several commits, and lose nothing of it.

All of them take from the tree that git was about to commit: what was staged only in part, new, deleted or renamed comes
out as it was staged, whatever has been edited since.
"""

from __future__ import annotations

import os
from time import time

from groundrules_hooks.finding import quote, word
from groundrules_hooks.git import LOG, git, text
from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from groundrules_hooks.change import File

MAGIC = frozenset("*?[\\:")
ABOVE: dict[str, tuple[str, ...]] = {"": ()}  # thousands of files lie in few folders
ANSWER = "echo 'answer e, delete the lines that are to come later, and commit'"
STOPPED = ("CHERRY_PICK_HEAD", "REBASE_HEAD")  # what a pick or a rebase waits for
NOW = 60  # seconds that other hooks may have run for since git took the time of the commit


class Group(NamedTuple):
    """Files that make one commit, and its message, unless there was one for what they are the `main` part of."""

    message: str
    files: tuple[File, ...]
    is_main: bool = False


def commands(tree: str, groups: Sequence[Group]) -> str:
    """Return the lines that commit `groups` of the staged `tree` one after the other, from the root."""
    named = _named(groups)
    author, origin = _author()
    told = [f"-C {origin}" if each.is_main and origin else f"-m {quote(each.message)}{author}" for each, _ in named]
    if _is_partial():
        return "\n".join(
            f"{_git(words)} commit {how} {words}"
            for how, (_, paths) in zip(told, named, strict=True)
            for words in [_words(paths)]
        )
    everything = set[str]().union(*(paths for _, paths in named))
    intended = _intended(tree, everything)
    whole = " ".join([".", *(word(f":(exclude,literal){path}") for path in _covering(intended, everything))])
    # Pasted into another repository, as after `git -C`, the first line fails and nothing is unstaged there.
    lines = [f"git cat-file -e {tree[:12]} && git restore --staged {whole}"]
    for how, (_, paths) in zip(told[:-1], named, strict=False):
        words = _words(_covering(paths, everything - paths | intended))
        lines.append(f"{_git(words)} {_line(tree, words, how)}")
        everything -= paths
    return "\n".join([*lines, f"git {_line(tree, whole, told[-1])}"])


def in_parts(tree: str, file: File) -> str:
    """Return the command that takes `file` of the staged `tree` out of the commit in parts.

    Where git itself was to stage it (`git commit -a`, `git commit PATHS`), nothing of it is staged, so parts go in. So
    they do where a file is new or moved, of which git takes back nothing but the whole: into none, or into the old one.
    """
    words = _words([file.path])
    run = _git(words)
    parts = f"{run} restore --source={tree[:12]} --staged --patch {words}"
    if file.status == "A":
        return f"{ANSWER}\n{run} restore --staged {words} && {parts}"
    if file.status == "R":
        moved = f"git update-index --cacheinfo {word(f'{file.old_mode},{file.old_id},{file.path}')}"
        old = _words([file.old])
        return f"{_git(old)} rm -q --cached --ignore-unmatch {old} && {moved} && {parts}"
    is_added_by_git = file.status == "M" and _index().startswith(("index.lock", "next-index-"))
    return f"{run} add --patch {words}" if is_added_by_git else f"{run} restore --staged --patch {words}"


def _line(tree: str, words: str, how: str) -> str:
    return f"restore --source={tree[:12]} --staged {words} && git commit {how}"


def _author() -> tuple[str, str]:
    """Return the options by which commits get the author and date that git was to write, and the commit it has them of.

    Both are empty for the committer, now. git tells its hooks, be it a pick, an amend or `git commit --author`.
    """
    name, email, date = (os.environ.get(f"GIT_AUTHOR_{part}", "") for part in ("NAME", "EMAIL", "DATE"))
    seconds = date.removeprefix("@").partition(" ")[0]
    if not seconds.isdecimal():
        return "", ""
    author = f"{name} <{email}>"
    committer = os.fsdecode(git("var", "GIT_COMMITTER_IDENT", ok=(0, 128), env=os.environ)).rpartition("> ")[0] + ">"
    is_now = abs(time() - int(seconds)) < NOW
    if author == committer and is_now:
        author, date = _picked()
    if not date:
        return "", ""
    options = (f" --author={word(author)}" if author != committer else "") + f" --date={word(date)}"
    heads = STOPPED if is_now else (*STOPPED, "ORIG_HEAD")
    return options, next((name for name, *told in _written(heads) if told == [author, date]), "")


def _written(heads: Iterable[str]) -> Iterator[list[str]]:
    """Yield the short id, the author and the date of the commit that each of `heads` names, if there is one."""
    form = ("--abbrev=12", "--date=raw", "--format=%h%x00%an <%ae>%x00@%ad")
    told = (text(*LOG, "-1", *form, head, "--", ok=(0, 128)) for head in heads)
    return (each.split("\0") for each in told if each)


def _picked() -> tuple[str, str]:
    """Return the author and date of the commit that conflicts in a pick or a rebase; both are empty elsewhere.

    Of a rebase only `git rebase --continue` minds them. MERGE_MSG is there until the commit that ends the conflict; at
    a stop to edit it is somebody else's.
    """
    paths = (text("rev-parse", "--git-path", name) for name in ("MERGE_MSG", "rebase-merge/amend"))
    is_conflict, is_edited = map(os.path.exists, paths)
    heads = STOPPED[: 1 if is_edited else 2] if is_conflict else ()
    return next(((author, date) for _, author, date in _written(heads)), ("", ""))


def _git(words: str) -> str:
    return "git --literal-pathspecs" if MAGIC & set(words) else "git"


def _is_partial() -> bool:
    """Whether git commits named paths only: then the index holds more than the tree, and must stay as it is."""
    return _index().startswith("next-index-")


def _index() -> str:
    """Return the name of the index that git named for this commit."""
    return os.path.basename(os.environ.get("GIT_INDEX_FILE", ""))


def _intended(tree: str, changed: set[str]) -> set[str]:
    """Return the entries of `git add --intent-to-add`, of which the staged `tree` has none.

    One in the place of something that has `changed` is left out: in the index only one of them can be.
    """
    listed = git("diff-index", "--cached", "--ita-visible-in-index", "--no-renames", "--name-only", "-z", tree, "--")
    taken = {folder for path in changed for folder in _folders(path)} | changed
    found = {os.fsdecode(path) for path in listed.split(b"\0") if path} - taken
    return {path for path in found if changed.isdisjoint(_folders(path))}


def _named(groups: Sequence[Group]) -> list[tuple[Group, set[str]]]:
    """Return each group and the paths to name for it; a group without any is left out.

    A file and a folder of one name cannot both be there: what comes takes the other away. So a file that gave way to a
    folder is not named, nor are the files of a folder that gave way, once the file is there in its place.
    """
    come = {file.path for group in groups for file in group.files if file.status != "D"}
    above = {folder for path in come for folder in _folders(path)}
    there: set[str] = set()
    named = []
    for group in groups:
        there |= come & _paths(group)
        paths = {path for path in _paths(group) - above if there.isdisjoint(_folders(path))}
        if paths:
            named.append((group, paths))
    return named


def _paths(group: Group) -> set[str]:
    return {path for file in group.files for path in (file.old, file.path)}


def _covering(paths: set[str], others: Iterable[str]) -> list[str]:
    """Return the fewest files and folders that hold all `paths` and none of the `others`."""
    mixed = {folder for path in others for folder in _folders(path)} | set(others)
    return sorted({next(place for place in (*_folders(path), path) if place not in mixed) for path in paths})


def _folders(path: str) -> tuple[str, ...]:
    """Return the folders above `path`, the outermost first."""
    folder = path.rpartition("/")[0]
    if folder not in ABOVE:
        parts = folder.split("/")
        ABOVE[folder] = tuple("/".join(parts[:count]) for count in range(1, len(parts) + 1))
    return ABOVE[folder]


def _words(paths: Iterable[str]) -> str:
    return f"-- {' '.join(map(word, sorted(paths)))}"
