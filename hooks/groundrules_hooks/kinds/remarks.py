"""Remarks: the comments of a file, and those among them that tools obey."""

from __future__ import annotations

from groundrules_hooks.kinds.verdict import COMMENTS, FORMATTING, UNKNOWN
from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Marks of comments in all languages, and what formatters put around their words.
MARKS = b"/*#!-;<>"
SPACED = bytes(32 if code in MARKS else code for code in range(256))
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
    b"output:",
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
    """One comment, with its marks, and how much of the code stands before it."""

    text: bytes
    position: int


def compare_remarks(old: Iterable[Remark], new: Iterable[Remark]) -> str:
    """Judge the comments of two files of the same meaning: same words are formatting, and obeyed ones count."""
    before, after = list(old), list(new)
    if _obeyed(before) != _obeyed(after):
        return UNKNOWN
    return FORMATTING if _words(before) == _words(after) else COMMENTS


def _words(remarks: Iterable[Remark]) -> list[bytes]:
    return b" ".join(remark.text for remark in remarks).translate(SPACED).split()


def _obeyed(remarks: Iterable[Remark]) -> list[tuple[list[bytes], int]]:
    return [(_words([remark]), remark.position) for remark in remarks if is_obeyed(remark.text)]


def is_obeyed(comment: bytes) -> bool:
    """Whether a tool may obey `comment`, so that changing it is more than a remark."""
    text = comment.lower()
    return any(word in text for word in OBEYED)
