"""`groundrules check run`: what a check sees, what its record says, and when a result does not count."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from conftest import ROOT
from groundrules import interruption
from groundrules_hooks.subject import subject_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import Repository
    from scaffolder.conftest import Answer

    Run = Callable[..., Answer]
    Records = Callable[[Repository, str], list[dict[str, Any]]]


def behave(repository: Repository, script: str) -> None:
    """Commit what the check does."""
    repository.commit("behave", script, "Change what the check does")


def test_a_record_says_what_ran_on_what_and_how_it_ended(run: Run, work: Repository, records: Records) -> None:
    code, out, err = run(work, "check", "run")
    assert (code, out) == (0, "")
    assert err.startswith("✓ unit          PASSED   2 passed, ")
    (record,) = records(work, "unit")
    log = work.path.parent / "shop/.git" / record["log"]
    assert record == {
        "name": "unit",
        "command": ["sh", "./behave"],
        "definition": work.git("rev-parse", "HEAD:groundrules.toml"),
        "env": [],
        "result": "PASSED",
        "exit": 0,
        "tree": subject_tree("HEAD"),
        "content": "clean",
        "started": record["started"],
        "seconds": record["seconds"],
        "counts": {"passed": 2},
        "log": record["log"],
        "log_digest": hashlib.sha256(b"2 passed in 0.01s\n").hexdigest(),
    }
    assert log.read_text() == "2 passed in 0.01s\n"
    assert work.git("status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("script", "code", "word"),
    [
        ("exit 3", 3, "exit code 3"),
        ("kill -9 $$", -9, "exit code -9"),
        ("echo 1 failed in 0.1s; exit 1", 1, "1 failed"),
    ],
)
def test_a_failure_is_recorded_and_the_end_of_its_log_is_shown(
    run: Run, work: Repository, records: Records, script: str, code: int, word: str
) -> None:
    behave(work, f"printf 'one\\ntwo \\033[31mred\\n'\n{script}\n")
    said = run(work, "check", "run", "unit")
    assert said.code == 1
    assert "✗ unit          FAILED   " in said.err
    assert word in said.err
    assert "    one\n    two [31mred\n" in said.err
    (record,) = records(work, "unit")
    assert (record["result"], record["exit"]) == ("FAILED", code)
    shown = said.err.rstrip().rpartition("→ less ")[2]
    assert os.path.samefile(work.path / shown, work.path.parent / "shop/.git" / record["log"])


def test_a_program_that_is_not_there_is_a_failure(run: Run, checked: Repository, records: Records) -> None:
    checked.commit("groundrules.toml", '[[check]]\nname = "unit"\nrun = ["no-such-program"]\n')
    said = run(checked, "check", "run")
    assert (said.code, "cannot start no-such-program: No such file" in said.err) == (1, True)
    assert records(checked, "unit")[0]["exit"] == 127


def test_only_what_is_listed_is_passed_on(
    run: Run, work: Repository, monkeypatch: pytest.MonkeyPatch, records: Records
) -> None:
    # HAND-11
    config = work.path / "groundrules.toml"
    config.write_text(config.read_text().replace('"./behave"]', '"./behave"]\nenv = ["TOKEN", "ABSENT"]', 1))
    behave(work, "env | sort\n")
    for name in ("TOKEN", "SECRET", "GIT_DIR_OF_ANOTHER", "MAKEFLAGS", "DATABASE_URL", "WEB_PORT"):
        monkeypatch.setenv(name, f"shell {name}")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert run(work, "check", "run", "unit").code == 0
    (record,) = records(work, "unit")
    text = (work.path.parent / "shop/.git" / record["log"]).read_text()
    seen = dict(line.partition("=")[::2] for line in text.splitlines())
    slot = json.loads(work.stdout("slot", "--json"))["values"]
    assert {name: seen.pop(name) for name in slot} == slot
    assert seen.pop("TOKEN") == "shell TOKEN"
    assert seen.pop("PATH") == os.environ["PATH"]
    assert set(seen) - {"PWD", "OLDPWD", "SHLVL", "_"} <= {"HOME", "LC_ALL", "LANG"}, "those four are the shell's own"
    assert record["env"] == ["TOKEN", "ABSENT"]


def test_it_runs_at_the_root_wherever_it_is_called(run: Run, work: Repository, records: Records) -> None:
    behave(work, "pwd -P\n")
    (work.path / "src").mkdir()
    assert run(work.path / "src", "check", "run", "unit").code == 0
    log = work.path.parent / "shop/.git" / records(work, "unit")[0]["log"]
    assert log.read_text() == f"{work.path.resolve()}\n"


def test_edits_count_for_a_commit_of_exactly_them(run: Run, work: Repository, records: Records) -> None:
    # HAND-06
    work.write("cart.py", "cart = 2\n")
    work.write("new.py")
    said = run(work, "check", "run", "unit")
    assert (said.code, "▲ on edits that are not committed" in said.err) == (0, True)
    (record,) = records(work, "unit")
    assert record["content"] == "dirty"
    work.commit("cart.py", "cart = 2\n")
    assert subject_tree("HEAD") == record["tree"]


def test_files_that_change_meanwhile_make_the_result_worthless(run: Run, work: Repository, records: Records) -> None:
    # HAND-15
    behave(work, "echo more >>cart.py; echo x >report.xml\n")
    said = run(work, "check", "run", "unit")
    assert said.code == 1
    assert "✗ unit          DIRTY    files changed while it ran\n    cart.py\n    report.xml\n→ " in said.err
    (record,) = records(work, "unit")
    assert (record["content"], record["tree"]) == ("moved", subject_tree("HEAD"))


def test_what_git_ignores_may_change(run: Run, work: Repository) -> None:
    work.write(".gitignore", "*.xml\n")
    behave(work, "echo x >report.xml\n")
    assert run(work, "check", "run", "unit").code == 0


def test_a_state_without_a_tree_is_refused_before_anything_runs(run: Run, work: Repository, records: Records) -> None:
    behave(work, "touch ../ran\n")
    work.git("update-index", "--skip-worktree", "cart.py")
    code, _, err = run(work, "check", "run")
    assert (code, "git was told to skip cart.py" in err) == (2, True)
    assert not (work.path.parent / "ran").exists()
    assert records(work, "unit") == []


def test_nothing_but_evidence_is_nothing_to_test(run: Run, work: Repository) -> None:
    # HAND-05
    run(work, "slot")
    work.git("rm", "-qr", "--cached", ".")
    work.write(".git-ignored", "")
    exclude = work.path.parent / "shop/.git/info/exclude"
    exclude.write_text(exclude.read_text() + "/*\n!/evidence/\n")
    work.write("evidence/T1/note.md")
    code, _, err = run(work, "check", "run", "unit")
    assert (code, "there is nothing to test: no file but evidence" in err) == (2, True)


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        ((), ["unit"]),
        (("docs",), ["docs"]),
        (("whole", "unit", "whole"), ["whole", "unit"]),
        (("--tier", "quick"), ["unit", "docs"]),
        (("--tier", "deep"), ["e2e"]),
        (("--tier", "integration"), ["whole"]),
    ],
)
def test_names_a_tier_or_the_change_choose_what_runs(
    run: Run, work: Repository, argv: tuple[str, ...], expected: list[str]
) -> None:
    code, out, _ = run(work, "check", "run", "--json", *argv)
    document = json.loads(out)
    assert (code, document["schema_version"]) == (0, 1)
    assert [row["name"] for row in document["checks"]] == expected
    assert {row["outcome"] for row in document["checks"]} == {"PASSED"}


def test_edits_and_the_contract_add_to_what_the_change_needs(run: Run, work: Repository) -> None:
    work.write("docs/cart.md")
    work.write("tasks/T1.toml", 'checks = ["whole"]\n')
    document = json.loads(run(work, "check", "run", "--json").out)
    assert [row["name"] for row in document["checks"]] == ["unit", "docs", "whole"]


def test_outside_a_task_every_quick_check_runs(run: Run, checked: Repository) -> None:
    document = json.loads(run(checked, "check", "run", "--json").out)
    assert [row["name"] for row in document["checks"]] == ["unit", "docs"]


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("unti",), "there is no check unti\n  checks are unit, docs, e2e, whole; the nearest is unit"),
        (("unit", "--tier", "deep"), "names and --tier are both given"),
    ],
)
def test_a_name_that_there_is_not_is_refused_with_the_nearest(
    run: Run, work: Repository, argv: tuple[str, ...], words: str
) -> None:
    code, out, err = run(work, "check", "run", *argv)
    assert (code, out, words in err) == (2, "", True)


def test_a_repository_without_checks_says_that_nothing_is_tested(run: Run, shop: Repository) -> None:
    code, out, err = run(shop, "check", "run")
    assert (code, out, "▲ checks        groundrules.toml has no [[check]], so nothing is tested" in err) == (
        0,
        "",
        True,
    )
    assert json.loads(run(shop, "check", "run", "--json").out) == {"schema_version": 1, "checks": []}
    code, _, err = run(shop, "check", "run", "unit")
    assert (code, "there is no check unit, nor any other" in err) == (2, True)


def test_no_check_about_the_change_is_said(run: Run, checked: Repository) -> None:
    text = (checked.path / "groundrules.toml").read_text().replace('"./behave"]', '"./behave"]\npaths = ["no/**"]', 1)
    checked.commit("groundrules.toml", text)
    work = checked.worktree("task/T1-cart", "work")
    work.commit("cart.py")
    assert run(work, "check", "run") == (0, "", "○ checks        none is about what changed here\n")


def test_the_newest_run_of_a_tree_decides(run: Run, work: Repository, records: Records) -> None:
    behave(work, "test ! -e ../fail\n")
    assert run(work, "check", "run", "unit").code == 0
    (work.path.parent / "fail").touch()
    assert run(work, "check", "run", "unit").code == 1
    assert [row["result"] for row in records(work, "unit")] == ["FAILED"]


def test_old_records_are_removed_and_new_ones_stay(run: Run, work: Repository, records: Records) -> None:
    run(work, "check", "run", "unit")
    work.commit("cart.py", "cart = 2\n")
    folder = work.path.parent / "shop/.git/groundrules/checks"
    (old,) = (path for path in folder.iterdir() if path.is_dir())
    os.utime(old, (0, 0))
    run(work, "check", "run", "unit")
    assert [row["tree"] for row in records(work, "unit")] == [subject_tree("HEAD")]
    assert not old.exists()


def started(repository: Repository, *argv: str) -> subprocess.Popen[str]:
    """Start a command and return when its check has said that it runs."""
    env = {**os.environ, "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder"}
    command = [sys.executable, "-m", "groundrules", *argv]
    os.mkfifo(repository.path.parent / "running")
    process = subprocess.Popen(command, cwd=repository.path, env=env, stderr=subprocess.PIPE, text=True)
    with open(repository.path.parent / "running", encoding="utf-8") as fifo:
        fifo.read()
    return process


WAITS = "sleep 300 & echo $! >../child; echo 1 passed in 0.1s; echo >../running; wait\n"


def is_alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_an_interrupted_run_proves_nothing_not_even_what_an_earlier_one_did(
    run: Run, work: Repository, records: Records, number: signal.Signals
) -> None:
    behave(work, f"test -e ../quick && exit 0\n{WAITS}")
    (work.path.parent / "quick").touch()
    assert run(work, "check", "run", "unit").code == 0
    (work.path.parent / "quick").unlink()
    process = started(work, "check", "run", "unit")
    process.send_signal(number)
    process.communicate()
    assert process.returncode == (-9 if number == signal.SIGKILL else 130)
    (record,) = records(work, "unit")
    assert (record["result"], record["exit"], record["counts"]) == ("MISSING", None, {})
    child = int((work.path.parent / "child").read_text())
    if number == signal.SIGKILL:
        os.kill(child, signal.SIGKILL)  # nobody is left to do it
    else:
        assert record["log_digest"] == hashlib.sha256(b"1 passed in 0.1s\n").hexdigest()
        assert not is_alive(child)
    said = run(work, "handoff", "seal", "--unresolved", "none", "--deviations", "none")
    assert "required check unit is MISSING for this tree: its run did not end" in said.err


def test_an_interrupt_at_the_first_moment_it_is_obeyed_leaves_nothing_running(
    run: Run, work: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted = interruption.noted

    @contextmanager
    def interrupted() -> Iterator[list[int]]:
        with noted() as found:
            yield found
            while not child.exists():
                os.sched_yield()
        raise KeyboardInterrupt

    child = work.path.parent / "child"
    behave(work, "echo $$ >../new; mv ../new ../child; exec sleep 300\n")
    monkeypatch.setattr(interruption, "noted", interrupted)
    assert run(work, "check", "run", "unit").code == 130
    assert not is_alive(int(child.read_text()))


def test_a_terminal_shows_the_newest_line_of_a_run_and_takes_it_away(work: Repository) -> None:
    os.mkfifo(work.path.parent / "go")
    behave(work, "echo first; echo second line; read go <../go\n")
    screen, terminal = os.openpty()
    env = {**os.environ, "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder", "TERM": "xterm"}
    argv = [sys.executable, "-m", "groundrules", "check", "run", "unit"]
    process = subprocess.Popen(argv, cwd=work.path, env=env, stderr=terminal)
    os.close(terminal)
    seen = b""
    while b"  unit          second line, " not in seen:
        seen += os.read(screen, 1000)
    (work.path.parent / "go").write_text("go\n")
    while b"PASSED" not in seen:
        seen += os.read(screen, 1000)
    assert process.wait() == 0
    os.close(screen)
    assert re.search(rb"second line, \d+\.\d s\x1b\[K.*\r\x1b\[K.* unit          PASSED", seen, re.DOTALL)


def test_what_a_check_leaves_running_is_ended(run: Run, work: Repository) -> None:
    behave(work, "sleep 300 & echo $! >../child\n")
    assert run(work, "check", "run", "unit").code == 0
    assert not is_alive(int((work.path.parent / "child").read_text()))


def test_two_runs_of_one_check_at_once_leave_whole_records(work: Repository, records: Records) -> None:
    env = {**os.environ, "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder"}
    argv = [sys.executable, "-m", "groundrules", "check", "run", "unit"]
    running = [subprocess.Popen(argv, cwd=work.path, env=env, stderr=subprocess.PIPE) for _ in range(4)]
    assert [(each.communicate()[1], each.returncode)[1] for each in running] == [0] * 4
    assert [row["result"] for row in records(work, "unit")] == ["PASSED"]
