"""The records of this host's agents, as they are written.

Each write takes the agent's host-local lock, reads again what it is about to change, and
touches the files of its own question only.
"""

from __future__ import annotations

from catalog import claim as claims
from catalog.claim import Claim, UnreadableClaim
from catalog.errors import St2Error
from catalog.names import bus_id, shown_token
from catalog.reader import Hold, Reader, stamp_of
from catalog.reading import beat_bytes, first_beat_bytes, read_status, set_bytes
from catalog.seen import Content
from catalog.windows import LOCK_WAIT_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from catalog.evidence import Evidence, Living
    from catalog.layout import Layout
    from catalog.seen import Found
    from catalog.succession import Held, Keep, New, Started
    from catalog.system.files import Files
    from catalog.system.locks import Lock


class Writer:
    """Writes the records of this host's agents."""

    __slots__ = ("files", "layout", "reader")

    def __init__(self, files: Files, layout: Layout) -> None:
        self.files = files
        self.layout = layout
        self.reader = Reader(files, layout)

    def lock(self, agent: str) -> Lock:
        """Take the lock under which an agent's records are written."""
        return self.files.lock(self.layout.lock(agent), wait_ms=LOCK_WAIT_MS)

    def set_status(
        self, agent: str, word: str, *, allow: Callable[[], None], clock: Callable[[], int]
    ) -> None:
        """Declare *word*; *allow* raises, under the lock, where the caller may not."""
        with self.lock(agent):
            allow()
            found = self._status(agent)
            data = set_bytes(found, word, now_ms=clock())
            if data is None:
                from catalog.session_errors import NewerRecord

                subject = self.layout.record(self.layout.host, agent, "status")
                raise NewerRecord(subject, "written by a newer version, wanted version 1")
            self._put(agent, "status", data)

    def start(
        self,
        agent: str,
        *,
        claim: Claim,
        evidence: Evidence,
        verdict_of: Callable[[Claim], str],
        force: bool,
    ) -> Started:
        """Write a new claim (``started_ms`` is its now), or raise Conflict, ClaimUnreadable.

        The rules give it its generation, ``took_over`` and ``previous``. The evidence goes
        first, beside the entry of the claim that it may replace: whatever a kill between
        the two writes leaves can be proven gone. A fresh word of the session that is replaced
        becomes ``offline``, so that it cannot pass for one of the new session.
        """
        from catalog.succession import Keep, Started

        with self.lock(agent):
            current = self._current(agent, force=force)
            verdict = verdict_of(current) if current is not None else "unknown"
            decided = self._decide(current, claim, verdict=verdict, force=force)
            if isinstance(decided, Keep):
                return Started(decided.claim, decided.claim)
            return Started(self._write_claim(claim, decided, evidence, current, verdict), current)

    def refresh(self, agent: str, hold: Hold, *, proof: Living, first: bool, now_ms: int) -> bool:
        """Beat for a harness that lives: renew ``status``; False where the table says leave.

        Raises Superseded where the claim is not *hold*'s any more, before anything else.
        Without *proof* that the harness lives and runs nobody can call this.
        """
        with self.lock(agent):
            self.check(agent, hold)
            found = self._status(agent)
            data = (first_beat_bytes if first else beat_bytes)(found, now_ms=now_ms)
            if data is None or (isinstance(found, Content) and found.raw == data):
                return False
            self._put(agent, "status", data)
            return True

    def check(self, agent: str, hold: Hold) -> Claim:
        """Return *hold*'s claim; raise Superseded where it is not *hold*'s any more, or has ended.

        One that cannot be read now proves nothing, and raises ClaimUnreadable: try again later.
        """
        claim = self.reader.claim(self.layout.host, agent)
        if isinstance(claim, UnreadableClaim):
            raise self._unreadable(agent, claim)
        same = claim and (claim.session, claim.generation) == (hold.token, hold.generation)
        if claim and same and not claim.ended:
            return claim
        from catalog.session_errors import Superseded

        identity, token = bus_id(self.layout.host, agent), shown_token(hold.token)
        if same:
            raise Superseded(identity, f"session {token} has ended, wanted an open one")
        raise Superseded(identity, f"the claim is not session {token}'s any more")

    def offline(self, agent: str, hold: Hold, *, now_ms: int) -> None:
        """Say that the session's harness is gone, at once."""
        with self.lock(agent):
            self.check(agent, hold)
            data = set_bytes(self._status(agent), "offline", now_ms=now_ms)
            if data is not None:
                self._put(agent, "status", data)

    def end(
        self, agent: str, hold: Hold, reason: str, exit_text: str | None, *, now_ms: int
    ) -> None:
        """Write the end of a session, once. ``ended_ms`` is never before its last stamp."""
        with self.lock(agent):
            self._end(self.check(agent, hold), reason, exit_text, now_ms)

    def end_lost(self, agent: str, *, verdict_of: Callable[[Claim], str], now_ms: int) -> bool:
        """End a session whose harness is gone and which no owner will end; say whether."""
        with self.lock(agent):
            claim = self.reader.claim(self.layout.host, agent)
            if not isinstance(claim, Claim) or claim.ended:
                return False
            if self.reader.owner_free(agent) is not True or verdict_of(claim) != "gone":
                return False
            self._end(claim, "lost", None, now_ms)
            return True

    def record_activity(self, agent: str, hold: Hold, word: str, *, now_ms: int) -> bool:
        """Record that work of *hold*'s session landed; False where nothing has to be written.

        Raises Superseded where the claim is not *hold*'s any more, or has ended. A burst of
        events asks for no lock: whether a write is due is looked at first, and again under it.
        """
        self.check(agent, hold)
        if self._activity(agent, word, now_ms) is None:
            return False
        with self.lock(agent):
            self.check(agent, hold)
            data = self._activity(agent, word, now_ms)
            if data is not None:
                self._put(agent, "activity", data)
            return data is not None

    def restamp(self, agent: str, hold: Hold, evidence: Evidence) -> None:
        """Record anew the process evidence of a claim that goes on."""
        with self.lock(agent):
            claim = self.check(agent, hold)
            self._write_evidence(agent, evidence, claim, None)

    def _current(self, agent: str, *, force: bool) -> Claim | None:
        """Return the claim as it stands; None where there is none, or *force* passes it over."""
        current = self.reader.claim(self.layout.host, agent)
        if not isinstance(current, UnreadableClaim):
            return current
        if not force:
            raise self._unreadable(agent, current)
        return None

    def _decide(
        self, current: Claim | None, claim: Claim, *, verdict: str, force: bool
    ) -> Keep | New:
        from catalog.succession import Held, decide

        decided = decide(
            current,
            claim.session,
            verdict=verdict,
            refreshed_ms=None if current is None else self.reader.own_refresh_ms(current),
            force=force,
            now_ms=claim.started_ms,
        )
        if isinstance(decided, Held):
            raise self._conflict(claim.agent, decided)
        return decided

    def _write_claim(
        self,
        claim: Claim,
        decided: New,
        evidence: Evidence | None,
        current: Claim | None,
        verdict: str,
    ) -> Claim:
        """Write a new generation: what a kill in between leaves is the old claim, provable."""
        written = claim.with_(
            generation=decided.generation, took_over=decided.took_over, previous=decided.previous
        )
        took_over, now_ms = written.took_over, claim.started_ms
        silenced = self._silenced(claim.agent, now_ms=now_ms) if took_over else None
        if evidence is not None:
            self._write_evidence(claim.agent, evidence, written, current)
        for name in ("activity", "held"):
            self._remove(claim.agent, name)
        # Of a harness that is gone it is true already; of one that may live only once the
        # name is another's, or a kill in between would call a living session offline.
        if silenced is not None and verdict == "gone":
            self._put(claim.agent, "status", silenced)
        self._put(claim.agent, "session.json", claims.render(written))
        if silenced is not None and verdict != "gone":
            self._put(claim.agent, "status", silenced)
        if self.reader.owner_free(claim.agent) is False:
            # It is the old claim's owner, asleep until its next beat: the lock of this claim's
            # owner, if it ever has one, has to be one that it does not hold.
            self.files.remove(self.layout.owner_lock(claim.agent))
        return written

    def _activity(self, agent: str, word: str, now_ms: int) -> bytes | None:
        from catalog.activity import record_bytes

        found = self.reader.record(self.layout.host, agent, "activity")
        return record_bytes(found, word, now_ms=now_ms)

    def _end(self, claim: Claim, reason: str, exit_text: str | None, now_ms: int) -> None:
        """Write an end that no stamp of the session comes after, whatever the clock did."""
        stamp_ms = stamp_of(self._status(claim.agent))
        ended_ms = max(now_ms, stamp_ms) if stamp_ms is not None else now_ms
        ended = claims.end(claim, reason, exit_text, now_ms=ended_ms)
        self._put(claim.agent, "session.json", claims.render(ended))

    def _status(self, agent: str) -> Found:
        return self.reader.record(self.layout.host, agent, "status")

    def _silenced(self, agent: str, *, now_ms: int) -> bytes | None:
        """Return ``offline`` for a fresh word of a session that is replaced; None for any other.

        Raises OSError where the system fails to read it: nobody knows then whose word stays.
        """
        found = self.reader.certain(agent, "status")
        if read_status(found, now_ms=now_ms).state not in ("available", "busy", "away"):
            return None
        return set_bytes(found, "offline", now_ms=now_ms)

    def _put(self, agent: str, name: str, data: bytes) -> None:
        self._replace(self.layout.record(self.layout.host, agent, name), data)

    def _replace(self, path: str, data: bytes, *, durable: bool = True) -> None:
        try:
            self.files.replace(path, data, durable=durable)
        except (IsADirectoryError, NotADirectoryError) as error:
            raise _unwritable(path, error) from None

    def _remove(self, agent: str, name: str) -> bool:
        path = self.layout.record(self.layout.host, agent, name)
        try:
            return self.files.remove(path)
        except IsADirectoryError as error:
            raise _unwritable(path, error) from None

    def _write_evidence(
        self, agent: str, evidence: Evidence, claim: Claim, replaced: Claim | None
    ) -> None:
        from catalog.evidence import render_lines

        entries = [evidence.of(claim.session, claim.generation)]
        if replaced is not None and not replaced.ended:
            hold = Hold(replaced.session, replaced.generation)
            entries += [each for each in self.reader.recorded(agent) if hold.is_of(each)]
        self._replace(self.layout.process(agent), render_lines(entries))

    def _unreadable(self, agent: str, found: UnreadableClaim) -> St2Error:
        from catalog.session_errors import ClaimUnreadable

        path = self.layout.record(self.layout.host, agent, "session.json")
        return ClaimUnreadable(path, found.why, found.hint or None)

    def _conflict(self, agent: str, held: Held) -> St2Error:
        from catalog.session_errors import Conflict

        token = held.claim.session
        return Conflict(
            bus_id(self.layout.host, agent),
            f"held by the live session {shown_token(token)}, wanted a free name",
            existing=token,
            last_seen_ms=held.last_seen_ms,
        )


def _unwritable(path: str, error: OSError) -> St2Error:
    from catalog.refusals import Unwritable

    if isinstance(error, IsADirectoryError):
        return Unwritable(path, "found a directory, wanted a file")
    return Unwritable(path, "found a symlink or a file on the way, wanted folders")
