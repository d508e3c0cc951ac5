"""guards/no-keys-no-bulk as a program: what no later commit takes out of the history is refused, and little else."""

from __future__ import annotations

import base64
import os
import textwrap
from typing import TYPE_CHECKING

import pytest

from template.conftest import execute, with_guard

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Repository

GUARD = "guards/no-keys-no-bulk"
LIMIT = 1 << 20
CR, ESCAPED = r"\r", r"\n"


def mark(kind: str = "", end: str = "", word: str = "BEGIN") -> str:
    """Return the line around a key, which stands nowhere in this file as such."""
    return f"-----{word} {kind}PRIVATE KEY{end}-----"


def rows(count: int = 4) -> list[str]:
    """Return lines such as those between the marks of a key, in both cases and with digits."""
    text = base64.b64encode(bytes(range(48 * count))).decode()
    return [text[start : start + 64] for start in range(0, len(text), 64)]


def key(kind: str = "", end: str = "", head: str = "", between: str = "\n") -> str:
    return between.join([mark(kind, end), *([head] if head else []), *rows(), mark(kind, end, "END"), ""])


@pytest.fixture
def guarded(tmp_path: Path) -> Repository:
    """A repository with the guard and one clean commit."""
    return with_guard(tmp_path / "shop", GUARD)


def judge(repository: Repository, code: int, **env: str) -> str:
    """Stage everything and run the guard by hand."""
    repository.git("add", "-A")
    return execute([str(repository.path / GUARD)], repository.path, {**os.environ, **env}, code)


KEYS: dict[str, tuple[int, str | bytes]] = {
    "plain": (1, key()),
    "of an algorithm": (1, key("RSA ")),
    "CRLF": (1, key("EC ").replace("\n", "\r\n")),
    "encrypted": (1, key("ENCRYPTED ")),
    "OpenSSH": (1, key("OPENSSH ")),
    "headers": (1, key("RSA ", head="Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,3F\n")),
    "PGP": (1, key("PGP ", " BLOCK", head="Version: 1\n")),
    "PuTTY": (1, f"PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: a\nPublic-Lines: 2\n{rows()[0]}\n"),
    "no end": (1, f"{mark()}\n{rows()[0]}\n"),
    "in code": (2, f'KEY = """\n{key()}"""\n'),
    "one line": (1, f"key = '{key(between='')}'\n"),
    "in JSON": (2, f'{{\n  "private_key": "{key(between=ESCAPED)}"\n}}\n'),
    "in JSON, CRLF": (1, f'{{"private_key": "{key(between=CR + ESCAPED)}"}}\n'),
    "escaped twice": (1, f"KEY={key(between=ESCAPED.replace(ESCAPED[0], ESCAPED[0] * 2))}\n"),
    "in YAML": (2, f"key: |\n{textwrap.indent(key(), '    ')}"),
    "behind NUL bytes": (2, f"\0\0\n\0{key()}"),
    "UTF-16": (1, key().encode("utf-16")),
    "bytes that are no text": (2, b"\xff\xfe\x80\r\n\x00\xe9" + key().encode()),
    "far down": (40_001, "line of text, and another\n" * 40_000 + key()),
}


@pytest.mark.parametrize("name", KEYS)
def test_private_key_is_named_with_path_and_line(guarded: Repository, name: str) -> None:
    line, content = KEYS[name]
    guarded.write("place", content)
    assert judge(guarded, 1) == f"place:{line}: private key"


@pytest.mark.parametrize("attributes", ["* binary", "* -diff", "* -text diff=other", "* filter=lfs"])
def test_what_git_calls_binary_is_read(guarded: Repository, attributes: str) -> None:
    guarded.write(".gitattributes", f"{attributes}\n")
    guarded.write("server.pem", key())
    assert judge(guarded, 1) == "server.pem:1: private key"


NAMES = [
    "two words",
    " blank",
    "blank ",
    "it's",
    'a"b',
    "größe",
    ":(top)x",
    "-e",
    "a:1: b",
    "*",
    "a\\nb",
    "\\",
    "%(rest)",
]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_named(guarded: Repository, name: str) -> None:
    guarded.write(name, key())
    guarded.write(f"{name}+", b"\0" * (LIMIT + 1))
    said = (f"{name}:1: private key", f"{name}+:1: 1048577 bytes, at most 1048576")
    assert sorted(judge(guarded, 1).splitlines()) == sorted(said)


