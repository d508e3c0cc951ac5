"""Interrupts: Ctrl-C, TERM and HUP, obeyed, noted for later or ignored, as a step needs."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def obeyed() -> Iterator[None]:
    """Let TERM and HUP end a command as Ctrl-C does: with what it started stopped again."""

    def interrupt(number: int, frame: object) -> None:
        del number, frame
        raise KeyboardInterrupt

    default = [number for number in NUMBERS[1:] if signal.getsignal(number) == signal.SIG_DFL]
    with _handled(default, interrupt):
        yield


@contextmanager
def noted() -> Iterator[list[int]]:
    """Collect interrupts instead of obeying them: for a step that ends soon and cannot be left half done."""
    found: list[int] = []
    with _handled(NUMBERS, lambda number, _: found.append(number)):
        yield found


def obey(found: list[int]) -> None:
    """Raise KeyboardInterrupt when an interrupt was noted."""
    if found:
        raise KeyboardInterrupt


@contextmanager
def ignored() -> Iterator[None]:
    """Ignore interrupts: for what mends an interrupted step."""
    with _handled(NUMBERS, signal.SIG_IGN):
        yield


@contextmanager
def _handled(
    numbers: tuple[signal.Signals, ...] | list[signal.Signals], handler: Callable[[int, Any], object] | signal.Handlers
) -> Iterator[None]:
    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
