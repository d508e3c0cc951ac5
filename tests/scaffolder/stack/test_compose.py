"""Compose: the command that is run, and what is said where no engine answers. No engine is needed here."""

from __future__ import annotations

import os
import re
import shutil
from typing import TYPE_CHECKING

import pytest

from conftest import Repository
from scaffolder.stack.conftest import command

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from scaffolder.conftest import Answer
    from scaffolder.stack.conftest import Site

    Run = Callable[..., Answer]

STACK = '[stack]\ndatabase = "compose"\ncompose = "compose.yaml"\n'


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in for docker: it writes down how it was called, and answers what a test puts beside it."""
    folder = tmp_path / "docker"
    folder.mkdir()
    path = folder / "docker"
    path.write_text(f"""#!/bin/sh
echo "$DB_PORT $*" >>"{folder}/calls"
if [ -e "{folder}/fails" ]; then cat "{folder}/fails" >&2; exit 1; fi
case "$*" in *" ps "*) cat "{folder}/containers" 2>/dev/null || true ;; esac
""")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


def calls(docker: Path) -> list[str]:
    return (docker / "calls").read_text().splitlines()


# STACK-15 DAT-09
def test_compose_is_called_with_the_slots_project_and_values(run: Run, site: Site, docker: Path) -> None:
    site.configure(STACK)
    site.repository.write("compose.yaml", "services: {}\n")
    for _ in range(2):
        assert run(site.path, "up").code == 0
    project, *_ = re.findall(r"-p (\S+)", calls(docker)[0])
    assert re.fullmatch(r"[a-z0-9][a-z0-9_-]*", project)
    compose = f"compose -p {project} -f {site.path}/compose.yaml"
    assert calls(docker) == [f"{site.db} {compose} up -d --wait"] * 2
    assert run(site.path, "down").code == 0
    assert run(site.path, "down").code == 0
    assert calls(docker)[2:] == [f"{site.db} {compose} down"]
    assert run(site.path, "down", "--data", "--yes").code == 0
    assert calls(docker)[3:] == [f"{site.db} {compose} down -v"]


# STACK-14
def test_container_that_fails_ends_up_with_what_compose_said(run: Run, site: Site, docker: Path) -> None:
    site.configure(STACK)
    site.repository.write("compose.yaml", "services: {}\n")
    (docker / "fails").write_text("container shop-db-1 is unhealthy\n")
    answer = run(site.path, "up")
    assert answer.code == 1
    assert "up -d --wait` ended with 1\n  container shop-db-1 is unhealthy" in answer.err
    assert calls(docker)[-1].endswith(" down"), "what this run started is stopped"


@pytest.fixture
def linked(run: Run, site: Site, docker: Path) -> Path:
    """A task's worktree whose containers are up."""
    assert docker.exists()
    site.configure(STACK)
    site.repository.write("compose.yaml", "services: {}\n")
    site.repository.git("add", "-A")
    site.repository.git("commit", "-q", "--no-verify", "-m", "Describe the containers")
    assert run(site.path, "task", "start", "T1").code == 0
    assert run(site.path.parent / "shop.T1", "up").code == 0
    return site.path.parent / "shop.T1"


def project(site: Site) -> str:
    return site.database(1).replace("_", "-")


# TRD-01 TRD-05
@pytest.mark.parametrize("how", ["git worktree remove", "rm -rf"])
def test_containers_of_a_vanished_worktree_are_shown_and_stopped_by_their_name(
    run: Run, site: Site, docker: Path, linked: Path, how: str
) -> None:
    site.repository.git("worktree", "remove", "--force", str(linked)) if "git" in how else shutil.rmtree(linked)
    (docker / "containers").write_text(
        '{"Service": "db", "State": "running"}\n{"Service": "mail", "State": "exited"}\n'
    )
    shown = run(site.path, "ps", "--all")
    assert shown.code == 1
    assert [line.split()[:3] for line in shown.out.splitlines()[1:]] == [["1", "db", "running"], ["1", "mail", "ended"]]
    assert "was removed\n→ tools/groundrules ps --all --stop\n" in shown.err
    (docker / "fails").write_text("permission denied\n")
    kept = run(site.path, "ps", "--all", "--stop")
    assert (kept.code, kept.err.splitlines()[-1]) == (1, "→ tools/groundrules ps --all --stop")
    assert "▲ database: `docker compose" in kept.err
    assert kept.out.splitlines()[1].split()[:3] == ["1", "database", "unknown"]
    (docker / "fails").unlink()
    stopped = run(site.path, "ps", "--all", "--stop")
    assert (stopped.code, stopped.out) == (0, "")
    assert f"✓ slot 1        stopped compose of {linked}\n" in stopped.err
    assert f"{site.db + 10} compose -p {project(site)} down" in calls(docker)
    assert run(site.path, "ps", "--all").code == 0


