"""fixed-ports: added lines that hard-code a port of the table are refused; what stood before and the allowed pass."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from groundrules_hooks.config import Config, FixedPorts
from groundrules_hooks.history import commits
from groundrules_hooks.rules import fixed_ports
from groundrules_hooks.rules.fixed_ports import check

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository
    from hooks.rules.conftest import Author

WEB = "fixed-ports: 3000 is web in slot 0 alone; WEB_PORT holds it in each"
CONFIG = Config({"web": 3000, "api": 8000})


@pytest.fixture
def table(shop: Repository, enter: Callable[[Repository], None]) -> Repository:
    """A repository whose port table has web 3000 and api 8000."""
    enter(shop)
    return shop


def stage(repository: Repository, name: str, content: str | bytes) -> None:
    repository.write(name, content)
    repository.git("add", "-A")


# DAT-11 PRT-06
def test_compose_file_is_refused_and_mended(table: Repository, mended: Callable[[], str]) -> None:
    stage(table, "compose.yaml", 'services:\n  web:\n    ports:\n      - "3000:3000"\n')
    assert mended() == f"compose.yaml:4: {WEB}"
    assert '- "${WEB_PORT:-3000}:3000"\n' in (table.path / "compose.yaml").read_text()


def test_work_that_is_not_staged_stays_so(table: Repository, mended: Callable[[], str]) -> None:
    staged = 'services:\n  web:\n    ports:\n      - "3000:3000"\n'
    stage(table, "a b/compose.yaml", staged)
    (table.path / "a b/compose.yaml").chmod(0o755)
    table.git("add", "-A")
    edited = f"# later\n# and more\n{staged}    labels: {{}}\n"
    table.write("a b/compose.yaml", edited)
    mended()
    assert table.git("show", ":a b/compose.yaml") == staged.replace('"3000:', '"${WEB_PORT:-3000}:').rstrip("\n")
    assert table.git("ls-files", "-s", "a b").startswith("100755 ")
    assert (table.path / "a b/compose.yaml").read_text() == edited


@pytest.mark.parametrize("name", ["-n.compose.yaml", "new\nline/compose.yaml", "tab\t%d's/compose.yaml"])
@pytest.mark.parametrize("other", ["", "# not staged\n"])
def test_an_odd_name_is_mended(table: Repository, mended: Callable[[], str], name: str, other: str) -> None:
    stage(table, name, 'services:\n  web:\n    ports:\n      - "3000:3000"\n')
    if other:
        table.write(name, other + (table.path / name).read_text())
    mended()


def test_script_is_refused_and_mended(table: Repository, mended: Callable[[], str]) -> None:
    stage(table, "bin/my dev.sh", "#!/bin/sh\nexec vite --port 3000\n")
    assert mended() == f"bin/my dev.sh:2: {WEB}"
    assert "--port ${WEB_PORT:-3000}\n" in (table.path / "bin" / "my dev.sh").read_text()


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("src/server.js", "\napp.listen(3000)\n"),
        ("package.json", '{"scripts": {\n"dev": "next dev -p 3000"}}\n'),
        ("Makefile", "up:\n\tvite --port 3000\n"),
        (".env", "A=1\nPORT=3000\n"),
        ("run.sh", "\nsh -c 'vite --port 3000'\n"),
        ("run.sh", "\ntest 3000 && vite --port 3000\n"),
        ("run.sh", "\ndocker run -p 3000-3005:3000-3005 web\n"),
        ("compose.yaml", 'services: {web: {ports:\n["2999-3001:2999-3001"]}}\n'),
        ("compose.yaml", 'services: {web: {ports:\n["2999-3000:2999-3000"]}}\n'),
    ],
)
def test_where_the_variable_has_another_form_the_place_is_opened(
    table: Repository, author: Author, monkeypatch: pytest.MonkeyPatch, path: str, content: str
) -> None:
    stage(table, path, content)
    verdict = author.commit()
    assert verdict.findings == [f"{path}:2: {WEB}"]
    assert verdict.fixes == [f"${{EDITOR:-vi}} +2 {path}"]
    monkeypatch.setenv("EDITOR", "head -n")
    author.paste(verdict.fixes[-1])


def test_each_port_and_each_line_is_told(table: Repository, author: Author) -> None:
    stage(table, "a.sh", "curl localhost:3000 localhost:8000\ncurl localhost:8000\n")
    assert [finding.split(": ")[0] for finding in author.commit().findings] == ["a.sh:1", "a.sh:1", "a.sh:2"]


PASSING = {
    "another line": "sed -i '1s/.*/PORT=3000/; $a B=2' .env",
    "the line indented": "sed -i 's/PORT/  PORT/' .env",
    "the line moved": "printf 'B=2\\nPORT=3000\\n' > .env",
    "the file renamed": "mv .env .env.local",
    "the file's mode": "chmod +x .env",
    "the line removed": "sed -i /PORT/d .env",
    "the file removed": "rm .env",
}


@pytest.mark.parametrize("change", PASSING)
def test_what_stood_before_is_not_the_fault_of_this_change(table: Repository, author: Author, change: str) -> None:
    table.commit(".env", "PORT=3000\nA=1\n")
    author.paste(f"{PASSING[change]}\ngit add -A")
    assert author.commit().findings == []


def test_a_second_such_line_is_refused(table: Repository, author: Author) -> None:
    table.commit(".env", "PORT=3000\nA=1\n")
    stage(table, ".env", "PORT=3000\nA=1\nPORT=3000\n")
    assert author.commit().findings == [f".env:3: {WEB}"]


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("README.md", "curl localhost:3000\n"),
        ("docs/run.sh", "curl localhost:3000\n"),
        ("groundrules.toml", "[ports]\nweb = 3000\napi = 8000\nport = 3001\n"),
        ("Dockerfile", "EXPOSE 3000\nCMD serve --port 3000\n"),
        ("src/a.js", "const port = process.env.WEB_PORT || 3000;\n"),
        ("src/a.js", "const port = 3001;\n"),
        ("blob", b"\0port = 3000\n"),
        ("large.js", "port = 3000\n" + "x" * fixed_ports.LARGEST),
        ("latin.js", b"// \xe9 3000\nx = 3000\n"),
    ],
)
def test_other_files_and_numbers_pass(table: Repository, author: Author, path: str, content: str | bytes) -> None:
    stage(table, path, content)
    assert author.commit().findings == []


def test_links_and_repositories_without_a_port_table_pass(table: Repository, author: Author) -> None:
    (table.path / "link").symlink_to("localhost:3000")
    table.git("add", "-A")
    assert author.commit().findings == []
    stage(table, "groundrules.toml", "[tasks]\n")
    stage(table, ".env", "PORT=3000\n")
    assert author.commit().findings == []


def test_allowed_paths_pass(table: Repository, author: Author) -> None:
    with (table.path / "groundrules.toml").open("a") as file:
        file.write('[fixed_ports]\nallow = ["legacy/**"]\n')
    for folder in ("legacy", "legacy/deep", "new"):
        stage(table, f"{folder}/.env", "PORT=3000\n")
    assert author.commit().findings == [f"new/.env:1: {WEB}"]


def test_undecodable_and_odd_names_are_told(table: Repository, author: Author) -> None:
    stage(table, "a\udcff\n.sh", b"\xff\nvite --port 3000\n")
    (finding,) = author.commit().findings
    assert finding.endswith(f":2: {WEB}")


def test_gate_judges_each_commit_and_what_a_merge_brought_where_it_was_made(table: Repository) -> None:
    start = table.git("rev-parse", "HEAD")
    table.git("switch", "-qc", "side")
    refused = table.commit("a.sh", "vite --port 3000\n")
    table.commit("a.sh", "vite --port 3000\nls\n")
    table.git("switch", "-q", "main")
    table.commit("b")
    table.git("merge", "-q", "--no-edit", "side")
    found = [finding for change in commits("HEAD", [start]) for finding in check(change, CONFIG)]
    assert [(finding.commit, finding.path, finding.line) for finding in found] == [(refused, "a.sh", 1)]
    assert found[0].fix == f"git rebase --interactive --rebase-merges {refused[:12]}~1"


def test_conflict_resolved_with_a_port_is_refused(table: Repository, author: Author) -> None:
    table.git("switch", "-qc", "side")
    table.commit("a.sh", "one\n")
    table.git("switch", "-q", "main")
    table.commit("a.sh", "two\n")
    table.git("merge", "-q", "side", code=1)
    stage(table, "a.sh", "vite --port 3000\n")
    assert author.commit().findings == [f"a.sh:1: {WEB}"]


def test_allowed_globs_are_those_of_the_configuration(table: Repository) -> None:
    table.commit("x/a.sh", "vite --port 3000\n")
    (change,) = commits("HEAD", ["HEAD~1"])
    assert list(check(change, CONFIG))
    assert not list(check(change, CONFIG._replace(fixed_ports=FixedPorts(("x/",)))))


@pytest.mark.parametrize("content", ["x = 1\n", "id = 73000\n"])
def test_regular_expressions_are_imported_for_files_with_such_a_number_alone(table: Repository, content: str) -> None:
    stage(table, "src/a.py", content)
    done = subprocess.run(
        [sys.executable, "-S", "-X", "importtime", "-m", "groundrules_hooks.pre_commit"],
        env={**os.environ, "PYTHONPATH": os.path.join(os.path.dirname(fixed_ports.__file__), "..", "..")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "groundrules_hooks.port_files" in done.stderr
    assert ("groundrules_hooks.port_uses" in done.stderr) is ("3000" in content)
