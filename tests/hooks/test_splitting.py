"""Splitting: the printed commands make the commits that were asked for, and lose nothing that was staged or edited."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from conftest import Repository
from groundrules_hooks.change import Change, staged
from groundrules_hooks.finding import again
from groundrules_hooks.splitting import Group, commands
from groundrules_hooks.worktree import locate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LOCK = '[[package]]\nname = "left"\nversion = "1.0"\n'
CLEAN = "nothing to commit, working tree clean"
PICKED = "981146106 +0730"
ODD = ["a b", "it's", 'quo"te', "*star", "[x]", "?", ":(top)y", "-dash", "new\nline", "tab\t%d", "back\\slash", "grüße"]


@pytest.fixture
def inside(shop: Repository, enter: Callable[[Repository], None]) -> Repository:
    enter(shop)
    return shop


def change() -> Change:
    worktree = locate()
    assert worktree is not None
    return staged(worktree, None)


def split(repository: Repository, *groups: set[str], into: str = "sh") -> str:
    """Paste the commands that commit the staged files whose names are in `groups`; return them."""
    now = change()
    made = [
        Group(f"Commit {number}", tuple(file for file in now.files if file.path in group))
        for number, group in enumerate(groups)
    ]
    lines = commands(now.tree.source, made)
    done = subprocess.run([into, "-ec", lines], cwd=repository.path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{lines}\n{done.stderr}"
    return lines


def named(repository: Repository, commit: str) -> set[str]:
    out = repository.git("diff-tree", "-r", "-z", "--no-renames", "--name-only", f"{commit}~1", commit)
    return set(out.rstrip("\0").split("\0"))


def test_names_of_every_kind_come_into_the_commit_they_were_meant_for(inside: Repository) -> None:
    # FIL-01
    for name in ODD:
        inside.write(name, f"{name}\n")
        inside.write(f"other/{name}", f"{name}\n")
    inside.git("add", "-A")
    tree = inside.git("write-tree")
    split(inside, set(ODD[::2]), set(ODD[1::2]), {f"other/{name}" for name in ODD})
    assert [named(inside, f"HEAD~{back}") for back in (2, 1)] == [set(ODD[::2]), set(ODD[1::2])]
    assert inside.git("rev-parse", "HEAD^{tree}") == tree
    assert inside.git("status", "--porcelain") == ""


def test_names_that_end_with_a_newline_can_be_pasted_into_bash(inside: Repository) -> None:
    names = {"a\n", "it's 100%\t\\\n\n"}
    for name in (*names, "a", "it's 100%\t\\"):
        inside.write(name, "new\n")
    inside.git("add", "-A")
    split(inside, names, {"a", "it's 100%\t\\"}, into="bash")
    assert named(inside, "HEAD~1") == names


def test_new_deleted_renamed_and_partly_staged_files_come_out_as_they_were_staged(inside: Repository) -> None:
    for name in ("gone", "old", "part", "mode"):
        inside.write(name, "".join(f"{name} {number}\n" for number in range(20)))
    inside.commit("last")
    inside.git("rm", "-q", "gone")
    inside.git("mv", "old", "moved")
    inside.write("part", "staged\n")
    inside.write("new", "new\n")
    (inside.path / "mode").chmod(0o755)
    inside.git("add", "-A")
    tree = inside.git("write-tree")
    inside.write("part", "edited since\n")
    inside.write("new", "edited since\n")
    inside.write("untracked")
    before = {path.name: path.read_bytes() for path in inside.path.iterdir() if path.is_file()}
    split(inside, {"gone", "part"}, {"moved", "new", "mode"})
    assert named(inside, "HEAD~1") == {"gone", "part"}
    assert named(inside, "HEAD") == {"old", "moved", "new", "mode"}
    assert inside.git("show", "HEAD:part") == "staged"
    assert inside.git("rev-parse", "HEAD^{tree}") == tree == inside.git("write-tree")
    assert {path.name: path.read_bytes() for path in inside.path.iterdir() if path.is_file()} == before


def test_a_folder_of_one_commit_is_named_once(inside: Repository) -> None:
    for number in range(50):
        inside.write(f"src/deep/{number}.py", f"{number}\n")
        inside.write(f"lib/{number}.py", f"{number}\n")
    inside.write("src/other.py")
    inside.git("add", "-A")
    lines = split(
        inside,
        {f"src/deep/{number}.py" for number in range(50)} | {"src/other.py"},
        *[{f"lib/{number}.py" for number in range(50)}],
    )
    assert lines.splitlines()[1].endswith("--staged -- src && git commit -m 'Commit 0'")
    assert len(named(inside, "HEAD~1")) == 51


def test_what_is_staged_beside_named_paths_stays_staged(inside: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    # `git commit PATHS`: the index that git names to the hook holds those alone, the real one more.
    for name in ("a", "b", "c*"):
        inside.commit(name, "old\n")
    for name in ("a", "b", "c*"):
        inside.write(name, "new\n")
    inside.write("kept", "staged\n")
    inside.git("add", "kept")
    inside.write("kept", "edited since\n")
    index = str(inside.path / ".git/next-index-1.lock")
    inside.git("read-tree", "HEAD", GIT_INDEX_FILE=index)
    inside.git("add", "-u", GIT_INDEX_FILE=index)
    with monkeypatch.context() as patched:
        patched.setenv("GIT_INDEX_FILE", index)
        files = {file.path: file for file in change().files}
        lines = commands("", [Group("First", (files["a"], files["c*"])), Group("Second", (files["b"],))])
    subprocess.run(["sh", "-ec", lines], cwd=inside.path, check=True, capture_output=True)
    assert [named(inside, f"HEAD~{back}") for back in (1, 0)] == [{"a", "c*"}, {"b"}]
    assert inside.git("diff", "--cached", "--name-only") == "kept"
    assert inside.git("show", ":kept") == "staged"


@pytest.mark.parametrize("form", ["staged", "named"])
def test_a_folder_that_takes_the_place_of_a_file_comes_with_it(
    inside: Repository, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    for number in range(4):
        inside.write(f"folder/{number}", f"folder {number}\n")
    inside.write("file", "file\n")
    inside.commit("last")
    inside.git("rm", "-rqf", "folder", "file")
    inside.write("folder", "now a file\n")
    for number in range(4):
        inside.write(f"file/{number}", f"file {number}\n")
    inside.git("add", "-A")
    tree = inside.git("write-tree")
    if form == "named":
        index = inside.path / ".git/next-index-1.lock"
        index.write_bytes((inside.path / ".git/index").read_bytes())
        monkeypatch.setenv("GIT_INDEX_FILE", str(index))
    files = {file.path: file for file in change().files}
    parts = ({"file", "folder/0"}, {"file/0", "file/1", "folder"}, {"folder/1", "folder/2"}, {"file/2"})
    groups = [Group("Commit", tuple(files.pop(path) for path in sorted(part))) for part in parts]
    lines = commands(tree, [*groups, Group("Commit", tuple(files.values()))])
    monkeypatch.delenv("GIT_INDEX_FILE", raising=False)
    subprocess.run(["sh", "-ec", lines], cwd=inside.path, check=True, capture_output=True)
    everything = {f"file/{number}" for number in range(2)} | {f"folder/{number}" for number in range(1, 4)}
    assert [named(inside, f"HEAD~{back}") for back in (3, 2, 1, 0)] == [
        {"folder/0"},
        everything | {"file", "folder"},
        {"file/2"},
        {"file/3"},
    ]
    assert inside.git("rev-parse", "HEAD^{tree}") == tree


def test_what_is_only_meant_to_be_added_stays_so(inside: Repository) -> None:
    intended = {f"{folder}{name}" for name in ODD for folder in ("", "near/", "new/deep/")} | {"gone"}
    for name in intended:
        inside.write(name, "not staged\n")
    inside.git("add", "--intent-to-add", ".")
    (inside.path / "gone").unlink()
    for name in ("near/a", "near/b", "c", "d"):
        inside.write(name, "staged\n")
    inside.git("add", "near/a", "near/b", "c", "d")
    inside.write("d", "edited since\n")
    tree, before = inside.git("write-tree"), status(inside)
    lines = split(inside, {"near/a", "near/b"}, {"c"}, {"d"})
    assert lines.count(" ':(exclude,literal)new'") == 2, "a folder is named once"
    assert [named(inside, f"HEAD~{back}") for back in (2, 1, 0)] == [{"near/a", "near/b"}, {"c"}, {"d"}]
    assert inside.git("rev-parse", "HEAD^{tree}") == tree
    assert status(inside) == before - {"A  c", "A  near/a", "A  near/b", "AM d"} | {" M d"}
    assert before >= {f" A {name}" for name in intended - {"gone"}} | {" D gone"}


def test_a_commit_in_the_middle_that_is_refused_loses_nothing(inside: Repository) -> None:
    inside.write("meant", "not staged\n")
    inside.git("add", "--intent-to-add", "meant")
    for name in ("a", "b", "c"):
        inside.write(name, f"{name}\n")
    inside.git("add", "a", "b", "c")
    inside.write("b", "edited since\n")
    hook = inside.write(".git/hooks/commit-msg", "#!/bin/sh\n! grep 'Commit 1' \"$1\"\n")
    hook.chmod(0o755)
    tree = inside.git("write-tree")
    files = {file.path: file for file in change().files}
    paste(inside, commands(tree, [Group(f"Commit {number}", (files[name],)) for number, name in enumerate("abc")]))
    assert [named(inside, f"HEAD~{back}") for back in (1, 0)] == [{"a"}, {"b", "c"}]
    assert inside.git("rev-parse", "HEAD^{tree}") == tree
    assert status(inside) == {" M b", " A meant"}


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("new", ["file", "folder"])
def test_what_is_meant_to_take_the_place_of_something_stays_on_disk(inside: Repository, new: str, order: int) -> None:
    places = {"file": "place", "folder": "place/file"}
    old, name = places["folder" if new == "file" else "file"], places[new]
    inside.commit(old)
    inside.git("rm", "-q", old)
    inside.write(name, "not staged\n")
    inside.git("add", "--intent-to-add", name)
    inside.write("a", "staged\n")
    inside.git("add", "a")
    tree = inside.git("write-tree")
    parts = [{old}, {"a"}][::order]
    split(inside, *parts)
    assert [named(inside, f"HEAD~{back}") for back in (1, 0)] == parts
    assert inside.git("rev-parse", "HEAD^{tree}") == tree
    assert (inside.path / name).read_text() == "not staged\n"


def test_files_that_become_links_submodules_or_moved_leave_what_was_not_staged(
    inside: Repository, tmp_path: Path
) -> None:
    module = Repository(tmp_path / "module")
    module.path.mkdir()
    module.git("init", "-q")
    module.commit()
    texts = {name: "".join(f"{name} {number}\n" for number in range(50)) for name in ("old", "part")}
    for name in ("link", "module", "old", "mode", "part", "unstaged", "both"):
        inside.write(name, texts.get(name, f"{name}\n"))
    inside.commit("last")
    inside.git("rm", "-q", "link", "module")
    (inside.path / "link").symlink_to("part")
    inside.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(module.path), "module")
    inside.git("mv", "old", "new")
    inside.write("new", f"changed\n{texts['old']}")
    (inside.path / "mode").chmod(0o755)
    inside.write("part", f"staged\n{texts['part']}")
    inside.git("rm", "-q", "--cached", "both")
    inside.git("add", "link", "new", "mode", "part")
    inside.write("part", f"staged\n{texts['part']}edited since\n")
    inside.write("new", f"changed\n{texts['old']}edited since\n")
    inside.write("unstaged", "edited\n")
    Repository(inside.path / "module").commit("more")
    tree, unstaged = inside.git("write-tree"), inside.git("diff")
    split(inside, {"link", "part", "both"}, {"new", ".gitmodules", "module"}, {"mode"})
    assert inside.git("rev-parse", "HEAD^{tree}") == tree == inside.git("write-tree")
    assert [named(inside, f"HEAD~{back}") for back in (2, 1, 0)] == [
        {"link", "part", "both"},
        {"old", "new", ".gitmodules", "module"},
        {"mode"},
    ]
    assert inside.git("diff") == unstaged
    assert status(inside) == {" M part", " M new", " M unstaged", " M module", "?? both"}


def status(repository: Repository) -> set[str]:
    """Return the entries of `git status`."""
    done = subprocess.run(
        ["git", "status", "--porcelain", "-z", "--no-renames"], cwd=repository.path, capture_output=True, check=True
    )
    return set(done.stdout.decode().rstrip("\0").split("\0"))


def test_pasted_into_another_repository_the_commands_change_nothing(inside: Repository, tmp_path: Path) -> None:
    inside.write("a")
    inside.write("b")
    inside.git("add", "-A")
    now = change()
    lines = commands(now.tree.source, [Group("First", now.files[:1]), Group("Second", now.files[1:])])
    other = Repository(tmp_path / "other")
    other.path.mkdir()
    other.git("init", "-q")
    other.commit("last")
    other.write("staged")
    other.git("add", "-A")
    subprocess.run(["sh", "-c", lines], cwd=other.path, check=False, capture_output=True)
    assert other.git("diff", "--cached", "--name-only") == "staged"
    assert other.git("rev-list", "--count", "HEAD") == "1"


def refused(repository: Repository, *command: str) -> str:
    """Run a command of git that our hooks refuse; return the lines that they print to paste."""
    return fixes(repository.git(*command, code=None))


def fixes(said: str) -> str:
    block = said.partition("\n\nTo fix:\n")[2].split("\n")
    return "\n".join(line.removeprefix("    ") for line in block if line.startswith("    "))


def paste(repository: Repository, lines: str) -> str:
    """Paste `lines` into a shell, which goes on after a line that fails; return what is said."""
    done = subprocess.run(["sh", "-c", f"exec 2>&1\n{lines}"], cwd=repository.path, capture_output=True, check=False)
    return done.stdout.decode()


def authors(repository: Repository, count: int) -> list[str]:
    said = repository.git("log", f"-{count}", "--date=raw", "--format=%an <%ae> %ad")
    return said.split("\n")


def mix(repository: Repository, name: str = "Ada", email: str = "ada@example.org", date: str = PICKED) -> None:
    """Commit a change of code and an upgrade on `side`, by `name`; on main what the code conflicts with."""
    repository.write("uv.lock", LOCK)
    repository.commit("cart.py", "x = 1\n")
    repository.git("switch", "-qc", "side")
    for path, text in (("uv.lock", LOCK.replace("1.0", "2.0")), ("cart.py", "x = 2\n")):
        repository.write(path, text)
    repository.git("commit", "-qam", "Change and upgrade", f"--author={name} <{email}>", f"--date={date}")
    repository.git("switch", "-q", "main")
    repository.commit("cart.py", "x = 3\n")
    repository.install_hooks()


def resolve(repository: Repository) -> None:
    repository.write("cart.py", "x = 4\n")
    repository.git("add", "-A")


@pytest.mark.parametrize(
    ("name", "email"),
    [
        ("Ada", "ada@example.org"),
        ("O'Brien \"O'B\" $HOME", "o'b@example.org"),
        ("Grüße `x` %s", ""),
        ("T\tab\\x", "a b"),
        ("-x", "-"),
    ],
)
def test_each_part_of_a_pick_has_its_author_and_date(inside: Repository, name: str, email: str) -> None:
    mix(inside, name, email)
    inside.git("cherry-pick", "side", code=1)
    resolve(inside)
    paste(inside, refused(inside, "commit", "-m", "Change and upgrade"))
    assert authors(inside, 2) == [f"{name} <{email}> {PICKED}"] * 2
    assert inside.git("log", "-2", "--format=%cn").split("\n") == ["Ada"] * 2
    assert inside.git("rev-list", "--count", "main", "^side") == "3"
    assert inside.git("status", "--porcelain") == ""
    assert not (inside.path / ".git/CHERRY_PICK_HEAD").exists()


def test_a_date_of_a_moment_ago_is_kept_too(inside: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    made = 10**9
    mix(inside, date=f"{made} +0000")
    monkeypatch.setenv("GIT_COMMITTER_DATE", f"{made + 1} +0000")
    inside.git("cherry-pick", "side", code=1)
    resolve(inside)
    paste(inside, refused(inside, "commit", "-m", "Change and upgrade"))
    assert authors(inside, 2) == [f"Ada <ada@example.org> {made} +0000"] * 2


@pytest.mark.parametrize("command", ["cherry-pick", "rebase"])
def test_what_git_was_doing_goes_on_behind_the_parts(inside: Repository, command: str) -> None:
    # CMT-16
    mix(inside, "Bob", "bob@example.org")
    inside.git("switch", "-q", "side")
    inside.commit("later")
    if command == "cherry-pick":
        inside.git("switch", "-q", "main")
    inside.git(*{"cherry-pick": ("cherry-pick", "main..side"), "rebase": ("rebase", "main")}[command], code=1)
    resolve(inside)
    lines = refused(inside, "commit", "-m", "Change and upgrade")
    assert lines.endswith(f"\ngit {command} --continue")
    paste(inside, lines)
    assert inside.git("log", "-4", "--format=%an %s").split("\n") == [
        "Ada Change a file",
        "Bob Change and upgrade",
        "Bob Upgrade left to 2.0",
        "Ada Change a file",
    ]
    assert authors(inside, 3)[1:] == [f"Bob <bob@example.org> {PICKED}"] * 2
    assert inside.git("status").split("\n") == [f"On branch {'main' if command == 'cherry-pick' else 'side'}", CLEAN]


def test_a_stop_of_a_rebase_to_edit_goes_on_behind_the_parts(inside: Repository) -> None:
    # Nobody but the person who edits knows whose the parts are: without `-C` they are theirs, as git has it.
    mix(inside, "Bob", "bob@example.org")
    inside.git("switch", "-q", "side")
    inside.git("rebase", "-i", "HEAD~1", GIT_SEQUENCE_EDITOR="sed -i.before s/^pick/edit/")
    inside.git("reset", "-q", "--soft", "HEAD~1")
    assert "--author" not in refused(inside, "commit", "-m", "Change and upgrade")
    paste(inside, refused(inside, "commit", "-C", "ORIG_HEAD"))
    assert authors(inside, 2) == [f"Bob <bob@example.org> {PICKED}"] * 2
    assert inside.git("status").split("\n") == ["On branch side", CLEAN]


@pytest.mark.parametrize("abbreviate", ["true", "false"])
def test_a_commit_of_history_is_taken_back_and_comes_in_parts(inside: Repository, abbreviate: str) -> None:
    mix(inside, "Bob", "bob@example.org")
    inside.git("config", "rebase.abbreviateCommands", abbreviate)
    inside.git("config", "core.abbrev", "7")
    inside.git("switch", "-q", "side")
    mixed = inside.git("rev-parse", "HEAD")
    inside.commit("later")
    lines = fixes(paste(inside, again(mixed)))
    assert lines.endswith("\ngit rebase --continue")
    paste(inside, lines)
    assert authors(inside, 3)[1:] == [f"Bob <bob@example.org> {PICKED}"] * 2
    assert inside.git("log", "-2", "--format=%s", "HEAD~1").split("\n") == ["Change and upgrade", "Upgrade left to 2.0"]
    assert inside.git("diff", "HEAD~1", mixed) == ""
    assert inside.git("status").split("\n") == ["On branch side", CLEAN]


def test_a_pick_behind_a_commit_of_the_same_moment_keeps_its_author(inside: Repository) -> None:
    # as the parts of a split are, which all have one date
    mix(inside, "Bob", "bob@example.org")
    inside.git("switch", "-q", "-c", "before", "main~1")
    inside.git("commit", "-q", "--allow-empty", "-m", "Before", "--author=Bob <bob@example.org>", f"--date={PICKED}")
    inside.commit("cart.py", "x = 3\n")
    inside.git("commit", "-q", "--amend", "--no-edit", "--author=Bob <bob@example.org>", f"--date={PICKED}")
    inside.git("cherry-pick", "side", code=1)
    resolve(inside)
    paste(inside, refused(inside, "commit", "-m", "Change and upgrade"))
    assert authors(inside, 2) == [f"Bob <bob@example.org> {PICKED}"] * 2


def test_a_date_that_both_have_is_kept(inside: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    mix(inside)
    inside.git("merge", "-q", "--squash", "-Xtheirs", "side")
    monkeypatch.setenv("GIT_COMMITTER_DATE", PICKED)
    paste(inside, refused(inside, "commit", "-m", "Change and upgrade", f"--date={PICKED}"))
    assert {line.rpartition("> ")[2] for line in authors(inside, 2)} == {PICKED}


def test_the_rest_that_is_split_anew_has_the_same_author(inside: Repository) -> None:
    inside.commit("groundrules.toml", '[commits]\nmax_files = 2\n\n[tasks]\ntarget = "main"\n')
    inside.install_hooks()
    for number in range(6):
        inside.write(f"{number}.py")
    inside.git("add", "-A")
    rest = fixes(paste(inside, refused(inside, "commit", "-m", "Add files", "--author=Bob <bob@example.org>")))
    assert fixes(paste(inside, rest)) == ""
    assert inside.git("log", "-3", "--format=%an <%ae>").split("\n") == ["Bob <bob@example.org>"] * 3
    assert len(set(authors(inside, 3))) == 1
    assert inside.git("status").split("\n") == ["On branch main", CLEAN]


def test_who_gave_no_name_of_a_committer_is_told_how_to_split(
    inside: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    mix(inside)
    inside.git("merge", "-q", "--squash", "-Xtheirs", "side")
    monkeypatch.setenv("GIT_COMMITTER_NAME", "")
    assert refused(inside, "commit", "-m", "Change and upgrade").count(" && git commit -m ") == 2


def test_what_was_to_amend_makes_commits_of_its_author(inside: Repository) -> None:
    mix(inside)
    by = ("--author=Bob <bob@example.org>", f"--date={PICKED}")
    inside.git("commit", "-q", "--no-verify", "--amend", "--no-edit", *by)
    amended = inside.git("rev-parse", "HEAD")
    for path, text in (("uv.lock", LOCK.replace("1.0", "2.0")), ("cart.py", "x = 2\n")):
        inside.write(path, text)
    inside.git("add", "-A")
    tree = inside.git("write-tree")
    paste(inside, refused(inside, "commit", "--amend", "--no-edit"))
    assert authors(inside, 3) == [f"Bob <bob@example.org> {PICKED}"] * 3
    assert inside.git("rev-parse", "HEAD~2") == amended
    assert inside.git("rev-parse", "HEAD^{tree}") == tree
