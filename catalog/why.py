"""The evidence behind a row, sentence by sentence: each clock, its number, the deciding rule.

A sentence names the clock that it measured and prints the number that decided.
"""

from __future__ import annotations

from catalog.activity import RECEPTIVE, ROUTABLE
from catalog.claim import Claim, UnreadableClaim
from catalog.offset import words as offset_words
from catalog.record import NOBODY, Legacy, Literal, Newer, Record, parse
from catalog.seen import Content, Missing, Unreadable
from catalog.value import Value
from catalog.verbs import UNSEEN
from catalog.windows import ABANDON_MS, SKEW_MS, STALE_MS, STALL_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from catalog.activity import Activity
    from catalog.assess import Assessed
    from catalog.offset import Interval
    from catalog.presence import Presence
    from catalog.reading import Reading
    from catalog.roster import Entry, Row
    from catalog.seen import Found
    from catalog.witness import Sight


class Line(Value):
    """One piece of evidence: what it is about, and the sentence."""

    __slots__ = ("about", "sentence")

    def __init__(self, about: str, sentence: str) -> None:
        self.about = about
        self.sentence = sentence


def explain(
    row: Row,
    entry: Entry,
    host_beat_ms: int | None,
    *,
    here: bool,
    looked: bool,
    now_ms: int,
    refreshes: Mapping[str, Found] | None = None,
    clock: Interval | None = None,
    terminal: str = "",
) -> list[Line]:
    """Return the evidence behind *row*, in the order in which the rules ask for it.

    *looked* says whether processes of this host were looked at (not so under ``--now``);
    *refreshes* are the records ``held`` and ``seen``, which decide about a claim and no row;
    *clock* is the offset of another host's clock, as far as this host could tell it; *terminal*
    is what a harness has that lives and is not ``stopped``: ``one``, ``none``, ``gone`` or "".
    """
    assessed = row.assessed
    status: Found = entry.place.status if entry.place else Missing()
    lines = [
        Line("declared", _declared(row, entry)),
        Line("session", _session(assessed.claim, now_ms)),
        *_refreshes(refreshes or {}, now_ms),
        Line("process", _process(assessed, terminal, here=here, looked=looked)),
        Line("status", _status(status, now_ms)),
        *([Line("activity", _activity(assessed, now_ms))] if assessed.claim else []),
        *_unseen(assessed),
    ]
    if not here:
        lines.append(Line("host", _host(row.host, host_beat_ms, now_ms)))
        if clock is not None:
            told = f"{row.host}'s clock is {offset_words(clock)} by this host's clock"
            lines.append(Line("clock", told))
    lines.append(Line("decided", decided(assessed.presence)))
    if assessed.activity is not None:
        lines.append(Line("routed", _routed(assessed, assessed.activity)))
    return lines


def decided(presence: Presence) -> str:
    """Return the rule that decided a row's word: the clock, and the number that it showed."""
    return _RULES[presence.why](presence)


def no_work_since(assessed: Assessed) -> str:
    """Return by how much the work of an agent is overdue, and by which window."""
    activity = assessed.activity
    return "no activity is known" if activity is None else f"{_since(activity)}; {_WINDOWS}"


def _declared(row: Row, entry: Entry) -> str:
    if row.declaration is None:
        return "by a file that cannot be used" if entry.broken else "nowhere"
    launch = row.declaration.launch or "nothing to launch"
    return f"{row.declaration.path}: {launch}, {row.declaration.desired_state or 'state unknown'}"


def _session(claim: Claim | UnreadableClaim | None, now_ms: int) -> str:
    if claim is None:
        return "none was ever registered"
    if isinstance(claim, UnreadableClaim):
        return f"session.json cannot be believed: {claim.why}; the status record decides"
    since = f"started {_distance(claim.started_ms, now_ms)}"
    took = f", taking over from {claim.previous}" if claim.took_over else ""
    named = f"{claim.session}, generation {claim.generation}, {since}{took}"
    if claim.ended_ms is None:
        return f"{named}, not ended"
    how = f"{claim.end_reason}" + (f" with {claim.exit}" if claim.exit else "")
    return f"{named}, ended {_distance(claim.ended_ms, now_ms)}: {how}"


