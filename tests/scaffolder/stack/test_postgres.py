"""PostgreSQL from local binaries and by URL: real servers, a cluster or a database a slot, recovery from crashes."""

from __future__ import annotations

import glob
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from conftest import Repository
from groundrules.stack import databases, instance, record
from groundrules.stack.databases import binaries, client, cluster, server
from groundrules_hooks import registry
from groundrules_hooks.config import of_text
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.worktree import locate
from scaffolder.stack.conftest import INSTALLED, Site, command

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from scaffolder.conftest import Answer

    Run = Callable[..., Answer]

pytestmark = [
    pytest.mark.skipif(not INSTALLED, reason="PostgreSQL is not installed; .ci/run installs it"),
    pytest.mark.usefixtures("state"),
]
CREATE = "create table if not exists data as select current_database() as name"
STACK = f"""[stack]
database = "postgres"
migrate = ["sh", "-c", "psql -qX \\"$DATABASE_URL\\" -c '{CREATE}'"]
"""


def url(site: Site, slot: int = 0) -> str:
    return f"postgresql://postgres@127.0.0.1:{site.db + 10 * slot}/{site.database(slot)}"


def names(site: Site, slot: int = 0) -> str:
    return client.ask(url(site, slot), "select name from data").out


# STACK-01 STACK-07
def test_each_worktree_has_a_cluster_of_its_own(run: Run, site: Site, state: Path) -> None:
    site.configure(STACK)
    linked = site.repository.worktree("task/T1-x")
    for where in (site.repository, linked):
        answer = run(where, "up")
        assert answer.code == 0, answer.err
    assert (names(site, 0), names(site, 1)) == (site.database(0), site.database(1))
    assert "already up" in run(site.path, "up").err
    uid = os.stat(f"/proc/{site.pid('database')}").st_uid
    assert uid == os.getuid() if os.getuid() else uid != 0
    assert sorted(os.listdir(state)) == [] if os.getuid() else len(os.listdir(state)) == 2
    assert client.ask(url(site), "show unix_socket_directories").out == ""
    assert client.ask(url(site), "show listen_addresses").out == "127.0.0.1"
    assert run(linked, "down", "--data").code == 0
    assert names(site, 0) == site.database()
    assert run(site.path, "down").code == 0
    assert run(site.path, "up").code == 0
    assert names(site, 0) == site.database(), "down keeps the data"
    assert run(site.path, "down", "--data", "--yes").code == 0
    assert not glob.glob(f"{state}/*/cluster*")


# STACK-08
def test_cluster_is_below_the_git_dir_where_its_user_can_reach_that_however_long_the_path(
    run: Run, site: Site, state: Path
) -> None:
    folder = state / ("a folder with a long name " * 5)
    folder.mkdir(mode=0o755)
    repository = Repository(folder / "shop")
    site.configure(STACK)
    site.repository.git("clone", "-q", ".", str(repository.path))
    try:
        answer = run(repository, "up")
        assert answer.code == 0, answer.err
        assert f"made {repository.path}/.git/groundrules/data/0/cluster" in answer.err
        assert len(str(repository.path)) > 100
    finally:
        assert run(repository, "down", "--data", "--yes").code == 0


# STACK-06
def test_killed_server_is_recovered_with_its_data(run: Run, site: Site) -> None:
    site.configure(STACK)
    run(site.path, "up")
    old = site.kill("database")
    assert run(site.path, "ps").code == 1
    answer = run(site.path, "up")
    assert answer.code == 0, answer.err
    assert site.pid("database") != old
    assert names(site) == site.database()


def test_pid_file_that_names_a_living_stranger_is_recovered_from(run: Run, site: Site) -> None:
    site.configure(STACK)
    run(site.path, "up")
    site.kill("database")
    found = cluster.place(_instance(site))
    with subprocess.Popen(["sleep", "60"], user=binaries.user() and binaries.USERS[0]) as stranger:
        with open(f"{found}/postmaster.pid", encoding="utf-8") as file:
            _, *rest = file.read().split("\n")
        with open(f"{found}/postmaster.pid", "w", encoding="utf-8") as file:
            file.write("\n".join([str(stranger.pid), *rest]))
        answer = run(site.path, "up")
        assert answer.code == 0, answer.err
        assert stranger.poll() is None
        stranger.kill()


