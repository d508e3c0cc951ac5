"""`up`: in order, ready on return, idempotent; a failure names its step and leaves nothing of this run."""

from __future__ import annotations

import os
import socket
import sys
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from groundrules.stack import identity, listener, record
from scaffolder.stack.conftest import API, IPV6, MIGRATIONS, WEB, Site, command, kill, service

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from scaffolder.conftest import Answer

    Run = Callable[..., Answer]
    Foreign = Callable[..., subprocess.Popen[bytes]]


def steps(answer: Answer) -> list[str]:
    """Return the sign and the name of each line of narration."""
    return [" ".join(line.split()[:2]) for line in answer.err.splitlines()]


def test_stack_comes_up_in_order_and_each_step_is_one_line(run: Run, site: Site) -> None:
    site.configure(
        MIGRATIONS
        + API.replace("run =", 'needs = ["web"]\nrun =')
        + WEB
        + command("cache", "sleep", "60").replace("service", "infrastructure")
    )
    answer = run(site.path, "up")
    assert (answer.code, answer.out) == (0, ""), answer.err
    expected = ["○ slot", "○ render", "✓ database", "✓ migrations", "✓ cache", "✓ web", "✓ api", "✓ slot"]
    assert steps(answer) == expected
    said = site.ask(site.web)
    assert (said["data"], said["pid"]) == ([["0"]], site.pid("web"))  # STACK-21: familiar ports in slot 0
    assert f"http://127.0.0.1:{site.web}/" in answer.err


# STACK-02
def test_second_up_changes_nothing_and_says_so(run: Run, site: Site) -> None:
    site.configure(MIGRATIONS + WEB + API)
    first, pids = run(site.path, "up"), [site.pid("web"), site.pid("api")]
    second = run(site.path, "up")
    assert (first.code, second.code) == (0, 0)
    assert [site.pid("web"), site.pid("api")] == pids
    assert second.err.splitlines()[-1] == "○ slot 0        already up"
    assert "✓ web" not in second.err
    again = [record.read(site.run(), name) for name in ("web", "api")]
    assert [made.pid for made in again if made] == pids


def test_repository_without_a_stack_is_told_what_to_write(run: Run, site: Site) -> None:
    site.configure("")
    answer = run(site.path, "up")
    assert answer.code == 2
    assert "describes no stack" in answer.err
    assert "[[stack.service]]" in answer.err


# STACK-03 STACK-17 DAT-13
def test_service_that_ends_while_booting_fails_with_the_lines_of_this_run(run: Run, site: Site) -> None:
    bad = command("bad", "sh", "-c", "echo line of the $RUN run; exit 3", more='needs = ["web"]')
    site.configure(MIGRATIONS + WEB + bad)
    os.environ["RUN"] = "first"
    try:
        assert run(site.path, "up").code == 1
        os.environ["RUN"] = "second"
        answer = run(site.path, "up")
    finally:
        del os.environ["RUN"]
    assert answer.code == 1
    assert "groundrules: bad exited with 3 before it was ready\n  line of the second run\n" in answer.err
    assert "first run" not in answer.err
    assert answer.err.splitlines()[-1] == "    tools/groundrules logs bad"
    assert "○ web           stopped again" in answer.err
    assert site.living() == []
    logs = run(site.path, "logs", "bad")
    assert "second run" in logs.out
    assert "first run" not in logs.out
    site.configure(MIGRATIONS + WEB)
    assert run(site.path, "up").code == 0
    assert [run(site.path, "down").code for _ in range(2)] == [0, 0]  # STACK-05


def test_program_that_does_not_exist_is_named(run: Run, site: Site) -> None:
    site.configure(command("web", "no-such-program", "--port", "1"))
    answer = run(site.path, "up")
    assert answer.code == 1
    assert "web cannot start: there is no program no-such-program" in answer.err


def test_unknown_value_in_an_environment_starts_nothing(run: Run, site: Site) -> None:
    site.configure(MIGRATIONS + WEB + service("api", "api", 'A = "${NO_PORT}"'))
    answer = run(site.path, "up")
    assert answer.code == 2
    assert "env of api has ${NO_PORT}" in answer.err
    assert "database" not in answer.err
    assert site.living() == []


# STACK-20
def test_failing_migration_starts_no_service_and_shows_its_output(run: Run, site: Site) -> None:
    site.configure(f"""[stack]\nmigrate = ["sh", "-c", "echo no such column; exit 4"]\n\n{WEB}""")
    answer = run(site.path, "up")
    assert answer.code == 1
    assert "migrations failed: `sh -c echo no such column; exit 4` exited with 4\n  no such column" in answer.err
    assert not [line for line in answer.err.splitlines() if line.startswith(("✓ web", "○ web"))]
    assert not record.read_all(site.run())