@pytest.mark.parametrize(("name", "shown"), [("a\nb", '"a\\nb"'), ('a\t"b', '"a\\t\\"b"'), ("a\x01b", '"a\\001b"')])
def test_name_that_no_line_can_hold_is_quoted_as_git_does(guarded: Repository, name: str, shown: str) -> None:
    guarded.write(name, key())
    assert judge(guarded, 1) == f"{shown}:1: private key"


def test_each_key_of_many_files_is_told_with_its_own_file(guarded: Repository) -> None:
    """Files without a last newline, without text, and with lines like those that part files in the stream."""
    oid = "0" * 40
    for at in range(60):
        end = ("", "\0", f"\n{oid} blob 3", f"\n{oid} missing", "\n..:1 missing", f"\n{mark()}")[at % 6]
        guarded.write(f"{at}", f"{'text' * at}\n{key() if at % 7 == 0 else ''}{end}")
        guarded.write(f"{at}.empty", "")
    guarded.write("big", "\n" * (LIMIT + 1))
    found = [*(f"{at}:2: private key" for at in range(0, 60, 7)), "big:1: 1048577 bytes, at most 1048576"]
    assert sorted(judge(guarded, 1).splitlines()) == sorted(found)


OTHERS: dict[str, str | bytes] = {
    "an example cut short": f"{mark()}\n...\n{mark(word='END')}\n",
    "prose": f"`{mark()}` stands before {rows()[0]}\n",
    "a certificate behind the end": f"{mark()}\n{mark(word='END')}\n-----BEGIN CERTIFICATE-----\n{rows()[0]}\n",
    "a certificate": f"{mark()}\n-----BEGIN CERTIFICATE-----\n{rows()[0]}\n",
    "code": f'if text.startswith("{mark()}"):\n    parseThePrivateKeyOfTheServer1WithItsCertificate(text)\n',
    "a filler": f"{mark()}\n{'X' * 64}\n{mark(word='END')}\n",
    "a short row": f"{mark()}\n{rows()[0][:39]}\n{mark(word='END')}\n",
    "a digest": f"{mark()}\n{'0a' * 32}\n",
    "dots": f"{mark()}\n{rows()[0]}...\n{mark(word='END')}\n",
    "a path": f"{mark()}\n\nsome/longer/path/to/a/Page/with/more/than/40/characters.md\n",
    "a public key": key().replace("PRIVATE", "PUBLIC"),
    "the words": "A PRIVATE KEY is never committed.\n" + "\n".join(rows()),
    "text far below": f"{mark()}\n" + "line\n" * 9 + rows()[0],
    "the limit": b"\0" * LIMIT,
    "nothing": "",
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_only_looks_like_it_passes_in_silence(guarded: Repository, name: str) -> None:
    # AGADR-08: a guard that refuses everything would fail here
    guarded.write("page.md", OTHERS[name])
    assert judge(guarded, 0) == ""


def test_what_was_there_moves_goes_and_grows_without_a_word(guarded: Repository) -> None:
    guarded.commit("tests/server.pem", key())
    guarded.commit("picture", b"\0" * 2 * LIMIT)
    guarded.write("file", "another\n")
    assert judge(guarded, 0) == ""
    (guarded.path / "moved").mkdir()
    for name in ("tests/server.pem", "picture"):
        (guarded.path / name).rename(guarded.path / "moved" / os.path.basename(name))
    assert judge(guarded, 0) == ""
    guarded.commit("other")
    guarded.write("moved/picture", b"\0" * 3 * LIMIT)
    (guarded.path / "moved/server.pem").unlink()
    assert judge(guarded, 0) == ""


def test_key_in_the_place_of_an_example_is_new(guarded: Repository) -> None:
    guarded.commit("place", f"{mark()}\n...\n{mark(word='END')}\n")
    guarded.write("place", key())
    assert judge(guarded, 1) == "place:1: private key"


@pytest.mark.parametrize("size", [1, 2 * LIMIT])
def test_key_that_was_there_passes_in_any_form_and_another_does_not(guarded: Repository, size: int) -> None:
    # as all OpenSSH keys of one kind, the two are alike in their first row
    other = key().replace(rows()[1], rows()[1][::-1])
    guarded.commit("place", f"{key()}{'.' * size}\n")
    guarded.commit("gone", f"other = {key(between=ESCAPED)!r}")
    (guarded.path / "gone").unlink()
    guarded.write("new", f"{{'key': '{key(between=CR + ESCAPED)}'}}\n")
    guarded.write("place", f"One\n{key()}{'.' * size}more\n")
    assert judge(guarded, 0) == ""
    guarded.write("place", f"One\n{other}{'.' * size}more\n")
    assert judge(guarded, 1) == "place:2: private key"
    guarded.write("place", f"{key()}{other}{'.' * size}more\n")
    assert judge(guarded, 1) == "place:7: private key"


def test_key_does_not_go_on_in_the_next_file(guarded: Repository) -> None:
    guarded.commit("a", f"{mark()}\n{rows()[0]}")
    guarded.write("a", f"One\n{mark()}\n{rows()[0]}")
    guarded.write("b", f"{rows()[1]}\n{mark()}\n")
    guarded.write("c", rows()[2])
    assert judge(guarded, 0) == ""


def test_submodule_and_link_have_no_size(guarded: Repository) -> None:
    (guarded.path / "link").symlink_to("/etc")
    guarded.git("update-index", "--add", "--cacheinfo", f"160000,{'f' * 40},lib")
    (guarded.path / "lib").mkdir()
    assert judge(guarded, 0) == ""


def test_given_tree_is_judged_against_the_given_base(guarded: Repository) -> None:
    base = guarded.git("rev-parse", "HEAD")
    bad = guarded.commit("a.pem", key())
    worse = guarded.commit("big", b"\0" * 2 * LIMIT)
    guarded.git("rm", "-q", "a.pem", "big")
    guarded.commit("file", "clean\n")
    env = {"GROUNDRULES_BASE": base, "GROUNDRULES_TREE": f"{worse}^{{tree}}"}
    assert len(judge(guarded, 1, **env).splitlines()) == 2
    assert judge(guarded, 1, **{**env, "GROUNDRULES_BASE": bad}) == "big:1: 2097152 bytes, at most 1048576"


def test_before_the_first_commit_everything_is_added(guarded: Repository) -> None:
    guarded.git("update-ref", "-d", "HEAD")
    assert judge(guarded, 0) == ""
    guarded.write("deep/down/key", key())
    assert judge(guarded, 1) == "deep/down/key:1: private key"


@pytest.mark.parametrize(
    ("setting", "value"),
    [("color.ui", "always"), ("core.quotePath", "true"), ("core.abbrev", "7"), ("diff.renames", "0")],
)
def test_no_setting_of_the_user_changes_the_answer(guarded: Repository, setting: str, value: str) -> None:
    guarded.git("config", setting, value)
    guarded.write("größe", b"\0" * 2 * LIMIT)
    guarded.write("schlüssel", key())
    assert judge(guarded, 1).splitlines() == ["größe:1: 2097152 bytes, at most 1048576", "schlüssel:1: private key"]


def test_unreadable_tree_is_an_error_and_not_a_pass(guarded: Repository) -> None:
    assert "private key" not in judge(guarded, 2, GROUNDRULES_TREE="0" * 40)


def test_unreadable_file_is_an_error_and_not_a_pass(guarded: Repository) -> None:
    guarded.write("lost", "text\n")
    guarded.git("add", "-A")
    tree = guarded.git("write-tree")
    oid = guarded.git("rev-parse", f"{tree}:lost")
    (guarded.path / "lost").unlink()  # or staging writes it again
    (guarded.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
    assert judge(guarded, 2, GROUNDRULES_TREE=tree) == ""


def test_it_explains_itself(guarded: Repository) -> None:
    said = execute([str(guarded.path / GUARD), "--explain"], guarded.path, os.environ)
    assert "private keys" in said
    assert len(said.splitlines()) < 6
