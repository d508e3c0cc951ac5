"""`groundrules new DEST`: a repository that describes itself truthfully and whose first commit passes its own hooks."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from groundrules import clones, console, template
from groundrules_hooks import git
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.finding import quote, say
from groundrules_hooks.rules import RULES, STAGED
from groundrules_hooks.rules.commit_message import styled

if TYPE_CHECKING:
    import argparse

    from groundrules.clones import Source

MESSAGE = "Adopt the ground rules"
NOBODY = {"NAME": "groundrules", "EMAIL": "groundrules@localhost"}


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("dest", metavar="DEST", help="the folder to make; it must not exist, or be empty")
    parser.add_argument("--defaults", action="store_true", help="ask nothing")
    parser.add_argument(
        "--data", action="append", default=[], metavar="KEY=VALUE", help="answer a question; repeatable"
    )
    parser.add_argument(
        "--source", metavar="URL", help="the template's repository; default: where this program is from"
    )
    parser.add_argument("--ref", help="a version of the template; default: its newest release")


def run(asked: argparse.Namespace) -> int:
    """Render, initialise, install the hooks, commit through them, and say what to type next."""
    git.version()
    folder = os.path.abspath(asked.dest)
    _require_empty(folder)
    data = _answers(asked.data, folder)
    clones.clean_environment()
    source = clones.Source(asked.source, asked.ref, None) if asked.source else clones.template_source()
    ask = sys.stdin.isatty() and not asked.defaults
    rendered = template.copy(source, asked.ref or source.ref, folder, data, ask=ask)
    files = sum(len(names) for _, _, names in os.walk(folder))
    console.step(console.DONE, "rendered", f"{asked.dest}   {files} files, template {rendered.version}")
    branch = str(rendered.answers["default_branch"])
    clones.initialise(folder, branch)
    console.step(console.DONE, "git", f"{branch}, everything staged")
    _commit(folder, source, styled(MESSAGE, str(rendered.answers["commit_style"])))
    if source.url == source.checkout:
        console.narrate(console.WARNING, f"the template is the folder {source.url}: on other machines it needs a URL")
    skeleton = str(rendered.answers.get("skeleton", "none"))  # an older template has no such question
    say(next_steps(asked.dest, os.path.basename(folder), skeleton))
    return 0


def next_steps(dest: str, name: str, skeleton: str) -> str:
    """Return the commands to try next, those that plain Copier ends with too."""
    stack = () if skeleton == "none" else (("make up", "the stack, ready on return"),)
    rows = (
        (f"cd {quote(dest)} && less AGENTS.md", "what an agent reads first"),
        *stack,
        ("make task ID=T1-first", "a task: branch, worktree, slot"),
        (f"cd {quote(f'../{name}.T1')} && make slot", "its own ports and names"),
    )
    width = max(len(command) for command, _ in rows)
    return "\n" + "".join(f"→ {command:<{width}}  # {purpose}\n" for command, purpose in rows)


def _require_empty(folder: str) -> None:
    if os.path.exists(folder) and (not os.path.isdir(folder) or os.listdir(folder)):
        raise GroundrulesError(
            f"{folder} exists and is not an empty folder", why="nothing was changed", fix=f"ls -A {quote(folder)}"
        )


def _answers(given: list[str], folder: str) -> dict[str, str]:
    """Return the answers given as KEY=VALUE, and the folder's name as the project's where it can be one."""
    data = {}
    name = os.path.basename(folder)
    if (
        name.isascii()
        and name[:1].isalnum()
        and len(name) <= 64
        and all(char.isalnum() or char in "._-" for char in name)
    ):
        data["project_name"] = name
    return data | template.given(given)


def _commit(folder: str, source: Source, message: str) -> None:
    """Install the hooks by the repository's own command, which proves that it works, and commit through them."""
    done = subprocess.run(["sh", "tools/groundrules", "hooks"], cwd=folder, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        fix = f"cd {quote(folder)} && make hooks && git commit -m {quote(message)}"
        raise GroundrulesError("the repository is rendered and staged, but its hooks are not installed", fix=fix)
    environment = source.environment()
    if not clones.has_identity(folder):
        environment |= {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in NOBODY.items()}
        console.narrate(console.WARNING, "git knows no user.name and user.email: the first commit is by groundrules")
    clones.first_commit(folder, message, environment)
    count = sum(STAGED in rule.moments for rule in RULES)
    console.step(console.DONE, "first commit", f"passed its own {count} rules and the message rule")
