"""Code: what a file of code says once comments and documentation are left out, and whether it does anything."""

from __future__ import annotations

from groundrules_hooks import comments
from groundrules_hooks.kinds.languages import BY_SUFFIX, LINES, SCRIPT, SYNTAX, TOKENS, VALUES, WORDS, language
from groundrules_hooks.kinds.proof import BOM
from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from groundrules_hooks.kinds.languages import Language

DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
TEXT = rb'"([^"\n]{1,200})"|' + rb"'([^'\n]{1,200})'|`([^`\n]{1,200})`"
# Languages of which a file says what is, not what is done.
DATA = (
    "yaml yml jsonc json5 code-workspace cfg ini properties xml svg csproj props targets mk dockerfile cmake"
    " tf tfvars hcl css scss less graphql gql proto"
)

# The suffix that a file would have, by the program that its first line names.
STARTERS = {
    starter: suffix
    for suffix, starters in (
        ("py", "python pypy uv"),
        ("js", "node nodejs bun deno tsx"),
        ("ts", "ts-node"),
        ("sh", "sh bash dash ash ksh zsh"),
        ("rb", "ruby"),
        ("pl", "perl"),
        ("php", "php"),
    )
    for starter in starters.split()
}


class Code(NamedTuple):
    """What a file says. `imports` are how many dots, and a dotted name, of each import of Python.

    `texts` are the strings in it, `words` the names outside of them in languages other than Python.
    """

    imports: frozenset[tuple[int, str]] = frozenset()
    texts: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()


class Look(NamedTuple):
    """What a file shows by itself: that it parses, that it may do something, and that it says something is missing."""

    parses: bool = True
    works: bool = True
    lacks: bool = False


def is_source(path: str) -> bool:
    """Whether the file at `path` is one of code, by its name."""
    stem, _, suffix = path.rpartition("/")[2].lower().rpartition(".")
    known = BY_SUFFIX.get(suffix)
    return stem != "" and known is not None and known.reader != VALUES and suffix not in DATA.split()


def named(path: str, content: bytes) -> str:
    """Return the name by which the file at `path` is read: where it has no suffix, one that its `#!` line tells."""
    if not content.startswith(b"#!") or "." in path.rpartition("/")[2]:
        return path
    words = content[2:200].partition(b"\n")[0].decode("utf-8", "replace").split()
    names = [word.rpartition("/")[2] for word in words if not word.startswith("-") and "=" not in word]
    starter = next((name for name in names if name != "env"), "").rstrip("0123456789.")
    return f"{path}.{STARTERS[starter]}" if starter in STARTERS else path


def look(path: str, content: bytes) -> Look:
    """Return what the file at `path` with `content` shows by itself, as far as that can be told."""
    known = language(named(path, content))
    if known and known.reader == SYNTAX:
        from groundrules_hooks import python_code

        return python_code.look(content)
    import re

    from groundrules_hooks import braced_code, placeholder

    suffix = path.rpartition(".")[2].lower()
    tokens = _tokens(content, known) if known and suffix in braced_code.SUFFIXES else None
    plain = bare(path, content, known) if tokens is None else b" ".join(tokens)
    # What stands in comments of declarations counts too: they refer to others.
    works = braced_code.works(tokens, suffix) if tokens is not None else bool(plain.strip())
    works = works or (path.endswith(DECLARATIONS) and bool(content.strip()))
    return Look(works=works, lacks=re.search(placeholder.SIGNS, plain) is not None)


def read(path: str, content: bytes) -> Code:
    """Return what the file at `path` with `content` says to those that run it."""
    known = language(named(path, content))
    if known and known.reader == SYNTAX:
        from groundrules_hooks import python_code

        return python_code.read(content)
    import re

    plain = bare(path, content, known)
    texts = re.findall(TEXT, plain)
    words = re.findall(rb"[\w$-]*[\w$]", re.sub(TEXT, b" ", plain))
    return Code(
        texts=frozenset(next(filter(None, found)).decode("utf-8", "replace") for found in texts),
        words=frozenset(word.decode("utf-8", "replace") for word in words),
    )


def parts(texts: Iterable[str]) -> set[str]:
    """Return the names in `texts`, such as those between the slashes and dots of a path."""
    import re

    return {part for text in texts for part in re.findall(r"[\w$-]+", text)}


def bare(path: str, content: bytes, known: Language | None) -> bytes:
    """Return `content` without its comments, its tokens with one blank between where a reader knows them."""
    import re

    content = comments.without(named(path, content), content)
    if known is None or known.reader not in (TOKENS, SCRIPT, LINES, WORDS):
        return content
    if known.reader in (TOKENS, SCRIPT):
        found = _tokens(content, known)
        if found is not None:
            return b" ".join(found)
        content = re.sub(rb"/\*.*?\*/", b" ", content, flags=re.DOTALL) if b"//" in known.marks else content
    if "markup" in known.traits:
        return re.sub(rb"<!--.*?-->", b" ", content, flags=re.DOTALL)
    marks = b"|".join(map(re.escape, known.marks))
    return re.sub(rb"(?m)(?:^|(?<=\s))(?:" + marks + rb")[^\n]*", b"", content) if marks else content


def _tokens(content: bytes, known: Language) -> list[bytes] | None:
    """Return the tokens of `content`; None where they are not certain."""
    from groundrules_hooks.kinds import script, tokens

    try:
        reader = script.read if known.reader == SCRIPT else tokens.read
        return reader(content.removeprefix(BOM).replace(b"\r\n", b"\n"), known).tokens
    except tokens.UnreadableError:
        return None
