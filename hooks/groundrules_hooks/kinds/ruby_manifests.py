"""Manifests of Ruby: Gemfile and gemspec. Both are programs; their lines that name a gem are read, the rest is code."""

from __future__ import annotations

from groundrules_hooks.kinds.pins import Pins, gathered, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator

Pair = tuple[str, "str | None"]
LONGEST = 2000  # characters of a line that a person may have written
# A text, or one in a list, frozen or not, and the comma in front of all but the first.
LITERAL = r"[\s,\[(]*(?:\"([^\"#]*)\"|'([^']*)'|%q<([^>]*)>)(?:\.freeze)?[\])\s]*(?:\.freeze)?(?=,|$|if |unless )"


def gemfile(content: bytes) -> Pins:
    """Read a Gemfile."""
    return _read(content, r"gem[ (]", r"ruby[ (]")


def gemspec(content: bytes) -> Pins:
    """Read a gemspec."""
    head = r"\w+\.add_(?:runtime_|development_)?dependency[ (]"
    return _read(content, head, r"\w+\.required_ruby_version *=")


def _read(content: bytes, declares: str, asks_ruby: str) -> Pins:
    import re

    gem, ruby, literal = re.compile(declares), re.compile(asks_ruby), re.compile(LITERAL)
    option = re.compile(r",\s*(?::?\w+ *=>|\w+: )")
    reference = re.compile(r"\b(?:ref|tag|branch)(?:: *| *=> *)[\"']([^\"']*)[\"']")
    pairs: list[Pair] = []
    rest = []
    for line in _statements(lines(content)):
        found = gem.match(line) or ruby.match(line) if len(line) < LONGEST else None
        if found is None:
            rest.append(line)
            continue
        tail = line[found.end() :]
        end = option.search(tail)
        positional = tail[: end.start()] if end else tail
        words, rest_of_it = _words(literal, positional)
        pinned = reference.findall(tail)
        if found.re is ruby:
            # A gem promises what it runs on; an application says what it is run with.
            pairs.append(("ruby", None if "required" in asks_ruby else ", ".join(words)))
        elif words and not rest_of_it:
            pairs.append((words[0], ", ".join(sorted(words[1:]) + pinned)))
        else:
            rest.append(line)
    return Pins(gathered(pairs), {}, rest)


def _words(literal: re.Pattern[str], text: str) -> tuple[list[str], str]:
    """Return the literals that `text` begins with, and what follows: a condition counts as nothing, code as itself."""
    words = []
    at = 0
    while found := literal.match(text, at):
        words.append("".join(filter(None, found.groups())))
        at = found.end()
    left = text[at:].strip(" )")
    return words, "" if left.startswith(("if ", "unless ")) else left


def _statements(found: Iterable[str]) -> Iterator[str]:
    """Yield lines without comments and blanks in front, those that end in a comma joined with the next."""
    parts: list[str] = []
    for line in found:
        plain = "" if line.lstrip().startswith("#") else line.partition(" # ")[0].strip()
        if plain:
            parts.append(plain)
        if parts and not plain.endswith(","):
            yield " ".join(parts)
            parts = []
    if parts:
        yield " ".join(parts)


READERS: dict[str, Callable[[bytes], Pins]] = {"Gemfile": gemfile, "*.gemspec": gemspec}
