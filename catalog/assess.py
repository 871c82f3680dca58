"""One agent's files to what may be claimed about it now: a presence, and what to look at.

The one function behind ``agents``, ``status`` and ``why``: they cannot disagree.
"""

from __future__ import annotations

from catalog.claim import OWNED, Claim, UnreadableClaim
from catalog.finding import Finding
from catalog.names import bus_id
from catalog.presence import derive, name_silence
from catalog.reading import read_status
from catalog.record import Record, parse
from catalog.seen import Content, Missing, Unreadable
from catalog.value import Value
from catalog.windows import SKEW_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from catalog.activity import Activity
    from catalog.heard import Afar
    from catalog.layout import Layout
    from catalog.presence import Presence
    from catalog.reader import Reader
    from catalog.reading import Reading
    from catalog.seen import Found
    from catalog.system.files import Files
    from catalog.witness import Sight

_MISSING = Missing()
_SENTENCES = {
    "invalid-state": "line one is none of offline, available, busy, away, dnd",
    "literal-unknown": "line one is unknown, which is derived and never written",
    "malformed": "line one is followed by something that no version writes",
    "newer-version": "written by a newer version of st2",
}
_PLAIN = ("fresh", "stale")
"""Readings of a stamped record of which there is nothing to remark."""


class Assessed(Value):
    """What is known of one agent: its claim (or why not), what was seen, and the findings.

    ``activity`` is None without a session, and where nobody asked for it.
    """

    __slots__ = ("activity", "claim", "findings", "presence", "reading", "sight")

    def __init__(
        self,
        presence: Presence,
        reading: Reading,
        claim: Claim | UnreadableClaim | None,
        sight: Sight | None,
        findings: tuple[Finding, ...],
        activity: Activity | None = None,
    ) -> None:
        self.activity = activity
        self.presence = presence
        self.reading = reading
        self.claim = claim
        self.sight = sight
        self.findings = findings


def assess(
    layout: Layout,
    host: str,
    agent: str,
    *,
    status: Found,
    claim: Claim | UnreadableClaim | None,
    host_beat_ms: int | None,
    look: Callable[[Claim], Sight] | None,
    now_ms: int,
    activity: Found = _MISSING,
    judge: Callable[..., Activity | None] | None = None,
    afar: Afar | None = None,
) -> Assessed:
    """Assess one agent at *now_ms*. *look* is None where no process is to be looked at.

    *afar* is what this host observed of another one whose agent it is, None where that is not to
    be used either. *judge* is :func:`catalog.activity.judge` where somebody asks how the work
    stands of which *activity* tells: presence never does, and ``status`` does not load it.
    """
    here = host == layout.host
    known = claim if isinstance(claim, Claim) else None
    sight = look(known) if look is not None and here and known and not known.ended else None
    reading = read_status(status, now_ms=now_ms)
    verdict = sight.verdict if sight is not None else None
    presence = derive(status, reading, known, verdict, now_ms=now_ms)
    skew, behind_ms = (None, 0) if here or afar is None else (afar.skew, afar.behind_ms)
    if not here:
        presence = name_silence(presence, host_beat_ms, clock=skew, now_ms=now_ms)
    findings: list[Finding] = []
    if reading.source != "record" or reading.why not in _PLAIN:
        findings += _about_status(layout.record(host, agent, "status"), status, reading, here=here)
    if claim is not None and (known is None or known.ended_ms is not None):
        findings += _about_claim(layout, host, agent, claim, now_ms)
    if sight is not None:
        findings += _about_owner(known, sight)
    if afar is not None and not here:
        findings += afar.findings
    work = None
    if judge is not None and known is not None:
        work = judge(
            activity,
            known,
            presence,
            here=here,
            source=reading.source,
            host_beat_ms=host_beat_ms,
            now_ms=now_ms - behind_ms,
        )
    return Assessed(presence, reading, claim, sight, tuple(findings), work)