def _refreshes(found: Mapping[str, Found], now_ms: int) -> list[Line]:
    """Say when a holder that nobody wraps last refreshed, and who beat last, holder or not."""
    lines = []
    for name, told in (("held", "refreshed by its holder"), ("seen", "last beat by")):
        raw = found.get(name)
        parsed = parse(raw.raw, lambda _: True) if isinstance(raw, Content) else None
        if isinstance(parsed, Record):
            who = "a caller without a session" if parsed.word == NOBODY else parsed.word
            lines.append(Line(name, f"{told} {who}, {_distance(parsed.stamp_ms, now_ms)}"))
    return lines


def _process(assessed: Assessed, terminal: str, *, here: bool, looked: bool) -> str:
    if not here:
        return "not looked at: it runs on another host"
    if not looked:
        return "not looked at: --now reads records alone"
    sight: Sight | None = assessed.sight
    if sight is None:
        return f"not looked at: {_UNLOOKED.get(type(assessed.claim), 'no session')}"
    owner = {True: "its owner runs", False: "no owner runs", None: "its owner cannot be told"}
    pid = "no pid was recorded" if sight.pid is None else f"harness pid {sight.pid}"
    lives = _LIVES.get(terminal, "") if sight.verdict == "alive" else ""
    return f"{pid}: {sight.verdict}{lives}; {owner[sight.owner_running]}"


def _status(found: Found, now_ms: int) -> str:
    if isinstance(found, Missing):
        return "no record"
    if isinstance(found, Unreadable):
        return f"cannot be read: {found.reason}"
    return _record(found, now_ms)


def _activity(assessed: Assessed, now_ms: int) -> str:
    """Say how the work stands; the clock that was measured, its number, the window it fell into."""
    if isinstance(assessed.claim, UnreadableClaim):
        return "not asked: of which session it is cannot be told"
    if (activity := assessed.activity) is None:
        return "nothing was recorded"
    if activity.stamp_ms is None or activity.age_ms is None:
        return f"{activity.state}: the record cannot be believed"
    told = f"{activity.state}: {_since(activity)}"
    if activity.as_of_ms is not None:
        told += f" when its host published, {_distance(activity.as_of_ms, now_ms)}"
    return f"{told}; {_WINDOWS}" if activity.state in _BY_AGE else told


def _unseen(assessed: Assessed) -> list[Line]:
    """Say so where no activity was recorded and nothing of ours could have recorded any."""
    claim, activity = assessed.claim, assessed.activity
    if not isinstance(claim, Claim) or activity is None or activity.source != "session":
        return []
    if claim.harness is None and claim.registered_by == "register":
        return [Line("note", "nothing sees the work of a session that nobody wraps: " + _SAY_IT)]
    if claim.harness not in UNSEEN:
        return []
    return [Line("note", f"nothing sees the work of {claim.harness}: {_SAY_IT}")]


def _routed(assessed: Assessed, activity: Activity) -> str:
    """Say whether work may be routed here, which of the two clocks decided, and the other one."""
    beat = _beat(assessed.reading)
    claim, lost = assessed.claim, assessed.presence.why == "lost"
    if isinstance(claim, Claim) and (claim.ended or lost):
        return f"no, its session is over; {beat}"
    if activity.routable:
        return f"yes, {activity.state} by its activity clock: {_since(activity)}; {beat}"
    if activity.state not in ROUTABLE:
        told = f": {_since(activity)}" if activity.state == "idle" else ""
        return f"no, {activity.state} by its activity clock{told}; {beat}"
    word = assessed.presence.state
    if word in RECEPTIVE:
        return f"no, its presence is read by when a file arrived; {_since(activity)}"
    return f"no, its presence is {word}: {beat}; {_since(activity)}"


def _beat(reading: Reading) -> str:
    """Say what the heartbeat clock shows, whoever decided."""
    if reading.age_ms is None:
        return "no beat recorded"
    if reading.age_ms < 0:
        return f"the beat's stamp {_seconds(-reading.age_ms)} ahead"
    return f"no beat for {_seconds(reading.age_ms)}"


def _since(activity: Activity) -> str:
    age_ms = activity.age_ms or 0
    if activity.source == "session":
        return f"no activity recorded, session started {_seconds(age_ms)} before"
    if age_ms < 0:
        return f"stamp {_seconds(-age_ms)} ahead"
    return f"no activity for {_seconds(age_ms)}"


