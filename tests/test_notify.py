"""The words to a service manager, as they come out of its socket."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.system.notify import ServiceManager


def listening(address: str) -> socket.socket:
    made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    made.bind(address)
    made.settimeout(30)
    return made


@pytest.fixture(params=["path", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[socket.socket, str]]:
    name = f"st2-test-{os.getpid()}"
    place = str(tmp_path / "n") if request.param == "path" else f"@{name}"
    with listening(place.replace("@", "\0", 1) if place[0] == "@" else place) as ours:
        yield ours, place


def test_each_word_is_one_message(manager: tuple[socket.socket, str]) -> None:
    ours, place = manager
    to = ServiceManager({"NOTIFY_SOCKET": place, "WATCHDOG_USEC": "90000000"})
    assert to.watchdog_ms == 90_000
    to.ready()
    to.alive()
    to.status("published\n12 records")
    to.stopping()
    words = [ours.recv(1_000) for _ in range(4)]
    assert words == [b"READY=1", b"WATCHDOG=1", b"STATUS=published 12 records", b"STOPPING=1"]


def test_without_a_watchdog_nothing_is_said_of_being_alive(
    manager: tuple[socket.socket, str],
) -> None:
    ours, place = manager
    to = ServiceManager({"NOTIFY_SOCKET": place})
    to.alive()
    to.ready()
    assert ours.recv(1_000) == b"READY=1"


@pytest.mark.parametrize("place", ["", "relative", "/nowhere/at/all", "@nobody-listens", "@"])
def test_where_nobody_listens_nothing_happens(place: str) -> None:
    to = ServiceManager({"NOTIFY_SOCKET": place, "WATCHDOG_USEC": "1000000"})
    to.ready()
    to.alive()


def test_a_manager_that_does_not_read_does_not_stop_us(tmp_path: Path) -> None:
    with listening(str(tmp_path / "n")):
        to = ServiceManager({"NOTIFY_SOCKET": str(tmp_path / "n"), "WATCHDOG_USEC": "1000000"})
        for _ in range(2_000):
            to.alive()
            to.status("published")


@pytest.mark.parametrize(
    ("usec", "pid", "ms"),
    [
        ("1000000", None, 1_000),
        ("1000000", "own", 1_000),
        ("1000000", "1", None),
        ("", None, None),
        ("x", None, None),
        ("0", None, None),
        ("999", None, None),
    ],
)
def test_the_watchdog_is_ours_alone(usec: str, pid: str | None, ms: int | None) -> None:
    environ = {"WATCHDOG_USEC": usec}
    if pid is not None:
        environ["WATCHDOG_PID"] = str(os.getpid()) if pid == "own" else pid
    assert ServiceManager(environ).watchdog_ms == ms