def test_containers_are_in_ps_as_compose_says_it(run: Run, site: Site, docker: Path, linked: Path) -> None:
    for said, state, code in (
        ('[{"Service": "db", "State": "running"}]', "db running", 0),
        ('{"Service": "db", "State": "exited"}', "db ended", 1),
        ("", "database ended", 1),
    ):
        (docker / "containers").write_text(said)
        answer = run(linked, "ps")
        assert answer.code == code
        assert answer.out.splitlines()[1].split()[1:3] == state.split()
    assert run(site.path, "ps").out.splitlines()[1].split()[1:3] == ["database", "stopped"]


@pytest.mark.parametrize("gone", [False, True])
def test_close_removes_containers_and_volumes(run: Run, site: Site, docker: Path, linked: Path, *, gone: bool) -> None:
    if gone:
        shutil.rmtree(linked)
    (docker / "fails").write_text("permission denied\n")
    assert run(site.path, "task", "close", "T1").code == 1
    assert (site.path / ".git" / "worktrees" / "shop.T1").exists(), "the slot is given back last"
    (docker / "fails").unlink()
    closed = run(site.path, "task", "close", "T1")
    assert closed.code == 0, closed.err
    named = f"{site.db + 10} compose -p {project(site)}{'' if gone else f' -f {linked}/compose.yaml'}"
    assert calls(docker)[-2:] == [f"{named} down", f"{named} down -v"]


def test_containers_go_with_the_setting(run: Run, site: Site, docker: Path, linked: Path) -> None:
    site.configure('[stack]\ndatabase = "none"\n' + command("sleeper", "sleep", "60"), Repository(linked))
    answer = run(linked, "up")
    assert answer.code == 0, answer.err
    assert "✓ compose       stopped: groundrules.toml does not have it any more\n" in answer.err
    assert calls(docker)[-1].endswith(" down")


def test_reused_slot_gets_no_volumes_of_a_removed_worktree(run: Run, site: Site, docker: Path, linked: Path) -> None:
    site.repository.git("worktree", "remove", "--force", str(linked))
    run(site.path, "task", "start", "T2")
    assert run(site.path.parent / "shop.T2", "up").code == 0
    assert [line.partition(project(site))[2].split()[-2:] for line in calls(docker)[-3:]] == [
        ["down"],
        ["down", "-v"],
        ["-d", "--wait"],
    ]


def test_copy_of_a_repository_stops_no_containers(run: Run, site: Site, docker: Path, linked: Path) -> None:
    assert run(site.path, "up").code == 0
    shutil.copytree(site.path, linked.with_name("copy"), symlinks=True)
    before = calls(docker)
    assert "nothing was running" in run(linked.with_name("copy"), "down").err
    assert calls(docker) == before


def test_missing_engine_and_missing_file_are_told(
    run: Run, site: Site, docker: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.configure(STACK)
    assert "database: there is no compose.yaml" in run(site.path, "up").err
    site.repository.write("compose.yaml", "services: {}\n")
    (docker / "fails").write_text("Cannot connect to the Docker daemon at unix:///var/run/docker.sock.\n")
    assert "database: no container engine answers" in run(site.path, "up").err
    (tmp_path / "bin").mkdir()
    os.symlink("/usr/bin/git", tmp_path / "bin" / "git")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    answer = run(site.path, "up")
    assert answer.code == 1
    assert "database: docker is not installed" in answer.err
    assert run(site.path, "down").code == 0, "nothing was started, so nobody has to be asked"


def test_down_that_compose_refuses_is_no_success(run: Run, docker: Path, linked: Path) -> None:
    # TRD-03
    (docker / "fails").write_text("Cannot connect to the Docker daemon\n")
    answer = run(linked, "down")
    assert (answer.code, answer.err.splitlines()[-1]) == (1, "    docker version")
    (docker / "fails").unlink()
    assert run(linked, "down").code == 0
    assert run(linked, "down").code == 0
    assert len([call for call in calls(docker) if call.endswith(" down")]) == 2
