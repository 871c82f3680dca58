"""The one derived word of a row: session, process and record, in this order (spec/reading.md)."""

from __future__ import annotations

from catalog.claim import Claim
from catalog.record import Legacy, Record, parse
from catalog.seen import Content
from catalog.value import Value
from catalog.windows import BEHIND_MS, SKEW_MS, STALE_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.offset import Interval
    from catalog.reading import Reading
    from catalog.seen import Found


class Presence(Value):
    """The word that every command prints, and the evidence behind it.

    ``record`` is the word of the status record alone. ``source`` names the clock:
    ``record``, ``mtime``, ``session``, ``process`` or ``none``; ``stamp_ms`` is the number
    that decided and ``age_ms`` now minus it.
    """

    __slots__ = ("age_ms", "record", "source", "stamp_ms", "state", "why")

    def __init__(
        self,
        state: str,
        record: str,
        why: str,
        source: str,
        age_ms: int | None,
        stamp_ms: int | None,
    ) -> None:
        self.state = state
        self.record = record
        self.why = why
        self.source = source
        self.age_ms = age_ms
        self.stamp_ms = stamp_ms


def derive(
    found: Found, reading: Reading, claim: Claim | None, verdict: str | None, *, now_ms: int
) -> Presence:
    """Derive the row's presence.

    *found* is the status file that *reading* was made of. *verdict* is about the harness of
    this host's session (``alive``, ``gone``, ``unknown``), None where nobody looked.
    """
    if claim is not None and claim.ended_ms is not None and not _said_later(found, claim.ended_ms):
        age_ms = now_ms - claim.ended_ms
        shown = age_ms if age_ms < -SKEW_MS else max(age_ms, 0)
        return Presence("offline", reading.state, "ended", "session", shown, claim.ended_ms)
    if claim is not None and not claim.ended and verdict == "gone":
        return Presence("offline", reading.state, "lost", "process", None, None)
    if claim is not None and verdict == "alive" and _says_nothing(reading, claim.started_ms):
        record, stamp_ms = reading.state, reading.stamp_ms
        return Presence("unknown", record, "not-beaten", reading.source, reading.age_ms, stamp_ms)
    return Presence(
        reading.state, reading.state, reading.why, reading.source, reading.age_ms, reading.stamp_ms
    )


def _says_nothing(reading: Reading, started_ms: int) -> bool:
    """Say whether an ``offline`` is no word of the session that started at *started_ms*.

    Its harness lives, so a record that is missing, cannot be read, or was there before it, must
    not call it offline.
    """
    if reading.state != "offline":
        return False
    return reading.stamp_ms is None or reading.stamp_ms <= started_ms


def _said_later(found: Found, ended_ms: int) -> bool:
    """Say whether the record is a word that somebody declared after the session's end."""
    if not isinstance(found, Content):
        return False
    parsed = parse(found.raw)
    if isinstance(parsed, Record):
        return parsed.stamp_ms > ended_ms and parsed.word != "offline"
    if isinstance(parsed, Legacy):
        return found.mtime_ms > ended_ms and parsed.word != "offline"
    return False


def name_silence(
    presence: Presence, host_beat_ms: int | None, *, clock: Interval | None = None, now_ms: int
) -> Presence:
    """Say of a stale record of another host whose silence it is, or that it is none.

    ``silent``: its host published 900 000 ms or more after the stamp, so the session is.
    ``host-not-heard``: the host itself was last heard that long ago. ``skew``: the host's clock
    is known to be behind (*clock* is the offset of one that differs), and less than that may have
    passed in truth. Else it stays ``stale``. A record that is fresh reads ``skew`` too where the
    clock is so far behind that it would flap, and is stale where the clock is so far ahead that
    its beat certainly came that long ago.
    """
    behind = clock if clock is not None and clock.is_behind else None
    if presence.why == "fresh" and behind is not None and (behind.low_ms or 0) >= BEHIND_MS:
        return _because("skew", presence)
    stamp_ms = presence.stamp_ms
    if stamp_ms is None:
        return presence
    ahead_ms = -clock.high_ms if clock is not None and clock.is_ahead else 0
    if presence.why == "fresh" and now_ms - stamp_ms + ahead_ms >= STALE_MS:
        presence = _because("stale", presence)
    if presence.why != "stale":
        return presence
    excess_ms = behind.high_ms if behind is not None else 0
    off_ms = clock.high_ms if clock is not None else 0
    if host_beat_ms is not None and host_beat_ms - stamp_ms >= STALE_MS:
        return _because("silent", presence)
    if behind is not None and now_ms - stamp_ms - excess_ms < STALE_MS:
        return _because("skew", presence)
    if host_beat_ms is not None and now_ms - host_beat_ms - off_ms >= STALE_MS:
        return _because("host-not-heard", presence)
    return presence


def _because(why: str, presence: Presence) -> Presence:
    """Return the presence as ``unknown``, for the reason *why*."""
    record, source = presence.record, presence.source
    return Presence("unknown", record, why, source, presence.age_ms, presence.stamp_ms)
