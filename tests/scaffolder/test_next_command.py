"""`groundrules next`: a number that nobody else has or gets, over every place that may ever meet this worktree."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import killing

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository
    from scaffolder.conftest import Answer

    Run = Callable[..., Answer]

CONFIG = """
[[series]]
name = "migrations"
paths = ["migrations/"]

[[series]]
name = "errors"
paths = ["docs/errors.md"]
line = "| {n} |"
"""

# Forks processes that all ask for a number at once, each in one of the worktrees; prints what they got.
AT_ONCE = """
import os, sys
from groundrules.allocation import reserve
from groundrules_hooks.config import of_worktree
from groundrules_hooks.worktree import locate

count, *paths = sys.argv[1:]
ready, go = os.pipe(), os.pipe()
children = []
for number in range(int(count)):
    child = os.fork()
    if child == 0:
        os.close(go[1])
        os.chdir(paths[number % len(paths)])
        worktree = locate()
        config = of_worktree(worktree)
        os.write(ready[1], b".")
        os.read(go[0], 1)
        os.write(1, (reserve(worktree, config, config.series[1]) + "\\n").encode())
        os._exit(0)
    children.append(child)
for _ in children:
    os.read(ready[0], 1)
os.close(go[1])
sys.exit(any([os.waitpid(child, 0)[1] for child in children]))
"""

# Kills an allocation before each call of the system that its writers make, then asks again from a sibling and from the
# killed worktree. Prints a row for each kill: whether it was one, and the two numbers.
KILLED = """
import io, json, os, sys
from groundrules import allocation
from groundrules_hooks import lock, reservation
from groundrules_hooks.config import of_worktree
from groundrules_hooks.worktree import locate
from killing import stop_before

WRITERS = {lock.__file__, reservation.__file__, os.__file__}

def ask(path, profile=None):
    os.chdir(path)
    worktree = locate()
    config = of_worktree(worktree)
    sys.setprofile(profile)
    number = allocation.reserve(worktree, config, config.series[1])
    sys.setprofile(None)
    return int(number)

