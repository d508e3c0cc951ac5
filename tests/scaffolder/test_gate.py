"""The gate: which commits it judges, by whose rules, and what of a bypassed hook it still finds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from groundrules_hooks.rules import NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository
    from scaffolder.conftest import Answer

CLEAN = f"✓ gate          {{}}, {len(NAMES)} rules, 0 findings"


@pytest.fixture
def task(shop: Repository) -> Repository:
    """The main worktree on the branch of a task, which starts at main."""
    shop.git("switch", "-q", "-c", "task/T1-cart")
    return shop


def hand_over(repository: Repository) -> None:
    """Commit a handoff of T1 for what the branch holds."""
    repository.command("handoff", "draft", "--unresolved", "none", "--deviations", "none")
    repository.git("add", "-A")
    repository.git("commit", "-q", "--no-verify", "-m", "Hand over T1")


def findings(answer: Answer) -> list[tuple[str, str, str | None]]:
    """Return rule, path and commit of each finding of a JSON answer."""
    document = json.loads(answer.out)
    assert document["schema_version"] == 1
    return [(row["rule"], row["path"], row["commit"]) for row in document["findings"]]


def test_clean_branch_passes_in_silence_and_stderr_counts(run: Callable[..., Answer], task: Repository) -> None:
    task.commit("cart.py")
    hand_over(task)
    code, out, err = run(task, "gate")
    assert (code, out) == (0, "")
    handoff, line = err.splitlines()
    assert handoff.startswith(
        "✓ handoff       evidence/T1/handoff.json   in-progress, 0 checks; task and base are right"
    )
    assert line == CLEAN.format("2 commits")
    assert json.loads(run(task, "gate", "--format", "json").out) == {"schema_version": 1, "findings": []}
    assert run(task, "gate", "--format", "github").out == ""


def test_range_without_commits_passes(run: Callable[..., Answer], shop: Repository) -> None:
    assert run(shop, "gate", "--base", "main") == (0, "", CLEAN.format("0 commits") + "\n")


def test_each_commit_is_judged_and_each_finding_names_its_commit(run: Callable[..., Answer], task: Repository) -> None:
    # PSH-08, CMT-11, CMT-12, PSH-13: none of these commits ran a hook
    first = task.commit("a", message="wip")
    task.commit("b", message="Add b")
    third = task.commit("c", message="x" * 73)
    hand_over(task)
    task.git("revert", "--no-edit", first)
    said = run(task, "gate", "--format", "json")
    assert findings(said) == [("commit-message", ".", first), ("commit-message", ".", third)]
    assert said.code == 1
    text = run(task, "gate").out
    assert f".: commit-message: {first[:10]}: the subject says only" in text
    assert text.rstrip().splitlines()[-1] == f"    git rebase --interactive --rebase-merges {third[:12]}~1"
    annotation = run(task, "gate", "--format", "github").out.splitlines()[1]
    assert annotation.startswith(
        f"::error file=.,line=1,title=commit-message::{third[:10]}: the subject has 73 characters"
    )
    assert "%0ATo fix: git rebase" in annotation


def test_unsquashed_commits_are_refused_one_by_one(run: Callable[..., Answer], task: Repository) -> None:
    # MSG-04, MSG-05
    made = [
        task.commit(f"f{number}", message=f"{kind}! Add a") for number, kind in enumerate(("fixup", "squash", "amend"))
    ]
    hand_over(task)
    assert findings(run(task, "gate", "--format", "json")) == [("commit-message", ".", commit) for commit in made]


def test_amended_commit_is_judged_as_a_whole(run: Callable[..., Answer], task: Repository) -> None:
    # CMT-10: what an amend adds is part of the commit that the gate sees
    task.commit("cart.py")
    task.write("AGENTS.md", "# shop\n\n[nowhere](nowhere.md)\n")
    task.git("commit", "-q", "-a", "--amend", "--no-verify", "--no-edit")
    hand_over(task)
    assert [rule for rule, _, _ in findings(run(task, "gate", "--format", "json"))] == ["agents-index"]


def test_message_in_another_encoding_is_read(run: Callable[..., Answer], task: Repository) -> None:
    # MSG-10
    task.write("a", "a\n")
    task.git("add", "-A")
    task.write("message", ("ä" * 70 + "\n\nGröße\n").encode("latin-1"))
    task.git("-c", "i18n.commitEncoding=latin1", "commit", "-q", "-F", "message")
    wrong = task.git(
        "-c", "i18n.commitEncoding=no-such-code", "commit", "-q", "--allow-empty", "-m", "Größer", code=None
    )
    assert "fatal" not in wrong
    (task.path / "message").unlink()
    hand_over(task)
    assert run(task, "gate").code == 0


def test_branch_without_a_handoff_is_refused(run: Callable[..., Answer], task: Repository) -> None:
    # PSH-02: nothing was pushed, so no hook has seen it
    task.commit("cart.py")
    said = run(task, "gate")
    assert said.out.startswith("evidence/T1/handoff.json:1: handoff: task T1 has work and no handoff\n")
    fix = said.out.rstrip().splitlines()[-1].strip()
    task.command(*fix.split()[1:])
    assert run(task, "gate").code == 0


@pytest.mark.parametrize("how", ["ref", "remote ref", "option", "trailers"])
def test_task_is_found_by_ref_by_option_and_by_trailers(run: Callable[..., Answer], task: Repository, how: str) -> None:
    trailer = "\n\nTask: T1" if how == "trailers" else ""
    head = task.commit("cart.py", message=f"Add the cart{trailer}")
    task.git("update-ref", "refs/remotes/origin/task/T1-cart", head)
    task.git("switch", "-q", "main")
    asked = {
        "ref": ("--head", "task/T1-cart"),
        "remote ref": ("--head", "origin/task/T1-cart"),
        "option": ("--head", head, "--branch", "claude/T2"),
        "trailers": ("--head", head),
    }
    expected = "T2" if how == "option" else "T1"
    assert findings(run(task, "gate", "--format", "json", *asked[how])) == [
        ("handoff", f"evidence/{expected}/handoff.json", None)
    ]


def test_head_of_no_known_task_needs_no_handoff(run: Callable[..., Answer], task: Repository) -> None:
    head = task.commit("cart.py")
    task.git("switch", "-q", "--detach")
    assert run(task, "gate", "--head", head).code == 0


def test_exception_is_honoured_and_listed(run: Callable[..., Answer], task: Repository) -> None:
    reason = "Ground-rules-allow: commit-message (imported history)"
    commit = task.commit("a", message=f"wip\n\n{reason}\nGround-rules-allow: handoff (a spike)")
    said = run(task, "gate")
    assert (said.code, said.out) == (0, "")
    assert f"▲ {commit[:10]} was allowed commit-message: imported history" in said.err
    assert f"▲ {commit[:10]} was allowed handoff: a spike" in said.err


def test_exception_passes_its_own_commit_only(run: Callable[..., Answer], task: Repository) -> None:
    task.commit("a", message="wip\n\nGround-rules-allow: commit-message (imported)")
    other = task.commit("b", message="wip")
    hand_over(task)
    assert findings(run(task, "gate", "--format", "json")) == [("commit-message", ".", other)]


def test_strict_rule_takes_no_exception_and_claims_none(run: Callable[..., Answer], shop: Repository) -> None:
    with (shop.path / "groundrules.toml").open("a") as file:
        file.write('\n[rules]\nstrict = ["commit-message", "handoff", "guards"]\n')
    shop.git("commit", "-q", "-a", "-m", "Be strict")
    shop.git("switch", "-q", "-c", "task/T1-cart")
    trailers = "\n".join(f"Ground-rules-allow: {rule} (please)" for rule in ("commit-message", "handoff"))
    commit = shop.commit("a", message=f"wip\n\n{trailers}")
    said = run(shop, "gate", "--format", "json")
    assert findings(said) == [("commit-message", ".", commit), ("handoff", "evidence/T1/handoff.json", None)]
    assert "was allowed" not in said.err


def test_rules_are_those_of_the_head_and_not_of_the_checkout(run: Callable[..., Answer], task: Repository) -> None:
    config = (task.path / "groundrules.toml").read_text()
    task.commit("groundrules.toml", config + '\n[commits]\nstyle = "conventional"\n', "feat: take a style")
    bad = task.commit("a", message="Add a")
    hand_over(task)
    task.git("switch", "-q", "main")
    assert ("commit-message", ".", bad) in findings(run(task, "gate", "--head", "task/T1-cart", "--format", "json"))


def test_head_without_a_configuration_cannot_be_judged(run: Callable[..., Answer], task: Repository) -> None:
    task.git("rm", "-q", "groundrules.toml")
    task.git("commit", "-q", "-m", "Drop the rules")
    code, out, err = run(task, "gate")
    assert (code, out) == (2, "")
    assert err.startswith("groundrules: HEAD has no groundrules.toml, so no rules to judge by")


def test_wrong_configuration_at_the_head_refuses(run: Callable[..., Answer], task: Repository) -> None:
    task.commit("groundrules.toml", "[port]\n")
    code, out, err = run(task, "gate")
    assert (code, out) == (2, "")
    assert "groundrules.toml:1: [port] is unknown" in err


def test_file_name_with_odd_bytes_is_printed_in_every_format(run: Callable[..., Answer], task: Repository) -> None:
    # FIL-01
    task.write("docs/agents/n\new ä\udcff.md", "# odd\n")
    task.git("add", "-A")
    task.git("commit", "-q", "-m", "Add an odd page")
    hand_over(task)
    assert "leads" not in json.loads(run(task, "gate", "--format", "json").out)["findings"][0]["path"]
    assert run(task, "gate", "--format", "github").out.count("\n") == 1
    assert '"docs/agents/n\\012ew ä' in run(task, "gate").out.encode("utf-8", "surrogateescape").decode(
        "utf-8", "replace"
    )


def test_claims_are_judged_by_the_gate_on_the_branch_as_a_whole(run: Callable[..., Answer], task: Repository) -> None:
    task.commit("app.py")
    claim = '[[capability]]\nid = "cart"\ntitle = "Carts"\nlevel = "wired"\nentrypoints = ["app.py"]\n'
    task.commit("capabilities.toml", claim)
    hand_over(task)
    assert findings(run(task, "gate", "--format", "json"))[0][:2] == ("capability-claims", "capabilities.toml")
