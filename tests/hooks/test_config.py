"""The configuration of a worktree: where it is read, when the kept form is used, what a wrong file stops."""

from __future__ import annotations

import marshal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conftest import Repository
from groundrules_hooks import config as configs
from groundrules_hooks import pre_commit
from groundrules_hooks.config import FORM, Config, of_worktree
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.stage import guarded
from groundrules_hooks.worktree import Worktree, locate

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def place(shop: Repository, enter: Callable[[Repository], None]) -> Worktree:
    enter(shop)
    found = locate()
    assert found is not None
    return found


def kept(place: Worktree) -> Path:
    return Path(place.git_dir, "groundrules", f"config.{sys.implementation.cache_tag}")


def test_no_file_means_no_configuration(shop: Repository, place: Worktree) -> None:
    shop.git("rm", "-q", configs.FILE)
    shop.git("commit", "-q", "-m", "Drop the rules")
    assert of_worktree(place._replace(head=shop.git("rev-parse", "HEAD"))) is None
    assert not kept(place).exists()


def test_file_that_is_gone_from_disk_counts_as_committed(shop: Repository, place: Worktree) -> None:
    (shop.path / configs.FILE).unlink()
    config = of_worktree(place)
    assert config is not None
    assert config.ports == {"web": 3000, "api": 8000}
    assert of_worktree(place._replace(head=None)) is None


def test_link_to_nowhere_is_an_error(shop: Repository, place: Worktree) -> None:
    (shop.path / configs.FILE).unlink()
    (shop.path / configs.FILE).symlink_to("nowhere")
    with pytest.raises(GroundrulesError, match="a link to nowhere"):
        of_worktree(place)


def test_defaults_stand_where_the_file_is_silent(shop: Repository, place: Worktree) -> None:
    shop.write(configs.FILE, "[slots]\nmax = 3\n")
    config = of_worktree(place)
    assert config is not None
    assert config == Config({}, slots=configs.Slots(stride=10, max=3))
    assert (config.tasks.target, config.tasks.protect_target, config.commits.style) == ("main", False, "plain")


def test_kept_form_is_used_while_the_bytes_are_the_same(shop: Repository, place: Worktree) -> None:
    first = of_worktree(place)
    content = (shop.path / configs.FILE).read_bytes()
    form, known, plain = marshal.loads(kept(place).read_bytes())  # noqa: S302 (ours)
    assert (form, known, first) == (FORM, content, configs.from_plain(plain))
    # A mark that parsing could not give proves that the kept form was read.
    kept(place).write_bytes(marshal.dumps((FORM, content, {"ports": {"mark": 1}})))
    assert of_worktree(place) == Config({"mark": 1})


@pytest.mark.parametrize("change", ["bytes", "form"])
def test_kept_form_is_dropped_when_bytes_or_form_change(shop: Repository, place: Worktree, change: str) -> None:
    content = (shop.path / configs.FILE).read_bytes()
    of_worktree(place)
    known = content + b"#" if change == "bytes" else content
    kept(place).write_bytes(marshal.dumps((FORM + (change == "form"), known, {"ports": {"mark": 1}})))
    assert of_worktree(place) == configs.of_text(content)
    assert marshal.loads(kept(place).read_bytes())[1] == content  # noqa: S302 (ours)


def test_damaged_kept_form_is_parsed_anew_and_mended(place: Worktree) -> None:
    first = of_worktree(place)
    whole = kept(place).read_bytes()
    damaged = [whole[:length] for length in range(len(whole))]
    damaged += [
        b"\0" * 10,
        b"garbage",
        marshal.dumps(None),
        marshal.dumps((1,)),
        marshal.dumps("abc"),
        marshal.dumps({}),
    ]
    for content in damaged:
        kept(place).write_bytes(content)
        assert of_worktree(place) == first
    assert kept(place).read_bytes() == whole


# ENV-07 SLT-13
def test_git_dir_that_cannot_be_written_costs_only_the_kept_form(shop: Repository, place: Worktree) -> None:
    shop.write(".git/groundrules", "a file where the folder would be")
    assert of_worktree(place) is not None
    assert (shop.path / ".git" / "groundrules").read_text() == "a file where the folder would be"


def test_wrong_file_is_never_kept(shop: Repository, place: Worktree) -> None:
    shop.write(configs.FILE, "[slots]\nstride = 0\n")
    for _ in range(2):
        with pytest.raises(GroundrulesError, match="stride is 0"):
            of_worktree(place)
    assert not kept(place).exists()


def test_unreadable_file_is_an_error(shop: Repository, place: Worktree) -> None:
    (shop.path / configs.FILE).unlink()
    (shop.path / configs.FILE).mkdir()
    with pytest.raises(GroundrulesError, match=r"cannot read groundrules.toml: Is a directory"):
        of_worktree(place)


def test_each_worktree_follows_its_own_file(shop: Repository, enter: Callable[[Repository], None]) -> None:
    linked = shop.worktree("task/T1-x", "wt")
    linked.write(configs.FILE, "[ports]\nweb = 9000\n")
    ports = []
    for repository in (shop, linked, shop, linked):
        enter(repository)
        found = locate()
        config = of_worktree(found) if found else None
        ports.append(config.ports["web"] if config else None)
    assert ports == [3000, 9000, 3000, 9000]


def test_commit_under_a_wrong_file_is_refused_with_exit_2(
    shop: Repository, enter: Callable[[Repository], None], capfd: pytest.CaptureFixture[str]
) -> None:
    shop.write(configs.FILE, "[prots]\n")
    enter(shop)
    assert guarded(pre_commit.main, []) == 2
    said = capfd.readouterr()
    assert (said.out, said.err.splitlines()[0]) == ("", "groundrules: groundrules.toml:1: [prots] is unknown")


def test_commit_without_our_file_passes_in_silence(shop: Repository, tmp_path: Path) -> None:
    shop.install_hooks()
    (shop.path / configs.FILE).unlink()
    linked = tmp_path / "anything"
    shop.git("add", "-A")
    assert "groundrules:" not in shop.git("commit", "-m", "Leave the ground rules")
    assert "groundrules" not in shop.git("worktree", "add", "-q", "-b", "task/T1-x", str(linked))
    assert Repository(linked).git("commit", "--allow-empty", "-m", "x").startswith("[task/T1-x ")
    assert not (linked / ".slot.env").exists()
