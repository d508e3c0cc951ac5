"""`groundrules capability`: the table of claims and what is shown, records of this machine, the table in README.md."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from groundrules_hooks.capability_table import MARKERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository
    from scaffolder.conftest import Answer

    Run = Callable[..., Answer]

FILE = "capabilities.toml"
CLAIM = """[[capability]]
id = "orders"
title = "Orders can be placed"
level = "wired"
entrypoints = ["app/orders.py"]
proof = ["unit"]
acceptance = ["ORD-1"]

[[capability]]
id = "cli"
title = "A program starts it"
level = "wired"
entrypoints = ["app/__main__.py"]
"""
TABLE = """| capability | id | level | that is |
|---|---|---|---|
| Orders can be placed | `orders` | wired | used by what runs, not proven |
| A program starts it | `cli` | wired | used by what runs, not proven |
"""
SHOWN = """CAPABILITY  CLAIMED  SHOWN  WHY NO MORE
orders      wired    wired  its proof unit is MISSING for these files: never ran
cli         wired    wired  no proof is named
"""


@pytest.fixture
def site(shop: Repository) -> Repository:
    shop.write("app/__main__.py", "import orders\norders.place()\n")
    shop.write("app/orders.py", "def place():\n    return 1 + 1\n")
    shop.write("tests/test_orders.py", "# acceptance: ORD-1\n")
    shop.write(FILE, CLAIM)
    shop.write("README.md", f"# shop\n\n{MARKERS}\nMore.\n")
    settings = (shop.path / "groundrules.toml").read_text()
    shop.commit("groundrules.toml", f'{settings}[[check]]\nname = "unit"\nrun = ["true"]\n')
    return shop


def test_render_writes_the_table_once_and_nothing_else(site: Repository, run: Run) -> None:
    page = site.path / "README.md"
    before, _, after = page.read_text().partition("\n<!-- end")
    assert run(site, "capability", "render") == (0, "", "✓ README.md     written, 2 capabilities\n")
    assert page.read_text() == f"{before}\n{TABLE}<!-- end{after}"
    assert run(site.path / "app", "capability", "render").err == "○ README.md     as it is, 2 capabilities\n"
    site.write(FILE, "# none\n")
    found = json.loads(run(site, "capability", "render", "--json").out)
    assert found == {"schema_version": 1, "path": "README.md", "changed": True}
    assert page.read_text() == f"{before}\nNo capability is claimed.\n<!-- end{after}"


def test_render_writes_where_a_link_leads(site: Repository, run: Run) -> None:
    page = site.path / "README.md"
    site.write("docs/README.md", page.read_bytes())
    page.unlink()
    page.symlink_to("docs/README.md")
    assert run(site, "capability", "render").code == 0
    assert page.is_symlink()
    assert TABLE in (site.path / "docs/README.md").read_text()


@pytest.mark.parametrize("page", ["# shop\n", MARKERS * 2, MARKERS.splitlines()[0], None])
def test_render_refuses_a_page_without_one_place_and_leaves_it(site: Repository, run: Run, page: str | None) -> None:
    path = site.path / "README.md"
    path.unlink() if page is None else path.write_text(page)
    answer = run(site, "capability", "render")
    assert answer.code == 2
    assert f"  {MARKERS.splitlines()[1]}\n" in answer.err
    assert answer.err.endswith("    ${EDITOR:-vi} README.md\n")
    assert path.read_text() == page if page is not None else not path.exists()


def test_check_shows_claim_truth_and_reason_of_the_files_as_they_are(site: Repository, run: Run) -> None:
    run(site, "capability", "render")
    assert run(site, "capability", "check") == (0, SHOWN, "✓ capabilities  2 claimed, 0 proven, 0 findings\n")
    site.write("app/__main__.py", "print('nothing')\n")
    answer = run(site, "capability", "check")
    found = f"{FILE}:4: capability-claims: orders is claimed wired, at most compiles can be shown"
    assert answer.code == 1
    assert f"{found}: nothing that runs uses app/orders.py\n" in answer.out
    assert answer.err == "✗ capabilities  2 claimed, 0 proven, 1 finding\n"


def test_record_of_this_machine_proves_exactly_the_files_it_ran_on(site: Repository, run: Run) -> None:
    run(site, "capability", "render")
    assert run(site, "check", "run", "unit").code == 0
    said = run(site, "capability", "check")
    assert "orders      wired    proven\n" in said.out
    assert "→ orders may be claimed proven: its proofs passed here\n" in said.err
    site.write(FILE, CLAIM.replace("wired", "proven", 1))
    run(site, "capability", "render")
    said = run(site, "capability", "check")
    assert "at most wired can be shown: its proof unit is DIRTY for these files: ran on edits" in said.out
    assert said.out.endswith("\nTo fix:\n    tools/groundrules check run unit\n")
    run(site, "check", "run", "unit")
    said = run(site, "capability", "check", "--json")
    rows = {row["id"]: (row["claimed"], row["most"], row["available"]) for row in json.loads(said.out)["capabilities"]}
    assert (said.code, rows) == (0, {"orders": ("proven", "proven", True), "cli": ("wired", "wired", False)})


def test_documents_carry_findings_and_programs_that_nothing_names(site: Repository, run: Run) -> None:
    # HAND-24
    site.write("tools/seed/__main__.py", "print('seeded')\n")
    found = json.loads(run(site, "capability", "check", "--json").out)
    assert found["schema_version"] == 1
    assert found["unnamed"] == ["tools/seed/__main__.py"]
    assert [(row["rule"], row["path"]) for row in found["findings"]] == [
        ("capability-claims", "README.md"),
        ("capability-claims", "tools/seed/__main__.py"),
    ]
    lines = run(site, "capability", "check", "--format", "github").out.splitlines()
    assert [line.partition(",")[0] for line in lines] == [
        "::error file=README.md",
        "::error file=tools/seed/__main__.py",
    ]
    assert json.loads(run(site, "capability", "check", "--format", "json").out)["findings"] == found["findings"]


@pytest.mark.parametrize(
    ("content", "what"),
    [(None, f"there is no {FILE}"), ("x = 1\n", f"{FILE}:1: x is unknown"), ("[", f"{FILE}:1: not TOML")],
)
def test_absent_or_wrong_file_is_an_error_with_the_mend(
    site: Repository, run: Run, content: str | None, what: str
) -> None:
    (site.path / FILE).unlink() if content is None else site.write(FILE, content)
    for action in ("check", "render"):
        answer = run(site, "capability", action)
        assert (answer.code, answer.out) == (2, "")
        assert answer.err.startswith(f"groundrules: {what}")
        assert answer.err.splitlines()[-1].strip().startswith("${EDITOR:-vi} ")
