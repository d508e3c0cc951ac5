"""`groundrules mirror sync`: the whole of an export or nothing of it, and a commit that the rule lets pass."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from groundrules_hooks import mirror

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Repository
    from scaffolder.conftest import Answer

CSV = "Plan,Fee\nbasic,3\n"
ORDERS = "# Orders\n\nThe [plans](plans.csv) and ![flow](media/flow.png).\n"
BILLING = "---\ntitle: 'Billing: all'\nurl: https://example.org/b\nrevision: 7\nowner: ada\n---\n# Money\n\nFees.\n"
PICTURE = b"\x89PNG\r\n\x1a\n\0flow"


class Export:
    """A folder of exported Markdown beside the repository that mirrors it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, name: str, content: str | bytes) -> None:
        place = self.path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())

    def edit(self, name: str, old: str, new: str) -> None:
        text = (self.path / name).read_text()
        assert old in text
        self.write(name, text.replace(old, new))


@pytest.fixture
def export(tmp_path: Path) -> Export:
    made = Export(tmp_path / "export")
    for name, content in {"orders.md": ORDERS, "plans.csv": CSV, "area/billing.md": BILLING}.items():
        made.write(name, content)
    made.write("media/flow.png", PICTURE)
    return made


@pytest.fixture
def kiosk(hooked: Repository) -> Repository:
    """A repository with our hooks and a mirror that is empty yet."""
    hooked.write("docs/product/README.md", "# Requirements\n")
    with (hooked.path / "groundrules.toml").open("a") as file:
        file.write('[mirror]\nfolder = "../export"\n')
    hooked.git("add", "-A")
    hooked.git("commit", "-q", "-m", "Begin a mirror")
    return hooked


@pytest.fixture
def sync(kiosk: Repository, export: Export, run: Callable[..., Answer]) -> Callable[..., Answer]:
    assert export.path.exists()

    def sync(*argv: str, code: int = 0) -> Answer:
        answer = run(kiosk, "mirror", "sync", *argv)
        assert answer.code == code, answer
        return answer

    return sync