# PRT-10
@pytest.mark.parametrize("address", ["127.0.0.1", pytest.param("::1", marks=IPV6), pytest.param("::", marks=IPV6)])
def test_taken_port_names_its_holder_who_is_left_alone(run: Run, site: Site, foreign: Foreign, address: str) -> None:
    site.configure(MIGRATIONS + API + WEB)
    holder = foreign(site.web, address)
    answer = run(site.path, "up")
    assert answer.code == 1
    assert f"web cannot start: port {site.web} is taken" in answer.err
    assert f"by process {holder.pid}, on {address}: {sys.executable}" in answer.err
    assert answer.err.splitlines()[-1] == f"    ps -fp {holder.pid}"
    assert run(site.path, "down").code == 0
    assert holder.poll() is None
    assert site.living() == []


def bound(server: socket.socket, address: str, port: int) -> bool:
    """Bind, unless a probe of another test run holds the port for a moment."""
    try:
        server.bind((address, port))
    except OSError:
        return False
    return True


@pytest.fixture
def intruder(site: Site) -> Iterator[Callable[[str], None]]:
    """Listen on the port of web as soon as it was started, and only then let it go on."""
    with ExitStack() as kept:

        def enter(address: str) -> None:
            server = kept.enter_context(socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET))

            def work() -> None:
                while not (site.path / "started").exists():
                    threading.Event().wait(0.01)
                while not bound(server, address, site.web):
                    threading.Event().wait(0.01)
                server.listen()
                (site.path / "go").touch()

            thread = threading.Thread(target=work)
            thread.start()
            kept.callback(thread.join)

        yield enter


# STACK-10
def test_answer_of_another_process_is_not_taken_as_ready(run: Run, site: Site, intruder: Callable[[str], None]) -> None:
    site.configure(command("web", "sh", "-c", "touch started; exec sleep 60", more='port = "web"'))
    intruder("127.0.0.1")
    answer = run(site.path, "up")
    assert answer.code == 1
    assert f"web is not alone on port {site.web}: process {os.getpid()}, on 127.0.0.1" in answer.err


# PRT-03
@IPV6
def test_second_server_on_the_other_loopback_is_not_passed_over(
    run: Run, site: Site, intruder: Callable[[str], None]
) -> None:
    site.configure(service("web", "web", 'GO = "go"', 'ready = "http:/"'))
    intruder("::1")
    answer = run(site.path, "up")
    assert answer.code == 1
    assert f"web is not alone on port {site.web}: process {os.getpid()}, on ::1" in answer.err


# PRT-12
@IPV6
@pytest.mark.parametrize("ready", ["tcp", "http:/"])
def test_server_on_ipv6_only_is_ready_and_the_address_is_told(run: Run, site: Site, ready: str) -> None:
    site.configure(service("web", "web", 'BIND = "::1"', f'ready = "{ready}"'))
    answer = run(site.path, "up")
    assert answer.code == 0, answer.err
    assert f"[::1]:{site.web}" in answer.err


# PRT-09
def test_service_that_reads_another_port_fails_by_name(run: Run, site: Site) -> None:
    wrong = service("web", "web", "", 'ready = "http:/"', "timeout = 1").replace("${WEB_PORT}", str(site.first + 50))
    site.configure(wrong)
    answer = run(site.path, "up")
    assert answer.code == 1
    assert f"web is not ready after 1 s: nothing answers on port {site.web}" in answer.err


def test_error_status_is_not_ready_and_is_told(run: Run, site: Site) -> None:
    site.configure(service("web", "web", 'STATUS = "503"', 'ready = "http:/healthz"', "timeout = 1"))
    answer = run(site.path, "up")
    assert answer.code == 1
    assert f"http://127.0.0.1:{site.web}/healthz answers 503 Service Unavailable" in answer.err


def test_command_decides_when_a_service_is_ready(run: Run, site: Site) -> None:
    ready = 'ready = ["sh", "-c", "test -e made-$SLOT"]'
    site.configure(command("worker", "sh", "-c", "touch made-$SLOT; exec sleep 60", more=ready))
    answer = run(site.path, "up")
    assert answer.code == 0, answer.err
    assert "`sh -c test -e made-$SLOT` ended with 0" in answer.err
    os.unlink(site.path / "made-0")
    site.configure(command("worker", "sh", "-c", "exec sleep 60", more=f"{ready}\ntimeout = 1"))
    answer = run(site.path, "up")
    assert answer.code == 1
    assert "worker is not ready after 1 s: `sh -c test -e made-$SLOT` ended with 1" in answer.err


# STACK-16
def test_changed_setting_restarts_just_its_service(run: Run, site: Site) -> None:
    site.configure(MIGRATIONS + WEB + API)
    run(site.path, "up")
    web, api = site.pid("web"), site.pid("api")
    site.configure(MIGRATIONS + WEB.replace("env = {", 'env = { COLOUR = "red",') + API)
    answer = run(site.path, "up")
    assert "○ web           stopped: settings changed" in answer.err
    assert (site.pid("web") != web, site.pid("api") == api) == (True, True)
    assert site.ask(site.web)["env"]["COLOUR"] == "red"
    site.configure(MIGRATIONS + API)
    answer = run(site.path, "up")
    assert "✓ web           stopped: groundrules.toml does not have it any more" in answer.err
    assert (site.pid("api"), len(site.living())) == (api, 1)


