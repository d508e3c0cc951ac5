"""Slots: the lowest usable one is claimed, kept for the worktree's life, and never shares a port with another."""

from __future__ import annotations

import os
import shutil
import socket
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Repository
from groundrules_hooks import pin as pins
from groundrules_hooks import slot as slots
from groundrules_hooks.config import Config, Slots, of_worktree
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.slot import Claim
from groundrules_hooks.worktree import Worktree, locate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

is_free = slots._is_free  # noqa: SLF001 (a claim probes by it, and a test cannot fill a machine)
lowest = slots._lowest  # noqa: SLF001 (a claim without its git processes)

PLAIN = "[ports]\n[slots]\nmax = 3\n"


class Tool:
    """Claims in process, as a command or a hook does; the current directory is the worktree's."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.monkeypatch = monkeypatch

    def at(self, repository: Repository) -> tuple[Worktree, Config]:
        self.monkeypatch.chdir(repository.path)
        found = locate()
        assert found is not None
        config = of_worktree(found)
        assert config is not None
        return found, config

    def claim(self, repository: Repository) -> Claim:
        return slots.claim(*self.at(repository))

    def pin(self, repository: Repository) -> pins.Pin:
        found = pins.read(self.at(repository)[0].git_dir)
        assert found is not None
        return found

    def reconcile(self, repository: Repository) -> pins.Pin:
        worktree, config = self.at(repository)
        found = slots.reconcile(worktree, config, self.pin(repository))
        assert self.pin(repository) == found
        return found


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Tool:
    return Tool(monkeypatch)


@pytest.fixture
def plain(shop: Repository) -> Repository:
    """The shop with a table without ports and three slots: nothing on the machine can decide a claim."""
    shop.commit("groundrules.toml", PLAIN)
    return shop


def test_main_worktree_is_slot_0_and_has_no_pin(plain: Repository, tool: Tool) -> None:
    assert tool.claim(plain) == Claim(0, None)
    assert not (plain.path / ".git" / "groundrules" / "pin").exists()


def test_claim_records_task_base_branch_and_environment(plain: Repository, tool: Tool) -> None:
    linked = plain.worktree("task/T1-x")
    claimed = tool.claim(linked)
    assert (claimed.slot, claimed.new, claimed.overridden) == (1, True, False)
    pin = tool.pin(linked)
    assert claimed.pin == pin
    assert (pin.task, pin.branch, pin.base, pin.rival) == ("T1", "task/T1-x", plain.git("rev-parse", "main"), "")
    assert f"git version {pin.git}" == plain.git("version")
    assert (pin.python.count("."), pin.system.split()[0]) == (2, os.uname().sysname)


# SLT-01 SLT-02
def test_lowest_slot_is_used_again_and_a_pinned_one_never_moves(plain: Repository, tool: Tool) -> None:
    first, second, third = (plain.worktree(f"task/T{n}") for n in (1, 2, 3))
    assert [tool.claim(each).slot for each in (first, second, third)] == [1, 2, 3]
    plain.git("worktree", "remove", str(first.path))
    assert [tool.claim(each) for each in (second, third)] == [
        Claim(n, tool.pin(w)) for n, w in ((2, second), (3, third))
    ]
    assert tool.claim(plain.worktree("task/T4")).slot == 1


def test_released_slot_is_free_for_others(plain: Repository, tool: Tool) -> None:
    first, second = plain.worktree("task/T1"), plain.worktree("task/T2")
    tool.claim(first)
    assert slots.release(tool.at(first)[0]) is True
    assert slots.release(tool.at(first)[0]) is False
    assert (tool.claim(second).slot, tool.claim(first).slot) == (1, 2)


# SLT-15
def test_refusal_when_all_are_taken_names_owners_ages_and_a_way_out(plain: Repository, tool: Tool) -> None:
    holders = [plain.worktree(f"task/T{n}") for n in (1, 2, 3)]
    for holder in holders:
        tool.claim(holder)
    late = plain.worktree("task/T4")
    second = plain.path / ".git" / "worktrees" / holders[1].path.name
    made = pins.read(str(second))
    assert made is not None
    pins.write(str(second), made._replace(created="2026-11-26T08:15:00Z"))
    with pytest.raises(GroundrulesError) as caught:
        tool.claim(late)
    assert caught.value.what == "no slot from 1 to 3 is usable"
    real = [os.path.realpath(holder.path) for holder in holders]
    lines = caught.value.why.splitlines()
    assert lines[1] == f"slot 2   T2, since 2026-11-26 08:15: {real[1]}"
    assert [line.rpartition(": ")[2] for line in lines] == real
    assert caught.value.fix == "git worktree list"
    assert pins.read(tool.at(late)[0].git_dir) is None


# SLT-14 TOP-02 TOP-18
def test_identity_is_the_git_dir_not_branch_nor_path(plain: Repository, tool: Tool) -> None:
    one, two = (Repository(plain.path.parent / folder / "same") for folder in ("x", "y"))
    for each in (one, two):
        plain.git("worktree", "add", "-q", "--detach", str(each.path))
    assert [tool.claim(each).slot for each in (one, two)] == [1, 2]
    assert [tool.pin(each).branch for each in (one, two)] == ["", ""]
    rows = [slots.values(*tool.at(each), tool.claim(each).slot) for each in (one, two)]
    for name in ("DATABASE_NAME", "DATABASE_URL", "COMPOSE_PROJECT_NAME", "TASK_TMPDIR"):
        assert rows[0][name] != rows[1][name]


# TOP-17
def test_second_worktree_on_a_branch_has_its_own_slot_and_knows_the_first(plain: Repository, tool: Tool) -> None:
    first = plain.worktree("task/T1-x", "one")
    tool.claim(first)
    plain.git("worktree", "add", "-q", "-f", str(plain.path.parent / "two"), "task/T1-x")
    claimed = tool.claim(Repository(plain.path.parent / "two"))
    assert (claimed.slot, claimed.pin and claimed.pin.rival) == (2, "one")


# SLT-17 TOP-04 TOP-05
@pytest.mark.parametrize("event", ["clean", "gc", "rename", "move", "mv"])
def test_slot_and_data_names_survive(plain: Repository, tool: Tool, event: str) -> None:
    linked = plain.worktree("task/T1-x", "wt")
    before = slots.values(*tool.at(linked), tool.claim(linked).slot)
    moved = Repository(plain.path.parent / "moved")
    if event == "clean":
        linked.git("clean", "-fdxq")
    if event == "gc":
        linked.git("gc", "-q")
    if event == "rename":
        linked.git("branch", "-m", "task/T1-better")
    if event == "move":
        plain.git("worktree", "move", str(linked.path), str(moved.path))
    if event == "mv":
        shutil.move(linked.path, moved.path)
    after = moved if event in ("move", "mv") else linked
    assert tool.claim(after).slot == 1
    assert slots.values(*tool.at(after), 1) == before
    assert tool.claim(plain.worktree("task/T2")).slot == 2


# TOP-13
def test_siblings_that_cannot_be_seen_keep_their_slots(plain: Repository, tool: Tool) -> None:
    hidden = plain.worktree("task/T1", "hidden")
    tool.claim(hidden)
    shutil.rmtree(hidden.path)
    assert tool.claim(plain.worktree("task/T2")).slot == 2
    assert (plain.path / ".git" / "worktrees" / "hidden" / "groundrules" / "pin").exists()


# SLT-12 SLT-13
@pytest.mark.parametrize("blocked", [".git/groundrules", ".git/worktrees/wt/groundrules"])
def test_claim_that_cannot_be_recorded_is_an_error_and_never_slot_0(
    plain: Repository, tool: Tool, blocked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    linked = plain.worktree("task/T1", "wt")
    (plain.path / blocked).write_text("a file where the folder should be")
    with pytest.raises(GroundrulesError) as caught:
        tool.claim(linked)
    assert (caught.value.code, blocked in str(caught.value)) == (2, True)
    assert "must be writable" in caught.value.why
    monkeypatch.setenv("GROUNDRULES_SLOT", "2")
    assert tool.claim(linked) == Claim(2, None, overridden=True)


def test_override_decides_and_leaves_the_pin_alone(
    plain: Repository, tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    linked = plain.worktree("task/T1")
    tool.claim(linked)
    monkeypatch.setenv("GROUNDRULES_SLOT", "3")
    assert tool.claim(linked) == Claim(3, tool.pin(linked), overridden=True)
    assert tool.claim(plain) == Claim(3, None, overridden=True)
    monkeypatch.setenv("GROUNDRULES_SLOT", "")
    assert tool.claim(linked).slot == tool.pin(linked).slot == 1


@pytest.mark.parametrize("given", ["x", "-1", "4", "1.0", "²", "٣", "9" * 5000, " 1"])
def test_override_that_is_no_slot_is_refused(
    plain: Repository, tool: Tool, given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDRULES_SLOT", given)
    with pytest.raises(GroundrulesError, match="not a number from 0 to 3"):
        tool.claim(plain)


def serve(address: str) -> socket.socket:
    """Listen on `address` and nothing else, at a port that the system chooses."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    server = socket.socket(family, socket.SOCK_STREAM)
    if family == socket.AF_INET6:
        server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    server.bind((address, 0))
    server.listen()
    return server


