"""What every Wakeups port promises."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from catalog.system import clock as clock_module
from catalog.system.wakeups import Wakeups, arm_timer, open_timer
from fakes import FakeWakeups
from support.dolls import Doll


class Waiting:
    """A port, and a harness that can end."""

    def __init__(self, port: Any, end: Callable[[], None], close: Callable[[], None]) -> None:
        self.port, self.end, self.close = port, end, close


class WithoutTimer(Wakeups):
    """The real port where no timer of the right clock can be had."""

    __slots__ = ()

    def __init__(self, pidfd: int | None) -> None:
        super().__init__(pidfd)
        self._timer = None
        self.slice_ms = 40


class PidfdQueue:
    """What tells of an end on a system without pidfds, made of one."""

    def __init__(self, pidfd: int) -> None:
        self._pidfd = pidfd
        self.sees_end = True

    def wait(self, most_ms: int) -> bool:
        waiter = select.poll()
        waiter.register(self._pidfd, select.POLLIN)
        return bool(waiter.poll(most_ms))


class WithQueue(Wakeups):
    """The real port where a queue tells of the end, and no timer is to be had."""

    __slots__ = ()

    def __init__(self, pidfd: int) -> None:
        super().__init__(None, cast(Any, PidfdQueue(pidfd)))
        self._timer = None
        self.slice_ms = 40


def real(doll: Path, kind: type[Wakeups]) -> Waiting:
    doll = Doll(doll)
    pidfd = os.pidfd_open(doll.pid)

    def close() -> None:
        os.close(pidfd)
        doll.close()

    return Waiting(kind(pidfd), doll.end, close)


def fake() -> Waiting:
    port = FakeWakeups()

    def end() -> None:
        port.ends_at_ms = port.ms

    return Waiting(port, end, lambda: None)


@pytest.fixture(params=["fake", "timer", "slices", "queue"])
def waiting(request: pytest.FixtureRequest, doll: Path) -> Iterator[Waiting]:
    made = {
        "fake": fake,
        "timer": lambda: real(doll, Wakeups),
        "slices": lambda: real(doll, WithoutTimer),
        "queue": lambda: real(doll, WithQueue),
    }[request.param]()
    yield made
    made.close()


def test_the_moment_comes_and_not_before_it(waiting: Waiting) -> None:
    until_ms = waiting.port.now_ms() + 120
    assert waiting.port.wait(until_ms) is False
    assert until_ms <= waiting.port.now_ms() <= until_ms + 500


def test_a_moment_that_has_passed_is_no_wait(waiting: Waiting) -> None:
    began_ms = waiting.port.now_ms()
    assert waiting.port.wait(began_ms - 5_000) is False
    assert waiting.port.now_ms() - began_ms < 100


def test_the_end_of_the_harness_comes_before_any_moment(waiting: Waiting) -> None:
    began_ms = waiting.port.now_ms()
    waiting.end()
    assert waiting.port.wait(began_ms + 60_000) is True
    assert waiting.port.now_ms() - began_ms < 1_000


def test_sleeping_waits_for_the_moment_alone(waiting: Waiting) -> None:
    waiting.end()
    until_ms = waiting.port.now_ms() + 60
    waiting.port.sleep(until_ms)
    assert waiting.port.now_ms() >= until_ms


def test_the_clock_counts_suspended_time_and_cannot_be_set() -> None:
    boot_ms = time.clock_gettime(time.CLOCK_BOOTTIME) * 1_000
    assert abs(Wakeups(None).now_ms() - boot_ms) < 1_000
    assert clock_module._BOOT == time.CLOCK_BOOTTIME


def test_the_kernel_has_a_timer_on_that_clock() -> None:
    timer = open_timer()
    assert timer is not None
    try:
        assert os.readlink(f"/proc/self/fd/{timer}") == "anon_inode:[timerfd]"
        assert "clockid: 7" in Path(f"/proc/self/fdinfo/{timer}").read_text()
        assert not os.get_inheritable(timer)
        assert arm_timer(timer, Wakeups(None).now_ms() + 86_400_000)
        assert "it_value: (863" in Path(f"/proc/self/fdinfo/{timer}").read_text()
    finally:
        os.close(timer)


def test_a_descriptor_that_is_no_timer_is_told_by_the_answer() -> None:
    reading, writing = os.pipe()
    assert not arm_timer(reading, 5)
    os.close(reading)
    os.close(writing)
