"""Analysis: facts and both intents of a conflict, one page each, and no word of the author's is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from groundrules import analysis
from groundrules.analysis import Sides
from groundrules_hooks import config, conflict
from groundrules_hooks.prediction import Conflict
from groundrules_hooks.subject import subject_tree

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository

FOUND = [Conflict("cart.py", "contents")]
SETTINGS = config.of_text(b"")


@pytest.fixture
def cart(shop: Repository, enter: Callable[[Repository], None]) -> Repository:
    """The worktree of T1, whose cart.py differs from the one that T2 brought to the target."""
    shop.commit("cart.py", "base\n")
    linked = shop.worktree("task/T1-cart", "T1")
    linked.write("tasks/T1.toml", 'title = "Taxes in the *cart*"\n')
    linked.commit("cart.py", "ours\n", message="Add <b>taxes</b> | totals")
    shop.write("tasks/T2.toml", 'title = "Search"\n')
    shop.commit("cart.py", "theirs\n", message="Search by words\n\nTask: T2")
    shop.commit("docs.md", message="Say more\n\nTask: T3")
    enter(linked)
    return linked


def write(cart: Repository, *found: Conflict) -> bool:
    ends = cart.git("rev-parse", "HEAD", "main").split()
    return analysis.write(str(cart.path), SETTINGS, Sides("T1", ends[0], "main", ends[1]), found or FOUND)


def page(cart: Repository) -> str:
    return (cart.path / "evidence/T1/conflict.md").read_text()


def facts(cart: Repository) -> dict[str, Any]:
    found = conflict.head(conflict.pages(page(cart).encode())[0])
    assert found
    return found


def test_page_holds_the_facts_and_both_intents(cart: Repository) -> None:
    assert write(cart)
    base, head, target = (cart.git("rev-parse", name) for name in ("main~2", "HEAD", "main"))
    assert {key: value for key, value in facts(cart).items() if key != "body"} == {
        "task": "T1",
        "with": "main",
        "head": head,
        "subject_tree": subject_tree(head),
        "base": {"from": base, "to": target},
        "paths": [{"path": "cart.py", "kind": "contents"}],
        "high_risk": [],
    }
    _, _, body = page(cart).partition(conflict.END)
    assert (
        body
        == f"""
# T1 conflicts with main

main moved from `{base[:7]}` to `{target[:7]}`, 2 commits; T1 is at `{head[:7]}`. git cannot merge these paths:

| path | conflict | high-risk, owner |
|---|---|---|
| `cart.py` | contents | no |

## Intents

### T1: Taxes in the \\*cart\\*

- `{head[:7]}` Add \\<b\\>taxes\\</b\\> \\| totals

### T2: Search

- `{cart.git("rev-parse", "--short=7", "main~1")}` Search by words

## Resolution

<!-- What each side meant, what of both is kept, and which test shows that both still hold. -->
"""
    )
    assert cart.git("status", "--porcelain", "-uall") == "?? evidence/T1/conflict.md"


def test_high_risk_path_asks_for_a_person_and_names_the_owner(cart: Repository) -> None:
    cart.git("switch", "-q", "--detach", "main")
    cart.commit("CODEOWNERS", "cart.py @ada @org/team_a\n")
    cart.git("branch", "-f", "owned")
    cart.git("switch", "-q", "task/T1-cart")
    ends = cart.git("rev-parse", "HEAD", "owned").split()
    analysis.write(
        str(cart.path), SETTINGS, Sides("T1", ends[0], "owned", ends[1]), [*FOUND, Conflict("groundrules.toml", "x")]
    )
    assert [row["path"] for row in facts(cart)["high_risk"]] == ["cart.py", "groundrules.toml"]
    assert "| `cart.py` | contents | yes, \\@ada, \\@org/team\\_a |" in page(cart)
    assert "| `groundrules.toml` | x | yes |" in page(cart)
    assert len(list(conflict.problems(page(cart).encode(), ""))) == 3
    filled = page(cart).replace("still hold. -->\n", "still hold. -->\n\nBoth stay.\n")
    filled += "\n- cart.py: Ada\n- groundrules.toml: Ben\n"
    assert list(conflict.problems(filled.encode(), "")) == []


def test_same_conflict_again_leaves_the_page_alone(cart: Repository) -> None:
    assert write(cart)
    text = page(cart).replace("still hold. -->\n", "still hold. -->\n\nBoth stay.\n")
    (cart.path / "evidence/T1/conflict.md").write_text(text)
    assert not write(cart)
    assert page(cart) == text


def test_another_conflict_replaces_an_empty_page_and_keeps_a_resolved_one(cart: Repository) -> None:
    assert write(cart)
    cart.commit("other.py")
    assert write(cart)
    assert len(conflict.pages(page(cart).encode())) == 1
    resolved = page(cart).replace("still hold. -->\n", "still hold. -->\n\nBoth stay.\n")
    (cart.path / "evidence/T1/conflict.md").write_text(resolved)
    assert write(cart, Conflict("other.py", "contents"))
    newest, older = conflict.pages(page(cart).encode())
    assert older == resolved
    assert facts(cart)["paths"] == [{"path": "other.py", "kind": "contents"}]
    assert list(conflict.problems(newest.encode(), "")) == ["the conflict with main has no resolution"]


def test_notes_without_a_head_are_kept(cart: Repository) -> None:
    cart.write("evidence/T1/conflict.md", "My notes\n")
    assert write(cart)
    assert page(cart).endswith("\n## Notes\n\nMy notes\n")
    assert list(conflict.problems(page(cart).encode(), "")) == ["the conflict with main has no resolution"]


def test_any_word_in_a_page_keeps_it(cart: Repository) -> None:
    assert write(cart)
    edited = page(cart).replace("## Intents\n", "## Intents\n\nAsk Ben, gr\udcf6\udcdfe.\n")
    (cart.path / "evidence/T1/conflict.md").write_bytes(edited.encode("utf-8", "surrogateescape"))
    cart.commit("other.py")
    assert write(cart)
    assert edited.encode("utf-8", "surrogateescape") in (cart.path / "evidence/T1/conflict.md").read_bytes()


def test_odd_path_can_be_signed_off_as_it_is_shown(cart: Repository) -> None:
    odd = "a|b `c`\n-->\udce9"
    ends = cart.git("rev-parse", "HEAD", "main").split()
    risky = config.of_text(b"[merge]\nhigh_risk = ['**']")
    analysis.write(str(cart.path), risky, Sides("T1", ends[0], "main", ends[1]), [Conflict(odd, "contents")])
    (row,) = facts(cart)["high_risk"]
    text = page(cart).replace("still hold. -->\n", "still hold. -->\n\nBoth stay.\n") + f"- {row['path']}: Ada\n"
    assert list(conflict.problems(text.encode(), "")) == []


def test_what_the_handoff_of_the_other_side_says_is_told(cart: Repository, shop: Repository) -> None:
    shop.git("switch", "-q", "-c", "task/T2-x")
    shop.commit("cart.py", "again\n", message="Search again\n\nTask: T2")
    shop.command("handoff", "draft", "--unresolved", "slow above *10,000* rows", "--deviations", "none")
    shop.git("add", "-A")
    shop.git("commit", "-q", "-m", "Hand over T2")
    shop.git("switch", "-q", "main")
    shop.git("merge", "-q", "task/T2-x")
    write(cart)
    assert "- unresolved: slow above \\*10,000\\* rows" in page(cart)
