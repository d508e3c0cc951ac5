"""What a service is given: the slot's names over the shell's, its own over both."""

from __future__ import annotations

import pytest

from groundrules.stack.environment import differing, expanded, filled, of_shell
from groundrules_hooks.failure import GroundrulesError

VALUES = {"WEB_PORT": "3010", "SLOT": "1"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("${WEB_PORT}", "3010"),
        ("http://localhost:${WEB_PORT}/${SLOT}", "http://localhost:3010/1"),
        ("$WEB_PORT $ {SLOT} }", "$WEB_PORT $ {SLOT} }"),
    ],
)
def test_values_of_the_slot_stand_for_their_names(text: str, expected: str) -> None:
    assert expanded(text, VALUES, "env of web") == expected


@pytest.mark.parametrize("text", ["${HOME}", "${WEB_PORT", "${}", "${SLOT}${web_port}"])
def test_any_other_name_is_an_error_that_lists_the_values(text: str) -> None:
    with pytest.raises(GroundrulesError, match="which is no value of the slot") as caught:
        expanded(text, VALUES, "env of web")
    assert caught.value.what.startswith("env of web has ${")
    assert caught.value.why == "values are WEB_PORT, SLOT"


def test_command_keeps_the_names_of_its_own_shell() -> None:
    words = ("sh", "-c", "for x in ${HOME}; do echo ${SLOT} $SLOT; done")
    assert filled(words, VALUES) == ("sh", "-c", "for x in ${HOME}; do echo 1 $SLOT; done")


def test_shell_is_passed_on_but_for_what_names_a_repository_or_talks_to_make() -> None:
    shell = {"PATH": "/bin", "LC_ALL": "C", "API_KEY": "x", "GIT_DIR": "/a", "MAKEFLAGS": "-j", "PWD": "/a"}
    assert of_shell(shell) == {"PATH": "/bin", "LC_ALL": "C", "API_KEY": "x"}


# DAT-03
def test_name_that_the_shell_has_otherwise_is_found() -> None:
    stack = {**VALUES, "DATABASE_URL": "postgresql://x"}
    rendered = {**VALUES, "DATABASE_URL": "sqlite:///x"}
    assert differing({"WEB_PORT": "3000", "SLOT": "1"}, stack, rendered) == ["WEB_PORT"]
    assert differing({"DATABASE_URL": "postgresql://main"}, stack, rendered) == ["DATABASE_URL"]
    assert not differing(stack, stack, rendered)
    assert not differing(rendered, stack, rendered), "a shell that read .slot.env"