killed, sibling = sys.argv[1:]
step, code = 0, 9
while code == 9:
    step += 1
    child = os.fork()
    if child == 0:
        ask(killed, stop_before(step, WRITERS))
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(json.dumps([code, ask(sibling), ask(killed)]))
"""


@pytest.fixture
def numbered(shop: Repository) -> Repository:
    """A repository with two series beside that of decisions; migrations begin at 0007."""
    shop.write("groundrules.toml", CONFIG)
    shop.write("migrations/0007_a/up.sql")
    shop.commit("docs/errors.md", "| n |\n|---|\n| 1 |\n")
    return shop


def script(text: str, *args: str) -> list[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run([sys.executable, "-c", text, *args], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def number(run: Run, where: Repository, series: str = "migrations") -> str:
    answer = run(where, "next", series)
    assert answer.code == 0, answer.err
    return answer.out.removesuffix("\n")


def test_answer_is_the_number_alone_and_the_rest_is_told(run: Run, numbered: Repository) -> None:
    task = numbered.worktree("task/T1-x", "wt")
    assert run(task, "next", "migrations") == (0, "0008\n", "✓ 0008 of migrations is reserved for task T1\n")
    assert run(numbered, "next", "errors") == (0, "2\n", "✓ 2 of errors is reserved for this worktree\n")
    assert run(task, "next", "decisions").out == "0001\n"


def test_document(run: Run, numbered: Repository) -> None:
    task = numbered.worktree("task/T1-x", "wt")
    assert json.loads(run(task, "next", "migrations", "--json").out) == {
        "schema_version": 1,
        "series": "migrations",
        "number": 8,
        "text": "0008",
        "paths": ["migrations/"],
        "task": "T1",
        "worktree": os.path.realpath(task.path),
    }


def test_without_a_name_all_are_shown_and_none_is_reserved(run: Run, numbered: Repository) -> None:
    expected = "decisions   0001  docs/adr/*.md\nmigrations  0008  migrations/\nerrors      2     docs/errors.md\n"
    assert run(numbered, "next") == run(numbered, "next") == (0, expected, "")
    document = json.loads(run(numbered, "next", "--json").out)
    assert [(row["series"], row["number"], row["text"]) for row in document["series"]] == [
        ("decisions", 1, "0001"),
        ("migrations", 8, "0008"),
        ("errors", 2, "2"),
    ]


def test_unknown_series_is_named_with_those_there_are(run: Run, numbered: Repository) -> None:
    code, out, err = run(numbered, "next", "migration")
    assert (code, out) == (2, "")
    assert err.splitlines()[:2] == [
        "groundrules: no series is named migration",
        "  [[series]] in groundrules.toml: decisions, migrations, errors",
    ]
    assert err.splitlines()[-1].strip() == "groundrules next"


HELD = {
    "a commit here": "git add -A && git commit -q --no-verify -m x",
    "the index": "git add -A && rm -r migrations/0011_x",
    "an untracked file": ":",
    "the target": "git add -A && git commit -q --no-verify -m x && git update-ref refs/remotes/origin/main HEAD"
    " && git reset -q --hard HEAD~1",
    "a task's branch without a worktree": "git add -A && git commit -q --no-verify -m x"
    " && git branch task/T9-x && git reset -q --hard HEAD~1",
    "a task's branch of a remote": "git add -A && git commit -q --no-verify -m x"
    " && git update-ref refs/remotes/origin/task/T9-x HEAD && git reset -q --hard HEAD~1",
}


@pytest.mark.parametrize("place", HELD)
def test_a_number_is_held_wherever_it_may_come_from(run: Run, numbered: Repository, place: str) -> None:
    task = numbered.worktree("task/T1-x", "wt")
    task.write("migrations/0011_x/up.sql")
    subprocess.run(["sh", "-c", HELD[place]], cwd=task.path, check=True)
    assert number(run, task) == "0012"


@pytest.mark.parametrize("committed", [True, False])
@pytest.mark.parametrize("series", ["migrations", "errors"])
def test_a_sibling_holds_what_it_has_committed_or_not(
    run: Run, numbered: Repository, series: str, *, committed: bool
) -> None:
    one, two = numbered.worktree("task/T1-x", "one"), numbered.worktree("task/T2-x", "two")
    one.write("migrations/0020_x.sql")
    one.write("docs/errors.md", "| 20 |\n")
    if committed:
        one.git("add", "-A")
        one.git("commit", "-q", "--no-verify", "-m", "Take 20")
    assert number(run, two, series) == {"migrations": "0021", "errors": "21"}[series]
    assert number(run, numbered, series).endswith("22")


def test_what_git_ignores_or_nobody_merges_is_free(run: Run, numbered: Repository) -> None:
    numbered.write(".git/info/exclude", "*.tmp\n")
    numbered.write("migrations/0030_x.tmp")
    numbered.git("switch", "-qc", "experiment")
    numbered.commit("migrations/0040_x.sql")
    numbered.git("switch", "-q", "main")
    assert number(run, numbered) == "0008"


def test_a_moved_a_missing_and_a_half_made_worktree_change_nothing(run: Run, numbered: Repository) -> None:
    moved, missing = numbered.worktree("task/T1-x", "moved"), numbered.worktree("task/T2-x", "missing")
    assert (number(run, moved), number(run, missing)) == ("0008", "0009")
    moved.path.rename(moved.path.with_name("elsewhere"))
    subprocess.run(["rm", "-r", str(missing.path)], check=True)
    (numbered.path / ".git" / "worktrees" / "half").mkdir()
    assert number(run, numbered) == "0010"


def test_a_reservation_ends_with_its_worktree(run: Run, numbered: Repository) -> None:
    task = numbered.worktree("task/T1-x", "wt")
    assert [number(run, task), number(run, task), number(run, numbered)] == ["0008", "0009", "0010"]
    numbered.git("worktree", "remove", str(task.path))
    again = numbered.worktree("task/T1-y", "wt")
    assert number(run, again) == "0011"  # 0010 is the main worktree's
    numbered.git("worktree", "remove", "--force", str(again.path))
    os.unlink(numbered.path / ".git" / "groundrules" / "numbers")
    assert number(run, numbered) == "0008"


def test_a_reservation_ends_where_the_target_has_the_number(run: Run, numbered: Repository) -> None:
    task = numbered.worktree("task/T1-x", "wt")
    for _ in range(2):
        number(run, task)
    numbered.commit("migrations/0008_x.sql")
    number(run, task, "errors")
    assert number(run, task) == "0010"
    kept = os.path.join(task.git("rev-parse", "--absolute-git-dir"), "groundrules", "numbers")
    with open(kept, encoding="utf-8") as file:
        assert file.read() == "migrations 9\nerrors 2\nmigrations 10\n"


def test_many_at_once_get_a_number_each(numbered: Repository) -> None:
    worktrees = [numbered, *(numbered.worktree(f"task/T{index}-x", f"wt{index}") for index in range(3))]
    said = script(AT_ONCE, "24", *(str(worktree.path) for worktree in worktrees))
    assert sorted(said) == [f"{index:04}" for index in range(8, 32)]


def test_killed_at_any_step_it_leaves_nothing_that_doubles_a_number(numbered: Repository) -> None:
    killed, sibling = numbered.worktree("task/T1-x", "killed"), numbered.worktree("task/T2-x", "sibling")
    rows = killing.rows(KILLED, str(killed.path), str(sibling.path))
    assert len(rows) > 10
    assert [code for code, _, _ in rows] == [9] * (len(rows) - 1) + [0]
    given = [each for _, *both in rows for each in both]
    assert sorted(given) == sorted(set(given))
    # A kill costs one number at most: that of a reservation which nobody was told.
    assert max(given) <= 7 + len(given) + len(rows)


def test_unwritable_git_dir_is_told_and_no_number_given(run: Run, numbered: Repository) -> None:
    (numbered.path / ".git" / "groundrules").write_text("a file where the folder should be")
    code, out, err = run(numbered, "next", "migrations")
    assert (code, out) == (2, "")
    assert "must be writable" in err


def test_the_number_given_passes_the_rule_and_is_refused_to_others(run: Run, numbered: Repository) -> None:
    one, two = numbered.worktree("task/T1-x", "one"), numbered.worktree("task/T2-x", "two")
    taken = number(run, one)
    for worktree in (one, two):
        worktree.write(f"migrations/{taken}_x.sql")
        worktree.git("add", "-A")
    assert one.hook("pre_commit") == ""
    said = two.hook("pre_commit", code=1).splitlines()
    assert said[0].endswith(f"{taken} of migrations is reserved for task T1 (task/T1-x)")
    assert said[-1].strip() == "git mv migrations/0008_x.sql migrations/0009_x.sql"