def _about_status(path: str, found: Found, reading: Reading, *, here: bool) -> list[Finding]:
    if isinstance(found, Unreadable):
        return [Finding("unreadable", f"status: {found.reason}", path)]
    if reading.why in _SENTENCES:
        generic = Finding(reading.why, f"status: {_SENTENCES[reading.why]}", path)
        return [_damage(path, found, reading) or generic]
    findings = []
    if reading.why == "future" and reading.age_ms is not None:
        ahead_s = -(reading.age_ms // 1_000)  # rounded up: more than is allowed is told as more
        sentence = f"its stamp lies {ahead_s} s ahead of the clock"
        findings.append(Finding("future", f"status: {sentence}", path))
    if not here and reading.source == "mtime":
        sentence = "one-line record of another host: its file time is when it arrived here"
        findings.append(Finding("legacy-mtime", f"status: {sentence}", path))
    return findings


def _damage(path: str, found: Found, reading: Reading) -> Finding | None:
    """Return what a tool or an accident did to a record, where that is told from its bytes."""
    if not isinstance(found, Content) or reading.why == "newer-version":
        return None
    from catalog.damage import damage_of

    return damage_of(path, found.raw)


def _about_claim(
    layout: Layout, host: str, agent: str, claim: Claim | UnreadableClaim, now_ms: int
) -> list[Finding]:
    """Remark on a claim that cannot be read, and on an end that lies ahead.

    No word that is set until then can be told to be a later one.
    """
    path = layout.record(host, agent, "session.json")
    if isinstance(claim, UnreadableClaim):
        return [Finding("claim-unreadable", f"session.json: {claim.why}", path, claim.hint)]
    if claim.ended_ms is None or claim.ended_ms - now_ms <= SKEW_MS:
        return []
    ahead_s = -((now_ms - claim.ended_ms) // 1_000)
    return [Finding("future", f"session.json: its end lies {ahead_s} s ahead of the clock", path)]


def _about_owner(claim: Claim | None, sight: Sight | None) -> list[Finding]:
    if sight is None or sight.verdict != "alive" or sight.owner_running is not False:
        return []
    if claim is None or claim.registered_by not in OWNED:
        return []
    name = bus_id(claim.host, claim.agent)  # there may be one of that name on another host
    sentence = f"owner gone, harness pid {sight.pid} alive: st2 session adopt {name}"
    return [Finding("owner-lost", sentence)]


def local_fault(files: Files, layout: Layout) -> Finding | None:
    """Return why this host's own folder is not used, if so: then no process is looked at."""
    folder = files.folder(layout.local())
    if isinstance(folder, Unreadable):
        sentence = f"{folder.reason}; process evidence is not used"
        return Finding("local-state-unsafe", sentence, ".st2")
    if not isinstance(folder, Missing):
        folder.close()
    return None


def host_beat_ms(found: Found) -> int | None:
    """Return when a host says it last published, from its ``beat`` record."""
    if not isinstance(found, Content):
        return None
    parsed = parse(found.raw, lambda word: True)
    return parsed.stamp_ms if isinstance(parsed, Record) else None


def assess_agent(
    reader: Reader,
    host: str,
    agent: str,
    *,
    look: Callable[[Claim], Sight] | None,
    now_ms: int,
) -> Assessed:
    """Read one agent's files, and what was observed of its host, and assess them."""
    beat_ms = host_beat_ms(reader.files.read(reader.layout.host_beat(host)))
    return assess(
        reader.layout,
        host,
        agent,
        status=reader.record(host, agent, "status"),
        claim=reader.claim(host, agent),
        host_beat_ms=beat_ms,
        afar=None if look is None else _afar(reader, host, beat_ms, now_ms),
        look=look,
        now_ms=now_ms,
    )


def _afar(reader: Reader, host: str, beat_ms: int | None, now_ms: int) -> Afar | None:
    """Return what this host observed of another one."""
    if host == reader.layout.host:
        return None
    from catalog.heard import afar, load

    return afar(host, load(reader.files, reader.layout, host), beat_ms=beat_ms, now_ms=now_ms)
