"""The door to Copier: settings that lose edits are pinned for Copier alone, and every refusal is one of ours."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from conftest import Repository
from groundrules import template as door
from groundrules.clones import Source
from groundrules_hooks.failure import GroundrulesError

if TYPE_CHECKING:
    from pathlib import Path

    from template.conftest import Template


def test_copy_tells_version_and_answers_and_changes_no_environment(
    template: Template, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    before = dict(os.environ)
    source = Source(str(template.path), None, None)
    rendered = door.copy(source, None, str(tmp_path / "shop"), {"ports": "web=4000"}, ask=False)
    assert dict(os.environ) == before
    assert rendered.version == "v0.1.0" == door.version(str(tmp_path / "shop"))
    assert rendered.answers["ports"] == "web=4000"
    assert rendered.answers["default_branch"] == "main"
    assert (tmp_path / "shop/groundrules.toml").exists()
    with pytest.raises(GroundrulesError, match="nothing was rendered"):
        door.copy(Source("/nowhere", None, None), None, str(tmp_path / "other"), {}, ask=False)
    assert dict(os.environ) == before
    assert not (tmp_path / "other").exists()


def test_commit_after_a_release_has_no_name_to_share_and_is_refused(template: Template, tmp_path: Path) -> None:
    # LOCK-06
    clone = Repository(tmp_path / "clone")
    template.git("clone", "-q", str(template.path), str(clone.path))
    clone.commit()
    with pytest.raises(GroundrulesError, match=r"nothing was rendered: v0\.1\.0-1-g[0-9a-f]+ is no version"):
        door.copy(Source(str(clone.path), None, None), "HEAD", str(tmp_path / "shop"), {}, ask=False)
    assert not (tmp_path / "shop").exists()
    clone.git("tag", "-d", "v0.1.0")
    rendered = door.copy(Source(str(clone.path), None, None), "HEAD", str(tmp_path / "shop"), {}, ask=False)
    assert rendered.version == clone.git("rev-parse", "--short", "HEAD")


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("_commit: v0.1.0\n", "v0.1.0"),
        ("# first\n_src_path: x\n_commit: '0123456'\n", "0123456"),
        ('_commit: "v0.1.0"\r\n', "v0.1.0"),
        ("project_name: _commit\n", "unknown"),
    ],
)
def test_version_is_read_without_a_yaml_library(tmp_path: Path, text: str, version: str) -> None:
    (tmp_path / ".copier-answers.yml").write_bytes(text.encode())
    assert door.version(str(tmp_path)) == version


def test_folder_that_no_template_made_is_named(tmp_path: Path) -> None:
    with pytest.raises(GroundrulesError, match="was not made from a template"):
        door.version(str(tmp_path))
