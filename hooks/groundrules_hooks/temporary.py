"""Temporary folders: one a slot, private, with a path short enough for sockets; gone when nobody has the slot."""

from __future__ import annotations

import os

from groundrules_hooks import pin as pins
from groundrules_hooks import registry
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.lock import Lock, held, replace

NOTE = ".owner"  # beside a folder: who made it


def path_of(common_dir: str, slot: int) -> str:
    """Return the temporary folder of `slot`."""
    return f"/tmp/groundrules-{os.getuid()}/{registry.key(common_dir)}-s{slot}"  # noqa: S108 (private below)


def make(folder: str, common_dir: str) -> None:
    """Create `folder`, readable by this user only, and note whose it is; refuse one that somebody else made."""
    for path in (os.path.dirname(folder), folder):
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            if not _is_this_users(path):
                raise GroundrulesError(f"{path} belongs to somebody else", fix=f"ls -ld {path}") from None
        except OSError as error:
            raise GroundrulesError(f"cannot make {path}: {error.strerror}", fix=f"ls -ld {path}") from None
    note = _note(folder, common_dir)
    if held(f"{folder}{NOTE}") != note:
        replace(f"{folder}{NOTE}", note)


def sweep(common_dir: str) -> None:
    """Remove the folders that vanished worktrees left."""
    with Lock(common_dir):
        remove_but({pin.slot for _, pin in pins.siblings(common_dir, "")}, common_dir)


def remove_but(taken: set[int], common_dir: str) -> None:
    """Remove the folders of all slots but slot 0 and those `taken`. To be called under the lock of claims.

    Only a folder that its note proves to be this one, made for this repository: a name alone proves nothing.
    """
    parent, start = os.path.split(path_of(common_dir, 0)[:-1])
    try:
        names = os.listdir(parent) if _is_this_users(parent) else []
    except OSError:
        return
    for name in names:
        slot, folder = name.removeprefix(start), os.path.join(parent, name)
        if slot == name or not slot.isdigit() or int(slot) in {0, *taken}:
            continue
        if _is_ours(folder, common_dir):
            _remove(folder)


def _note(folder: str, common_dir: str) -> bytes:
    """Return what stands beside a folder of ours: both with their numbers on disk, since a path can be given again."""
    return os.fsencode(f"{common_dir}\n{os.stat(common_dir).st_ino} {os.lstat(folder).st_ino}\n")


def _is_this_users(path: str) -> bool:
    return os.lstat(path).st_uid == os.getuid() and not os.path.islink(path)


def _is_ours(folder: str, common_dir: str) -> bool:
    try:
        return _is_this_users(folder) and held(f"{folder}{NOTE}") == _note(folder, common_dir)
    except OSError:  # it vanished meanwhile
        return False


def _remove(folder: str) -> None:
    """Remove a folder and its note, which stays while anything of the folder does."""
    try:
        os.rmdir(folder)
    except OSError:  # it holds something
        from shutil import rmtree

        rmtree(folder, ignore_errors=True)
    if not os.path.lexists(folder):
        os.unlink(f"{folder}{NOTE}")
