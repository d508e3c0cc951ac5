"""The one door to git: a scrubbed environment, NUL-separated bytes, failures as a typed error."""

from __future__ import annotations

import os

from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.process import finish, start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


# `git patch-id --verbatim` is the newest thing that is asked of git; the hooks alone would do with 2.38.
OLDEST = (2, 39)

# What `git rev-parse --local-env-vars` prints: these name one repository and must not reach work on another one.
# GIT_CONFIG_COUNT is left out: what is set that way, such as safe.directory in CI, is meant for every repository.
LOCAL = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
    "GIT_INTERNAL_SUPER_PREFIX",
)
# Of these, the ones that still count when git works on the repository the hook was called for.
OURS = frozenset(
    (
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CONFIG_PARAMETERS",
        "GIT_CONFIG_SYSTEM",
        "GIT_DIR",
        "GIT_EXEC_PATH",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    )
)
# Answers in one language; no lock for a mere look; no replace refs, because evidence is about the real commit.
FIXED = {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_REPLACE_OBJECTS": "1"}
# Prints the same of a tree whatever is configured: color.ui, grep.column, grep.lineNumber, submodule.recurse.
GREP = (
    *("grep", "-z", "-I", "-F", "--full-name"),
    *("--no-color", "--no-column", "--no-line-number", "--no-recurse-submodules"),
)
# Likewise: log.showSignature, i18n.logOutputEncoding.
LOG = ("log", "--no-show-signature", "--encoding=UTF-8")


class GitError(GroundrulesError):
    """Git refused: `what` holds the command, `why` its own words."""


def here(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment for git at work on this repository: of GIT_* only what names it or configures git."""
    kept = {name: value for name, value in environ.items() if not name.startswith("GIT_") or _is_ours(name)}
    return {**kept, **FIXED}


def elsewhere(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment for programs that may work on any repository: nothing in it names this one."""
    return {name: value for name, value in environ.items() if name not in LOCAL}


def _is_ours(name: str) -> bool:
    return name in OURS or name.startswith(
        ("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_TRACE", "GIT_SSH", "GIT_TEST_")
    )


def git(
    *args: str,
    stdin: bytes = b"",
    ok: tuple[int, ...] = (0,),
    env: Mapping[str, str] | None = None,
    meanwhile: Callable[[], object] = bool,
) -> bytes:
    """Return what `git ARGS` writes to stdout. Raise GitError unless its exit code is in `ok`."""
    return answer(*args, stdin=stdin, ok=ok, env=env, meanwhile=meanwhile)[1]


def answer(
    *args: str,
    stdin: bytes = b"",
    ok: tuple[int, ...] = (0,),
    env: Mapping[str, str] | None = None,
    meanwhile: Callable[[], object] = bool,
) -> tuple[int, bytes]:
    """Like `git`, but return the exit code too, for commands that answer with it."""
    try:
        running = start(["git", *args], here() if env is None else env)
    except FileNotFoundError:
        raise GroundrulesError(
            "git is not on PATH", why=f"PATH is {os.environ.get('PATH', '')}", fix="command -v git"
        ) from None
    meanwhile()
    outcome = finish(running, stdin)
    if outcome.code not in ok:
        command = " ".join(["git", *args])
        raise GitError(f"`{command}` ended with {outcome.code}", why=outcome.err.decode("utf-8", "replace").strip())
    return outcome.code, outcome.out


def text(*args: str, ok: tuple[int, ...] = (0,)) -> str:
    """Return the single line that `git ARGS` answers, without its newline; undecodable bytes survive a round trip."""
    return os.fsdecode(git(*args, ok=ok).removesuffix(b"\n"))


def version() -> str:
    """Return git's version, such as `2.39.5`. Raise GroundrulesError when it is older than `OLDEST`."""
    words = text("version").split()
    found = words[2] if len(words) > 2 else "unknown"
    numbers = tuple(int(part) for part in found.split(".")[:2] if part.isdigit())
    if numbers and numbers < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise GroundrulesError(f"git {found} is too old; {oldest} or newer is needed", fix="git version")
    return found


def is_oid(name: str) -> bool:
    """Whether `name` is a full object id, sha1 or sha256."""
    return len(name) in (40, 64) and not set(name) - set("0123456789abcdef")
