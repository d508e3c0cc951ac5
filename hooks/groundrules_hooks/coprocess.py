"""Coprocess: one git that answers question after question, so that none waits for a process to start."""

from __future__ import annotations

import os

from groundrules_hooks.git import GitError, here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import BinaryIO

CHUNK = 1 << 16


class Coprocess:
    """A `git ARGS` that reads questions from stdin; it is started by the first one, and ends with its reader."""

    def __init__(self, *args: str, env: Mapping[str, str] | None = None) -> None:
        self._args = args
        self._env = env
        self._pid = 0
        self._ask = -1
        self._reply: BinaryIO | None = None

    def start(self) -> None:
        """Start git, unless it runs already: its first answer then comes at once."""
        if self._pid:
            return
        ask_read, self._ask = os.pipe()
        reply_read, reply_write = os.pipe()
        self._reply = os.fdopen(reply_read, "rb", CHUNK)
        actions = [
            (os.POSIX_SPAWN_DUP2, ask_read, 0),
            (os.POSIX_SPAWN_DUP2, reply_write, 1),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ]
        env = here() if self._env is None else self._env
        try:
            self._pid = os.posix_spawnp("git", ["git", *self._args], env, file_actions=actions)
        finally:
            os.close(ask_read)
            os.close(reply_write)

    def ask(self, question: bytes) -> None:
        """Send `question`, which waits while the pipe is full. Raise GitError when git has ended."""
        self.start()
        rest = memoryview(question)
        try:
            while rest:
                rest = rest[os.write(self._ask, rest) :]
        except BrokenPipeError:
            raise self._ended() from None

    def line(self) -> bytes:
        """Return the next line of the answer, with its newline. Raise GitError when git ends before."""
        line = self._reply.readline() if self._reply else b""
        if not line.endswith(b"\n"):
            raise self._ended()
        return line

    def take(self, size: int) -> bytes:
        """Return the next `size` bytes of the answer. Raise GitError when git ends before."""
        content = self._reply.read(size) if self._reply else b""
        if len(content) < size:
            raise self._ended()
        return content

    def _ended(self) -> GitError:
        return GitError(f"`git {' '.join(self._args[:2])}` ended early", fix="git fsck")

    def __del__(self) -> None:
        if self._ask >= 0:
            os.close(self._ask)
        if self._reply:
            self._reply.close()
        if self._pid:
            os.waitpid(self._pid, 0)
