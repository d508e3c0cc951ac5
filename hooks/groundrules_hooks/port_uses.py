"""Port uses: the places of a text that name a number of the port table as a port of this machine."""

from __future__ import annotations

import re

from groundrules_hooks import port_forms as forms
from groundrules_hooks.port_files import COMPOSE, PLAIN, TEST
from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from re import Pattern

VALUE_MARKS = ("=", "(", "[", "{", ",", ":", "return")
NEAR = 3  # lines around a port in which a host or a word about defaults belongs to it
SEARCHED = {
    PLAIN: (*forms.ADDRESS.values(), *forms.BINDING.values()),
    COMPOSE: tuple(forms.PUBLISHING.values()),
    TEST: tuple(forms.BINDING.values()),  # a test may name any address as long as it does not take it
}


class Use(NamedTuple):
    """One number of the table in a line, which counts from 1; `start` is its offset there."""

    line: int
    start: int
    port: int


def uses(text: str, kind: str, ports: Iterable[int]) -> Iterator[Use]:
    """Yield where `text`, of a file of that `kind`, names one of `ports` as a port of this machine, once a line each.

    Told by form, so never surely: what stands in comments, is a fallback, only said, of another host or inside a
    container is left out.
    """
    lines = text.split("\n")
    if any(line.startswith("apiVersion:") for line in lines):
        return  # of a cluster, whose ports are its own
    if kind == PLAIN and "services:" in lines:
        kind = COMPOSE
    numbers = "|".join(map(str, sorted(ports, reverse=True)))
    plain = re.compile(rf"(?<![\w.])(?:{numbers})(?!\w)")
    patterns = _patterns(kind, numbers)
    for index, line in _outside_comments(lines):
        if line.startswith(("mod tests {", "mod test {")):  # of Rust, where tests stand below the code
            patterns = _patterns(TEST, numbers)
        code = _code(line) if plain.search(line) else ""
        if code and not _passes(lines, index, kind, code):
            found = {port: start for start, port in reversed(list(_in_code(code, patterns)))}
            yield from (Use(index + 1, start, port) for port, start in sorted(found.items()))


def _patterns(kind: str, numbers: str) -> list[Pattern[str]]:
    return [re.compile(form.replace("NUMBER", numbers)) for form in SEARCHED[kind]]


def _in_code(code: str, patterns: Iterable[Pattern[str]]) -> Iterator[tuple[int, int]]:
    """Yield start and number of each use that is no fallback and stands in no `${...}`."""
    found = {match.start(1): int(match[1]) for pattern in patterns for match in pattern.finditer(code)}
    for start, port in sorted(found.items()):
        before = code[:start]
        if not forms.FALLBACK.search(before) and before.rfind("${") <= before.rfind("}"):
            yield start, port


def _passes(lines: Sequence[str], index: int, kind: str, code: str) -> bool:
    """Whether `code` or the lines around say that no port of it is one of this machine to write otherwise."""
    above = lines[max(0, index - NEAR) : index]
    if forms.SAYS.search(code) or forms.EXECUTED.search(code) or any(map(forms.DEFAULTS.search, above)):
        return True
    if any(map(forms.NOTHING_GIVEN.search, above[-1:])):
        return True
    if kind == COMPOSE:
        return any(key in forms.INSIDE_KEYS for key in _keys(lines, index))
    near = lines[max(0, index - NEAR) : index + NEAR + 1]
    return not forms.THIS_HOST.search(code) and any(map(forms.OTHER_HOST.search, near))


def _keys(lines: Sequence[str], index: int) -> Iterator[str]:
    """Yield the keys of YAML that the line stands below, its own first."""
    depth = len(lines[index]) + 1
    for line in reversed(lines[: index + 1]):
        words = line.lstrip(" ")
        if words and not words.startswith("#") and len(line) - len(words) < depth:
            yield words.removeprefix("- ").partition(":")[0].strip("'\"")
            # An item of a list may be no deeper than its key.
            depth = len(line) - len(words) + words.startswith("-")


def _outside_comments(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield index and text of the lines that are not inside a comment of several lines, or a text as long."""
    end = ""
    for index, line in enumerate(lines):
        if end:
            end = "" if end in line else end
        else:
            end = _opened(line.strip())
            yield index, line


def _opened(words: str) -> str:
    """Return what ends the comment or long text that `words` open; empty when they open none.

    A glob may hold `/*`, and YAML three quotes: a comment begins its line, a text of several lines is a value.
    """
    for start, stop in forms.BLOCKS.items():
        if start != stop:
            opens = words.startswith(start) and stop not in words
        else:
            before = words.removesuffix(start).rstrip("rbfuRBFU").rstrip()
            is_value = before != words and before.endswith(VALUE_MARKS)
            opens = words.count(start) % 2 == 1 and (words.startswith(start) or is_value)
        if opens:
            return stop
    return ""


def _code(line: str) -> str:
    """Return `line` without its comment, told by the marks of most languages."""
    if line.lstrip().startswith(forms.COMMENTS):
        return ""
    ends = [at for mark in forms.TRAILING_COMMENTS if (at := line.find(mark)) >= 0]
    return line[: min(ends)] if ends else line
