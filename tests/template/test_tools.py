"""Coding tools: bridges and settings by answer, and the commands of the settings, fed what the tool feeds them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from conftest import ROOT, Repository
from template.conftest import contents, execute, start

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from template.conftest import Template

FILES = {
    "claude": ".claude/settings.json",
    "gemini": "GEMINI.md",
    "copilot": ".github/copilot-instructions.md",
}
EVENTS = {"SessionStart": None, "PreToolUse": "Edit|Write|MultiEdit|NotebookEdit"}


@pytest.mark.parametrize("tools", ["", "claude", "gemini", "copilot", "copilot claude gemini"])
def test_each_tool_gets_its_own_file_and_no_empty_folder(render: Callable[..., Path], tools: str) -> None:
    rendered = render(tools=tools, forge="none")
    assert {name for name, path in FILES.items() if (rendered / path).exists()} == set(tools.split())
    assert not [folder for folder, folders, files in os.walk(rendered) if not folders and not files]
    assert (rendered / "CLAUDE.md").read_text() == "@AGENTS.md\n"


def test_update_neither_brings_nor_takes_what_a_tool_reads(
    template: Template, render: Callable[..., Path], tmp_path: Path
) -> None:
    # UPD-25: a project from before the question, and one that answers anew
    shop = Repository(start(render(tools="gemini"), tmp_path / "shop"))
    shop.commit("GEMINI.md", "@./AGENTS.md\n\nBe brief.\n")
    for answers, removed in (("^tools", False), ("", True)):
        if answers:
            text = (shop.path / ".copier-answers.yml").read_text()
            kept = [line for line in text.splitlines(keepends=True) if not re.match(answers, line)]
            shop.commit(".copier-answers.yml", "".join(kept))
        more = ["--data", "tools=claude copilot"] if removed else []
        template.copier("update", "--quiet", "--defaults", *more, cwd=shop.path)
        assert [name for name, path in FILES.items() if (shop.path / path).exists()] == ["gemini"]
        assert shop.git("status", "--short", "GEMINI.md") == ""
        recorded = "tools: claude copilot\n" if removed else "tools: ''\n"
        assert recorded in (shop.path / ".copier-answers.yml").read_text()
        shop.commit()


def test_settings_on_the_page_are_those_that_are_shipped(render: Callable[..., Path]) -> None:
    page = (render() / "docs/agents/tools.md").read_text()
    shown = "\n".join(re.findall(r"^    (.*)$", page.partition("## The settings")[2], re.MULTILINE))
    shipped = json.loads((render() / FILES["claude"]).read_text())
    assert json.loads(shown) == shipped
    assert {event: row.get("matcher") for event, (row,) in shipped["hooks"].items()} == EVENTS


class Tool(NamedTuple):
    """Claude Code, started in a worktree, as far as its hooks see it."""

    started: Path

    def run(self, event: str, payload: object, **env: str) -> subprocess.CompletedProcess[str]:
        """Run the command of `event` in the settings of the worktree as the tool does."""
        settings = json.loads((self.started / FILES["claude"]).read_text())
        (row,) = settings["hooks"][event]
        (hook,) = row["hooks"]
        given = payload if isinstance(payload, str) else json.dumps(payload)
        return subprocess.run(
            ["/bin/sh", "-c", hook["command"]],
            cwd=self.started,
            env={**os.environ, "CLAUDE_PROJECT_DIR": str(self.started), **env},
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )

    def edit(self, path: str | Path, cwd: Path | None = None, field: str = "file_path", **env: str) -> tuple[int, str]:
        """Return exit code and stderr for an edit of `path` while the session is in `cwd`."""
        event = {
            "session_id": "abc",
            "cwd": str(cwd or self.started),
            "hook_event_name": "PreToolUse",
            "tool_name": "Edit",
            "tool_input": {field: str(path), "old_string": "a", "new_string": "b"},
        }
        done = self.run("PreToolUse", event, **env)
        assert done.stdout == ""
        return done.returncode, done.stderr


class Places(NamedTuple):
    """The main worktree, two tasks' beside it, and one below it."""

    main: Path
    mine: Path
    theirs: Path
    below: Path


