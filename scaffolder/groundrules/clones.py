"""The door to GitPython: clones, remotes and first commits. Nothing on the hook path comes here."""

from __future__ import annotations

import json
import os
from importlib.metadata import PackageNotFoundError, distribution
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")  # without git its import fails; git.version() says so better
import git

from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.git import elsewhere
from groundrules_hooks.rules.lockstep import is_fixed

if TYPE_CHECKING:
    from collections.abc import Mapping

REMOTE = ("https://", "ssh://", "git@")


class Source(NamedTuple):
    """Where the template is: the `url` to record and the `ref` to render (None for the newest release).

    `checkout` is a folder of this machine with the same commits, if there is one.
    """

    url: str
    ref: str | None
    checkout: str | None

    def environment(self) -> dict[str, str]:
        """Return variables that make git read `url` from the checkout: no network for what is already here."""
        if self.checkout is None or self.checkout == self.url:
            return {}
        count = int(os.environ.get("GIT_CONFIG_COUNT", "0"))
        return {
            "GIT_CONFIG_COUNT": str(count + 1),
            f"GIT_CONFIG_KEY_{count}": f"url.{self.checkout}.insteadOf",
            f"GIT_CONFIG_VALUE_{count}": self.url,
        }


def template_source() -> Source:
    """Return where this program's own template is: its checkout, or what it was installed from."""
    root = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
    if os.path.exists(os.path.join(root, "copier.yml")):
        return _of_checkout(root)
    try:
        record = json.loads(distribution("groundrules").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        record = {}
    url = str(record.get("url", ""))
    if url.startswith("file://"):
        url = unquote(url.removeprefix("file://"))
    if not url:
        raise GroundrulesError(
            "this installation does not know where its template is", fix="groundrules new DEST --source URL"
        )
    if "vcs_info" in record:
        # Not the commit: one after a release has no name that hooks and template could share.
        return Source(url, record["vcs_info"].get("requested_revision"), None)
    return _of_checkout(url)


def _of_checkout(root: str) -> Source:
    """Return the source for a checkout: its remote's URL once the commit is published there, else the folder itself."""
    try:
        repository = git.Repo(root)
    except (git.InvalidGitRepositoryError, git.NoSuchPathError):
        what = f"{root} is no clone, so a new repository could not be updated from it"
        raise GroundrulesError(what, fix="groundrules new DEST --source URL") from None
    ref = None if any(is_fixed(tag.name) for tag in repository.tags) else "HEAD"
    if ref and repository.is_dirty(untracked_files=True):
        raise GroundrulesError(
            f"the template in {root} has uncommitted changes",
            why="the revision recorded in the new repository would exist nowhere",
            fix=f"git -C {root} status --short",
        )
    for remote in repository.remotes:
        url = next(iter(remote.urls))
        secret = url.startswith("https://") and "@" in url.split("/")[2]  # a user of ssh is none
        if url.startswith(REMOTE) and not secret and _is_published(repository, remote):
            return Source(url, ref, root)
    return Source(root, ref, root)


def _is_published(repository: git.Repo, remote: git.Remote) -> bool:
    return any(repository.is_ancestor(repository.head.commit, ref.commit) for ref in remote.refs)


def initialise(root: str, branch: str) -> None:
    """Make a repository of the folder `root` with everything in it staged."""
    repository = git.Repo.init(root, initial_branch=branch)
    repository.git.add(all=True, force=True)  # a global ignore file may name one of ours


def has_identity(root: str) -> bool:
    """Whether git knows whose commits are made in `root`."""
    try:
        git.Repo(root).git.var("GIT_AUTHOR_IDENT")
    except git.GitCommandError:
        return False
    return True


def first_commit(root: str, message: str, environment: Mapping[str, str]) -> str:
    """Commit what is staged, through the hooks, and return what they said. Raise GroundrulesError when one refuses."""
    repository = git.Repo(root)
    with repository.git.custom_environment(**environment):
        try:
            return str(repository.git.commit(message=message))
        except git.GitCommandError as error:
            said = f"{error.stdout}\n{error.stderr}".strip()
            raise GroundrulesError("the first commit was refused", why=said, fix=f"git -C {root} commit") from None


def clean_environment() -> None:
    """Drop from this process what names one repository: every library here may work on another one."""
    for name in set(os.environ) - set(elsewhere()):
        del os.environ[name]
