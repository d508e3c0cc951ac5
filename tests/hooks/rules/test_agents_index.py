"""agents-index: the index stays short, leads somewhere, and leaves no page out; ordinary changes are not refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groundrules_hooks.config import Config
from groundrules_hooks.history import commits
from groundrules_hooks.rules.agents_index import check

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository
    from hooks.rules.conftest import Author

INDEX = "# shop\n\n[one](docs/agents/one.md)\n"


@pytest.fixture
def indexed(shop: Repository, enter: Callable[[Repository], None]) -> Repository:
    """A repository whose index leads to one page and one script, by one target."""
    shop.write("AGENTS.md", INDEX)
    shop.write("docs/agents/one.md", "# One\n")
    shop.write("tools/run")
    shop.write("Makefile", "NAME := x\nexport A=b:c\nup down: prepare ## start\n\t@true: nothing\n-include local.mk\n")
    shop.write("local.mk", "mine:\n\t@true\n")
    shop.commit("src/code.py")
    enter(shop)
    return shop


def stage(repository: Repository, **files: str) -> None:
    for name, content in files.items():
        repository.write({"index": "AGENTS.md", "bridge": "CLAUDE.md", "page": "docs/agents/one.md"}[name], content)
    repository.git("add", "-A")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (120, []),
        (121, ["AGENTS.md:121: agents-index: 121 lines, at most 120: move detail to a page in docs/agents/"]),
    ],
)
@pytest.mark.parametrize("end", ["", "\n"])
def test_an_index_has_at_most_120_lines(
    indexed: Repository, author: Author, lines: int, end: str, expected: list[str]
) -> None:
    # AGADR-10
    stage(indexed, index="\n".join(["[one](docs/agents/one.md)", *["x"] * (lines - 1)]) + end)
    assert author.commit().findings == expected


@pytest.mark.parametrize("over", [0, 1])
def test_an_index_has_at_most_8_kibibytes(indexed: Repository, author: Author, over: int) -> None:
    # AGADR-10
    stage(indexed, index=INDEX + "\u00fc" * ((8192 - len(INDEX)) // 2) + "x" * ((8192 - len(INDEX)) % 2 + over))
    expected = ["AGENTS.md:1: agents-index: 8193 bytes, at most 8192: move detail to a page in docs/agents/"]
    assert author.commit().findings == expected[:over]


@pytest.mark.parametrize("bridge", ["`@AGENTS.md`\n", "", "See AGENTS.md", "```\n@AGENTS.md\n```\n", "x @AGENTS.md x"])
def test_a_bridge_that_is_inert_is_refused_and_mended(
    indexed: Repository, mended: Callable[[], str], bridge: str
) -> None:
    # AGADR-02
    stage(indexed, bridge=bridge)
    assert mended() == (
        "CLAUDE.md:1: agents-index: CLAUDE.md has no line @AGENTS.md, so tools that read it miss AGENTS.md"
    )


@pytest.mark.parametrize("bridge", ["@AGENTS.md", "# Rules\n\n  @AGENTS.md  \r\nmore\n"])
def test_a_bridge_may_say_more(indexed: Repository, author: Author, bridge: str) -> None:
    stage(indexed, bridge=bridge)
    assert author.commit().findings == []


def test_a_bridge_may_be_a_link(indexed: Repository, author: Author) -> None:
    (indexed.path / "CLAUDE.md").unlink()
    (indexed.path / "CLAUDE.md").symlink_to("AGENTS.md")
    stage(indexed)
    assert author.commit().findings == []


COPILOT = ".github/copilot-instructions.md"


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("GEMINI.md", "Be brief.\n", "@./AGENTS.md"),
        ("GEMINI.md", "Be brief: `@AGENTS.md`", "@./AGENTS.md"),
        (COPILOT, "Read AGENTS.md first.\n", "Read [AGENTS.md](../AGENTS.md) first."),
        (COPILOT, "Read [it](AGENTS.md)\n", "Read [AGENTS.md](../AGENTS.md) first."),
        (COPILOT, "", "Read [AGENTS.md](../AGENTS.md) first."),
    ],
)
def test_a_bridge_of_another_tool_that_is_there_leads_to_the_index(
    indexed: Repository, mended: Callable[[], str], name: str, content: str, line: str
) -> None:
    # AGADR-02
    indexed.write(name, content)
    indexed.git("add", "-A")
    assert mended() == f"{name}:1: agents-index: {name} has no line {line}, so tools that read it miss AGENTS.md"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("GEMINI.md", "@./AGENTS.md\n"),
        ("GEMINI.md", "# Rules\n\n@AGENTS.md\n\nMore.\n"),
        (COPILOT, "First [the index](../AGENTS.md#commands), then this.\n"),
        (COPILOT, "[the index](/AGENTS.md)\n"),
    ],
)
def test_a_bridge_of_another_tool_may_say_more(indexed: Repository, author: Author, name: str, content: str) -> None:
    indexed.write(name, content)
    indexed.git("add", "-A")
    assert author.commit().findings == []


def test_a_bridge_of_another_tool_may_be_a_link_and_may_go(indexed: Repository, author: Author) -> None:
    (indexed.path / ".github").mkdir()
    (indexed.path / COPILOT).symlink_to("../AGENTS.md")
    (indexed.path / "GEMINI.md").symlink_to("AGENTS.md")
    indexed.git("add", "-A")
    assert author.commit().findings == []
    indexed.git("commit", "-q", "--no-verify", "-m", "Add bridges")
    indexed.git("rm", "-q", COPILOT, "GEMINI.md")
    assert author.commit().findings == []


def test_an_index_that_nobody_committed_is_missed_by_its_bridge(
    shop: Repository, enter: Callable[[Repository], None], mended: Callable[[], str]
) -> None:
    # AGADR-04
    enter(shop)
    shop.git("rm", "-q", "--cached", "AGENTS.md")
    shop.write(".gitignore", "AGENTS.md\n")
    shop.git("add", "-A")
    shop.git("commit", "-q", "--no-verify", "-m", "Generate the index")
    shop.write("CLAUDE.md", "@AGENTS.md\n\nMore.\n")
    shop.git("add", "-A")
    assert mended() == "CLAUDE.md:1: agents-index: it leads to AGENTS.md, which is not committed"


@pytest.mark.parametrize(("size", "largest"), [(8000, ""), (20000, "deep/AGENTS.md"), (30000, "deep/er/AGENTS.md")])
def test_a_chain_of_indexes_is_not_cut_off(indexed: Repository, author: Author, size: int, largest: str) -> None:
    # AGADR-01
    first, second = (12000, size) if size > 20000 else (size, 8000)
    indexed.write("deep/AGENTS.md", "x" * first)
    indexed.commit("deep/code.py")
    indexed.write("deep/er/AGENTS.md", "x" * second)
    indexed.git("add", "-A")
    total = len(INDEX) + first + second
    message = f"{total} bytes of AGENTS.md from the root to here, at most 24576: shorten {largest}"
    verdict = author.commit()
    assert verdict.findings == ([f"deep/er/AGENTS.md:1: agents-index: {message}"] if largest else [])
    assert not largest or verdict.fixes == [f"${{EDITOR:-vi}} +1 {largest}"]


@pytest.mark.parametrize("name", ["CLAUDE.md", "docs/agents/one.md", "tools/run", "AGENTS.md"])
def test_what_the_change_takes_away_is_brought_back(indexed: Repository, mended: Callable[[], str], name: str) -> None:
    indexed.write("AGENTS.md", f"{INDEX}`tools/run`\n")
    indexed.commit("file")
    indexed.git("rm", "-q", name)
    assert "agents-index" in mended()


def test_a_linked_file_that_moves_leaves_a_dead_link(indexed: Repository, mended: Callable[[], str]) -> None:
    indexed.write("AGENTS.md", f"{INDEX}[code](src/code.py)\n[folder](src/)\n")
    indexed.commit("file")
    indexed.git("mv", "src", "source")
    indexed.git("add", "-A")
    indexed.write("src/other.py")
    indexed.git("add", "-A")
    assert mended() == "AGENTS.md:4: agents-index: the link to src/code.py leads nowhere"


@pytest.mark.parametrize("index", ["", "text", f"{INDEX}text", "```\n[one](docs/agents/one.md)\n```\n"])
@pytest.mark.parametrize("page", ["docs/agents/two.md", "docs/agents/deep/a b.md", "docs/agents/it's (new).md"])
def test_a_page_that_is_left_out_is_refused_and_added(
    indexed: Repository, author: Author, index: str, page: str
) -> None:
    # AGADR-06
    stage(indexed, index=index)
    indexed.write(page)
    indexed.git("add", "-A")
    pages = sorted([page, *([] if index.startswith("# shop") else ["docs/agents/one.md"])])
    verdict = author.commit()
    assert verdict.findings == [f"{path}:1: agents-index: AGENTS.md does not lead here" for path in pages]
    for fix in verdict.fixes:
        author.paste(fix)
    assert author.commit().findings == []


def test_a_page_may_be_reached_through_another(indexed: Repository, author: Author) -> None:
    stage(indexed, page="[two](two.md) and [three](./deep/three.md#part)\n")
    indexed.write("docs/agents/two.md", "[one](one.md)\n[root](/AGENTS.md) [up](../../src)\n")
    indexed.write("docs/agents/deep/three.md")
    indexed.write("docs/agents/picture.png")
    indexed.git("add", "-A")
    assert author.commit().findings == []


DEAD = "the link to {} leads nowhere"


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("[a](docs/none.md)", "docs/none.md"),
        ("[a](docs/none.md#part)", "docs/none.md"),
        ('[a](docs/none.md "title")', "docs/none.md"),
        ("[a](<docs/no ne.md>)", "docs/no ne.md"),
        ("[a](docs/no%20ne.md)", "docs/no ne.md"),
        ("[a](docs/none/)", "docs/none"),
        ("![a](none.png)", "none.png"),
        ("[a]: docs/none.md", "docs/none.md"),
        ("- x [a](docs/agents/one.md) and [b](none.md)", "none.md"),
        ("[a](/none.md)", "none.md"),
        ("[a](src/code)", "src/code"),
    ],
)
def test_a_link_that_leads_nowhere_is_named_with_its_line(
    indexed: Repository, author: Author, text: str, target: str
) -> None:
    stage(indexed, index=f"{INDEX}{text}\n")
    verdict = author.commit()
    assert verdict.findings == [f"AGENTS.md:4: agents-index: {DEAD.format(target)}"]
    assert verdict.fixes == ["${EDITOR:-vi} +4 AGENTS.md"]


@pytest.mark.parametrize(
    "text",
    [
        "[a](src/code.py) [b](src) [c](src/) [d](./src/code.py#L3) [e](<src/code.py>)",
        "[a](#part) [b](https://example.org/none.md) [c](mailto:a@example.org) [d](.)",
        "`[a](none.md)` and ``x``",
        "```\n[a](none.md)\n```",
        "~~~sh\n[a](none.md)\n~~~\n[b]: src/code.py",
        "a list [x] (none.md)",
        "[a](src/code.py 'title (with brackets)')",
    ],
)
def test_other_text_is_no_dead_link(indexed: Repository, author: Author, text: str) -> None:
    stage(indexed, index=f"{INDEX}{text}\n")
    assert author.commit().findings == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Run `make none`.", "`make none` does not exist"),
        ("Run `make none ARGS=1` now", "`make none` does not exist"),
        ("```\nmake none\n```", "`make none` does not exist"),
        ("~~~sh\n  $ make none\n~~~", "`make none` does not exist"),
        ("Run `make NAME`, `make true` or `make`", "`make true` does not exist"),
        ("Run `tools/none --x`", "the command tools/none does not exist"),
        ("Run `tools/groundrules none --x`", "`tools/groundrules none` does not exist"),
        ("```\nsh tools/groundrules none\n```", "`tools/groundrules none` does not exist"),
        ("Run `./guards/none`", "the command guards/none does not exist"),
    ],
)
def test_a_command_that_does_not_exist_is_refused(indexed: Repository, author: Author, text: str, message: str) -> None:
    stage(indexed, index=f"{INDEX}{text}\n")
    (finding,) = author.commit().findings
    assert finding.endswith(f": agents-index: {message}")


def test_a_command_in_a_page_exists_too(indexed: Repository, author: Author) -> None:
    stage(indexed, page="# One\n\nRun `make none`, then\n\n    tools/none --x\n    tools/run\n")
    assert author.commit().findings == [
        "docs/agents/one.md:3: agents-index: `make none` does not exist",
        "docs/agents/one.md:5: agents-index: the command tools/none does not exist",
    ]


def test_commands_that_exist_pass_and_prose_is_no_command(indexed: Repository, author: Author) -> None:
    text = "make sure of it\n`make up`, `make mine X=1`, `tools/run --x`, `./tools/run`, `make -j2`, `npm none`\n"
    stage(indexed, index=INDEX + text)
    assert author.commit().findings == []


def test_a_target_that_the_makefile_loses_is_refused(indexed: Repository, author: Author) -> None:
    stage(indexed, index=f"{INDEX}`make mine`\n")
    indexed.commit("file")
    indexed.write("local.mk", "other:\n")
    indexed.git("add", "-A")
    assert author.commit().findings == ["AGENTS.md:4: agents-index: `make mine` does not exist"]


def test_a_change_of_other_files_is_not_held_up_by_an_old_index(indexed: Repository, author: Author) -> None:
    stage(indexed, index="[a](none.md)\n")
    indexed.commit("file")
    indexed.write("src/code.py", "changed\n")
    indexed.git("add", "-A")
    assert author.commit().findings == []


def test_a_finished_commit_is_judged_by_its_own_tree(indexed: Repository) -> None:
    stage(indexed, index=f"{INDEX}[a](none.md)\n")
    oid = indexed.commit("file")
    indexed.commit("none.md")
    found = [list(check(change, Config({}))) for change in commits("HEAD", ["HEAD~2"])]
    assert [[(each.message, each.commit) for each in of] for of in found] == [[(DEAD.format("none.md"), oid)], []]


PAGE = "docs/agents/one.md"


@pytest.mark.parametrize(
    "text",
    [
        "[text over\ntwo lines](docs/agents/one.md)",
        "[![image](docs/agents/one.md)](docs/agents/one.md)",
        "Said[^1].\n\n[^1]: a footnote",
        "<!-- [old](none.md)\n[older](none.md) -->",
        "Code:\n\n    [a](none.md)\n\n    [b](none.md)",
        "[elsewhere](../../issues/3)",
        "```\nmake sure it works\n```",
        "`make sure it works`",
        "[here](#anchor) and [there](docs/agents/one.md#anchor)",
    ],
)
def test_what_a_reader_can_follow_is_let_pass(
    shop: Repository, enter: Callable[[Repository], None], author: Author, text: str
) -> None:
    enter(shop)
    shop.write(PAGE)
    shop.write("Makefile", "build:\n\ttrue\n")
    shop.write("AGENTS.md", f"# shop\n\n[page]({PAGE})\n\n{text}\n")
    shop.git("add", "-A")
    assert author.commit().findings == []


@pytest.mark.parametrize("recipe", ["include other.mk\n", "-include other.mk\n", "%.out:\n\ttrue\n", ""])
def test_targets_that_only_make_can_tell_are_let_pass(
    shop: Repository, enter: Callable[[Repository], None], author: Author, recipe: str
) -> None:
    enter(shop)
    shop.write("Makefile", recipe)
    shop.write("AGENTS.md", "# shop\n\n`make build`\n")
    shop.git("add", "-A")
    assert author.commit().findings == []


def test_a_deletion_where_there_never_was_an_index_is_let_pass(
    shop: Repository, enter: Callable[[Repository], None], author: Author
) -> None:
    enter(shop)
    shop.git("rm", "-q", "AGENTS.md")
    shop.git("commit", "-q", "--no-verify", "-m", "Drop the index")
    shop.git("rm", "-q", "CLAUDE.md")
    assert author.commit().findings == []
