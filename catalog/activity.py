"""``activity``: whether work lands. What an event writes, and what a reader may say of it.

Pure (spec/activity.md). The clock is the one of the record alone: a heartbeat, ``held``, ``seen``
and the steps of a turn are no arguments here.
"""

from __future__ import annotations

from catalog.record import Newer, Record, parse, render
from catalog.seen import Content, Missing
from catalog.value import Value
from catalog.windows import ABANDON_MS, COALESCE_MS, SKEW_MS, STALE_MS, STALL_MS, UNHEARD_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.claim import Claim
    from catalog.presence import Presence
    from catalog.seen import Found

RUNNING = "running"
TERMINAL = ("success", "failure", "cancelled")
WORDS = (RUNNING, *TERMINAL)
ROUTABLE = ("progressing", "stalled")
RECEPTIVE = ("available", "busy", "away")
"""The words of presence under which work may be routed to an agent."""


class Activity(Value):
    """What may be said of an agent's work, and the number that decided.

    ``stamp_ms`` is the time of the last success, or of the session's start where ``source`` says
    ``session``; ``age_ms`` is measured from it to ``as_of_ms``, or to the reader's now where that
    is None.
    """

    __slots__ = ("age_ms", "as_of_ms", "routable", "source", "stamp_ms", "state")

    def __init__(
        self,
        state: str,
        source: str,
        stamp_ms: int | None,
        age_ms: int | None,
        as_of_ms: int | None,
        vouched: bool = True,
    ) -> None:
        self.state = state
        self.source = source
        self.stamp_ms = stamp_ms
        self.age_ms = age_ms
        self.as_of_ms = as_of_ms
        self.routable = vouched and state in ROUTABLE


def is_word(word: str) -> bool:
    """Say whether *word* is one of ``activity``'s."""
    return word in WORDS


def record_bytes(found: Found, word: str, *, now_ms: int) -> bytes | None:
    """Return what an event at *now_ms* writes over *found*; None where it leaves it alone.

    A running session writes at most once in 5 000 ms and never an earlier stamp; a terminal word
    is written whatever stands there. Only a newer version and what could not be read are left.
    """
    if isinstance(found, Missing):
        return render(word, now_ms)
    if not isinstance(found, Content):
        return None
    stored = parse(found.raw, is_word)
    if isinstance(stored, Newer):
        return None
    if word in TERMINAL or not isinstance(stored, Record):
        return render(word, now_ms)
    if stored.stamp_ms - now_ms > SKEW_MS:
        return render(word, now_ms)  # a clock that was set back: that stamp is no time of ours
    return render(word, now_ms) if stored.stamp_ms < now_ms - COALESCE_MS else None


def derive(
    found: Found,
    claim: Claim | None,
    *,
    here: bool,
    host_beat_ms: int | None,
    vouched: bool = True,
    lost: bool = False,
    now_ms: int,
) -> Activity | None:
    """Say how the work of *claim*'s session stands; None where there is nothing to say it of.

    Another host's agent is judged by that host's clock, as of its last publish; where there is no
    record of one, by ours with both windows widened. Not *vouched* for (:func:`is_vouched`), it is
    not routable. A *lost* session has ended, though nobody wrote it.
    """
    if claim is None:
        return None
    as_of_ms = None if here else host_beat_ms
    stored = parse(found.raw, is_word) if isinstance(found, Content) else None
    if claim.ended_ms is not None or lost:
        return _outcome(stored, as_of_ms, now_ms)
    if isinstance(found, Missing):
        source, stamp_ms = "session", claim.started_ms
    elif isinstance(stored, Record):
        source, stamp_ms = "activity", stored.stamp_ms
    else:
        return _unknown("activity", None, None, as_of_ms)
    age_ms = (now_ms if as_of_ms is None else as_of_ms) - stamp_ms
    unheard = as_of_ms is not None and now_ms - as_of_ms >= STALE_MS
    if unheard or age_ms < -SKEW_MS:
        return _unknown(source, stamp_ms, age_ms, as_of_ms)
    slack_ms = UNHEARD_MS if not here and as_of_ms is None else 0
    state = _by_age(age_ms - slack_ms)
    return Activity(state, source, stamp_ms, max(age_ms, 0), as_of_ms, vouched)


def judge(
    found: Found,
    claim: Claim,
    presence: Presence,
    *,
    here: bool,
    source: str,
    host_beat_ms: int | None,
    now_ms: int,
) -> Activity | None:
    """Say how the work of a session stands of whose agent *presence* is known.

    *source* is the clock of the status record's own reading.
    """
    return derive(
        found,
        claim,
        here=here,
        host_beat_ms=host_beat_ms,
        vouched=is_vouched(presence.state, here=here, source=source),
        lost=presence.why == "lost",
        now_ms=now_ms,
    )


def is_vouched(word: str, *, here: bool, source: str) -> bool:
    """Say whether a presence of *word* lets work be routed to its agent.

    It is there and may be disturbed, and another host's is not known by when a file arrived.
    """
    return word in RECEPTIVE and (here or source != "mtime")


def _by_age(age_ms: int) -> str:
    if age_ms <= STALL_MS:
        return "progressing"
    return "stalled" if age_ms <= ABANDON_MS else "idle"


def _outcome(stored: object, as_of_ms: int | None, now_ms: int) -> Activity | None:
    """Return the word that an ended session left; ``unknown`` where it said none of an outcome."""
    if not isinstance(stored, Record):
        return None
    age_ms = (now_ms if as_of_ms is None else as_of_ms) - stored.stamp_ms
    if stored.word not in TERMINAL:
        return _unknown("activity", stored.stamp_ms, age_ms, as_of_ms)
    return Activity(stored.word, "activity", stored.stamp_ms, max(age_ms, 0), as_of_ms)


def _unknown(
    source: str, stamp_ms: int | None, age_ms: int | None, as_of_ms: int | None
) -> Activity:
    return Activity("unknown", source, stamp_ms, age_ms, as_of_ms)
