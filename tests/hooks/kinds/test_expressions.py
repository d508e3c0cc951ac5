"""Expressions: none repeats a group without giving back, which Python before 3.11.5 gets wrong (gh-106052)."""

from __future__ import annotations

import os

import pytest

from conftest import ROOT

KINDS = f"{ROOT}/hooks/groundrules_hooks/kinds"


@pytest.mark.parametrize("name", sorted(name for name in os.listdir(KINDS) if name.endswith(".py")))
def test_groups_are_repeated_as_every_python_understands(name: str) -> None:
    with open(os.path.join(KINDS, name), encoding="utf-8") as file:
        text = file.read()
    assert not [form for form in (")*+", ")++", ")?+", "(?>") if form in text]
