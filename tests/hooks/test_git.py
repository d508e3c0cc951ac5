"""The door to git: whose variables reach it, and what is said when it is missing, old or refuses."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from conftest import Repository
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.git import LOCAL, LOG, GitError, answer, elsewhere, git, here, text, version

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

OLD_GIT = """#!/bin/sh
# A git of 2.30: it knows neither --path-format nor `cat-file -z`.
case " $* " in
    " version ") echo "git version 2.30.9"; exit 0 ;;
    *" cat-file"*" -z "*) echo "error: unknown switch 'z'" >&2; exit 129 ;;
    " rev-parse"*" --path-format=absolute "*)
        echo "--path-format=absolute"
        for word; do shift; case $word in --path-format=absolute) ;; *) set -- "$@" "$word" ;; esac; done ;;
esac
exec "{git}" "$@"
"""


@pytest.fixture
def old_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a git that answers like 2.30 first on PATH."""
    script = tmp_path / "bin" / "git"
    script.parent.mkdir()
    script.write_text(OLD_GIT.replace("{git}", shutil.which("git") or "git"))
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{os.environ['PATH']}")


def test_git_answers_bytes_and_text_one_line(shop: Repository, enter: Callable[[Repository], None]) -> None:
    enter(shop)
    assert git("rev-parse", "--abbrev-ref", "HEAD") == b"main\n"
    assert text("rev-parse", "--abbrev-ref", "HEAD") == "main"
    assert answer("rev-parse", "-q", "--verify", "nothing", ok=(0, 1)) == (1, b"")


def test_refusal_is_a_typed_error_with_gits_own_words(shop: Repository, enter: Callable[[Repository], None]) -> None:
    enter(shop)
    with pytest.raises(GitError) as caught:
        git("rev-parse", "--verify", "nothing")
    assert caught.value.what == "`git rev-parse --verify nothing` ended with 128"
    assert "Needed a single revision" in caught.value.why


def test_undecodable_answers_survive_a_round_trip(shop: Repository, enter: Callable[[Repository], None]) -> None:
    enter(shop)
    assert os.fsencode(text("rev-parse", "--sq-quote", os.fsdecode(b"\xff"))) == b" '\xff'"


