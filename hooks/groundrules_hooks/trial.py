"""Trial: a throw-away git dir over a repository's objects, where a merge has one answer on every machine.

It has no settings, no attributes, no refs and no index of the repository's, and what is written in it goes with it.
"""

from __future__ import annotations

import os
from time import time

from groundrules_hooks.git import FIXED, GitError
from groundrules_hooks.lock import make_folder
from groundrules_hooks.process import Outcome, run
from groundrules_hooks.worktree import STATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

PREFIX = "trial-"
OLD = 3600.0  # seconds; a trial of that age was left by a process that was killed
PINNED = (
    ("core.attributesFile", os.devnull),  # git looks in the home even where no setting names a file
    ("core.fsync", "none"),
    ("core.looseCompression", "0"),
    ("fastimport.unpackLimit", "1"),
    ("merge.conflictStyle", "merge"),
    ("merge.directoryRenames", "conflict"),
)
# Otherwise the current directory counts as a work tree, and attributes are read there.
BARE = b"[core]\nbare = true\nrepositoryformatversion = 1\n"
SHA256 = b"[extensions]\nobjectFormat = sha256\n"


class Trial:
    """A trial over the objects of the repository with `common_dir`, which `oid` names one of; entered and left."""

    def __init__(self, common_dir: str, oid: str, *, keep: bool = False) -> None:
        self.common_dir = common_dir
        self.config = BARE + (SHA256 if len(oid) == 64 else b"")
        self.state = os.path.join(common_dir, STATE)
        self.path = os.path.join(self.state, f"{PREFIX}{os.getpid()}-{os.urandom(4).hex()}")
        # What is to outlive the trial is written among the repository's own objects.
        self.objects = os.path.join(common_dir if keep else self.path, "objects")

    def __enter__(self) -> Self:
        make_folder(self.state)
        self._heal()
        make_folder(os.path.join(self.path, "objects", "info"))
        make_folder(os.path.join(self.path, "refs"))
        self._write("HEAD", b"ref: refs/heads/trial\n")
        self._write("config", self.config)
        self._write("objects/info/alternates", os.fsencode(os.path.join(self.common_dir, "objects")) + b"\n")
        return self

    def __exit__(self, *exception: object) -> None:
        _remove(self.path)

    def run(self, *args: str, stdin: bytes = b"") -> Outcome:
        """Run `git ARGS` in the trial; the caller judges how it ended."""
        settings = [word for name, value in PINNED for word in ("-c", f"{name}={value}")]
        return run(["git", *settings, *args], self.env(), stdin)

    def git(self, *args: str, stdin: bytes = b"") -> bytes:
        """Return what `git ARGS` writes to stdout in the trial. Raise GitError when it fails."""
        outcome = self.run(*args, stdin=stdin)
        if outcome.code:
            words = outcome.err.decode("utf-8", "replace").strip()
            raise GitError(f"`git {' '.join(args)}` ended with {outcome.code}", why=words)
        return outcome.out

    def env(self) -> dict[str, str]:
        """Return the environment of git at work in the trial."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        shallow = os.path.join(self.common_dir, "shallow")
        return {
            **kept,
            **FIXED,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_DIR": self.path,
            "GIT_OBJECT_DIRECTORY": self.objects,
            **({"GIT_SHALLOW_FILE": shallow} if os.path.exists(shallow) else {}),
        }

    def _write(self, name: str, content: bytes) -> None:
        with open(os.path.join(self.path, name), "wb") as file:
            file.write(content)

    def _heal(self) -> None:
        for name in os.listdir(self.state):
            path = os.path.join(self.state, name)
            if name.startswith(PREFIX) and _age(path) > OLD:
                _remove(path)


def _age(path: str) -> float:
    try:
        return time() - os.stat(path).st_mtime
    except OSError:  # another process was faster
        return 0.0


def _remove(folder: str) -> None:
    """Remove `folder` with all that is in it, without the imports of shutil."""
    for place, folders, files in os.walk(folder, topdown=False):
        try:
            for name in files:
                os.unlink(os.path.join(place, name))
            for name in folders:
                os.rmdir(os.path.join(place, name))
        except OSError:  # another process heals the same folder
            return
    try:
        os.rmdir(folder)
    except OSError:
        return
