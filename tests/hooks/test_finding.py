"""finding: one printer, three formats, and words that a shell takes as they are meant."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import ROOT
from groundrules_hooks.finding import Finding, edit, quote, render, say, shown

if TYPE_CHECKING:
    from conftest import Repository

ONE = Finding("guards", "a/b.txt", "wrong", "explain first\nmake it right", 7)
TWO = Finding("one-task", ".", "elsewhere", "git switch x", commit="0123456789abcdef" * 2 + "01234567")


def test_text_has_a_line_for_each_finding_and_one_block_of_fixes() -> None:
    assert render([ONE, TWO, ONE], "text", go_on="git merge --continue") == (
        "a/b.txt:7: guards: wrong\n"
        ".: one-task: 0123456789: elsewhere\n"
        "a/b.txt:7: guards: wrong\n"
        "\nTo fix:\n    explain first\n    make it right\n    git switch x\n    git merge --continue\n"
    )


@pytest.mark.parametrize(("stands", "prefix", "way"), [("", "", "make"), ("", "a/", "cd"), ("a", "", "cd")])
def test_fixes_begin_with_the_way_to_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stands: str, prefix: str, way: str
) -> None:
    root = tmp_path.resolve()
    (root / "a").mkdir()
    monkeypatch.chdir(root / stands)
    monkeypatch.setenv("GIT_PREFIX", prefix)
    fixes = render([ONE._replace(fix="make it right")], root=str(root)).split("To fix:\n")[1].split()
    assert fixes[0] == way
    assert fixes[-3:] == ["make", "it", "right"]


@pytest.mark.parametrize(("form", "said"), [("text", ""), ("github", ""), ("json", '"findings": []')])
def test_nothing_found_is_nothing_said_but_always_a_document(form: str, said: str) -> None:
    assert said in render([], form, go_on="git merge --continue")
    assert bool(render([], form)) == (form == "json")


def test_a_fix_is_broken_at_newlines_only() -> None:
    # A name may hold characters at which Python would break a line.
    fix = "git checkout HEAD -- 'a\u2028b\x0cc'"
    assert render([ONE._replace(fix=fix)]).endswith(f"\n    {fix}\n")


def test_json_is_utf8_and_keeps_odd_names(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    # FIL-01
    odd = Finding("guards", 'a "b"\n\udce9\u00fc', "said \udcff\u2028\x1b[31m", "cat '\udce9'", 3)
    say(render([odd, TWO], "json"))
    document = json.loads(capfdbinary.readouterr().out.decode("utf-8"))
    assert document == {
        "schema_version": 1,
        "findings": [
            {
                "rule": "guards",
                "path": 'a "b"\n\\xe9\u00fc',
                "line": 3,
                "message": "said \\xff\u2028\x1b[31m",
                "fix": "cat '\\xe9'",
                "commit": None,
            },
            {
                "rule": "one-task",
                "path": ".",
                "line": 1,
                "message": "elsewhere",
                "fix": "git switch x",
                "commit": TWO.commit,
            },
        ],
    }


def test_annotations_escape_what_the_workflow_command_reads_itself() -> None:
    odd = Finding("guards", "50%,a:b\n.txt", "100%\r\nwrong: really, yes", "true", 2)
    assert render([odd], "github") == (
        "::error file=50%25%2Ca%3Ab%0A.txt,line=2,title=guards::100%25%0D%0Awrong: really, yes%0ATo fix: true\n"
    )
    assert render([TWO], "github").count("\n") == 1
    assert "::0123456789: elsewhere" in render([TWO], "github")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("plain name.txt", "plain name.txt"),
        ('a"b', 'a"b'),
        ("gr\u00fcn", "gr\u00fcn"),
        ("a\nb", '"a\\012b"'),
        ('a\t"b\\c', '"a\\011\\"b\\\\c"'.replace('\\"', "\\042").replace("\\\\", "\\134")),
        ("a\x7f", '"a\\177"'),
        ("\x1b[31m", '"\\033[31m"'),
    ],
)
def test_a_path_is_shown_on_one_line(path: str, expected: str) -> None:
    assert shown(path) == expected


WORD = st.one_of(
    st.text("ab -'\"\\$`!*?[]{}();&|<>#~=%\n\t\u00e9\udce9", max_size=8),
    st.binary(max_size=8).map(lambda raw: os.fsdecode(raw.replace(b"\0", b""))),
)


@settings(max_examples=25, deadline=None, database=None)
@given(words=st.lists(WORD, min_size=1, max_size=12))
def test_a_quoted_word_is_that_word_to_a_shell(words: list[str]) -> None:
    script = os.fsencode("printf '%s\\0' " + " ".join(map(quote, words)))
    done = subprocess.run(["sh", "-c", script], check=True, capture_output=True)
    assert done.stdout.split(b"\0")[:-1] == [os.fsencode(word) for word in words]


@pytest.mark.parametrize("word", ["--option", "a/b.c", "x@y", "1=2"])
def test_a_plain_word_needs_no_quotes(word: str) -> None:
    assert quote(word) == word


@pytest.mark.parametrize("redirection", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(("branch", "code"), [("task/T1-x", 0), ("stray", 1)])
def test_a_closed_stdout_does_not_change_the_exit_code(
    shop: Repository, redirection: str, branch: str, code: int
) -> None:
    # PCO-04
    work = shop.worktree(branch)
    work.write("file")
    work.git("add", "file")
    command = f'exec "$@" {redirection}'
    arguments = ["sh", "-c", command, "sh", sys.executable, "-m", "groundrules_hooks.pre_commit"]
    done = subprocess.run(arguments, cwd=work.path, env={**os.environ, "PYTHONPATH": f"{ROOT}/hooks"}, check=False)
    assert done.returncode == code


def test_a_reader_that_went_away_does_not_change_the_exit_code(shop: Repository) -> None:
    # PCO-04
    work = shop.worktree("stray")
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "groundrules_hooks.pre_commit"],
        cwd=work.path,
        env={**os.environ, "PYTHONPATH": f"{ROOT}/hooks"},
        stdout=write,
        stderr=write,
        check=False,
    )
    os.close(write)
    assert done.returncode == 1


def test_edit_needs_no_sed_of_gnu_and_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "it's.md").write_text("one\ntwo\n")
    command = edit("it's.md", "1a\\", "between")
    subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("it's.md", "one\nbetween\ntwo\n")]
    sources = [*Path(ROOT, "hooks").rglob("*.py"), *Path(ROOT, "scaffolder").rglob("*.py")]
    assert [path.name for path in sources if "sed -i " in path.read_text()] == []
