"""Prediction: what git says of many pairs at once, the same on every machine, and never clean where it cannot tell."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import ROOT, Repository
from groundrules_hooks.prediction import (
    BEHIND_CLEAN,
    BEHIND_OVERLAP,
    CONFLICT,
    FRESH,
    UNKNOWN,
    Merge,
    Prediction,
    merges,
    predict,
)
from groundrules_hooks.trial import Trial

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


ABSENT = "1" * 40
LINES = "a\nb\nc\nd\ne\nf\ng\n"


class Fork(NamedTuple):
    """A repository with a base commit, and commits that each start there."""

    shop: Repository
    base: str

    def commit(self, content: dict[str, str | None]) -> str:
        """Commit files on top of the base, None for one that is deleted; return the id."""
        self.shop.git("checkout", "-q", "--detach", self.base)
        for name, text in content.items():
            if text is None:
                self.shop.git("rm", "-q", name)
            else:
                self.shop.write(name, text)
        self.shop.git("add", "-A")
        self.shop.git("commit", "-q", "--allow-empty", "-m", "Change")
        return self.shop.git("rev-parse", "HEAD")


@pytest.fixture
def fork(shop: Repository, enter: Callable[[Repository], None]) -> Fork:
    enter(shop)
    shop.write("d/q", "q\n")
    shop.write("g", "g\n")
    return Fork(shop, shop.commit("f", LINES))


def predicted(fork: Fork, ours: str, *theirs: str, scope: tuple[str, ...] = ()) -> list[Prediction]:
    with Trial(str(fork.shop.path / ".git"), ours) as trial:
        return predict(trial, ours, theirs, scope)


def paths(found: Prediction) -> list[tuple[str, str]]:
    return [(each.path, each.kind) for each in found.paths]


TOP = LINES.replace("a", "ours")


@pytest.mark.parametrize(
    ("theirs", "state", "expected"),
    [
        ({}, FRESH, []),
        ({"f": TOP}, FRESH, []),  # the same change brings nothing
        ({"g": "theirs\n"}, BEHIND_CLEAN, []),
        ({"new": "theirs\n"}, BEHIND_CLEAN, []),
        ({"f": LINES.replace("g", "theirs")}, BEHIND_OVERLAP, [("f", "both changed")]),  # MERGE-09
        ({"f": LINES.replace("a", "theirs")}, CONFLICT, [("f", "contents")]),
        ({"f": None}, CONFLICT, [("f", "modify/delete")]),
        ({"g": None, "f": LINES.replace("g", "x"), "n": "n\n"}, BEHIND_OVERLAP, [("f", "both changed")]),
    ],
)
def test_state_of_a_pair(
    fork: Fork, theirs: dict[str, str | None], state: str, expected: list[tuple[str, str]]
) -> None:
    (found,) = predicted(fork, fork.commit({"f": TOP}), fork.commit(theirs))
    assert (found.state, paths(found)) == (state, expected)


def test_tree_of_a_clean_merge_is_the_one_that_git_makes(fork: Fork) -> None:
    ours, theirs = fork.commit({"f": TOP}), fork.commit({"g": "theirs\n"})
    (found,) = predicted(fork, ours, theirs)
    fork.shop.git("checkout", "-q", "--detach", ours)
    fork.shop.git("merge", "-q", "-m", "Merge", theirs)
    assert found.tree == fork.shop.git("rev-parse", "HEAD^{tree}")


def test_moved_file_that_the_other_side_changed_overlaps_under_its_new_name(fork: Fork) -> None:
    ours = fork.commit({"f": TOP})
    theirs = fork.commit({"f": None, "moved": LINES})
    (found,) = predicted(fork, ours, theirs)
    assert (found.state, paths(found)) == (BEHIND_OVERLAP, [("moved", "both changed")])


def test_what_the_contract_declares_overlaps_though_nothing_there_was_changed(fork: Fork) -> None:
    ours, theirs = fork.commit({"f": TOP}), fork.commit({"g": "theirs\n", "d/new": "theirs\n"})
    (found,) = predicted(fork, ours, theirs, scope=("d/**", "f"))
    assert (found.state, paths(found)) == (BEHIND_OVERLAP, [("d/new", "declared")])


# MERGE-01
def test_unrelated_histories_are_unknown_and_those_behind_them_are_judged(fork: Fork) -> None:
    ours = fork.commit({"f": TOP})
    clean, clash = fork.commit({"g": "theirs\n"}), fork.commit({"f": LINES.replace("a", "theirs")})
    fork.shop.git("checkout", "-q", "--orphan", "elsewhere")
    unrelated = fork.shop.commit("f")
    found = predicted(fork, ours, clean, unrelated, ABSENT, clash, unrelated)
    assert [each.state for each in found] == [BEHIND_CLEAN, UNKNOWN, UNKNOWN, CONFLICT, UNKNOWN]
    assert found[1].reason == "refusing to merge unrelated histories"
    assert ABSENT in found[2].reason


def test_damaged_repository_is_unknown_never_clean(fork: Fork) -> None:
    ours, theirs = fork.commit({"f": TOP}), fork.commit({"f": LINES.replace("g", "theirs")})
    blob = fork.shop.git("rev-parse", f"{theirs}:f")
    (fork.shop.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    (found,) = predicted(fork, ours, theirs)
    assert found.state == UNKNOWN
    assert blob in found.reason


# BAS-05
def test_git_that_cannot_write_merged_trees_is_unknown(
    fork: Fork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = fork.commit({"f": TOP}), fork.commit({"g": "theirs\n"})
    real = subprocess.run(["which", "git"], capture_output=True, text=True, check=True).stdout.strip()
    older = tmp_path / "older" / "git"
    older.parent.mkdir()
    older.write_text(
        f'#!/bin/sh\ncase "$*" in *merge-tree*) echo "usage: git merge-tree <base> <a> <b>" >&2; exit 129;; esac\n'
        f'exec {real} "$@"\n'
    )
    older.chmod(0o755)
    monkeypatch.setenv("PATH", f"{older.parent}{os.pathsep}{os.environ['PATH']}")
    assert predicted(fork, ours, theirs) == [Prediction(UNKNOWN, reason="usage: git merge-tree <base> <a> <b>")]


# MERGE-03, MERGE-04, MERGE-05, MERGE-06
@pytest.mark.parametrize(
    "setting",
    [
        "merge.directoryRenames=true",
        "merge.directoryRenames=false",
        "merge.conflictStyle=diff3",
        "merge.renames=false",
        "merge.renameLimit=1",
        "merge.renormalize=true",
        ".gitattributes",
        "info/attributes",
        "core.attributesFile",
    ],
)
def test_no_setting_of_the_machine_changes_a_verdict(fork: Fork, monkeypatch: pytest.MonkeyPatch, setting: str) -> None:
    ours = fork.commit({"d/q": None, "e/q": "q\n", "f": TOP})
    clash = fork.commit({"f": LINES.replace("a", "theirs")})
    placed = fork.commit({"d/new": "theirs\n"})
    before = predicted(fork, ours, clash, placed)
    assert [paths(each) for each in before] == [
        [("f", "contents")],
        [("d/new", "directory rename suggested"), ("e/new", "directory rename suggested")],
    ]
    union = "f merge=union\nd/new -merge\n"
    if setting.startswith((".git", "info", "core")):
        place = {".gitattributes": ".gitattributes", "info/attributes": ".git/info/attributes"}
        path = fork.shop.write(place.get(setting, "my-attributes"), union)
        setting = f"core.attributesFile={path}" if setting.startswith("core") else "core.pager=cat"
    name, _, value = setting.partition("=")
    fork.shop.git("config", name, value)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", name)
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", value)
    assert predicted(fork, ours, clash, placed) == before


def test_attributes_in_the_home_do_not_count(fork: Fork) -> None:
    ours, clash = fork.commit({"f": TOP}), fork.commit({"f": LINES.replace("a", "theirs")})
    folder = os.path.join(os.environ["HOME"], ".config", "git")
    os.makedirs(folder)
    with open(os.path.join(folder, "attributes"), "w", encoding="utf-8") as file:
        file.write("f merge=union\n")
    assert predicted(fork, ours, clash)[0].state == CONFLICT


# MERGE-13
def test_index_and_objects_of_the_repository_stay_as_they_are(fork: Fork, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = fork.commit({"f": TOP}), fork.commit({"f": LINES.replace("a", "theirs"), "g": "theirs\n"})
    index = fork.shop.path / ".git" / "index"
    before = index.read_bytes(), fork.shop.git("count-objects", "-v")
    monkeypatch.setenv("GIT_INDEX_FILE", str(index))
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    assert predicted(fork, ours, theirs)[0].state == CONFLICT
    monkeypatch.delenv("GIT_DIR")
    assert (index.read_bytes(), fork.shop.git("count-objects", "-v")) == before


def test_nothing_is_left_behind_even_of_a_killed_process(fork: Fork) -> None:
    state = fork.shop.path / ".git" / "groundrules"
    predicted(fork, fork.base, fork.base)
    assert list(state.iterdir()) == []
    code = f"""
