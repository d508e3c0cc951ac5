"""lockstep: one version of hooks and template, recorded in a form that machines and people can follow."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from groundrules_hooks.rules.lockstep import _scalar, is_fixed, plain_url, same_repository

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Repository
    from hooks.rules.conftest import Author

ANSWERS = ".copier-answers.yml"
HOOKS = ".pre-commit-config.yaml"
URL = "https://example.org/rules/groundrules.git"
HEX = "0123456789abcdef" * 2 + "01234567"


def answers(version: str = "v1.2.3", source: str = URL) -> str:
    return f"# kept by copier\n_commit: {version}\n_src_path: {source}\nname: shop\nlist:\n- _commit: other\n"


def hooks(rev: str = "v1.2.3", repo: str = URL) -> str:
    return f"""default_stages: [pre-commit]
repos:
  - repo: https://example.org/other/hooks
    rev: v9.0.0
    hooks: [{{id: other}}]
  - repo: {repo}
    rev: {rev}  # kept in lockstep
    hooks:
      - id: groundrules-pre-commit
  - repo: local
    hooks:
      - id: mine
        entry: rev
"""


@pytest.fixture
def rendered(shop: Repository, enter: Callable[[Repository], None]) -> Repository:
    """A repository whose two files agree, and a `make update` that has nothing to do."""
    shop.write(ANSWERS, answers())
    shop.write(HOOKS, hooks())
    shop.commit("Makefile", "update:\n\t@true\n")
    enter(shop)
    return shop


def stage(repository: Repository, name: str, content: str) -> None:
    repository.write(name, content)
    repository.git("add", "-A")


@pytest.mark.parametrize(
    ("version", "rev"),
    [("v2.0.0", "v2.0.0"), ("'v2.0.0'", '"v2.0.0"'), (HEX, HEX), (f'"{HEX}"', HEX[:40]), ("0123456", "'0123456'")],
)
def test_equal_versions_pass_however_they_are_quoted(
    rendered: Repository, author: Author, version: str, rev: str
) -> None:
    # LOCK-09
    rendered.write(ANSWERS, answers(version))
    stage(rendered, HOOKS, hooks(rev))
    assert author.commit().findings == []


@pytest.mark.parametrize("rev", ["v1.2.4", "main", "HEAD", HEX])
def test_a_revision_moved_alone_is_refused_with_both_versions(rendered: Repository, author: Author, rev: str) -> None:
    # LOCK-01 LOCK-05
    stage(rendered, HOOKS, hooks(rev))
    verdict = author.commit()
    assert verdict.fixes[-1] == "make update"
    author.paste("\n".join(verdict.fixes))
    assert author.commit().findings == []
    stage(rendered, ANSWERS, answers(rev))
    assert f"hooks are at v1.2.3, the template's files at {rev}" in " ".join(author.commit().findings)
    rendered.git("checkout", "-q", "HEAD", "--", ".")
    stage(rendered, HOOKS, hooks(rev))
    assert author.commit().findings == [f"{HOOKS}:7: lockstep: hooks are at {rev}, the template's files at v1.2.3"]


@pytest.mark.parametrize("version", ["v1.1.0-1-gabcdef0", "main", "HEAD", "1.2.3", "v1.2", "v1.2.x", "None", "abcdef"])
def test_a_version_that_moves_is_refused_even_if_both_agree(rendered: Repository, author: Author, version: str) -> None:
    # LOCK-05 LOCK-06
    rendered.write(HOOKS, hooks(version))
    stage(rendered, ANSWERS, answers(version))
    verdict = author.commit()
    assert verdict.findings == [
        f"{ANSWERS}:1: lockstep: _commit is {version}, neither a release vX.Y.Z nor a commit id"
    ]
    author.paste(f"git checkout HEAD -- {HOOKS}")
    author.paste("\n".join(verdict.fixes))
    assert author.commit().findings == []


BOTS = "which update bots do not understand; the plain form:"
SSH = "ssh://git@example.org/rules/groundrules.git"
BARE = "_src_path carries a credential; without it: https://example.org/rules/groundrules"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (f"git+{URL}", f"_src_path is git+{URL}, {BOTS} {URL}"),
        (f"git+{SSH}", f"_src_path is git+{SSH}, {BOTS} {SSH}"),
        ("https://ada:secret@example.org/rules/groundrules", BARE),
        ("git+https://secret@example.org/rules/groundrules", BARE),
        ("../groundrules", "_src_path is ../groundrules, relative: an update cannot find it"),
    ],
)
def test_a_source_that_does_not_travel_is_refused_in_its_plain_form(
    rendered: Repository, author: Author, source: str, message: str
) -> None:
    # LOCK-04 LOCK-10
    stage(rendered, ANSWERS, answers(source=source))
    verdict = author.commit()
    assert verdict.findings[0] == f"{ANSWERS}:1: lockstep: {message}"
    assert "secret" not in " ".join([*verdict.findings, *verdict.fixes])
    author.paste("\n".join(verdict.fixes))
    assert author.commit().findings == []


def test_a_short_form_of_a_forge_is_refused() -> None:
    assert plain_url("gh:rules/groundrules") == "https://github.com/rules/groundrules.git"
    assert plain_url("gl:rules/groundrules.git") == "https://gitlab.com/rules/groundrules.git"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("git@example.org:rules/groundrules.git", "ssh://git@example.org/rules/groundrules", True),
        ("ssh://git@example.org:22/rules/groundrules.git", URL, True),
        ("git@example.org:rules/groundrules", URL, True),
        (f"{URL}/", URL.removesuffix(".git"), True),
        ("https://EXAMPLE.org/rules/groundrules", URL, True),
        (f"git+{URL}", URL, True),
        ("gh:rules/groundrules", "https://github.com/rules/groundrules", True),
        ("/srv/rules", "file:///srv/rules", True),
        ("https://example.org/other/groundrules", URL, False),
        ("https://example.com/rules/groundrules", URL, False),
        ("/srv/rules", "/srv/rules2", False),
    ],
)
def test_spellings_of_one_place_are_one_repository(one: str, other: str, same: bool) -> None:  # noqa: FBT001
    # LOCK-11
    assert same_repository(one, other) is same


def test_another_spelling_in_the_second_file_passes(rendered: Repository, author: Author) -> None:
    # LOCK-11
    rendered.write(ANSWERS, answers(source="ssh://git@example.org/rules/groundrules.git"))
    stage(rendered, HOOKS, hooks(repo="git@example.org:rules/groundrules.git"))
    assert author.commit().findings == []


@pytest.mark.parametrize("repo", ["https://example.org/fork/groundrules", "local"])
def test_hooks_of_another_source_are_refused(rendered: Repository, author: Author, repo: str) -> None:
    stage(rendered, HOOKS, hooks(repo=repo))
    verdict = author.commit()
    assert verdict.findings == [
        f"{HOOKS}:1: lockstep: no `- repo:` entry with a `rev:` for the template's source {URL}"
    ]
    author.paste("\n".join(verdict.fixes))
    assert author.commit().findings == []


def test_a_deleted_hook_configuration_is_refused_and_brought_back(
    rendered: Repository, mended: Callable[[], str]
) -> None:
    rendered.git("rm", "-q", HOOKS)
    assert mended() == f"{HOOKS}:1: lockstep: no hooks run here: the file is missing"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (ANSWERS, "name: shop\n"),
        (ANSWERS, f"_commit: \n_src_path: {URL}\n"),
        (HOOKS, f"repos: [{{repo: '{URL}', rev: v1.2.3}}]\n"),
    ],
)
def test_a_file_of_another_shape_is_no_silent_pass(
    rendered: Repository, author: Author, name: str, content: str
) -> None:
    stage(rendered, name, content)
    verdict = author.commit()
    assert [line.split(":")[0] for line in verdict.findings] == [name]
    author.paste("\n".join(verdict.fixes))
    assert author.commit().findings == []


@pytest.mark.parametrize("path", ["/tmp/it's: x", '/tmp/q"t', "/tmp/b\\s", "/tmp/plain"])
@pytest.mark.parametrize("style", ["'{}'", '"{}"'])
def test_quoted_sources_are_read_as_yaml_means_them(path: str, style: str) -> None:
    quoted = path.replace("'", "''") if style[0] == "'" else json.dumps(path)[1:-1]
    assert _scalar(f"{style.format(quoted)}  # kept") == path


def test_a_repository_that_was_not_made_from_the_template_is_left_alone(rendered: Repository, author: Author) -> None:
    rendered.git("rm", "-q", ANSWERS)
    stage(rendered, HOOKS, hooks("main"))
    assert author.commit().findings == []


def test_a_change_of_other_files_reads_neither(rendered: Repository, author: Author) -> None:
    rendered.write(HOOKS, "nonsense: [")
    rendered.commit("file")
    stage(rendered, "file", "changed\n")
    assert author.commit().findings == []


@pytest.mark.parametrize(
    ("version", "fixed"),
    [
        ("v1.2.3", True),
        ("v10.0.0", True),
        (HEX, True),
        ("a" * 64, True),
        ("v1.2.3-rc1", False),
        ("", False),
        ("v..", False),
    ],
)
def test_a_release_or_a_commit_id_is_fixed(version: str, fixed: bool) -> None:  # noqa: FBT001
    assert is_fixed(version) is fixed
