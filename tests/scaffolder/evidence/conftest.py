"""A task with a check whose behaviour a test chooses, and the records it leaves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from groundrules_hooks import handoff

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository

# `behave` is a shell script in the repository: what it does is part of the content.
CHECKS = """
[tasks]
target = "main"

[[check]]
name = "unit"
run = ["sh", "./behave"]

[[check]]
name = "docs"
run = ["true"]
paths = ["docs/**"]

[[check]]
name = "e2e"
run = ["true"]
tier = "deep"
paths = ["services/**"]

[[check]]
name = "whole"
run = ["true"]
tier = "integration"
"""


@pytest.fixture
def checked(shop: Repository) -> Repository:
    """The main worktree of a repository with four checks, of which `unit` passes."""
    shop.write("behave", "echo 2 passed in 0.01s\n")
    shop.commit("groundrules.toml", CHECKS, "Add checks")
    return shop


@pytest.fixture
def work(checked: Repository) -> Repository:
    """The worktree of T1 with one commit of work."""
    work = checked.worktree("task/T1-cart", "work")
    work.commit("cart.py", "cart = 1\n", "Add the cart")
    return work


@pytest.fixture
def records() -> Callable[[Repository, str], list[dict[str, Any]]]:
    """Return the records that a repository keeps of a check, by tree."""

    def records(repository: Repository, name: str) -> list[dict[str, Any]]:
        common = repository.path / repository.git("rev-parse", "--git-common-dir")
        found = [json.loads(path.read_text()) for path in sorted(common.glob(f"groundrules/checks/*/{name}.json"))]
        fits, _ = handoff.FIELDS["checks"]
        assert fits(found)
        return found

    return records
