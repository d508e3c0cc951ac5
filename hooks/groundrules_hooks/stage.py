"""What the four stages share: reading their arguments, the facts of the commit in progress, one way to end."""

from __future__ import annotations

import os
import sys

from groundrules_hooks import config as configs
from groundrules_hooks import pin as pins
from groundrules_hooks import task as tasks
from groundrules_hooks.failure import DEFECT, FINDINGS, GroundrulesError
from groundrules_hooks.finding import FORMATS, render, say
from groundrules_hooks.record import NamedTuple
from groundrules_hooks.worktree import locate, require_original

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn

    from groundrules_hooks.config import Config
    from groundrules_hooks.finding import Finding
    from groundrules_hooks.pin import Pin
    from groundrules_hooks.worktree import Worktree

# What git leaves in the git dir while it waits for a commit, and the command that goes on afterwards.
INTERRUPTED = {
    "rebase-merge": "git rebase --continue",
    "rebase-apply": "git rebase --continue",
    "CHERRY_PICK_HEAD": "git cherry-pick --continue",
    "REVERT_HEAD": "git revert --continue",
    "MERGE_HEAD": "git merge --continue",
}


class Place(NamedTuple):
    """Where a hook was called: a worktree with our configuration, and the task it is about."""

    worktree: Worktree
    config: Config
    task: str | None


def place(meanwhile: Callable[[], object] = bool) -> Place | None:
    """Return where the hook was called, claiming the slot if no hook did; None where our rules do not apply.

    What is to be done `meanwhile` is done while git answers.

    Raise GroundrulesError when the configuration is wrong: a commit is then refused rather than passed unchecked.
    """
    worktree = locate(meanwhile)
    config = configs.of_worktree(worktree) if worktree and worktree.root else None
    if worktree is None or config is None:
        return None
    task = tasks.of_branch(worktree.branch, config.tasks.branches)
    if worktree.linked:
        require_original(worktree)
        pin = pins.read(worktree.git_dir)
        if pin is None or worktree.branch not in (pin.branch, None):
            pin = _settled(worktree, config)
        if pin and worktree.branch is None:
            task = pin.task or None  # a rebase detaches HEAD, the task stays
    return Place(worktree, config, task)


def _settled(worktree: Worktree, config: Config) -> Pin | None:
    """Return the pin of a worktree that has none, since no hook ran at its creation, or whose branch was renamed."""
    from groundrules_hooks.slot import claim, reconcile, values
    from groundrules_hooks.slot_env import render as render_view

    try:
        claimed = claim(worktree, config)
    except GroundrulesError as error:  # a commit needs no port: its branch alone is judged
        say(f"▲ no slot: {error.what}\n→ tools/groundrules slot\n", 2)
        return None
    if claimed.new and not claimed.overridden:
        note = render_view(worktree, values(worktree, config, claimed.slot))
        say(f"▲ {note}\n" if note else "", 2)
    return reconcile(worktree, config, claimed.pin) if claimed.pin and worktree.branch else claimed.pin


def arguments(argv: Sequence[str]) -> tuple[list[str], str]:
    """Return what git or the framework passed, and the format that `--format FORM` asks for."""
    rest = [part for word in argv for part in (word.split("=", 1) if word.startswith("--format=") else [word])]
    form = "text"
    if "--format" in rest:
        index = rest.index("--format")
        form = rest[index + 1] if index + 1 < len(rest) else ""
        del rest[index : index + 2]
    if form not in FORMATS:
        raise GroundrulesError(f"--format is {form!r}, not one of {', '.join(FORMATS)}")
    return rest, form


def conclude(findings: Sequence[Finding], form: str, worktree: Worktree, go_on: str = "") -> int:
    """Print `findings` and return the exit code they mean."""
    say(render(findings, form, worktree.root, go_on))
    return FINDINGS if findings else 0


def resume(worktree: Worktree) -> str:
    """Return the command that goes on with what git was interrupted in; empty when that is nothing."""
    found = (command for name, command in INTERRUPTED.items() if os.path.exists(os.path.join(worktree.git_dir, name)))
    return next(found, "")


def be(stage: Callable[[Sequence[str]], int]) -> NoReturn:
    """Be the process of `stage`: run it with the arguments of the command line, and end with its code."""
    import gc

    gc.disable()  # a hook is over before there is much to collect, and looking costs a millisecond
    # All that is said is written by then (`say`), and to take the interpreter apart costs two more.
    os._exit(guarded(stage, sys.argv[1:]))


def guarded(stage: Callable[[Sequence[str]], int], argv: Sequence[str]) -> int:
    """Run `stage` and return its exit code; say what a person can mend, and keep the rest for a log."""
    try:
        return stage(argv)
    except GroundrulesError as error:
        say(_with_version(error) + "\n", 2)
        return error.code
    except KeyboardInterrupt:
        return 130
    except Exception:  # noqa: BLE001 (a defect of ours must not look like a finding)
        say(f"groundrules: a defect of this tool; the traceback is in {log_traceback()}\n", 2)
        return DEFECT


def _with_version(error: GroundrulesError) -> str:
    """Return the text of `error`, or of its likely cause: a git that is too old."""
    from groundrules_hooks.git import GitError, version

    try:
        if isinstance(error, GitError):
            version()
    except GroundrulesError as cause:
        return str(cause)
    return str(error)


def log_traceback() -> str:
    """Append the current traceback to a log and return its path; where no log can be written it goes to stderr."""
    import tempfile
    import time
    import traceback

    path = os.path.join(tempfile.gettempdir(), f"groundrules-{os.getuid()}.log")
    text = f"{time.strftime('%Y-%m-%dT%H:%M:%S')} {' '.join(sys.argv)}\n{traceback.format_exc()}\n"
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w", errors="backslashreplace") as file:
            file.write(text)
    except OSError:
        say(text, 2)
        return "the lines above"
    return path
