"""Compose: the command that is run, and what is said where no engine answers. No engine is needed here."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

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
    assert calls(docker)[2:] == [f" {compose} down".strip()] or calls(docker)[2:] == [f"{site.db} {compose} down"]
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
