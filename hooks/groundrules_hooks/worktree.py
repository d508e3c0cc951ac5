"""Where a command stands: the worktree, its git dir, its branch. Read once, with one git process."""

from __future__ import annotations

import os

from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import quote
from groundrules_hooks.git import GitError, answer, elsewhere, git, text, version
from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

HEADS = "refs/heads/"
STATE = "groundrules"  # the folder of ours in a git dir


class Worktree(NamedTuple):
    """One filesystem of one task, or the main worktree, or (without `root`) a bare repository.

    Paths are absolute and resolved. `branch` is the short name, None when HEAD is detached; `head` is None before the
    first commit.
    """

    root: str
    git_dir: str
    common_dir: str
    branch: str | None
    head: str | None

    @property
    def linked(self) -> bool:
        """Whether this is a linked worktree; the main worktree, a bare repository and a submodule are not."""
        return self.git_dir != self.common_dir

    @property
    def name(self) -> str:
        """The name git gave the worktree's entry: unlike the path it never changes."""
        return os.path.basename(self.git_dir) if self.linked else "main"


def locate(meanwhile: Callable[[], object] = bool) -> Worktree | None:
    """Return the worktree of the current directory, or None outside any repository; git answers `meanwhile`."""
    directories = ("--path-format=absolute", "--git-dir", "--git-common-dir", "--show-toplevel")
    code, out = answer(
        "rev-parse", *directories, "HEAD", "--symbolic-full-name", "HEAD", ok=(0, 128), meanwhile=meanwhile
    )
    lines = os.fsdecode(out).split("\n")
    if code == 0 and len(lines) == 6:
        git_dir, common_dir, root, head, ref = lines[:5]
        branch = ref.removeprefix(HEADS) if ref.startswith(HEADS) else None
        return _resolved(Worktree(root, git_dir, common_dir, branch, head))
    return _locate_slowly()


def _locate_slowly() -> Worktree | None:
    """Ask one thing at a time: before the first commit, in a bare repository, under a path with a newline."""
    try:
        text("rev-parse", "--git-dir")
    except GitError as error:
        if "not a git repository" in error.why:
            return None
        raise  # a repository of dubious ownership is one all the same: nothing passes unchecked
    version()  # an older git echoes --path-format instead of obeying it
    git_dir = text("rev-parse", "--path-format=absolute", "--git-dir")
    common_dir = text("rev-parse", "--path-format=absolute", "--git-common-dir")
    bare = text("rev-parse", "--is-inside-work-tree") == "false"
    root = "" if bare and not os.environ.get("GIT_WORK_TREE") else text("rev-parse", "--show-toplevel")
    ref = text("symbolic-ref", "-q", "HEAD", ok=(0, 1))
    head = text("rev-parse", "-q", "--verify", "HEAD^{commit}", ok=(0, 1))
    branch = ref.removeprefix(HEADS) if ref.startswith(HEADS) else None
    return _resolved(Worktree(root, git_dir, common_dir, branch, head or None))


def _resolved(found: Worktree) -> Worktree:
    """Follow links in the directories, and correct the root where an inherited GIT_DIR made git guess it."""
    git_dir = os.path.realpath(found.git_dir)
    common_dir = os.path.realpath(found.common_dir)
    root = found.root
    if root and "GIT_DIR" in os.environ and "GIT_WORK_TREE" not in os.environ:
        # With GIT_DIR alone git takes the current directory for the root, even in a subdirectory.
        root = _recorded_root(git_dir, common_dir) or root
    return found._replace(git_dir=git_dir, common_dir=common_dir, root=os.path.realpath(root) if root else "")


def _recorded_root(git_dir: str, common_dir: str) -> str | None:
    """Return the root that the git dir itself names, if it is there and contains the current directory."""
    if git_dir == common_dir:
        root = os.path.dirname(git_dir) if os.path.basename(git_dir) == ".git" else ""
    else:
        root = recorded_folder(git_dir)
    inside = root and os.path.isdir(root) and _contains(os.path.realpath(root), os.path.realpath(os.getcwd()))
    return root if inside else None


def recorded_folder(git_dir: str) -> str:
    """Return the resolved folder that git has recorded for the linked worktree with `git_dir`; empty when unknown."""
    try:
        with open(os.path.join(git_dir, "gitdir"), "rb") as file:
            recorded = os.fsdecode(file.read().rstrip(b"\n"))
    except OSError:
        return ""
    return os.path.realpath(os.path.dirname(os.path.join(git_dir, recorded)))


def _contains(folder: str, path: str) -> bool:
    return path == folder or path.startswith(folder + os.sep)


def require() -> Worktree:
    """Return the worktree of the current directory. Raise GroundrulesError outside a repository's work tree."""
    found = locate()
    if found is None or not found.root:
        where = "a bare repository" if found else "no git repository"
        raise GroundrulesError(
            f"{os.getcwd()} is in {where}, not in a worktree", fix="git worktree list" if found else ""
        )
    return found


def require_original(worktree: Worktree) -> None:
    """Raise GroundrulesError in a copy of a worktree's folder, which shares index and branch with the original.

    A moved worktree is none: what git has recorded for it is not there any more.
    """
    recorded = recorded_folder(worktree.git_dir) if worktree.linked else worktree.root
    if recorded != worktree.root and os.path.exists(os.path.join(recorded, ".git")):
        raise GroundrulesError(
            f"{worktree.root} is a copy of the worktree {recorded}: both write to one index and one branch",
            fix=f"cd {quote(recorded)}",
        )


def superproject(worktree: Worktree) -> str | None:
    """Return the root of the repository that holds `worktree` as a submodule, or None.

    A submodule's git dir lies below `modules` of its superproject's, so everything else is answered without a process.
    """
    if worktree.linked or f"{os.sep}modules{os.sep}" not in worktree.git_dir:
        return None
    try:
        # Asked as from a shell at the root: an inherited GIT_DIR would hide the superproject.
        found = git("-C", worktree.root, "rev-parse", "--show-superproject-working-tree", env=elsewhere())
    except GitError:
        return None
    return os.fsdecode(found.removesuffix(b"\n")) or None


def in_progress(worktree: Worktree) -> str | None:
    """Return the branch that a rebase, an am or a bisect of this worktree is about; None when none is going on.

    HEAD is detached meanwhile, so git keeps the name in these files.
    """
    for place in ("rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"):
        try:
            with open(os.path.join(worktree.git_dir, place), "rb") as file:
                return os.fsdecode(file.read().rstrip(b"\n")).removeprefix(HEADS)
        except FileNotFoundError:
            continue
    return None