# ENV-10
def test_missing_git_is_one_message(shop: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = str(shop.path / "nowhere")
    said = shop.hook("pre_commit", code=2, PATH=empty)
    assert said.splitlines()[0] == "groundrules: git is not on PATH"
    assert "Traceback" not in said
    monkeypatch.setenv("PATH", empty)
    with pytest.raises(GroundrulesError, match="git is not on PATH"):
        git("version")


@pytest.mark.usefixtures("old_git")
def test_old_git_is_named_with_the_version_that_is_needed() -> None:
    with pytest.raises(GroundrulesError, match=r"git 2\.30\.9 is too old; 2\.39 or newer is needed"):
        version()


@pytest.mark.usefixtures("old_git")
@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize(("stage", "code"), [("pre_commit", 2), ("commit_msg", 2), ("post_checkout", 0)])
def test_old_git_stops_every_stage_with_one_line_and_writes_nothing(
    shop: Repository, stage: str, code: int, *, linked: bool
) -> None:
    place = shop.worktree("task/T1-x") if linked else shop
    before = sorted(os.listdir(place.path))
    said = place.hook(stage, "0" * 40, "1" * 40, "1", code=code)
    assert "git 2.30.9 is too old" in said
    assert len([line for line in said.splitlines() if line.startswith("groundrules:")]) == 1
    assert sorted(os.listdir(place.path)) == before


@pytest.mark.parametrize("words", ["git version 2.39.0", "git version 2.45.1.windows.1", "git version 3.0-rc1"])
def test_new_and_odd_versions_pass(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "git"
    script.write_text(f"#!/bin/sh\necho {words}\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert version() == words.split()[2]


# ENV-04
def test_elsewhere_drops_all_that_names_this_repository() -> None:
    named = subprocess.run(["git", "rev-parse", "--local-env-vars"], capture_output=True, text=True, check=True)
    theirs = set(named.stdout.split()) - {"GIT_CONFIG_COUNT"}
    assert theirs <= set(LOCAL)
    given = dict.fromkeys(theirs, "x") | {"GIT_CONFIG_GLOBAL": "g", "GIT_CONFIG_COUNT": "1", "PATH": "p"}
    assert elsewhere(given) == {"GIT_CONFIG_GLOBAL": "g", "GIT_CONFIG_COUNT": "1", "PATH": "p"}


def test_here_keeps_what_names_or_configures_and_drops_what_distorts() -> None:
    kept = {"GIT_DIR": "d", "GIT_INDEX_FILE": "i", "GIT_CONFIG_KEY_0": "k", "GIT_TRACE2": "t", "HOME": "h"}
    dropped = {
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_EXTERNAL_DIFF": "x",
        "GIT_PREFIX": "s/",
        "GIT_IMPLICIT_WORK_TREE": "0",
    }
    found = here({**kept, **dropped, "LC_ALL": "de_DE.UTF-8"})
    assert {name: found[name] for name in kept} == kept
    assert not set(dropped) & set(found)
    assert (found["LC_ALL"], found["GIT_OPTIONAL_LOCKS"], found["GIT_NO_REPLACE_OBJECTS"]) == ("C", "0", "1")


# ENV-08
def test_trusted_repository_stays_trusted(shop: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    trust = tmp_path / "gitconfig"
    trust.write_text(f'[safe]\n\tdirectory = "{shop.path}"\n')
    shop.write("groundrules.toml", "[slots]\nstride = 0\n")
    # Wrong configuration tells a judged commit from one that passed unchecked.
    assert "stride is 0" in shop.hook("pre_commit", code=2, GIT_CONFIG_GLOBAL=str(trust))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "safe.directory")
    assert "stride is 0" in shop.hook("pre_commit", code=2, GIT_CONFIG_VALUE_0=str(shop.path))


def test_untrusted_repository_is_an_error_and_not_a_silent_pass(shop: Repository) -> None:
    said = shop.hook("pre_commit", code=2, GIT_TEST_ASSUME_DIFFERENT_OWNER="1")
    assert "dubious ownership" in said
    assert "no git repository" not in shop.command("slot", code=2, GIT_TEST_ASSUME_DIFFERENT_OWNER="1")


# ENV-01 ENV-02 ENV-03 ENV-05 ENV-19
@pytest.mark.parametrize("linked", [False, True], ids=["main", "linked"])
def test_same_findings_however_git_is_called(hooked: Repository, *, linked: bool) -> None:
    place = hooked.worktree("task/T1-x", "wt") if linked else hooked
    git_dir = place.git("rev-parse", "--absolute-git-dir")
    below = Repository(place.path / "sub")
    outside = Repository(hooked.path.parent)
    place.git("config", "alias.nested", "!cd sub && git commit -m 'Link to nowhere'")
    place.write("sub/kept")
    place.write("AGENTS.md", "# shop\n\n[a page](docs/missing.md)\n")
    place.git("add", "-A")
    commit = ("commit", "-m", "Link to nowhere")
    relative = os.path.relpath(git_dir, place.path)
    said = [
        place.git(*commit, code=1),
        below.git(*commit, code=1),
        place.git(*commit, "-a", code=1),
        place.git(*commit, "--", "AGENTS.md", code=1),
        place.git("nested", code=1),
        outside.git("-C", place.path.name, *commit, code=1),
        place.git("--git-dir", relative, "--work-tree", ".", *commit, code=1),
        below.git(*commit, code=1, GIT_DIR=os.path.relpath(git_dir, below.path), GIT_WORK_TREE=".."),
        place.git(*commit, code=1, GIT_INDEX_FILE=os.path.join(git_dir, "index")),
    ]
    assert "AGENTS.md:3: agents-index: " in said[0]
    way = f"    cd {place.path.resolve()}\n"  # pasted where the person stands, the fix begins with the way to the root
    assert [way in text for text in said] == [False, True, False, False, True, False, False, True, False]
    assert [text.replace(way, "") for text in said] == [said[0]] * len(said)


def test_log_is_the_same_where_signatures_are_shown(shop: Repository, enter: Callable[[Repository], None]) -> None:
    signer = shop.path.parent / "signer"
    signer.write_text(
        "#!/bin/sh\ncat >/dev/null\necho -----BEGIN PGP SIGNATURE-----\nprintf '\\n[GNUPG:] SIG_CREATED \\n' >&2\n"
    )
    signer.chmod(0o755)
    shop.git("config", "gpg.program", str(signer))
    shop.git("config", "log.showSignature", "true")
    shop.git("commit", "-q", "-S", "--no-verify", "--allow-empty", "-m", "Sign it")
    start = shop.git("rev-parse", "HEAD")
    assert "SIG_CREATED" in shop.git("log", "-1", "--format=%H")
    enter(shop)
    assert text(*LOG, "-1", "--format=%H") == start
