"""Code: what a file of code says once comments and documentation are left out, and whether it does anything."""

from __future__ import annotations

from groundrules_hooks.kinds.languages import BY_SUFFIX, LINES, SCRIPT, SYNTAX, TOKENS, VALUES, WORDS, language
from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from groundrules_hooks.kinds.languages import Language

# What stands in place of work in languages with braces, as their readers space it.
SIGNS = (
    rb"\b(?:unimplemented|todo) ?! ?\(|NotImplemented(?:Exception|Error)\b|\bTODO ?\("
    rb"|(?i:\b(?:Error|Exception|panic|fatalError|abort)\w* ?\([^)]{0,40}not (?:yet )?(?:been )?implemented)"
)
# Braces that hold names and no work.
NAMING = rb"\b(?:import|export)\b(?: type)? ?\{[^{}]*\} ?from\b|\buse\b[^;{}]*\{[^;]*\} ?;"

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


def look(path: str, content: bytes) -> tuple[bool, bool]:
    """Return whether the file at `path` with `content` parses, as far as that can be told, and whether it works."""
    known = language(named(path, content))
    if known and known.reader == SYNTAX:
        from groundrules_hooks import python_code

        return python_code.look(content)
    return True, _works(bare(content, known), known)


def read(path: str, content: bytes) -> Code:
    """Return what the file at `path` with `content` says to those that run it."""
    known = language(named(path, content))
    if known and known.reader == SYNTAX:
        from groundrules_hooks import python_code

        return python_code.read(content)
    import re

    plain = bare(content, known)
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


def bare(content: bytes, known: Language | None) -> bytes:
    """Return `content` without its comments, its tokens with one blank between where a reader knows them."""
    import re

    if known is None or known.reader not in (TOKENS, SCRIPT, LINES, WORDS):
        return content
    if known.reader in (TOKENS, SCRIPT):
        from groundrules_hooks.kinds import script, tokens

        try:
            reader = script.read if known.reader == SCRIPT else tokens.read
            return b" ".join(reader(content.replace(b"\r\n", b"\n"), known).tokens)
        except tokens.UnreadableError:
            content = re.sub(rb"/\*.*?\*/", b" ", content, flags=re.DOTALL) if b"//" in known.marks else content
    if "markup" in known.traits:
        return re.sub(rb"<!--.*?-->", b" ", content, flags=re.DOTALL)
    marks = b"|".join(map(re.escape, known.marks))
    return re.sub(rb"(?m)(?:^|(?<=\s))(?:" + marks + rb")[^\n]*", b"", content) if marks else content


def _works(plain: bytes, known: Language | None) -> bool:
    """Whether there is work in `plain`: something, and not signs of what is missing in every innermost block."""
    import re

    if known is None or known.reader not in (TOKENS, SCRIPT):
        return bool(plain.strip())
    rest = re.sub(NAMING, b"", plain)
    blocks = re.findall(rb"\{([^{}]*)\}", rest)
    if not blocks:
        return bool(plain.strip())
    return not all(not block.strip() or re.search(SIGNS, block) for block in blocks)
