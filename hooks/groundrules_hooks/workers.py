"""Workers: the same done for many things by one process a core, each a copy of this one that knows what it knows."""

from __future__ import annotations

import os
import pickle
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    Thing = TypeVar("Thing")
    Result = TypeVar("Result")

MOST = 4  # processes: all read from one disk
ROW = 25  # things that one takes in a row, since neighbours share contents
ROWS = 500  # of longer ones no more than a pipe holds


def mapped(things: Sequence[Thing], prepare: Callable[[], Callable[[Thing], Result]]) -> list[Result]:
    """Return what is made of each of `things`, in their order. Each worker makes it by what it gets of `prepare`.

    Results are pickled. What a worker took and did not finish is done here, where its error is raised.
    """
    size = max(ROW, len(things) // ROWS)
    rows = [things[start : start + size] for start in range(0, len(things), size)]
    take, give = os.pipe()
    os.write(give, b"".join(number.to_bytes(2, "big") for number in range(len(rows))))
    os.close(give)

    def work(make: Callable[[Thing], Result]) -> dict[int, list[Result]]:
        made = {}
        while number := os.read(take, 2):
            at = int.from_bytes(number, "big")
            made[at] = list(map(make, rows[at]))
        return made

    here = os.getpid()
    running = [_start(lambda: work(_while_wanted(prepare(), here))) for _ in range(min(MOST, _cores(), len(rows)) - 1)]
    try:
        made = work(prepare())
        while running:
            made |= _finish(*running.pop(0))
    finally:
        os.close(take)
        for pid, answer in running:
            os.close(answer)
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    return [result for at, row in enumerate(rows) for result in made.get(at) or map(prepare(), row)]


def _cores() -> int:
    """Return how many cores this process may use; macOS tells how many there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _while_wanted(make: Callable[[Thing], Result], asker: int) -> Callable[[Thing], Result]:
    """Return `make`, which ends this process once the one that asks has ended: a killed one can stop nobody."""

    def made(thing: Thing) -> Result:
        if os.getppid() != asker:
            os._exit(1)
        return make(thing)

    return made


def _start(work: Callable[[], dict[int, list[Result]]]) -> tuple[int, int]:
    """Return a worker: its process, and the end of the pipe to read from."""
    answer, write = os.pipe()
    pid = os.fork()
    if pid:
        os.close(write)
        return pid, answer
    code = 1
    try:  # nothing that this process has open is its own: it leaves without ending any of it
        with os.fdopen(write, "wb") as file:
            pickle.dump(work(), file)
        code = 0
    finally:
        os._exit(code)


def _finish(pid: int, answer: int) -> dict[int, list[Result]]:
    """Return what a worker made; nothing when it failed."""
    with os.fdopen(answer, "rb") as file:
        said = file.read()
    _, status = os.waitpid(pid, 0)
    return {} if status or not said else pickle.loads(said)  # noqa: S301 (written by this very program)
