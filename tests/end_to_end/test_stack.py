"""Stacks of several worktrees at once, in processes of their own: together, interrupted, killed at every step."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT, Repository
from groundrules.stack import identity, record, shutdown
from groundrules.stack.databases import client
from scaffolder.stack import conftest as stacks
from scaffolder.stack.conftest import API, INSTALLED, MIGRATIONS, WEB, Site, command, service, state

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["state"]  # a fixture

POSTGRES = f"""[stack]
database = "postgres"
migrate = ["sh", "-c", "psql -qX $DATABASE_URL -c 'create table if not exists data as select current_database()'"]

{WEB}"""
STACK = MIGRATIONS + WEB + API.replace("run =", 'needs = ["web"]\nrun =')


@pytest.fixture
def site(shop: Repository) -> Iterator[Site]:
    found = Site(shop)
    yield found
    assert not stacks.end(found), "a process outlived its test"


def begin(where: Path, *words: str, **env: str) -> subprocess.Popen[str]:
    """Start a command in a session of its own, as a terminal does."""
    return subprocess.Popen(
        [sys.executable, "-m", "groundrules", *words],
        cwd=where,
        env={**os.environ, "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder", **env},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(process: subprocess.Popen[str], code: int = 0) -> str:
    """Return what the command told, once it ended as expected."""
    _, err = process.communicate(timeout=120)
    assert process.returncode == code, f"{process.returncode}\n{err}"
    return err


# STACK-01 STACK-13 STACK-21
def test_three_worktrees_come_up_at_the_same_moment_each_with_its_own_data(site: Site) -> None:
    site.configure(STACK)
    everyone = [site.repository, *(site.repository.worktree(f"task/T{number}-x") for number in (1, 2))]
    for process in [begin(where.path, "up") for where in everyone]:
        finish(process)
    slots = sorted(int(line.removeprefix("SLOT=")) for where in everyone for line in _view(where) if "SLOT=" in line)
    assert slots == [0, 1, 2]
    for slot in slots:
        web, api = site.ask(site.web + 10 * slot), site.ask(site.api + 10 * slot)
        assert web["data"] == api["data"] == [[str(slot)]]
        assert web["pid"] == site.pid("web", slot)
    assert len(site.living()) == 6


# STACK-01
@pytest.mark.skipif(not INSTALLED, reason="PostgreSQL is not installed; .ci/run installs it")
@pytest.mark.usefixtures("state")
def test_three_worktrees_make_their_clusters_at_the_same_moment(site: Site) -> None:
    site.configure(POSTGRES)
    everyone = [site.path, *(site.repository.worktree(f"task/T{number}-x").path for number in (1, 2))]
    for process in [begin(where, "up") for where in everyone]:
        finish(process)
    for slot in range(3):
        url = f"postgresql://postgres@127.0.0.1:{site.db + 10 * slot}/{site.database(slot)}"
        assert client.ask(url, "table data").out == site.database(slot)
        assert site.ask(site.web + 10 * slot)["env"]["DATABASE_URL"] == url
    for where in everyone:
        finish(begin(where, "down", "--data", "--yes"))


def _view(where: Repository) -> list[str]:
    return (where.path / ".slot.env").read_text().splitlines()


# STACK-02
def test_two_ups_at_once_are_one_up(site: Site) -> None:
    site.configure(STACK)
    told = [finish(process) for process in [begin(site.path, "up") for _ in range(3)]]
    assert sum("already up" in text.splitlines()[-1] for text in told) == 2
    assert len(site.living()) == 2


# STACK-18
def test_same_folder_name_in_two_places_means_two_stacks(site: Site, tmp_path: Path) -> None:
    site.configure(STACK)
    for number in (1, 2):
        (tmp_path / str(number)).mkdir()
        site.repository.git("worktree", "add", "-q", "-b", f"task/T{number}-x", str(tmp_path / str(number) / "same"))
    for process in [begin(tmp_path / str(number) / "same", "up") for number in (1, 2)]:
        finish(process)
    assert {record.slots(site.common)[index] for index in range(2)} == {1, 2}
    assert {site.ask(site.web + 10 * slot)["data"][0][0] for slot in (1, 2)} == {"1", "2"}


# STACK-04
def test_services_stay_when_the_shell_is_closed(site: Site) -> None:
    site.configure(STACK)
    shell = subprocess.Popen(
        ["sh", "-c", f'"{sys.executable}" -m groundrules up && echo up && exec cat'],
        cwd=site.path,
        env={**os.environ, "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert shell.stdout is not None
    assert shell.stdout.readline() == b"up\n"
    os.killpg(shell.pid, signal.SIGHUP)
    shell.communicate()
    assert site.ask(site.web)["pid"] == site.pid("web")


def test_clean_of_the_worktree_loses_nothing_that_runs(site: Site) -> None:
    site.configure(STACK)
    finish(begin(site.path, "up"))
    site.repository.git("clean", "-fdxq")
    assert "already up" in finish(begin(site.path, "up"))
    assert site.ask(site.web)["data"] == [["0"]]
    finish(begin(site.path, "down"))
    assert site.living() == []


def test_stack_of_a_removed_folder_is_stopped_from_the_main_worktree(site: Site) -> None:
    # TRD-05
    site.configure(STACK)
    linked = site.repository.worktree("task/T1-x")
    finish(begin(linked.path, "up"))
    shutil.rmtree(linked.path)
    assert "was removed" in finish(begin(site.path, "ps", "--all"), 1)
    finish(begin(site.path, "ps", "--all", "--stop"))
    assert site.living() == []


# STACK-08
@pytest.mark.parametrize("name", ["a b 'c' \"d\" $HOME", "größe", "x" * 120, "-f", "new\nline", b"\xff\xfe"])
def test_odd_paths_are_no_obstacle(site: Site, name: str | bytes) -> None:
    site.configure(STACK)
    path = site.path.parent / os.fsdecode(name)
    site.repository.git("worktree", "add", "-q", "-b", "task/T1-x", str(path))
    finish(begin(path, "up"))
    assert site.ask(site.web + 10)["data"] == [["1"]]
    finish(begin(path, "down", "--data"))
    assert site.living() == []


# STACK-23
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupt_stops_what_this_run_started_and_nothing_older(site: Site, number: signal.Signals) -> None:
    site.configure(WEB)
    finish(begin(site.path, "up"))
    web = site.pid("web")
    waits = command("late", "sh", "-c", "exec sleep 60", more='ready = ["false"]\nneeds = ["web", "api"]')
    site.configure(WEB + API + waits)
    process = begin(site.path, "up")
    assert process.stderr is not None
    while not process.stderr.readline().startswith("✓ api"):
        assert process.poll() is None
    process.send_signal(number)
    told = finish(process, 130)
    assert "stopped again" in told
    assert "Traceback" not in told
    assert site.living() == [web]
    assert record.read(site.run(), "api") is None


def test_interrupted_migration_is_stopped_too(site: Site) -> None:
    site.configure(f"""[stack]\nmigrate = ["sh", "-c", "touch started; exec sleep 60"]\n\n{WEB}""")
    process = begin(site.path, "up")
    while not (site.path / "started").exists():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    finish(process, 130)
    assert site.living() == []


# Kills itself at the n-th event of the kinds that change something outside of the process.
KILLED = """
import os, signal, sys
left = int(sys.argv.pop(1))
CHANGES = {"os.posix_spawn", "os.rename", "os.remove", "os.mkdir", "os.kill", "os.truncate", "fcntl.flock"}