def _record(found: Content, now_ms: int) -> str:
    parsed = parse(found.raw)
    if isinstance(parsed, Record):
        age = _distance(parsed.stamp_ms, now_ms)
        return f"{parsed.word}, stamp {parsed.stamp_ms}, {age} by this host's clock"
    if isinstance(parsed, Legacy):
        return f"{parsed.word} on one line, file time {_distance(found.mtime_ms, now_ms)}"
    if isinstance(parsed, Newer):
        return f"{parsed.word}, in version {parsed.version} of the record"
    if isinstance(parsed, Literal):
        return "line one is unknown"
    return f"{len(found.raw)} bytes that are no record"


def _host(host: str, beat_ms: int | None, now_ms: int) -> str:
    if beat_ms is None:
        return f"{host} never published here"
    return f"{host} last published {_distance(beat_ms, now_ms)}"


def _distance(stamp_ms: int, now_ms: int) -> str:
    age_ms = now_ms - stamp_ms
    return f"{_seconds(-age_ms)} ahead" if age_ms < 0 else f"{_seconds(age_ms)} ago"


def _when(age_ms: int) -> str:
    return f"{_seconds(-age_ms)} ahead of the clock" if age_ms < 0 else f"{_seconds(age_ms)} ago"


def _seconds(duration_ms: int) -> str:
    """Return the number that a window is held against; of a long time, its size as well."""
    if duration_ms < 1_000:
        return f"{duration_ms} ms"
    seconds = f"{duration_ms // 1_000} s"
    for least_ms, size_ms, unit in _LONG:
        if duration_ms >= least_ms:
            return f"{seconds} ({duration_ms // size_ms} {unit})"
    return seconds


def _aged(presence: Presence) -> str:
    by = "" if (presence.age_ms or 0) >= STALE_MS else " by its host's clock, which is ahead"
    return f"no beat for {_seconds(presence.age_ms or 0)}{by}, {_STALE}"


_LONG = ((172_800_000, 86_400_000, "d"), (7_200_000, 3_600_000, "h"), (600_000, 60_000, "min"))
_LIVES = {"none": ", without a terminal", "gone": ", its terminal is gone", "stopped": ", stopped"}
_UNLOOKED = {Claim: "the session has ended", UnreadableClaim: "whose it is cannot be told"}
_SPOKE = {"dnd": "declared"}
"""How a word came to be: no beat renews a ``dnd``, and what is set by hand is no beat."""
_SAY_IT = "it says so by st2 activity touch, or nobody knows"
_BY_AGE = ("progressing", "stalled", "idle")
_WINDOWS = f"stalled after {STALL_MS // 1_000} s, idle after {ABANDON_MS // 1_000} s"
_STALE = f"stale at {STALE_MS // 1_000} s"
_RULES: dict[str, Callable[[Presence], str]] = {
    "fresh": lambda presence: (
        f"{presence.state}: {_SPOKE.get(presence.state, 'last beat or set')} "
        f"{_seconds(presence.age_ms or 0)} ago, {_STALE}"
    ),
    "stale": lambda presence: f"unknown: {_aged(presence)}",
    "silent": lambda presence: (
        f"unknown: {_aged(presence)}; its host was heard since, so it is the session that is silent"
    ),
    "host-not-heard": lambda presence: (
        f"unknown: {_aged(presence)}; its host was not heard for as long either, so that "
        "nothing can be told"
    ),
    "skew": lambda presence: (
        f"unknown: stamp {_seconds(presence.age_ms or 0)} old by this host's clock, "
        f"{_STALE}; its host's clock is behind, so that this is no silence"
    ),
    "future": lambda presence: (
        f"unknown: its stamp lies {_seconds(999 - (presence.age_ms or 0))} ahead of this host's "
        f"clock, {SKEW_MS // 1_000} s are allowed: one of the clocks is wrong"
    ),
    "missing": lambda _: "offline: there is no status record",
    "unreadable": lambda _: "offline: the status record cannot be read",
    "invalid-state": lambda _: "offline: line one of the status record is no word of ours",
    "literal-unknown": lambda _: "unknown: the status record says so itself",
    "malformed": lambda _: (
        "unknown: the status record is damaged, and its file time is not asked; the next start or "
        "a set mends it"
    ),
    "newer-version": lambda _: "unknown: the status record is of a newer version of st2",
    "ended": lambda presence: (
        f"offline: the session ended {_when(presence.age_ms or 0)}, and no word was set since"
    ),
    "not-beaten": lambda _: (
        "unknown: the harness lives, and no sound record of its session says what it does"
    ),
    "lost": lambda _: "offline: the harness is gone, and nobody wrote the session's end",
}
