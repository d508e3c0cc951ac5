"""Counts: how many tests a run had, read from what the usual runners print. What no runner says is not guessed."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING
from xml.parsers import expat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PASSED, FAILED, SKIPPED, ERRORS = "passed", "failed", "skipped", "errors"
ORDER = (PASSED, FAILED, ERRORS, SKIPPED)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
PAIR = re.compile(r"(\d+) (\w+)")
# pytest names a count in the singular and in the plural.
SINGULAR = {"error": ERRORS, "warning": "warnings"}

PYTEST_WORDS = "passed|failed|skipped|deselected|xfailed|xpassed|warnings?|errors?|rerun"
PYTEST = re.compile(rf"^=* ?((?:\d+ (?:{PYTEST_WORDS})(?:, )?)+) in [\d.]+s(?: \([\d:, days]+\))? ?=*$", re.MULTILINE)
UNITTEST = re.compile(r"^Ran (\d+) tests? in [\d.]+s$\s+^(?:OK|FAILED)(?: \((.*)\))?$", re.MULTILINE)
JEST = re.compile(r"^Tests: +(.+), \d+ total$", re.MULTILINE)
CARGO = re.compile(r"^test result: \w+\. (.+?); \d+ measured", re.MULTILINE)
GO_TEST = re.compile(r"^ *--- (PASS|FAIL|SKIP): ", re.MULTILINE)
GO_JSON = re.compile(r'^\{.*"Action":"(pass|fail|skip)".*"Test":".*\}$', re.MULTILINE)
NO_GO_TEST = r"(?!.*\[no tests to run\])"
GO_PACKAGE = re.compile(rf"^(ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\)|\[build failed\]){NO_GO_TEST}", re.MULTILINE)
GO_WORDS = {"PASS": PASSED, "FAIL": FAILED, "SKIP": SKIPPED}
JUNIT = re.compile(r"<testsuites[\s>].*?</testsuites>|<testsuite[\s>].*?</testsuite>", re.DOTALL)
# How a runner says that there was no test: pytest, unittest, Jest, go test, and one that writes JUnit XML.
NONE = re.compile(
    r"^(?:=* ?no tests ran in [\d.]+s|collected 0 items|Ran 0 tests in [\d.]+s$|NO TESTS RAN|No tests found"
    r"|Tests: +0 total$|testing: warning: no tests to run$|ok\s.*\[no tests to run\]$|\?\s+\S+\s+\[no test files\]$"
    r'|\{.*"Output":"testing: warning: no tests to run)|<testsuites?\b[^<>]*\btests="0"',
    re.MULTILINE,
)


def read(output: str) -> dict[str, int]:
    """Return what a run's `output` says: words such as passed, failed and skipped, and numbers. Empty if unknown.

    None passed where a runner says that it ran no test at all.
    """
    plain = COLOUR.sub("", output).replace("\r\n", "\n")
    found: Counter[str] = Counter()
    for runner in READERS:
        counted = runner(plain)
        found.update(counted)
        if any(counted.values()):
            break
    words = sorted(found, key=lambda word: (ORDER.index(word) if word in ORDER else len(ORDER), word))
    says_none = bool(found) or NONE.search(plain) is not None
    return {word: found[word] for word in words if found[word]} or ({PASSED: 0} if says_none else {})


def _junit(output: str) -> Counter[str]:
    """Count the cases of JUnit XML documents, without what stands before their roots, such as entities."""
    found: Counter[str] = Counter()
    for document in JUNIT.findall(output):
        try:
            found.update(_cases(document))
        except (expat.ExpatError, ValueError):
            continue
    return found


def _cases(document: str) -> Iterator[str]:
    """Yield the outcome of every test case, nested suites included."""
    outcomes: list[str] = []

    def begin(name: str, _: dict[str, str]) -> None:
        if name == "testcase":
            outcomes.append(PASSED)
        elif name in ELEMENTS and outcomes:
            outcomes[-1] = ELEMENTS[name]

    parser = expat.ParserCreate()
    parser.StartElementHandler = begin
    parser.Parse(document, True)  # noqa: FBT003 (expat's own word for the last part)
    yield from outcomes


ELEMENTS = {"failure": FAILED, "error": ERRORS, "skipped": SKIPPED}


def _pytest(output: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for line in PYTEST.findall(output):
        for number, word in PAIR.findall(line):
            found[SINGULAR.get(word, word)] += int(number)
    return found


def _unittest(output: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for total, rest in UNITTEST.findall(output):
        said = {word: int(number) for word, number in re.findall(r"([a-z ]+)=(\d+)", rest)}
        said = {word.strip(): number for word, number in said.items()}
        counted = {FAILED: said.get("failures", 0), ERRORS: said.get("errors", 0), SKIPPED: said.get("skipped", 0)}
        found.update({**counted, PASSED: max(0, int(total) - sum(counted.values()))})
    return found


def _pairs(pattern: re.Pattern[str]) -> Callable[[str], Counter[str]]:
    """Return a reader of lines that hold pairs of a number and a word."""

    def counted(output: str) -> Counter[str]:
        found: Counter[str] = Counter()
        for line in pattern.findall(output):
            for number, word in PAIR.findall(line):
                found[SKIPPED if word == "ignored" else word] += int(number)
        return found

    return counted


def _go(output: str) -> Counter[str]:
    """Count tests where go names them, else packages: without -v it says no more."""
    words = GO_TEST.findall(output) or [word.upper() for word in GO_JSON.findall(output)]
    packages = GO_PACKAGE.findall(output)
    if words and (PASSED in {GO_WORDS[word] for word in words} or not packages):
        return Counter(GO_WORDS[word] for word in words)
    return Counter(f"packages {PASSED if word == 'ok' else FAILED}" for word in packages)


READERS = (_junit, _pytest, _unittest, _pairs(JEST), _pairs(CARGO), _go)
