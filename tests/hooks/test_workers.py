"""workers: what several processes make is what one makes, whatever happens to them; none of them is left."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from groundrules_hooks.range import MANY

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Repository

# Each row is made in a process of its own: the pytest that runs this has threads, which are not to be copied.
HEAD = """
import os, signal, sys, time
from groundrules_hooks import workers
workers.cores = lambda: 3
here = os.getpid()
before = os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else []
def is_copy():
    return os.getpid() != here
"""
TAIL = """
assert not before or os.listdir("/proc/self/fd") == before, "left open"
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("alone")
"""


def run(text: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", HEAD + text + TAIL]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", ":".join(path for path in sys.path if path.endswith("hooks")))


@pytest.mark.parametrize("count", [0, 1, 30, 1000, 200_000])
def test_results_come_in_the_order_of_things(count: int) -> None:
    done = run(f"""
things = range({count})
assert workers.mapped(things, lambda: lambda thing: (thing, "made")) == [(thing, "made") for thing in things]
""")
    assert (done.stdout, done.stderr) == ("alone\n", "")


def test_each_process_prepares_once_and_all_take_part() -> None:
    done = run("""
def prepare():
    prepared.append(os.getpid())
    def make(thing):
        time.sleep(0.001)
        return os.getpid(), len(prepared)
    return make
prepared = []
made = set(workers.mapped(range(300), prepare))
assert {count for _, count in made} == {1} and len(made) == 3 and here in dict(made), made
""")
    assert (done.stdout, done.stderr) == ("alone\n", "")


@pytest.mark.parametrize(
    "end", ["os.kill(os.getpid(), signal.SIGKILL)", "os._exit(0)", "raise ValueError", "sys.exit()"]
)
def test_what_a_worker_took_and_did_not_make_is_made_here(end: str) -> None:
    done = run(f"""
def make(thing):
    if is_copy() and thing > 60:
        {end}
    time.sleep(0.001)
    return thing * 2
assert workers.mapped(range(300), lambda: make) == [thing * 2 for thing in range(300)]
""")
    assert done.stdout == "alone\n", done.stderr


def test_an_error_here_ends_all() -> None:
    done = run("""
def make(thing):
    if is_copy():
        time.sleep(60)
    raise KeyError(thing)
try:
    workers.mapped(range(300), lambda: make)
except KeyError as error:
    assert error.args[0] % workers.ROW == 0
""")
    assert (done.stdout, done.stderr) == ("alone\n", "")


def test_workers_end_when_the_one_that_asked_is_killed(tmp_path: Path) -> None:
    done = run(f"""
def make(thing):
    with open({str(tmp_path / "made")!r}, "a") as file:
        file.write(f"{{os.getpid()}}\\n")
    if not is_copy():
        time.sleep(0.5)
        os.kill(here, signal.SIGKILL)
    time.sleep(0.1)
workers.mapped(range(3000), lambda: make)
""")
    assert done.returncode == -signal.SIGKILL
    # Its readers saw the end of stdout as soon as the workers had ended, which takes them 300 s to finish.
    assert len((tmp_path / "made").read_text().split()) < 100


@pytest.mark.parametrize("count", [0, 1, 1000])
def test_what_is_read_ahead_comes_in_the_order_of_things(count: int) -> None:
    done = run(f"""
def read(things):
    return (None if thing % 3 == 0 else b"x" * (thing * 97 % 70_000) for thing in things)
def who(things):
    return (str(os.getpid()).encode() for thing in things)
assert list(workers.ahead(range({count}), read)) == list(read(range({count})))
assert len(set(workers.ahead(range({count}), who)) - {{str(here).encode()}}) == min({count}, 1)
""")
    assert (done.stdout, done.stderr) == ("alone\n", "")


@pytest.mark.parametrize(
    "end", ["os.kill(os.getpid(), signal.SIGKILL)", "os._exit(0)", "raise ValueError", "sys.exit()"]
)
@pytest.mark.parametrize("last", [0, 1, 150, 299])
def test_what_was_not_read_ahead_is_read_here(end: str, last: int) -> None:
    done = run(f"""
def read(things):
    for thing in things:
        if is_copy() and thing == {last}:
            {end}
        yield b"x" * (thing * 997)
assert list(workers.ahead(range(300), read)) == list(read(range(300)))
""")
    assert done.stdout == "alone\n", done.stderr


def test_an_error_of_reading_ahead_is_raised_where_it_is_due() -> None:
    done = run("""
