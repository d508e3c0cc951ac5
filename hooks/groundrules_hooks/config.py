"""groundrules.toml as values: the defaults of every key, and a parsed form kept beside the claim."""

from __future__ import annotations

import marshal
import os
import sys

from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.record import NamedTuple
from groundrules_hooks.stack_table import Stack, stack
from groundrules_hooks.worktree import STATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from groundrules_hooks.worktree import Worktree

FILE = "groundrules.toml"

# Bumped with every change of what config_file makes of a file, so that an older parsed form is never used.
FORM = 9
# Documentation and tests belong to what they describe and try.
NEUTRAL = (
    *("**/docs/**", "**/*.md", "**/*.rst", "**/*.adoc", "**/*.txt"),
    *("**/test/**", "**/tests/**", "**/__tests__/**", "**/__snapshots__/**", "**/spec/**"),
    *("**/testdata/**", "**/fixtures/**"),
    *("**/test_*", "**/*_test.*", "**/*.test.*", "**/*.spec.*", "**/*Test.*", "**/*Tests.*"),
    *("evidence/**", "tasks/**"),
)


class Slots(NamedTuple):
    """Slot N shifts every port by `stride` times N; N is at most `max`."""

    stride: int = 10
    max: int = 30


class Tasks(NamedTuple):
    """How branches name tasks (the first pattern is the one to make), and the branch that tasks merge into.

    `checks` says which quick checks a handoff needs: those that cover what "changed", or "all".
    """

    branches: tuple[str, ...] = (
        "task/{id}-{slug}",
        "task/{id}",
        "worktree-{id}",
        "claude/{id}",
        "codex/{id}",
        "cursor/{id}",
    )
    path: str = "../{repo}.{id}"
    target: str = "main"
    protect_target: bool = False
    max_live: int = 8
    max_waiting: int = 5
    checks: str = "changed"


class Commits(NamedTuple):
    """`style` of subjects, the size of a commit that a reviewer can hold in mind, and files that go with any other."""

    style: str = "plain"
    max_lines: int = 400
    max_files: int = 25
    neutral: tuple[str, ...] = NEUTRAL


class Check(NamedTuple):
    """A command that proves something; `env` names the variables passed through to it."""

    name: str
    run: tuple[str, ...]
    tier: str = "quick"
    paths: tuple[str, ...] = ("**",)
    env: tuple[str, ...] = ()


class Generated(NamedTuple):
    """Files that a generator writes, and the `sources` it makes them from: both change together as one concern."""

    paths: tuple[str, ...]
    sources: tuple[str, ...] = ()


class Merge(NamedTuple):
    """`high_risk` are the paths whose conflicts need a person's sign-off."""

    high_risk: tuple[str, ...] = ("groundrules.toml", "**/CODEOWNERS")


class Rules(NamedTuple):
    """`strict` names the rules that no exception may pass."""

    strict: tuple[str, ...] = ()


class Series(NamedTuple):
    """Files whose names carry numbers of one counter, or whose lines do: as `file` or `line` says, with `{n}`."""

    name: str
    paths: tuple[str, ...]
    file: str = "{n}"
    line: str = ""


class FixedPorts(NamedTuple):
    """`allow` describes the files that may hold numbers of the port table."""

    allow: tuple[str, ...] = ()


class Mirror(NamedTuple):
    """`folder` holds exported requirements, from the root; `accept` names losses as `document:kind:name`."""

    folder: str = ""
    accept: tuple[str, ...] = ()


class Ci(NamedTuple):
    """`required` names the checks that a merge waits for, as the forge shows them."""

    required: tuple[str, ...] = ()


class Capabilities(NamedTuple):
    """`programs` describes files that something starts by their place alone, such as the pages of a framework."""

    programs: tuple[str, ...] = ()


DECISIONS = Series("decisions", ("docs/adr/*.md",))


