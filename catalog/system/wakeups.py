"""Waiting for a harness to end or for a moment to come, whichever is first.

Moments are told by a clock that counts suspended time and that nobody can set, so that a
beat falls due on waking and a stepped wall clock moves nothing.
"""

from __future__ import annotations

import os
import select
import sys
import time

from catalog.system.clock import Clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from catalog.system.processes_macos import MacQueue

_now_ms = Clock().boot_ms
_BOOTTIME = 7
_ABSOLUTE = 1
_LONG = 8 if sys.maxsize > 2**32 else 4


class Wakeups:
    """Waits for one harness.

    Where ``sees_end`` is false only moments wake it, and the caller has to look: neither a pidfd
    nor a *queue* tells of the end. ``slice_ms`` bounds each sleep on a system without a timer of
    the right clock.
    """

    __slots__ = ("_pidfd", "_queue", "_timer", "sees_end", "slice_ms")

    def __init__(self, pidfd: int | None, queue: MacQueue | None = None) -> None:
        self._pidfd = pidfd
        self._queue = queue
        self._timer: int | None = -1
        self.sees_end = pidfd is not None if queue is None else queue.sees_end
        self.slice_ms = 60_000

    def now_ms(self) -> int:
        """Return the time since boot, suspended time included."""
        return _now_ms()

    def wait(self, until_ms: int) -> bool:
        """Wait until *until_ms* of that clock; True as soon as the harness has ended."""
        if self._timer == -1:
            self._timer = open_timer()
        while True:
            ended = self._wait_once(until_ms)
            if ended or self.now_ms() >= until_ms:
                return ended

    def sleep(self, until_ms: int) -> None:
        """Wait for the moment alone."""
        while (rest_ms := until_ms - self.now_ms()) > 0:
            time.sleep(min(rest_ms, self.slice_ms) / 1_000)

    def _wait_once(self, until_ms: int) -> bool:
        slice_ms = min(max(until_ms - self.now_ms(), 0), self.slice_ms)
        if self._queue is not None:
            return self._queue.wait(slice_ms)
        waiter = select.poll()
        if self._pidfd is not None:
            waiter.register(self._pidfd, select.POLLIN)
        if self._timer is not None and arm_timer(self._timer, until_ms):
            waiter.register(self._timer, select.POLLIN)
            woken = waiter.poll()
        else:
            woken = waiter.poll(slice_ms)
        return any(fd == self._pidfd for fd, _ in woken)


def host_wakeups(pidfd: int | None, pid: int) -> Wakeups:
    """Return what wakes the owner of harness *pid* on the system that we run on."""
    if sys.platform == "darwin":
        from catalog.system.processes_macos import MacQueue

        return Wakeups(None, MacQueue(pid))
    return Wakeups(pidfd)


def open_timer() -> int | None:
    """Open a timer on the clock of :class:`Wakeups`; None where it cannot be had."""
    try:
        if sys.version_info >= (3, 13):
            return os.timerfd_create(_BOOTTIME, flags=os.TFD_CLOEXEC | os.TFD_NONBLOCK)
        timer = _call_libc("timerfd_create", _BOOTTIME, os.O_CLOEXEC | os.O_NONBLOCK)
        return timer if timer >= 0 else None
    except (OSError, AttributeError, ImportError):
        return None


def arm_timer(timer: int, until_ms: int) -> bool:
    """Set *timer* to fire at *until_ms*, once; a moment that has passed fires at once."""
    seconds, rest_ms = divmod(max(until_ms, 1), 1_000)
    try:
        if sys.version_info >= (3, 13):
            moment_ns = max(until_ms, 1) * 1_000_000
            os.timerfd_settime_ns(timer, flags=os.TFD_TIMER_ABSTIME, initial=moment_ns)
            return True
        once = b"".join(
            n.to_bytes(_LONG, sys.byteorder) for n in (0, 0, seconds, rest_ms * 1_000_000)
        )
        return _call_libc("timerfd_settime", timer, _ABSOLUTE, once, None) == 0
    except OSError:
        return False


def _call_libc(function: str, *arguments: int | bytes | None) -> int:
    """Call the C library on Python 3.11 and 3.12, which have no timerfd of their own.

    By the core of ``ctypes`` alone: the package around it weighs as much as the rest of the
    owner, and a core that only two closed versions use does not move any more.
    """
    import _ctypes

    whole_process: Any = None
    address = _ctypes.dlsym(_ctypes.dlopen(whole_process, 0), function)
    answer: int = _ctypes.call_cdeclfunction(address, arguments)
    return answer
