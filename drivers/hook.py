"""One call of a hook: who called, may it write, and what (spec/hooks.md).

A hook has no way to name the holder: it is the holder's own harness that calls, or nothing is
written and the refusal says why.
"""

from __future__ import annotations

from catalog.claim import Claim
from catalog.errors import St2Error
from catalog.names import bus_id, is_token, shown_token
from catalog.reader import Hold
from catalog.session_errors import Conflict
from catalog.value import Value
from drivers import events
from drivers.detect import process_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from catalog.registrar import Registrar
    from catalog.system.ancestry import Ancestor
    from catalog.system.clock import Clock
    from catalog.system.processes import Processes
    from drivers.events import Meaning

UNOWNED = ("hook", "register")
"""What ``registered_by`` says of a session that nobody wraps."""


class HookRefused(St2Error):
    """The call may not write; nothing was written."""

    code = "hook-refused"


class Call(Value):
    """One event of one agent of this host; ``session`` is its wrapper's token, if it has one."""

    __slots__ = ("agent", "event", "harness", "node", "payload", "session")

    def __init__(
        self,
        *,
        agent: str,
        harness: str,
        event: str,
        payload: Mapping[str, object],
        session: str | None,
        node: Callable[[], str | None],
    ) -> None:
        self.agent = agent
        self.harness = harness
        self.event = event
        self.payload = payload
        self.session = session
        self.node = node


class Hook:
    """Serves calls with the ports that it was given."""

    __slots__ = ("above", "clock", "processes", "registrar")

    def __init__(
        self,
        registrar: Registrar,
        processes: Processes,
        clock: Clock,
        above: Callable[[], Sequence[Ancestor]],
    ) -> None:
        self.registrar = registrar
        self.processes = processes
        self.clock = clock
        self.above = above

    def serve(self, call: Call) -> None:
        """Write what the event means, or raise HookRefused, Superseded, Conflict and the like."""
        found = events.meaning(call.harness, call.event)
        if found is None:
            raise HookRefused(call.event, f"no event of {call.harness} that is known")
        if events.is_ignored(call.event, call.payload):
            return
        if call.session is not None:
            self._wrapped(call, call.session, found)
        elif (adopted := self._held_above(call, ("adopt",), self.above)) is not None:
            self._record(call, adopted, found)
        else:
            self._unwrapped(call, found)

    def _wrapped(self, call: Call, token: str, found: Meaning) -> None:
        """Record activity: presence is the owner's."""
        hold = self._held_by(call, token)
        evidence = self.registrar.reader.evidence(call.agent, hold)
        if evidence is None:
            raise HookRefused(call.agent, "no process is recorded for its session")
        if not any((a.pid, a.start) == (evidence.pid, evidence.start) for a in self.above()):
            sentence = f"harness pid {evidence.pid} is not among the processes above this hook"
            raise HookRefused(call.agent, sentence)
        self._record(call, hold, found)

    def _unwrapped(self, call: Call, found: Meaning) -> None:
        token = events.session_of(call.event, call.payload)
        if not isinstance(token, str) or not is_token(token):
            raise HookRefused(call.agent, f"no session id in the payload of {call.event}")
        process = process_of(call.harness, self.above())
        if process is None:
            sentence = f"no {call.harness} among the processes above this hook"
            raise HookRefused(call.agent, sentence)
        if found.session == events.REGISTER:
            self._register(call, token, process)
            return
        if found.session == events.ENTER:
            hold = self._enter(call, token, process)
        else:
            hold = self._held_by(call, token)
        self._beat(call, hold, process)
        self._record(call, hold, found)
        if found.session == events.END:
            self.registrar.finish(call.agent, hold, now_ms=self.clock.now_ms())

    def _record(self, call: Call, hold: Hold, found: Meaning) -> None:
        if found.activity is not None:
            now_ms = self.clock.now_ms()
            self.registrar.record_activity(call.agent, hold, found.activity, now_ms=now_ms)

    def _held_by(self, call: Call, token: str) -> Hold:
        """Return the hold of *token* on the agent, or say who else holds it."""
        reader = self.registrar.reader
        claim = reader.claim(reader.layout.host, call.agent)
        if not isinstance(claim, Claim):
            raise HookRefused(call.agent, "no session was registered that could be read")
        if claim.session != token:
            sentence = (
                f"held by session {shown_token(claim.session)}, called by {shown_token(token)}"
            )
            raise HookRefused(call.agent, sentence)
        if claim.ended:
            raise HookRefused(call.agent, f"session {shown_token(token)} has ended")
        return Hold(token, claim.generation)

    def _enter(self, call: Call, token: str, process: Ancestor) -> Hold:
        """Return the hold of the session that *process* is in; it is registered where it is not.

        Codex's terminal works in several threads (one finds a title for each first prompt), and
        every one of them sends its notice, also at once. The session is the process that they are
        all in.
        """
        try:
            self._register(call, token, process)
        except Conflict:
            if (hold := self._held_above(call, UNOWNED, lambda: (process,))) is None:
                raise
            return hold
        return self._held_by(call, token)

    def _held_above(
        self, call: Call, by: Sequence[str], above: Callable[[], Sequence[Ancestor]]
    ) -> Hold | None:
        """Return the hold of a session that was registered *by* for a process of *above*.

        An adopted session has its token nowhere in its environment: its process tells it.
        """
        reader = self.registrar.reader
        claim = reader.claim(reader.layout.host, call.agent)
        if not isinstance(claim, Claim) or claim.ended or claim.registered_by not in by:
            return None
        hold = Hold(claim.session, claim.generation)
        known = reader.evidence(call.agent, hold)
        if known is None:
            return None
        return hold if any((a.pid, a.start) == (known.pid, known.start) for a in above()) else None

    def _register(self, call: Call, token: str, process: Ancestor) -> None:
        """Register the session, which may be this very one already."""
        from catalog.witness import Witness, other_agent_of

        registrar, now_ms = self.registrar, self.clock.now_ms()
        evidence = self.processes.observe(process.pid, token=token, generation=0)
        if evidence is None or evidence.start != process.start:
            raise HookRefused(
                call.agent, f"{call.harness} pid {process.pid} cannot be seen to live"
            )
        other = other_agent_of(registrar.reader, call.agent, evidence)
        if other is not None:
            raise HookRefused(call.agent, f"pid {process.pid} is {other}'s session already")
        witness = Witness(registrar.reader, self.processes, now_ms=self.clock.now_ms)
        host = registrar.layout.host
        claim = Claim(
            agent=call.agent,
            host=host,
            node=call.node(),
            session=token,
            harness=call.harness,
            runtime=bus_id(host, call.agent),
            registered_by="hook",
            started_ms=now_ms,
        )
        registrar.register(claim, evidence=evidence, verdict_of=witness.verdict)

    def _beat(self, call: Call, hold: Hold, process: Ancestor) -> None:
        """Beat for a harness that runs; pids rotate, so its evidence follows it."""
        proof = self.processes.living(process.pid, None, process.start)
        if proof is None:
            return
        known = self.registrar.reader.evidence(call.agent, hold)
        if known is None or (known.pid, known.start) != (process.pid, process.start):
            seen = self.processes.observe(process.pid, token=hold.token, generation=hold.generation)
            if seen is not None and seen.start == process.start:
                self.registrar.restamp(call.agent, hold, seen)
        self.registrar.hold(call.agent, hold, proof=proof, now_ms=self.clock.now_ms())
