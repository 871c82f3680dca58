"""Sessions that nobody wraps: registered, held, beaten for, ended, and forgotten in the end.

The owner of a wrapped session writes through :class:`catalog.store.Writer` alone; nothing here
is loaded for it. Only :meth:`Registrar.register` is told whose the name is to be. Whatever
refreshes takes that from the claim, and has no way to write one.
"""

from __future__ import annotations

from errno import EACCES

from catalog import claim as claims
from catalog.layout import RECORDS
from catalog.names import bus_id, shown_token
from catalog.reading import after, beat_bytes, first_beat_bytes, set_bytes
from catalog.record import NOBODY, Record, parse, render
from catalog.seen import Content, Missing, Unreadable, certain
from catalog.store import Writer
from catalog.value import Value
from catalog.windows import COALESCE_MS, SKEW_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from catalog.claim import Claim
    from catalog.evidence import Evidence, Living
    from catalog.reader import Hold


class Registered(Value):
    """A claim as it stands now, whether it was made now, and the one that it replaced."""

    __slots__ = ("claim", "created", "replaced")

    def __init__(self, claim: Claim, *, created: bool, replaced: Claim | None) -> None:
        self.claim = claim
        self.created = created
        self.replaced = replaced


class Beaten(Value):
    """The claim that a beat found, and whether the beat was its holder's and renewed it."""

    __slots__ = ("claim", "renewed")

    def __init__(self, claim: Claim, *, renewed: bool) -> None:
        self.claim = claim
        self.renewed = renewed


