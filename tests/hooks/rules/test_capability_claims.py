"""The rule capability-claims: claims above and below the truth, pages that say more, in the hook and on a branch."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from groundrules_hooks import config, pre_commit, standing
from groundrules_hooks import range as ranges
from groundrules_hooks.capability_file import parse
from groundrules_hooks.capability_table import MARKERS, render
from groundrules_hooks.rules import BRANCH, GATE

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository
    from groundrules_hooks.capability import Capability
    from groundrules_hooks.change import Tree
    from groundrules_hooks.config import Config
    from groundrules_hooks.standing import Survey
    from hooks.rules.conftest import Author

SETTINGS = """[ports]
api = 8000
[tasks]
target = "main"
[stack]
[[stack.service]]
name = "api"
run = ["python3", "services/api"]
port = "api"
[[check]]
name = "unit"
run = ["true"]
paths = ["services/**", "tests/**"]
"""
WORK = "def place():\n    return 1 + 1\n"
CLAIM = """[[capability]]
id = "orders"
title = "Orders can be placed"
level = "wired"
entrypoints = ["services/api/*.py"]
proof = ["unit"]
acceptance = ["ORD-1"]
"""
FILE = "capabilities.toml"
UNNAMED = f"capability-claims: it is started, and no capability in {FILE} names it"


@pytest.fixture
def site(shop: Repository, enter: Callable[[Repository], None]) -> Repository:
    """A repository whose one capability is wired, with its table in README.md."""
    shop.write("groundrules.toml", SETTINGS)
    shop.write("services/api/__main__.py", "import orders\norders.place()\n")
    shop.write("services/api/orders.py", WORK)
    shop.write("tests/test_orders.py", "# acceptance: ORD-1\n")
    state(shop, CLAIM)
    shop.commit("file")
    enter(shop)
    return shop


def state(repository: Repository, claims: str) -> None:
    """Write the claims, and README.md with their table."""
    repository.write(FILE, claims)
    repository.write("README.md", render(f"# shop\n\n{MARKERS}", parse(claims.encode())))


def at(level: str, *entrypoints: str) -> str:
    listed = json.dumps(list(entrypoints) or ["services/api/*.py"])
    return CLAIM.replace('"wired"', f'"{level}"').replace('["services/api/*.py"]', listed)


def test_true_claims_and_commits_beside_them_pass(site: Repository, author: Author) -> None:
    state(site, CLAIM.replace("can be placed", "are taken"))
    site.write("services/api/orders.py", WORK.replace("1 + 1", "2 + 2"))
    site.write("other.py")
    site.git("add", "-A")
    assert author.commit().findings == []


@pytest.mark.parametrize(
    ("claims", "finding"),
    [
        (
            at("proven").replace('["ORD-1"]', "[]"),
            "at most wired can be shown: no acceptance item is named",
        ),
        (
            at("proven").replace("ORD-1", "ORD-2"),
            "no test among the paths of unit cites ORD-2",
        ),
        (at("wired", "services/api/gone.py"), "at most absent can be shown: services/api/gone.py matches no file"),
        (at("wired", "services/api/*.py", "dead.py"), "at most compiles can be shown: nothing that runs uses dead.py"),
        # HAND-22, HAND-26
        (at("wired", "services/api/dead.py"), "and the health check of api does not show it"),
        (at("wired", "todo.py"), "at most stub can be shown: todo.py does nothing yet"),
        (at("wired", "broken.py"), "at most stub can be shown: broken.py does not parse"),
        # HAND-23
        (at("absent"), "claimed absent, which is stale: it is wired now"),
        (at("healthy"), "claimed healthy, which is stale: it is wired now"),
        (at("stub", "dead.py"), "claimed stub, which is stale: it is compiles now"),
    ],
)
def test_claim_that_is_not_so_is_refused(site: Repository, author: Author, claims: str, finding: str) -> None:
    site.write("services/api/dead.py", WORK)
    site.write("todo.py", "def later():\n    raise NotImplementedError\n")
    site.write("dead.py", WORK)
    site.write("broken.py", "def (\n")
    state(site, claims)
    site.git("add", "-A")
    verdict = author.commit()
    (found,) = [line for line in verdict.findings if line.startswith(FILE)]
    assert found.startswith(f"{FILE}:4: capability-claims: orders is claimed ")
    assert finding in found


@pytest.mark.parametrize("level", ["healthy", "compiles", "stub"])
def test_true_lower_level_passes(site: Repository, author: Author, level: str) -> None:
    site.write("services/api/dead.py", WORK)
    site.write("dead.py", WORK)
    site.write("todo.py", "def later(): ...\n")
    path = {"healthy": "services/api/dead.py", "compiles": "dead.py", "stub": "todo.py"}[level]
    row = at(level, path).replace('id = "orders"', 'id = "other"')
    state(site, CLAIM + row)
    site.git("add", "-A")
    assert author.commit().findings == []


@pytest.mark.parametrize("level", ["stub", "compiles", "wired"])
def test_what_answers_that_it_is_not_implemented_may_be_called_a_stub(
    site: Repository, author: Author, level: str
) -> None:
    site.write("services/api/orders.py", 'def place():\n    return {"error": "not implemented"}, 501\n')
    state(site, at(level, "services/api/orders.py"))
    site.git("add", "-A")
    assert author.commit().findings == []


def test_entry_point_that_is_renamed_or_emptied_is_noticed_without_a_change_of_claims(
    site: Repository, author: Author
) -> None:
    site.git("mv", "services/api", "services/web")
    gone = f"{FILE}:4: capability-claims: orders is claimed wired, at most absent can be shown"
    brought = (
        "services/web/__main__.py:1: capability-claims: it is started, and no capability in capabilities.toml names it"
    )
    assert author.commit().findings == [f"{gone}: services/api/*.py matches no file", brought]
    site.git("reset", "-q", "--hard")
    for path in ("orders.py", "__main__.py"):
        site.write(f"services/api/{path}", "def place(): ...\n")
    site.git("add", "-A")
    (found,) = author.commit().findings
    assert found.endswith("at most stub can be shown: services/api/*.py does nothing yet")
    site.write("services/api/orders.py", "def place(:\n")
    site.git("add", "-A")
    assert author.commit().findings[0].endswith("services/api/orders.py does not parse")


@pytest.mark.parametrize("remark", ["# nobody's", '# a "b', "# ]"])
def test_remark_among_entry_points_hides_none(site: Repository, author: Author, remark: str) -> None:
    listed = f'entrypoints = [\n  {remark}\n  "services/api/orders.py",\n]'
    state(site, CLAIM.replace('entrypoints = ["services/api/*.py"]', listed))
    site.commit("file", "1")
    site.write("services/api/orders.py", "def place(): ...\n")
    site.git("add", "-A")
    (found,) = author.commit().findings
    assert found.endswith("services/api/orders.py does nothing yet")


def test_what_is_staged_counts_and_not_what_is_on_disk(site: Repository, author: Author) -> None:
    state(site, at("absent"))
    site.git("add", "-A")
    state(site, CLAIM)
    assert "stale" in author.commit().findings[0]


@pytest.mark.parametrize(
    ("edit", "finding"),
    [
        (
            lambda text: text.replace("| wired |", "| proven |"),
            "the table of capabilities is not that of",
        ),
        (lambda text: text.replace("<!-- end", "<!-- End"), "the table of capabilities has not one marker before it"),
        (lambda _: "# shop\n", "the table of capabilities is gone"),
        # AGADR-09
        (lambda text: f"{text}\nOrders can be placed: available.\n", "it calls orders available, which is wired"),
    ],
)
def test_readme_that_says_another_thing_is_refused(
    site: Repository, author: Author, edit: Callable[[str], str], finding: str
) -> None:
    page = site.path / "README.md"
    page.write_text(edit(page.read_text()))
    site.git("add", "-A")
    (found,) = author.commit().findings
    assert finding in found


def test_other_words_in_readme_and_one_without_a_table_pass(site: Repository, author: Author) -> None:
    page = site.path / "README.md"
    page.write_text(f"More.\n\n{page.read_text()}\n`orders` is not available.\n")
    site.git("add", "-A")
    assert author.commit().findings == []
    site.commit("README.md", "# shop\n")
    site.write("README.md", "# The shop\n")
    site.write(FILE, CLAIM + "\n# same\n")
    site.git("add", "-A")
    assert author.commit().findings == []


def test_word_that_is_taken_out_of_a_sentence_of_two_lines_is_seen(site: Repository, author: Author) -> None:
    page = site.path / "README.md"
    site.commit("README.md", f"{page.read_text()}\nWith carts, orders are not\nAVAILABLE.\n")
    assert author.commit().findings == []
    page.write_text(page.read_text().replace("are not", "are"))
    site.git("add", "-A")
    (found,) = author.commit().findings
    assert "it calls orders available, which is wired" in found


def test_index_that_says_more_is_refused(site: Repository, author: Author) -> None:
    # AGADR-09
    site.write("AGENTS.md", "# shop\n\nStatus: `orders` is available.\n")
    site.git("add", "-A")
    words = "it calls orders available, which is wired; only what is proven is available"
    assert author.commit().findings == [f"AGENTS.md:3: capability-claims: {words}"]


def test_fix_of_a_table_is_to_render_it(site: Repository, author: Author) -> None:
    site.write(FILE, CLAIM.replace("can be placed", "are taken"))
    site.git("add", "-A")
    assert author.commit().fixes == ["tools/groundrules capability render && git add -- README.md capabilities.toml"]


def test_wrong_file_is_a_finding_at_its_line_and_a_lost_one_comes_back(
    site: Repository, mended: Callable[[], str], author: Author
) -> None:
    site.write(FILE, CLAIM.replace('"wired"', '"done"'))
    site.git("add", "-A")
    (found,) = author.commit().findings
    assert found.startswith(f'{FILE}:4: capability-claims: level is "done"; expected "absent" or')
    site.git("reset", "-q", "--hard")
    site.git("rm", "-q", FILE)
    assert mended() == f"{FILE}:1: capability-claims: the claims are gone"


@pytest.mark.parametrize(
    ("path", "content", "started"),
    [
        ("tools/seed/__main__.py", WORK, "tools/seed/__main__.py"),
        ("pyproject.toml", '[project.scripts]\nseed = "jobs.seed:main"\n', "jobs/seed.py"),
        ("package.json", '{"bin": "jobs/cli.js"}', "jobs/cli.js"),
        ("Procfile", "seed: python3 jobs/seed.py\n", "jobs/seed.py"),
        (
            "groundrules.toml",
            f"{SETTINGS}[[stack.service]]\nname = 'b'\nrun = ['jobs/seed.py']\n",
            "jobs/seed.py",
        ),
    ],
)
def test_program_that_a_change_brings_needs_a_capability(
    site: Repository, author: Author, path: str, content: str, started: str
) -> None:
    # HAND-24
    site.write("jobs/seed.py", WORK)
    site.commit("jobs/cli.js", "run()\n")
    site.write(path, content)
    site.git("add", "-A")
    assert author.commit().findings == [f"{started}:1: {UNNAMED}"]
    row = at("wired", started).replace('id = "orders"', 'id = "seed"')
    state(site, CLAIM + row)
    site.git("add", "-A")
    assert author.commit().findings == []


def test_program_that_was_there_before_or_came_with_an_update_is_left_alone(site: Repository, author: Author) -> None:
    site.commit("tools/seed/__main__.py", WORK)
    site.write("tools/seed/__main__.py", f"{WORK}# more\n")
    state(site, CLAIM.replace("can be placed", "are taken"))
    site.git("add", "-A")
    assert author.commit().findings == []
    site.write("tools/other/__main__.py", WORK)
    site.write(".copier-answers.yml", "_commit: v1\n")
    site.git("add", "-A")
    assert not [line for line in author.commit().findings if "capability-claims" in line]


def test_repository_without_claims_is_left_alone(
    shop: Repository, enter: Callable[[Repository], None], author: Author
) -> None:
    enter(shop)
    shop.write("tools/seed/__main__.py", WORK)
    shop.write("README.md", f"{MARKERS}`orders` is available.\n")
    shop.git("add", "-A")
    assert author.commit().findings == []


# What a branch is judged by as a whole.


def judged(repository: Repository, base: str = "main") -> list[str]:
    """Return what the gate finds in `base..HEAD` about capabilities, and about handoffs."""
    head, start = repository.git("rev-parse", "HEAD"), repository.git("rev-parse", base)
    branch = repository.git("branch", "--show-current")
    task = "T1" if branch.startswith("task/") else None
    asked = ranges.Range(head, (start,), (start,), task, branch, start)
    found = ranges.judged(asked, config.of_text(SETTINGS.encode()), (BRANCH, GATE)).findings
    return [f"{each.rule}: {each.message}" for each in found if each.rule in ("capability-claims", "handoff")]


@pytest.fixture
def branch(site: Repository) -> Repository:
    site.git("switch", "-q", "-c", "task/T1")
    return site


def test_branch_that_takes_the_use_away_is_refused(branch: Repository, author: Author) -> None:
    branch.write("services/api/orders.py", WORK)
    state(branch, at("wired", "services/api/orders.py"))
    branch.commit("file", "1")
    branch.git("branch", "-f", "main")
    branch.write("services/api/__main__.py", "print('no orders')\n")
    branch.git("add", "-A")
    assert author.commit().findings == []  # who uses what is followed on a branch as a whole
    branch.commit("file", "2")
    (found, *_) = [line for line in judged(branch) if line.startswith("capability-claims")]
    assert "orders is claimed wired, at most healthy can be shown" in found


def test_wrong_step_that_a_later_commit_mends_is_no_finding(branch: Repository) -> None:
    state(branch, at("absent"))
    branch.commit("file", "1")
    assert [line for line in judged(branch) if "stale" in line]
    state(branch, CLAIM)
    branch.commit("file", "2")
    assert not [line for line in judged(branch) if line.startswith("capability-claims")]


def hand_over(repository: Repository, state_of: str = "draft", code: int = 0) -> None:
    repository.command("handoff", state_of, "--unresolved", "none", "--deviations", "none", code=code)
    repository.git("add", "-A")
    repository.git("commit", "-q", "--no-verify", "--allow-empty", "-m", "Hand over T1\n\nTask: T1")


@pytest.mark.parametrize("state_of", ["draft", "seal"])
def test_newly_proven_needs_a_record_in_the_handoff(branch: Repository, state_of: str) -> None:
    state(branch, at("proven"))
    branch.commit("file", "1", "Prove it\n\nTask: T1")
    words = "orders is claimed proven, and no handoff of this branch has a record of unit for these files"
    assert f"capability-claims: {words}" in judged(branch)
    hand_over(branch)
    assert [line for line in judged(branch) if line.startswith("capability-claims")] == [f"capability-claims: {words}"]
    branch.command("check", "run", "unit")
    hand_over(branch, state_of)
    assert judged(branch) == []


def test_record_of_other_files_proves_nothing(branch: Repository) -> None:
    branch.command("check", "run", "unit")
    state(branch, at("proven"))
    branch.commit("file", "1", "Prove it\n\nTask: T1")
    hand_over(branch)
    assert judged(branch) == [
        "capability-claims: orders is claimed proven, and its proof unit is STALE: ran before the last change"
    ]


def test_draft_of_an_earlier_commit_proves_nothing(branch: Repository) -> None:
    state(branch, at("proven"))
    branch.commit("file", "1", "Prove it\n\nTask: T1")
    branch.command("check", "run", "unit")
    hand_over(branch)
    branch.commit("services/api/orders.py", WORK.replace("1 + 1", "2"), "Change it\n\nTask: T1")
    (found,) = judged(branch)
    assert found.endswith("no handoff of this branch has a record of unit for these files")


def test_record_with_skipped_tests_proves_nothing(branch: Repository) -> None:
    text = SETTINGS.replace('["true"]', '["echo", "== 2 passed, 1 skipped in 0.1s =="]')
    branch.write("groundrules.toml", text)
    state(branch, at("proven"))
    branch.commit("file", "1", "Prove it\n\nTask: T1")
    branch.command("check", "run", "unit")
    hand_over(branch, "seal")
    start = branch.git("rev-parse", "main")
    asked = ranges.Range(branch.git("rev-parse", "HEAD"), (start,), (start,), "T1", "task/T1", start)
    found = ranges.judged(asked, config.of_text(text.encode()), (BRANCH, GATE)).findings
    words = "orders is claimed proven, and unit skipped 1 test, and nobody can tell which"
    assert [each.message for each in found] == [words]


def test_seal_needs_the_proofs_of_what_stays_proven_whatever_their_tier(branch: Repository) -> None:
    branch.write("groundrules.toml", SETTINGS + 'tier = "deep"\n')
    state(branch, at("proven"))
    branch.commit("file", "1")
    branch.git("branch", "-f", "main")
    branch.commit("docs/note.md", "1", "Note it\n\nTask: T1")
    hand_over(branch, "seal")
    branch.commit("services/api/orders.py", WORK.replace("1 + 1", "2"), "Change it\n\nTask: T1")
    said = branch.command("handoff", "seal", code=1)
    assert "required check unit is MISSING for this tree" in said
    assert "groundrules check run unit" in said


def own(repository: Repository) -> list[str]:
    """Return what the gate finds about capabilities alone."""
    return [line.partition(": ")[2] for line in judged(repository) if line.startswith("capability-claims")]


def test_wrong_claim_that_the_target_has_refuses_no_branch(site: Repository) -> None:
    site.write("dead.py", WORK)
    site.write("tools/seed/__main__.py", WORK)
    state(site, at("wired", "dead.py"))
    page = site.path / "README.md"
    page.write_text(page.read_text().replace("is wired", "is other"))
    site.commit("file", "1")
    site.git("switch", "-q", "-c", "task/T1")
    site.commit("services/api/more.py", WORK, "Add more\n\nTask: T1")
    assert own(site) == []
    site.write("tools/other/__main__.py", WORK)
    state(site, at("wired", "dead.py").replace("wired", "proven"))
    site.commit("file", "2", "Claim it\n\nTask: T1")
    assert own(site) == [
        "orders is claimed proven, at most compiles can be shown: nothing that runs uses dead.py",
        f"it is started, and no capability in {FILE} names it",
        "orders is claimed proven, and no handoff of this branch has a record of unit for these files",
    ]


def test_claim_that_the_configuration_of_the_branch_makes_wrong_is_its_own(branch: Repository) -> None:
    branch.write("services/api/orders.py", WORK)
    state(branch, at("wired", "services/api/orders.py"))
    branch.commit("file", "1")
    branch.git("branch", "-f", "main")
    branch.git("mv", "services/api/__main__.py", "services/api/start.py")
    branch.commit("file", "2", "Start it by another name\n\nTask: T1")
    (found,) = own(branch)
    assert found.startswith("orders is claimed wired, at most")


def test_claims_that_came_with_a_merge_of_the_target_are_not_of_the_branch(branch: Repository) -> None:
    branch.commit("services/api/more.py", WORK, "Add more\n\nTask: T1")
    branch.git("switch", "-q", "main")
    branch.write("tools/seed/__main__.py", WORK)
    state(branch, at("proven"))
    branch.commit("file", "1", "Prove it\n\nTask: T2")
    branch.git("switch", "-q", "task/T1")
    branch.git("merge", "-q", "--no-edit", "main")
    assert own(branch) == []


def test_claims_that_a_branch_removes_come_back_from_where_it_began(branch: Repository, author: Author) -> None:
    branch.git("rm", "-q", FILE)
    branch.commit("file", "1", "Remove them\n\nTask: T1")
    start = branch.git("rev-parse", "main")
    asked = ranges.Range(branch.git("rev-parse", "HEAD"), (start,), (start,), "T1", "task/T1", start)
    (found,) = ranges.judged(asked, config.of_text(SETTINGS.encode()), (GATE,)).findings
    assert found.message == "the claims are gone"
    author.paste(found.fix)
    branch.commit("file", "2", "Bring them back\n\nTask: T1")
    assert own(branch) == []


def test_claims_that_a_branch_adds_and_takes_back_are_not_missed(branch: Repository) -> None:
    branch.git("rm", "-q", FILE)
    branch.commit("file", "1")
    branch.git("branch", "-f", "main")
    state(branch, CLAIM)
    branch.commit("file", "2", "Claim it\n\nTask: T1")
    branch.git("rm", "-q", FILE)
    branch.commit("file", "3", "Claim it not\n\nTask: T1")
    assert own(branch) == []


@pytest.mark.parametrize("command", [("rm", "-q", "README.md"), ("mv", "README.md", "docs.md")])
def test_table_that_goes_with_its_page_is_missed(
    site: Repository, mended: Callable[[], str], command: tuple[str, ...]
) -> None:
    site.git(*command)
    assert mended() == "README.md:1: capability-claims: the table of capabilities is gone"


def test_table_that_a_branch_loses_comes_back_from_where_it_began(branch: Repository, author: Author) -> None:
    branch.commit("README.md", "# shop\n", "Say less\n\nTask: T1")
    branch.commit("file", "1", "More\n\nTask: T1")
    start = branch.git("rev-parse", "main")
    asked = ranges.Range(branch.git("rev-parse", "HEAD"), (start,), (start,), "T1", "task/T1", start)
    (found,) = ranges.judged(asked, config.of_text(SETTINGS.encode()), (GATE,)).findings
    assert found.message == "the table of capabilities is gone"
    author.paste(found.fix)
    branch.git("commit", "-q", "-m", "Say it again\n\nTask: T1")
    assert own(branch) == []


def test_sealed_handoff_of_another_task_is_no_record(branch: Repository) -> None:
    branch.commit("docs/note.md", "1", "Note it\n\nTask: T1")
    hand_over(branch, "seal")
    branch.git("branch", "-f", "main")
    branch.git("switch", "-q", "-c", "task/T2")
    state(branch, at("proven"))
    branch.commit("file", "1", "Prove it\n\nTask: T2")
    text = (branch.path / "evidence/T1/handoff.json").read_text()
    branch.commit("evidence/T1/handoff.json", f"{text}\n", "Touch it\n\nTask: T2")
    head, start = branch.git("rev-parse", "HEAD"), branch.git("rev-parse", "main")
    asked = ranges.Range(head, (start,), (start,), "T2", "task/T2", start)
    found = ranges.judged(asked, config.of_text(SETTINGS.encode()), (GATE,)).findings
    words = "orders is claimed proven, and no handoff of this branch has a record of unit for these files"
    assert [each.message for each in found] == [words]


def test_range_of_many_tasks_is_surveyed_once(branch: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    survey = standing.survey

    def counted(capabilities: tuple[Capability, ...], tree: Tree, settings: Config) -> Survey:
        asked.append(tree.source)
        return survey(capabilities, tree, settings)

    monkeypatch.setattr(standing, "survey", counted)
    for number in range(3):
        branch.commit("services/api/more.py", f"{WORK}# {number}\n", f"Add {number}\n\nTask: T{number}")
    head, start = branch.git("rev-parse", "HEAD"), branch.git("rev-parse", "main")
    found = ranges.judged(ranges.Range(head, (start,), (start,)), config.of_text(SETTINGS.encode()), (GATE,))
    assert (found.findings, asked) == ([], [head])


def test_hook_reads_no_capability_for_a_change_beside_them(
    site: Repository, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("groundrules_hooks.capability_file.parse", None)
    site.write("other/file.py", "x = 1\n")
    site.write("docs/page.md", "available\n")
    page = site.path / "README.md"
    page.write_text(f"More words.\n\n{page.read_text()}")
    site.git("add", "-A")
    assert (pre_commit.main([]), capfd.readouterr().out) == (0, "")


def test_update_that_changes_both_pages_is_judged(site: Repository, author: Author) -> None:
    site.write("AGENTS.md", "# shop\n\nStatus: `orders` is available.\n")
    page = site.path / "README.md"
    page.write_text(f"{page.read_text()}\nOrders can be placed: available.\n")
    site.write(".copier-answers.yml", "_commit: v1\n")
    site.git("add", "-A")
    found = [line for line in author.commit().findings if "capability-claims" in line]
    assert [line.partition(":")[0] for line in found] == ["README.md", "AGENTS.md"]


def test_commit_that_mends_a_broken_configuration_passes(site: Repository, author: Author) -> None:
    site.commit("groundrules.toml", SETTINGS + "[nosuch]\n")
    site.write("groundrules.toml", SETTINGS)
    site.git("add", "-A")
    assert author.commit().findings == []


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("package.json", '{"main": 5, "bin": {"a": 3}}'),
        ("Cargo.toml", "# [[bin]]\n"),
        ("tests/fixtures/app/groundrules.toml", "[nosuch]\n"),
        ("tests/fixtures/app/package.json", '{"main": "server.js"}'),
        ("package.json", '{"main": "tests/fixtures/app/server.js"}'),
    ],
)
def test_odd_manifest_and_program_of_a_fixture_need_no_capability(
    site: Repository, author: Author, path: str, content: str
) -> None:
    site.commit("tests/fixtures/app/server.js", "run()\n")
    site.write(path, content)
    site.git("add", "-A")
    assert author.commit().findings == []
