"""message: what the rules judge is what git stores, and trailers are written without touching another byte."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, NamedTuple

import pytest

from groundrules_hooks.message import Cleanup, add_trailers, cleaned, cleanup, trailers

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Repository

SAVE = """#!/bin/sh
cp "$1" ../saved
printf %s "$GIT_EDITOR" > ../editor
printf %s "$GIT_CONFIG_PARAMETERS" > ../parameters
"""
PREPEND = """#!/bin/sh
cat ../typed "$1" > ../whole && cat ../whole > "$1"
"""
REPLACE = """#!/bin/sh
cat ../typed > "$1"
"""
EMPTY = ""


class Case(NamedTuple):
    """A commit: `typed` is what `-F` or the `editor` brings, `config` what `-c` sets, `stored` what must be judged."""

    typed: str
    stored: str | None = None
    editor: str = EMPTY
    config: tuple[str, ...] = ()
    args: tuple[str, ...] = ()


CASES = {
    "plain": Case("Subject\n\nBody\n", "Subject\n\nBody"),
    "a subject with # stays without an editor": Case("#123 mend\n\n# body\n", "#123 mend\n\n# body"),  # MSG-01
    "comments only stay without an editor": Case("# only\n", "# only"),
    "line ends of Windows": Case("Subject\r\n\r\nBody\r\n", "Subject\n\nBody"),  # MSG-09
    "line ends of Windows, kept": Case("Subject\r\n\r\nBody\r\n", config=("commit.cleanup=verbatim",)),
    "leading blank lines": Case("\n \n\t\nSubject\n", "Subject"),  # MSG-12
    "many blank lines are one": Case("Subject\n\n\n \nBody\n\n\n", "Subject\n\nBody"),
    "blanks that only Python calls white": Case("Subject\u00a0\n\nBody\f\n", "Subject\u00a0\n\nBody\f"),
    "the same from an editor": Case("\n\t\nS\u00a0\r\n\r\n\n \nBody\f\n\n\n", "S\u00a0\n\nBody\f", REPLACE),
    "not UTF-8": Case("Gr\udcfc\udcdfe\n", config=("i18n.commitEncoding=latin-1",)),  # MSG-08
    "editor": Case("Subject\n\n#123\nBody\n", "Subject\n\nBody", PREPEND),
    "editor, subject with #": Case("#1\nSubject\n", "Subject", PREPEND),  # MSG-01
    "editor, another comment character": Case(
        "Subject\n\n# kept\n; cut\n", "Subject\n\n# kept", PREPEND, ("core.commentChar=;",)
    ),  # MSG-02
    "editor, automatic character": Case("Subject\n\n# cut\n; kept\n", None, PREPEND, ("core.commentChar=auto",)),
    "editor, another automatic character": Case(
        "Subject\n\n; cut\n", "Subject\n\n#1", PREPEND, ("core.commentChar=auto",), ("-m", "#1")
    ),  # MSG-11
    "editor, automatic, with the change below": Case(
        "Subject\n", "Subject\n#1", PREPEND, ("core.commentChar=auto",), ("-v", "-m", "#1")
    ),
    "editor, comments taken out by hand": Case("Subject\n\n#1\n", "Subject", REPLACE),
    "editor, the change below": Case("Subject\n\nBody\n", "Subject\n\nBody", PREPEND, (), ("-v",)),
    "the same after another character": Case("Subject\n", "Subject", PREPEND, ("core.commentChar=;",), ("-v",)),
    "cleanup whitespace with the change": Case("Subject\n", None, PREPEND, ("commit.cleanup=whitespace",), ("-v",)),
    "cleanup verbatim with the change": Case("Subject\n", None, PREPEND, ("commit.cleanup=verbatim",), ("-v",)),
    "cleanup scissors": Case("Subject\n\n# kept\n", "Subject\n\n# kept", PREPEND, ("commit.cleanup=scissors",)),
    "cleanup scissors without an editor": Case(
        "Subject\n\n# ------------------------ >8 ------------------------\nBelow\n",
        "Subject\n\n# ------------------------ >8 ------------------------\nBelow",
        config=("commit.cleanup=scissors",),
    ),
    "cleanup strip without an editor": Case("#1\nSubject\n# cut\n", "Subject", config=("commit.cleanup=strip",)),
    "cleanup whitespace with an editor": Case("Subject\n\n# kept\n", None, PREPEND, ("commit.cleanup=whitespace",)),
    "cleanup verbatim": Case("\n\nSubject  \n\n\n\n# kept \n", config=("commit.cleanup=verbatim",)),
}


def commit(repository: Repository, case: Case, code: int = 0) -> None:
    (repository.path.parent / "typed").write_bytes(case.typed.encode("utf-8", "surrogateescape"))
    for name, text in (("commit-msg", SAVE), ("editor", case.editor or PREPEND)):
        path = repository.write(f".git/hooks/{name}", text)
        path.chmod(0o755)
    repository.write("changed", case.typed)
    repository.git("add", "changed")
    config = [word for setting in case.config for word in ("-c", setting)]
    source = ["-e"] if case.editor else ["-F", "../typed"]
    repository.git(*config, "commit", "-q", *source, *case.args, code=code, GIT_EDITOR=".git/hooks/editor")


def judged(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what we make of the file that the hook was given, under the settings it was given."""
    folder = repository.path.parent
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", (folder / "parameters").read_text())
    content = (folder / "saved").read_bytes()
    return cleaned(content, cleanup(content, {"GIT_EDITOR": (folder / "editor").read_text()}))


