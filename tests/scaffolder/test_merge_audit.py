"""`merge audit`: a landing is asked for what its own change needs, as a handoff and the gate are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from conftest import CONFIG

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository
    from scaffolder.conftest import Answer

    Run = Callable[..., Answer]

UNIT = '\n[[check]]\nname = "unit"\nrun = ["true"]\npaths = ["src/**"]\n'
LINT = '\n[[check]]\nname = "lint"\nrun = ["true"]\npaths = ["docs/**", "src/**"]\n'
WHOLE = '\n[[check]]\nname = "whole"\ntier = "integration"\nrun = ["true"]\npaths = ["src/**"]\n'
ALL = 'checks = "all"\n'


def audited(run: Run, shop: Repository, base: str) -> list[list[str]]:
    """Return of each landing after `base` the checks that it is asked for."""
    rows = json.loads(run(shop, "merge", "audit", "--base", base, "--json").out)["landings"]
    return [[check["name"] for check in row["checks"]] for row in rows]


@pytest.mark.parametrize(
    ("settings", "path", "checks"),
    [
        (UNIT + LINT, "src/cart.py", [["unit", "lint"]]),
        (UNIT + LINT, "docs/cart.md", [["lint"]]),
        (UNIT + LINT, "LICENSE", []),
        (UNIT + LINT, "evidence/T1/note", []),
        (ALL + UNIT + LINT, "LICENSE", [["unit", "lint"]]),
        (UNIT + LINT, "groundrules.toml", [["unit", "lint"]]),
        (UNIT + LINT + WHOLE, "LICENSE", [["whole"]]),  # whether a merge works is no question of paths
    ],
)
def test_landing_is_asked_for_the_checks_that_its_change_needs(
    run: Run, shop: Repository, settings: str, path: str, checks: list[list[str]]
) -> None:
    base = shop.commit("groundrules.toml", CONFIG + settings)
    shop.commit(path, CONFIG + settings + "# more\n")
    assert audited(run, shop, base) == checks
    assert run(shop, "merge", "audit", "--base", base).code == (1 if checks else 0)


def test_moved_file_counts_where_it_was(run: Run, shop: Repository) -> None:
    shop.commit("src/cart.py", "a\nb\nc\n")
    base = shop.commit("groundrules.toml", CONFIG + UNIT)
    shop.git("mv", "src/cart.py", "cart.py")
    shop.commit("LICENSE")
    assert audited(run, shop, base) == [["unit"]]


def test_handoff_with_the_scoped_checks_is_the_proof_of_a_branch_that_was_up_to_date(
    run: Run, shop: Repository
) -> None:
    base = shop.commit("groundrules.toml", CONFIG + UNIT + LINT)
    linked = shop.worktree("task/T1-x", "T1")
    linked.commit("docs/a.md", message="Describe a")
    linked.commit("docs/b.md", message="Describe b")
    assert run(linked, "check", "run").code == 0
    assert run(linked, "handoff", "seal", "--unresolved", "none", "--deviations", "none", "--commit").code == 0
    shop.git("merge", "-q", "--ff-only", "task/T1-x")
    said = run(shop, "merge", "audit", "--base", base)
    assert (said.code, said.out.splitlines()[1].split()[1:4]) == (0, ["PASSED", "rebase", "T1"])


def test_submodule_in_the_place_of_evidence_is_named(run: Run, shop: Repository) -> None:
    base = shop.commit("groundrules.toml", CONFIG + UNIT)
    shop.git("update-index", "--add", "--cacheinfo", f"160000,{base},evidence")
    shop.git("commit", "-qm", "Add a submodule")
    said = run(shop, "merge", "audit", "--base", base)
    assert said.code == 2
    assert "evidence: the name evidence is kept for a folder of records" in said.err
