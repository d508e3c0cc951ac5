"""counts: what the usual runners print, as they print it, and nothing from anything else."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundrules.evidence.counts import read

if TYPE_CHECKING:
    from pathlib import Path

JEST = """\
PASS  src/cart.test.ts
FAIL  src/order.test.ts
Test Suites: 1 failed, 1 passed, 2 total
Tests:       1 failed, 2 skipped, 3 passed, 6 total
Snapshots:   0 total
Time:        1.2 s
"""
CARGO = """\
running 2 tests
test a ... ok
test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

running 3 tests
test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s
"""
GO = """\
=== RUN   TestA
--- PASS: TestA (0.00s)
    --- PASS: TestA/inner (0.00s)
--- SKIP: TestB (0.00s)
--- FAIL: TestC (0.00s)
FAIL
FAIL\texample.org/a\t0.003s
ok  \texample.org/b\t0.002s
"""
GO_QUIET = """\
ok  \texample.org/a\t0.003s
ok  \texample.org/b\t(cached)
?   \texample.org/c\t[no test files]
--- FAIL: TestD (0.00s)
FAIL
FAIL\texample.org/d\t0.003s
FAIL
"""
GO_JSON = """\
{"Time":"2026-01-01T00:00:00Z","Action":"run","Package":"example.org/a","Test":"TestA"}
{"Time":"2026-01-01T00:00:00Z","Action":"pass","Package":"example.org/a","Test":"TestA","Elapsed":0}
{"Time":"2026-01-01T00:00:00Z","Action":"pass","Package":"example.org/a","Elapsed":0.002}
"""
CASES = """\
<testcase name="a"/><testcase name="b"><failure message="no"/></testcase>
<testcase name="c"><skipped/></testcase><testcase name="d"><error/><system-out>5 passed</system-out></testcase>
"""
SUITE = f'<testsuite name="one" tests="9">{CASES}</testsuite>'
ALL = {"passed": 1, "failed": 1, "errors": 1, "skipped": 1}
TABLE = [
    ("pytest", "======= 3 failed, 211 passed, 2 skipped in 65.10s (0:01:05) =======\n",
     {"passed": 211, "failed": 3, "skipped": 2}),
    ("pytest quiet", "...\n1 failed, 2 passed, 1 warning, 1 error in 0.05s\n",
     {"passed": 2, "failed": 1, "errors": 1, "warnings": 1}),
    ("pytest coloured", "\x1b[32m\x1b[32m\x1b[1m3 passed\x1b[0m\x1b[32m in 0.01s\x1b[0m\x1b[0m\n", {"passed": 3}),
    ("pytest twice", "2 passed in 0.01s\n3 passed, 1 xfailed in 0.01s\n", {"passed": 5, "xfailed": 1}),
    ("pytest without tests", "no tests ran in 0.01s\n", {"passed": 0}),
    ("pytest that collects none", "collected 0 items\n\n==== no tests ran in 0.01s ====\n", {"passed": 0}),
    ("pytest that is not to run any", "collected 3 items / 3 deselected / 0 selected\n\n3 deselected in 0.01s\n",
     {"deselected": 3}),
    ("unittest without tests", f"{'-' * 70}\nRan 0 tests in 0.000s\n\nOK\n", {"passed": 0}),
    ("unittest without tests since 3.12", f"{'-' * 70}\nRan 0 tests in 0.000s\n\nNO TESTS RAN\n", {"passed": 0}),
    ("one runner without tests", f"Ran 0 tests in 0.000s\n\nOK\n{JEST}", {"passed": 3, "failed": 1, "skipped": 2}),
    ("jest without tests", "No tests found, exiting with code 0\n", {"passed": 0}),
    ("cargo without tests", f"running 0 tests\n\n{CARGO.splitlines()[2].replace('2 p', '0 p')}\n", {"passed": 0}),
    ("cargo with some", CARGO.replace("2 passed", "0 passed"), {"passed": 1, "failed": 1, "skipped": 1}),
    ("go without tests", "testing: warning: no tests to run\nPASS\nok  \ta.b/c\t0.001s [no tests to run]\n",
     {"passed": 0}),
    ("go with some", "ok  \ta.b/c\t0.001s [no tests to run]\nok  \ta.b/d\t0.001s\n", {"packages passed": 1}),
    ("go without test files", "?   \ta.b/c\t[no test files]\n", {"passed": 0}),
    ("junit without tests", '<?xml version="1.0"?>\n<testsuites><testsuite name="a" tests="0"/></testsuites>\n',
     {"passed": 0}),
    ("junit with nothing in it", '<testsuite name="a" tests="0" errors="0"></testsuite>\n', {"passed": 0}),
    ("no count", "true\n", {}),
    ("unittest", "..\n" + "-" * 70 + "\nRan 5 tests in 0.001s\n\nFAILED (failures=1, errors=1, skipped=1)\n",
     {"passed": 2, "failed": 1, "errors": 1, "skipped": 1}),
    ("unittest fine", "\nRan 1 test in 0.000s\n\nOK\n", {"passed": 1}),
    ("jest", JEST, {"passed": 3, "failed": 1, "skipped": 2}),
    ("cargo", CARGO, {"passed": 3, "failed": 1, "skipped": 1}),
    ("go", GO, {"passed": 2, "failed": 1, "skipped": 1}),
    ("go quiet", GO_QUIET, {"packages failed": 1, "packages passed": 2}),
    ("go json", GO_JSON, {"passed": 1}),
    ("junit", f'<?xml version="1.0"?>\n<testsuites>{SUITE}</testsuites>\n', ALL),
    ("junit among other output", f"begin\n{SUITE}\nend\n", ALL),
    ("junit twice", f"{SUITE}\n{SUITE}", dict.fromkeys(ALL, 2)),
    ("junit broken", "<testsuite><testcase></testsuite>", {}),
    ("windows", "2 passed in 0.01s\r\n", {"passed": 2}),
    ("nothing", "", {}),
    ("other words", "3 files in 0.1s\nRan 5 miles\nTests: fine\n12 passed the river\n", {}),
]  # fmt: skip


@pytest.mark.parametrize(("output", "expected"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_numbers_of_a_runner_are_read(output: str, expected: dict[str, int]) -> None:
    assert read(output) == expected
    assert list(read(output)) == list(expected)


def test_a_document_that_declares_entities_expands_none() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "<testcase/>"><!ENTITY b "&a;&a;">]><testsuite><testcase/>&b;</testsuite>'
    assert read(bomb) == {}


@given(st.text(max_size=300))
def test_any_text_is_read_without_an_error(output: str) -> None:
    found = read(output)
    assert found == {"passed": 0} or all(number > 0 for number in found.values())


@pytest.mark.parametrize("argv", [["pytest", "-q"], ["pytest", "--junitxml=/dev/stdout", "-q"], ["unittest", "-q"]])
def test_real_runners_print_what_is_read(tmp_path: Path, argv: list[str]) -> None:
    (tmp_path / "test_it.py").write_text(
        "import unittest\n\nclass It(unittest.TestCase):\n    def test_a(self): pass\n    def test_b(self): pass\n"
        "    def test_c(self): self.fail()\n    def test_d(self): self.skipTest('later')\n"
    )
    argv = [sys.executable, "-m", *argv]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert read(done.stdout + done.stderr) == {"passed": 2, "failed": 1, "skipped": 1}