def _instance(site: Site) -> instance.Instance:
    os.chdir(site.path)
    worktree = locate()
    assert worktree is not None
    return instance.of(worktree, of_text((site.path / "groundrules.toml").read_bytes()), 0)


# STACK-19
def test_server_without_a_record_is_named_and_not_started_twice(run: Run, site: Site) -> None:
    site.configure(STACK)
    run(site.path, "up")
    pid = site.pid("database")
    kept = record.read(site.run(), "database")
    assert kept is not None
    record.remove(site.run(), "database")
    answer = run(site.path, "up")
    assert answer.code == 1
    assert f"database: process {pid} serves " in answer.err
    assert answer.err.splitlines()[-1] == f"    kill -INT {pid}"
    assert run(site.path, "down", "--data", "--yes").code == 1
    assert names(site) == site.database(), "nothing is deleted below a living server"
    record.write(site.run(), kept)


def test_half_made_cluster_is_made_anew(run: Run, site: Site) -> None:
    site.configure(STACK)
    os.makedirs(site.run())
    place = f"{cluster.settle(_instance(site), binaries.user())}.new"
    os.makedirs(f"{place}/base")
    answer = run(site.path, "up")
    assert answer.code == 0, answer.err
    assert not os.path.exists(place)


def test_taken_port_of_the_database_names_its_holder(
    run: Run, site: Site, foreign: Callable[..., subprocess.Popen[bytes]]
) -> None:
    site.configure(STACK)
    holder = foreign(site.db)
    answer = run(site.path, "up")
    assert answer.code == 1
    assert f"database cannot start: port {site.db} is taken\n  by process {holder.pid}" in answer.err


def test_repository_of_another_name_gets_its_database_in_the_same_cluster(run: Run, site: Site, tmp_path: Path) -> None:
    site.configure(STACK)
    run(site.path, "up")
    run(site.path, "down")
    renamed = tmp_path / "renamed"
    os.rename(site.path, renamed)
    try:
        answer = run(renamed, "up")
        assert answer.code == 0, answer.err
        assert "made " not in answer.err
        name = f"renamed_{registry.key(str(renamed / '.git'))}_s0"
        assert client.ask(client.on(url(site), name), "select name from data").out == name
        assert names(site) == site.database()
    finally:
        assert run(renamed, "down", "--data", "--yes").code == 0
        os.rename(renamed, site.path)


