"""The table of commands. Each is the module of its name with `options` and `run`, imported only when it is called."""

from __future__ import annotations

import argparse
import importlib
import sys
from typing import TYPE_CHECKING

from groundrules_hooks.finding import say
from groundrules_hooks.stage import guarded

if TYPE_CHECKING:
    from collections.abc import Sequence


COMMANDS = {
    "new": "seed a repository: files, hooks and a first commit that passes them",
    "hooks": "install the git hooks of this repository, with prek or pre-commit",
    "task": "start, list, show and close tasks, each in a worktree of its own",
    "slot": "this worktree's slot, ports and names; claimed if it has none",
    "up": "the local stack of this worktree, ready on return",
    "down": "stop what up started; --data deletes this slot's data too",
    "ps": "what runs, and what should and does not",
    "logs": "what the newest run of each service wrote",
    "check": "run this repository's own checks and keep their records",
    "handoff": "draft, seal, verify and show the account of a task",
    "review": "record rounds of review, decide what follows, end it",
    "gate": "judge every commit of a range, as CI does",
    "merge": "what a merge would give, the proof that it works, what landed without one",
    "mirror": "requirement documents, copied from where they are written",
    "ci": "traps of caches, gates and the merge queue in CI workflows",
    "capability": "what the product claims, what can be shown of it, the table of both",
    "update": "bring template and hooks to the newest version, local edits kept",
    "next": "the next free number of a series, reserved for this worktree",
    "rules": "what is enforced, and why",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run `groundrules ARGV` and return its exit code: 0 fine, 1 findings, 2 bad use, 70 a defect of ours."""
    return guarded(_dispatch, sys.argv[1:] if argv is None else argv)


def _dispatch(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="groundrules",
        description="Ground rules for repositories where many coding agents work at once.",
        epilog="\n".join(["commands:", *(f"  {name:<10} {purpose}" for name, purpose in COMMANDS.items())]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="print the version and stop")
    parser.add_argument("command", nargs="?", choices=COMMANDS, metavar="COMMAND", help="one of those below")
    parser.add_argument(
        "rest", nargs=argparse.REMAINDER, metavar="...", help="its arguments; COMMAND --help lists them"
    )
    asked = parser.parse_args(argv)
    if asked.version:
        from importlib.metadata import version

        say(f"groundrules {version('groundrules')}\n")
        return 0
    if asked.command is None:
        parser.print_help()
        return 2
    return _run(asked.command, asked.rest)


def _run(name: str, rest: Sequence[str]) -> int:
    module = importlib.import_module(f"groundrules.{name}")
    parser = argparse.ArgumentParser(prog=f"groundrules {name}", description=f"{COMMANDS[name]}.")
    module.options(parser)
    code: int = module.run(parser.parse_args(rest))
    return code
