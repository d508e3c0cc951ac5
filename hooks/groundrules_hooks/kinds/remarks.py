"""Remarks: the comments of a file, and those among them that tools obey."""

from __future__ import annotations

from groundrules_hooks.kinds.verdict import COMMENTS, FORMATTING, UNKNOWN
from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Marks of comments in all languages, and what formatters put around their words.
MARKS = b"/*#!-;<>"
DOCUMENTING = frozenset((b"///", b"//!", b"/**", b"/*!"))
# What Go's tests compare an output with goes on after this, line by line.
OUTPUT = b"output:"
# What comments that tools obey have in them, in small letters.
OBEYED = (
    b"noqa",
    b"nolint",
    b"nosec",
    b"nosonar",
    b"nopep8",
    b"noinspection",
    b"pragma",
    b"ignore",
    b"disable",
    b"enable",
    b"suppress",
    b"#!",
    b"# type:",
    b"coding:",
    b"coding=",
    b"fmt:",
    b"format off",
    b"format on",
    b"formatter:",
    b"spotless:",
    b"mypy:",
    b"ruff:",
    b"isort:",
    b"yapf:",
    b"pylint:",
    b"pyright:",
    b"flake8:",
    b"cython:",
    b"rubocop:",
    b"swiftlint:",
    b"shellcheck",
    b"phpcs",
    b"phpstan",
    b"psalm",
    b"tfsec:",
    b"checkov:",
    b"trivy:",
    b"renovate:",
    b"zizmor:",
    b"language-server:",
    b"syntax=",
    b"escape=",
    b"frozen_string_literal",
    b"typed:",
    b"eslint",
    b"jshint",
    b"tslint",
    b"stylelint",
    b"prettier-",
    b"istanbul",
    b"c8 ",
    b"v8 ",
    b"webpack",
    b"vite-",
    b"__pure__",
    b"sourcemappingurl",
    b"@ts-",
    b"@jsx",
    b"@flow",
    b"@vitest",
    b"@jest",
    b"<reference",
    b"//go:",
    b"+build",
    b"//export ",
    b"//line ",
    OUTPUT,
    b"fall through",
    b"fallthrough",
    b"lcov_",
    b"iwyu",
    b"cppcheck",
    b"checkstyle",
    b"$non-nls",
    b"@orm",
    b"@route",
    b"@assert",
    b"@dataprovider",
    b"@group",
    b"@runinseparateprocess",
    b"/*+",
    b"/*!",
    b"begin_",
    b"end_",
    b"snippet",
)


class Remark(NamedTuple):
    """One comment, with its marks, how much of the code stands before it, and where it stands if that counts."""

    text: bytes
    position: int
    place: tuple[bytes, bool] = (b"", False)


def compare_remarks(old: Iterable[Remark], new: Iterable[Remark], *, is_attribute: bool = False) -> str:
    """Judge the comments of two files of the same meaning: same words are formatting, and obeyed ones count.

    So do the marks of documentation, and all of it where it `is_attribute` of what it stands before.
    """
    before, after = list(old), list(new)
    if _obeyed(before) != _obeyed(after):
        return UNKNOWN
    if _words(before) != _words(after):
        return COMMENTS
    if _grouped(before) != _grouped(after) or (is_attribute and _documentation(before) != _documentation(after)):
        return UNKNOWN
    return FORMATTING


def place(text: bytes, start: int, end: int) -> tuple[bytes, bool]:
    """Return what stands before a comment on its line, blanks as one, and whether an empty line follows it.

    It goes from `start` to `end` in `text`.
    """
    before = text[text.rfind(b"\n", 0, start) + 1 : start]
    following = text.find(b"\n", end + 1)
    is_apart = not text[end + 1 : following if following >= 0 else len(text)].strip()
    return b"code" if before.strip() else b" " if before else b"", is_apart


def _words(remarks: Iterable[Remark]) -> list[bytes]:
    words = b" ".join(remark.text for remark in remarks).split()
    return [plain for word in words if (plain := word.strip(MARKS))]


def _obeyed(remarks: list[Remark]) -> list[tuple[list[bytes], Remark, bool]]:
    """Return the comments that tools obey, and where they stand; all lines of an output that is tested."""
    found: list[tuple[list[bytes], Remark, bool]] = []
    output = -1
    everything = b"\n".join(remark.text for remark in remarks).lower()
    obeyed = [word for word in OBEYED if word in everything]  # few, if any: not each is sought in each comment
    for remark, is_apart in zip(remarks, _parted(remarks), strict=True):
        text = remark.text.lower()
        if OUTPUT in text and b"\n" not in text:
            output = remark.position
        if output == remark.position:
            found.append(([], remark, is_apart))
        elif any(word in text for word in obeyed):
            found.append((_said(remark.text), remark._replace(text=b""), is_apart))
    return found


def _said(comment: bytes) -> list[bytes]:
    """Return the words of a comment, the marks that formatters put around them parted from the first and the last."""
    opening = comment[: len(comment) - len(comment.lstrip(b"/*#"))]
    words = comment[len(opening) :].replace(b"*/", b" ").split()
    return [opening, *(word for word in words if word != b"*")]


def _parted(remarks: list[Remark]) -> list[bool]:
    """Return of each comment whether an empty line follows it, or the comments right after it."""
    found: list[bool] = []
    for remark, following in zip(reversed(remarks), [None, *reversed(remarks[1:])], strict=False):
        is_followed = following is not None and following.position == remark.position
        found.append(remark.place[1] or (is_followed and found[-1]))
    return found[::-1]


def _grouped(remarks: Iterable[Remark]) -> list[tuple[bytes, list[bytes]]]:
    """Return the words of the comments, those together that follow one another with the same mark."""
    groups: list[tuple[bytes, list[bytes]]] = []
    for remark in remarks:
        mark, words = _mark(remark.text), _words([remark])
        if groups and groups[-1][0] == mark:
            groups[-1][1].extend(words)
        elif words:
            groups.append((mark, words))
    return groups


def _documentation(remarks: Iterable[Remark]) -> list[tuple[int, list[bytes]]]:
    """Return the lines of each comment that documents something, and where it stands."""
    return [
        (remark.position, [line.rstrip() for line in remark.text.split(b"\n")])
        for remark in remarks
        if _mark(remark.text)
    ]


def _mark(comment: bytes) -> bytes:
    """Return the mark of a comment that documents something; none for others: `////`, `/***` and `/**/` are plain."""
    mark = comment[:3]
    is_plain = mark not in DOCUMENTING or (mark[1:2] == mark[2:] and comment[3:4] in (mark[2:], b"/"))
    return b"" if is_plain else mark
