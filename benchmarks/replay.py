"""commit-concerns over real histories: `python benchmarks/replay.py CLONE... [--limit N] [--refused FILE]`.

Every commit of a clone, its merges aside, goes through the functions that hook and gate call, and is compared with the
label that its author gave it: the type of a conventional subject. Nothing in the clone is changed.
"""

from __future__ import annotations

import argparse
import collections
import os
import random
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "hooks"))

from groundrules_hooks.config import Commits, Config  # noqa: E402
from groundrules_hooks.git import GitError  # noqa: E402
from groundrules_hooks.git import text as text_of  # noqa: E402
from groundrules_hooks.history import commits  # noqa: E402
from groundrules_hooks.kinds import DEPENDENCY, FORMATTING, FUNCTIONAL, GENERATED  # noqa: E402
from groundrules_hooks.kinds.concern import compared, skim, with_functional  # noqa: E402
from groundrules_hooks.rules import commit_concerns  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from groundrules_hooks.change import Change
    from groundrules_hooks.kinds.concern import Part

CONFIG = Config({})
# Where nothing has a concern of its own, tests and documentation are judged like code, to compare with the label.
EVERYTHING = Config({}, commits=Commits(neutral=()))
LABELS = ("feat", "fix", "refactor", "perf", "style", "build(deps)", "chore(deps)", "other")
WORK = ("feat", "fix", "refactor", "perf")
DEPS = ("build(deps)", "chore(deps)")


class Judged(NamedTuple):
    """A commit with its author's label, what its files are, and what the rule says of it.

    `concerns` is what the rule sees; `kinds` the same, or what its files are by themselves where it sees nothing.
    """

    change: Change
    label: str
    concerns: frozenset[str]
    kinds: frozenset[str]
    refused: str
    seconds: float


def label(subject: str) -> str:
    """Return the type of a conventional `subject`, with `deps` if that is its scope."""
    head = subject.partition(":")[0].rstrip("!").lower() if ":" in subject else ""
    kind, _, scope = head.rstrip(")").partition("(")
    if kind in ("build", "chore", "fix") and scope.startswith("deps"):
        return "build(deps)" if kind == "build" else "chore(deps)"
    return kind if kind in LABELS else "other"


def judged(change: Change) -> Judged:
    """Judge one commit as the gate does."""
    start = time.perf_counter()
    findings = list(commit_concerns.check(change, CONFIG))
    seconds = time.perf_counter() - start
    subject = (change.message or "").lstrip("\n").partition("\n")[0]
    concerns = frozenset(commit_concerns.concerns(change, in_full(change, CONFIG), CONFIG))
    kinds = concerns or frozenset(part.kind for part in in_full(change, EVERYTHING))
    message = findings[0].message if findings else ""
    return Judged(change, label(subject), concerns, kinds, message, seconds)


def in_full(change: Change, config: Config) -> list[Part]:
    """Return the files of a commit with their concerns, read whether the rule has to know them or not."""
    return with_functional(change, compared(change, list(skim(change, config)), bool))


def history(limit: int) -> Iterator[Change]:
    """Yield the newest `limit` commits of HEAD with one parent; those whose contents the clone lacks are left out."""
    newest = ("--max-count", str(limit)) if limit else ()
    for oid in text_of("rev-list", "--min-parents=1", "--max-parents=1", *newest, "HEAD").split():
        try:
            yield from commits(oid, [f"{oid}~1"])
        except GitError:
            continue


def mixed(found: Sequence[Judged], count: int = 500) -> Iterator[tuple[str, bool]]:
    """Yield, for artificial squashes of a functional commit with one of another kind, that kind and the verdict.

    What is a dependency commit its author says. No label tells of formatting and of generated files; there the verdict
    on the commit alone counts, so what the rule never sees is not among them.
    """
    chance = random.Random(1)  # noqa: S311 (the same pairs in every run)
    passed = [each for each in found if not each.refused]
    work = [each for each in passed if each.label in WORK and FUNCTIONAL in each.concerns]
    for name, others in (
        ("dependency", [each for each in passed if each.label in DEPS]),
        ("formatting", [each for each in passed if each.concerns == {FORMATTING}]),
        ("generated", [each for each in passed if each.concerns == {GENERATED}]),
    ):
        pairs = range(len(work) * len(others))  # each pair once: few commits make few pairs
        for pair in chance.sample(pairs, min(count, len(pairs))):
            one, two = work[pair // len(others)].change, others[pair % len(others)].change
            if not one.paths & two.paths:
                both = one._replace(files=(*one.files, *two.files))
                yield name, bool(list(commit_concerns.check(both, CONFIG)))


def report(name: str, found: Sequence[Judged]) -> None:
    """Print what the rule says of the commits of each label, and of pairs of them."""
    print(f"\n## {name}: {len(found)} commits, {1000 * sum(each.seconds for each in found) / len(found):.1f} ms each\n")
    print("| label | commits | refused | % | functional | dependency | formatting | generated | none |")
    print("|---|---|---|---|---|---|---|---|---|")
    for which in LABELS:
        held = [each for each in found if each.label == which]
        if held:
            refused = sum(bool(each.refused) for each in held)
            alone = collections.Counter(_alone(each.kinds) for each in held)
            kinds = " | ".join(str(alone[kind]) for kind in (FUNCTIONAL, DEPENDENCY, FORMATTING, GENERATED, ""))
            print(f"| {which} | {len(held)} | {refused} | {100 * refused / len(held):.2f} | {kinds} |")
    pairs = collections.Counter(mixed(found))
    for kind in sorted({kind for kind, _ in pairs}):
        total = pairs[kind, True] + pairs[kind, False]
        print(f"\nA functional commit squashed with a {kind} one: {pairs[kind, True]} of {total} refused")


def _alone(kinds: Iterable[str]) -> str:
    """Return the only concern among `kinds`; empty for none, `mixed` for several."""
    held = [kind for kind in kinds if kind in (FUNCTIONAL, DEPENDENCY, FORMATTING, GENERATED)]
    return held[0] if len(held) == 1 else "mixed" if held else ""


def told(each: Judged) -> str:
    """Return a refused commit with its label, to read."""
    subject = (each.change.message or "").lstrip("\n").partition("\n")[0]
    return f"{(each.change.commit or '')[:12]} {each.label}: {subject}\n    {each.refused}"


def main() -> int:
    """Replay each clone and print its table, then all of them together."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("clones", nargs="+", metavar="CLONE")
    parser.add_argument("--limit", type=int, default=0, help="the newest N commits of each only")
    parser.add_argument("--refused", metavar="FILE", help="write the refused commits there, to read")
    asked = parser.parse_args()
    everything: list[Judged] = []
    for clone in asked.clones:
        os.chdir(os.path.realpath(clone))
        found = [judged(change) for change in history(asked.limit)]
        everything += found
        report(os.path.basename(os.path.dirname(os.getcwd())) or clone, found)
        if asked.refused:
            with open(asked.refused, "a", encoding="utf-8", errors="backslashreplace") as file:
                file.writelines(f"{os.getcwd()} {told(each)}\n\n" for each in found if each.refused)
    if len(asked.clones) > 1:
        report("all", everything)
    return 0


if __name__ == "__main__":
    sys.exit(main())