@pytest.fixture(scope="session")
def places(render: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Places:
    folder = tmp_path_factory.mktemp("größe x")
    main = start(render(), folder / "shop")
    found = Places(main, folder / "shop.T1", folder / "shop.T2", main / ".claude/worktrees/T3")
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    for number, path in enumerate(found[1:], 1):
        execute(["git", "worktree", "add", "-q", "-b", f"task/T{number}", str(path)], main, env)
    return found


def test_file_of_another_worktree_is_refused_in_one_line_that_says_where_it_is_here(places: Places) -> None:
    # TOP-19
    code, said = Tool(places.mine).edit(places.main / "src/new/cart.py")
    assert (code, said.count("\n")) == (2, 1)
    assert said == (
        f"own-worktree: {places.main}/src/new/cart.py is in the main worktree; this tool works in {places.mine}:"
        f" edit {places.mine}/src/new/cart.py, or work from {places.main}\n"
    )
    code, said = Tool(places.mine).edit(places.theirs / "README.md")
    assert (code, f"{places.theirs}/README.md is in the worktree of task/T2; " in said) == (2, True)


@pytest.mark.parametrize("field", ["file_path", "notebook_path"])
@pytest.mark.parametrize(
    ("started", "cwd", "path", "refused"),
    [
        ("mine", "mine", "{mine}/README.md", False),
        ("mine", "mine", "README.md", False),
        ("mine", "mine/docs", "adr/0009-new.md", False),
        ("mine", "mine", "../shop.T2/README.md", True),
        ("mine", "mine/docs", "../../shop/README.md", True),
        ("mine", "mine", "{mine}/../shop.T1/new/deep/file.py", False),
        ("mine", "mine", "{below}/README.md", True),
        ("main", "main", "{main}/README.md", False),
        ("main", "main", "{mine}/README.md", True),
        ("main", "main", "{below}/src/x.py", True),
        ("main", "below", "{below}/src/x.py", False),  # a subagent in a worktree of its own
        ("main", "below", "{main}/src/x.py", True),
        ("mine", "main", "{mine}/README.md", False),  # the main worktree is nobody's to move to
        ("mine", "main", "{main}/README.md", True),
        ("mine", "mine", "{main}/.git/info/exclude", False),
        ("mine", "mine", "{outside}/notes.md", False),
        ("mine", "mine", "/tmp/scratch.py", False),
        ("mine", "outside", "{outside}/notes.md", False),
        ("mine", "outside", "{theirs}/README.md", True),
    ],
)
def test_what_lies_in_another_worktree_is_refused_and_nothing_else(
    places: Places, started: str, cwd: str, path: str, field: str, *, refused: bool
) -> None:
    named = {**places._asdict(), "outside": places.main.parent}
    folder, _, rest = cwd.partition("/")
    code, said = Tool(named[started]).edit(path.format(**named), named[folder] / rest, field)
    assert (code, bool(said)) == ((2, True) if refused else (0, False))


def test_links_are_followed_and_one_that_leads_out_on_purpose_is_told(places: Places, tmp_path: Path) -> None:
    alias = tmp_path / "alias"
    alias.symlink_to(places.mine)
    assert Tool(places.mine).edit(alias / "README.md") == (0, "")
    assert Tool(alias).edit(places.mine / "README.md") == (0, "")
    (tmp_path / "other").symlink_to(places.theirs)
    assert Tool(places.mine).edit(tmp_path / "other/README.md")[0] == 2
    shared = places.mine / "shared.env"
    shared.symlink_to(places.main / ".env")
    code, said = Tool(places.mine).edit(shared)
    shared.unlink()
    assert (code, said) == (0, f"own-worktree: {shared} is a link to {places.main}/.env, in the main worktree\n")


def test_other_repositories_are_none_of_its_business(places: Places, shop: Repository) -> None:
    assert Tool(places.mine).edit(shop.path / "README.md") == (0, "")
    assert Tool(places.mine).edit(shop.path / "README.md", shop.path) == (0, "")
    assert Tool(places.mine).edit(places.theirs / "README.md", shop.path)[0] == 2


def test_submodule_belongs_to_the_worktree_around_it(
    render: Callable[..., Path], shop: Repository, tmp_path: Path
) -> None:
    main = Repository(start(render(), tmp_path / "main"))
    main.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(shop.path), "lib")
    main.git("commit", "-q", "--no-verify", "-m", "Add lib")
    mine = main.worktree("task/T1", "mine")
    mine.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
    assert Tool(mine.path).edit(mine.path / "lib/README.md") == (0, "")
    assert Tool(mine.path).edit(mine.path / "README.md", mine.path / "lib") == (0, "")
    assert Tool(mine.path).edit(main.path / "lib/README.md")[0] == 2


def test_folder_of_a_bare_repository_is_no_worktree(render: Callable[..., Path], tmp_path: Path) -> None:
    source = Repository(start(render(), tmp_path / "source"))
    place = tmp_path / "place"
    source.git("clone", "-q", "--bare", str(source.path), str(place / ".bare"))
    (place / ".git").write_text("gitdir: ./.bare\n")
    bare = Repository(place)
    for name in ("T1", "T2"):
        bare.git("worktree", "add", "-q", "-b", f"task/{name}", name)
    tool = Tool(place / "T1")
    assert tool.edit(place / "notes.md") == (0, "")
    assert tool.edit(place / "T1/README.md") == (0, "")
    assert tool.edit(place / "T2/README.md")[0] == 2


