"""Workers: what takes long, done for many things by copies of this process, which know what it knows."""

from __future__ import annotations

import marshal
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import BinaryIO, TypeVar

    Thing = TypeVar("Thing")
    Result = TypeVar("Result")

MOST = 4  # processes: all read from one disk
ROW = 25  # things that one takes in a row, since neighbours share contents
ROWS = 500  # of longer ones no more than a pipe holds
BLOCK = 1 << 18  # bytes that are handed over at once,
ROOM = 1 << 20  # and that wait to be taken: what anybody's pipe may hold on Linux


def mapped(things: Sequence[Thing], prepare: Callable[[], Callable[[Thing], Result]]) -> list[Result]:
    """Return what is made of each of `things`, in their order. Each worker makes it by what it gets of `prepare`.

    Results are pickled. What a worker took and did not finish is done here, where its error is raised.
    """
    import pickle
    import signal

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

    def tell(file: BinaryIO) -> None:
        pickle.dump(work(_while_wanted(prepare(), here)), file)

    here = os.getpid()
    started = [_start(tell) for _ in range(min(MOST, cores(), len(rows)) - 1)]
    running = [worker for worker in started if worker]
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


def ahead(things: Sequence[Thing], read: Callable[[Sequence[Thing]], Iterable[bytes | None]]) -> Iterator[bytes | None]:
    """Return what `read` makes of `things`, one each; a worker begins with it now, and is ahead of who takes it.

    What the worker does not make is made here, where its error is raised.
    """

    def tell(file: BinaryIO) -> None:
        for each in read(things):
            marshal.dump(each, file)

    worker = _start(tell)
    if not worker:
        return iter(read(things))
    taken = _taken(*worker, things, read)
    next(taken)  # one that was not begun would not end its worker when it is dropped
    return taken


def _taken(
    pid: int, answer: int, things: Sequence[Thing], read: Callable[[Sequence[Thing]], Iterable[bytes | None]]
) -> Iterator[bytes | None]:
    """Yield None, and then what a worker makes of `things`, or `read` in its place."""
    made = 0
    _widen(answer)
    try:
        with os.fdopen(answer, "rb", BLOCK) as file:
            yield None
            while made < len(things):
                yield marshal.load(file)  # noqa: S302 (written by this very program)
                made += 1
    except (EOFError, ValueError, TypeError):  # it ended early
        yield from read(things[made:])
    finally:
        os.waitpid(pid, 0)


def cores() -> int:
    """Return how many cores this process may use; macOS tells how many there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _while_wanted(make: Callable[[Thing], Result], asker: int) -> Callable[[Thing], Result]:
    """Return `make`, which ends this process once the one that asks has ended: a killed one can stop nobody."""

    def made(thing: Thing) -> Result:
        if os.getppid() != asker:
            os._exit(1)
        return make(thing)

    return made


def _start(work: Callable[[BinaryIO], object]) -> tuple[int, int] | None:
    """Return a worker, which does `work` with a file to write to: its process, and the end of the pipe to read from.

    None where there is no room for another process.
    """
    answer, write = os.pipe()
    try:
        pid = os.fork()
    except OSError:
        os.close(answer)
        os.close(write)
        return None
    if pid:
        os.close(write)
        return pid, answer
    code = 1
    try:  # nothing that this process has open is its own: it leaves without ending any of it
        os.close(answer)  # else it would go on for a reader that has ended: itself
        with os.fdopen(write, "wb", BLOCK) as file:
            work(file)
        code = 0
    finally:
        os._exit(code)


def _widen(pipe: int) -> None:
    """Let `pipe` hold more if the system lets us: both its ends would wait for each other all the time."""
    import fcntl

    try:
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, ROOM)
    except (AttributeError, OSError):  # macOS; or too much waits in pipes of this user already
        return


def _finish(pid: int, answer: int) -> dict[int, list[Result]]:
    """Return what a worker made; nothing when it failed."""
    import pickle

    with os.fdopen(answer, "rb") as file:
        said = file.read()
    _, status = os.waitpid(pid, 0)
    return {} if status or not said else pickle.loads(said)  # noqa: S301 (written by this very program)
