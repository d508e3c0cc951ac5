"""guards: every executable in guards/ judges exactly the change, and can harm neither repository nor index."""

from __future__ import annotations

import os
import select
from typing import TYPE_CHECKING

import pytest

from groundrules_hooks.change import Change, Tree
from groundrules_hooks.config import Config
from groundrules_hooks.finding import Finding
from groundrules_hooks.rules import commit_size
from groundrules_hooks.rules.guards import check
from groundrules_hooks.worktree import locate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from conftest import Repository
    from hooks.rules.conftest import Author

    Enter = Callable[[Repository], None]


def guard(repository: Repository, name: str, script: str, mode: int = 0o755) -> None:
    repository.write(f"guards/{name}", f"#!/bin/sh\n{script}\n").chmod(mode)


@pytest.fixture(params=["main", "linked"])
def place(request: pytest.FixtureRequest, shop: Repository, enter: Enter) -> Repository:
    """The main worktree, and a linked one, where git names its repository to hooks in another way."""
    found = shop if request.param == "main" else shop.worktree("task/T1-x", "it's linked")
    enter(found)
    return found


def test_no_guards_is_no_finding(place: Repository, author: Author) -> None:
    assert author.commit().findings == []
    place.write("guards", "a file of that name\n")
    assert author.commit().findings == []


def test_guards_are_told_in_order_and_only_executable_files_run(place: Repository, author: Author) -> None:
    for name in ("20-b", "10-a", "30 c's"):
        guard(place, name, f'echo "{name}" >> ../ran; exit 1')
    guard(place, "00-text", "echo no >> ../ran", 0o644)
    guard(place, "folder/inner", "echo no >> ../ran")
    verdict = author.commit()
    assert [line.partition(": ")[0] for line in verdict.findings if not line.startswith(" ")] == [
        "guards/10-a:1",
        "guards/20-b:1",
        "guards/30 c's:1",
    ]
    assert sorted((place.path.parent / "ran").read_text().splitlines()) == ["10-a", "20-b", "30 c's"]
    for name in ("10-a", "20-b", "30 c's"):
        guard(place, name, "exit 0")
    for fix in verdict.fixes:
        author.paste(fix)
    assert author.commit().findings == []


def test_guards_work_beside_each_other(place: Repository, author: Author) -> None:
    os.mkfifo(place.path.parent / "told")
    guard(place, "10-waits", "timeout 20 sh -c 'read word <../told'")
    guard(place, "20-tells", "timeout 20 sh -c 'echo word >../told'")
    for number in range(30, 35):  # more than work at a time
        guard(place, f"{number}-last", f"echo {number} >>../ran")
    assert author.commit().findings == []
    assert sorted((place.path.parent / "ran").read_text().split()) == ["30", "31", "32", "33", "34"]


