"""mirror: what a sync wrote passes, however it came here; what a hand wrote does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groundrules_hooks import change, history, mirror
from groundrules_hooks.config import Config, Mirror
from groundrules_hooks.mirror import Head, Part
from groundrules_hooks.rules.mirror import check

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository
    from hooks.rules.conftest import Author

ORDERS = "docs/product/orders.md"
FEES = "docs/product/orders.fees.csv"
FLOW = "docs/product/media/flow.png"
PICTURE = b"\x89PNG\r\n\x1a\n\0flow"


def document(
    revision: int, text: str = "Orders.\n", csv: bytes = b"Plan,Fee\n", table: int = 1, **more: object
) -> bytes:
    body = f"{text}\n{mirror.TABLE}fees revision {table} -->\n"
    body += "".join(f"\n{mirror.LOST}{loss} -->\n" for loss in more.get("losses", ()))  # type: ignore[attr-defined]
    head = Head(
        *("folder", "orders", "orders.md", "", "Orders", revision, "2026-01-02T03:04:05Z", "groundrules 0", "0" * 64),
        tables=(Part(table, mirror.digest(csv), "orders.fees.csv", "fees", 0, 2),),
        files=(Part(1, mirror.digest(PICTURE), "media/flow.png"),),
        body_sha256=mirror.digest(body.encode()),
    )
    return (mirror.render(head._replace(**more)) + body).encode()  # type: ignore[arg-type]


def put(repository: Repository, revision: int = 7, csv: bytes = b"Plan,Fee\n", **more: object) -> None:
    repository.write(FEES, csv)
    repository.write(FLOW, PICTURE)
    repository.write(ORDERS, document(revision, csv=csv, **more))  # type: ignore[arg-type]
    repository.git("add", "-A")


@pytest.fixture
def mirrored(shop: Repository, enter: Callable[[Repository], None]) -> Repository:
    """A repository whose mirror holds one document at revision 7, with a table and a picture."""
    shop.write("docs/product/README.md", "# Requirements\n")
    put(shop)
    shop.git("commit", "-q", "--no-verify", "-m", "Sync\n\nMirror-Sync: orders@7")
    enter(shop)
    return shop


def judged(base: str = "HEAD~1") -> list[str]:
    """Return what the gate finds in the commits since `base`."""
    return [f.message for each in history.commits("HEAD", [base]) for f in check(each, Config({}))]


def test_step_forward_and_the_page_of_the_mirror_pass(mirrored: Repository, author: Author) -> None:
    put(mirrored, 8, text="Orders, and more.\n")
    mirrored.write("docs/product/README.md", "# Requirements\n\nMore.\n")
    mirrored.git("add", "-A")
    assert author.commit().findings == []


def test_table_that_moves_without_its_document_passes(mirrored: Repository, author: Author) -> None:
    # MIRR-03
    put(mirrored, 7, csv=b"Plan,Fee\nbasic,3\n", table=2)
    assert author.commit().findings == []


@pytest.mark.parametrize(
    ("path", "old", "new", "finding"),
    [
        (ORDERS, b"Orders.", b"Others.", ":15: mirror: edited by hand: the text is not that of revision 7"),
        (ORDERS, b"title: Orders", b"title: Mine", ":1: mirror: edited by hand: it changed, and revision 7 did not"),
        (ORDERS, b"A copy", b"My copy", ":1: mirror: no head: it is no copy made by `groundrules mirror sync`"),
        (FEES, b"Fee", b"Fees", f":1: mirror: edited by hand: not what {ORDERS} names"),
        (FLOW, b"flow", b"flaw", f":1: mirror: edited by hand: not what {ORDERS} names"),
    ],
)
def test_edit_by_hand_is_refused_and_taken_back(
    mirrored: Repository, author: Author, path: str, old: bytes, new: bytes, finding: str
) -> None:
    place = mirrored.path / path
    place.write_bytes(place.read_bytes().replace(old, new, 1))
    mirrored.git("add", "-A")
    verdict = author.commit()
    assert f"{path}{finding}" in verdict.findings
    author.paste("\n".join(verdict.fixes))
    assert author.commit().findings == []
    assert mirrored.git("status", "--short") == ""


def test_text_and_hash_edited_alike_are_refused(mirrored: Repository, mended: Callable[[], str]) -> None:
    put(mirrored, 7, text="Others.\n")
    assert mended() == f"{ORDERS}:1: mirror: edited by hand: it changed, and revision 7 did not"


def test_revision_that_goes_back_is_refused(mirrored: Repository, mended: Callable[[], str]) -> None:
    put(mirrored, 6, text="As it was.\n")
    assert mended() == f"{ORDERS}:1: mirror: its revision goes back from 7 to 6"


@pytest.mark.parametrize("name", ["notes.md", "deep/README.md", "table.csv", ".gitkeep", "orders.txt"])
def test_file_that_no_sync_wrote_is_refused_and_left_on_disk(
    mirrored: Repository, mended: Callable[[], str], name: str
) -> None:
    mirrored.write(f"docs/product/{name}", "mine\n")
    mirrored.git("add", "-A")
    finding = mended()
    assert finding.startswith(f"docs/product/{name}:1: mirror: no ")
    assert (mirrored.path / "docs/product" / name).read_text() == "mine\n"


@pytest.mark.parametrize("path", [FEES, FLOW])
def test_file_taken_from_its_document_is_refused(mirrored: Repository, mended: Callable[[], str], path: str) -> None:
    mirrored.git("rm", "-q", path)
    assert mended() == f"{ORDERS}:1: mirror: {path} is gone, which it names"


def test_document_moved_by_hand_is_refused_and_comes_back(mirrored: Repository, author: Author) -> None:
    mirrored.git("mv", ORDERS, "docs/product/renamed.md")
    verdict = author.commit()
    assert verdict.findings == [
        f"docs/product/renamed.md:1: mirror: moved by hand: its head says {ORDERS}",
    ]
    author.paste("\n".join(verdict.fixes))
    assert author.commit().findings == []
    mirrored.git("mv", ORDERS, "orders.md")
    assert [finding.split(": ")[2] for finding in author.commit().findings] == ["no mirrored document names it"] * 2


def test_files_left_behind_by_a_document_are_refused(mirrored: Repository, author: Author) -> None:
    mirrored.git("rm", "-q", ORDERS)
    verdict = author.commit()
    assert [line.split(":")[0] for line in verdict.findings] == [FLOW, FEES]
    author.paste("\n".join(verdict.fixes))
    assert author.commit().findings == []
    assert (mirrored.path / ORDERS).exists()


def test_loss_passes_when_its_name_is_accepted(mirrored: Repository, author: Author) -> None:
    # MIRR-11
    put(mirrored, 8, losses=("sheet:abc",))
    verdict = author.commit()
    words = "sheet:abc was lost in export, and [mirror] accept does not name orders:sheet:abc"
    assert verdict.findings == [f"{ORDERS}:1: mirror: {words}"]
    assert verdict.fixes == ["${EDITOR:-vi} groundrules.toml"]
    with (mirrored.path / "groundrules.toml").open("a") as file:
        file.write('[mirror]\naccept = ["orders:sheet:abc"]\n')
    mirrored.git("add", "-A")
    assert author.commit().findings == []


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("Sync\n\nMirror-Sync: orders@8", False),
        ("Squash (#3)\n\n* Sync\n\nMirror-Sync: orders@8\n\n* Something else", False),
        ("Sync", True),
        ("Sync\n\nMirror-Sync: orders@7", True),
        ("Sync\n\nMirror-Sync: billing@8", True),
    ],
)
def test_gate_asks_for_the_trailer_of_the_sync(mirrored: Repository, message: str, found: bool) -> None:  # noqa: FBT001
    put(mirrored, 8, text="More.\n")
    mirrored.git("commit", "-q", "--no-verify", "-m", message)
    expected = "not from a sync: the message has no trailer Mirror-Sync: orders@8"
    assert judged() == ([expected] if found else [])


@pytest.mark.parametrize(
    ("message", "found"), [("Drop orders\n\nMirror-Sync: orders@gone", False), ("Drop orders", True)]
)
def test_gate_asks_a_removal_for_its_trailer(
    mirrored: Repository,
    author: Author,
    message: str,
    found: bool,  # noqa: FBT001
) -> None:
    mirrored.git("rm", "-q", ORDERS, FEES, FLOW)
    assert author.commit().findings == []  # no hook can tell before the message is written
    mirrored.git("commit", "-q", "--no-verify", "-m", message)
    expected = "removed without a sync: the message has no trailer Mirror-Sync: orders@gone"
    assert judged() == ([expected] if found else [])


def test_gate_names_the_commit_of_an_edit(mirrored: Repository) -> None:
    base = mirrored.git("rev-parse", "HEAD")
    edited = mirrored.commit(FEES, "Plan,Fines\n")
    mirrored.commit("later")
    (found,) = (f for each in history.commits("HEAD", [base]) for f in check(each, Config({})))
    assert (found.path, found.commit) == (FEES, edited)
    assert found.fix.startswith("git rebase --interactive")


def test_revert_of_a_sync_passes_in_hook_and_gate(mirrored: Repository, author: Author) -> None:
    put(mirrored, 8, text="More.\n")
    mirrored.git("commit", "-q", "--no-verify", "-m", "Sync\n\nMirror-Sync: orders@8")
    mirrored.git("revert", "--no-commit", "HEAD")
    assert author.commit().findings == []
    mirrored.git("revert", "--abort")
    mirrored.git("revert", "--no-edit", "HEAD")
    assert judged() == []


def test_edit_beside_a_revert_is_refused(mirrored: Repository, author: Author) -> None:
    put(mirrored, 8, text="More.\n")
    mirrored.git("commit", "-q", "--no-verify", "-m", "Sync\n\nMirror-Sync: orders@8")
    mirrored.git("revert", "--no-commit", "HEAD")
    mirrored.write(FEES, "Plan,Fines\n")
    mirrored.git("add", "-A")
    assert len(author.commit().findings) == 1


def test_picked_sync_passes_and_one_that_goes_back_does_not(mirrored: Repository) -> None:
    for revision in (8, 9):
        put(mirrored, revision, text=f"Text {revision}.\n")
        mirrored.git("commit", "-q", "--no-verify", "-m", f"Sync\n\nMirror-Sync: orders@{revision}")
    mirrored.git("switch", "-q", "-c", "other", "HEAD~2")
    mirrored.git("cherry-pick", "main", code=1)
    mirrored.git("checkout", "--theirs", ".")
    mirrored.git("add", "-A")
    mirrored.git("-c", "core.editor=true", "cherry-pick", "--continue")
    assert judged() == []
    mirrored.git("cherry-pick", "-Xtheirs", "main~1")
    assert judged() == ["its revision goes back from 9 to 8"]


def test_merge_of_a_newer_mirror_passes_and_an_edit_in_it_does_not(mirrored: Repository, author: Author) -> None:
    mirrored.git("switch", "-q", "-c", "other")
    put(mirrored, 8, text="More.\n")
    mirrored.git("commit", "-q", "--no-verify", "-m", "Sync\n\nMirror-Sync: orders@8")
    mirrored.git("switch", "-q", "main")
    mirrored.commit("file")
    mirrored.git("merge", "-q", "--no-commit", "other")
    assert author.commit().findings == []
    mirrored.write(FEES, "Plan,Fines\n")
    mirrored.git("add", "-A")
    assert len(author.commit().findings) == 1
    mirrored.git("checkout", "-q", "other", "--", FEES)
    mirrored.git("commit", "-q", "--no-verify", "-m", "Merge other")
    assert judged("HEAD^1") == []


def test_conflict_of_two_syncs_is_solved_by_either_side_as_a_whole(mirrored: Repository, author: Author) -> None:
    for branch, revision in (("one", 8), ("two", 9)):
        mirrored.git("switch", "-q", "-c", branch, "main")
        put(mirrored, revision, text=f"Text {revision}.\n")
        mirrored.git("commit", "-q", "--no-verify", "-m", f"Sync\n\nMirror-Sync: orders@{revision}")
    mirrored.git("merge", "one", code=1)
    mirrored.git("add", "-A")
    assert author.commit().findings  # with the marks of the conflict
    mirrored.git("checkout", "-q", "HEAD", "--", ORDERS)
    assert author.commit().findings == []
    mirrored.git("checkout", "-q", "one", "--", ORDERS)
    assert author.commit().findings == []


@pytest.mark.parametrize("ends", ["true", "false"])
def test_ends_of_lines_of_a_checkout_change_nothing(mirrored: Repository, author: Author, ends: str) -> None:
    mirrored.git("config", "core.autocrlf", ends)
    for path in (ORDERS, FEES):
        content = (mirrored.path / path).read_bytes()
        mirrored.write(path, content.replace(b"\n", b"\r\n"))
    mirrored.git("add", "-A")
    assert author.commit().findings == []


def test_first_commit_and_an_amended_sync_pass(mirrored: Repository, author: Author) -> None:
    assert author.commit().findings == []
    mirrored.git("commit", "-q", "--amend", "--no-verify", "-m", "Sync\n\nMirror-Sync: orders@7")
    assert judged() == []
    mirrored.git("update-ref", "-d", "HEAD")
    assert author.commit().findings == []
    mirrored.git("commit", "-q", "--no-verify", "-m", "Adopt the ground rules")
    assert [f for each in history.commits("HEAD", []) for f in check(each, Config({}))] == []


def test_large_sync_is_no_large_commit(mirrored: Repository, author: Author) -> None:
    put(mirrored, 8, text="Line.\n" * 900)
    assert author.commit().findings == []


def test_other_files_cost_nothing(mirrored: Repository) -> None:
    mirrored.commit("docs/products.md")
    (each,) = history.commits("HEAD", ["HEAD~1"])
    unreadable = each._replace(tree=change.Tree("no such tree"))
    assert list(check(unreadable, Config({}, mirror=Mirror()))) == []


def test_recorded_exception_lets_it_pass(mirrored: Repository, author: Author, monkeypatch: pytest.MonkeyPatch) -> None:
    put(mirrored, 6)
    monkeypatch.setenv("ALLOW", "mirror: the source was rolled back")
    assert author.commit().findings == []