class Config(NamedTuple):
    """The whole of groundrules.toml; `ports` maps the names of the port table to their numbers in slot 0."""

    ports: dict[str, int]
    slots: Slots = Slots()
    tasks: Tasks = Tasks()
    commits: Commits = Commits()
    checks: tuple[Check, ...] = ()
    merge: Merge = Merge()
    rules: Rules = Rules()
    stack: Stack = Stack()
    generated: tuple[Generated, ...] = ()
    series: tuple[Series, ...] = (DECISIONS,)
    fixed_ports: FixedPorts = FixedPorts()
    mirror: Mirror = Mirror()
    ci: Ci = Ci()
    capabilities: Capabilities = Capabilities()


def from_plain(plain: dict[str, Any]) -> Config:
    """Return the configuration for the checked tables of config_file.parse."""
    return Config(
        ports=plain.get("ports", {}),
        slots=Slots(**plain.get("slots", {})),
        tasks=Tasks(**plain.get("tasks", {})),
        commits=Commits(**plain.get("commits", {})),
        checks=tuple(Check(**check) for check in plain.get("check", ())),
        merge=Merge(**plain.get("merge", {})),
        rules=Rules(**plain.get("rules", {})),
        stack=stack(plain["stack"]) if "stack" in plain else Stack(),
        generated=tuple(Generated(**row) for row in plain.get("generated", ())),
        series=_series(plain.get("series", ())),
        fixed_ports=FixedPorts(**plain.get("fixed_ports", {})),
        mirror=Mirror(**plain.get("mirror", {})),
        ci=Ci(**plain.get("ci", {})),
        capabilities=Capabilities(**plain.get("capabilities", {})),
    )


def _series(rows: Sequence[dict[str, Any]]) -> tuple[Series, ...]:
    """Return the series of `rows`, and that of decisions unless a row describes it."""
    found = tuple(Series(**row) for row in rows)
    return found if any(series.name == DECISIONS.name for series in found) else (DECISIONS, *found)


def of_worktree(worktree: Worktree) -> Config | None:
    """Return the configuration of `worktree`, or None where there is none. Raise GroundrulesError on a wrong file."""
    try:
        with open(os.path.join(worktree.root, FILE), "rb") as file:
            content = file.read()
    except FileNotFoundError:
        return _committed(worktree)
    except OSError as error:
        raise GroundrulesError(f"cannot read {FILE}: {error.strerror}", fix=f"ls -l {FILE}") from None
    return from_plain(_parsed(content, worktree.git_dir))


def _committed(worktree: Worktree) -> Config | None:
    """Return the configuration of the last commit where the file is gone from disk: rules end with a commit under them.

    Raise GroundrulesError for a link to nowhere.
    """
    if os.path.lexists(os.path.join(worktree.root, FILE)):
        raise GroundrulesError(f"cannot read {FILE}: a link to nowhere", fix=f"ls -l {FILE}")
    if worktree.head is None:
        return None
    from groundrules_hooks.change import Tree

    content = Tree(worktree.head).read(FILE).get(FILE)
    return None if content is None else of_text(content)


def of_text(content: bytes) -> Config:
    """Return the configuration that `content` holds. Raise GroundrulesError naming key and line when it is wrong."""
    from groundrules_hooks.config_file import parse

    return from_plain(parse(content))


def _parsed(content: bytes, git_dir: str) -> dict[str, Any]:
    """Return the tables of `content`: from the kept form when it was made of the same bytes, else parsed and kept."""
    # marshal is read by the Python that wrote it; importing tomllib would cost a commit more than all its rules.
    kept = os.path.join(git_dir, STATE, f"config.{sys.implementation.cache_tag}")
    try:
        with open(kept, "rb") as file:
            form, known, plain = marshal.loads(file.read())  # noqa: S302 (written by this module)
        if form == FORM and known == content:
            return dict(plain)
    except (OSError, ValueError, EOFError, TypeError):
        pass  # not kept yet, or unreadable: it is only a copy
    from groundrules_hooks.config_file import parse
    from groundrules_hooks.lock import make_folder, replace

    plain = parse(content)
    try:
        make_folder(os.path.dirname(kept))
        replace(kept, marshal.dumps((FORM, content, plain)))
    except GroundrulesError:
        pass  # a git dir that cannot be written costs the time of parsing, nothing else
    return plain
