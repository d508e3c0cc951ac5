"""`task close` with a stack: what the task left running is stopped, its data deleted, everybody else's left alone."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from scaffolder.stack.conftest import MIGRATIONS, WEB, Site

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from scaffolder.conftest import Answer

    Run = Callable[..., Answer]

SQLITE = MIGRATIONS.replace("[stack]\n", '[stack]\ndatabase = "sqlite"\n')


def both_up(run: Run, site: Site) -> Path:
    """Bring up the main worktree and a task's; return the folder of the latter."""
    site.configure(SQLITE + WEB)
    assert run(site.path, "task", "start", "T1").code == 0
    linked = site.path.parent / "shop.T1"
    for where in (site.path, linked):
        answer = run(where, "up")
        assert answer.code == 0, answer.err
    return linked


def test_close_stops_the_stack_and_deletes_its_data(run: Run, site: Site) -> None:
    # TRD-02 DAT-14
    linked = both_up(run, site)
    assert os.path.exists(site.sqlite(1))
    closed = run(site.path, "task", "close", "T1")
    assert closed.code == 0, closed.err
    assert "✓ stopped       web\n" in closed.err
    assert not linked.exists()
    assert not os.path.exists(site.sqlite(1))
    assert site.living() == [site.pid("web")]
    assert os.path.exists(site.sqlite(0))


def test_close_that_is_refused_leaves_the_stack_up(run: Run, site: Site) -> None:
    linked = both_up(run, site)
    (linked / "work").write_text("mine\n")
    assert "not committed: work" in run(site.path, "task", "close", "T1").err
    assert site.pid("web", 1)


def test_close_of_a_folder_that_is_gone_stops_what_it_left(run: Run, site: Site) -> None:
    # TOP-07 TRD-11
    shutil.rmtree(both_up(run, site))
    closed = run(site.path, "task", "close", "T1")
    assert closed.code == 0, closed.err
    assert site.living() == [site.pid("web")]
    assert not os.path.exists(site.sqlite(1))
    assert os.path.exists(site.sqlite(0))


def test_close_after_git_removed_the_worktree_stops_what_it_left(run: Run, site: Site) -> None:
    # TRD-05 TRD-09
    linked = both_up(run, site)
    view = (linked / ".slot.env").read_text()
    private = view.partition("TASK_TMPDIR=")[2].partition("\n")[0]
    site.repository.git("worktree", "remove", "--force", str(linked))
    closed = run(site.path, "task", "close", "T1")
    assert closed.code == 0, closed.err
    assert f"✓ closed        task T1, whose worktree {linked} was removed\n" in closed.err
    assert site.living() == [site.pid("web")]
    assert [os.path.exists(path) for path in (site.sqlite(1), site.sqlite(0), private)] == [False, True, False]
    again = run(site.path, "task", "close", "T1")
    assert (again.code, "no worktree has the task T1" in again.err) == (2, True)


def test_close_leaves_alone_what_another_tasks_worktree_has_in_the_slot(run: Run, site: Site) -> None:
    site.repository.git("worktree", "remove", "--force", str(both_up(run, site)))
    assert run(site.path, "ps", "--all", "--stop").code == 0
    assert run(site.path, "task", "start", "T2").code == 0
    answer = run(site.path.parent / "shop.T2", "up")
    assert answer.code == 0, answer.err
    assert run(site.path, "task", "close", "T1").code == 2
    assert site.ask(site.web + 10)["data"] == [["1"]]


def test_slot_is_not_given_back_under_a_running_stack(run: Run, site: Site) -> None:
    linked = both_up(run, site)
    refused = run(linked, "slot", "release")
    assert (refused.code, "slot 1 has a stack that runs: web" in refused.err) == (2, True)
    run(linked, "down")
    assert run(linked, "slot", "release").code == 0