def commit(kiosk: Repository, answer: Answer) -> str:
    """Paste the last line that was narrated; return the message of the commit."""
    sign, _, command = answer.err.splitlines()[-1].partition(" ")
    assert sign == "→"
    done = subprocess.run(["sh", "-ec", command], cwd=kiosk.path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert kiosk.git("status", "--short") == ""
    return kiosk.git("log", "-1", "--format=%B")


def held(kiosk: Repository) -> dict[str, bytes]:
    """Return every file of the mirror by its path."""
    root = kiosk.path / "docs/product"
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def head(kiosk: Repository, name: str = "orders.md") -> mirror.Head:
    return mirror.parse((kiosk.path / "docs/product" / name).read_bytes())


def test_sync_commit_gate_and_nothing_to_do_afterwards(
    kiosk: Repository, sync: Callable[..., Answer], run: Callable[..., Answer]
) -> None:
    # MIRR-01
    first = sync()
    assert first.out.splitlines() == [
        "new        docs/product/area/billing.md  revision 7",
        "new        docs/product/orders.md  revision 1  1 table",
    ]
    assert list(held(kiosk)) == ["README.md", "area/billing.md", "media/flow.png", "orders.md", "orders.plans.csv"]
    message = commit(kiosk, first)
    assert message == "Sync the requirements mirror\n\nMirror-Sync: area/billing@7\nMirror-Sync: orders@1"
    before = held(kiosk)
    again = sync()
    assert "○ mirror        2 documents, nothing changed" in again.err
    assert "→" not in again.err
    assert held(kiosk) == before  # the time of the sync included
    assert run(kiosk, "gate", "--base", "HEAD~1").code == 0


def test_document_says_where_it_is_from_and_what_is_in_it(kiosk: Repository, sync: Callable[..., Answer]) -> None:
    sync()
    billing, orders = head(kiosk, "area/billing.md"), head(kiosk)
    assert (billing.title, billing.url, billing.revision) == ("Billing: all", "https://example.org/b", 7)
    assert (orders.title, orders.url, orders.revision, orders.source) == ("Orders", "", 1, "folder")
    (table,) = orders.tables
    assert (table.id, table.rows, table.columns, table.path) == ("plans", 1, 2, "orders.plans.csv")
    files = held(kiosk)
    assert files["orders.plans.csv"].decode() == CSV
    assert files["media/flow.png"] == PICTURE
    text = files["orders.md"].decode()
    assert "\n| Plan | Fee |\n| --- | --- |\n| basic | 3 |\n" in text
    assert "owner" not in files["area/billing.md"].decode()


def test_only_what_changed_moves(kiosk: Repository, export: Export, sync: Callable[..., Answer]) -> None:
    # MIRR-03: a table is edited by itself
    commit(kiosk, sync())
    before = held(kiosk)
    export.write("plans.csv", CSV.replace("3", "4"))
    answer = sync()
    assert [line.split()[0] for line in answer.out.splitlines()] == ["unchanged", "changed"]
    after = held(kiosk)
    assert {name for name in after if after[name] != before[name]} == {"orders.md", "orders.plans.csv"}
    assert (head(kiosk).revision, head(kiosk).tables[0].revision) == (1, 2)
    assert commit(kiosk, answer).splitlines()[2:] == ["Mirror-Sync: orders@1"]
    export.edit("orders.md", "The", "All the")
    commit(kiosk, sync())
    assert (head(kiosk).revision, head(kiosk).tables[0].revision) == (2, 2)


def test_two_syncs_before_a_commit_are_told_as_one(
    kiosk: Repository, export: Export, sync: Callable[..., Answer]
) -> None:
    commit(kiosk, sync())
    export.edit("orders.md", "The", "All the")
    sync()
    export.edit("area/billing.md", "revision: 7", "revision: 9")
    message = commit(kiosk, sync())
    assert message.splitlines()[2:] == ["Mirror-Sync: area/billing@9", "Mirror-Sync: orders@2"]


LOST = '<sheet token="abc"/>\n\n[database]\n'


def test_loss_is_refused_by_name_until_it_is_accepted(
    kiosk: Repository, export: Export, sync: Callable[..., Answer]
) -> None:
    # MIRR-11
    before = held(kiosk)
    export.write("orders.md", ORDERS + LOST)
    said = sync(code=1).err
    assert said.splitlines()[1:3] == ["  orders:sheet:abc", "  orders:database:1"]
    assert held(kiosk) == before
    accept = next(line.strip() for line in said.splitlines() if "accept = [" in line)
    with (kiosk.path / "groundrules.toml").open("a") as file:
        file.write(f"{accept}\n")  # into [mirror], which stands last
    kiosk.git("commit", "-q", "-a", "-m", "Accept what cannot be exported")
    answer = sync()
    assert "▲ orders:sheet:abc is lost in export, as [mirror] accept allows" in answer.err
    assert head(kiosk).losses == ("sheet:abc", "database:1")
    commit(kiosk, answer)
    export.write("orders.md", ORDERS + LOST.replace("[database]", "| a |\n|---|\n| 1 |"))
    assert "▲ orders:database:1 is not lost any more: [mirror] accept need not name it" in sync().err


TABLE = "\n## {0}\n\n| {0} |\n|---|\n| {1} |\n"
PRICES = f"---\nrevision: 3\n---\n# Prices\n\nAll.\n{TABLE.format('Fees', 1)}{TABLE.format('Fees', 2)}"
BARE = PRICES.partition("\n## ")[0]


@pytest.mark.parametrize(
    ("content", "lost"),
    [
        ("", ["text:all", "revision:3", "table:fees", "table:fees-2"]),
        ("---\nrevision: 4\n---\n# Prices\n", ["text:all", "table:fees", "table:fees-2"]),
        ("---\nrevision: 4\n", ["fields:cut", "text:all", "revision:3", "table:fees", "table:fees-2"]),
        (BARE.replace("3", "4"), ["table:fees", "table:fees-2"]),
        (f"{BARE}{TABLE.format('Fees', 2)}".replace("revision: 3", "revision: 4"), ["table:fees"]),
        (f"{BARE}{TABLE.format('Fees', 9)}".replace("revision: 3", "revision: 4"), ["table:fees-2"]),
        (PRICES.partition("---\n# ")[2], ["revision:3"]),
        (PRICES.replace("revision: 3\n", ""), ["revision:3"]),
        (PRICES.replace("3", "4").replace("Fees\n\n| Fees", "Costs\n\n| Fees"), []),
        (PRICES.replace("3", "4").replace("| 1", "| 9").replace("All.", "None."), []),
    ],
)
def test_what_an_export_drops_without_a_trace_is_refused_until_it_is_accepted(
    kiosk: Repository, export: Export, sync: Callable[..., Answer], content: str, lost: list[str]
) -> None:
    export.write("prices.md", PRICES)
    commit(kiosk, sync())
    before = held(kiosk)
    export.write("prices.md", content)
    named = [f"prices:{name}" for name in lost]
    if lost:
        said = sync(code=1).err.splitlines()
        assert [line.strip() for line in said[1 : len(lost) + 1]] == named
        assert held(kiosk) == before
        (kiosk.path / "docs/product/prices.md").unlink()  # the last commit has it still
        assert sync(code=1).err.splitlines() == said
        accept = next(line.strip() for line in said if "accept = [" in line)
        with (kiosk.path / "groundrules.toml").open("a") as file:
            file.write(f"{accept}\n")
        kiosk.git("commit", "-q", "-m", "Accept what is gone", "groundrules.toml")
    answer = sync("--json")
    assert json.loads(answer.out)["documents"][2]["losses"] == named
    assert all(f"▲ {name} is lost in export, as [mirror] accept allows" in answer.err for name in named)
    commit(kiosk, answer)
    stays = {"prices:fields:cut"} & set(named)
    assert json.loads(sync("--json").out)["documents"][2]["losses"] == list(stays)


def test_document_that_never_said_more_is_not_cut(
    kiosk: Repository, export: Export, sync: Callable[..., Answer]
) -> None:
    export.write("later.md", "# Later\n")
    commit(kiosk, sync())
    for content in ("# Some day\n", "", "# Later\n\nText.\n"):
        export.write("later.md", content)
        commit(kiosk, sync())


def test_document_that_is_gone_goes_only_by_name(
    kiosk: Repository, export: Export, sync: Callable[..., Answer], run: Callable[..., Answer]
) -> None:
    commit(kiosk, sync())
    before = held(kiosk)
    (export.path / "orders.md").unlink()
    assert sync(code=1).err.splitlines()[-1].strip() == "groundrules mirror sync --remove orders"
    assert "--remove nothing: nothing is in no mirrored document" in sync("--remove", "nothing", code=2).err
    assert "area/billing is in the source" in sync("--remove", "area/billing", code=2).err
    assert held(kiosk) == before
    answer = sync("--remove", "orders")
    assert answer.out.splitlines()[1] == "removed    docs/product/orders.md  revision 1  1 table"
    assert list(held(kiosk)) == ["README.md", "area/billing.md"]
    assert commit(kiosk, answer).splitlines()[2:] == ["Mirror-Sync: orders@gone"]
    assert run(kiosk, "gate", "--base", "HEAD~1").code == 0


def test_moved_document_keeps_its_revision(
    kiosk: Repository, export: Export, sync: Callable[..., Answer], run: Callable[..., Answer]
) -> None:
    export.write("area/billing.md", BILLING.replace("owner", "token: B-1\nowner"))
    commit(kiosk, sync())
    os.rename(export.path / "area/billing.md", export.path / "money.md")
    answer = sync()
    assert list(held(kiosk)) == ["README.md", "media/flow.png", "money.md", "orders.md", "orders.plans.csv"]
    assert (head(kiosk, "money.md").token, head(kiosk, "money.md").revision) == ("B-1", 7)
    assert commit(kiosk, answer).splitlines()[2:] == ["Mirror-Sync: B-1@7"]
    assert run(kiosk, "gate", "--base", "HEAD~1").code == 0


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("revision: 7", "revision: 6", "area/billing: its revision goes back from 7 to 6"),
        ("Fees.", "Fines.", "area/billing: its text is another, and its revision is 7 as before"),
    ],
)
def test_export_whose_revisions_do_not_count_is_refused(
    kiosk: Repository, export: Export, sync: Callable[..., Answer], old: str, new: str, words: str
) -> None:
    commit(kiosk, sync())
    before = held(kiosk)
    export.edit("area/billing.md", old, new)
    export.edit("orders.md", "The", "All the")
    assert sync(code=1).err.startswith(f"groundrules: {words}; nothing was written")
    assert held(kiosk) == before