def test_guards_work_beside_other_rules(place: Repository, author: Author, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(place.path.parent / "told")
    told = os.open(place.path.parent / "told", os.O_RDONLY | os.O_NONBLOCK)
    guard(place, "tells", "echo word >../told")

    def other(*_: object) -> Iterator[Finding]:
        if not select.select([told], [], [], 20)[0]:
            yield Finding("other", ".", "no guard has begun", "")

    monkeypatch.setattr(commit_size, "check", other)
    assert author.commit().findings == []
    os.close(told)


def test_what_a_guard_says_is_shown_with_its_code_and_not_without_end(place: Repository, author: Author) -> None:
    guard(place, "loud", "seq 1 100; echo on stderr >&2; exit 3")
    findings = author.commit().findings
    assert findings[0] == "guards/loud:1: guards: ended with 3"
    assert findings[-2:] == ["    100", "    on stderr"]
    assert len(findings) == 21
    guard(place, "loud", "echo all is well; echo really >&2")
    assert author.commit().findings == []


@pytest.mark.parametrize(("script", "code"), [("kill -9 $$", "-9"), ("exit 127", "127"), ("read x || exit 4", "4")])
def test_a_guard_that_dies_or_reads_refuses_with_its_code(
    shop: Repository, enter: Enter, author: Author, script: str, code: str
) -> None:
    enter(shop)
    guard(shop, "odd", script)
    assert author.commit().findings == [f"guards/odd:1: guards: ended with {code}"]


def test_a_guard_whose_interpreter_is_missing_refuses(shop: Repository, enter: Enter, author: Author) -> None:
    enter(shop)
    shop.write("guards/lost", "#!/no/such/program\n").chmod(0o755)
    assert author.commit().findings == ["guards/lost:1: guards: cannot run: No such file or directory"]


@pytest.mark.parametrize("folder", [".", "docs"])
def test_a_guard_without_an_interpreter_is_a_script_of_the_shell(
    shop: Repository, author: Author, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    shop.write("docs/page.md")
    monkeypatch.chdir(shop.path / folder)
    shop.write("guards/plain", "echo said; exit 1\n").chmod(0o755)
    assert author.commit().findings == ["guards/plain:1: guards: ended with 1", "    said"]


def test_a_guard_stands_in_the_root_and_knows_base_and_tree(
    place: Repository, author: Author, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # ENV-01
    place.write("sub/new")
    place.git("add", "sub")
    guard(place, "look", f'printf "%s\\n" "$PWD" "$GROUNDRULES_BASE" "$GROUNDRULES_TREE" > "{tmp_path}/seen"')
    monkeypatch.chdir(place.path / "sub")
    assert author.commit().findings == []
    assert (tmp_path / "seen").read_text().splitlines() == [
        str(place.path),
        place.git("rev-parse", "HEAD"),
        place.git("write-tree"),
    ]


def test_before_the_first_commit_the_base_is_the_empty_tree(shop: Repository, enter: Enter, author: Author) -> None:
    enter(shop)
    shop.git("update-ref", "-d", "HEAD")
    guard(shop, "look", "git diff-tree -r --name-only $GROUNDRULES_BASE $GROUNDRULES_TREE; exit 1")
    assert author.commit().findings[1:] == ["    AGENTS.md", "    CLAUDE.md", "    groundrules.toml"]


STRAY = """
test -z "$GIT_DIR$GIT_INDEX_FILE$GIT_WORK_TREE$GIT_PREFIX$GIT_COMMON_DIR$GIT_CONFIG_PARAMETERS" || exit 9
cd "$(mktemp -d)"
git init -q inner && cd inner
git config core.bare false
touch made && git add made && git commit -q --no-verify -m 'Made by a guard'
git log --format=%s
exit 1
"""


def test_a_guard_that_makes_a_repository_leaves_the_real_one_alone(place: Repository) -> None:
    # ENV-04 WTC-02 WTC-08
    place.install_hooks()
    guard(place, "stray", STRAY)
    place.write("changed")
    place.git("add", "changed")
    refs = place.git("for-each-ref")
    config = place.git("config", "--list", "--local")
    head, index = place.git("rev-parse", "HEAD"), place.git("ls-files", "-s")
    said = place.git("-c", "core.abbrev=12", "commit", "-m", "Change", code=1)
    assert said.startswith("guards/stray:1: guards: ended with 1\n    Made by a guard\n")
    assert (place.git("for-each-ref"), place.git("config", "--list", "--local")) == (refs, config)
    assert (place.git("rev-parse", "HEAD"), place.git("ls-files", "-s")) == (head, index)


@pytest.mark.parametrize(
    ("arguments", "seen"),
    [
        (("committed",), ["committed"]),
        (("-o", "committed"), ["committed"]),
        (("-i", "committed"), ["committed", "staged"]),
        (("-a",), ["committed", "staged", "unstaged"]),
        ((), ["staged"]),
        (("--amend", "--no-edit"), ["staged"]),
    ],
)
def test_a_partial_commit_shows_the_guard_only_what_is_committed(
    hooked: Repository, tmp_path: Path, arguments: tuple[str, ...], seen: list[str]
) -> None:
    # WTC-03 CMT-04 CMT-05 CMT-06 CMT-09
    for name in ("committed", "staged", "unstaged"):
        hooked.write(name, "before\n")
    hooked.commit("file")
    look = f'git diff-tree -r --name-only "$GROUNDRULES_BASE" "$GROUNDRULES_TREE" > "{tmp_path}/seen"'
    guard(hooked, "look", f'{look}\ncp .git/index "{tmp_path}/index"')
    for name in ("committed", "staged", "unstaged"):
        hooked.write(name, b"after \xff\r\n")
    hooked.git("add", "staged")
    hooked.git("commit", "-q", "-m", "Change", *arguments)
    assert (tmp_path / "seen").read_text().split() == seen
    for name in ("committed", "staged", "unstaged"):
        assert (hooked.path / name).read_bytes() == b"after \xff\r\n"
    left = {"committed", "staged", "unstaged"} - set(seen)
    staged = {"staged"} & left
    assert set(hooked.git("diff", "--cached", "--name-only").split()) == staged
    assert set(hooked.git("diff", "--name-only").split()) == left - staged


def test_the_index_keeps_its_bytes_and_is_never_locked(place: Repository, author: Author) -> None:
    # CMT-04 CMT-09
    guard(place, "look", 'git diff-tree --quiet "$GROUNDRULES_BASE" "$GROUNDRULES_TREE"; test $? = 1')
    for number in range(20):
        place.write(f"deep/{number}/file")
    place.git("add", "-A")  # the tree of `deep` is not in the index yet
    index = place.path / place.git("rev-parse", "--git-path", "index")
    before = (index.read_bytes(), index.stat().st_ino, index.stat().st_mtime_ns)
    names = sorted(os.listdir(index.parent))
    (index.parent / "index.lock").write_text("held by another git\n")
    assert author.commit().findings == []
    assert (index.read_bytes(), index.stat().st_ino, index.stat().st_mtime_ns) == before
    assert set(os.listdir(index.parent)) - set(names) <= {"index.lock", "groundrules"}


def test_in_a_range_the_guard_gets_the_tree_of_the_head(shop: Repository, enter: Enter) -> None:
    enter(shop)
    base = shop.git("rev-parse", "HEAD")
    guard(shop, "look", 'echo "$GROUNDRULES_BASE"; git rev-parse "$GROUNDRULES_TREE"; exit 1')
    head = shop.commit("file")
    tree = Tree(shop.git("rev-parse", f"{head}^{{tree}}"))
    change = Change((), tree, commit=head, base=base, worktree=locate())
    (finding,) = check(change, Config({}))
    assert (finding.path, finding.commit) == ("guards/look", head)
    assert finding.message.split() == ["ended", "with", "1", base, shop.git("rev-parse", "HEAD^{tree}")]
    assert list(check(change._replace(worktree=None), Config({}))) == []