def test_killed_service_has_a_name_in_ps_and_comes_back_alone(run: Run, site: Site) -> None:
    site.configure(MIGRATIONS + WEB + API)
    run(site.path, "up")
    assert run(site.path, "ps").code == 0
    api = site.pid("api")
    site.kill("web")
    answer = run(site.path, "ps")
    assert answer.code == 1
    assert "✗ web is not running" in answer.err
    assert run(site.path, "up").code == 0
    assert site.pid("api") == api
    assert site.ask(site.web)["pid"] == site.pid("web")


def test_service_that_dies_under_the_eyes_of_up_is_started_again(run: Run, site: Site) -> None:
    site.configure(command("web", "sh", "-c", "exec sleep 60", more='ready = ["sh", "-c", "eval $READY"]'))
    os.environ["READY"] = "true"
    try:
        assert run(site.path, "up").code == 0
        old = site.pid("web")
        os.environ["READY"] = f"test -e dead || {{ touch dead; kill -KILL {old}; false; }}"
        answer = run(site.path, "up")
    finally:
        del os.environ["READY"]
    assert answer.code == 0, answer.err
    assert site.pid("web") != old


# STACK-19
def test_lost_record_starts_no_second_copy_and_names_the_first(run: Run, site: Site) -> None:
    site.configure(WEB)
    run(site.path, "up")
    pid = site.pid("web")
    record.remove(site.run(), "web")
    answer = run(site.path, "up")
    assert answer.code == 1
    assert f"by process {pid}, on 127.0.0.1: {sys.executable} serve.py" in answer.err
    assert "it is web of this stack, whose record is lost" in answer.err
    assert site.living() == [pid]
    kill(pid)
    assert run(site.path, "up").code == 0


def test_port_of_a_process_that_is_ending_is_waited_for(run: Run, site: Site) -> None:
    site.configure(WEB)
    here, there = socket.socketpair()
    with here, there:
        with socket.create_server(("127.0.0.1", site.web)) as server:
            socket.send_fds(here, [b"0"], [server.fileno()])  # on its way the socket listens, and is no process's
        assert listener.holders(site.web) == [listener.Holder(0, "127.0.0.1")]
        ending = threading.Timer(0.5, there.close)
        ending.start()
        answer = run(site.path, "up")
        ending.join()
    assert answer.code == 0, answer.err


def test_record_that_names_a_living_stranger_signals_nobody(run: Run, site: Site, foreign: Foreign) -> None:
    site.configure(WEB)
    stranger = foreign(site.first + 60)
    run(site.path, "up")
    made = record.read(site.run(), "web")
    assert made is not None
    record.write(site.run(), made._replace(pid=stranger.pid))
    assert run(site.path, "down").code == 0
    assert stranger.poll() is None
    assert site.living() == [], "what carries the mark was stopped all the same"


# DAT-03
def test_slot_wins_over_the_shell_which_is_told(run: Run, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://secret@main/live")
    monkeypatch.setenv("WEB_PORT", "1")
    monkeypatch.setenv("API_KEY", "passed on")
    site.configure(WEB)
    answer = run(site.path, "up")
    assert (
        "▲ the shell has another WEB_PORT, DATABASE_URL; the slot's is used → unset WEB_PORT DATABASE_URL" in answer.err
    )
    assert "secret" not in answer.err
    env = site.ask(site.web)["env"]
    assert (env["WEB_PORT"], env["PORT"], env["API_KEY"]) == (str(site.web), str(site.web), "passed on")
    assert env["DATABASE_URL"].startswith("sqlite:///")


def test_what_an_interrupted_run_left_waiting_never_begins(site: Site) -> None:
    # The gate: without its line the program ends, having done nothing.
    from groundrules.stack import program
    from groundrules.stack.readiness import alive

    os.makedirs(site.run())
    wanted = program.Program(
        "web", "service", ("touch", "done"), str(site.path), {"PATH": os.environ["PATH"]}, {}, alive
    )
    from groundrules.stack import journal

    journal.begin(site.run(), "web", "touch done")
    read, write = os.pipe()
    pid = program._spawn(site.run(), wanted, read)  # noqa: SLF001 (the moment before the record)
    os.close(read)
    assert identity.of(pid) is not None
    os.close(write)
    os.waitpid(pid, 0)
    assert not (site.path / "done").exists()


def test_folder_of_a_service_is_the_worktree(run: Run, site: Site, tmp_path: Path) -> None:
    below = site.path / "a" / "b"
    below.mkdir(parents=True)
    site.configure(WEB)
    assert run(below, "up").code == 0
    assert os.readlink(f"/proc/{site.pid('web')}/cwd") == str(tmp_path / "shop")
