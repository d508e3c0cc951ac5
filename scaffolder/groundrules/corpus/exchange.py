"""Exchange: a folder is replaced as a whole; whoever looks, or dies, at any moment finds the old one or the new."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
from typing import TYPE_CHECKING

from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import quote
from groundrules_hooks.lock import make_folder, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

# Beside the folder, so on one disk with it. Git ignores all in it, so that what a killed process left is not committed.
ASIDE = ".mirror-in-progress"
NEW, BEFORE = "new", "before"
HERE = -100  # AT_FDCWD of Linux: paths as they are
SWAP = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS
UNKNOWN = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM)


def heal(folder: str) -> None:
    """Take away what a killed exchange of `folder` left; put the old folder back where none is."""
    aside = _aside(folder)
    before = os.path.join(aside, BEFORE)
    if not os.path.lexists(folder) and os.path.lexists(before):
        os.rename(before, folder)
    for name in (NEW, BEFORE):
        shutil.rmtree(os.path.join(aside, name), ignore_errors=True)
    shutil.rmtree(aside, ignore_errors=True)  # last, with what hides the rest from git


def replaced(folder: str, files: Mapping[str, bytes], gone: Iterable[str], accept: Callable[[str], None]) -> None:
    """Replace `folder` by a copy of it with `files` written and those `gone` left out, once `accept` has seen it."""
    aside = _aside(folder)
    new = os.path.join(aside, NEW)
    try:
        make_folder(aside)
        with open(os.path.join(aside, ".gitignore"), "wb") as file:
            file.write(b"*\n")
        if os.path.lexists(folder):
            shutil.copytree(folder, new, symlinks=True)
        for path in gone:
            _remove(new, path)
        for path, content in files.items():
            make_folder(os.path.dirname(os.path.join(new, path)))
            replace(os.path.join(new, path), content)
        accept(new)
        _put(new, folder, os.path.join(aside, BEFORE))
    except OSError as error:
        raise GroundrulesError(
            f"cannot write {folder}: {error.strerror}", why="nothing was changed", fix=f"ls -ld {quote(folder)}"
        ) from None
    finally:
        heal(folder)


def _aside(folder: str) -> str:
    return os.path.join(os.path.dirname(folder), ASIDE)


def _remove(folder: str, path: str) -> None:
    """Remove a file and the folders that held nothing else."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(folder, path))
    above = os.path.dirname(path)
    while above:
        try:
            os.rmdir(os.path.join(folder, above))
        except OSError:  # it holds something
            return
        above = os.path.dirname(above)


def _put(new: str, folder: str, before: str) -> None:
    """Set `new` in the place of `folder`: at once where the disk can, else by two renames that `heal` can end."""
    if not os.path.lexists(folder):
        os.rename(new, folder)
    elif not _swapped(new, folder):
        os.rename(folder, before)
        os.rename(new, folder)


def _swapped(one: str, other: str) -> bool:
    """Exchange two folders in one step; return whether this machine and this disk can."""
    library = ctypes.CDLL(None, use_errno=True)
    names = os.fsencode(one), os.fsencode(other)
    if hasattr(library, "renameat2"):
        code = library.renameat2(HERE, names[0], HERE, names[1], SWAP)
    elif hasattr(library, "renamex_np"):
        code = library.renamex_np(*names, SWAP)
    else:
        return False
    number = ctypes.get_errno()
    if code and number not in UNKNOWN:
        raise OSError(number, os.strerror(number))
    return bool(code == 0)
