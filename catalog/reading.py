"""What a ``status`` may be believed to say at a given moment, and what a beat may do to it.

One table (spec/reading.md) decides both. Time is an argument; nothing here reads a clock.
"""

from __future__ import annotations

from catalog.record import Invalid, Legacy, Literal, Newer, Record, parse, render
from catalog.seen import Content, Missing, Unreadable
from catalog.value import Value
from catalog.windows import SKEW_MS, STALE_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.seen import Found


class Reading(Value):
    """The believed word, why, by which clock, and the number that decided.

    ``age_ms`` is now − ``stamp_ms``: 0 within the allowed skew, negative for a future stamp,
    None where there is no stamp. ``source`` is ``record``, ``mtime`` or ``none``.
    """

    __slots__ = ("age_ms", "source", "stamp_ms", "state", "why")

    def __init__(
        self, state: str, why: str, source: str, age_ms: int | None, stamp_ms: int | None
    ) -> None:
        self.state = state
        self.why = why
        self.source = source
        self.age_ms = age_ms
        self.stamp_ms = stamp_ms


def _without_stamp(state: str, why: str) -> Reading:
    return Reading(state, why, "none", None, None)


def read_status(found: Found, *, now_ms: int) -> Reading:
    """Read a ``status`` at *now_ms*: the table of spec/reading.md, top to bottom."""
    if isinstance(found, Missing):
        return _without_stamp("offline", "missing")
    if not isinstance(found, Content):
        return _without_stamp("offline", "unreadable")
    parsed = parse(found.raw)
    if isinstance(parsed, Record):
        return _by_stamp(parsed.word, parsed.stamp_ms, "record", now_ms)
    if isinstance(parsed, Legacy):
        return _by_stamp(parsed.word, found.mtime_ms, "mtime", now_ms)
    if isinstance(parsed, Invalid):
        return _without_stamp("offline", "invalid-state")
    if isinstance(parsed, Literal):
        return _without_stamp("unknown", "literal-unknown")
    why = "newer-version" if isinstance(parsed, Newer) else "malformed"
    return _without_stamp("unknown", why)


def _by_stamp(word: str, stamp_ms: int, source: str, now_ms: int) -> Reading:
    age_ms = now_ms - stamp_ms
    if age_ms < -SKEW_MS:
        return Reading("unknown", "future", source, age_ms, stamp_ms)
    # A file time before 1970 is no time at all; it is stale whatever the clock says.
    if age_ms >= STALE_MS or stamp_ms < 0:
        return Reading("unknown", "stale", source, age_ms, stamp_ms)
    return Reading(word, "fresh", source, max(age_ms, 0), stamp_ms)


def beat_bytes(found: Found, *, now_ms: int) -> bytes | None:
    """Return what a beat of a running session writes, or None where it leaves the file alone."""
    if isinstance(found, Missing):
        return render("available", now_ms)
    if not isinstance(found, Content):
        return None
    parsed = parse(found.raw)
    if isinstance(parsed, Record):
        if parsed.word == "dnd":
            return None
        return render(parsed.word, after(parsed.stamp_ms, now_ms))
    if isinstance(parsed, Legacy):
        if parsed.word != "dnd":
            return render(parsed.word, now_ms)
        return render("dnd", found.mtime_ms) if found.mtime_ms >= 0 else None
    return None


def first_beat_bytes(found: Found, *, now_ms: int) -> bytes | None:
    """Return what the first beat of a new session writes: ``available`` over every class.

    Only a fresh ``dnd`` and a newer version are left alone, and what could not be read:
    nobody overwrites what he did not see.
    """
    stamp_ms = now_ms
    if isinstance(found, Unreadable):
        return None
    if isinstance(found, Content):
        parsed = parse(found.raw)
        if isinstance(parsed, Newer):
            return None
        if read_status(found, now_ms=now_ms).state == "dnd":
            return beat_bytes(found, now_ms=now_ms)
        if isinstance(parsed, Record):
            stamp_ms = after(parsed.stamp_ms, now_ms)
    return render("available", stamp_ms)


def set_bytes(found: Found, word: str, *, now_ms: int) -> bytes | None:
    """Return what an explicit set of *word* writes; None for a newer version, which stays."""
    stamp_ms = now_ms
    if isinstance(found, Content):
        parsed = parse(found.raw)
        if isinstance(parsed, Newer):
            return None
        if isinstance(parsed, Record):
            stamp_ms = after(parsed.stamp_ms, now_ms)
    return render(word, stamp_ms)


def after(previous_ms: int, now_ms: int) -> int:
    """Return a stamp later than *previous_ms*, unless that lies in the far future."""
    if previous_ms - now_ms > SKEW_MS:
        return now_ms
    return max(now_ms, previous_ms + 1)
