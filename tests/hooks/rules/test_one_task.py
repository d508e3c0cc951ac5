"""one-task: commits of a worktree go to the branch of its task, whatever git is in the middle of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conftest import CONFIG, Repository
from groundrules_hooks.change import Change, Tree
from groundrules_hooks.config import Config
from groundrules_hooks.rules.one_task import check

if TYPE_CHECKING:
    from collections.abc import Callable

    from hooks.rules.conftest import Author

    Enter = Callable[[Repository], None]
    Mended = Callable[[], str]


@pytest.fixture
def work(shop: Repository, enter: Enter) -> Repository:
    """A worktree of task T1 whose branch and main both changed the file `same`."""
    work = shop.worktree("task/T1-x", "work")
    shop.commit("same", "main\n", "Change it on main")
    work.commit("first")
    work.commit("same", "task\n", "Change it for the task")
    enter(work)
    return work


def test_its_own_branch_takes_commits(work: Repository, author: Author) -> None:
    assert author.commit().findings == []
    work.git("branch", "-m", "task/T1-another-slug")
    assert author.commit().findings == []


def test_main_is_free_until_it_is_protected(shop: Repository, enter: Enter, author: Author, mended: Mended) -> None:
    enter(shop)
    assert author.commit().findings == []
    shop.write("groundrules.toml", f"{CONFIG}protect_target = true\n")
    assert mended() == ".: one-task: main takes no commits of its own"
    assert shop.git("branch", "--show-current") == "task/change"


def test_a_protected_main_takes_its_first_commit(shop: Repository, enter: Enter, author: Author) -> None:
    shop.write("groundrules.toml", f"{CONFIG}protect_target = true\n")
    enter(shop)
    shop.git("update-ref", "-d", "HEAD")
    assert author.commit().findings == []


@pytest.mark.parametrize(
    "command", [("switch", "-q", "main"), ("switch", "-qc", "task/T2-y"), ("switch", "-qc", "fix")]
)
def test_another_branch_is_refused_and_the_way_back_works(
    shop: Repository, work: Repository, author: Author, mended: Mended, command: tuple[str, ...]
) -> None:
    # CMT-15
    author.commit()
    shop.git("switch", "-q", "--detach")
    work.git(*command)
    assert mended() == f".: one-task: this worktree belongs to task T1 (task/T1-x), and {command[2]} is checked out"
    assert work.git("branch", "--show-current") == "task/T1-x"


def test_a_branch_renamed_to_another_task_is_renamed_back(work: Repository, author: Author, mended: Mended) -> None:
    author.commit()
    work.git("branch", "-m", "task/T2-y")
    assert "task/T2-y is checked out" in mended()
    assert work.git("branch", "--show-current") == "task/T1-x"


def test_a_detached_head_is_refused(work: Repository, author: Author, mended: Mended) -> None:
    # CMT-01
    author.commit()
    work.git("switch", "-q", "--detach")
    assert mended() == ".: one-task: HEAD is detached, and this worktree belongs to task T1 (task/T1-x)"


def test_a_worktree_made_detached_gets_a_branch_to_start(shop: Repository, enter: Enter, mended: Mended) -> None:
    shop.git("worktree", "add", "-q", "--detach", "../free")
    enter(Repository(shop.path.parent / "free"))
    assert "HEAD is detached, and this worktree belongs to no task" in mended()


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("rebase", "-q", "main"), 1),
        (("cherry-pick", "main"), 1),
        (("merge", "-q", "main"), 1),
        (("revert", "--no-edit", "main"), 1),
        (("am", "-q", "-3", "patch"), 128),
    ],
)
def test_work_that_stopped_for_a_conflict_goes_on(
    work: Repository, author: Author, command: tuple[str, ...], code: int
) -> None:
    # CMT-01 CMT-02 CMT-16
    author.commit()
    work.write("patch", work.git("format-patch", "-1", "--stdout", "main") + "\n")
    if command[0] == "revert":
        work.git("merge", "-q", "-X", "ours", "-m", "Merge main", "main")
    work.git(*command, code=code)
    work.write("same", "both\n")
    work.git("add", "same")
    assert author.commit().findings == []


@pytest.mark.parametrize("action", ["edit", "break"])
def test_a_rebase_that_waits_for_its_author_takes_commits(work: Repository, author: Author, action: str) -> None:
    # CMT-02
    author.commit()
    editor = f"sed -i '1{'s/^pick/edit/' if action == 'edit' else 'a break'}'"
    work.git("rebase", "-q", "-i", "HEAD~2", GIT_SEQUENCE_EDITOR=editor)
    assert work.git("branch", "--show-current") == ""
    assert author.commit().findings == []


def test_a_bisection_takes_commits(work: Repository, author: Author) -> None:
    # CMT-01
    author.commit()
    work.git("bisect", "start", "HEAD", "HEAD~2")
    assert author.commit().findings == []


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (("rebase", "-q", "main", "fix"), "git rebase --abort"),
        (("bisect", "start", "fix", "fix~2"), "git bisect reset"),
    ],
)
def test_another_branch_under_replay_is_refused(
    work: Repository, author: Author, start: tuple[str, ...], end: str
) -> None:
    author.commit()
    work.git("switch", "-qc", "fix")
    work.git(*start, code=None)
    work.git("add", "-A")  # a conflict is resolved before git lets anybody commit
    verdict = author.commit()
    assert verdict.findings == [".: one-task: this worktree belongs to task T1 (task/T1-x), and fix is being replayed"]
    assert end in verdict.fixes
    author.paste(end)
    author.paste(author.commit().fixes[-1])
    assert author.commit().findings == []


def test_a_second_worktree_of_the_task_is_refused_while_the_first_is_there(
    work: Repository, enter: Enter, author: Author, mended: Mended
) -> None:
    # TOP-17
    author.commit()
    work.git("worktree", "add", "-q", "-f", "../it's second", "task/T1-x")
    second = Repository(work.path.parent / "it's second")
    enter(second)
    assert mended() == f".: one-task: task T1 already has the worktree {work.path}"
    enter(second)
    second.git("worktree", "remove", "--force", str(work.path))
    assert author.commit().findings == []


@pytest.mark.parametrize("branch", ["feature", "feature/of-Ada's", "gr\u00fcn", "-".join(["long"] * 30), "release/1.0"])
def test_a_branch_that_names_no_task_is_renamed(shop: Repository, enter: Enter, mended: Mended, branch: str) -> None:
    # TOPO-07
    enter(shop.worktree(branch, "work"))
    finding = mended()
    assert finding.startswith(f".: one-task: {branch} names no task (task/{{id}}-{{slug}}, task/{{id}}")


def test_a_pattern_with_a_slug_alone_still_gives_a_name_that_fits(
    shop: Repository, enter: Enter, mended: Mended
) -> None:
    shop.write("groundrules.toml", f'{CONFIG}branches = ["work/{{id}}-{{slug}}"]\n')
    shop.commit("file")
    enter(shop.worktree("feature", "work"))
    assert "feature names no task" in mended()


def test_the_target_in_a_linked_worktree_is_kept_and_a_branch_made(
    shop: Repository, enter: Enter, mended: Mended
) -> None:
    shop.git("clone", "-q", "--bare", ".", "../shop.git")
    shop.git("worktree", "add", "-q", "../bare-main", "main", GIT_DIR=str(shop.path.parent / "shop.git"))
    work = Repository(shop.path.parent / "bare-main")
    enter(work)
    assert mended() == ".: one-task: main takes no commits of a worktree"
    assert work.git("branch", "--format=%(refname:short)").split() == ["main", "task/bare-main"]


def test_a_base_that_left_the_target_is_refused_and_the_rebase_works(
    shop: Repository, work: Repository, author: Author
) -> None:
    base = work.git("merge-base", "HEAD", "main")
    shop.git("commit", "-q", "--amend", "-m", "Rewrite the start of main")
    shop.git("reset", "-q", "--hard", shop.git("commit-tree", "-m", "Another root", f"{base}^{{tree}}"))
    head = work.git("rev-parse", "HEAD")
    change = Change((), Tree(head), commit=head, task="T1", branch="task/T1-x", base=base, target=("refs/heads/main",))
    (finding,) = check(change, Config({}))
    assert (finding.path, finding.message) == (".", f"its base {base[:7]} is not on main")
    author.paste(finding.fix)
    assert work.git("merge-base", "HEAD", "main") == shop.git("rev-parse", "main")
    assert list(check(change._replace(base=shop.git("rev-parse", "main")), Config({}))) == []
    assert list(check(change._replace(target=()), Config({}))) == []