def has_ipv6() -> bool:
    try:
        serve("::1").close()
    except OSError:
        return False
    return True


ADDRESSES = ("127.0.0.1", "0.0.0.0", *(("::1", "::") if has_ipv6() else ()))  # noqa: S104 (probed on purpose)


@pytest.fixture
def listener() -> Iterator[Callable[[str], int]]:
    """Listen on an address and return the port."""
    opened: list[socket.socket] = []

    def listen(address: str) -> int:
        opened.append(serve(address))
        return int(opened[-1].getsockname()[1])

    yield listen
    for server in opened:
        server.close()


# PRT-01 PRT-04
@pytest.mark.parametrize("address", ADDRESSES)
def test_slot_whose_port_is_taken_on_any_family_is_skipped(
    plain: Repository, tool: Tool, address: str, listener: Callable[[str], int]
) -> None:
    port = listener(address)
    linked = plain.worktree("task/T1")
    linked.write("groundrules.toml", f"[ports]\nweb = {port - 1}\n[slots]\nstride = 1\nmax = 1\n")
    with pytest.raises(GroundrulesError, match="no slot from 1 to 1 is usable"):
        tool.claim(linked)


def test_bound_port_that_nobody_listens_on_is_taken_and_a_freed_one_is_not() -> None:
    with closing(socket.socket()) as holder:
        holder.bind(("127.0.0.1", 0))
        port = holder.getsockname()[1]
        assert not is_free(port)
    assert is_free(port)


