"""change: what a commit does is read exactly, whatever names, kinds of entry and repositories there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conftest import Repository
from groundrules_hooks.change import Change, parse_raw, staged
from groundrules_hooks.history import commits
from groundrules_hooks.worktree import Worktree, locate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ODD = [
    "a b",
    " lead",
    "trail ",
    'quo"te',
    "apo'strophe",
    "new\nline",
    "tab\there",
    "back\\slash",
    "gr\u00fc\u00dfe",
    "latin-\udce9",
    "x b/y",
    ":colon",
    ":(glob)*",
    "-dash",
    "*star?[x]",
    "x blob",
    "...",
    "deep/er/down",
]


def here() -> Worktree:
    found = locate()
    assert found is not None
    return found


def kinds(change: Change) -> list[tuple[str, str, str]]:
    return sorted((file.status, file.old, file.path) for file in change.files)


@pytest.fixture
def inside(shop: Repository, enter: Callable[[Repository], None]) -> Repository:
    enter(shop)
    return shop


def test_odd_names_are_read_as_they_are_on_disk(inside: Repository) -> None:
    # FIL-01 FIL-02 FIL-03
    for name in ODD:
        inside.write(name, f"of {name}")
    inside.git("add", "-A")
    expected = {name: f"of {name}".encode("utf-8", "surrogateescape") for name in ODD}
    change = staged(here(), None)
    assert change.paths == set(ODD)
    assert change.tree.read(*ODD) == expected
    assert change.tree.has(*ODD) == set(ODD)
    inside.commit()
    (change,) = commits("HEAD", ["HEAD~1"])
    assert change.paths == {*ODD, "file"}
    assert change.tree.read(*ODD) == expected
    assert change.tree.has(*ODD) == set(ODD)
    assert set(ODD) <= set(change.tree.files())


@pytest.mark.parametrize("old", ["plain", "odd\tna\nme", ":moved"])
def test_a_rename_keeps_the_records_behind_it_aligned(inside: Repository, old: str) -> None:
    # FIL-04
    inside.commit(old, "".join(f"line {number}\n" for number in range(20)))
    inside.git("mv", "--", f"./{old}", "zz moved")
    inside.write("zzz after")
    inside.git("add", "-A")
    expected = [("A", "zzz after", "zzz after"), ("R", old, "zz moved")]
    assert kinds(staged(here(), None)) == expected
    assert staged(here(), None).paths == {old, "zz moved", "zzz after"}
    inside.commit("file")
    assert expected[1] in kinds(commits("HEAD", ["HEAD~1"])[0])


def test_a_copy_record_has_two_paths_too() -> None:
    modes = "100644 100644 " + " ".join(["1" * 40] * 2)
    raw = f":{modes} C100\0from\0to\0:{modes} M\0:odd\0".encode()
    assert [(file.status, file.old, file.path) for file in parse_raw(iter(raw.split(b"\0")))] == [
        ("C", "from", "to"),
        ("M", ":odd", ":odd"),
    ]


def test_lines_are_counted_for_each_file_whatever_its_name(inside: Repository) -> None:
    # FIL-04
    inside.commit("moved", "".join(f"line {number}\n" for number in range(20)))
    inside.git("mv", "moved", "to\there\t")
    (inside.path / "to\there\t").write_text("".join(f"line {number}\n" for number in range(3, 21)))
    for name in ODD:
        inside.write(name, "a\nb\n")
    inside.write("binary", b"\0\1\n\2")
    inside.git("add", "-A")
    expected = {**dict.fromkeys(ODD, (2, 0)), "to\there\t": (1, 3), "binary": (0, 0)}
    assert staged(here(), None).lines == expected
    inside.commit("last")
    (first, *_, last) = commits("HEAD", ["HEAD~2"])
    assert last.lines == {**expected, "last": (1, 0)}
    assert first.lines == {"moved": (20, 0)}


def test_contents_are_those_before_and_after(inside: Repository) -> None:
    inside.commit("changed", "old\n")
    inside.commit("gone", "gone\n")
    (inside.path / "gone").unlink()
    inside.write("changed", "new\n")
    inside.write("added", b"")
    (inside.path / "link").symlink_to("changed")
    head = inside.git("rev-parse", "HEAD")
    inside.git("add", "-A")
    inside.git("update-index", "--add", "--cacheinfo", f"160000,{head},module")
    change = staged(here(), None)
    assert dict(zip([file.path for file in change.files], change.contents(change.files), strict=True)) == {
        "changed": (b"old\n", b"new\n"),
        "gone": (b"gone\n", None),
        "added": (None, b""),
        "link": (None, b"changed"),
        "module": (None, None),
    }
    assert list(change.contents([])) == []


def test_every_kind_of_entry_has_its_letter_and_mode(inside: Repository) -> None:
    for name in ("gone", "mode", "type", "target"):
        inside.write(name, f"{name}\n" * 9)
    inside.commit("binary", bytes(range(256)))
    head = inside.git("rev-parse", "HEAD")
    (inside.path / "gone").unlink()
    (inside.path / "mode").chmod(0o755)
    (inside.path / "type").unlink()
    (inside.path / "type").symlink_to("target")
    (inside.path / "link").symlink_to("nowhere at all")
    inside.write("binary", bytes(255))
    inside.git("add", "-A")
    inside.git("update-index", "--add", "--cacheinfo", f"160000,{head},module")
    found = {file.path: (file.status, file.old_mode, file.new_mode) for file in staged(here(), None).files}
    assert found == {
        "gone": ("D", "100644", "000000"),
        "mode": ("M", "100644", "100755"),
        "type": ("T", "100644", "120000"),
        "link": ("A", "000000", "120000"),
        "binary": ("M", "100644", "100644"),
        "module": ("A", "000000", "160000"),
    }
    tree = staged(here(), None).tree
    assert tree.read("link", "module", "binary") == {"link": b"nowhere at all", "binary": bytes(255)}
    assert tree.has("module", "link", "gone") == {"module", "link"}


def test_a_submodule_counts_although_its_settings_hide_it(inside: Repository) -> None:
    head = inside.git("rev-parse", "HEAD")
    inside.write(".gitmodules", '[submodule "m"]\n\tpath = m\n\turl = ./m\n\tignore = all\n')
    inside.git("update-index", "--add", "--cacheinfo", f"160000,{head},m")
    assert "m" in staged(here(), None).paths
    inside.git("commit", "-qm", "Add a module")
    assert "m" in commits("HEAD", ["HEAD~1"])[0].paths


def test_before_the_first_commit_everything_is_added(tmp_path: Path, enter: Callable[[Repository], None]) -> None:
    for form in ("sha1", "sha256"):
        (tmp_path / form).mkdir()
        fresh = Repository(tmp_path / form)
        fresh.git("init", "-q", "--object-format", form)
        fresh.write("first")
        fresh.git("add", "-A")
        enter(fresh)
        assert kinds(staged(here(), None)) == [("A", "first", "first")]
        oid = fresh.commit("first")
        (root,) = commits("HEAD", [])
        assert (root.commit, root.parents, kinds(root)) == (oid, 0, [("A", "first", "first")])
        assert root.tree.read("first", "second") == {"first": b"content\n"}


def test_commits_come_oldest_first_and_a_merge_shows_what_it_brought(inside: Repository) -> None:
    start = inside.git("rev-parse", "HEAD")
    inside.git("switch", "-qc", "side")
    side = inside.commit("side")
    inside.git("switch", "-q", "main")
    inside.git("merge", "-q", "--no-ff", "-m", "Merge the side", "side")
    last = inside.commit("last", message="Last\n\nwith a body\n")
    found = commits("HEAD", [start])
    assert [(change.commit, change.parents) for change in found] == [
        (side, 1),
        (inside.git("rev-parse", "HEAD~1"), 2),
        (last, 1),
    ]
    assert [sorted(change.paths) for change in found] == [["side"], ["side"], ["last"]]
    assert found[2].message == "Last\n\nwith a body\n"
    assert side not in [change.commit for change in commits("HEAD", [start, side])]
    assert commits("HEAD", ["HEAD"]) == []


def test_a_bare_repository_is_read_like_any_other(inside: Repository, enter: Callable[[Repository], None]) -> None:
    # PSH-11
    oid = inside.commit("docs/page.md", "text\n")
    inside.git("clone", "-q", "--bare", ".", "../bare.git")
    enter(Repository(inside.path.parent / "bare.git"))
    (change,) = commits(oid, [f"{oid}~1"])
    assert kinds(change) == [("A", "docs/page.md", "docs/page.md")]
    assert change.tree.has("docs", "docs/page.md", "docs/none") == {"docs", "docs/page.md"}


def test_messages_are_decoded_by_the_encoding_that_the_commit_records(inside: Repository) -> None:
    # MSG-10
    inside.write("m", "Gr\u00fc\u00dfe\n".encode("latin-1"))
    for encoding in ("latin-1", "utf-8", "no-such-code"):
        inside.git("-c", f"i18n.commitEncoding={encoding}", "commit", "-q", "--allow-empty", "-F", "m")
    inside.git("config", "i18n.logOutputEncoding", "latin-1")
    found = [change.message for change in commits("HEAD", ["HEAD~3"])]
    # git itself mends what is no UTF-8 in a commit that claims it.
    assert found == ["Gr\u00fc\u00dfe\n", "Gr\u00fc\u00dfe\n", "Gr\udcfc\udcdfe\n"]


def test_settings_of_the_user_change_nothing(inside: Repository) -> None:
    inside.commit("a", "text\n" * 9)
    inside.git("mv", "a", "b")
    plain = staged(here(), None).files
    for key, value in {
        "diff.renames": "false",
        "diff.noprefix": "true",
        "diff.relative": "true",
        "color.ui": "always",
        "color.diff": "always",
        "log.showSignature": "true",
        "log.decorate": "full",
        "format.pretty": "oneline",
        "diff.external": "false",
        "diff.ignoreSubmodules": "all",
        "diff.orderFile": str(inside.path / "order"),
        "log.showRoot": "false",
        "log.diffMerges": "off",
        "log.follow": "true",
        "core.abbrev": "4",
    }.items():
        inside.git("config", key, value)
    inside.write("order", "c\nb\na\n")
    assert staged(here(), None).files == plain
    inside.commit("c")
    inside.git("switch", "-q", "--orphan", "root")
    inside.commit("d")
    inside.git("merge", "-q", "--no-edit", "--allow-unrelated-histories", "main")
    shown = {change.parents: change for change in commits("HEAD", ["main~1"])}
    assert ("R", "a", "b") in kinds(shown[1])
    assert [file.path for file in shown[1].files] == ["b", "c", "order"]
    assert (kinds(shown[0]), len(shown[2].files)) == ([("A", "d", "d")], len(inside.git("ls-files").split()) - 1)


def test_an_index_of_its_own_is_the_one_that_is_read(inside: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    # CMT-04
    inside.git("read-tree", "HEAD", GIT_INDEX_FILE="other")
    inside.write("staged")
    inside.git("add", "staged")
    monkeypatch.setenv("GIT_INDEX_FILE", str(inside.path / "other"))
    assert staged(here(), None).files == ()
    assert "staged" not in staged(here(), None).tree.files()


def test_of_a_merge_in_progress_what_a_person_changed_is_the_change(inside: Repository) -> None:
    inside.commit("shared", "old\n")
    inside.git("switch", "-qc", "side")
    inside.commit("shared", "theirs\n")
    inside.commit("theirs")
    inside.git("switch", "-q", "main")
    inside.commit("shared", "ours\n")
    inside.git("merge", "-q", "side", code=1)
    inside.write("shared", "both\n")
    inside.write("added", "by hand\n")
    inside.git("add", "-A")
    assert sorted(staged(here(), None).paths) == ["added", "shared"]


def test_a_setting_of_the_user_hides_no_move(inside: Repository) -> None:
    for number in range(3):
        inside.write(f"old/{number}", "".join(f"{number} {line}\n" for line in range(20)))
    inside.commit("last")
    for number in range(3):
        inside.git("rm", "-q", f"old/{number}")
        inside.write(f"new/{number}x", "".join(f"{number} {line}\n" for line in range(21)))
    inside.git("add", "-A")
    inside.git("config", "diff.renameLimit", "1")
    assert [file.status for file in staged(here(), None).files] == ["R", "R", "R"]
    inside.git("commit", "-qm", "Move")
    (change,) = commits("HEAD", ["HEAD~1"])
    assert [file.status for file in change.files] == ["R", "R", "R"]
