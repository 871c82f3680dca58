"""A harness that ends is a hint at once, where the kernel has pidfds."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.system.clock import Clock
from catalog.system.ends import Ends
from catalog.system.processes import Processes
from support.wrapped import until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there are no pidfds elsewhere")


class Opened(Processes):
    """Notes which processes were opened; of those in *closed* there is no pidfd."""

    __slots__ = ("closed", "opened")

    def __init__(self) -> None:
        self.closed: set[int] = set()
        self.opened: list[int] = []

    def open(self, pid: int) -> int | None:
        self.opened.append(pid)
        return None if pid in self.closed else super().open(pid)


@pytest.fixture
def opened() -> Opened:
    return Opened()


@pytest.fixture
def ends(opened: Opened) -> Iterator[Ends]:
    made = Ends(opened)
    yield made
    made.close()


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    made = subprocess.Popen(["sleep", "600"])
    yield made
    made.kill()
    made.wait()


Sleeper = subprocess.Popen[bytes]


def test_an_end_is_told_once(ends: Ends, process: Sleeper) -> None:
    ends.follow({process.pid})
    assert not ends.any_ended()
    process.kill()
    until(ends.any_ended, 60)
    assert not ends.any_ended()


def test_who_is_no_longer_followed_is_not_told_of(ends: Ends, process: Sleeper) -> None:
    ends.follow({process.pid})
    ends.follow(set())
    process.kill()
    process.wait()
    assert not ends.any_ended()


def test_who_is_followed_already_is_not_opened_again(
    ends: Ends, opened: Opened, process: Sleeper
) -> None:
    for _ in range(3):
        ends.follow({process.pid})
    assert opened.opened == [process.pid]


def test_it_is_blind_while_one_cannot_be_followed(
    ends: Ends, opened: Opened, process: Sleeper
) -> None:
    opened.closed = {os.getpid()}
    ends.follow({process.pid, os.getpid()})
    assert ends.blind
    ends.follow({process.pid})
    assert not ends.blind


def test_it_leaves_descriptors_for_everything_else(opened: Opened) -> None:
    ends = Ends(opened)
    before = len(os.listdir("/proc/self/fd"))
    everyone = [int(name) for name in os.listdir("/proc") if name.isdecimal()]
    ends.follow(everyone)
    held = len(os.listdir("/proc/self/fd")) - before
    assert 0 < held <= min(256, len(everyone))
    ends.close()
    assert len(os.listdir("/proc/self/fd")) == before


def test_of_more_than_256_some_are_not_followed(opened: Opened) -> None:
    class Same(Opened):
        """Every pid is this process."""

        __slots__ = ()

        def open(self, pid: int) -> int | None:
            return super().open(os.getpid())

    ends = Ends(Same())
    ends.follow(range(1, 257))
    assert not ends.blind
    ends.follow(range(1, 258))
    assert ends.blind
    ends.close()


def test_the_clocks_of_a_host_go_on_together_while_it_is_awake() -> None:
    clock = Clock()
    boot_ms, awake_ms = clock.boot_ms(), clock.awake_ms()
    time.sleep(0.05)
    assert clock.boot_ms() - boot_ms >= 40
    assert clock.awake_ms() - awake_ms >= 40
    told = Path("/proc/uptime").read_text().split()[0]
    assert abs(clock.boot_ms() / 1_000 - float(told)) < 5
