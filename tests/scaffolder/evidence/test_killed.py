"""A run or a seal that is killed between any two steps leaves nothing that proves too much or is half written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import killing
from groundrules_hooks import handoff

if TYPE_CHECKING:
    from conftest import Repository

# For every call of the system made by the modules that write, one command that is killed before this call, then the
# outcome of the check and the handoff that it left, then the same command whole. Prints one JSON row for each.
KILLED = """
import glob, json, os, shutil, sys
from groundrules import cli
from groundrules.evidence import drafting, run, store
from groundrules_hooks import evidence, lock, subject
from groundrules_hooks.config import of_worktree
from groundrules_hooks.worktree import locate
from killing import stop_before

WRITERS = {lock.__file__, store.__file__, run.__file__, drafting.__file__}
PATH = "evidence/T1/handoff.json"
argv = sys.argv[1:]
state = locate().common_dir + "/groundrules"
shutil.copytree(state, state + ".before")

def forget():
    shutil.rmtree(state)
    shutil.copytree(state + ".before", state)
    shutil.rmtree("evidence", ignore_errors=True)

here = locate()
tree = subject.subject_tree("HEAD")
check = of_worktree(here).checks[0]

def seen():
    record = store.newest(here, check.name, tree)
    written = open(PATH).read() if os.path.exists(PATH) else ""
    outcome = evidence.result(check, record, tree, record and record["definition"]).outcome
    return {"outcome": outcome, "handoff": written}

def whole(profile=None):
    child = os.fork()
    if child == 0:
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        sys.setprofile(profile)
        ended = cli.main(argv)
        sys.setprofile(None)
        os._exit(ended)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

quiet = os.open(os.devnull, os.O_WRONLY)
step, code = 0, 9
while code == 9:
    step += 1
    forget()
    code = whole(stop_before(step, WRITERS))
    left = seen()
    if step % 4 == 0:
        whole()
    print(json.dumps({"code": code, "left": left, "then": seen() if step % 4 == 0 else None}), flush=True)
"""


def killed(work: Repository, *argv: str) -> list[dict[str, Any]]:
    rows = killing.rows(KILLED, *argv, cwd=work.path)
    assert [row["code"] for row in rows] == [9] * (len(rows) - 1) + [0]
    return rows


def test_a_run_that_is_killed_at_any_step_has_not_passed(work: Repository) -> None:
    work.command("slot")
    rows = killed(work, "check", "run", "unit")
    assert len(rows) > 15
    then = [row["then"]["outcome"] for row in rows if row["then"]]
    assert set(then) == {"PASSED"}
    outcomes = [row["left"]["outcome"] for row in rows]
    assert set(outcomes) == {"MISSING", "PASSED"}
    assert outcomes == sorted(outcomes), "it has passed from one step on"
    assert outcomes.count("PASSED") < len(rows) / 2, "that step is among the last"


def test_a_seal_that_is_killed_at_any_step_is_whole_or_absent(work: Repository) -> None:
    work.command("check", "run", "unit")
    rows = killed(work, "handoff", "seal", "--unresolved", "none", "--deviations", "none")
    assert len(rows) > 10
    left = [row["left"]["handoff"] for row in rows]
    assert "" in left
    then = [row["then"]["handoff"] for row in rows if row["then"]]
    assert "" not in then
    for written in {*left, *then} - {""}:
        assert list(handoff.problems(written.encode())) == []
        assert json.loads(written)["state"] == "ready"
