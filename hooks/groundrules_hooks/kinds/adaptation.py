"""Adaptation: code that changes because a dependency moved is one concern with the upgrade."""

from __future__ import annotations

from groundrules_hooks.alike import start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groundrules_hooks.kinds.pins import Move

# What runs or types the whole of a repository's code: an upgrade may ask for changes anywhere.
TOOLCHAIN = frozenset(
    (
        "python",
        "node",
        "nodejs",
        "go",
        "golang",
        "rust",
        "ruby",
        "php",
        "java",
        "dotnet",
        "sdk",
        "toolchain",
        "channel",
        "typescript",
        "version",  # in a file about one tool, such as .python-version
    )
)
# What writes the form of code, each part of their names.
FORMATTERS = (
    "black",
    "ruff",
    "prettier",
    "eslint",
    "biome",
    "gofumpt",
    "rustfmt",
    "clang-format",
    "spotless",
    "ktlint",
)
RANGE = "^~>=<v "  # what may stand before a version
ENOUGH = 200  # contents that tell what thousands speak of,
GOLDEN = 0.618034  # each this part of the whole behind the one before: they lie apart, and in no rhythm of the files
BOTS = ("renovate", "dependabot", "dependency-review")


def is_of_bots(path: str) -> bool:
    """Whether `path` configures a program that upgrades dependencies."""
    return path.rpartition("/")[2].lstrip(".").lower().startswith(BOTS)


def brings_form(moves: Iterable[Move]) -> bool:
    """Whether one of `moves` is of a formatter: its new version writes old code anew."""
    return any(name in move.name.lower() for move in moves for name in FORMATTERS)


def is_version_only(old: bytes | None, new: bytes | None) -> bool:
    """Whether two contents differ in version numbers and digests alone."""
    if old is None or new is None:
        return False
    import re

    version = re.compile(rb"(?<!\d)v?\d+(?:\.\d+)+[\w.+-]*|\b[0-9a-f]{7,128}\b|\bsha\d+-[\w+/=]+")
    differs = start(old, new)
    begun = max(old.rfind(b"\n", 0, differs), old.rfind(b" ", 0, differs)) + 1  # where a version may begin
    first = {version.sub(b"0", text[begun:].partition(b"\n")[0]) for text in (old, new)}
    if len(first) > 1:  # as a rule: the other lines need no look
        return False
    before, after = old[begun:].split(b"\n"), new[begun:].split(b"\n")
    pairs = zip(before, after, strict=False)
    same = all(version.sub(b"0", one) == version.sub(b"0", other) for one, other in pairs if one != other)
    return same and len(before) == len(after)


def is_renewed(moves: Iterable[Move], old: bytes | None, new: bytes | None) -> bool:
    """Whether a generated file states a version to which something moved, and did not before: its generator's."""
    import re

    versions = {move.new.lstrip(RANGE).encode("utf-8", "surrogateescape") for move in moves if "." in move.new}
    stated = [rb"(?<![\d.])%s(?!\w|\.\d)" % re.escape(version) for version in versions]
    return any(re.search(each, new or b"") and not re.search(each, old or b"") for each in stated)


def is_about(moves: Iterable[Move], contents: Sequence[bytes]) -> bool:
    """Whether half of `contents` speak of a dependency that moved, or what moved runs all code.

    Of many, `ENOUGH` are heard.
    """
    names = {name for move in moves if not _is_patch(move) for name in _names(move.name)}
    if names & TOOLCHAIN:
        return True
    wanted = [name.encode("utf-8", "surrogateescape") for name in names]
    count = len(contents)
    heard = [contents[int(number * GOLDEN % 1 * count)] for number in range(ENOUGH)] if count > ENOUGH else contents
    spare = len(heard) // 2
    for content in map(bytes.lower, heard):
        if not any(_speaks(name, content) for name in wanted):
            spare -= 1
            if spare < 0:
                return False
    return True


def _is_patch(move: Move) -> bool:
    """Whether only the third number of a version moved: such an upgrade asks code for nothing (semver.org)."""
    old, new = (version.lstrip(RANGE).split(".") for version in (move.old, move.new))
    return len(old) == len(new) == 3 and old[:2] == new[:2] and old[:2] != ["0", "0"]


def _names(name: str) -> set[str]:
    """Return how code may call the dependency `name`: as a whole, since parts such as `core` or `config` say nothing.

    Code calls Maven's artifacts by their group, and writes underscores for hyphens.
    """
    group, colon, _ = name.lower().partition(":")
    whole = group if colon and "." in group else name.lower()
    return {whole, whole.replace("-", "_")}


def _speaks(name: bytes, content: bytes) -> bool:
    """Whether `content` holds `name` as a word."""
    at = content.find(name)
    while at >= 0:
        end = at + len(name)
        if not (content[max(at - 1, 0) : at].isalnum() or content[end : end + 1].isalnum()):
            return True
        at = content.find(name, at + 1)
    return False
