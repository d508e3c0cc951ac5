"""`down`, `ps` and `logs`: exactly what was started, what is missing, what the newest run wrote; data on demand."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from groundrules.stack import owner, program, record, table
from groundrules.stack.readiness import alive
from scaffolder.stack.conftest import API, MIGRATIONS, WEB, Site, command

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Repository
    from scaffolder.conftest import Answer

    Run = Callable[..., Answer]


@pytest.fixture
def linked(site: Site) -> Repository:
    """A worktree in slot 1 with a stack of its own."""
    site.configure(MIGRATIONS + WEB + API)
    return site.repository.worktree("task/T1-x", "shop.T1")


# PRT-11
def test_down_stops_children_that_left_the_session_and_frees_the_port(run: Run, site: Site) -> None:
    forks = (
        "import os, runpy, subprocess, sys; os.fork() or (os.setsid(), runpy.run_path('serve.py'));"
        "sys.stdin.read(); os.wait()"
    )
    site.configure(command("web", sys.executable, "-c", forks, more='port = "web"\nenv = { PORT = "${WEB_PORT}" }'))
    answer = run(site.path, "up")
    assert answer.code == 0, answer.err
    assert len(site.living()) == 2
    down = run(site.path, "down")
    assert (down.code, down.out) == (0, "")
    assert "stopped web" in down.err
    assert "still taken" not in down.err
    assert site.living() == []


def test_what_ignores_term_is_killed_after_a_bounded_wait(site: Site) -> None:
    os.makedirs(site.run())
    deaf = ("sh", "-c", "trap '' TERM; touch started; while :; do sleep 60; done")
    wanted = program.Program("deaf", "service", deaf, str(site.path), dict(os.environ), {}, alive)
    made = program.start(site.run(), wanted)
    while not (site.path / "started").exists():
        assert made.is_alive
    assert program.stop(site.run(), made, patience=0.05)
    assert not made.is_alive
    assert site.living() == []
    assert record.read(site.run(), "deaf") is None
    assert not program.stop(site.run(), made)


def test_newest_is_stopped_first(run: Run, site: Site) -> None:
    site.configure(WEB + API)
    run(site.path, "up")
    assert "stopped api, web" in run(site.path, "down").err


# STACK-11
def test_stopping_one_worktree_leaves_the_other_alone(run: Run, site: Site, linked: Repository) -> None:
    for where in (site.repository, linked):
        assert run(where, "up").code == 0
    assert run(linked, "down").code == 0
    assert site.ask(site.web)["data"] == [["0"]]
    assert run(site.path, "ps").code == 0
    down = run(linked, "ps")
    assert (down.code, down.err) == (0, "○ stopped; `tools/groundrules up` starts it\n")
    assert down.out.splitlines()[1].split()[:3] == ["1", "web", "stopped"]


def test_worktree_without_a_slot_is_not_given_one_to_stop_nothing(run: Run, linked: Repository) -> None:
    for words in (("down",), ("ps",), ("logs",)):
        assert run(linked, *words).code == 0
    assert "has no slot" in run(linked, "down").err
    assert not (linked.path / ".slot.env").exists()


# DAT-02
def test_data_is_deleted_of_the_own_slot_only_and_in_slot_0_only_with_yes(
    run: Run, site: Site, linked: Repository
) -> None:
    for where in (site.repository, linked):
        run(where, "up")
    data = sorted(os.listdir(f"{site.common}/groundrules/data"))
    assert [name for name in data if name.endswith(".sqlite3")] == [f"{site.database(slot)}.sqlite3" for slot in (0, 1)]
    refused = run(site.path, "down", "--data")
    assert refused.code == 2
    assert "nothing was stopped or deleted" in refused.err
    assert site.pid("web")
    assert run(linked, "down").code == 0
    assert os.path.exists(site.sqlite(1)), "down alone deletes nothing"
    deleted = run(linked, "down", "--data")
    assert "deleted " in deleted.err
    assert not os.path.exists(site.sqlite(1))
    assert site.ask(site.web)["data"] == [["0"]]
    assert run(site.path, "down", "--data", "--yes").code == 0
    assert not os.path.exists(site.sqlite(0))


# DAT-02
def test_link_in_place_of_the_database_is_removed_and_not_followed(run: Run, site: Site, linked: Repository) -> None:
    run(linked, "slot")
    other = site.path / "precious.sqlite3"
    other.write_bytes(b"data")
    os.symlink(other, site.sqlite(1))
    assert run(linked, "down", "--data").code == 0
    assert other.read_bytes() == b"data"
    assert not os.path.lexists(site.sqlite(1))


def test_ps_answers_with_a_table_and_with_json(run: Run, site: Site) -> None:
    site.configure(WEB + API)
    nothing = run(site.path, "ps")
    assert (nothing.code, nothing.err) == (0, "○ stopped; `tools/groundrules up` starts it\n")
    assert [line.split()[1:3] for line in nothing.out.splitlines()[1:]] == [["web", "stopped"], ["api", "stopped"]]
    run(site.path, "up")
    site.kill("api")
    answer = run(site.path, "ps")
    header, web, api = answer.out.splitlines()
    assert header.split() == ["SLOT", "SERVICE", "STATE", "PID", "PORT", "SINCE", "WORKTREE"]
    assert web.split()[:5] == ["0", "web", "running", str(site.pid("web")), str(site.web)]
    assert api.split()[:3] == ["0", "api", "ended"]
    asked = run(site.path, "ps", "--json")
    document = json.loads(asked.out)
    assert (asked.code, document["schema_version"]) == (1, 1)
    (stack,) = document["stacks"]
    assert (stack["slot"], stack["worktree"], stack["gone"]) == (0, str(site.path), False)
    assert [(row["name"], row["state"], row["port"]) for row in stack["services"]] == [
        ("web", "running", site.web),
        ("api", "ended", site.api),
    ]


def test_stop_without_all_is_bad_use(run: Run, site: Site) -> None:
    site.configure(WEB)
    with pytest.raises(SystemExit) as ended:
        run(site.path, "ps", "--stop")
    assert ended.value.code == 2


# TRD-05 PRT-11
@pytest.mark.parametrize("how", ["git worktree remove", "rm -rf"])
def test_what_a_vanished_worktree_left_is_shown_and_stopped(run: Run, site: Site, linked: Repository, how: str) -> None:
    for where in (site.repository, linked):
        run(where, "up")
    if how == "rm -rf":
        shutil.rmtree(linked.path)
    else:
        site.repository.git("worktree", "remove", "--force", str(linked.path))
    assert run(site.path, "ps").code == 0
    shown = run(site.path, "ps", "--all")
    assert shown.code == 1
    assert f"{linked.path} (removed)" in shown.out
    assert f"▲ slot 1: the worktree {linked.path} was removed\n→ tools/groundrules ps --all --stop\n" in shown.err
    stopped = run(site.path, "ps", "--all", "--stop")
    assert stopped.code == 0, stopped.err
    assert "stopped api, web of" in stopped.err
    assert site.pid("web")
    assert len(site.living()) == 2
    assert "(removed)" not in run(site.path, "ps", "--all").out


def test_advice_for_another_worktree_goes_there_first(run: Run, site: Site, linked: Repository) -> None:
    for where in (site.repository, linked):
        run(where, "up")
    site.kill("web", 1)
    answer = run(site.path, "ps", "--all")
    assert answer.code == 1
    assert answer.err == f"✗ slot 1: web is not running\n→ cd {linked.path} && tools/groundrules up\n"


# TRD-09
def test_stop_removes_the_temporary_folder_too(run: Run, site: Site, linked: Repository) -> None:
    private = run(linked, "slot").out.partition("TASK_TMPDIR=")[2].partition("\n")[0]
    with open(f"{private}/file", "w", encoding="ascii"):
        pass
    site.repository.git("worktree", "remove", "--force", str(linked.path))
    assert run(site.path, "ps", "--all", "--stop").code == 0
    assert not os.path.exists(private)


def test_locked_worktree_whose_folder_is_away_is_not_called_removed(
    run: Run, site: Site, linked: Repository, tmp_path: Path
) -> None:
    run(linked, "up")
    site.repository.git("worktree", "lock", str(linked.path))
    os.rename(linked.path, tmp_path / "away")
    assert "removed" not in run(site.path, "ps", "--all", "--stop").err
    assert len(site.living()) == 2


def test_reused_slot_starts_with_data_of_its_own(run: Run, site: Site, linked: Repository) -> None:
    run(linked, "up")
    file = site.sqlite(1)
    run(linked, "down")
    site.repository.git("worktree", "remove", "--force", str(linked.path))
    with open(file, "wb") as old:
        old.write(b"of the removed worktree")
    heir = site.repository.worktree("task/T2-x", "shop.T1")  # git gives its entry the same name again
    answer = run(heir, "up")
    assert answer.code == 0, answer.err
    assert f"▲ slot 1 had data of the removed worktree {linked.path}: now {file}.old" in answer.err
    assert site.ask(site.web + 10)["data"] == [["1"]]
    with open(f"{file}.old", "rb") as old:
        assert old.read() == b"of the removed worktree"


def test_slot_of_another_worktree_is_refused(
    run: Run, site: Site, linked: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(linked, "up")
    monkeypatch.setenv("GROUNDRULES_SLOT", "1")
    for words in (("up",), ("down",), ("down", "--data")):
        answer = run(site.path, *words)
        assert answer.code == 1
        assert f"slot 1 has the stack of another worktree: {linked.path}" in answer.err
    assert len(site.living()) == 2


def test_moved_worktree_keeps_its_stack_and_its_data(run: Run, site: Site, linked: Repository) -> None:
    run(linked, "up")
    moved = linked.path.parent / "moved"
    site.repository.git("worktree", "move", str(linked.path), str(moved))
    assert "removed" not in run(site.path, "ps", "--all").err
    assert run(moved, "up").code == 0
    assert site.ask(site.web + 10)["data"] == [["1"]]
    assert os.readlink(f"/proc/{site.pid('web', 1)}/cwd") == str(moved)
    known = owner.read(site.run(1))
    assert known is not None
    assert known.root == str(moved)


def test_copy_of_a_repository_has_nothing_to_stop(run: Run, site: Site, tmp_path: Path) -> None:
    site.configure(MIGRATIONS + WEB)
    run(site.path, "up")
    shutil.copytree(site.path, tmp_path / "copy", symlinks=True)
    assert "nothing was running" in run(tmp_path / "copy", "down").err
    taken = run(tmp_path / "copy", "up")
    assert taken.code == 1
    assert f"it belongs to the stack in {site.run()}" in taken.err
    assert taken.err.rstrip().endswith(f"\n    make -C {site.path} down")
    assert site.ask(site.web)["pid"] == site.pid("web")


def test_moved_repository_still_knows_what_it_started(run: Run, site: Site, tmp_path: Path) -> None:
    site.configure(MIGRATIONS + WEB)
    run(site.path, "up")
    os.rename(site.path, tmp_path / "moved")
    assert "stopped web" in run(tmp_path / "moved", "down").err
    assert site.living() == []
    os.rename(tmp_path / "moved", site.path)


# STACK-17
def test_logs_are_of_the_newest_run_with_names_where_there_are_several(run: Run, site: Site) -> None:
    site.configure(WEB.replace("env = {", 'env = { NOISE = "first",') + API)
    run(site.path, "up")
    site.configure(WEB.replace("env = {", 'env = { NOISE = "second",') + API)
    run(site.path, "up")
    web = run(site.path, "logs", "web").out.splitlines()
    assert web[0].startswith("=== groundrules: web ")
    assert web[1:] == ["second"]
    everything = run(site.path, "logs").out
    assert "api | begins\n" in everything
    assert "web | second\n" in everything
    unknown = run(site.path, "logs", "wbe")
    assert unknown.code == 2
    assert "wbe has no log\n  there are logs of api, web" in unknown.err


def test_followed_log_goes_on_until_interrupted(run: Run, site: Site) -> None:
    site.configure(command("web", "sh", "-c", "while read -r line <more; do echo $line; done"))
    os.mkfifo(site.path / "more")
    run(site.path, "up")
    follower = subprocess.Popen(
        [sys.executable, "-m", "groundrules", "logs", "-f", "web"],
        cwd=site.path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert follower.stdout is not None
    assert follower.stdout.readline().startswith("=== groundrules: web ")
    with open(site.path / "more", "w", encoding="utf-8") as more:
        more.write("later\n")
    assert follower.stdout.readline() == "later\n"
    follower.send_signal(signal.SIGINT)
    follower.communicate()
    assert follower.returncode == 130


def test_record_of_another_version_is_no_record(site: Site) -> None:
    os.makedirs(site.run())
    for content in ("", "{", "[]", "{}", '{"name": "web"}'):
        with open(f"{site.run()}/web.json", "w", encoding="utf-8") as file:
            file.write(content)
        assert record.read(site.run(), "web") is None
        assert record.read_all(site.run()) == []


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(None, ""), (5, "5 s"), (119, "119 s"), (600, "10 min"), (7200, "2 h"), (400000, "4 days")],
)
def test_age_is_told_in_one_unit(seconds: int | None, expected: str) -> None:
    assert table.age(seconds) == expected
