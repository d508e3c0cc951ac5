"""The range of the gate: where it starts when the base is odd, and the guards on a head that is not checked out."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT, Repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from scaffolder.conftest import Answer

ZEROS = "0" * 40
GUARD = '#!/bin/sh\ntest "$(git show $GROUNDRULES_TREE:file)" != bad || { echo file:1: it is bad; exit 1; }\n'


def commits(answer: Answer) -> list[str]:
    """Return the commits that a JSON answer finds something wrong with."""
    return [row["commit"] for row in json.loads(answer.out)["findings"]]


@pytest.fixture
def history(shop: Repository) -> tuple[Repository, str, str]:
    """A branch of no task with one bad commit that is on main, and one that is not."""
    shared = shop.commit("a", message="wip")
    shop.git("switch", "-q", "-c", "cart")
    return shop, shared, shop.commit("b", message="wip")


@pytest.mark.parametrize("base", ["", "main", "refs/heads/main", ZEROS, "f" * 40])
def test_base_that_is_absent_or_gone_becomes_the_merge_base(
    run: Callable[..., Answer], history: tuple[Repository, str, str], base: str
) -> None:
    # PSH-06, PSH-07
    shop, _, own = history
    said = run(shop, "gate", "--format", "json", "--base", base)
    assert commits(said) == [own]
    assert ("is not known here; judged from the target branch" in said.err) == (base.strip("0f") == "" != base)


@pytest.mark.parametrize("base", ["fffffff", "feed", "mian"])
def test_base_that_is_mistyped_is_refused(
    run: Callable[..., Answer], history: tuple[Repository, str, str], base: str
) -> None:
    said = run(history[0], "gate", "--base", base)
    assert said.code == 2
    assert f"{base} is no commit here" in said.err


def test_base_is_where_the_branch_left_and_not_the_tip(
    run: Callable[..., Answer], history: tuple[Repository, str, str]
) -> None:
    shop, shared, own = history
    shop.git("switch", "-q", "main")
    shop.commit("c", message="wip")
    assert commits(run(shop, "gate", "--format", "json", "--base", "main", "--head", "cart")) == [own]
    assert commits(run(shop, "gate", "--format", "json", "--base", f"{shared}~1", "--head", "cart")) == [own], (
        "merged already"
    )


def test_push_of_the_target_itself_is_judged_from_what_it_was(run: Callable[..., Answer], shop: Repository) -> None:
    before = shop.git("rev-parse", "HEAD")
    pushed = [shop.commit("a", message="wip"), shop.commit("b", message="wip")]
    shop.git("update-ref", "refs/remotes/origin/main", pushed[-1])
    assert commits(run(shop, "gate", "--format", "json", "--base", before)) == pushed


@pytest.mark.parametrize("stale", [False, True])
def test_merge_of_the_target_adds_none_of_its_commits(
    run: Callable[..., Answer], history: tuple[Repository, str, str], *, stale: bool
) -> None:
    # MSG-03; a forge goes on naming the base that the target had when the branch was first seen
    shop, shared, own = history
    shop.git("switch", "-q", "main")
    shop.commit("c", message="wip\n\nTask: T9")
    shop.git("switch", "-q", "cart")
    shop.git("merge", "-q", "--no-ff", "-m", "m" * 80, "main")
    assert commits(run(shop, "gate", "--format", "json", "--base", shared if stale else "main")) == [own]


def test_unrelated_history_is_refused_and_never_judged_in_part(run: Callable[..., Answer], shop: Repository) -> None:
    root = shop.git("rev-parse", "HEAD")
    shop.git("switch", "-q", "--orphan", "fresh")
    shop.git("checkout", "-q", "main", "--", ".")
    shop.git("commit", "-q", "-m", "wip")
    code, out, err = run(shop, "gate", "--base", root)
    assert (code, out) == (2, "")
    assert "have no common commit here" in err


def test_repository_without_the_target_asks_for_a_base(run: Callable[..., Answer], shop: Repository) -> None:
    shop.git("branch", "-m", "main", "other")
    code, _, err = run(shop, "gate")
    assert code == 2
    assert err.rstrip().endswith("groundrules gate --base REF")
    assert run(shop, "gate", "--base", "HEAD").code == 0


@pytest.mark.parametrize("end", ["head", "base"])
@pytest.mark.parametrize("ref", ["nothing", "--all", "HEAD:AGENTS.md"])
def test_name_that_is_no_commit_is_refused(run: Callable[..., Answer], shop: Repository, ref: str, end: str) -> None:
    code, out, err = run(shop, "gate", f"--{end}={ref}")
    assert (code, out) == (2, "")
    assert err.startswith(f"groundrules: {ref} is no commit here")


def test_shallow_clone_says_how_to_deepen(run: Callable[..., Answer], history: tuple[Repository, str, str]) -> None:
    shop, _, _ = history
    clone = Repository(shop.path.parent / "clone")
    shop.git("clone", "-q", "--depth=1", "--no-single-branch", f"file://{shop.path}", str(clone.path))
    code, out, err = run(clone, "gate", "--base", "origin/main")
    assert (code, out) == (2, "")
    assert "have no common commit here" in err
    assert err.rstrip().endswith("git fetch --unshallow")
    clone.git("fetch", "-q", "--unshallow")
    assert run(clone, "gate", "--base", "origin/main").code == 1


def test_bare_repository_is_judged_guards_included(run: Callable[..., Answer], shop: Repository) -> None:
    # PSH-11
    add_guard(shop)
    shop.git("switch", "-q", "-c", "cart")
    head = shop.commit("file", "bad\n")
    bare = Repository(shop.path.parent / "bare.git")
    shop.git("clone", "-q", "--bare", str(shop.path), str(bare.path))
    said = run(bare, "gate", "--head", "cart", "--format", "json")
    assert [(row["rule"], row["commit"]) for row in json.loads(said.out)["findings"]] == [("guards", head)]
    assert bare.git("worktree", "list").count("\n") == 0


def add_guard(repository: Repository) -> None:
    """Commit a guard that refuses a tree whose `file` says that it is bad."""
    repository.write("guards/file-is-good", GUARD).chmod(0o755)
    repository.commit("file", "good\n")


def test_guards_of_the_head_run_on_its_files_and_leave_nothing_behind(
    run: Callable[..., Answer], shop: Repository, tmp_path: Path
) -> None:
    hook = shop.path / ".git/hooks/post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    shop.git("switch", "-q", "-c", "cart")
    shop.write("guards/on-disk", "#!/bin/sh\necho file:1: $(cat file) on disk\nexit 1\n").chmod(0o755)
    head = shop.commit("file", "bad\n")
    shop.git("switch", "-q", "main")
    (tmp_path / "ran").unlink()
    before = sorted(os.listdir(shop.path))
    said = run(shop, "gate", "--head", "cart")
    assert said.code == 1
    assert f"guards/on-disk:1: guards: {head[:10]}: ended with 1\n    file:1: bad on disk\n" in said.out
    assert shop.git("worktree", "list").count("\n") == 0
    assert shop.git("branch", "--show-current") == "main"
    assert sorted(os.listdir(shop.path)) == before
    assert not (tmp_path / "ran").exists(), "no hook ran in the throw-away worktree"


def test_many_gates_at_once_do_not_stumble_over_each_other(shop: Repository) -> None:
    # SLT-06: git fails on the entry of a worktree that another process is just making
    add_guard(shop)
    shop.git("switch", "-q", "-c", "cart")
    shop.commit("other")
    shop.git("switch", "-q", "main")
    env = {**os.environ, "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder"}
    argv = [sys.executable, "-m", "groundrules", "gate", "--head", "cart"]
    running = [subprocess.Popen(argv, cwd=shop.path, env=env, stderr=subprocess.PIPE) for _ in range(8)]
    ended = [(process.communicate()[1], process.returncode) for process in running]
    assert [code for _, code in ended] == [0] * 8, ended
    assert shop.git("worktree", "list").count("\n") == 0


@pytest.mark.parametrize(("failures", "code"), [(3, 0), (999, 2)])
def test_half_made_entry_of_another_process_is_waited_for_but_not_for_ever(
    run: Callable[..., Answer],
    shop: Repository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    failures: int,
    code: int,
) -> None:
    # SLT-06: git as it is, but for its first looks at the list of worktrees
    add_guard(shop)
    shop.git("switch", "-q", "--detach", "main~1")
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin/git"
    script.write_text(f"""#!/bin/sh