# PRT-02
def test_family_that_the_machine_lacks_holds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    import _socket

    with closing(socket.socket()) as holder:
        holder.bind(("127.0.0.1", 0))
        port = holder.getsockname()[1]
        monkeypatch.setattr(_socket, "AF_INET6", 9999)  # an address family that no kernel has
        assert not is_free(port)
    assert is_free(port)


def test_pinned_slot_is_not_probed_again(plain: Repository, tool: Tool, listener: Callable[[str], int]) -> None:
    linked = plain.worktree("task/T1")
    assert tool.claim(linked).slot == 1
    linked.write("groundrules.toml", f"[ports]\nweb = {listener('127.0.0.1') - 10}\n")
    assert tool.claim(linked).slot == 1


# PRT-05
def test_slot_that_meets_a_port_of_a_sibling_or_of_main_is_skipped(shop: Repository, tool: Tool) -> None:
    shop.commit("groundrules.toml", "[ports]\na = 18000\nb = 18010\nc = 18030\n[slots]\nmax = 8\n")
    taken = [tool.claim(shop.worktree(f"task/T{n}")).slot for n in (1, 2)]
    # Slots 1 and 3 are the main worktree's own 18010 and 18030, slot 2 meets 18030 by way of b.
    assert taken == [4, 8]


def test_ports_end_at_65535(shop: Repository, tool: Tool) -> None:
    shop.commit("groundrules.toml", "[ports]\nweb = 65515\n[slots]\nmax = 9\n")
    claimed = [tool.claim(shop.worktree(f"task/T{n}")).slot for n in (1, 2)]
    assert claimed == [1, 2]
    with pytest.raises(GroundrulesError) as caught:
        tool.claim(shop.worktree("task/T3"))
    assert "too high" in caught.value.why


NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True)


@settings(deadline=None, max_examples=60)
@given(
    table=st.dictionaries(NAMES, st.integers(1, 65535) | st.integers(20000, 20060), min_size=1, max_size=5),
    stride=st.integers(1, 40),
    releases=st.lists(st.integers(0, 9), max_size=4),
)
def test_no_two_slots_handed_out_share_a_port(table: dict[str, int], stride: int, releases: list[int]) -> None:
    config = Config(table, slots=Slots(stride, 12))
    held: list[tuple[str, pins.Pin]] = []
    for turn in range(8):
        try:
            slot = lowest(config, held, "/nowhere")
        except GroundrulesError:
            break
        held.append((str(turn), pins.Pin(slot, *[""] * 8)))
        every = [port for n in (0, *(pin.slot for _, pin in held)) for port in set(slots.ports(config, n).values())]
        assert len(every) == len(set(every))
        assert all(0 < port < 65536 for port in every)
        if turn in releases:
            held.pop(0)
