"""Where the template is: this checkout, its published URL, or what the program was installed from."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT, Repository
from groundrules import clones
from groundrules_hooks.failure import GroundrulesError

if TYPE_CHECKING:
    from pathlib import Path

    from template.conftest import Template

SHOW = "from groundrules.clones import template_source; import json; print(json.dumps(template_source()))"


def source(checkout: Repository) -> list[str | None]:
    """Return the source that the program in `checkout` finds."""
    env = {**os.environ, "PYTHONPATH": f"{checkout.path}/hooks:{checkout.path}/scaffolder"}
    done = subprocess.run([sys.executable, "-c", SHOW], cwd="/", env=env, capture_output=True, text=True, check=True)
    found: list[str | None] = json.loads(done.stdout)
    return found


@pytest.fixture
def checkout(program: Template, tmp_path: Path) -> Repository:
    """A clone of the released program, whose remote is a folder."""
    clone = Repository(tmp_path / "check out")
    program.git("clone", "-q", str(program.path), str(clone.path))
    return clone


def test_checkout_is_its_own_source_at_its_newest_release(checkout: Repository) -> None:
    path = str(checkout.path)
    assert source(checkout) == [path, None, path]


@pytest.mark.parametrize("tag", [None, "nightly", "v1"])
def test_checkout_without_a_release_is_its_own_source_at_head(checkout: Repository, tag: str | None) -> None:
    checkout.git("tag", "-d", "v0.1.0")
    if tag:
        checkout.git("tag", tag)
    path = str(checkout.path)
    assert source(checkout) == [path, "HEAD", path]


@pytest.mark.parametrize(
    ("url", "recorded"),
    [
        ("https://example.org/rules.git", True),
        ("ssh://git@example.org/rules.git", True),
        ("git@example.org:team/rules.git", True),
        ("https://ada:secret@example.org/rules.git", False),  # UPD-22, LOCK-10
        ("/srv/rules.git", False),
    ],
)
def test_published_commit_is_recorded_by_its_url_and_read_from_here(
    checkout: Repository, url: str, *, recorded: bool
) -> None:
    checkout.git("remote", "set-url", "origin", url)
    path = str(checkout.path)
    assert source(checkout) == [url if recorded else path, None, path]


def test_commit_that_is_not_published_is_recorded_by_its_folder(checkout: Repository) -> None:
    checkout.git("remote", "set-url", "origin", "https://example.org/rules.git")
    checkout.commit()
    assert source(checkout)[0] == str(checkout.path)


def test_git_reads_the_url_from_the_checkout(checkout: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    url = "https://example.invalid/rules.git"
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "safe.directory")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "*")
    environment = clones.Source(url, None, str(checkout.path)).environment()
    assert environment["GIT_CONFIG_COUNT"] == "2", "what was configured stays"
    assert "refs/tags/v0.1.0" in checkout.git("ls-remote", url, code=0, **environment)
    assert clones.Source("/srv/rules", None, "/srv/rules").environment() == {}
    assert clones.Source(url, None, None).environment() == {}


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (
            {"url": "https://example.org/rules.git", "vcs_info": {"vcs": "git", "commit_id": "c" * 40}},
            ["https://example.org/rules.git", None, None],
        ),
        (
            {
                "url": "file:///srv/my%20rules",
                "vcs_info": {"vcs": "git", "commit_id": "c" * 40, "requested_revision": "v0.1.0"},
            },
            ["/srv/my rules", "v0.1.0", None],
        ),
        (None, "this installation does not know where its template is"),
        ({}, "this installation does not know where its template is"),
    ],
)
def test_installed_program_knows_what_it_was_installed_from(
    tmp_path: Path, record: dict[str, object] | None, expected: object
) -> None:
    assert installed(tmp_path, record) == expected


def test_program_installed_from_a_folder_takes_it_for_a_checkout(checkout: Repository, tmp_path: Path) -> None:
    path = str(checkout.path)
    record: dict[str, object] = {"url": f"file://{path.replace(' ', '%20')}", "dir_info": {}}
    assert installed(tmp_path, record) == [path, None, path]


def installed(folder: Path, record: dict[str, object] | None) -> object:
    """Return the source, or the refusal, of a program laid out as an installer does, with the record it leaves."""
    site = folder / "site"
    shutil.copytree(f"{ROOT}/scaffolder/groundrules", site / "groundrules")
    shutil.copytree(f"{ROOT}/hooks/groundrules_hooks", site / "groundrules_hooks")
    info = site / "groundrules-9.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: groundrules\nVersion: 9\n")
    if record is not None:
        (info / "direct_url.json").write_text(json.dumps(record))
    done = subprocess.run(
        [sys.executable, "-c", SHOW],
        cwd=site,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    refusal = [line for line in done.stderr.splitlines() if "GroundrulesError: groundrules: " in line]
    return refusal[0].partition("groundrules: ")[2] if refusal else json.loads(done.stdout)


def test_refused_first_commit_says_what_refused_it(shop: Repository) -> None:
    shop.install_hooks()
    shop.write("new")
    shop.git("add", "-A")
    with pytest.raises(GroundrulesError, match="the first commit was refused") as refused:
        clones.first_commit(str(shop.path), "wip", {"ALLOW": "", "GROUNDRULES_SLOT": ""})
    assert "commit-message" in refused.value.why
    clones.first_commit(str(shop.path), "Add a file", {"GIT_AUTHOR_NAME": "Grace"})
    assert shop.git("log", "-1", "--format=%an %s") == "Grace Add a file"


def test_identity_is_found_wherever_git_finds_it(shop: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    assert clones.has_identity(str(shop.path))
    for name in ("NAME", "EMAIL"):
        monkeypatch.delenv(f"GIT_AUTHOR_{name}")
    shop.git("config", "user.useConfigOnly", "true")
    assert not clones.has_identity(str(shop.path))
    shop.git("config", "user.name", "Ada")
    shop.git("config", "user.email", "ada@example.org")
    assert clones.has_identity(str(shop.path))


def test_nothing_that_names_a_repository_reaches_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    # ENV-03, ENV-08
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_PREFIX", "GIT_CONFIG_GLOBAL", "GIT_SSH_COMMAND"):
        monkeypatch.setenv(name, "x")
    clones.clean_environment()
    assert {name for name in os.environ if name.startswith("GIT_") and os.environ[name] == "x"} == {
        "GIT_CONFIG_GLOBAL",
        "GIT_SSH_COMMAND",
    }