test "$1" = worktree || exec {shutil.which("git")} "$@"
echo >>{tmp_path}/looks
test $(wc -l <{tmp_path}/looks) -gt {failures} && exec {shutil.which("git")} "$@"
echo "fatal: failed to read .git/worktrees/tree/commondir: Success" >&2
exit 128
""")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin{os.pathsep}{os.environ['PATH']}")
    said = run(shop, "gate", "--head", "main")
    assert said.code == code, said.err
    assert ("commondir" in said.err) == (code == 2)


def test_guards_judge_the_commit_and_not_an_edit_on_disk(run: Callable[..., Answer], shop: Repository) -> None:
    add_guard(shop)
    shop.write("file", "bad\n")
    shop.git("add", "-A")
    assert run(shop, "gate").code == 0
    shop.git("commit", "-q", "-m", "Make it bad")
    shop.write("file", "good\n")
    shop.write("guards/file-is-good", "#!/bin/sh\nexit 0\n")
    assert run(shop, "gate", "--base", "HEAD").code == 1
    assert shop.git("worktree", "list").count("\n") == 0


def test_guard_that_a_commit_allows_passes(run: Callable[..., Answer], shop: Repository) -> None:
    add_guard(shop)
    shop.git("switch", "-q", "-c", "cart")
    shop.commit("file", "bad\n", "Make it bad\n\nGround-rules-allow: guards (bad on purpose)")
    said = run(shop, "gate")
    assert (said.code, said.out) == (0, "")
    assert "was allowed guards: bad on purpose" in said.err


def test_linked_worktree_of_another_branch_judges_the_same(
    run: Callable[..., Answer], history: tuple[Repository, str, str]
) -> None:
    shop, _, own = history
    sibling = shop.worktree("task/T2-other")
    assert commits(run(sibling, "gate", "--format", "json", "--base", "main", "--head", "cart")) == [own]
