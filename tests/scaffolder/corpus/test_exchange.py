"""A sync that is killed between any two steps leaves the old mirror or the new one, and the next sync ends it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Repository

# For every call of the system made by the modules that write, one sync that is killed before this call, what it left,
# then the same sync whole. Prints one JSON row for each.
KILLED = """
import ctypes, io, json, os, shutil, sys
from groundrules import cli, mirror
from groundrules.corpus import exchange
from groundrules_hooks import config_file
from groundrules_hooks import lock

WRITERS = {lock.__file__, exchange.__file__, shutil.__file__}
quiet = os.open(os.devnull, os.O_WRONLY)
if sys.argv[1] == "two renames":  # as on a disk, or a system, that exchanges nothing
    ctypes.CDLL = lambda *_, **__: object()

def stop_before(step):
    left = [step]
    def profile(frame, event, called):
        if event == "c_call" and frame.f_code.co_filename in WRITERS and reaches_disk(called):
            left[0] -= 1
            if not left[0]:
                os._exit(9)
    return profile

def reaches_disk(called):
    return isinstance(getattr(called, "__self__", None), io.IOBase) or called.__module__ in ("posix", "_io", "io")

def seen():
    found = {}
    for where, _, names in os.walk("docs/product"):
        for name in names:
            with open(os.path.join(where, name)) as file:
                found[os.path.relpath(os.path.join(where, name), "docs/product")] = file.read()
    status = os.popen("git status --short --untracked-files=all -- docs").read().split("\\n")
    return {"files": found, "strange": [line for line in status if line and "docs/product/" not in line and not line.endswith(exchange.ASIDE + "/.gitignore")]}

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
    code = whole(stop_before(step))
    left = seen()
    again = step % 4 == 0 or not left["files"]
    then = whole() if again else 0
    print(json.dumps({"code": code, "left": left, "then": [then, seen(), os.listdir("docs")] if again else None}))
"""


def killed(repository: Repository, how: str) -> list[dict[str, Any]]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(
        [sys.executable, "-c", KILLED, how], cwd=repository.path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("how", ["one step", "two renames"])
def test_sync_that_is_killed_at_any_step_leaves_the_old_mirror_or_the_new(shop: Repository, how: str) -> None:
    export = shop.path.parent / "export"
    export.mkdir()
    (export / "orders.md").write_text("# Orders\n\n| a |\n|---|\n| 1 |\n")
    (export / "gone.md").write_text("# Gone\n")
    shop.write("docs/product/README.md", "# Requirements\n")
    shop.commit("groundrules.toml", '[mirror]\nfolder = "../export"\n')
    shop.command("mirror", "sync")
    shop.commit("file")
    subprocess.run(["cp", "-R", shop.path / "docs", shop.path.parent / "before"], check=True)
    (export / "orders.md").write_text("# Orders\n\n| a |\n|---|\n| 2 |\n")
    (export / "gone.md").write_text("# Here\n")
    rows = killed(shop, how)
    assert len(rows) > 25
    old, new = rows[0]["left"]["files"], rows[-1]["left"]["files"]
    timeless = [
        {
            name: "".join(line for line in text.splitlines(keepends=True) if "synced:" not in line)
            for name, text in held.items()
        }
        for held in (row["left"]["files"] for row in rows)
    ]
    assert sorted(old) == sorted(new) == ["README.md", "gone.md", "orders.md", "orders.orders.csv"]
    found = [held for number, held in enumerate(timeless) if held not in timeless[:number]]
    between = [{}] if how == "two renames" else []
    assert found == [timeless[0], *between, timeless[-1]]
    assert timeless.count({}) == len(between)
    assert not [row["left"]["strange"] for row in rows if row["left"]["strange"]]
    for code, seen, docs in (row["then"] for row in rows if row["then"]):
        assert (code, docs) == (0, ["product"])
        assert seen["files"]["orders.orders.csv"] == "a\n2\n"
