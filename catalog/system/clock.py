"""The clocks of this host."""

from __future__ import annotations

import time
from time import time_ns

_BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
_AWAKE = getattr(time, "CLOCK_UPTIME_RAW", time.CLOCK_MONOTONIC)


class Clock:
    """Tells the host's wall clock; a corrected clock may step either way between two calls."""

    __slots__ = ()

    def now_ms(self) -> int:
        """Return Unix time in milliseconds."""
        return time_ns() // 1_000_000

    def boot_ms(self) -> int:
        """Return the time since boot in ms, suspended time included; nobody can set it."""
        return time.clock_gettime_ns(_BOOT) // 1_000_000

    def awake_ms(self) -> int:
        """Return the same without the time for which this host slept."""
        return time.clock_gettime_ns(_AWAKE) // 1_000_000