def stored(repository: Repository) -> str:
    raw = subprocess.run(
        ["git", "cat-file", "commit", "HEAD"], cwd=repository.path, check=True, capture_output=True
    ).stdout
    return os.fsdecode(raw.partition(b"\n\n")[2]).removesuffix("\n")


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_is_judged_is_what_git_stores(
    shop: Repository, enter: Callable[[Repository], None], monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    enter(shop)
    commit(shop, case)
    kept = stored(shop)
    assert judged(shop, monkeypatch).removesuffix("\n") == kept
    assert case.stored is None or kept == case.stored


def test_comments_only_are_an_empty_message(
    shop: Repository, enter: Callable[[Repository], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    # MSG-13
    enter(shop)
    commit(shop, Case("# nothing\n", editor=PREPEND), code=1)
    assert judged(shop, monkeypatch) == ""


STRIP = Cleanup("strip", edited=True, char="#")
PLAIN = Cleanup("whitespace", edited=False, char="#")
T1 = [("Task", "T1")]
WRITTEN = {
    "after a subject": (b"Subject\n", T1, PLAIN, b"Subject\n\nTask: T1\n"),
    "no newline at the end": (b"Subject", T1, PLAIN, b"Subject\n\nTask: T1\n"),
    "fixup": (b"fixup! Subject\n", T1, PLAIN, b"fixup! Subject\n\nTask: T1\n"),
    "beside others": (
        b"Subject\n\nBody\n\nSigned-off-by: Ada <a@b>\n",
        T1,
        PLAIN,
        b"Subject\n\nBody\n\nSigned-off-by: Ada <a@b>\nTask: T1\n",
    ),
    "another task is replaced": (b"Subject\n\nTask: T2\nX-y: z\n", T1, PLAIN, b"Subject\n\nX-y: z\nTask: T1\n"),
    "before comments": (b"Subject\n\n# hint\n", T1, STRIP, b"Subject\n\nTask: T1\n\n# hint\n"),
    "after what only looks like a comment": (b"Subject\n\n#123\n", T1, PLAIN, b"Subject\n\n#123\n\nTask: T1\n"),
    "after a line of dashes": (b"Subject\n\n---\nmore\n", T1, PLAIN, b"Subject\n\n---\nmore\n\nTask: T1\n"),
    "before another comment character": (
        b"Subject\n\n; hint\n",
        T1,
        Cleanup("strip", edited=True, char=";"),
        b"Subject\n\nTask: T1\n\n; hint\n",
    ),
    "bytes that are no UTF-8": (b"Gr\xfc\xdfe\n\n\xff\n", T1, PLAIN, b"Gr\xfc\xdfe\n\n\xff\n\nTask: T1\n"),  # MSG-08
    "two exceptions": (
        b"Subject\n",
        [*T1, ("Ground-rules-allow", "guards (a)"), ("Ground-rules-allow", "lockstep (b)")],
        PLAIN,
        b"Subject\n\nTask: T1\nGround-rules-allow: guards (a)\nGround-rules-allow: lockstep (b)\n",
    ),
}


@pytest.mark.parametrize(("before", "wanted", "how", "after"), WRITTEN.values(), ids=WRITTEN)
def test_trailers_are_added_where_git_reads_them(
    tmp_path: Path, before: bytes, wanted: list[tuple[str, str]], how: Cleanup, after: bytes
) -> None:
    path = tmp_path / "message"
    path.write_bytes(before)
    add_trailers(str(path), wanted, how)
    assert path.read_bytes() == after
    add_trailers(str(path), wanted, how)  # a second time the task's goes to the end, and nothing is doubled
    assert sorted(path.read_bytes().splitlines()) == sorted(after.splitlines())


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("Subject\n\nTask: T1\n", ["T1"]),
        ("Subject\n\ntask: T1 \nOther: x\nTask: T2", ["T1", "T2"]),
        ("Task: T1", []),
        ("Subject\nTask: T1", []),
        ("Subject\n\nTask: T1\n\nnot the last paragraph", []),
        ("", []),
    ],
)
def test_trailers_stand_in_the_last_paragraph(message: str, found: list[str]) -> None:
    assert trailers(message, "Task") == found
