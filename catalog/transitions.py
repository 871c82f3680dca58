"""What changed between two looks at the roster, one event a change and one notice an episode.

Pure: what was known, the rows of now, and whether silence is to be held back (after this host
slept or its clock was set) give what is known next, and the events in between.
"""

from __future__ import annotations

from catalog.claim import Claim, UnreadableClaim
from catalog.value import Value
from catalog.why import decided, no_work_since
from catalog.windows import REFRESH_MS, STALE_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from catalog.presence import Presence
    from catalog.roster import Row
    from catalog.watch import Gap

SILENT = ("stale", "silent", "host-not-heard", "future", "skew")
"""The reasons that come with time and a clock alone: the ones that are held back."""
CLOCKS = ("future", "skew")
"""Those of them that tell of a clock and of no silence."""
OVERDUE = ("stalled", "idle")


class Known(Value):
    """What was last told of one agent. ``session`` is (token, generation), None without one.

    ``stalled`` lasts from the notice of a stall until work lands again or the session is another.
    ``activity_ms`` is the stamp of the last success (or the session's start).
    """

    __slots__ = (
        *("activity", "activity_ms", "ended", "host", "routable"),
        *("session", "stalled", "why", "word"),
    )

    def __init__(self, row: Row) -> None:
        assessed = row.assessed
        claim, activity = assessed.claim, assessed.activity
        self.host = row.host
        self.word = assessed.presence.state
        self.why = assessed.presence.why
        self.session = (claim.session, claim.generation) if isinstance(claim, Claim) else None
        over = isinstance(claim, Claim) and claim.ended
        self.ended = over or self.why == "lost"
        self.activity = activity.state if activity else None
        self.activity_ms = activity.stamp_ms if activity else None
        self.routable = activity is not None and activity.routable
        self.stalled = not self.ended and self.activity in OVERDUE


class Event(Value):
    """One transition. ``identity`` is None for what is about a host; ``was`` and ``word`` are
    words of presence, None where there was or is none; ``row`` is the row as it is now, if any.
    """

    __slots__ = ("host", "identity", "kind", "row", "sentence", "was", "word")

    def __init__(
        self,
        kind: str,
        host: str,
        sentence: str,
        *,
        identity: str | None = None,
        was: str | None = None,
        word: str | None = None,
        row: Row | None = None,
    ) -> None:
        self.kind = kind
        self.host = host
        self.sentence = sentence
        self.identity = identity
        self.was = was
        self.word = word
        self.row = row


def step(
    before: dict[str, Known],
    rows: Sequence[Row],
    *,
    holding: bool,
    unseen: Container[str] = (),
) -> tuple[dict[str, Known], list[Event]]:
    """Return what is known by *rows*, and what happened since *before*, sorted by bus id.

    While *holding*, an agent that had spoken is not told to be silent, nor its work to be stalled.
    *unseen* are hosts whose folder could not be looked into: what is not there is not gone.
    """
    after: dict[str, Known] = {}
    events: list[Event] = []
    for row in rows:
        known, old = Known(row), before.get(row.identity)
        if old is not None:
            _remember(known, old, row, holding=holding)
        after[row.identity] = known
        events += [_first("appeared", row)] if old is None else _changed(row, old, known)
    for name in before.keys() - after.keys():
        if before[name].host in unseen:
            after[name] = before[name]
        else:
            events.append(_forgotten(name, before[name]))
    events.sort(key=lambda event: event.identity or "")
    return after, events


def present(rows: Sequence[Row]) -> list[Event]:
    """Return one event a row that says how it stands: where a watcher begins."""
    return [_first("present", row) for row in rows]


def step_hosts(
    before: dict[str, bool],
    beats: Mapping[str, int | None],
    *,
    this_host: str,
    now_ms: int,
    holding: bool,
) -> tuple[dict[str, bool], list[Event]]:
    """Return which other hosts are heard by *beats*, and which fell silent or came back."""
    after: dict[str, bool] = {}
    events: list[Event] = []
    for host, beat_ms in sorted(beats.items()):
        if host == this_host or beat_ms is None:
            continue
        age_ms, was = now_ms - beat_ms, before.get(host)
        heard = age_ms < STALE_MS or (holding and was is True)
        after[host] = heard
        if was is True and not heard:
            events.append(Event("host-not-heard", host, f"no publish for {age_ms // 1_000} s"))
        elif was is False and heard:
            events.append(Event("host-back", host, f"published {max(age_ms, 0) // 1_000} s ago"))
    return after, events


