"""When time alone will change what rows say, and what sleep or a set clock does to that.

Pure: moments are arguments. A watcher sleeps until the moment that is told here; a hint that
files changed, or its own look after a while, may come first.
"""

from __future__ import annotations

from catalog.value import Value
from catalog.windows import (
    ABANDON_MS,
    REFRESH_MS,
    SKEW_MS,
    SLEPT_MS,
    STALE_MS,
    STALL_MS,
    STEPPED_MS,
    UNHEARD_MS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from catalog.offset import Interval
    from catalog.roster import Row


class Moment(Value):
    """One moment by three clocks, in ms: the wall's, since boot with sleep, and without it."""

    __slots__ = ("awake_ms", "boot_ms", "wall_ms")

    def __init__(self, *, wall_ms: int, boot_ms: int, awake_ms: int) -> None:
        self.wall_ms = wall_ms
        self.boot_ms = boot_ms
        self.awake_ms = awake_ms


class Gap(Value):
    """What happened to this host's clocks: it slept so long, its wall clock was set so far."""

    __slots__ = ("slept_ms", "stepped_ms")

    def __init__(self, slept_ms: int, stepped_ms: int) -> None:
        self.slept_ms = slept_ms
        self.stepped_ms = stepped_ms


def gap(before: Moment, after: Moment) -> Gap | None:
    """Return what happened between two moments; None where the clocks ran as they should."""
    passed_ms = after.boot_ms - before.boot_ms
    slept_ms = passed_ms - (after.awake_ms - before.awake_ms)
    stepped_ms = after.wall_ms - before.wall_ms - passed_ms
    if slept_ms < SLEPT_MS and abs(stepped_ms) < STEPPED_MS:
        return None
    return Gap(
        slept_ms if slept_ms >= SLEPT_MS else 0,
        stepped_ms if abs(stepped_ms) >= STEPPED_MS else 0,
    )


def held_until_ms(moment: Moment) -> int:
    """Return until when nobody is called silent after a gap that ended at *moment*.

    By the clock since boot: an owner beats within one refresh of waking, on that clock.
    """
    return moment.boot_ms + REFRESH_MS


def next_change_ms(
    rows: Sequence[Row],
    beats: Mapping[str, int | None],
    *,
    this_host: str,
    now_ms: int,
    skews: Mapping[str, Interval | None] | None = None,
) -> int | None:
    """Return the first moment after *now_ms* at which time alone may change a row or a host.

    *beats* is when each host was last heard, *skews* the offsets of clocks that differ: a rule
    about another host's record may wait for as long. Until then the same files say the same.
    """
    shifts = {host: _shifts((skews or {}).get(host)) for host in beats}
    moments = [
        beat_ms + STALE_MS + shift_ms
        for host, beat_ms in beats.items()
        if beat_ms is not None
        for shift_ms in shifts[host]
    ]
    for row in rows:
        here = row.host == this_host
        found = list(_moments(row, here=here))
        more = (0,) if here else shifts.get(row.host, (0,))
        moments += [each + shift_ms for each in found for shift_ms in more]
    return min((each for each in moments if each > now_ms), default=None)


def _shifts(skew: Interval | None) -> tuple[int, ...]:
    if skew is None:
        return (0,)
    return (0, skew.high_ms) if skew.low_ms is None else (0, skew.high_ms, skew.low_ms)


def _moments(row: Row, *, here: bool) -> Iterator[int]:
    """Yield every moment at which a rule about *row* changes its answer, past ones too.

    Those about its host are the same for all rows of it, and are not among them.
    """
    assessed = row.assessed
    stamp_ms = assessed.reading.stamp_ms
    if stamp_ms is not None:
        yield stamp_ms - SKEW_MS
        yield stamp_ms + STALE_MS
    sight, activity = assessed.sight, assessed.activity
    if sight is not None and sight.until_ms is not None:
        yield sight.until_ms
    if activity is None or activity.stamp_ms is None or activity.as_of_ms is not None:
        return
    slack_ms = 0 if here else UNHEARD_MS
    yield activity.stamp_ms - SKEW_MS
    yield activity.stamp_ms + STALL_MS + slack_ms + 1
    yield activity.stamp_ms + ABANDON_MS + slack_ms + 1
