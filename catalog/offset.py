"""How far another host's clock lies from this one's, told by when its publishes were seen.

The *offset* is this host's clock minus the other's at one moment: positive where the other is
behind. A publish that was not there when a poll began at p1, and was when one ended at p2, was
stamped between p1 - 30 s (a push may take that long) and p2 by this clock, and said ``beat`` by
the other's: the offset lies in [p1 - 30 s - beat, p2 - beat]. Pure.
"""

from __future__ import annotations

from catalog.value import Value

ATTEMPT_MS = 30_000
"""How long a publish may take from its stamp until it can be seen."""

KEPT = 32
"""How many observations are intersected: a clock that was set right is believed in the end."""

TOLERANCE_MS = 5_000
"""Skew is stated of an offset that is certainly larger: what comes before a push fits in it."""


class Interval(Value):
    """Bounds of an offset in ms, both inclusive; ``low_ms`` None where nothing bounds it."""

    __slots__ = ("high_ms", "low_ms")

    def __init__(self, low_ms: int | None, high_ms: int) -> None:
        self.low_ms = low_ms
        self.high_ms = high_ms

    @property
    def is_ahead(self) -> bool:
        """Whether the other clock is certainly ahead of this one; one publish can show it."""
        return self.high_ms < -TOLERANCE_MS

    @property
    def is_behind(self) -> bool:
        """Whether the other clock is certainly behind this one."""
        return self.low_ms is not None and self.low_ms > TOLERANCE_MS

    @property
    def is_skewed(self) -> bool:
        """Whether skew may be stated at all."""
        return self.is_ahead or self.is_behind

    def is_off_by(self, duration_ms: int) -> bool:
        """Say whether the clocks certainly differ by more than *duration_ms*."""
        return self.high_ms < -duration_ms or (self.low_ms or 0) > duration_ms


def observe(before_ms: int | None, after_ms: int, *, beat_ms: int) -> Interval:
    """Return what one publish tells that was first seen by a poll which ended at *after_ms*.

    *before_ms* is when the last poll began that did not see it, None where none is known or
    where this host's clock was set back since.
    """
    if before_ms is None or before_ms > after_ms:
        return Interval(None, after_ms - beat_ms)
    return Interval(before_ms - ATTEMPT_MS - beat_ms, after_ms - beat_ms)


def add(known: tuple[Interval, ...], new: Interval) -> tuple[Interval, ...]:
    """Return the observations to go on with; those that *new* contradicts are of another clock."""
    after = (*known, new)[-KEPT:]
    return after if intersect(after) is not None else (new,)


def intersect(known: tuple[Interval, ...]) -> Interval | None:
    """Return what all observations agree on; None where there are none, or they contradict."""
    if not known:
        return None
    lows = [each.low_ms for each in known if each.low_ms is not None]
    low_ms, high_ms = max(lows) if lows else None, min(each.high_ms for each in known)
    return None if low_ms is not None and low_ms > high_ms else Interval(low_ms, high_ms)


def words(clock: Interval) -> str:
    """Say where the other clock stands, in seconds by this one's: both bounds, or the one."""
    low_ms, high_ms = clock.low_ms, clock.high_ms
    if high_ms < 0:
        least = _seconds(-high_ms)
        return (
            f"at least {least} ahead" if low_ms is None else f"{least} to {_seconds(-low_ms)} ahead"
        )
    if low_ms is None:
        return f"at most {_seconds(high_ms)} behind"
    if low_ms > 0:
        return f"{_seconds(low_ms)} to {_seconds(high_ms)} behind"
    return f"between {_seconds(-low_ms)} ahead and {_seconds(high_ms)} behind"


def _seconds(duration_ms: int) -> str:
    return f"{duration_ms // 1_000} s"