class Registrar(Writer):
    """Writes for the holder of a session that has no owner."""

    __slots__ = ()

    def register(
        self,
        claim: Claim,
        *,
        evidence: Evidence | None,
        verdict_of: Callable[[Claim], str],
        force: bool = False,
    ) -> Registered:
        """Claim the name with ``claim.session``; ``started_ms`` is now.

        A new generation also gets ``held`` and its first beat. The holder that comes again keeps
        its claim: evidence anew, ``held`` = now, nothing else (but for the first beat, where the
        first attempt was cut short before it); where it has an owner the evidence stays that
        owner's. Raises Conflict, ClaimUnreadable.
        """
        from catalog.succession import Keep

        agent, now_ms = claim.agent, claim.started_ms
        with self.lock(agent):
            current = self._current(agent, force=force)
            verdict = verdict_of(current) if current is not None else "unknown"
            decided = self._decide(current, claim, verdict=verdict, force=force)
            if isinstance(decided, Keep):
                kept = decided.claim
                if evidence is not None and kept.registered_by not in claims.OWNED:
                    self._write_evidence(agent, evidence, kept, None)
                if self._is_cut_short(kept):
                    self._put_first_beat(agent, now_ms)
                self._put(agent, "held", self._held(agent, kept.session, now_ms))
                return Registered(kept, created=False, replaced=None)
            written = self._write_claim(claim, decided, evidence, current, verdict)
            self._put_first_beat(agent, now_ms)
            self._put(agent, "held", render(written.session, now_ms))
            return Registered(written, created=True, replaced=current)

    def hold(self, agent: str, hold: Hold, *, proof: Living, now_ms: int) -> bool:
        """Beat as the holder: ``held`` and ``status``, once in 5 000 ms; say whether.

        Raises Superseded where the claim is not *hold*'s any more. Without *proof* that the
        harness lives and runs nobody can call this.
        """
        self.check(agent, hold)
        if not self._is_due(agent, hold, now_ms):
            return False
        with self.lock(agent):
            self.check(agent, hold)
            if not self._is_due(agent, hold, now_ms):
                return False
            # The one that says that a beat is due comes last: where it fails the next call is due.
            self._put_status(agent, beat_bytes(self._status(agent), now_ms=now_ms))
            self._put(agent, "held", self._held(agent, hold.token, now_ms))
            return True

    def beat(
        self, agent: str, caller: str | None, *, runs: Callable[[Claim], bool], now_ms: int
    ) -> Beaten:
        """Record in ``seen`` that *caller* beat; None is somebody without a session.

        Where it is the holder, and *runs* does not say that its harness is gone or stopped,
        ``held`` and ``status`` are renewed as well. Raises NoSession, ClaimUnreadable and writes
        nothing where there is no open claim.
        """
        self._open_claim(agent)
        with self.lock(agent):
            claim = self._open_claim(agent)
            renewed = caller == claim.session and runs(claim)
            seen = self.layout.record(self.layout.host, agent, "seen")
            self._replace(seen, render(caller or NOBODY, now_ms), durable=False)
            if renewed:
                self._put(agent, "held", self._held(agent, claim.session, now_ms))
                self._put_status(agent, beat_bytes(self._status(agent), now_ms=now_ms))
            return Beaten(claim, renewed=renewed)

    def stop(self, agent: str, *, allow: Callable[[], None], now_ms: int) -> Claim | None:
        """End the session by command: ``offline``, then ``stopped``; None where it has ended.

        *allow* raises, under the lock, where the caller may not. Raises NoSession,
        ClaimUnreadable.
        """
        with self.lock(agent):
            allow()
            claim = self._readable_claim(agent)
            if claim.ended:
                return None
            self._put_status(agent, set_bytes(self._status(agent), "offline", now_ms=now_ms))
            self._end(claim, "stopped", None, now_ms)
            return claim

    def forget(self, agent: str, *, verdict_of: Callable[[Claim], str]) -> list[str]:
        """Remove the records of an agent, and return the names of those that were there.

        Raises SessionOpen while a session is open, unless its harness is proven gone; and
        ClaimUnreadable. The claim goes last: what a death in between leaves is an ended session.
        """
        from catalog.evidence import GONE
        from catalog.session_errors import SessionOpen

        with self.lock(agent):
            claim = self._current(agent, force=False)
            if claim is not None and not claim.ended and verdict_of(claim) != GONE:
                found = (
                    f"session {shown_token(claim.session)} ({claim.registered_by}) has not ended"
                )
                subject = bus_id(self.layout.host, agent)
                raise SessionOpen(subject, f"{found}, wanted none or an ended one")
            names = sorted(RECORDS, key=lambda name: name == "session.json")
            removed = [name for name in names if self._remove(agent, name)]
            self.files.remove(self.layout.process(agent))
            return removed

    def finish(self, agent: str, hold: Hold, *, now_ms: int) -> None:
        """Say that the session is over, at its own word: ``offline``, then the end."""
        with self.lock(agent):
            claim = self.check(agent, hold)
            self._put_status(agent, set_bytes(self._status(agent), "offline", now_ms=now_ms))
            self._end(claim, "exited", None, now_ms)

    def _open_claim(self, agent: str) -> Claim:
        claim = self._readable_claim(agent)
        if claim.ended:
            from catalog.session_errors import NoSession

            found = f"session {shown_token(claim.session)} has ended ({claim.end_reason})"
            raise NoSession(bus_id(self.layout.host, agent), f"{found}, wanted an open one")
        return claim

    def _readable_claim(self, agent: str) -> Claim:
        claim = self._current(agent, force=False)
        if claim is None:
            from catalog.session_errors import NoSession

            found = "no session was ever registered, wanted an open one"
            raise NoSession(bus_id(self.layout.host, agent), found)
        return claim

    def _is_cut_short(self, claim: Claim) -> bool:
        """Say whether a register wrote the claim and then no more: ``held`` is its last word."""
        found = self.reader.record(self.layout.host, claim.agent, "held")
        return claim.registered_by not in claims.OWNED and isinstance(found, Missing)

    def _put_first_beat(self, agent: str, now_ms: int) -> None:
        """Write the first beat; raise OSError where the system fails to say what it replaces.

        One that this user may not read is left, as by any beat.
        """
        found = self._status(agent)
        if not isinstance(found, Unreadable) or found.errno != EACCES:
            certain(found, self.layout.record(self.layout.host, agent, "status"))
        self._put_status(agent, first_beat_bytes(found, now_ms=now_ms))

    def _put_status(self, agent: str, data: bytes | None) -> None:
        if data is not None:
            self._put(agent, "status", data)

    def _held(self, agent: str, token: str, now_ms: int) -> bytes:
        stamp_ms = self._held_ms(agent, token)
        return render(token, now_ms if stamp_ms is None else after(stamp_ms, now_ms))

    def _is_due(self, agent: str, hold: Hold, now_ms: int) -> bool:
        """Say whether the last beat is long enough ago, or no time of ours (a clock set back)."""
        stamp_ms = self._held_ms(agent, hold.token)
        if stamp_ms is None or stamp_ms - now_ms > SKEW_MS:
            return True
        return stamp_ms < now_ms - COALESCE_MS

    def _held_ms(self, agent: str, token: str) -> int | None:
        found = self.reader.record(self.layout.host, agent, "held")
        stored = (
            parse(found.raw, lambda word: word == token) if isinstance(found, Content) else None
        )
        return stored.stamp_ms if isinstance(stored, Record) else None
