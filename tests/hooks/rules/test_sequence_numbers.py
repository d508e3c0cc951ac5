"""sequence-numbers: a number that something else has is refused, with the command that takes the next free one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groundrules_hooks import numbering, reservation
from groundrules_hooks.config import of_text
from groundrules_hooks.range import Range, judged

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository
    from hooks.rules.conftest import Author

    Enter = Callable[[Repository], None]

CONFIG = """
[[series]]
name = "migrations"
paths = ["migrations/"]

[[series]]
name = "errors"
paths = ["docs/errors.md"]
line = "| {n} |"
"""
TABLE = "| n | what |\n|---|---|\n| 1 | one |\n"
OLD = ("migrations/0001_a.up.sql", "migrations/0001_a.down.sql", "docs/adr/0001-adopt.md")


@pytest.fixture
def numbered(shop: Repository) -> Repository:
    """The main worktree: one migration of two files, one decision, one row, all numbered 1."""
    shop.write("groundrules.toml", CONFIG)
    for path in OLD:
        shop.write(path, "Status: accepted\n")
    shop.commit("docs/errors.md", TABLE)
    return shop


@pytest.fixture
def mine(numbered: Repository, enter: Enter) -> Repository:
    """The worktree of task T1, in which the tests commit."""
    worktree = numbered.worktree("task/T1-x", "mine")
    enter(worktree)
    return worktree


@pytest.fixture
def theirs(numbered: Repository, mine: Repository) -> Repository:  # noqa: ARG001 (made first)
    """The worktree of task T2."""
    return numbered.worktree("task/T2-x", "theirs")


def stage(repository: Repository, *paths: str, content: str = "mine\n") -> None:
    for path in paths:
        repository.write(path, content)
    repository.git("add", "-A")


def row(repository: Repository, *rows: str) -> None:
    repository.write("docs/errors.md", TABLE + "".join(f"{each}\n" for each in rows))
    repository.git("add", "-A")


def of_branch(repository: Repository, branch: str | None = "task/T1-x", since: str = "refs/heads/main") -> list[str]:
    """Return what the gate finds in the branch as a whole, beside the target and `since`."""
    target = dict.fromkeys((since, "refs/heads/main"))
    asked = Range(repository.git("rev-parse", "HEAD"), (since,), tuple(target), "T1" if branch else None, branch)
    found = judged(asked, of_text(CONFIG.encode())).findings
    return [f"{each.path}: {each.message}" for each in found if each.rule == numbering.NAME]


# BAS-06
@pytest.mark.parametrize(
    ("path", "taken", "fix"),
    [
        (
            "migrations/0002_mine.sql",
            "migrations/0002_theirs.sql",
            "git mv migrations/0002_mine.sql migrations/0003_mine.sql",
        ),
        (
            "migrations/2_mine.sql",
            "migrations/0002_theirs.sql",
            "git mv migrations/2_mine.sql migrations/0003_mine.sql",
        ),
        ("migrations/0002_m/up.sql", "migrations/0002_t/up.sql", "git mv migrations/0002_m migrations/0003_m"),
        (
            "migrations/0002 it's.sql",
            "migrations/0002_theirs.sql",
            """git mv 'migrations/0002 it'"'"'s.sql' 'migrations/0003 it'"'"'s.sql'""",
        ),
    ],
)
def test_a_number_of_a_sibling_is_refused_and_the_next_one_taken(
    mine: Repository, theirs: Repository, author: Author, path: str, taken: str, fix: str
) -> None:
    theirs.commit(taken)
    stage(mine, path)
    verdict = author.commit()
    number = "2" if "/2" in path else "0002"
    message = f"{number} of migrations is taken by {taken} of task T2 (task/T2-x)"
    assert verdict.findings == [f"{path}:1: sequence-numbers: {message}"]
    assert verdict.fixes[-1] == fix
    author.paste(fix)
    assert author.commit().findings == []


def test_both_halves_of_a_migration_move_together(
    mine: Repository, theirs: Repository, mended: Callable[[], str]
) -> None:
    theirs.commit("migrations/0002_theirs.sql")
    stage(mine, "migrations/0002_mine.up.sql", "migrations/0002_mine.down.sql")
    assert mended().startswith("migrations/0002_mine.down.sql:1: sequence-numbers: 0002 of migrations is taken by")
    assert mine.git("ls-files", "migrations/0003*").splitlines() == [
        "migrations/0003_mine.down.sql",
        "migrations/0003_mine.up.sql",
    ]


def test_a_row_of_a_sibling_is_refused_and_the_next_one_taken(
    mine: Repository, theirs: Repository, mended: Callable[[], str]
) -> None:
    row(theirs, "| 2 | theirs |", "| 3 | too |")
    theirs.git("commit", "-q", "--no-verify", "-m", "Add rows")
    row(mine, "| 2 | mine |")
    assert mended() == (
        "docs/errors.md:4: sequence-numbers: 2 of errors is taken by docs/errors.md:4 of task T2 (task/T2-x)"
    )
    assert (mine.path / "docs" / "errors.md").read_text() == f"{TABLE}| 4 | mine |\n"


def test_a_row_in_a_file_with_other_work_is_mended_where_it_is_staged(
    mine: Repository, theirs: Repository, mended: Callable[[], str]
) -> None:
    row(theirs, "| 2 | theirs |")
    theirs.git("commit", "-q", "--no-verify", "-m", "Add a row")
    row(mine, "| 2 | mine |")
    other = f"{TABLE}| 7 | not staged |\n| 2 | mine |\n"
    mine.write("docs/errors.md", other)
    mended()
    assert mine.git("show", ":docs/errors.md") == f"{TABLE}| 3 | mine |"
    assert (mine.path / "docs" / "errors.md").read_text() == other


def test_where_sed_would_hit_another_number_the_place_is_opened(
    mine: Repository, theirs: Repository, author: Author
) -> None:
    toml = CONFIG.replace('"| {n} |"', '"*E{n}"')
    for worktree in (mine, theirs):
        worktree.write("groundrules.toml", toml)
    theirs.commit("docs/errors.md", "x E12\n")
    stage(mine, "docs/errors.md", content="12 E12\n")
    assert author.commit().fixes == ["${EDITOR:-vi} +1 docs/errors.md"]


def test_several_at_once_get_a_number_each(mine: Repository, theirs: Repository, author: Author) -> None:
    stage(theirs, "migrations/0002_t.sql", "migrations/0003_t.sql")
    theirs.git("commit", "-q", "--no-verify", "-m", "Add two")
    stage(mine, "migrations/0002_m.sql", "migrations/0003_m.sql")
    verdict = author.commit()
    assert verdict.fixes == [
        "git mv migrations/0002_m.sql migrations/0004_m.sql",
        "git mv migrations/0003_m.sql migrations/0005_m.sql",
    ]
    for fix in verdict.fixes:
        author.paste(fix)
    assert author.commit().findings == []


# AGADR-03
def test_two_with_one_number_in_one_tree_are_refused_whatever_their_zeros(
    mine: Repository, mended: Callable[[], str]
) -> None:
    stage(mine, "migrations/1_again.sql")
    assert mended() == (
        "migrations/1_again.sql:1: sequence-numbers: 1 of migrations is taken by migrations/0001_a.down.sql"
    )
    assert "migrations/0002_again.sql" in mine.git("ls-files")


def test_of_two_new_ones_the_first_keeps_the_number(mine: Repository, mended: Callable[[], str]) -> None:
    stage(mine, "migrations/0002_a.sql", "migrations/0002_b.sql")
    assert "0002_b.sql:1: sequence-numbers: 0002 of migrations is taken by migrations/0002_a.sql" in mended()


# AGADR-11
def test_a_number_that_the_target_took_meanwhile_is_refused(
    numbered: Repository, mine: Repository, mended: Callable[[], str]
) -> None:
    numbered.commit("migrations/0002_main.sql")
    stage(mine, "migrations/0002_mine.sql")
    assert mended().endswith("0002 of migrations is taken by migrations/0002_main.sql on main")


def test_a_number_on_the_remotes_target_is_refused(
    numbered: Repository, mine: Repository, mended: Callable[[], str]
) -> None:
    taken = numbered.commit("migrations/0002_remote.sql")
    numbered.git("update-ref", "refs/remotes/origin/main", taken)
    numbered.git("reset", "-q", "--hard", "HEAD~1")
    stage(mine, "migrations/0002_mine.sql")
    assert mended().endswith("is taken by migrations/0002_remote.sql on origin/main")


def test_a_detached_sibling_counts(mine: Repository, theirs: Repository, mended: Callable[[], str]) -> None:
    theirs.git("checkout", "-q", "--detach")
    theirs.commit("migrations/0002_t.sql")
    stage(mine, "migrations/0002_m.sql")
    assert mended().endswith("migrations/0002_t.sql of worktree theirs")


def test_a_reserved_number_is_for_its_worktree(
    mine: Repository, theirs: Repository, author: Author, mended: Callable[[], str]
) -> None:
    reservation.write(theirs.git("rev-parse", "--absolute-git-dir"), [("errors", 2), ("migrations", 2)])
    reservation.write(mine.git("rev-parse", "--absolute-git-dir"), [("migrations", 3)])
    stage(mine, "migrations/0003_m.sql")
    assert author.commit().findings == []
    stage(mine, "migrations/0002_m.sql")
    assert mended().endswith("0002 of migrations is reserved for task T2 (task/T2-x)")
    assert "migrations/0004_m.sql" in mine.git("ls-files")


PASSING = {
    "an edit": "echo x >> migrations/0002_m.sql",
    "a rename that keeps the number": "git mv migrations/0002_m.sql migrations/0002_better.sql",
    "a move of half of it": "git mv migrations/0002_m.sql migrations/0002_m.up.sql",
    "a deletion": "git rm -q migrations/0002_m.sql",
    "a mode": "chmod +x migrations/0002_m.sql",
    "a free number": "echo x > migrations/0003_free.sql",
    "the other half": "echo x > migrations/0002_m.down.sql",
    "no number": "echo x > migrations/README.md",
    "an edited row": "sed -i 's/| mine |/| my |/' docs/errors.md",
    "a removed row": "sed -i '/| mine |/d' docs/errors.md",
    "another file": "echo x > src.py",
}


@pytest.mark.parametrize("change", PASSING)
def test_what_takes_no_number_passes_beside_an_old_clash(
    mine: Repository, theirs: Repository, author: Author, change: str
) -> None:
    # Both had 2 before anybody looked: that is not the fault of this change.
    for worktree, name in ((theirs, "theirs"), (mine, "mine")):
        row(worktree, f"| 2 | {name} |")
        worktree.commit(f"migrations/0002_{name[0]}.sql")
    author.paste(PASSING[change])
    mine.git("add", "-A")
    assert author.commit().findings == []


def test_an_old_duplicate_passes_and_a_third_is_refused(mine: Repository, author: Author) -> None:
    stage(mine, "migrations/0002_a.sql", "migrations/0002_b.sql")
    mine.git("commit", "-q", "--no-verify", "-m", "Add twice")
    author.paste("echo x >> migrations/0002_a.sql; git mv migrations/0002_b.sql migrations/0002_bb.sql; git add -A")
    assert author.commit().findings == []
    stage(mine, "migrations/0002_c.sql")
    assert [each.partition(":")[0] for each in author.commit().findings] == ["migrations/0002_c.sql"]


def test_a_picked_commit_is_no_clash(mine: Repository, theirs: Repository, author: Author) -> None:
    row(theirs, "| 2 | theirs |")
    picked = theirs.commit("migrations/0002_t.sql")
    mine.git("cherry-pick", "--no-commit", picked)
    assert mine.git("diff", "--cached", "--name-only").splitlines() == ["docs/errors.md", "migrations/0002_t.sql"]
    assert author.commit().findings == []


def test_a_merge_of_the_target_is_not_refused(numbered: Repository, mine: Repository, author: Author) -> None:
    numbered.commit("migrations/0002_main.sql")
    mine.commit("other")
    mine.git("merge", "-q", "--no-commit", "main")
    assert author.commit().findings == []
    mine.git("commit", "-q", "--no-verify", "-m", "Merge")
    assert of_branch(mine) == []


def test_first_commit_of_a_repository_is_judged_by_its_own_tree(
    numbered: Repository, enter: Enter, author: Author
) -> None:
    numbered.git("checkout", "-q", "--orphan", "fresh")
    numbered.git("branch", "-q", "-D", "main")
    enter(numbered)
    assert author.commit().findings == []
    stage(numbered, "migrations/0001_b.sql")
    assert len(author.commit().findings) == 1


# BAS-06: both branches are green, the texts merge cleanly, and the merged tree has 2 twice
def test_two_green_branches_meet_in_the_gate(numbered: Repository, mine: Repository) -> None:
    row(mine, "| 2 | mine |")
    mine.commit("migrations/0002_mine.sql")
    assert of_branch(mine) == []
    numbered.commit("migrations/0002_main.sql")
    expected = ["migrations/0002_mine.sql: 0002 of migrations is taken by migrations/0002_main.sql on main"]
    assert of_branch(mine) == of_branch(mine, None) == expected
    mine.git("merge", "-q", "--no-edit", "main")
    assert of_branch(mine) == [expected[0].removesuffix(" on main")]
    mine.git("mv", "migrations/0002_mine.sql", "migrations/0003_mine.sql")
    mine.git("commit", "-q", "--no-verify", "-m", "Take another")
    assert of_branch(mine) == []


def test_the_fix_of_the_gate_commits_and_mends(numbered: Repository, mine: Repository, author: Author) -> None:
    mine.commit("migrations/0002_mine.sql")
    numbered.commit("migrations/0002_main.sql")
    asked = Range(mine.git("rev-parse", "HEAD"), ("main",), ("refs/heads/main",), "T1", "task/T1-x")
    (fix,) = {each.fix for each in judged(asked, of_text(CONFIG.encode())).findings if each.rule == numbering.NAME}
    assert fix.endswith(" && git commit -m 'Take 0003 in migrations'")
    author.paste(fix)
    assert of_branch(mine) == []


def test_branches_that_keep_or_free_a_number_pass_the_gate(numbered: Repository, mine: Repository) -> None:
    mine.git("mv", "migrations/0001_a.up.sql", "migrations/0001_better.up.sql")
    mine.git("mv", "migrations/0001_a.down.sql", "migrations/0001_better.down.sql")
    mine.commit("x")
    assert of_branch(mine) == []
    numbered.commit("y")
    assert of_branch(mine) == []


def test_what_was_merged_already_is_not_judged_again(numbered: Repository, mine: Repository) -> None:
    mine.commit("migrations/0002_mine.sql")
    numbered.git("merge", "-q", "--squash", "task/T1-x")
    numbered.git("commit", "-q", "--no-verify", "-m", "Squash")
    assert of_branch(mine) == []
    numbered.commit("z")
    numbered.git("merge", "-q", "--no-edit", "-s", "ours", "task/T1-x")
    assert of_branch(mine) == []


def test_pushed_target_is_judged_against_where_it_was(numbered: Repository, enter: Enter) -> None:
    before = numbered.git("rev-parse", "HEAD")
    numbered.git("switch", "-qc", "side")
    numbered.commit("migrations/0002_side.sql")
    numbered.git("switch", "-q", "main")
    numbered.commit("migrations/0002_main.sql")
    numbered.git("merge", "-q", "--no-edit", "side")
    enter(numbered)
    assert of_branch(numbered, None, before) == [
        "migrations/0002_side.sql: 0002 of migrations is taken by migrations/0002_main.sql"
    ]


def test_two_tasks_in_one_range_are_told_once(numbered: Repository, enter: Enter) -> None:
    numbered.git("switch", "-qc", "queue")
    numbered.commit("migrations/0002_a.sql", message="Add a\n\nTask: T1\n")
    numbered.commit("migrations/0002_b.sql", message="Add b\n\nTask: T2\n")
    enter(numbered)
    assert len(of_branch(numbered, None)) == 1


def test_an_exception_passes_the_gate(numbered: Repository, mine: Repository) -> None:
    allowed = "Add\n\nGround-rules-allow: sequence-numbers (renumbered at the merge)\n"
    mine.commit("migrations/0002_mine.sql", message=allowed)
    numbered.commit("migrations/0002_main.sql")
    assert of_branch(mine) == []


def test_a_change_without_such_files_asks_git_for_nothing(
    mine: Repository, monkeypatch: pytest.MonkeyPatch, author: Author
) -> None:
    monkeypatch.setattr(numbering, "clashes", lambda *_: 1 / 0)
    stage(mine, "src/code.py", "docs/errors.txt", "migrations.sql")
    mine.git("rm", "-q", "migrations/0001_a.up.sql")
    assert author.commit().findings == []


def test_cost_does_not_grow_with_the_worktrees(mine: Repository, theirs: Repository) -> None:
    stage(mine, "migrations/0002_m.sql")
    mine.hook("pre_commit")  # claims the slot
    processes = []
    for more in (0, 10):
        for number in range(more):
            theirs.git("worktree", "add", "-q", "--no-checkout", "-b", f"task/S{number}", f"../s{number}")
        trace = mine.path.parent / f"trace{more}"
        mine.hook("pre_commit", GIT_TRACE=str(trace))
        processes.append(trace.read_text().count("trace: built-in: git"))
    assert processes[0] == processes[1] > 0