def count(event, arguments):
    global left
    if event in CHANGES or (event == "open" and arguments[2] & os.O_CREAT):
        left -= 1
        if left == 0:
            signal.raise_signal(signal.SIGKILL)

from groundrules.cli import main
from groundrules.stack import databases, instance, startup, tenancy
sys.addaudithook(count)
sys.exit(main(sys.argv[1:]))
"""


def killed(site: Site, step: int, *words: str) -> bool:
    """Run a command that dies before its `step`-th change; whether it got that far."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(step), *words],
        cwd=site.path,
        env={**os.environ, "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode != 0


def test_up_that_is_killed_before_any_of_its_changes_is_made_good_by_the_next(site: Site) -> None:
    site.configure(MIGRATIONS + service("web", "web"))
    step = 0
    while killed(site, step := step + 1, "up"):
        unknown = [pid for pid in site.living() if not _is_recorded(site, pid)]
        for pid in unknown:  # behind its gate, about to end without having done anything
            while identity.of(pid):
                pass
        finish(begin(site.path, "up"))
        assert site.living() == [site.pid("web")], f"after a kill before change {step}"
        assert site.ask(site.web)["data"] == [["0"]]
        finish(begin(site.path, "down"))
        assert site.living() == []
        finish(begin(site.path, "down", "--data", "--yes"))
        shutil.rmtree(f"{site.common}/groundrules")
        os.unlink(site.path / ".slot.env") if (site.path / ".slot.env").exists() else None
    assert step > 15, "the kills must have covered the whole way"


@pytest.mark.skipif(not INSTALLED, reason="PostgreSQL is not installed; .ci/run installs it")
@pytest.mark.usefixtures("state")
@pytest.mark.parametrize("first", [1, 2, 3])
def test_up_with_postgresql_that_is_killed_is_made_good_by_the_next(site: Site, first: int) -> None:
    site.configure(POSTGRES)
    steps = range(first, 100, 3)  # every change, in three tests that can run side by side
    for step in steps:
        if not killed(site, step, "up"):
            break
        finish(begin(site.path, "up"))
        assert site.ask(site.web)["pid"] == site.pid("web"), f"after a kill before change {step}"
        assert len(record.read_all(site.run())) == 2
        finish(begin(site.path, "down", "--data", "--yes"))
        shutil.rmtree(f"{site.common}/groundrules")
    assert step > 20, "the kills must have covered the whole way"
    finish(begin(site.path, "down", "--data", "--yes"))


def _is_recorded(site: Site, pid: int) -> bool:
    return any(pid in identity.members(made.identity, "") for made in record.read_all(site.run()))


def test_down_that_is_killed_before_any_of_its_changes_is_finished_by_the_next(site: Site) -> None:
    site.configure(WEB + API)
    step = 0
    finish(begin(site.path, "up"))
    while killed(site, step := step + 1, "down"):
        finish(begin(site.path, "down"))
        assert site.living() == [], f"after a kill before change {step}"
        assert record.read_all(site.run()) == []
        finish(begin(site.path, "up"))
    assert step > 4
    assert shutdown.stop(site.run()) == []
