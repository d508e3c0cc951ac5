"""The command line: each command explains itself, bad use ends with 2, and no traceback where a person can mend it."""

from __future__ import annotations

import argparse
import importlib
from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT, Repository, run_module
from groundrules import cli
from groundrules_hooks.config_file import ROWS, TABLES
from groundrules_hooks.rules import NAMES, agents_index

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from scaffolder.conftest import Answer

PAGES = [*(f"commands/{name}" for name in cli.COMMANDS), *(f"rules/{name}" for name in NAMES)]


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_command_explains_itself_and_its_options(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main([name, "--help"])
    said = capsys.readouterr().out
    assert ended.value.code == 0
    assert said.startswith(f"usage: groundrules {name}")
    assert " ".join(cli.COMMANDS[name].split()) in " ".join(said.split())
    parser = argparse.ArgumentParser()
    importlib.import_module(f"groundrules.{name}").options(parser)
    assert not [action.dest for action in parser._actions if not action.help]  # noqa: SLF001 (no public way to list them)


@pytest.mark.parametrize("page", PAGES)
def test_command_and_rule_has_a_page_with_its_name_on_top(page: str) -> None:
    with open(f"{ROOT}/docs/{page}.md", encoding="utf-8") as file:
        assert file.readline().startswith("# ")


@pytest.mark.parametrize(
    "argv",
    [
        ["nonsense"],
        ["--nonsense"],
        ["gate", "--nonsense"],
        ["gate", "--format", "xml"],
        ["gate", "extra"],
        ["slot", "nonsense"],
        ["up", "nonsense"],
        ["down", "--nonsense"],
        ["ps", "--stop"],
        ["handoff"],
        ["handoff", "nonsense"],
        ["check"],
        ["check", "run", "--tier", "slow"],
        ["new"],
        ["rules", "no-such-rule"],
        ["next", "one", "two"],
        ["update", "v1"],
    ],
    ids=" ".join,
)
def test_unknown_word_ends_with_2_and_the_usage(argv: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(argv)
    said = capfd.readouterr()
    assert ended.value.code == 2
    assert said.out == ""
    assert said.err.startswith("usage: groundrules")


def test_without_a_command_it_lists_them_all_and_ends_with_2(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 2
    said = capfd.readouterr().out
    assert all(f"  {name:<10} {purpose}" in said for name, purpose in cli.COMMANDS.items())


def test_version_is_that_of_the_distribution(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capfd.readouterr().out == f"groundrules {version('groundrules')}\n"


@pytest.mark.parametrize(
    "argv",
    [
        *(["gate"], ["slot"], ["check", "run"], ["handoff", "draft"], ["handoff", "verify"], ["handoff", "show"]),
        *(["hooks"], ["update"], ["up"], ["down"], ["ps"], ["logs"], ["next"]),
    ],
    ids=" ".join,
)
def test_outside_a_repository_each_command_says_so_in_one_line(
    run: Callable[..., Answer], tmp_path: Path, argv: list[str]
) -> None:
    code, out, err = run(tmp_path, *argv)
    assert (code, out) == (2, "")
    (line,) = err.splitlines()
    assert line.startswith(f"groundrules: {tmp_path} is in no git repository")


@pytest.mark.parametrize(
    "argv",
    [["gate"], ["slot"], ["check", "run"], ["handoff", "draft"], ["up"], ["down"], ["ps"], ["next"]],
    ids=" ".join,
)
def test_repository_without_our_configuration_is_named(
    run: Callable[..., Answer], shop: Repository, argv: list[str]
) -> None:
    shop.git("rm", "-q", "groundrules.toml")
    shop.git("commit", "-q", "-m", "Drop the ground rules")
    code, out, err = run(shop, *argv)
    assert (code, out) == (2, "")
    assert "has no groundrules.toml" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "argv",
    [["gate"], ["slot"], ["check", "run"], ["handoff", "draft"], ["up"], ["down"], ["ps"], ["next"]],
    ids=" ".join,
)
def test_wrong_configuration_is_named_with_line_and_example(
    run: Callable[..., Answer], shop: Repository, argv: list[str]
) -> None:
    shop.commit("groundrules.toml", "[ports]\nweb = 'many'\n")
    code, out, err = run(shop, *argv)
    assert (code, out) == (2, "")
    assert err.startswith("groundrules: groundrules.toml:2: [ports] web is")
    assert "example  web = 3000" in err


def test_defect_of_ours_ends_with_70_and_the_place_of_its_traceback(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setitem(cli.COMMANDS, "no_such_module", "nothing")
    assert cli.main(["no_such_module"]) == 70
    said = capfd.readouterr()
    assert said.out == ""
    log = said.err.strip().rpartition(" ")[2]
    with open(log, encoding="utf-8") as file:
        assert "ModuleNotFoundError" in file.read()
    assert "Traceback" not in said.err


def test_the_module_is_the_command(tmp_path: Path) -> None:
    assert run_module("groundrules", "rules", cwd=tmp_path).splitlines()[0].startswith("one-task ")
    assert "invalid choice" in run_module("groundrules", "nonsense", cwd=tmp_path, code=2)


@pytest.mark.parametrize(("table", "key"), [(table, key) for table, keys in TABLES.items() for key in keys])
def test_key_of_the_configuration_is_documented(table: str, key: str) -> None:
    named = table.replace("infrastructure", "service")  # both have the same keys
    header = f"[[{named}]]" if table in ROWS else f"[{table}]"
    with open(f"{ROOT}/docs/configuration.md", encoding="utf-8") as file:
        assert f"| `{header}` `{key}` | " in file.read()


def test_the_rule_about_the_index_knows_the_commands() -> None:
    assert set(cli.COMMANDS) == agents_index.COMMANDS