@pytest.mark.parametrize(
    "payload", ["", "{", "[]", "null", "{}", '{"tool_input": {"file_path": 7}}', '{"tool_input": 1}']
)
def test_what_cannot_be_read_is_allowed_with_a_word(places: Places, payload: str) -> None:
    done = Tool(places.mine).run("PreToolUse", payload)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("own-worktree: not judged: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("payload", ['{"tool_input": {}}', '{"tool_input": {"command": "ls"}}'])
def test_event_about_no_file_is_allowed(places: Places, payload: str) -> None:
    done = Tool(places.mine).run("PreToolUse", payload)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_nothing_is_refused_for_want_of_the_script_of_git_or_of_a_repository(
    places: Places, tmp_path: Path, render: Callable[..., Path]
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    assert Tool(places.mine).edit(places.main / "README.md", PATH=str(programs))[0] == 127, "no python3: not 2"
    (programs / "python3").symlink_to(sys.executable)
    assert Tool(places.mine).edit(places.mine / "README.md", PATH=str(programs)) == (0, "")
    assert Tool(places.mine).edit(places.main / "README.md", PATH=str(programs))[0] == 2
    folder = start(render(), tmp_path / "shop")
    (folder / "tools/own-worktree").unlink()
    assert Tool(folder).edit(folder / "README.md") == (0, "")
    (folder / ".git").rename(tmp_path / "gone")
    (folder / "tools/own-worktree").write_bytes((places.mine / "tools/own-worktree").read_bytes())
    assert Tool(folder).edit(places.mine / "README.md") == (0, "")


def test_start_of_a_session_claims_the_slot_and_tells_it(render: Callable[..., Path], tmp_path: Path) -> None:
    # PCO-01: no hook of git's ran when the worktree was made
    main = Repository(start(render(), tmp_path / "shop"))
    mine = main.worktree("task/T1-cart", "shop.T1")
    ours = {
        "GROUNDRULES_COMMAND": f"{sys.executable} -m groundrules",
        "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder",
    }
    event = {"session_id": "abc", "cwd": str(mine.path), "hook_event_name": "SessionStart", "source": "startup"}
    first, again = (Tool(mine.path).run("SessionStart", event, **ours) for _ in range(2))
    assert re.fullmatch(r"✓ task T1, slot [1-9]\d* \(web \d+, .*\n", first.stdout)
    assert (first.returncode, again.stdout) == (0, first.stdout.replace("✓", "○"))
    assert (mine.path / ".slot.env").exists()
    assert Tool(main.path).run("SessionStart", event, **ours).stdout.startswith("○ no task, slot 0 (")
    broken = Tool(mine.path).run("SessionStart", event, GROUNDRULES_COMMAND="echo no such luck >&2; false")
    assert broken.returncode == 0, "a session starts whatever happens"


def test_both_decisions_stay_in_the_list_when_two_branches_meet(project: Path) -> None:
    main = Repository(project)
    for name in ("cart", "search"):
        main.git("switch", "-q", "-c", name, "main")
        listed = (project / "docs/adr/README.md").read_text()
        main.commit("docs/adr/README.md", f"{listed}- [0002. {name}](0002-{name}.md)\n")
    main.git("merge", "-q", "--no-edit", "cart")
    assert re.findall(r"0002-(\w+)", (project / "docs/adr/README.md").read_text()) == ["search", "cart"]


def test_new_decision_begins_as_the_page_says(project: Path) -> None:
    page = (project / "docs/agents/decisions.md").read_text()
    (command,) = re.findall(r"^    (cp .*)$", page, re.MULTILINE)
    ours = {"GROUNDRULES_COMMAND": f"{sys.executable} -m groundrules", "PYTHONPATH": f"{ROOT}/hooks:{ROOT}/scaffolder"}
    execute(["sh", "-ec", command], project, {**os.environ, **ours})
    repository = Repository(project)
    repository.git("add", "-A")
    said = repository.hook("pre_commit", code=1)
    assert said.startswith("docs/adr/README.md:5: decision-log: decision 0002 is not listed\n")
    execute(["sh", "-ec", said.rstrip().splitlines()[-1]], project, os.environ)
    assert repository.hook("pre_commit") == ""
    assert "docs/adr/0002-short-title.md" in contents(project)
