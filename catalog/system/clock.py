"""The wall clock."""

from __future__ import annotations

from time import time_ns


class Clock:
    """Tells the host's wall clock; a corrected clock may step either way between two calls."""

    __slots__ = ()

    def now_ms(self) -> int:
        """Return Unix time in milliseconds."""
        return time_ns() // 1_000_000
