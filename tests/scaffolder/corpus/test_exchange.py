"""A sync that is killed between any two steps leaves the old mirror or the new one, and the next sync ends it."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest

import killing

if TYPE_CHECKING:
    from conftest import Repository

# For every call of the system made by the modules that write, one sync that is killed before this call, what it left,
# then the same sync whole. Prints one JSON row for each.
KILLED = """
import ctypes, json, os, shutil, sys
from groundrules import cli, mirror
from groundrules.corpus import exchange
from groundrules_hooks import config_file
from groundrules_hooks import lock
from killing import stop_before

WRITERS = {lock.__file__, exchange.__file__, shutil.__file__}
quiet = os.open(os.devnull, os.O_WRONLY)
if sys.argv[1] == "two renames":  # as on a disk, or a system, that exchanges nothing
    ctypes.CDLL = lambda *_, **__: object()

def seen():
    found = {}
    for where, _, names in os.walk("docs/product"):
        for name in names:
            with open(os.path.join(where, name)) as file:
                found[os.path.relpath(os.path.join(where, name), "docs/product")] = file.read()
    return found

def strange():
    status = os.popen("git status --short --untracked-files=all -- docs/.mirror-in-progress").read().splitlines()
    return [line for line in status if not line.endswith("/.gitignore")]

def whole(profile=None):
    child = os.fork()
    if child == 0:
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        sys.setprofile(profile)
        ended = cli.main(["mirror", "sync"])
        sys.setprofile(None)
        os._exit(ended)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

step, code = 0, 9
while code == 9:
    step += 1
    shutil.rmtree("docs")
    shutil.copytree("../before", "docs")
    code = whole(stop_before(step, WRITERS))
    left = seen()
    row = {"left": left, "strange": strange() if step % 3 == 0 else []}
    if step % 4 == 0 or not left:
        row |= {"code": whole(), "then": seen(), "docs": os.listdir("docs")}
    print(json.dumps(row))
"""


def killed(repository: Repository, how: str) -> list[dict[str, Any]]:
    return killing.rows(KILLED, how, cwd=repository.path)


@pytest.mark.parametrize("how", ["one step", "two renames"])
def test_sync_that_is_killed_at_any_step_leaves_the_old_mirror_or_the_new(shop: Repository, how: str) -> None:
    export = shop.path.parent / "export"
    export.mkdir()
    (export / "orders.md").write_text("# Orders\n\n| a |\n|---|\n| 1 |\n")
    shop.write("docs/product/README.md", "# Requirements\n")
    shop.commit("groundrules.toml", '[mirror]\nfolder = "../export"\n')
    shop.command("mirror", "sync")
    shop.commit("file")
    subprocess.run(["cp", "-R", shop.path / "docs", shop.path.parent / "before"], check=True)
    (export / "orders.md").write_text("# Orders\n\n| a |\n|---|\n| 2 |\n")
    rows = killed(shop, how)
    assert len(rows) > 25
    left = [{name: without_time(text) for name, text in row["left"].items()} for row in rows]
    old, new, nothing = left[0], left[-1], {} if how == "two renames" else left[0]
    assert sorted(old) == sorted(new) == ["README.md", "orders.md", "orders.orders.csv"]
    assert [held for number, held in enumerate(left) if held not in left[:number]] == (
        [old, new] if nothing == old else [old, nothing, new]
    )
    assert left.count({}) == (nothing == {})
    assert not [row["strange"] for row in rows if row["strange"]]
    for row in rows:
        if "then" in row:
            assert (row["code"], row["docs"], row["then"]["orders.orders.csv"]) == (0, ["product"], "a\n2\n")
            assert sorted(row["then"]) == sorted(new)


def without_time(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("synced:"))