def read(things):
    for thing in things:
        if thing == 7:
            raise ValueError("seven")
        yield b"fine"
taken = []
try:
    taken.extend(workers.ahead(range(300), read))
except ValueError as error:
    assert error.args == ("seven",) and len(taken) == 7
""")
    assert done.stdout == "alone\n", done.stderr


def test_without_room_for_a_process_all_is_made_here() -> None:
    done = run("""
def fork():
    raise BlockingIOError
os.fork = fork
assert workers.mapped(range(300), lambda: str) == list(map(str, range(300)))
assert list(workers.ahead(range(300), lambda things: (b"x" * thing for thing in things)))[299] == b"x" * 299
""")
    assert (done.stdout, done.stderr) == ("alone\n", "")


def test_who_stops_taking_leaves_no_reader() -> None:
    done = run("""
for count in (0, 1, 500):
    some = workers.ahead(range(10_000), lambda things: (b"x" * 10_000 for thing in things))
    for _ in range(count):
        assert next(some) == b"x" * 10_000
    del some
""")
    assert (done.stdout, done.stderr) == ("alone\n", "")


def test_reader_ends_when_the_one_that_takes_is_killed() -> None:
    done = run("""
some = workers.ahead(range(1 << 40), lambda things: iter(lambda: b"x" * 10_000, None))
next(some)
os.kill(here, signal.SIGKILL)
""")
    assert done.returncode == -signal.SIGKILL  # its reader saw the end of stdout


def test_contents_read_ahead_are_those_that_git_tells(shop: Repository) -> None:
    """Loose and packed, missing and damaged ones, and what is asked meanwhile."""
    for number in range(700):
        shop.write(f"f{number}", f"{number}\n" * (number * 7 % 900))
        if number == 400:
            shop.git("add", "-A")
            shop.git("commit", "-qm", "Packed", "--no-verify")
            shop.git("gc", "-q")
    shop.git("add", "-A")
    oids = shop.git("rev-parse", *(f":f{number}" for number in range(700))).split()
    for number in (500, 600):
        damaged = shop.path / ".git/objects" / oids[number][:2] / oids[number][2:]
        damaged.chmod(0o644)
        damaged.write_bytes(b"no object")
    done = run(f"""
os.chdir({str(shop.path)!r})
from groundrules_hooks.objects import Objects
names = [b"0" * 40, *(name.encode() for name in {oids!r}), b":f1"]
expected = [None, *(str(number).encode() + b"\\n" for number in range(700)), b"1\\n" * 7]
expected[1:-1] = [line * (number * 7 % 900) for number, line in enumerate(expected[1:-1])]
expected[501] = expected[601] = None
forked = []
fork = os.fork
os.fork = lambda: forked.append(1) or fork()
objects = Objects(".git/objects")
some = objects.each(names)
assert next(some) is None and objects.read(names[5:7]) == expected[5:7]
assert [None, *some] == expected and len(forked) == 1
assert objects.read(names) == expected and len(forked) == 1
assert Objects(".git/objects").read(names[:499]) == expected[:499] and len(forked) == 1
del objects
""")
    assert (done.stdout, done.stderr) == ("alone\n", "")


def test_the_gate_says_of_many_commits_what_it_says_of_each(shop: Repository) -> None:
    base = shop.git("rev-parse", "HEAD")
    shop.git("switch", "-qc", "side")
    rows: list[str] = []
    for number in range(2 * MANY):
        message = "wip" if number % 7 == 0 else f"Say {number}"
        content = "line\n" * (500 if number % 11 == 0 else 1) + str(number)
        rows.append(
            f"commit refs/heads/side\ncommitter A <a@b> {number} +0000\ndata {len(message)}\n{message}\n"
            + (f"from {base}\n" if not rows else "")
            + f"M 644 inline f{number}.txt\ndata {len(content)}\n{content}\n"
        )
    subprocess.run(
        ["git", "fast-import", "--quiet", "--force"], cwd=shop.path, input="".join(rows), text=True, check=True
    )
    oids = shop.git("rev-list", "--reverse", f"{base}..side").splitlines()
    said = shop.command("gate", "--base", base, "--head", "side", code=1)
    expected = []
    for number, oid in enumerate(oids):
        if number % 11 == 0:
            expected.append(f"f{number}.txt:1: commit-size: {oid[:10]}: 501 lines by hand, at most 400")
        if number % 7 == 0:
            expected.append(f".: commit-message: {oid[:10]}: the subject says only that work is in progress: 'wip'")
    assert [line for line in said.splitlines() if ": commit-" in line] == expected
