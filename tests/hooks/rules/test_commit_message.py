"""commit-message: which messages a reader of the log can use, and which must not be refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groundrules_hooks.change import Change, Tree
from groundrules_hooks.config import Commits, Config
from groundrules_hooks.rules.commit_message import check, styled

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository

OID = "0123456789abcdef" * 2 + "01234567"


def found(message: str, style: str = "plain", *, commit: str | None = None, parents: int = 1) -> list[str]:
    change = Change((), Tree(""), commit=commit, parents=parents, message=message)
    findings = list(check(change, Config({}, commits=Commits(style=style))))
    assert all((each.rule, each.path, each.commit) == ("commit-message", ".", commit) for each in findings)
    return [each.message for each in findings]


@pytest.mark.parametrize(
    "message",
    [
        "x",
        "x" * 72,
        "\u00fc" * 72,
        "\U0001f600" * 72,
        f"{'x' * 72}   ",
        "\n\nSubject after blank lines",
        "Subject\n",
        "Subject\n\nBody",
        "Subject\n   \nBody",
        f"Subject\n\n{'long ' * 40}",
        "#123 mend the cart",
        "Wipe the cache",
        "WIPE",
        "wiped: nothing",
        "Remove the wip label",
        "Finish what was wip",
        "Merge everything",
        "Revert the cart's rounding",
        f'Revert "{"x" * 72}"\n\nThis reverts commit {OID}.',
        f'Reapply "{"x" * 72}"',
        "fixup! Subject",
        f"squash! {'x' * 80}",
        "amend! Subject\n\nNew subject",
    ],
)
def test_a_usable_message_passes_at_commit(message: str) -> None:
    # MSG-01 MSG-04
    assert found(message) == []


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("x" * 73, "the subject has 73 characters, at most 72"),
        ("\u00fc" * 73, "the subject has 73 characters, at most 72"),
        (f"#{'1' * 72}", "the subject has 73 characters, at most 72"),
        ("", "the message is empty"),
        ("\n\n", "the message is empty"),
        ("  \nBody", "the message is empty"),
        ("Subject\nBody", "the second line is not blank"),
        ("Subject\nTask: T1", "the second line is not blank"),
        *[
            (f"{word}\n\nBody", f"the subject says only that work is in progress: {word!r}")
            for word in ("wip", "WIP", "Wip.", "wip!", "wip...", "-- wip --", "[wip]", "(WIP)", "wip: cart", "WIP cart")
        ],
    ],
)
def test_an_unusable_message_is_refused(message: str, expected: str) -> None:
    # MSG-01
    assert found(message) == [expected]
    assert found(message, commit=OID) == [expected]


def test_each_thing_wrong_is_one_finding() -> None:
    assert len(found(f"wip {'x' * 80}\nBody", "conventional")) == 4


def test_nothing_to_judge_is_no_finding() -> None:
    assert list(check(Change((), Tree("")), Config({}))) == []


@pytest.mark.parametrize("message", ["", f"Merge branch '{'x' * 90}'", "wip\nmerge"])
def test_a_merge_has_no_message_of_its_own(message: str) -> None:
    # MSG-03
    assert found(message, "conventional", parents=2) == []
    assert found(message, "conventional", parents=2, commit=OID) == []
    assert found("Merge branch 'x'", "conventional") != []


@pytest.mark.parametrize("kind", ["fixup!", "squash!", "amend!"])
def test_an_unsquashed_commit_is_refused_once_it_is_final(kind: str) -> None:
    # MSG-04 MSG-05
    message = f"{kind} {'x' * 80}\nno blank line"
    assert found(message) == []
    assert found(message, commit=OID) == [f"{kind} commit is not squashed yet: {f'{kind} ' + 'x' * 80!r}"]


@pytest.mark.parametrize(
    "subject",
    [
        "fix: round totals",
        "feat(cart): add a basket",
        "feat!: drop the old cart",
        "refactor(api/v2)!: split it",
        "Fix: capital type",
        f"chore: {'x' * 65}",
        'Revert "fix: round totals"',
        "fixup! anything",
    ],
)
def test_a_conventional_subject_passes(subject: str) -> None:
    assert found(subject, "conventional") == []


@pytest.mark.parametrize(
    "subject",
    [
        "Round totals",
        "fix:round totals",
        "fix : round",
        "fix: ",
        "fix",
        "fix(): round",
        "fix(cart: round",
        "fixes: round",
        "fix!!: round",
        "mend(cart): round",
        ": round",
        "(cart): round",
        "merge: everything",
    ],
)
def test_an_unconventional_subject_is_refused_in_that_style_only(subject: str) -> None:
    (message,) = found(subject, "conventional")
    assert message.startswith("the subject is not conventional, such as `fix(cart): round totals`")
    assert found(subject) == []


@pytest.mark.parametrize("style", ["plain", "conventional"])
def test_the_subject_of_a_command_of_ours_passes(style: str) -> None:
    assert found(styled("Hand over T1", style), style) == []


@pytest.mark.parametrize("parents", [1, 0])
def test_the_fix_of_a_finished_commit_opens_it_for_rewording(
    shop: Repository, enter: Callable[[Repository], None], parents: int
) -> None:
    oid = shop.commit("file", message="wip") if parents else shop.git("rev-parse", "HEAD")
    change = Change((), Tree(oid), commit=oid, parents=parents, message="wip")
    (finding,) = check(change, Config({}))
    enter(shop)
    shop.git("config", "sequence.editor", "sed -i 's/^pick/reword/'")
    command = finding.fix.removeprefix("git ").split()
    shop.git(*command, GIT_EDITOR="sed -i '1s/.*/Say what it does/'")
    assert shop.git("log", "-1", "--format=%s") == "Say what it does"


def test_the_fix_of_a_fixup_melts_it_into_what_it_belongs_to(
    shop: Repository, enter: Callable[[Repository], None]
) -> None:
    enter(shop)
    shop.git("switch", "-q", "-c", "task/T1-x")
    shop.commit("a", message="Add a")
    shop.commit("b", message="Add b")
    oid = shop.commit("a", "more\n", message="fixup! Add a")
    change = Change((), Tree(oid), commit=oid, message="fixup! Add a", target=("refs/heads/main",))
    (finding,) = check(change, Config({}))
    shop.git("-c", f"alias.mend=!{finding.fix}", "mend")
    assert shop.git("log", "--format=%s", "main..").splitlines() == ["Add b", "Add a"]
