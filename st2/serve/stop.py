"""How a command that goes on is told to end, or to read its settings again: by signals.

What runs when the word comes is given a moment to finish; then it is abandoned, its child by
its whole process group.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from types import FrameType

GRACE_S = 3.0
"""How long a publish or collect that runs may take to finish after the word to stop."""

_SLICE_S = 0.1


class StopNow(BaseException):
    """What runs is abandoned; raised in the midst of it."""


class Signals:
    """SIGTERM and SIGINT (``stopped``, ``code``) and SIGHUP (``take_reread``) of this process."""

    def __init__(self, wake: Callable[[], None], *, grace_s: float = GRACE_S) -> None:
        self.stopped = False
        self.code = 0
        self._wake = wake
        self._grace_s = grace_s
        self._reread = False
        self._on_terminal = os.isatty(2)

    def listen(self) -> None:
        """Take the signals over."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        signal.signal(signal.SIGALRM, self._abandon)
        signal.signal(signal.SIGHUP, self._hang_up)

    def done(self) -> None:
        """What had to finish has: nothing is abandoned any more, further words are too late."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)

    def take_reread(self) -> bool:
        """Say, once, whether the settings are to be read again."""
        asked, self._reread = self._reread, False
        return asked

    def sleep(self, seconds: float) -> None:
        """Sleep between two tries of one publish. Raises StopNow where we are to end."""
        until = time.monotonic() + seconds
        while (rest := until - time.monotonic()) > 0:
            if self.stopped:
                raise StopNow
            time.sleep(min(rest, _SLICE_S))

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if self.stopped:
            raise StopNow
        self.stopped = True
        self.code = 130 if number == signal.SIGINT else 0
        signal.setitimer(signal.ITIMER_REAL, self._grace_s)
        self._wake()

    def _abandon(self, number: int, frame: FrameType | None) -> None:
        raise StopNow

    def _hang_up(self, number: int, frame: FrameType | None) -> None:
        if self._on_terminal and not os.isatty(2):
            # The terminal has gone: what was started in it ends with it.
            self.stopped = True
        self._reread = True
        self._wake()
