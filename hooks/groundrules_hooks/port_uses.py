"""Port uses: the places of a text that name a number of the port table as a port of this machine."""

from __future__ import annotations

import re

from groundrules_hooks import port_forms as forms
from groundrules_hooks.port_files import COMPOSE, PLAIN, TEST
from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

VALUE_MARKS = ("=", "(", "[", "{", ",", ":", "return")
LONGEST = 4_000  # characters; nobody wrote a longer line by hand, and the forms may look at it once a word
NEAR = 3  # lines around a port in which a host or a word about defaults belongs to it
SEARCHED = {
    PLAIN: (*forms.ADDRESS, *forms.BINDING),
    COMPOSE: forms.PUBLISHING,
    TEST: forms.BINDING,  # a test may name any address as long as it does not take it
}


class Use(NamedTuple):
    """One number of the table in a line, which counts from 1; `start` is its offset there, or of a range around it."""

    line: int
    start: int
    port: int


def uses(text: str, kind: str, ports: Iterable[int]) -> Iterator[Use]:
    """Yield where `text`, of a file of that `kind`, names one of `ports` as a port of this machine, once a line each.

    Told by form, so never surely: what stands in comments, is a fallback, only said, of another host or inside a
    container is left out.
    """
    lines = [line if len(line) <= LONGEST else "" for line in text.split("\n")]
    if any(line.startswith("apiVersion:") for line in lines):
        return  # of a cluster, whose ports are its own
    if kind == PLAIN and "services:" in lines:
        kind = COMPOSE
    table = sorted(ports, reverse=True)
    numbers = "|".join(map(str, table))
    plain = re.compile(rf"(?<![\d.])(?:{numbers})(?!\w)")
    for index, line in _outside_comments(lines):
        if line.startswith(("mod tests {", "mod test {")):  # of Rust, where tests stand below the code
            kind = TEST
        is_range = kind == COMPOSE and "-" in line and re.search(forms.RANGE, line)
        code = _code(line) if is_range or plain.search(line) else ""
        places = [*_in_code(code, kind, numbers), *(_in_ranges(code, table) if is_range else ())] if code else ()
        if places and not _passes(lines, index, kind, code):
            found = {port: start for start, port in sorted(places, reverse=True)}
            yield from (Use(index + 1, start, port) for port, start in sorted(found.items()))


def _in_code(code: str, kind: str, numbers: str) -> Iterator[tuple[int, int]]:
    """Yield start and number of the first use of each that is no fallback, not only said, and in no `${...}`."""
    forms_here = [form.replace("NUMBER", numbers) for held, form in SEARCHED[kind] if held in code]
    found = {match.start(1): int(match[1]) for form in forms_here for match in re.finditer(form, code)}
    said = re.match(forms.SAID, code) if found else None
    told = set()
    for start, port in sorted(found.items()):
        if port not in told and (said is None or start >= said.end()):
            before, after = code[:start], code[start + len(str(port)) :]
            if before.rfind("${") <= before.rfind("}") and not _is_another(before, after):
                told.add(port)
                yield start, port


def _in_ranges(code: str, ports: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the start of each range of ports in `code`, and one of `ports` that it includes."""
    for match in re.finditer(forms.RANGE, code):
        yield from ((match.start(1), port) for port in ports if int(match[1]) <= port <= int(match[2]))


def _is_another(before: str, after: str) -> bool:
    """Whether what stands around a number says that it is a fallback, of another slot, or no port."""
    option = before.rstrip("'\"=, ")
    if re.search(r"(?<![\w-])-[pP]$", option[-3:]) and re.search(forms.OTHER_OPTION, option):
        return True
    if re.match(forms.FALLBACK_AFTER, after):
        return True
    return re.search(forms.FALLBACK, re.sub(forms.ASSIGNED, "", before)) is not None


def _passes(lines: Sequence[str], index: int, kind: str, code: str) -> bool:
    """Whether `code` or the lines around say that no port of it is one of this machine to write otherwise."""
    above = lines[max(0, index - NEAR) : index]
    if re.search(forms.SAYS, code) or re.search(forms.EXECUTED, code):
        return True
    if re.search(forms.NOT_GIVEN, code) or any(re.search(forms.NOTHING_GIVEN, line) for line in above[-1:]):
        return True
    if any(re.search(forms.DEFAULTS, line) for line in above) or re.search(forms.PARAMETERS, "\n".join(above)):
        return True
    if kind == COMPOSE:
        return any(key in forms.INSIDE_KEYS for key in _keys(lines, index))
    near = lines[max(0, index - NEAR) : index + NEAR + 1]
    return not re.search(forms.HOST, code) and any(re.search(forms.OTHER_HOST, line) for line in near)


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
    marks = re.compile("|".join(map(re.escape, forms.BLOCKS)))
    for index, line in enumerate(lines):
        if end:
            end = "" if end in line else end
        else:
            end = _opened(line.strip()) if marks.search(line) else ""
            yield index, line


def _opened(words: str) -> str:
    """Return what ends the comment or long text that `words` open; empty when they open none.

    A glob may hold `/*`, and YAML three quotes: a comment begins its line, a text of several lines is a value.
    """
    for start, stop in forms.BLOCKS.items():
        if start != stop:
            opens = words.startswith(start) and stop not in words
        else:
            before = words.rpartition(start)[0].rstrip("rbfuRBFU").rstrip()
            is_value = before.endswith(VALUE_MARKS)
            opens = words.count(start) % 2 == 1 and (words.startswith(start) or is_value)
        if opens:
            return stop
    return ""


def _code(line: str) -> str:
    """Return `line` without its comment, told by the marks of most languages."""
    if re.match(forms.COMMENT, line):
        return ""
    ends = [at for mark in forms.TRAILING_COMMENTS if (at := line.find(mark)) >= 0]
    return line[: min(ends)] if ends else line