def about_clocks(host: str, gap: Gap) -> list[Event]:
    """Return what there is to say of this host's clocks, and what follows from it."""
    rest = f"nobody is called silent for the next {REFRESH_MS // 1_000} s"
    events = []
    if gap.slept_ms:
        events.append(
            Event("slept", host, f"this host slept for {gap.slept_ms // 1_000} s; {rest}")
        )
    if gap.stepped_ms:
        way = "forward" if gap.stepped_ms > 0 else "back"
        told = f"this host's clock was set {way} by {abs(gap.stepped_ms) // 1_000} s; {rest}"
        events.append(Event("clock-set", host, told))
    return events


def _remember(known: Known, old: Known, row: Row, *, holding: bool) -> None:
    """Carry over what outlives a look: a stall that was told; while *holding*, what was told."""
    if isinstance(row.assessed.claim, UnreadableClaim):
        known.session, known.ended, known.stalled = old.session, old.ended, old.stalled
    if known.session != old.session or known.ended:
        return
    known.stalled = known.stalled or (old.stalled and known.activity != "progressing")
    if not holding:
        return
    quiet = known.why in SILENT and old.why not in SILENT
    overdue = known.activity in (*OVERDUE, "unknown") and old.activity == "progressing"
    if quiet:
        known.word, known.why = old.word, old.why
    if overdue:
        known.activity, known.stalled = old.activity, old.stalled
    if quiet or overdue:
        known.routable = old.routable


def _first(kind: str, row: Row) -> Event:
    return _about(kind, row, decided(row.assessed.presence), was=None, word=row.state)


def _forgotten(identity: str, old: Known) -> Event:
    sentence = "no declaration and no record is left"
    return Event("gone", old.host, sentence, identity=identity, was=old.word)


def _changed(row: Row, old: Known, known: Known) -> Iterator[Event]:
    """Yield what happened to one agent: to its session, then its word, then its work."""

    def about(kind: str, sentence: str) -> Event:
        return _about(kind, row, sentence, was=old.word, word=known.word)

    renewed = known.session is not None and known.session != old.session
    ends = known.ended and (renewed or not old.ended)
    if renewed:
        yield about(*_session(row))
    if ends:
        yield about("ended", _end(row))
    if known.word != old.word and not (ends and known.word == "offline"):
        silent = known.why in SILENT and known.why not in CLOCKS
        yield about("stale" if silent else "word", decided(row.assessed.presence))
    if known.stalled and (renewed or not old.stalled):
        yield about("stalled", no_work_since(row.assessed))
    if old.stalled and not renewed and known.activity == "progressing":
        yield about("moving", _moved(old, known))


def _about(kind: str, row: Row, sentence: str, *, was: str | None, word: str) -> Event:
    return Event(kind, row.host, sentence, identity=row.identity, was=was, word=word, row=row)


def _session(row: Row) -> tuple[str, str]:
    claim = row.assessed.claim
    assert isinstance(claim, Claim)
    named = f"session {claim.session}, generation {claim.generation}"
    if not claim.took_over:
        return "started", named
    return "taken-over", f"{named}, took over from {claim.previous}"


def _end(row: Row) -> str:
    claim = row.assessed.claim
    assert isinstance(claim, Claim)
    if claim.ended_ms is None:
        return _without_word(row.assessed.presence)
    how = f"{claim.end_reason}" + (f" with {claim.exit}" if claim.exit else "")
    return f"session {claim.session}, generation {claim.generation}: {how}"


def _without_word(presence: Presence) -> str:
    return decided(presence).partition(": ")[2]


def _moved(old: Known, known: Known) -> str:
    if old.activity_ms is None or known.activity_ms is None:
        return "work lands again"
    silence_s = max(known.activity_ms - old.activity_ms, 0) // 1_000
    return f"work lands again, after {silence_s} s without"
