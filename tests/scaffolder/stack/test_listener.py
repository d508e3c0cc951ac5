"""Who listens on a port: both families, wildcards, and the process behind."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest

from groundrules.stack import identity, listener
from scaffolder.stack.conftest import IPV6, free_block

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "0.0.0.0", pytest.param("::1", marks=IPV6), pytest.param("::", marks=IPV6), "127.0.0.2"],  # noqa: S104
)
def test_listener_is_found_on_every_address_with_its_process(
    foreign: Callable[..., subprocess.Popen[bytes]], address: str
) -> None:
    port = free_block()
    assert not listener.is_taken(port)
    process = foreign(port, address)
    assert listener.is_taken(port)
    (found,) = listener.holders(port)
    assert found == (process.pid, address)
    assert listener.describe(found).startswith(f"process {process.pid}, on {address}: ")
    assert listener.holders(port, [os.getpid(), process.pid]) == [found]


def test_socket_that_is_bound_and_does_not_listen_has_the_port() -> None:
    port = free_block()
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", port))
        assert listener.is_taken(port)
        assert listener.listeners(port) == []
    assert not listener.is_taken(port)


# PRT-13
def test_connection_that_the_server_ended_does_not_take_the_port() -> None:
    port = free_block()
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(("127.0.0.1", port))
        server.listen()
        client = socket.create_connection(("127.0.0.1", port))
        accepted, _ = server.accept()
        accepted.close()
        client.close()
    assert not listener.is_taken(port)


def test_socket_of_a_process_that_cannot_be_seen_is_nobody_named() -> None:
    said = listener.describe(listener.Holder(0, "::1"))
    assert said == "a process that cannot be seen (of another user, or ending), on ::1"


def test_system_without_tables_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert listener.is_known()
    monkeypatch.setattr(identity, "PROC", "/nowhere")
    assert not listener.is_known()
    assert listener.listeners(80) == []