@pytest.mark.parametrize(
    ("name", "content", "fix"),
    [
        ("orders.md", None, "git checkout HEAD -- docs/product/orders.md"),
        ("orders.md", b"mine\n", "git checkout HEAD -- docs/product/orders.md"),
        ("orders.plans.csv", b"mine\n", "git checkout HEAD -- docs/product/orders.plans.csv"),
        ("later.md", b"mine\n", "mv docs/product/later.md docs/"),
    ],
)
def test_edit_by_hand_is_not_written_over(
    kiosk: Repository, export: Export, sync: Callable[..., Answer], name: str, content: bytes | None, fix: str
) -> None:
    commit(kiosk, sync())
    place = kiosk.path / "docs/product" / name
    place.write_bytes(place.read_bytes() + b"mine\n" if content is None else content)
    before = held(kiosk)
    export.write("later.md", "# Later\n")
    said = sync(code=2).err
    assert said.splitlines()[-1].strip() == fix
    assert held(kiosk) == before
    subprocess.run(["sh", "-ec", fix], cwd=kiosk.path, check=True, capture_output=True)
    sync()


def test_file_deleted_on_disk_comes_back_as_it_was(kiosk: Repository, sync: Callable[..., Answer]) -> None:
    commit(kiosk, sync())
    for name in ("orders.plans.csv", "area/billing.md"):
        (kiosk.path / "docs/product" / name).unlink()
    assert [line.split()[0] for line in sync().out.splitlines()] == ["restored", "restored"]
    assert kiosk.git("status", "--short") == ""


