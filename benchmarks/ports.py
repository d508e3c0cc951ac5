"""fixed-ports over public repositories: `python benchmarks/ports.py CLONE... [--hits FILE]`.

Each file of the newest commit is judged as if all of its lines were added. Nothing in the clone is changed.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "hooks"))

from groundrules_hooks.git import git  # noqa: E402
from groundrules_hooks.objects import Objects  # noqa: E402
from groundrules_hooks.port_files import COMPOSE, kind  # noqa: E402
from groundrules_hooks.port_uses import uses  # noqa: E402
from groundrules_hooks.rules.fixed_ports import BLOBS, LARGEST  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLE = {"web": 3000, "api": 8000, "db": 5432, "redis": 6379}
STARTERS = (".env", "package.json")


def judged() -> list[tuple[str, str]]:
    """Return object and path of each file at HEAD that the rule judges."""
    listed = os.fsdecode(git("ls-tree", "-rz", "HEAD"))
    rows = [row.split("\t", 1) for row in listed.split("\0") if row]
    return [(head.split()[2], path) for head, path in rows if head.split()[0] in BLOBS and kind(path)]


def hits(path: str, content: bytes) -> Iterator[str]:
    """Yield path, line and text of each hit in a file."""
    if len(content) <= LARGEST and b"\0" not in content:
        text = content.decode("utf-8", "surrogateescape")
        lines = text.split("\n")
        for use in uses(text, kind(path), TABLE.values()):
            yield f"{path}:{use.line}: {use.port}: {lines[use.line - 1].strip()[:200]}\n"


def starts(path: str) -> bool:
    """Whether the file at `path` is one of compose, an env file or a `package.json`."""
    return kind(path) == COMPOSE or os.path.basename(path).startswith(STARTERS)


def main() -> int:
    """Judge each clone, print how much was judged and found, and write the hits to a file, to read."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("clones", nargs="+", metavar="CLONE")
    parser.add_argument("--hits", metavar="FILE", default=os.devnull, help="write the hits there, to read")
    asked = parser.parse_args()
    os.environ["GIT_NO_LAZY_FETCH"] = "1"
    print("| clone | judged | hits | in compose, env files, package.json |\n|---|---|---|---|")
    with open(asked.hits, "w", encoding="utf-8", errors="backslashreplace") as report:
        for clone in [os.path.realpath(each) for each in asked.clones]:
            os.chdir(clone)
            files = judged()
            held = zip(files, Objects().each([oid.encode() for oid, _ in files]), strict=True)
            found = [(path, hit) for (_, path), content in held for hit in hits(path, content or b"")]
            print(f"| {clone} | {len(files)} | {len(found)} | {sum(starts(path) for path, _ in found)} |", flush=True)
            report.writelines(f"{clone} {hit}" for _, hit in found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