import os
from groundrules_hooks.trial import Trial
with Trial({str(fork.shop.path / ".git")!r}, "0") as trial:
    trial.git("hash-object", "-w", "--stdin", stdin=b"x")
    os.kill(os.getpid(), 9)
"""
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": "hooks"}, cwd=ROOT, check=False)
    (left,) = state.iterdir()
    predicted(fork, fork.base, fork.base)
    assert list(state.iterdir()) == [left]  # another process may be at work in it
    os.utime(left, (0, 0))
    predicted(fork, fork.base, fork.base)
    assert list(state.iterdir()) == []


def test_sha256_repository(tmp_path: Path, enter: Callable[[Repository], None]) -> None:
    subprocess.run(["git", "init", "-q", "--object-format=sha256", str(tmp_path / "new")], check=True)
    shop = Repository(tmp_path / "new")
    enter(shop)
    fork = Fork(shop, shop.commit("f", LINES))
    ours, theirs = fork.commit({"f": TOP}), fork.commit({"f": LINES.replace("g", "x")})
    assert predicted(fork, ours, theirs)[0].state == BEHIND_OVERLAP


def test_shallow_clone(fork: Fork, tmp_path: Path) -> None:
    fork.shop.git("branch", "ours", fork.commit({"f": TOP}))
    fork.shop.git("branch", "theirs", fork.commit({"g": "theirs\n"}))
    fork.shop.git("branch", "-f", "main", "ours")  # else the clone gets the parent of the base by it
    fork.shop.git("clone", "-q", "--depth=2", "--no-single-branch", f"file://{fork.shop.path}", str(tmp_path / "clone"))
    clone = Repository(tmp_path / "clone")
    assert clone.git("rev-parse", "--is-shallow-repository") == "true"
    ends = [clone.git("rev-parse", f"origin/{name}") for name in ("ours", "theirs")]
    assert predicted(Fork(clone, ""), *ends)[0].state == BEHIND_CLEAN


ODD = ["plain", "with space", "new\nline", 'quote"d', "tab\tbed", "ünï", "\udce9", "1 2", "CONFLICT (contents)"]


# MERGE-02
@settings(max_examples=10, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(
    sides=st.lists(
        st.dictionaries(st.sampled_from(ODD), st.sampled_from(["1\n", "2\n", "3\n"]), max_size=4), max_size=6
    ),
    ours=st.dictionaries(st.sampled_from(ODD), st.sampled_from(["1\n", "2\n"]), min_size=1, max_size=4),
)
def test_batch_equals_single_merges_and_a_comparison_by_hand(
    fork: Fork, ours: dict[str, str], sides: list[dict[str, str]]
) -> None:
    mine, theirs = fork.commit({**ours}), [fork.commit({**side}) for side in sides]
    found = predicted(fork, mine, *theirs)
    for each, commit, side in zip(found, theirs, sides, strict=True):
        assert [each] == predicted(fork, mine, commit)
        clash = sorted(name for name in side if ours.get(name, side[name]) != side[name])
        expected = CONFLICT if clash else BEHIND_CLEAN if set(side) - set(ours) else FRESH
        assert (each.state, [path for path, _ in paths(each)]) == (expected, clash)


def test_answer_that_git_did_not_finish_is_no_verdict(
    fork: Fork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = fork.commit({"f": TOP}), fork.commit({"f": LINES.replace("a", "theirs")})
    git = tmp_path / "cut" / "git"
    git.parent.mkdir()
    git.write_text("#!/bin/sh\nprintf '0\\000%s\\000100644 blob 1\\tf\\000' 1234\nexit 137\n")
    git.chmod(0o755)
    with Trial(str(fork.shop.path / ".git"), ours) as trial:
        monkeypatch.setenv("PATH", f"{git.parent}{os.pathsep}{os.environ['PATH']}")
        assert merges(trial, [(ours, theirs)]) == [Merge(reason="git said nothing")]
