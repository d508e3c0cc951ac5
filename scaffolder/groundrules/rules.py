"""`groundrules rules`: what is enforced, and why."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import say
from groundrules_hooks.rules import NAMES, RULES

if TYPE_CHECKING:
    import argparse


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("name", nargs="?", choices=NAMES, metavar="NAME", help="a rule, to read its page")


def run(asked: argparse.Namespace) -> int:
    """Print the table of rules, or the page of one."""
    if asked.name is None:
        say("".join(f"{rule.name:<17} {rule.refuses}\n" for rule in RULES))
    else:
        say(page(asked.name))
    return 0


def page(name: str) -> str:
    """Return the page of the rule `name`, from the installed package or from the checkout."""
    here = os.path.dirname(os.path.abspath(__file__))
    for folder in (os.path.join(here, "pages"), os.path.join(here, "..", "..", "docs", "rules")):
        try:
            with open(os.path.join(folder, f"{name}.md"), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            continue
    raise GroundrulesError(f"the page of {name} is not installed", fix="groundrules rules")
