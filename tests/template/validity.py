"""What must hold of rendered files, whatever the answers; content that was judged once is not judged again."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from functools import cache
from typing import TYPE_CHECKING, Any

import yaml

from groundrules.cli import COMMANDS
from groundrules_hooks import config
from groundrules_hooks.rules import NAMES
from template.conftest import contents

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BESIDE = os.path.dirname(sys.executable)
WORKFLOW, PIPELINE = "vendor.github-workflows", "vendor.gitlab-ci"
SCHEMAS = {
    ".github/workflows/": WORKFLOW,
    ".gitlab-ci.yml": PIPELINE,
    "renovate.json": "vendor.renovate",
}


def judge(rendered: Path) -> None:
    """Assert everything that holds of all renderings."""
    files = {path: content for path, (content, _) in contents(rendered).items()}
    for path, content in files.items():
        _ends_well(path, content)
        _parses(path, content)
        if path.endswith(".md"):
            _links(path, content.decode(), frozenset(files))
    _owned(files)
    _commands(files, rendered)
    _refused(files["AGENTS.md"].decode())


@cache
def _ends_well(path: str, content: bytes) -> None:
    # UPD-16: without a newline at the end, one that an editor adds would be a conflict
    assert content.endswith(b"\n"), path
    assert not content.endswith(b"\n\n"), path
    assert b"\r" not in content, path
    assert not re.search(rb"[ \t]\n", content), path


@cache
def _parses(path: str, content: bytes) -> None:
    """Assert that the file is what its name says: YAML, JSON, TOML, Python, shell, Markdown."""
    suffix = os.path.splitext(path)[1]
    if suffix == ".json":
        json.loads(content)
    elif suffix == ".toml":
        tomllib.loads(content.decode())
        assert path != config.FILE or config.of_text(content)
    elif suffix in (".yml", ".yaml"):
        for name, script in scripts(yaml.safe_load(content), path):
            shellcheck(script, name, "bash" if path.startswith(".github") else "sh")
    elif suffix == ".py" or content.startswith(b"#!/usr/bin/env python3"):
        compile(content, path, "exec")
    elif content.startswith(b"#!"):
        assert content.startswith(b"#!/bin/sh\n"), path
        shellcheck(content.decode(), path, "sh")
    elif suffix == ".md":
        _is_markdown(path, content.decode())
    schema = next((schema for start, schema in SCHEMAS.items() if path.startswith(start)), None)
    if schema:
        with tempfile.TemporaryDirectory() as folder:
            place = os.path.join(folder, path)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "wb") as file:
                file.write(content)
            audit(place, schema)


def scripts(document: Any, name: str) -> Iterator[tuple[str, str]]:  # noqa: ANN401 (as YAML gives it)
    """Yield name and text of every shell script in a workflow or a pipeline."""
    if isinstance(document, dict):
        for key, value in document.items():
            if key in ("run", "script", "before_script"):
                yield f"{name}: {key}", value if isinstance(value, str) else "\n".join(value)
            else:
                yield from scripts(value, f"{name}: {key}")
    elif isinstance(document, list):
        for item in document:
            yield from scripts(item, name)


def shellcheck(script: str, name: str, shell: str) -> None:
    """Assert that shellcheck finds nothing in `script`."""
    argv = [f"{BESIDE}/shellcheck", f"--shell={shell}", "--norc", "-"]
    done = subprocess.run(argv, input=script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{name}\n{done.stdout}{done.stderr}"


def audit(path: str, schema: str) -> None:
    """Have the schema, and for a workflow zizmor, judge the file at `path`."""
    argv = [f"{BESIDE}/check-jsonschema", "--builtin-schema", schema, path]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    if schema == WORKFLOW:
        # CI-13: it must have read the file
        argv = [f"{BESIDE}/zizmor", "--offline", "--persona", "pedantic", "--format", "json", path]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        assert json.loads(done.stdout) == [], done.stdout
        assert f"completed {path}" in done.stderr


def _is_markdown(path: str, text: str) -> None:
    """Assert one title, and tables whose rows have the cells of their head."""
    prose = re.sub(r"^ {4,}.*$|<!--.*?-->", "", text, flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^# .*", prose, flags=re.MULTILINE)
    assert len(titles) == 1 or path.startswith((".git", "CLAUDE", "GEMINI")), path
    for table in re.findall(r"(?:^\|.*\n)+", prose, flags=re.MULTILINE):
        rows = [len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()]
        assert len(set(rows)) == 1, f"{path}\n{table}"


@cache
def _links(path: str, text: str, files: frozenset[str]) -> None:
    """Assert that each relative link of the page leads to a rendered file or folder."""
    for target in re.findall(r"(?<!\\)\]\(([^)\s]+)\)", text):
        if "://" not in target:
            assert "#" not in target, "then check the anchors too"
            place = os.path.normpath(os.path.join(os.path.dirname(path), target))
            assert place in files or any(file.startswith(f"{place}/") for file in files), f"{path}: {target}"


def owners(page: str) -> dict[str, list[str]]:
    """Return the patterns of the classes managed and seeded, from the table in docs/agents/updates.md."""
    rows = {row.split("|")[1].strip(): row for row in page.splitlines() if row.startswith("| ")}
    exempt = re.findall(r"but for `([^`]+)`", rows["managed"])
    assert exempt == ["local.md"]
    found = {
        name: re.findall(r"`([^`]+)`", rows[name].rpartition("|")[0].split("|")[-1]) for name in ("managed", "seeded")
    }
    found["managed"].remove("local.md")
    return found


def _owned(files: dict[str, bytes]) -> None:
    # UPD-25: every path has exactly one owner
    classes = owners(files["docs/agents/updates.md"].decode())
    for path, content in files.items():
        seeded = path in classes["seeded"]
        managed = not seeded and any(fnmatch.fnmatch(path, pattern) for pattern in classes["managed"])
        assert seeded != managed, path
        head = content[:200].decode(errors="replace")
        assert "Managed:" not in head or managed, path
        assert "Seeded" not in head or seeded, path
    for pattern in (*classes["managed"], *classes["seeded"]):
        assert fnmatch.filter(files, pattern), f"{pattern} is of no rendered file"


def _commands(files: dict[str, bytes], rendered: Path) -> None:
    """Assert that every command that a page or the Makefile names exists."""
    prose = "\n".join(content.decode() for path, content in files.items() if path.endswith(("md", "Makefile")))
    code = "\n".join([*re.findall(r"`([^`\n]+)`", prose), *re.findall(r"^ {4,}(.+)$", prose, re.MULTILINE)])
    made = _targets(files["Makefile"], files["local.mk"], str(rendered))
    assert set(re.findall(r"^make ([a-z]+)", code, re.MULTILINE)) <= made
    called = set(re.findall(r"tools/groundrules ([a-z]+)", prose))
    assert called >= {"check", "gate", "handoff", "hooks", "ps", "rules", "slot", "up", "update"}
    assert called <= set(COMMANDS)
    assert set(re.findall(r"[Rr]ules? ([a-z]+(?:-[a-z]+)?)[).,;]", prose)) & set(NAMES)


_known: dict[tuple[bytes, ...], set[str]] = {}


def _targets(makefile: bytes, local: bytes, folder: str) -> set[str]:
    """Return the targets that make itself knows in `folder`."""
    if (makefile, local) not in _known:
        said = subprocess.run(["make", "-qpRr"], cwd=folder, capture_output=True, text=True, check=False).stdout
        _known[makefile, local] = set(re.findall(r"^([a-z]+):", said, flags=re.MULTILINE))
    return _known[makefile, local]


@cache
def _refused(index: str) -> None:
    """Assert that each row of what is never done names the rules that refuse it."""
    rows = index.partition("## Never\n")[2].partition("\n## ")[0].strip().splitlines()[2:]
    refusers = [row.strip("| ").split(" | ")[1] for row in rows]
    assert len(rows) > 8
    *rules, last = refusers
    assert last.startswith("the gate,")
    named = {name for refuser in rules for name in refuser.split(", ")}
    assert named <= set(NAMES)
    assert set(NAMES) - named <= {"commit-message", "fixed-ports"}, "these stand among what is always done"
    for name in ("commit-message", "fixed-ports"):
        assert f"({name})" in index
