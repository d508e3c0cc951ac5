"""What a tree shows: services with a health check, programs without a capability, and what a proof still needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groundrules_hooks import config
from groundrules_hooks.acceptance import cited
from groundrules_hooks.capability import Capability, Shown
from groundrules_hooks.capability_file import parse
from groundrules_hooks.change import Tree
from groundrules_hooks.evidence import PASSED, STALE
from groundrules_hooks.glance import MOST, glance
from groundrules_hooks.standing import survey

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository
    from groundrules_hooks.config import Check

SETTINGS = """[ports]
api = 8000
[stack]
[[stack.service]]
name = "api"
run = ["python3", "services/api"]
port = "api"
[[check]]
name = "unit"
run = ["true"]
paths = ["services/**", "tests/**"]
[[check]]
name = "other"
run = ["true"]
paths = ["web/**"]
"""
WORK = "def place():\n    return 1 + 1\n"
CLAIM = '[[capability]]\nid = "orders"\ntitle = "Orders"\nlevel = "wired"\nentrypoints = ["services/api/orders.py"]\n'


@pytest.fixture
def site(shop: Repository, enter: Callable[[Repository], None]) -> Repository:
    """A service with a health check that uses its module of orders, and a test that cites an acceptance item."""
    shop.write("groundrules.toml", SETTINGS)
    shop.write("services/api/__main__.py", "import orders\norders.place()\n")
    shop.write("tests/test_orders.py", "# acceptance: ORD-1, ORD-2.1\n")
    shop.commit("services/api/orders.py", WORK)
    enter(shop)
    return shop


def shown(claim: str, counts: dict[str, int] | None = None, outcome: str = PASSED) -> Shown:
    def outcomes(_: Check) -> tuple[str, str, dict[str, int]]:
        return outcome, "ran before the last change" if outcome == STALE else "", counts or {}

    settings = config.of_text(SETTINGS.encode())
    (standing,) = survey(parse(claim.encode()), Tree("HEAD"), settings, outcomes).standings
    return standing.shown


def test_module_beside_a_healthy_service_is_healthy_until_the_service_uses_it(site: Repository) -> None:
    # HAND-26
    assert shown(CLAIM) == Shown("wired", "wired", "no proof is named")
    site.commit("services/api/__main__.py", "print('ready')  # orders\n")
    why = "nothing that runs uses services/api/orders.py, and the health check of api does not show it"
    assert shown(CLAIM) == Shown("healthy", "healthy", why)
    site.commit("groundrules.toml", SETTINGS.replace('port = "api"\n', ""))
    assert config.of_text(SETTINGS.replace('port = "api"\n', "").encode()).stack.services[0].ready == ""


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ('proof = ["unit"]\nacceptance = ["ORD-1"]\n', ""),
        ('proof = ["unit", "other"]\nacceptance = ["ORD-1", "ORD-2.1"]\n', ""),
        ('acceptance = ["ORD-1"]\n', "no proof is named"),
        ('proof = ["unit"]\n', "no acceptance item is named"),
        ('proof = ["none"]\nacceptance = ["ORD-1"]\n', "groundrules.toml has no check none"),
        ('proof = ["unit"]\nacceptance = ["ORD-2"]\n', "no test among the paths of unit cites ORD-2"),
        ('proof = ["other"]\nacceptance = ["ORD-1"]\n', "no test among the paths of other cites ORD-1"),
    ],
)
def test_proven_needs_checks_and_a_test_for_each_item(more: str, expected: str) -> None:
    assert shown(CLAIM + more) == Shown("wired", "wired" if expected else "proven", expected)


PROOF = CLAIM + 'proof = ["unit"]\nacceptance = ["ORD-1"]\n'


@pytest.mark.usefixtures("site")
def test_proven_needs_a_record_of_exactly_these_files_without_a_skip() -> None:
    assert shown(PROOF, {"passed": 3}).most == "proven"
    assert shown(PROOF, {"passed": 0}).why == "unit ran no test"
    assert shown(PROOF, {"passed": 3, "skipped": 1}).why == "unit skipped 1 test, and nobody can tell which"
    assert shown(PROOF, outcome=STALE).why == "its proof unit is STALE for these files: ran before the last change"


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        ("tests/a.py", "# acceptance: A-1\n", {"A-1"}),
        ("tests/a.py", "x = 1  # Acceptance: A-1, B.2 C/3.\n", {"A-1", "B.2", "C/3"}),
        ("web/a.test.ts", "// acceptance: A-1\n/* acceptance: A-2 */\n", {"A-1", "A-2"}),
        ("spec/a_spec.rb", "# acceptance: A-1\n", {"A-1"}),
        ("tests/a.sql", "-- acceptance: A-1\n", {"A-1"}),
        ("tests/a.py", "x = 'acceptance: A-1'\n", set()),
        ("src/a.py", "# acceptance: A-1\n", set()),
        ("docs/a.md", "# acceptance: A-1\n", set()),
    ],
)
def test_item_is_cited_by_a_comment_of_a_test(
    shop: Repository, enter: Callable[[Repository], None], path: str, content: str, expected: set[str]
) -> None:
    shop.commit(path, content)
    enter(shop)
    assert cited(Tree("HEAD")) == {item: {path} for item in expected}


def test_programs_that_no_capability_names_are_listed(site: Repository) -> None:
    # HAND-24
    site.commit("tools/seed/__main__.py", WORK)
    settings = config.of_text(SETTINGS.encode())
    found = survey(parse(CLAIM.encode()), Tree("HEAD"), settings)
    assert found.unnamed == ["services/api/__main__.py", "tools/seed/__main__.py"]


def test_glance_leaves_open_who_uses_a_file(site: Repository) -> None:
    site.commit("services/api/__main__.py", "print('ready')\n")
    rows = [
        Capability("orders", "Orders", "wired", ("services/api/orders.py",)),
        Capability("gone", "Gone", "absent", ("services/api/gone.py",)),
        Capability("none", "None", "absent"),
        Capability("all", "All", "stub", ("**/orders.py",)),
    ]
    found = {
        each.capability.id: (each.shown.least, each.shown.most)
        for each in glance(rows, Tree("HEAD"), config.of_text(SETTINGS.encode()))
    }
    assert found == {
        "orders": ("compiles", "proven"),
        "gone": ("absent", "absent"),
        "none": ("absent", "absent"),
        "all": ("compiles", "proven"),
    }


def test_glance_lists_no_tree_for_plain_paths(site: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    site.commit("run.py", WORK)
    monkeypatch.setattr(Tree, "files", None)
    rows = [
        Capability("root", "Root", "wired", ("/run.py", "services/api/orders.py")),
        Capability("gone", "Gone", "wired", ("run.py", "gone.py")),
        Capability("test", "Test", "wired", ("tests/gone.py",)),
        Capability("folder", "Folder", "wired", ("services",)),
    ]
    settings = config.of_text(SETTINGS.encode())
    found = {each.capability.id: each.shown.most for each in glance(rows, Tree("HEAD"), settings)}
    assert found == {"root": "proven", "gone": "absent", "test": "absent", "folder": "absent"}


def test_tests_and_documentation_of_a_capability_are_no_part_of_it(site: Repository) -> None:
    claim = CLAIM.replace("services/api/orders.py", "shop/**")
    site.write("shop/README.md", "# Shop\n")
    site.commit("shop/tests/test_shop.py", "def test_shop():\n    assert 1 + 1 == 2\n")
    why = "shop/** matches nothing but documentation, tests and what is no part of the product"
    assert shown(claim) == Shown("absent", "stub", why)
    site.write("shop/tests/fixtures/bad.py", "def place(:\n")
    site.commit("shop/sell.py", WORK)
    assert shown(claim) == Shown("compiles", "compiles", "nothing that runs uses shop/**")
    settings = config.of_text(SETTINGS.encode())
    (glanced,) = glance(parse(claim.encode()), Tree("HEAD"), settings)
    assert (glanced.shown.least, glanced.shown.most) == ("compiles", "proven")


def test_glance_keeps_no_commit_waiting_for_many_files(site: Repository) -> None:
    for number in range(MOST + 1):
        site.write(f"many/{number}.py", "")
    site.commit("later")
    assert list(glance([Capability("many", "Many", "stub", ("many/*.py",))], Tree("HEAD"), config.of_text(b""))) == []