# STACK-07
@pytest.mark.skipif(os.getuid() != 0, reason="only root steps down")
def test_without_a_way_to_step_down_sqlite_is_offered(
    run: Run, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.configure(STACK)
    (tmp_path / "bin").mkdir()
    os.symlink("/usr/bin/git", tmp_path / "bin" / "git")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    answer = run(site.path, "up")
    assert answer.code == 1
    assert "neither setpriv nor runuser" in answer.err
    assert 'database = "sqlite"' in answer.err


@pytest.mark.parametrize("how", ["missing", "explicit"])
def test_missing_binaries_are_told_with_a_way_out(
    run: Run, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    site.configure(STACK)
    if how == "explicit":
        monkeypatch.setenv(binaries.EXPLICIT, str(tmp_path))
    else:
        monkeypatch.setattr(binaries, "PACKAGED", str(tmp_path))
        monkeypatch.setattr(binaries, "_on_path", lambda _: [])
    answer = run(site.path, "up")
    assert answer.code in (1, 2)
    assert ("has no postgres" if how == "explicit" else "there is no postgres on this machine") in answer.err
    assert ("unset GROUNDRULES_POSTGRES" if how == "explicit" else "apt-get install postgresql") in answer.err


def test_cluster_of_another_version_names_it(run: Run, site: Site) -> None:
    site.configure(STACK)
    run(site.path, "up")
    run(site.path, "down")
    found = cluster.place(_instance(site))
    with open(f"{found}/PG_VERSION", "w", encoding="ascii") as file:
        file.write("9.1\n")
    answer = run(site.path, "up")
    assert answer.code == 1
    assert "there is no postgres of PostgreSQL 9.1, which made this cluster," in answer.err


def test_newest_packaged_version_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for version in ("9.6", "15", "16"):
        folder = tmp_path / version / "bin"
        folder.mkdir(parents=True)
        (folder / "postgres").touch(0o755)
    monkeypatch.setattr(binaries, "PACKAGED", str(tmp_path))
    assert binaries.folder("postgres") == f"{tmp_path}/16/bin"
    assert binaries.folder("postgres", "9.6") == f"{tmp_path}/9.6/bin"
    monkeypatch.setenv(binaries.EXPLICIT, f"{tmp_path}/15/bin")
    assert binaries.folder("postgres") == f"{tmp_path}/15/bin"


BY_URL = f"""[stack]
database = "url"
server = "SHOP_SERVER"
migrate = ["sh", "-c", "psql -qX \\"$DATABASE_URL\\" -c '{CREATE}'"]
"""


@pytest.fixture
def hosted(run: Run, site: Site, monkeypatch: pytest.MonkeyPatch) -> str:
    """A server by URL: the cluster of slot 0, whose other slots then have a database each on it."""
    site.configure(STACK)
    assert run(site.path, "up").code == 0
    found = f"postgresql://postgres:secret@127.0.0.1:{site.db}/postgres"
    monkeypatch.setenv("SHOP_SERVER", found)
    return found


def test_server_by_url_has_a_database_a_slot(run: Run, site: Site, hosted: str) -> None:
    linked = site.repository.worktree("task/T1-x")
    site.configure(BY_URL, linked)
    answer = run(linked, "up")
    assert answer.code == 0, answer.err
    assert f"✓ database      {site.database(1)} on SHOP_SERVER" in answer.err
    assert "secret" not in answer.err
    assert client.ask(client.on(hosted, site.database(1)), "select name from data").out == site.database(1)
    assert f"○ database      {site.database(1)} on SHOP_SERVER" in run(linked, "up").err
    assert run(linked, "down").code == 0
    assert run(linked, "down", "--data").code == 0
    assert client.ask(client.on(hosted, site.database(1)), "select 1").code != 0
    assert names(site, 0) == site.database()


def test_server_that_is_given_stands_in_for_the_cluster(
    run: Run, site: Site, hosted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a forge starts PostgreSQL beside a job: the same configuration, and no second server."""
    linked = site.repository.worktree("task/T1-x")
    check = '[[check]]\nname = "data"\nrun = ["sh", "-c", "psql -qX $DATABASE_URL -c \'select name from data\'"]\n'
    site.configure(STACK + check, linked)
    monkeypatch.setenv(databases.GIVEN, hosted)
    answer = run(linked, "up")
    assert answer.code == 0, answer.err
    assert f"✓ database      {site.database(1)} on GROUNDRULES_POSTGRES_URL" in answer.err
    assert "secret" not in answer.err
    assert client.ask(client.on(hosted, site.database(1)), "select name from data").out == site.database(1)
    assert run(linked, "ps").code == 0, "there is no cluster to miss"
    assert run(linked, "check", "run", "data").code == 0
    assert run(linked, "down", "--data").code == 0
    assert client.ask(client.on(hosted, site.database(1)), "select 1").code != 0
    assert names(site, 0) == site.database()


def test_given_server_stands_in_for_a_server_by_url_and_a_check_sees_it_if_it_may_see_that_one(
    run: Run, site: Site, hosted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    linked = site.repository.worktree("task/T1-x")
    row = '[[check]]\nname = "{}"\nrun = ["sh", "-c", "psql -qX $DATABASE_URL -c \'select 1\'"]\nenv = [{}]\n'
    site.configure(BY_URL + row.format("may", '"SHOP_SERVER"') + row.format("may-not", ""), linked)
    monkeypatch.delenv("SHOP_SERVER")
    monkeypatch.setenv(databases.GIVEN, hosted)
    assert run(linked, "up").code == 0
    assert (run(linked, "check", "run", "may").code, run(linked, "check", "run", "may-not").code) == (0, 1)
    assert run(linked, "down", "--data").code == 0


@pytest.mark.parametrize(
    ("kind", "given", "settled"),
    [
        ("none", "postgresql://x", "none"),
        ("sqlite", "postgresql://x", "sqlite"),
        ("postgres", "", "postgres"),
        ("postgres", "postgresql://x", "url"),
    ],
)
def test_a_server_is_given_to_what_uses_postgresql_alone(kind: str, given: str, settled: str) -> None:
    config = of_text(f'[ports]\ndb = 5432\n\n[stack]\ndatabase = "{kind}"\n'.encode())
    assert databases.settled(config, {databases.GIVEN: given}).stack.database == settled


# STACK-12
def test_template_in_use_is_waited_for_and_then_told(
    run: Run, site: Site, hosted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    linked = site.repository.worktree("task/T1-x")
    site.configure(BY_URL, linked)
    assert client.ask(hosted, "alter database template0 allow_connections true").code == 0
    psql = f"{binaries.folder('psql')}/psql"
    held = subprocess.Popen(
        [psql, "-XAtq", client.on(hosted, "template0")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert held.stdin is not None
    assert held.stdout is not None
    print("select 1;", file=held.stdin, flush=True)
    assert held.stdout.readline() == "1\n"
    monkeypatch.setattr(server, "PATIENCE", 0.1)
    answer = run(linked, "up")
    assert answer.code == 1
    assert f"database: cannot make {site.database(1)}" in answer.err
    assert 'source database "template0" is being accessed by other users' in answer.err
    held.communicate()
    assert run(linked, "up").code == 0
    assert run(linked, "down", "--data").code == 0


def test_server_without_a_url_or_an_answer_is_told(run: Run, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.configure(BY_URL)
    unset = run(site.path, "up")
    assert unset.code == 2
    assert "database: SHOP_SERVER is not set" in unset.err
    monkeypatch.setenv("SHOP_SERVER", f"postgresql://ada:secret@127.0.0.1:{site.db}/postgres")
    refused = run(site.path, "up")
    assert refused.code == 1
    assert "Connection refused" in refused.err
    assert "secret" not in refused.err
    monkeypatch.setattr(binaries, "PACKAGED", "/nowhere")
    monkeypatch.setattr(binaries, "_on_path", lambda _: [])
    assert "there is no psql on this machine" in run(site.path, "up").err


def test_password_is_not_among_the_words_of_psql(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "psql"
    fake.write_text('#!/bin/sh\necho "$PGPASSWORD $*"\n')
    fake.chmod(0o755)
    monkeypatch.setenv(binaries.EXPLICIT, str(tmp_path))
    said = client.ask("postgresql://ada:a%40b@db.example:5432/x?sslmode=require", "select 1").out
    given, _, words = said.partition(" ")
    assert given == "a@b"
    assert "postgresql://ada@db.example:5432/x?sslmode=require" in words
    assert "a%40b" not in words


def test_role_of_a_stack_with_services_reaches_its_database(run: Run, site: Site) -> None:
    check = "psql -X $DATABASE_URL -c 'select * from data' && exec sleep 60"
    site.configure(f"{STACK}\n{command('worker', 'sh', '-c', check)}")
    answer = run(site.path, "up")
    assert answer.code == 0, answer.err
    assert site.database() in run(site.path, "logs", "worker").out
    with pytest.raises(GroundrulesError):
        binaries.folder("no-such-program")