def test_own_files_of_the_folder_stay(kiosk: Repository, sync: Callable[..., Answer]) -> None:
    kiosk.write("docs/product/notes/draft.md", "mine\n")
    (kiosk.path / "docs/product/link").symlink_to("README.md")
    sync()
    assert (kiosk.path / "docs/product/notes/draft.md").read_text() == "mine\n"
    assert os.readlink(kiosk.path / "docs/product/link") == "README.md"
    assert os.listdir(kiosk.path / "docs") == ["product"]


def test_conflict_of_two_syncs_is_solved_by_a_third(
    kiosk: Repository, export: Export, sync: Callable[..., Answer], run: Callable[..., Answer]
) -> None:
    commit(kiosk, sync())
    kiosk.git("switch", "-q", "-c", "other")
    for words in ("All the", "Some of the"):  # the other side is two revisions ahead
        export.write("orders.md", ORDERS.replace("The", words))
        commit(kiosk, sync())
    kiosk.git("switch", "-q", "main")
    export.write("orders.md", ORDERS.replace("The", "None of the"))
    commit(kiosk, sync())
    kiosk.git("merge", "other", code=1)
    export.write("orders.md", ORDERS.replace("The", "Some of the"))
    assert sync().out.splitlines()[1].startswith("restored ")
    assert kiosk.git("diff", "other", "--", "docs/product/orders.md") == ""
    export.write("orders.md", ORDERS.replace("The", "Both"))
    answer = sync()
    assert head(kiosk).revision == 4
    commit(kiosk, answer)
    assert run(kiosk, "gate", "--base", "HEAD^1", "--head", "HEAD").code == 0


def test_json_names_documents_losses_and_trailers(
    kiosk: Repository, export: Export, sync: Callable[..., Answer]
) -> None:
    with (kiosk.path / "groundrules.toml").open("a") as file:
        file.write('accept = ["orders:sheet:abc"]\n')
    export.write("orders.md", ORDERS + LOST.partition("\n")[0])
    document = json.loads(sync("--json").out)
    assert document["schema_version"] == 1
    assert document["documents"][1] == {
        "token": "orders",
        "path": "docs/product/orders.md",
        "state": "new",
        "revision": 1,
        "tables": ["docs/product/orders.plans.csv"],
        "losses": ["orders:sheet:abc"],
    }
    assert document["trailers"] == ["Mirror-Sync: area/billing@7", "Mirror-Sync: orders@1"]


def test_export_with_one_bad_document_is_refused_as_a_whole(
    kiosk: Repository, export: Export, sync: Callable[..., Answer]
) -> None:
    before = held(kiosk)
    export.write("bad.md", b"# caf\xe9\n")
    said = sync(code=2).err
    assert f"{export.path}/bad.md:1: not UTF-8" in said
    assert "To fix:" in said
    assert held(kiosk) == before


def test_folder_is_taken_from_the_command_before_the_configuration(
    kiosk: Repository, export: Export, sync: Callable[..., Answer], run: Callable[..., Answer], tmp_path: Path
) -> None:
    os.rename(export.path, tmp_path / "elsewhere")
    assert "is no folder" in sync(code=2).err
    assert run(kiosk.path / "docs/product", "mirror", "sync", "--from", "../../../elsewhere").code == 0
    kiosk.git("checkout", "HEAD~1", "--", "groundrules.toml")
    assert "no folder to sync from" in sync(code=2).err
    (tmp_path / "empty").mkdir()
    assert "holds no Markdown" in sync("--from", str(tmp_path / "empty"), code=2).err


def test_mirror_that_is_a_link_is_refused(kiosk: Repository, sync: Callable[..., Answer]) -> None:
    os.rename(kiosk.path / "docs/product", kiosk.path / "product")
    (kiosk.path / "docs/product").symlink_to("../product")
    assert "docs/product/ is a link" in sync(code=2).err
